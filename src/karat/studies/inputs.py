"""The measures that a study is told, checked before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.table import Table
from karat.measures import HEADLINE
from karat.measures.lookup import find
from karat.statistics import Counts

Asked = Any
"""Measures by symbol, name, alias or themselves; None for those that the study has of its own."""


def measures_of(wanted: Asked, own: Iterable[str], suits: Callable[[Measure], str]) -> tuple[Measure, ...]:
    """The measures asked for (None: the study's own), each once. `suits` says why one can't be had here, or nothing."""
    if isinstance(wanted, str):
        wanted = [word for word in wanted.split(",") if word.strip()]
    elif isinstance(wanted, Measure):
        wanted = [wanted]
    suitable: dict[str, Measure] = {}
    for key in own if wanted is None else wanted:
        measure = find(key.strip() if isinstance(key, str) else key)
        reason = suits(measure)
        if reason:
            raise InputError(f"{measure.symbol} can't be put through this study: {reason}; leave it out.")
        suitable[measure.symbol] = measure
    if not suitable:
        raise InputError("no measure was named; name at least one, or none at all for the study's own.")
    return tuple(suitable.values())


def probe(measures: Iterable[Measure], value: Callable[[Measure], Any]) -> None:
    """Compute each measure once on a little of the study's data: one that can't be is refused now, not hours later."""
    for measure in measures:
        try:
            with np.errstate(all="ignore"):
                values = np.asarray(value(measure), float)
        except Exception as trouble:
            reason = f"{type(trouble).__name__}: {trouble}".strip(": ")
            raise InputError(
                f"{measure.symbol} can't be computed on the study's data ({reason}); leave it out."
            ) from trouble
        if values.ndim != 1:
            shape = values.shape
            raise InputError(
                f"{measure.symbol} gives the shape {shape} for many evaluations at once; give one value for each."
            )


def batchable(measure: Measure) -> str:
    """Why a measure can't be had of a batch of predictions."""
    if measure.classwise:
        return "it is a measure of one class"
    return "it needs a score table of each class" if measure.statistic.per_class == "each" else ""


def choosing(measure: Measure) -> str:
    """Why a measure can't choose between models of a batch."""
    return batchable(measure) or ("" if measure.orientation else "it has no better direction")


def of_matrices(measure: Measure) -> str:
    """Why a measure can't be had of a bare confusion matrix."""
    if measure.classwise:
        return "it is a measure of one class"
    return "" if measure.statistic is Counts else "it can't be had of a confusion matrix"


def headline(suits: Callable[[Measure], str]) -> list[str]:
    """The measures of the papers that suit."""
    return [symbol for symbol in HEADLINE if not suits(find(symbol))]


def table(rows: Iterable[dict[str, Any]], title: str = "") -> Table:
    """A table of rows that all have the same names."""
    listed = list(rows)
    return Table({name: [row[name] for row in listed] for name in (listed[0] if listed else ())}, title)
