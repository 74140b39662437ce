"""Averages are operators: they take a measure of one class and return a measure of all classes.

>>> from karat.measures.rates import f_score
>>> macro(f_score).symbol
'macro(F1)'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.core.arithmetic import Number, mean_over, ratio, total
from karat.core.elsewhere import aliases_elsewhere
from karat.core.errors import InputError, option
from karat.core.keywords import understand
from karat.core.measure import NO_CLAIMS, Measure, Remark, measures
from karat.measures.value import MeasureOf


@understand(usage="karat.macro('F1')")
def macro(measure: Measure | str) -> Measure:
    """The mean of a measure over the classes, each counting the same.

    Classes without cases are left out. Of `Precision`, `Recall`, `F1` and the like, which are defined as in
    scikit-learn, only those that are never predicted either.

    Parameters
    ----------
    measure : Measure or str
        A measure of one class, or its name.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        It is a measure of all classes already.

    See Also
    --------
    karat.weighted : Each class counting by its frequency.
    karat.micro : All classes pooled.

    Examples
    --------
    >>> macro("Recall")([0, 0, 1, 2], y_pred=[0, 1, 1, 2])
    0.8333333333333334
    """
    return _averaged(measure, "macro")


@understand(usage="karat.weighted('F1')")
def weighted(measure: Measure | str) -> Measure:
    """The mean of a measure over the classes, each counting by its frequency.

    Parameters
    ----------
    measure : Measure or str
        A measure of one class, or its name.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        It is a measure of all classes already.

    See Also
    --------
    karat.macro : Each class counting the same.
    karat.micro : All classes pooled.

    Examples
    --------
    >>> weighted("Recall")([0, 0, 1, 2], y_pred=[0, 1, 1, 2])
    0.75
    """
    return _averaged(measure, "weighted")


@understand(usage="karat.micro('F1')")
def micro(measure: Measure | str) -> Measure:
    """A measure of all one-vs-rest problems, pooled.

    Parameters
    ----------
    measure : Measure or str
        A measure of one class, or its name.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        It is a measure of all classes already, or one that can't be pooled.

    See Also
    --------
    karat.macro : Each class counting the same.
    karat.weighted : Each class counting by its frequency.

    Examples
    --------
    >>> micro("F1")([0, 0, 1, 2], y_pred=[0, 1, 1, 2])
    0.75
    """
    return _averaged(measure, "micro")


def negated(measure: Measure | str) -> Measure:
    """A loss as scikit-learn's scorers have it: negated, so that higher is better.

    >>> negated("LogL").title, negated("LogL").range[1], negated("LogL").orientation
    ('Negated log loss in bits', 0.0, 1)
    """
    base = measures[measure] if isinstance(measure, str) else measure
    low, high = base.range
    return replace(
        base,
        function=Negated(base),
        symbol=f"neg({base.symbol})",
        title=f"Negated {within_a_title(base.title)}",
        formula=f"-{base.symbol}".replace("_", r"\_"),
        name=f"neg_{base.name}",
        range=(0.0 - high, 0.0 - low),
        best=None if base.best is None else 0.0 - base.best,
        claims=False,
        **NO_CLAIMS | {"aliases": aliases_elsewhere(f"neg({base.symbol})")},
    )


@dataclass(frozen=True, eq=False)
class Negated:
    """The formula of a negated measure (a class, so that it can be sent to other processes)."""

    measure: Measure

    def __call__(self, statistic: Any, **parameters: Any) -> Number:
        return -np.asarray(self.measure.value_of(statistic, **parameters))[()]


NAMES = ("Brier", "Cohen's", "Gini", "Jaccard", "Kolmogorov-Smirnov", "Matthews", "Youden's")
"""Names of people, which keep their capital within a title."""


def within_a_title(title: str) -> str:
    """A title as it stands behind another word.

    >>> within_a_title("Precision"), within_a_title("ROC AUC"), within_a_title("F1"), within_a_title("Jaccard index")
    ('precision', 'ROC AUC', 'F1', 'Jaccard index')
    """
    first = title.split()[0].rstrip(",:")
    return title if first in NAMES or not first[1:].replace("-", "").islower() else title[0].lower() + title[1:]


FORMULAS = {
    "macro": r"\frac{1}{c'}\sum_{j \in J} \text{%s}_j",
    "weighted": r"\frac{1}{W}\sum_j w_j \text{%s}_j",
    "micro": r"\text{%s of all one-vs-rest problems, pooled}",
}
"""An average of the values of the classes; J are the c' classes that count, w_j is the weight of class j."""
OPERATORS: dict[str, Callable[[Measure | str], Measure]] = {
    "macro": macro,
    "micro": micro,
    "weighted": weighted,
    "neg": negated,
}
"""What makes one measure of another, by the word before its brackets."""


@dataclass(frozen=True, eq=False)
class OverClasses:
    """The formula of an average (a class, so that it can be sent to other processes)."""

    measure: Measure
    average: str

    def __call__(self, statistic: Any) -> Number:
        each = MeasureOf(self.measure)
        if self.average == "micro":
            pooled = statistic[0].sum_of(statistic) if each.of_score_tables else statistic.pooled()
            value = MeasureOf(self.measure, 0).values(pooled)
            return float(value) if value.ndim == 0 else value
        values = each.values(statistic)
        tables = each.of_score_tables
        weight = np.stack([t.positive.sum(axis=-1) for t in statistic], axis=-1) if tables else statistic.weight
        if weight.ndim > values.ndim:
            weight = weight.sum(axis=-1)
        if self.average == "macro":
            return mean_over(values, weight + statistic.fp > 0 if self.measure.over_predicted else weight > 0)
        return ratio(total(np.where(weight > 0, values * weight, 0.0)), total(weight))


@dataclass(frozen=True, eq=False)
class OfSomeClass:
    """Does a remark apply to one of the classes that are averaged?"""

    remark: Remark
    over_predicted: bool

    def __call__(self, statistic: Any) -> Any:
        counting = statistic.weight + statistic.fp if self.over_predicted else statistic.weight
        return (np.asarray(self.remark.applies(statistic)) & (counting > 0)).any(axis=-1)


def _averaged(key: Measure | str, average: str) -> Measure:
    measure = measures[key] if isinstance(key, str) else key
    if not measure.classwise:
        raise InputError(
            f"{measure.symbol} is a measure of all classes already; {average}() takes a measure of one class."
        )
    of_score_tables = MeasureOf(measure).of_score_tables
    if average == "micro" and not (of_score_tables or measure.statistic.one_pot):
        others = f"{option('macro')} or {option('weighted')}"
        raise InputError(f"{measure.symbol} can't be pooled over the classes; use {others}.")
    remarks = () if of_score_tables or average == "micro" else measure.remarks  # what is pooled is nowhere 0/0
    over_predicted = measure.over_predicted and average == "macro"
    return replace(
        measure,
        function=OverClasses(measure, average),
        symbol=f"{average}({measure.symbol})",
        formula=FORMULAS[average] % measure.symbol.replace("_", r"\_"),
        name=f"{average}_{measure.name}",
        title=f"{average.capitalize()} {within_a_title(measure.title)}",
        classwise=False,
        undefined="it is undefined for one of the classes" if measure.undefined else "",
        question=f"{measure.question} ({average} average)",
        parameters=measure.statistic_parameters,
        remarks=tuple(Remark(f"(of a class) {r.words}", OfSomeClass(r, over_predicted), r.convention) for r in remarks),
        **NO_CLAIMS | {"aliases": aliases_elsewhere(f"{average}({measure.symbol})")},
    )
