"""Averages are operators: they take a measure of one class and return a measure of all.

>>> from karat.measures.rates import f_score
>>> macro(f_score).symbol
'macro(F1)'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from karat.core.arithmetic import Number, mean_over, ratio, total
from karat.core.errors import InputError, option
from karat.core.measure import NO_CLAIMS, Measure, Remark, measures
from karat.measures.value import MeasureOf


def macro(measure: Measure | str) -> Measure:
    """The mean over the classes that have cases, each counting the same."""
    return _averaged(measure, "macro")


def weighted(measure: Measure | str) -> Measure:
    """The mean over the classes, each counting by its frequency."""
    return _averaged(measure, "weighted")


def micro(measure: Measure | str) -> Measure:
    """The measure of all one-against-rest problems in one pot."""
    return _averaged(measure, "micro")


FORMULAS = {
    "macro": r"\frac{1}{c'}\sum_{j \in J} \text{%s}_j",
    "weighted": r"\frac{1}{W}\sum_j w_j \text{%s}_j",
    "micro": r"\text{%s of all one-against-rest problems in one pot}",
}
"""An average of the values of the classes; J are the c' classes that have cases, w_j is the weight of class j."""
OPERATORS: dict[str, Callable[[Measure | str], Measure]] = {"macro": macro, "micro": micro, "weighted": weighted}


@dataclass(frozen=True, eq=False)
class OverClasses:
    """The formula of an average (a class, so that it can be sent to other processes)."""

    measure: Measure
    average: str

    def __call__(self, statistic: Any) -> Number:
        each = MeasureOf(self.measure)
        if self.average == "micro":
            pooled = reduce(add, statistic) if each.of_score_tables else statistic.pooled()
            value = MeasureOf(self.measure, 0).values(pooled)
            return float(value) if value.ndim == 0 else value
        values = each.values(statistic)
        tables = each.of_score_tables
        weight = np.stack([t.positive.sum(axis=-1) for t in statistic], axis=-1) if tables else statistic.weight
        if weight.ndim > values.ndim:
            weight = weight.sum(axis=-1)
        if self.average == "macro":
            return mean_over(values, weight > 0)
        return ratio(total(np.where(weight > 0, values * weight, 0.0)), total(weight))


@dataclass(frozen=True, eq=False)
class OfSomeClass:
    """Does a remark apply to one of the classes that have cases?"""

    remark: Remark

    def __call__(self, statistic: Any) -> Any:
        return (np.asarray(self.remark.applies(statistic)) & (statistic.weight > 0)).any(axis=-1)


def _averaged(key: Measure | str, average: str) -> Measure:
    measure = measures[key] if isinstance(key, str) else key
    if not measure.classwise:
        raise InputError(
            f"{measure.symbol} is a measure of all classes already; {average}() takes a measure of one class."
        )
    if average == "micro" and not (MeasureOf(measure).of_score_tables or measure.statistic.one_pot):
        others = f"{option('macro')} or {option('weighted')}"
        raise InputError(f"{measure.symbol} can't be taken of all classes in one pot; use {others}.")
    return replace(
        measure,
        function=OverClasses(measure, average),
        symbol=f"{average}({measure.symbol})",
        formula=FORMULAS[average] % measure.symbol.replace("_", r"\_"),
        name=f"{average}_{measure.name}",
        classwise=False,
        undefined="it is undefined of one of the classes",
        question=f"{measure.question} ({average} average)",
        parameters=measure.statistic_parameters,
        remarks=tuple(Remark(f"(of a class) {r.words}", OfSomeClass(r), r.convention) for r in measure.remarks),
        **NO_CLAIMS,
    )
