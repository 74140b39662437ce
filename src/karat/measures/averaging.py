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

from karat.core.arithmetic import Array, Number, mean_over, ratio, total
from karat.core.errors import InputError
from karat.core.measure import Measure, measures


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


def values_of_classes(measure: Measure, statistic: Any) -> Array:
    """[..., k]: the measure of every class; of a statistic with a class axis, or of one statistic for each class."""
    if measure.statistic.per_class == "each":
        return np.stack([np.asarray(measure.function(s, **measure.formula_parameters)) for s in statistic], axis=-1)
    return np.asarray(measure.function(statistic, **measure.formula_parameters))


@dataclass(frozen=True, eq=False)
class OverClasses:
    """The formula of an average (a class, so that it can be sent to other processes)."""

    measure: Measure
    how: str

    def __call__(self, statistic: Any) -> Number:
        measure, each = self.measure, self.measure.statistic.per_class == "each"
        if self.how == "micro":
            pooled = reduce(add, statistic) if each else statistic.pooled()
            value = np.asarray(measure.function(pooled, **measure.formula_parameters))
            value = value if each else value[..., 0]
            return float(value) if value.ndim == 0 else value
        values = values_of_classes(measure, statistic)
        weight = np.stack([s.positive.sum(axis=-1) for s in statistic], axis=-1) if each else statistic.weight
        if weight.ndim > values.ndim:
            weight = weight.sum(axis=-1)
        if self.how == "macro":
            return mean_over(values, weight > 0)
        return ratio(total(np.where(weight > 0, values * weight, 0.0)), total(weight))


def _averaged(what: Measure | str, how: str) -> Measure:
    measure = measures[what] if isinstance(what, str) else what
    if not measure.classwise:
        raise InputError(f"{measure.symbol} is a measure of all classes already; {how}() takes a measure of one class.")
    if how == "micro" and not (measure.statistic.per_class == "each" or hasattr(measure.statistic, "pooled")):
        raise InputError(f"{measure.symbol} can't be taken of all classes in one pot; use macro() or weighted().")
    return replace(
        measure,
        function=OverClasses(measure, how),
        symbol=f"{how}({measure.symbol})",
        formula=FORMULAS[how] % measure.symbol.replace("_", r"\_"),
        name=f"{how}_{measure.name}",
        aliases=(),
        classwise=False,
        traits=frozenset(),
        invariant=frozenset(),
        chance=None,
        bounds=None,
        undefined="it is undefined of one of the classes",
        question=f"{measure.question} ({how} average)",
        parameters=measure.statistic_parameters,
    )
