"""An interval for every measure: by resampling, from a posterior, or by a formula."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.table import Table
from karat.core.validation import checked_level
from karat.intervals import delong, ends
from karat.intervals.wilson import RATES, wilson
from karat.measures.lookup import by_name
from karat.measures.value import NO_VALUE, Target, targets
from karat.resampling.draws import Deletions, tables, tables_left
from karat.resampling.measure_values import checked, clusters, draws, values
from karat.resampling.posterior import JEFFREYS, posterior
from karat.resampling.replicates import Replicates
from karat.statistics import Binary, Counts, Summary
from karat.statistics.counts import SparseCounts

METHODS = ("auto", "percentile", "basic", "bca", "bayes", "analytic")
LARGE = 1000
"""Cases of the smallest class from which on "auto" trusts the normal interval of an area; below, BCa covers better."""
MOSTLY_UNDEFINED = 0.5
"""The share of undefined replicates above which the others say too little."""

Drawn = dict[str, tuple[Array, float | None]]
"""Of each measure its replicates and its acceleration; None if that was not computed."""


@dataclass(frozen=True)
class Interval:
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


@dataclass(frozen=True, eq=False)
class Intervals(Mapping[str, Interval]):
    """Symbol to interval: `found["MCC"].low`; names and aliases of measures do as well."""

    found: dict[str, Interval]
    level: float

    def __getitem__(self, key: str | Measure) -> Interval:
        return by_name(self.found, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        return {
            key: {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in asdict(one).items()}
            for key, one in self.found.items()
        }

    def to_table(self) -> Table:
        """One row for each measure."""
        names = ("value", "low", "high", "method", "undefined", "reason")
        columns: dict[str, list[Any]] = {name: [getattr(x, name) for x in self.found.values()] for name in names}
        return Table({"symbol": list(self.found), **columns}, f"{100 * self.level:g} % intervals")

    def to_frame(self, backend: str | None = None) -> Any:
        """`to_table` as a data frame (pandas, polars or pyarrow)."""
        return self.to_table().to_frame(backend)

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self) -> Table:
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
    level = checked_level(level)
    if method not in METHODS:
        raise InputError(f"method is {method!r}; give one of {', '.join(METHODS)}.")
    asked = targets(measures, classes, summary)
    how = Resampling(summary, method, checked(replicates, stratified, groups), seed, stratified, groups, prior, workers)
    found: dict[str, Interval] = {}
    left: list[tuple[Target, float]] = []
    for t in asked:
        reason = t.why_undefined(summary)
        if not reason and method == "analytic" and t.measure.symbol == "AUC" and summary.source.weight is None:
            summary.placements_of_class(t.place or 0)  # the value comes out of the same sort
        value = math.nan if reason else t.of(summary)
        if value != value:
            reason = reason or t.measure.undefined or NO_VALUE
        elif method in ("auto", "analytic"):
            interval = _analytic(t, value, summary, level, how)
            if interval is not None and (method == "analytic" or interval.low == interval.low):
                found[t.key] = interval
                continue
            reason = "" if method == "auto" else "no formula gives its interval: use auto, bca, basic or percentile"
        if reason:
            found[t.key] = Interval(value, math.nan, math.nan, level, "", reason)
        else:
            left.append((t, value))
    found |= how.intervals(left, level)
    return Intervals({t.key: found[t.key] for t in asked}, level)


def _analytic(t: Target, value: float, summary: Summary, level: float, how: Resampling) -> Interval | None:
    """By a formula, where one is known and its assumptions hold."""
    source, p = summary.source, summary.source.cases
    if not source.whole or source.weight is not None or how.groups is not None:
        return None
    if how.stratified and how.method == "auto":
        return None
    share = RATES.get(t.measure.symbol)
    if share is not None and not t.measure.parameters:
        cases, of = (np.asarray(x, float) for x in share(summary.get(t.statistic)))
        if t.place is not None:
            cases, of = cases[..., t.place], of[..., t.place]
        return Interval(value, *wilson(float(cases), float(of), level), level, "wilson")
    if delong.has_error(t) and p is not None:
        if how.method == "auto" and p.class_weight[p.class_weight > 0].min() < LARGE:
            return None
        error, method = delong.standard_error(t, summary)
        if error != error:
            return Interval(value, math.nan, math.nan, level, "", delong.FEW)
        half, (least, most) = float(ndtri((1 + level) / 2)) * error, t.range(len(p.classes))
        return Interval(value, max(value - half, least), min(value + half, most), level, method)
    return None


@dataclass(frozen=True, eq=False)
class Resampling:
    """How replicates are made, and the intervals that follow from them."""

    summary: Summary
    method: str
    replicates: int
    seed: Any
    stratified: bool
    groups: Any
    prior: Any
    workers: int | None

    def intervals(self, left: list[tuple[Target, float]], level: float) -> dict[str, Interval]:
        """Of these measures, whose values are known."""
        source, found = self.summary.source, {}
        if self.groups is not None and source.cases is None:
            raise InputError("groups was given with a bare matrix, which has no cases to group; leave it out.")
        cluster = None if self.groups is None else clusters(self.groups, int(source.n))
        reasons = {t.key: self._unfit(t, cluster) for t, _ in left}
        by_table = [t for t, _ in left if not reasons[t.key] and self._table_is_enough(t)]
        by_case = [t for t, _ in left if not reasons[t.key] and not self._table_is_enough(t)]
        drawn: Drawn = {}
        if by_table:
            drawn |= self._from_table(by_table)
        if by_case:
            drawn |= self._from_cases(by_case, cluster)
        for t, value in left:
            if reasons[t.key]:
                found[t.key] = Interval(value, math.nan, math.nan, level, "", reasons[t.key])
            else:
                found[t.key] = self._interval(t, value, level, *drawn[t.key])
        return found

    def _interval(
        self, t: Target, value: float, level: float, replicates: Array, acceleration: float | None
    ) -> Interval:
        defined = np.count_nonzero(replicates == replicates)
        kept = replicates if defined == len(replicates) else replicates[replicates == replicates]
        undefined = 1 - defined / len(replicates)
        if undefined > MOSTLY_UNDEFINED:
            reason = f"it is undefined in {100 * undefined:.0f} % of the replicates"
            return Interval(value, math.nan, math.nan, level, "", reason, undefined)
        method = "percentile" if self.method == "bayes" else self.method
        if not math.isfinite(value) and method != "percentile":
            reason = "the value is infinite, so that only percentiles can be given"
            method = "percentile" if method == "auto" else method
            if method != "percentile":
                return Interval(value, math.nan, math.nan, level, "", reason, undefined)
        least, most = t.range(len(self.summary.source.classes))
        bounds = ends.ends(method, value, kept, level, acceleration, (least, most))
        low, high = (min(max(x, least), most) for x in bounds[:2])
        name = "bayes" if self.method == "bayes" else bounds.method
        reason = "" if self.method == "bayes" else bounds.reason
        if undefined:
            left_out = f"without the {100 * undefined:.2g} % of the replicates in which it is undefined"
            reason = f"{reason}; {left_out}" if reason else left_out
        return Interval(value, low, high, level, name, reason, undefined)

    def _unfit(self, t: Target, cluster: Array | None) -> str:
        """Why no replicates can be made for this measure; empty if they can."""
        source = self.summary.source
        units = source.n if cluster is None else int(cluster.max()) + 1
        if self.method == "bayes":
            if not t.counted:
                return "a posterior is known of the confusion table only, and this measure needs more"
            return "weights or groups leave no simple posterior: use the bootstrap" if self._uneven else ""
        if not source.whole:
            return "the counts are not whole, so that no cases can be drawn: use method='bayes'"
        if units < 2:
            what = "case" if cluster is None else "group"
            return f"one {what} tells nothing of what others would be like"
        return ""

    @property
    def _uneven(self) -> bool:
        return self.summary.source.weight is not None or self.groups is not None

    def _table_is_enough(self, t: Target) -> bool:
        return t.counted and not self._uneven

    def _from_table(self, wanted: list[Target]) -> Drawn:
        """Multinomial (or posterior) tables, and for the acceleration each cell with one case less."""
        counts = self.summary.get(Counts)
        if isinstance(counts, SparseCounts):
            return self._from_cells(counts, wanted)
        table = counts.table
        if self.method == "bayes":
            drawn = posterior(table, self.prior, self.replicates, self.seed, self.stratified)
        else:
            drawn = tables(table, self.replicates, self.seed, self.stratified)
        found = _of_tables(wanted, drawn)
        if self.method not in ("auto", "bca"):
            return {key: (values, 0.0) for key, values in found.items()}
        parts, times, row = tables_left(table, ends.JACKKNIFE, self.seed)
        left, stratum = _of_tables(wanted, parts), row if self.stratified else np.zeros(len(row), int)
        return {key: (values, ends.acceleration(left[key], times, stratum)) for key, values in found.items()}

    def _from_cells(self, counts: SparseCounts, wanted: list[Target]) -> Drawn:
        """Very many classes: the cells that are not empty, a replicate at a time; no acceleration."""
        if self.method == "bayes" or self.stratified:
            raise InputError("a table of so many classes is resampled as a whole; use the bootstrap, not stratified.")
        out: dict[str, list[float]] = {t.key: [] for t in wanted}
        for part in tables(counts.values[None], self.replicates, self.seed):
            for row in part[:, 0]:
                kept = row > 0
                one = SparseCounts(counts.rows[kept], counts.columns[kept], row[kept], counts.size)
                for t in wanted:
                    out[t.key].append(float(t.over(one.binary if t.statistic is Binary else one)))
        return {key: (np.array(values), None) for key, values in out.items()}

    def _from_cases(self, wanted: list[Target], cluster: Array | None) -> Drawn:
        """Draws of cases, and for the acceleration all cases but some."""
        p = self.summary.source.cases
        assert p is not None
        of = Replicates(p)
        made = draws(of, self.replicates, self.seed, self.stratified, cluster)
        drawn = values(wanted, of, made, self.workers)
        if self.method not in ("auto", "bca"):
            return {key: (found, 0.0) for key, found in drawn.items()}
        out = Deletions.of(made.sizes, ends.JACKKNIFE, self.seed, made.cluster)
        left, times = values(wanted, of, out, self.workers), np.ones(out.rows)
        return {key: (found, ends.acceleration(left[key], times, out.stratum)) for key, found in drawn.items()}


def _of_tables(wanted: list[Target], drawn: Iterable[Array]) -> dict[str, Array]:
    """The measures of all the tables."""
    found: dict[str, list[Array]] = {t.key: [] for t in wanted}
    for some in drawn:
        counts = Counts(some)
        alone: dict[int, Binary] = {}
        for t in wanted:
            found[t.key].append(_of_some(t, counts, alone))
    return {key: parts[0] if len(parts) == 1 else np.concatenate(parts) for key, parts in found.items()}


def _of_some(t: Target, counts: Counts, alone: dict[int, Binary]) -> Array:
    """The measure of each table; one that is the same of all may give a single number. `alone` keeps what was cut out
    of the tables for a class."""
    if t.statistic is Binary and t.place is not None:
        if t.place not in alone:
            b, at = counts.binary, slice(t.place, t.place + 1)
            alone[t.place] = Binary(*(np.ascontiguousarray(x[..., at]) for x in (b.tp, b.fn, b.fp, b.tn)))
        found = t.over(alone[t.place], alone=True)
    else:
        found = t.over(counts.binary if t.statistic is Binary else counts)
    return found if found.shape == counts.lead else np.broadcast_to(found, counts.lead)
