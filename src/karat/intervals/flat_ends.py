"""Intervals of measures near an end of their range at which they are flat: the populations in which what was seen is no
surprise.

Mutual information is 0 where decisions tell nothing, and near it goes with the square of what they tell; so does an
entropy near its largest value. There leaving out a case hardly changes a measure, its standard error goes to 0 with the
distance from the end, and all samples are off to one side: no number of standard errors reaches the truth. But tables
can be drawn. So populations are tried, from the one that is flat (decisions do not depend on classes; or classes or
decisions are equally frequent, if that is where the measure has its end) towards the one that was seen and beyond,
until tables drawn from one are as near to the end as the one seen, or as far from it, in no more than the share of
samples that an end may miss. (Of many cases that share is the noncentral chi-square's of the G statistic; few follow
no such law.)"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, xlogy

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.cached import cached
from karat.core.measure import Spread
from karat.intervals.bounds import range_of
from karat.intervals.few_counts import MOST_CELLS
from karat.intervals.interval_ends import Ends, no_ends, told_of_bias
from karat.intervals.interval_way import IntervalWay
from karat.intervals.support import FEWEST_IN_CELL, unsupported
from karat.measures.value import MeasureOf
from karat.resampling.confusion_tables import measures_of_tables
from karat.resampling.draws import stream
from karat.resampling.influence import Influence
from karat.statistics import Counts
from karat.statistics.counts import SparseCounts

FAMILIES = ("information", "entropy_triangles")
"""Of the measures that have a flat end."""
NEAR = 2.0
"""Standard errors from the end, within which a measure is taken for flat: of two classes, a G statistic of 16."""
ENOUGH_CASES = 50
"""Cases from which on tables are drawn; fewer do if there are five for each cell. (Of 20 cases of three classes EMA
held in 0.87, where few samples are told of at all.)"""
FLAT = (
    "the value is so near the end of its range that leaving out cases or groups shows too little of how much it varies"
)
"""Where tables can't be drawn: with weights or groups, of too few cases, or where the jackknife was asked for."""
STEP = 0.5
"""From one population to the next, in units of the root of the G statistic, whose standard deviation is 1."""
MOST_STEPS = 60
"""After which nothing is told any more."""


@dataclass(frozen=True, eq=False)
class FlatPath:
    """Populations on the way from a flat one, and samples of each."""

    cases: int
    flat: Array
    """[k, l]: the shares of the first"""
    way: Array
    """[k, l]: how the shares change by a step"""
    rows: Array | None
    """[k]: the cases of each class, if they are given"""
    draws: int
    seed: int

    def steps(self) -> Iterator[tuple[Array, Array]]:
        """(shares [k, l], tables [draws, k, l]) of each population."""
        for step in range(MOST_STEPS):
            if step == len(self._known):
                self._known.append(self._drawn(step))
            yield self._known[step]

    @cached
    def _known(self) -> list[tuple[Array, Array]]:
        return []

    def _drawn(self, step: int) -> tuple[Array, Array]:
        rng = stream(self.seed, 1 << 29)  # the same numbers for all populations, so that these differ by little else
        shares = np.maximum(self.flat + step * self.way, 0.0)
        if self.rows is None:
            shares = shares / shares.sum()
            tables = rng.multinomial(self.cases, shares.ravel(), self.draws).reshape(-1, *shares.shape)
            return shares, tables.astype(float)
        sums = shares.sum(axis=1, keepdims=True)
        within = np.divide(shares, sums, out=np.full_like(shares, 1 / shares.shape[1]), where=sums > 0)
        drawn = [rng.multinomial(round(float(n)), p, self.draws) for n, p in zip(self.rows, within, strict=True)]
        return within * self.rows[:, None] / self.cases, np.stack(drawn, axis=1).astype(float)


class FlatEnd(NamedTuple):
    """An end of a measure's range at which it is flat, and the population there."""

    value: float
    place: int
    population: Array


def of_flat_end(way: IntervalWay, m: MeasureOf, one: Influence) -> Ends | None:
    """The interval of a measure near an end at which it is flat; None if it is not near one, has none, or tables can't
    be drawn."""
    if way.method != "auto" or way.uneven or (end := _flat_end(way, m, one)) is None:
        return None
    table = way.summary.get(Counts).table
    enough = float(table.sum()) >= min(ENOUGH_CASES, FEWEST_IN_CELL * table.size)
    if not enough or (path := _path(way, m, end.place, end.population)) is None:
        return None
    low, high = sorted(_ends(m, path, abs(one.value - end.value), end.value, (1 - way.level) / 2))
    return Ends(low, high, "drawn tables", told_of_bias(one, low, high))


def near_flat_end(way: IntervalWay, m: MeasureOf, made: Ends, one: Influence) -> Ends:
    """An interval by leaving out cases, or groups, with what is to be known of it near such an end. Where frequencies
    of classes were said its bias is not known, and there is none (of decisions at random it held in 0.00 to 0.12)."""
    if _flat_end(way, m, one) is None:
        return made
    if way.summary.source.decreed:
        return no_ends(FLAT)
    said = f"the interval may be too narrow: {FLAT}"
    return made._replace(reason=f"{made.reason}; {said}" if made.reason else said)


def _flat_end(way: IntervalWay, m: MeasureOf, one: Influence) -> FlatEnd | None:
    """The one that the measure is near."""
    if m.measure.family not in FAMILIES or not m.counted or way.perfect:
        return None
    counts = way.summary.get(Counts)
    if isinstance(counts, SparseCounts) or counts.table.size > MOST_CELLS:
        return None
    if unsupported(m, way.summary, one, way.cluster is not None):
        return None
    table, extremes = counts.table, range_of(m, way.summary)
    for place, flat in enumerate(_flat_populations(table, way.resampling.stratified)):
        value = float(measures_of_tables([m], [table.sum() * flat[None]])[m.key][0])
        end = next((x for x in extremes if abs(value - x) <= TOLERANCE), None)
        if end is not None:
            return FlatEnd(end, place, flat) if _near(m, one, end) else None
    return None


def _near(m: MeasureOf, one: Influence, end: float) -> bool:
    """Is the value, without its bias, so near that its standard error says little? (The error of an exponential is in
    proportion to the value, and has the bias of that.)"""
    away = abs(one.value - end) - abs(one.bias)
    exponential = m.measure.spread is Spread.IN_PROPORTION
    error = one.error * (1 - abs(one.bias / one.value)) if exponential else one.error
    return one.known and away <= max(NEAR * error, TOLERANCE)


def _flat_populations(table: Array, fixed: bool) -> list[Array]:
    """In which decisions do not depend on classes: with the frequencies that were seen, with equally frequent classes,
    decisions, or both."""
    classes, decisions = (table.sum(axis=axis) / table.sum() for axis in (1, 0))
    k, l = table.shape
    even = [] if fixed else [np.outer(np.full(k, 1 / k), decisions), np.full((k, l), 1 / (k * l))]
    return [np.outer(classes, decisions), np.outer(classes, np.full(l, 1 / l)), *even]


def _path(way: IntervalWay, m: MeasureOf, place: int, flat: Array) -> FlatPath | None:
    """From a flat population to the one that was seen; if the measure is the same there, to one without errors, or to
    one in which a class is more frequent."""
    table, r = way.summary.get(Counts).table, way.resampling
    n = float(table.sum())
    kept: dict[tuple[object, ...], FlatPath] = way.summary.computed.setdefault(FlatPath, {})
    right, first = flat.sum(axis=1, keepdims=True) * np.eye(*table.shape), np.zeros_like(flat)
    first[0, 0] = 1.0
    others = np.stack([table / n, (flat + right) / 2, (flat + first) / 2])
    here, *there = measures_of_tables([m], [n * np.concatenate([flat[None], others])])[m.key].tolist()
    toward = next((i for i, x in enumerate(there) if abs(x - here) > TOLERANCE), None)
    if toward is None or (others[toward][flat == 0] > 0).any():  # of decisions that were never made nothing is drawn
        return None
    key = (place, toward, r.stratified, r.replicates, r.seed)
    if key not in kept:
        other, rows = others[toward], table.sum(axis=1) if r.stratified else None
        apart = 2 * n * float((xlogy(other, other) - xlogy(other, flat)).sum())
        kept[key] = FlatPath(round(n), flat, STEP / apart**0.5 * (other - flat), rows, r.replicates, r.seed)
    return kept[key]


def _ends(m: MeasureOf, path: FlatPath, seen: float, end: float, tail: float) -> tuple[float, float]:
    """(the nearer to the flat end, the farther one). What is flatter than half of all samples of a flat population is
    not taken for so much evidence against others: no sample is surer than the median one that nothing is told."""
    nearest, reached = None, end
    usual = last_near = last_far = 0.0
    for step, (shares, tables) in enumerate(path.steps()):
        value = float(measures_of_tables([m], [path.cases * shares[None]])[m.key][0])
        apart = np.abs(measures_of_tables([m], [tables])[m.key] - end)
        apart = apart[np.isfinite(apart)]
        usual = float(np.median(apart)) if step == 0 else usual
        near = _deviate(_nearer(apart, max(seen, usual))) - _deviate(tail)
        far = _deviate(1 - _nearer(apart, seen)) - _deviate(tail)
        if nearest is None and far >= 0:
            nearest = end if step == 0 else reached + (value - reached) * last_far / (last_far - far)
        if near < 0:
            reached += (value - reached) * last_near / (last_near - near)
            break
        reached, last_near, last_far = value, near, far
    return end if nearest is None else nearest, reached


def _nearer(apart: Array, seen: float) -> float:
    """The share of samples that are nearer to the end than the one seen, those that are as near counting half."""
    return float(np.where(np.abs(apart - seen) <= TOLERANCE, 0.5, apart < seen).mean())


def _deviate(share: float) -> float:
    return float(ndtri(min(max(share, 1e-6), 1 - 1e-6)))
