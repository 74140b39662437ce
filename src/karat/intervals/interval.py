"""An interval for every measure: from what each case adds, by resampling, from a posterior, or by a formula."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.errors import option
from karat.core.measure import Measure
from karat.core.record import Record
from karat.core.table import Table
from karat.core.validation import one_of
from karat.intervals.by_formula import by_formula, why_no_formula
from karat.intervals.by_influence import by_influence
from karat.intervals.by_replicates import by_replicates
from karat.intervals.interval_ends import SAME, Ends, no_ends
from karat.intervals.interval_way import IntervalWay
from karat.measures.lookup import by_name
from karat.measures.value import NO_VALUE, MeasureOf, measures_of
from karat.statistics import Summary

METHODS = ("auto", "jackknife", "percentile", "basic", "bca", "bayes", "analytic", "logit")
FORMULAS = ("auto", "analytic", "logit")


@dataclass(frozen=True, repr=False)
class Interval(Record):
    """A value between two ends."""

    value: float
    low: float
    high: float
    level: float
    method: str
    """which was used; empty if none could be"""
    reason: str = ""
    """why there is no interval, or what to know about it"""
    undefined: float = 0.0
    """share of the replicates in which the measure has no value"""


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Record, Mapping[str, Interval]):
    """Symbol to interval: `intervals["MCC"].low`; names and aliases of measures do as well."""

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
        """Reason to the symbols that it is about: what is to be known about intervals, or why there are none."""
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
        """The table without columns that say nothing."""
        table = self.to_table()
        idle = {name for name in ("undefined", "reason") if not any(table.columns[name])}
        return Table({k: v for k, v in table.columns.items() if k not in idle}, table.title)


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
    level : the share of such intervals that should hold the truth.
    method : "auto", which covers best (docs/coverage.md): an exact interval (Wilson's from 100 cases on) for rates,
        DeLong's for areas where every class has 1,000 cases, draws of outcomes for calibration errors in bins, and for
        all others the "jackknife": the value without its bias, and Student's t times its standard error on the logit
        scale, both from leaving out cases (or groups). "percentile", "basic" or "bca": from bootstrap replicates:
        cases drawn with replacement, tables where a table is enough. "bayes": the posterior of the confusion table,
        for measures of decisions. "analytic": Wilson's interval of a rate, DeLong's of an area, the jackknife's of
        averaged areas; "logit": the same for areas, on the logit scale. The result says which was used.
    replicates : bootstrap replicates, or draws from the posterior.
    seed : the same seed gives the same numbers, on any number of threads, whatever else is asked for.
    stratified : take class frequencies as fixed, as where cases were chosen by class (and after `at_prevalence`).
    groups : the group of each case, if cases come in groups (patients, sessions); groups are then drawn whole.
    prior : of "bayes", added to every cell of the table: a number, or an array of its shape; None: one case in all,
        half of it right, which is Jeffreys' prior of being right.
    classes : the classes that measures of one class are taken of: None the positive one; "all", or some labels. An
        interval is then found under `symbol[class]`.
    workers : threads; None: all processors where that pays.

    With `sample_weight`, cases are drawn and keep their weights: a weight of 5 is not five cases, which would make what
    is unknown look smaller. Where a weight does count cases that were seen, repeat them.
    """
    one_of("method", method, METHODS)
    options = {"level": level, "replicates": replicates, "seed": seed, "workers": workers}
    way = IntervalWay.of(summary, method, prior, stratified, groups, **options)
    values: dict[str, float] = {}
    between: dict[str, Ends] = {}
    left: list[tuple[MeasureOf, float]] = []
    for m in measures_of(measures, classes, summary):
        reason = _why_no_value(m, summary)
        if not reason and method in ("analytic", "logit") and m.measure.symbol == "AUC" and not way.uneven:
            summary.placements_of_class(m.place or 0)  # the value comes out of the same sort
        value = values[m.key] = math.nan if reason else m.value(summary)
        if value != value:
            between[m.key] = no_ends(reason or m.measure.undefined or NO_VALUE)
            continue
        made = by_formula(way, m, value) if method in FORMULAS else None
        if made is not None and (method != "auto" or made.low == made.low):
            between[m.key] = made
        elif reason := way.unfit(m) or (why_no_formula(way, m) if method in ("analytic", "logit") else ""):
            between[m.key] = no_ends(reason)
        else:
            left.append((m, value))
    undefined: dict[str, float] = {}
    if method in ("auto", "jackknife"):
        between |= by_influence(way, left)
    else:
        made_of_left, undefined = by_replicates(way, left)
        between |= made_of_left
    return Intervals(
        {key: _interval(way, value, between[key], undefined.get(key, 0.0)) for key, value in values.items()}, way.level
    )


def _why_no_value(m: MeasureOf, summary: Summary) -> str:
    reason = m.why_not(summary)
    if reason and m.measure.classwise and m.place is None and not summary.lacks(m.kind):
        return f"{reason}; {option('classes')} gives an interval for each class"
    return reason


def _interval(way: IntervalWay, value: float, made: Ends, undefined: float) -> Interval:
    reason = made.reason
    if (made.low == made.low or reason == SAME) and (said := way.of_frequencies):
        reason = f"{reason}; {said}" if reason else said
    return Interval(value, made.low, made.high, way.level, made.method, reason, undefined)
