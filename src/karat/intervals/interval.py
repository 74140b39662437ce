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
from karat.intervals._ends import JACKKNIFE, acceleration, ends
from karat.intervals.wilson import wilson
from karat.measures.lookup import by_name
from karat.measures.value import NO_VALUE, MeasureOf, measures_of
from karat.resampling.confusion_tables import JEFFREYS, bootstrap_tables, jackknife_tables, posterior
from karat.resampling.draws import Deletions, Resampling
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Binary, Counts, Summary
from karat.statistics.counts import SparseCounts

METHODS = ("auto", "percentile", "basic", "bca", "bayes", "analytic")
LARGE_CLASS = 1000
"""Cases of the smallest class from which on "auto" trusts the normal interval of an area; below, BCa covers better."""
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
    prior: Any = JEFFREYS,
    classes: Any = None,
    workers: int | None = None,
) -> Intervals:
    """An interval for each measure.

    Parameters
    ----------
    level : the share of such intervals that should hold the truth.
    method : "percentile", "basic" or "bca", from bootstrap replicates: cases drawn with replacement, tables where a
        table is enough. "bayes": the posterior of the confusion table, for measures of decisions. "analytic": Wilson's
        interval of a rate, DeLong's of an area, the jackknife's of averaged areas. "auto": Wilson's for rates, the
        formula for areas where every class has 1,000 cases, else BCa, or the basic interval of a measure that
        resampling shifts (docs/coverage.md shows how often each holds the truth). The result says which was used:
        "bc" is BCa without its acceleration, which is not computed where there are thousands of classes.
    replicates : bootstrap replicates, or draws from the posterior.
    seed : the same seed gives the same numbers, on any number of threads, whatever else is asked for.
    stratified : draw within each class: class frequencies are then fixed, as where cases were chosen by class.
    groups : the group of each case, if cases come in groups (patients, sessions); groups are then drawn whole.
    prior : of "bayes", added to every cell of the table: a number, or an array of its shape.
    classes : the classes that measures of one class are taken of: None the positive one; "all", or some labels. An
        interval is then found under `symbol[class]`.
    workers : threads; None: all processors where that pays.

    With `sample_weight`, cases are drawn and keep their weights: a weight of 5 is not five cases, which would make what
    is unknown look smaller. Where a weight does count cases that were seen, repeat them.
    """
    one_of("method", method, METHODS)
    resampling = Resampling.of(level, replicates, seed, stratified, groups, workers)
    way = IntervalWay(summary, method, prior, resampling)
    wanted = measures_of(measures, classes, summary)
    by_key: dict[str, Interval] = {}
    left: list[tuple[MeasureOf, float]] = []
    for m in wanted:
        reason = m.why_not(summary)
        if reason and m.measure.classwise and m.place is None and not summary.lacks(m.kind):
            reason = f"{reason}; {option('classes')} gives an interval for each class"
        if not reason and method == "analytic" and m.measure.symbol == "AUC" and summary.source.weight is None:
            summary.placements_of_class(m.place or 0)  # the value comes out of the same sort
        value = math.nan if reason else m.value(summary)
        if value != value:
            reason = reason or m.measure.undefined or NO_VALUE
        elif method in ("auto", "analytic"):
            interval = way.analytic(m, value)
            if interval is not None and (method == "analytic" or interval.low == interval.low):
                by_key[m.key] = interval
                continue
            reason = "" if method == "auto" else "no formula gives its interval: use auto, bca, basic or percentile"
        if reason:
            by_key[m.key] = way.none(value, reason)
        else:
            left.append((m, value))
    by_key |= way.by_resampling(left)
    return Intervals({m.key: by_key[m.key] for m in wanted}, resampling.level)


@dataclass(frozen=True, eq=False)
class IntervalWay:
    """How the intervals of some predictions are found: by a formula, or from replicates."""

    summary: Summary
    method: str
    prior: Any
    resampling: Resampling

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
        if cases is not None:
            return Interval(value, *wilson(*cases, level), level, "wilson")
        if delong.has_error(m) and source.cases is not None:
            if auto and source.class_weight[source.class_weight > 0].min() < LARGE_CLASS:
                return None
            error, method = delong.standard_error(m, self.summary)
            if error != error:
                return self.none(value, delong.FEW_CASES)
            half, (least, most) = float(ndtri((1 + level) / 2)) * error, m.measure.range_for(len(source.classes))
            return Interval(value, max(value - half, least), min(value + half, most), level, method)
        return None

    def by_resampling(self, left: list[tuple[MeasureOf, float]]) -> dict[str, Interval]:
        """Of these measures, whose values are known."""
        source = self.summary.source
        if self.resampling.groups is not None and source.cases is None:
            raise InputError("groups was given with a bare matrix, which has no cases to group; leave it out.")
        cluster = self.resampling.clusters(int(source.n))
        reasons = {m.key: self._unfit(m, cluster) for m, _ in left}
        fit = [m for m, _ in left if not reasons[m.key]]
        by_table = [m for m in fit if m.counted and not self._uneven]
        by_case = [m for m in fit if m not in by_table]
        replicated: Replicated = {}
        if by_table:
            replicated |= self._from_table(by_table)
        if by_case:
            replicated |= self._from_cases(by_case, cluster)
        return {
            m.key: self.none(value, reasons[m.key]) if reasons[m.key] else self._interval(m, value, *replicated[m.key])
            for m, value in left
        }

    def _interval(self, m: MeasureOf, value: float, replicates: Array, acceleration: float | None) -> Interval:
        defined = np.count_nonzero(replicates == replicates)
        kept = replicates if defined == len(replicates) else replicates[replicates == replicates]
        undefined = 1 - defined / len(replicates)
        if undefined > MOSTLY_UNDEFINED:
            return self.none(value, f"it is undefined in {100 * undefined:.0f} % of the replicates", undefined)
        bayes, level = self.method == "bayes", self.resampling.level
        method = "percentile" if bayes else self.method
        if not math.isfinite(value) and method != "percentile":
            if method != "auto":
                return self.none(value, "the value is infinite, so that only percentiles can be given", undefined)
            method = "percentile"
        least, most = m.measure.range_for(len(self.summary.source.classes))
        bounds = ends(method, value, kept, level, acceleration, (least, most))
        low, high = (min(max(x, least), most) for x in bounds[:2])
        reason = "" if bayes else bounds.reason
        if undefined:
            left_out = f"without the {100 * undefined:.2g} % of the replicates in which it is undefined"
            reason = f"{reason}; {left_out}" if reason else left_out
        return Interval(value, low, high, level, "bayes" if bayes else bounds.method, reason, undefined)

    def _unfit(self, m: MeasureOf, cluster: Array | None) -> str:
        """Why no replicates can be made for this measure; empty if they can."""
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

    def _from_table(self, wanted: list[MeasureOf]) -> Replicated:
        """Multinomial (or posterior) tables, and for the acceleration each cell with one case less."""
        counts, r = self.summary.get(Counts), self.resampling
        if isinstance(counts, SparseCounts):
            return self._from_cells(counts, wanted)
        if self.method == "bayes":
            drawn = posterior(counts.table, self.prior, r.replicates, r.seed, r.stratified)
        else:
            drawn = bootstrap_tables(counts.table, r.replicates, r.seed, r.stratified)
        values = _of_tables(wanted, drawn)
        if self.method not in ("auto", "bca"):
            return {key: (x, 0.0) for key, x in values.items()}
        parts, times, row = jackknife_tables(counts.table, JACKKNIFE, r.seed)
        left, stratum = _of_tables(wanted, parts), row if r.stratified else np.zeros(len(row), int)
        return {key: (x, acceleration(left[key], times, stratum)) for key, x in values.items()}

    def _from_cells(self, counts: SparseCounts, wanted: list[MeasureOf]) -> Replicated:
        """Very many classes: the cells that are not empty, a replicate at a time; no acceleration."""
        if self.method == "bayes" or self.resampling.stratified:
            raise InputError("a table of so many classes is resampled as a whole; use the bootstrap, not stratified.")
        values: dict[str, list[float]] = {m.key: [] for m in wanted}
        for tables in bootstrap_tables(counts.values[None], self.resampling.replicates, self.resampling.seed):
            for row in tables[:, 0]:
                kept = row > 0
                one = SparseCounts(counts.rows[kept], counts.columns[kept], row[kept], counts.size)
                for m in wanted:
                    values[m.key].append(float(m.values(one)))
        return {key: (np.array(x), None) for key, x in values.items()}

    def _from_cases(self, wanted: list[MeasureOf], cluster: Array | None) -> Replicated:
        """Draws of cases, and for the acceleration all cases but some."""
        p, workers = self.summary.source.cases, self.resampling.workers
        assert p is not None
        of = Replicates(p)
        draws = of.draws(self.resampling, cluster)
        values = values_in_replicates(wanted, of, draws, workers)
        if self.method not in ("auto", "bca"):
            return {key: (x, 0.0) for key, x in values.items()}
        out = Deletions.of(draws.sizes, JACKKNIFE, self.resampling.seed, draws.cluster)
        left, times = values_in_replicates(wanted, of, out, workers), np.ones(out.rows)
        return {key: (x, acceleration(left[key], times, out.stratum)) for key, x in values.items()}


def _of_tables(wanted: list[MeasureOf], drawn: Iterable[Array]) -> dict[str, Array]:
    """The measures of all the tables."""
    values: dict[str, list[Array]] = {m.key: [] for m in wanted}
    for tables in drawn:
        counts = Counts(tables)
        alone: dict[int, Binary] = {}
        for m in wanted:
            values[m.key].append(_of_some(m, counts, alone))
    return {key: parts[0] if len(parts) == 1 else np.concatenate(parts) for key, parts in values.items()}


def _of_some(m: MeasureOf, counts: Counts, alone: dict[int, Binary]) -> Array:
    """The measure of each table; one that is the same of all may give a single number. `alone` keeps what was cut out
    of the tables for a class."""
    if m.kind is Binary and m.place is not None:
        if m.place not in alone:
            b, at = counts.binary, slice(m.place, m.place + 1)
            alone[m.place] = Binary(*(np.ascontiguousarray(x[..., at]) for x in (b.tp, b.fn, b.fp, b.tn)))
        values = MeasureOf(m.measure, 0).values(alone[m.place])
    else:
        values = m.values(counts)
    return values if values.shape == counts.lead else np.broadcast_to(values, counts.lead)
