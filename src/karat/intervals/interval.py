"""An interval for every measure: by resampling, from a posterior, or by a formula."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.measure import Measure
from karat.core.record import Record
from karat.core.table import Table
from karat.core.validation import one_of
from karat.intervals import delong
from karat.intervals._ends import SAME, Ends, ends, studentised
from karat.intervals.bounds import bound
from karat.intervals.calibrated_bins import of_bins
from karat.intervals.rate_interval import of_rate
from karat.intervals.support import unsupported
from karat.measures.lookup import by_name
from karat.measures.value import NO_VALUE, MeasureOf, measures_of
from karat.resampling.confusion_tables import (
    bootstrap_tables,
    measures_of_cells,
    measures_of_tables,
    posterior,
)
from karat.resampling.draws import Resampling
from karat.resampling.influence import Influence, influences, influences_of_table
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Counts, Summary
from karat.statistics.bins import ConfidenceBins
from karat.statistics.counts import SparseCounts

METHODS = ("auto", "jackknife", "percentile", "basic", "bca", "bayes", "analytic", "logit")
LARGE_CLASS = 1000
"""Cases of the smallest class from which on "auto" trusts the normal interval of an area."""
MOSTLY_UNDEFINED = 0.5
"""The share of undefined replicates above which the others say too little."""

Replicated = dict[str, tuple[Array, float | None]]
"""Of each measure its replicates and its acceleration; None if that was not computed."""


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

    def __repr__(self) -> str:
        return repr(self._telling_columns())

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
    decreed = getattr(summary.source, "decreed", False) and groups is None
    resampling = Resampling.of(level, replicates, seed, stratified or decreed, groups, workers)
    way = IntervalWay(summary, method, prior, resampling, decreed)
    wanted = measures_of(measures, classes, summary)
    by_key: dict[str, Interval] = {}
    left: list[tuple[MeasureOf, float]] = []
    for m in wanted:
        reason = m.why_not(summary)
        if reason and m.measure.classwise and m.place is None and not summary.lacks(m.kind):
            reason = f"{reason}; {option('classes')} gives an interval for each class"
        if (
            not reason
            and method in ("analytic", "logit")
            and m.measure.symbol == "AUC"
            and summary.source.weight is None
        ):
            summary.placements_of_class(m.place or 0)  # the value comes out of the same sort
        value = math.nan if reason else m.value(summary)
        if value != value:
            reason = reason or m.measure.undefined or NO_VALUE
        elif method in FORMULAS:
            interval = way.analytic(m, value)
            if interval is not None and (method != "auto" or interval.low == interval.low):
                by_key[m.key] = interval
                continue
            reason = "" if method == "auto" else "no formula gives its interval: use auto, bca, basic or percentile"
        if reason:
            by_key[m.key] = way.none(value, reason)
        else:
            left.append((m, value))
    by_key |= way.by_resampling(left)
    return Intervals({m.key: by_key[m.key] for m in wanted}, resampling.level)


FORMULAS = ("auto", "analytic", "logit")
DECREED = "class frequencies are taken as given, not as uncertain"


@dataclass(frozen=True, eq=False)
class IntervalWay:
    """How the intervals of some predictions are found: by a formula, from what each case adds, or from replicates."""

    summary: Summary
    method: str
    prior: Any
    resampling: Resampling
    decreed: bool = False
    """were the class frequencies said, not seen?"""

    def none(self, value: float, reason: str, undefined: float = 0.0) -> Interval:
        """That there is no interval, and why."""
        return Interval(value, math.nan, math.nan, self.resampling.level, "", reason, undefined)

    def analytic(self, m: MeasureOf, value: float) -> Interval | None:
        """By a formula, where one is known and its assumptions hold."""
        source, level = self.summary.source, self.resampling.level
        auto = self.method == "auto"
        if self._uneven or (self.resampling.stratified and auto) or not source.whole:
            return None
        cases = m.cases(self.summary)
        if cases is not None and self.method != "logit":
            low, high, method = of_rate(*cases, level)
            return Interval(value, low, high, level, method)
        if delong.has_error(m) and source.cases is not None:
            if auto and source.class_weight[source.class_weight > 0].min() < LARGE_CLASS:
                return None
            error, method = delong.standard_error(m, self.summary)
            if error != error:
                return self.none(value, delong.FEW_CASES)
            extremes = m.measure.range_for(len(source.classes))
            if error == 0:
                return self._degenerate(m, value)
            if self.method == "logit":
                low, high = delong.logit_ends(value, error, level, extremes)
                return Interval(value, low, high, level, f"{method}, logit")
            half, (least, most) = float(ndtri((1 + level) / 2)) * error, extremes
            return Interval(value, max(value - half, least), min(value + half, most), level, method)
        return None

    def by_resampling(self, left: list[tuple[MeasureOf, float]]) -> dict[str, Interval]:
        """Of these measures, whose values are known: from what each case adds, or from replicates."""
        source = self.summary.source
        if self.resampling.groups is not None and source.cases is None:
            raise InputError("groups was given with a bare matrix, which has no cases to group; leave it out.")
        cluster = self.resampling.clusters(int(source.n))
        reasons = {m.key: self._unfit(m, cluster) for m, _ in left}
        fit = [(m, value) for m, value in left if not reasons[m.key]]
        out = {m.key: self.none(value, reasons[m.key]) for m, value in left if reasons[m.key]}
        if self.method in ("auto", "jackknife"):
            return out | self._by_influence(fit, cluster)
        by_table = [m for m, _ in fit if m.counted and not self._uneven]
        by_case = [m for m, _ in fit if m not in by_table]
        values = dict((m.key, value) for m, value in fit)
        replicated: Replicated = {}
        if by_table:
            replicated |= self._from_table(by_table, values)
        if by_case:
            replicated |= self._from_cases(by_case, values, cluster)
        return out | {m.key: self._interval(m, value, *replicated[m.key]) for m, value in fit}

    def _by_influence(self, fit: list[tuple[MeasureOf, float]], cluster: Array | None) -> dict[str, Interval]:
        """From what each case, or group, adds."""
        level, r = self.resampling.level, self.resampling
        out: dict[str, Interval] = {}
        rest: list[tuple[MeasureOf, float]] = []
        for m, value in fit:
            if reason := unsupported(m, self.summary):
                out[m.key] = self.none(value, reason)
            elif m.kind is ConfidenceBins:
                if self._uneven:
                    out[m.key] = self.none(value, "with weights or groups no method that is known covers it")
                    continue
                bins = self.summary.get(m.kind, **m.measure.statistic_parameters)
                out[m.key] = self._told(value, of_bins(m, bins, value, level, r.replicates, r.seed))
            else:
                rest.append((m, value))
        adds = self._influences(rest, cluster)
        for m, value in rest:
            one = adds[m.key]
            if not math.isfinite(value):
                out[m.key] = self.none(value, "the value is infinite, so that only percentiles can be given")
            elif reason := unsupported(m, self.summary, one):
                out[m.key] = self.none(value, reason)
            elif one.error == 0 or (m.counted and self._perfect):
                out[m.key] = self._degenerate(m, value, cluster)
            else:
                extremes = m.measure.range_for(len(self.summary.source.classes))
                out[m.key] = self._told(value, studentised(one, level, extremes))
        return out

    def _influences(self, rest: list[tuple[MeasureOf, float]], cluster: Array | None) -> dict[str, Influence]:
        counted = [(m, value) for m, value in rest if m.counted and not self._uneven]
        by_case = [(m, value) for m, value in rest if (m, value) not in counted]
        out: dict[str, Influence] = {}
        if counted:
            measures, values = zip(*counted, strict=True)
            out |= influences_of_table(list(measures), values, self.summary.get(Counts), self.resampling)
        if by_case:
            p = self.summary.source.cases
            assert p is not None
            measures, values = zip(*by_case, strict=True)
            out |= influences(list(measures), values, Replicates(p), self.resampling, cluster)
        return out

    def _told(self, value: float, bounds: Ends) -> Interval:
        reason = bounds.reason
        if self.decreed:
            reason = f"{reason}; {DECREED}" if reason else DECREED
        return Interval(value, bounds.low, bounds.high, self.resampling.level, bounds.method, reason)

    def _degenerate(self, m: MeasureOf, value: float, cluster: Array | None = None) -> Interval:
        """Where every case says the same."""
        units = int(self.summary.source.n) if cluster is None else int(cluster.max()) + 1
        ends_of_range = None if self.summary.source.weight is not None else self._bound(m, value, units)
        return self.none(value, SAME) if ends_of_range is None else self._told(value, ends_of_range)

    def _bound(self, m: MeasureOf, value: float, units: int) -> Ends | None:
        return bound(m, self.summary, value, self.resampling.level, units)

    @property
    def _perfect(self) -> bool:
        """Is every decision right?"""
        counts = self.summary.get(Counts)
        return bool(counts.hits.sum() == counts.weight.sum())

    def _interval(self, m: MeasureOf, value: float, replicates: Array, acceleration: float | None) -> Interval:
        """From replicates."""
        defined = np.count_nonzero(replicates == replicates)
        kept = replicates if defined == len(replicates) else replicates[replicates == replicates]
        undefined = 1 - defined / len(replicates)
        if undefined > MOSTLY_UNDEFINED:
            return self.none(value, f"it is undefined in {100 * undefined:.0f} % of the replicates", undefined)
        bayes, level = self.method == "bayes", self.resampling.level
        method = "percentile" if bayes else self.method
        if not math.isfinite(value) and method != "percentile":
            return self.none(value, "the value is infinite, so that only percentiles can be given", undefined)
        if not bayes and (kept == value).all():
            return self._degenerate(m, value)
        least, most = m.measure.range_for(len(self.summary.source.classes))
        bounds = ends(method, value, kept, level, acceleration, (least, most))
        low, high = (min(max(x, least), most) for x in bounds[:2])
        if bayes and value in (least, most):  # a posterior has no mass there, however sure
            low, high = min(low, value), max(high, value)
        reasons = [self._prior_in_words] if bayes else [bounds.reason]
        if self.decreed:
            reasons.append(DECREED)
        if undefined:
            reasons.append(f"without the {100 * undefined:.2g} % of the replicates in which it is undefined")
        if low == low and not low <= value <= high:
            reasons.append("resampling shifts the measure so far that its interval leaves out its own value")
        reason = "; ".join(part for part in reasons if part)
        return Interval(value, low, high, level, "bayes" if bayes else bounds.method, reason, undefined)

    @property
    def _prior_in_words(self) -> str:
        return "" if self.prior is not None else "prior: one case in all, half of it right"

    def _unfit(self, m: MeasureOf, cluster: Array | None) -> str:
        """Why this measure can neither be resampled nor be had without some of the cases; empty if it can."""
        source = self.summary.source
        units = source.n if cluster is None else int(cluster.max()) + 1
        if self.method == "bayes":
            if not m.counted:
                return "a posterior is known of the confusion table only, and this measure needs more"
            return "weights or groups leave no simple posterior: use the bootstrap" if self._uneven else ""
        if not source.whole:
            return "the counts are not whole, so that no cases can be drawn: use the method 'bayes'"
        if units < 2:
            what = "case" if cluster is None else "group"
            return f"one {what} tells nothing of what others would be like"
        return ""

    @property
    def _uneven(self) -> bool:
        return self.summary.source.weight is not None or self.resampling.groups is not None

    def _from_table(self, wanted: list[MeasureOf], values: dict[str, float]) -> Replicated:
        """Multinomial (or posterior) tables, and for the acceleration what each case adds."""
        counts, r = self.summary.get(Counts), self.resampling
        if isinstance(counts, SparseCounts):
            return self._from_cells(counts, wanted)
        if self.method == "bayes":
            drawn = posterior(counts.table, self.prior, r.replicates, r.seed, r.stratified)
        else:
            drawn = bootstrap_tables(counts.table, r.replicates, r.seed, r.stratified)
        replicated = measures_of_tables(wanted, drawn)
        if self.method != "bca":
            return {key: (x, 0.0) for key, x in replicated.items()}
        adds = influences_of_table(wanted, [values[m.key] for m in wanted], counts, r)
        return {key: (x, adds[key].acceleration) for key, x in replicated.items()}

    def _from_cells(self, counts: SparseCounts, wanted: list[MeasureOf]) -> Replicated:
        """Very many classes: the cells that are not empty, a replicate at a time; no acceleration."""
        if self.method == "bayes" or self.resampling.stratified:
            raise InputError("a table of so many classes is resampled as a whole; use the bootstrap, not stratified.")
        drawn = (row for tables in bootstrap_tables(counts.values[None], *self._times) for row in tables[:, 0])
        replicated = measures_of_cells(wanted, counts, drawn)
        return {key: (x, None) for key, x in replicated.items()}

    @property
    def _times(self) -> tuple[int, int]:
        return self.resampling.replicates, self.resampling.seed

    def _from_cases(self, wanted: list[MeasureOf], values: dict[str, float], cluster: Array | None) -> Replicated:
        """Draws of cases, and for the acceleration what each case adds."""
        p, workers = self.summary.source.cases, self.resampling.workers
        assert p is not None
        of = Replicates(p)
        replicated = values_in_replicates(wanted, of, of.draws(self.resampling, cluster), workers)
        if self.method != "bca":
            return {key: (x, 0.0) for key, x in replicated.items()}
        adds = influences(wanted, [values[m.key] for m in wanted], of, self.resampling, cluster)
        return {key: (x, adds[key].acceleration) for key, x in replicated.items()}
