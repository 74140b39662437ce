"""Which measures of decisions have their interval from tables that are drawn, and how far it reaches."""

from __future__ import annotations

import math

from scipy.special import ndtri, stdtrit

from karat.core.measure import PRIOR
from karat.intervals.interval_ends import Ends, told_of_bias
from karat.intervals.interval_way import IntervalWay
from karat.intervals.support import DISORDER, FEWEST_FREE
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence
from karat.statistics import Counts
from karat.statistics.counts import SparseCounts

ENOUGH_FREE = 50.0
"""Degrees of freedom from which on the standard error of a measure of decisions is known well enough."""
ENOUGH_IN_CELL, ENOUGH_OF_DISORDER = 10, 20
"""Cases for each cell of a table, with less than which it is sparse; and for measures of disorder."""
FEWEST_CASES = 40
"""Of more than two classes; and no table of more cells than cases (10 classes, 20 cases: held in 0.65 to 0.9)."""
MOST_CELLS = 100
"""Of a table that is drawn many times."""


def of_few_counts(way: IntervalWay, m: MeasureOf, one: Influence) -> Ends | None:
    """The interval of a measure of decisions that few cases carry; None if it is none of those, or if what was seen is
    a surprise in the very population that it was seen in."""
    if not _told_by_tables(way, m, one):
        return None
    extremes, reach = way.extremes(m, one.value), _reach(way, m, one)
    tables = way.tilted(way.resampling.stratified or PRIOR in m.measure.invariant)
    low, high = (
        x if one.value == x else min(max(tables.end(m, one.value, side, reach), extremes[0]), extremes[1])
        for x, side in zip(extremes, (-1, 1), strict=True)
    )
    return None if math.isnan(low + high) else Ends(low, high, "tilted", told_of_bias(one, low, high))


def _told_by_tables(way: IntervalWay, m: MeasureOf, one: Influence) -> bool:
    """Do drawn tables tell more than single cases do?"""
    if way.method != "auto" or not m.counted or way.uneven or way.summary.source.decreed:
        return False
    counts = way.summary.get(Counts)
    if isinstance(counts, SparseCounts) or counts.table.size > MOST_CELLS:
        return False
    cases, cells, two = float(counts.weight.sum()), counts.table.size, len(counts.table) == 2
    if cases < cells or (cases < FEWEST_CASES and not two):
        return False
    few = not one.known or one.freedom < ENOUGH_FREE or one.unseen > 0
    if m.measure.family not in DISORDER:
        return few or cases < ENOUGH_IN_CELL * cells
    # tables drawn from a sparse one are more mixed, and the disorder within each of several classes bends
    return few and cases >= ENOUGH_OF_DISORDER * cells and (two or PRIOR not in m.measure.invariant)


def _reach(way: IntervalWay, m: MeasureOf, one: Influence) -> float:
    """Up to which normal deviate nothing is a surprise. Of more than two classes the population is a guess in more ways
    than in the one that is asked about: of disorder Student's t makes up for that, by how few cases carry the measure;
    where every class counts the same, the variance of a class is so many times larger than the one its cases show."""
    k = len(way.summary.source.classes)
    if k > 2 and m.measure.family in DISORDER:
        return float(stdtrit(max(one.freedom, FEWEST_FREE) if one.known else FEWEST_FREE, (1 + way.level) / 2))
    of_class = max(way.units / k, 2.0) if k > 2 and PRIOR in m.measure.invariant else math.inf
    return float(ndtri((1 + way.level) / 2)) / math.sqrt(1 - 1 / of_class)
