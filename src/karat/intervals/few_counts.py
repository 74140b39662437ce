"""Which measures of decisions have their interval from tables that are drawn, and how far it reaches."""

from __future__ import annotations

import math

from scipy.special import ndtri, stdtrit

from karat.core.measure import PRIOR
from karat.intervals.interval_ends import Ends, no_ends, told_of_bias
from karat.intervals.interval_way import IntervalWay
from karat.intervals.support import (
    DISORDER,
    FEWEST_FREE,
    FEWEST_OF_DISORDERED_CLASS,
    disorder_of_each_class,
    smallest_class,
)
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence
from karat.statistics import Counts
from karat.statistics.counts import SparseCounts

ENOUGH_FREE = 50.0
"""Degrees of freedom from which on the standard error of a measure of decisions is known well enough."""
ENOUGH_IN_CELL, ENOUGH_OF_DISORDER = 10, 11
"""Cases for each cell of a table, with less than which it is sparse; and for measures of disorder."""
FEWEST_OF_DISORDER = 80
"""Cases for measures of disorder (two classes, 50 cases: CEN held in 0.92)."""
FEWEST_CASES = 40
"""Of more than two classes; and no table of more cells than cases (10 classes, 20 cases: held in 0.65 to 0.9)."""
ALIKE = "every case changes it in the same way, so its uncertainty is unknown"
"""As where two namings of the outputs are as good: accuracy after the best one grows whichever case is left out."""
MOST_CELLS = 100
"""Of a table that is drawn many times."""


def of_few_counts(way: IntervalWay, m: MeasureOf, one: Influence) -> Ends | None:
    """The interval of a measure of decisions that few cases carry; None if it is none of those, or if what was seen is
    a surprise in the very population that it was seen in."""
    if not _told_by_tables(way, m, one):
        return None
    extremes, of_tail = way.extremes(m, one.value), ((1 - way.level) / 2, _stretch(way, m, one))
    tables = way.tilted(way.resampling.stratified or PRIOR in m.measure.invariant)
    low, high = (
        x if one.value == x else min(max(tables.end(m, one.value, side, *of_tail), extremes[0]), extremes[1])
        for x, side in zip(extremes, (-1, 1), strict=True)
    )
    if low == high:
        return no_ends(ALIKE)
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
    enough = cases >= max(ENOUGH_OF_DISORDER * cells, FEWEST_OF_DISORDER)
    if disorder_of_each_class(m):
        enough &= two and smallest_class(way.summary) >= FEWEST_OF_DISORDERED_CLASS
    return few and enough


def _stretch(way: IntervalWay, m: MeasureOf, one: Influence) -> float:
    """How many times larger than a normal deviate nothing is a surprise. Of more than two classes the population is a
    guess in more ways than in the one that is asked about: of disorder Student's t makes up for that, by how few cases
    carry the measure; where every class counts the same, the variance of a class is so many times larger than the one
    its cases show."""
    k = len(way.summary.source.classes)
    if k > 2 and m.measure.family in DISORDER:
        at, free = (1 + way.level) / 2, max(one.freedom, FEWEST_FREE) if one.known else FEWEST_FREE
        return float(stdtrit(free, at) / ndtri(at))
    of_class = max(way.units / k, 2.0) if k > 2 and PRIOR in m.measure.invariant else math.inf
    return 1 / math.sqrt(1 - 1 / of_class)
