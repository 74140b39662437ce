"""What must be chosen before a measure of one class has a value, and what each choice would give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.words import number
from karat.measures.averaging import OPERATORS
from karat.measures.value import MeasureOf
from karat.statistics import Summary

AVERAGES = ("macro", "weighted", "micro")
"""In the order in which they are offered."""


def refuse_unchosen(measure: Measure, summary: Summary, also: str = "") -> None:
    """A measure of one class is asked for, its value depends on which, and none was named: say what each would give,
    and what else can be asked for."""
    if not measure.classwise or summary.lacks(measure.statistic):
        return
    if MeasureOf.on(measure, summary).place is not None:
        return
    classes = summary.source.classes
    with np.errstate(all="ignore"):
        if len(classes) <= 2:
            of_each = MeasureOf(measure).values(MeasureOf(measure).statistic(summary)).tolist()
            given = {option("positive", name): value for name, value in zip(classes, of_each, strict=True)}
            raise InputError(f"{measure.symbol} needs a positive class: {_offered(given)}{also}.")
        averages = _averages(measure, summary)
    raise InputError(
        f"{measure.symbol} has one value for each of the {len(classes)} classes: {_offered(averages)}; "
        f"{option('positive')} gives that of one class against the rest, {option('per_class')} shows all{also}."
    )


def _averages(measure: Measure, summary: Summary) -> dict[str, float]:
    """The averages over classes that it has."""
    averages: dict[str, float] = {}
    for name in AVERAGES:
        try:
            average = OPERATORS[name](measure)
        except InputError:  # not every measure can be pooled over the classes
            continue
        averages[average.symbol] = MeasureOf(average).value(summary)
    return averages


def _offered(values: Mapping[str, float]) -> str:
    """Each choice and what it gives, in as many digits as tell apart what differs."""
    for digits in (3, 6, 9, 17):
        texts = [number(value, digits) for value in values.values()]
        if len(set(texts)) == len({repr(value) for value in values.values()}):
            break
    says = ["is undefined" if text == "undefined" else f"gives {text}" for text in texts]
    return ", ".join(f"{choice} {said}" for choice, said in zip(values, says, strict=True))
