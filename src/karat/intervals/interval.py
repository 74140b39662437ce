"""An interval for every measure: from what each case adds, by resampling, from a posterior, or by a formula."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.errors import InputError, UnknownNameError, option
from karat.core.measure import Measure
from karat.core.record import Record
from karat.core.table import Table
from karat.core.validation import one_of
from karat.core.words import interval as between
from karat.core.words import number
from karat.intervals.by_formula import by_formula, why_no_formula
from karat.intervals.by_influence import by_influence
from karat.intervals.by_replicates import by_replicates
from karat.intervals.interval_ends import SAME, Ends, no_ends
from karat.intervals.interval_way import IntervalWay
from karat.measures.certified import certain_value
from karat.measures.lookup import by_name, find
from karat.measures.value import NO_VALUE, MeasureOf, measures_of
from karat.statistics import Summary
from karat.statistics.order import PairPlacements

CALLED_ELSEWHERE = {
    "bootstrap": "percentile",
    "bayesian": "bayes",
    "delong": "analytic",
    "exact": "analytic",
    "normal": "logit",
    "wilson": "analytic",
}
"""What people call some of the methods."""
METHODS = ("auto", "jackknife", "percentile", "basic", "bca", "bayes", "analytic", "logit")
FORMULAS = ("auto", "analytic", "logit")


@dataclass(frozen=True, repr=False)
class Interval(Record):
    """The value of a measure and its interval: what `e.intervals()["MCC"]` gives.

    Attributes
    ----------
    value : float
    low, high : float
        The ends; nan where there is no interval.
    level : float
        Confidence.
    method : str
        Which was used; empty if none.
    reason : str
        Why there is no interval, or what should be known about it.
    undefined : float
        Share of the replicates in which the measure has no value.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate([0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5)
    >>> e.intervals("accuracy")["accuracy"]
    0.900 [0.826, 0.945]
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    reason: str = ""
    undefined: float = 0.0

    def __repr__(self) -> str:
        if self.low == self.low and self.high == self.high:
            return between(self.value, self.low, self.high)
        return f"{number(self.value)} (no interval: {self.reason})"


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Record, Mapping[str, Interval]):
    """Intervals of several measures: what `e.intervals()` returns.

    A mapping from symbols to `Interval`; `intervals["mcc"].low` works by symbol, name or alias, in any case.

    Attributes
    ----------
    intervals : dict
        {symbol: Interval}.
    level : float
        Confidence.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate([0, 1] * 50, y_pred=[0, 1] * 45 + [1, 0] * 5)
    >>> ends = e.intervals(["accuracy", "MCC"])
    >>> list(ends), round(ends["accuracy"].low, 3), ends["accuracy"].method
    (['Acc', 'MCC'], 0.826, 'wilson')
    """

    intervals: dict[str, Interval]
    level: float

    def __getitem__(self, key: str | Measure) -> Interval:
        return by_name(self.intervals, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.intervals)

    def __len__(self) -> int:
        return len(self.intervals)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        return {key: one.to_dict() for key, one in self.intervals.items()}

    def to_table(self) -> Table:
        """One row for each measure."""
        names = ("value", "low", "high", "method", "undefined", "reason")
        columns: dict[str, list[Any]] = {name: [getattr(x, name) for x in self.values()] for name in names}
        return Table({"symbol": list(self.intervals), **columns}, f"{100 * self.level:g} % intervals")

    def remarks(self) -> dict[str, list[str]]:
        """Reason to the symbols that it is about: what should be known about intervals, or why there are none."""
        by_reason: dict[str, list[str]] = {}
        for key, interval in self.intervals.items():
            if interval.reason:
                by_reason.setdefault(interval.reason, []).append(key)
        return by_reason

    def __repr__(self) -> str:
        table = self._telling_columns()
        rows = Table({k: v for k, v in table.columns.items() if k != "reason"}, table.title)
        return "\n".join([repr(rows), *(f"{', '.join(keys)}: {reason}." for reason, keys in self.remarks().items())])

    def _repr_html_(self) -> str:
        return self._telling_columns()._repr_html_()

    def _telling_columns(self) -> Table:
        """The table with measures by their titles, and without columns that say nothing."""
        table = self.to_table()
        idle = {"symbol", *(name for name in ("undefined", "reason") if not any(table.columns[name]))}
        columns = {k: v for k, v in table.columns.items() if k not in idle}
        return Table({"measure": [_label_of(key) for key in self.intervals], **columns}, table.title)


def _label_of(key: str) -> str:
    """Title and symbol of a measure, and which class it is of; of one that nobody declared, its symbol."""
    symbol, of, label = key.partition("[")
    try:
        return f"{find(symbol).label}{of and f' of {label[:-1]}'}"
    except UnknownNameError:
        return key


@np.errstate(all="ignore")
def intervals(
    summary: Summary,
    measures: Iterable[Measure],
    *,
    level: float = 0.95,
    method: str = "auto",
    replicates: int = 1000,
    seed: int = 0,
    stratified: bool = False,
    groups: Any = None,
    prior: Any = None,
    classes: Any = None,
    workers: int | None = None,
) -> Intervals:
    """An interval for each measure; where so few cases can't support one, the reason why.

    Parameters
    ----------
    summary : Summary
    measures : iterable of Measure
    level : float, default 0.95
        The share of such intervals that should hold the true value.
    method : str, default "auto"
        "auto", which covers best (docs/coverage.md): an exact interval (Wilson's from 100 cases on) for rates, a score
        interval for the area under one ROC curve, DeLong's for areas where every class has 1,000 cases, draws of
        outcomes for calibration errors in bins, draws of confusion tables for measures of decisions that few cases
        carry ("tilted") or that hardly tell anything ("drawn tables"), and for all others the "jackknife": the
        bias-corrected value, and Student's t times its standard error on the logit scale, both from leaving out cases
        (or groups). "percentile", "basic" or "bca": the bootstrap. "bayes": the posterior of the confusion matrix.
        "analytic": Wilson's interval of a rate, DeLong's of an area, the jackknife's of averaged areas; "logit": the
        same for areas, on the logit scale. The result says which was used.
    replicates : int, default 1000
        Bootstrap replicates, draws from the posterior, or of confusion tables.
    seed : int, default 0
        The same seed gives the same numbers, on any number of threads, whatever else is asked for.
    stratified : bool, default False
        Take class frequencies as fixed, as where cases were chosen by class (and after `at_prevalence`).
    groups : array-like of shape (n,), optional
        The group of each case, if cases come in groups (patients, sessions); groups are then resampled whole.
    prior : float or array-like, optional
        Of "bayes", added to every cell of the matrix; by default one case in all, half of it correct, which is
        Jeffreys' prior of the accuracy.
    classes : "all" or sequence of labels, optional
        The classes that measures of one class are taken of; by default the positive one. An interval is then found
        under `symbol[class]`.
    workers : int, optional
        Threads; by default all cores where that pays.

    Returns
    -------
    Intervals

    Notes
    -----
    With `sample_weight`, cases are resampled and keep their weights: a weight of 5 is not five cases, which would make
    the uncertainty look smaller. Where a weight does count cases that were observed, repeat them.
    """
    if isinstance(method, str) and method.lower() in CALLED_ELSEWHERE:
        method = CALLED_ELSEWHERE[method.lower()]
        raise InputError(f"that method is called {method!r} here: pass {option('method', method)}.")
    one_of("method", method, METHODS)
    options = {"level": level, "replicates": replicates, "seed": seed, "workers": workers}
    way = IntervalWay.of(summary, method, prior, stratified, groups, **options)
    values: dict[str, float] = {}
    cautions: dict[str, str] = {}
    between: dict[str, Ends] = {}
    left: list[tuple[MeasureOf, float]] = []
    for m in measures_of(measures, classes, summary):
        reason = _why_no_value(m, summary)
        sorted_once = method in ("analytic", "logit") and m.measure.symbol == "AUC" and not way.uneven
        if not reason and sorted_once and summary.source.added is None:
            summary.placements_of_class(m.place or 0)  # the value comes out of the same sort
        value, reason = (math.nan, reason) if reason else certain_value(m, summary)
        values[m.key], cautions[m.key] = value, m.measure.caution
        if value != value:
            between[m.key] = no_ends(reason or m.measure.undefined or NO_VALUE)
            continue
        made = by_formula(way, m, value) if method in FORMULAS else None
        final = method != "auto" or (summary.source.added is not None and made is not None and made.reason)
        if made is not None and (final or made.low == made.low):  # without rows there is no other way
            between[m.key] = made
        elif reason := way.unfit(m) or (why_no_formula(way, m) if method in ("analytic", "logit") else ""):
            between[m.key] = no_ends(reason)
        else:
            left.append((m, value))
    summary.computed.pop(PairPlacements, None)  # as large as the scores; several measures have it in common
    undefined: dict[str, float] = {}
    if method in ("auto", "jackknife"):
        between |= by_influence(way, left)
    else:
        made_of_left, undefined = by_replicates(way, left)
        between |= made_of_left
    return Intervals(
        {
            key: _interval(way, value, between[key], undefined.get(key, 0.0), cautions[key])
            for key, value in values.items()
        },
        way.level,
    )


def _why_no_value(m: MeasureOf, summary: Summary) -> str:
    reason = m.why_not(summary)
    if reason and m.measure.classwise and m.place is None and not summary.lacks(m.kind):
        return f"{reason}; {option('classes')} gives an interval for each class"
    return reason


def _interval(way: IntervalWay, value: float, made: Ends, undefined: float, caution: str) -> Interval:
    reason = made.reason
    if made.low == made.low or reason == SAME:
        reason = "; ".join(said for said in (reason, caution, way.of_frequencies) if said)
    return Interval(value, made.low, made.high, way.level, made.method, reason, undefined)
