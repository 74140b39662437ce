"""Intervals from what each case, or group of cases, adds to a measure; where that tells too little, the reason why."""

from __future__ import annotations

import math

from karat.core.arithmetic import TOLERANCE
from karat.core.measure import PRIOR, Spread
from karat.intervals.area_interval import AreaEstimate, of_area
from karat.intervals.calibrated_bins import of_bins
from karat.intervals.cells import influences_of_cells
from karat.intervals.delong import sides_of_area
from karat.intervals.few_counts import of_few_counts
from karat.intervals.flat_ends import FLAT, near_flat_end, of_flat_end
from karat.intervals.interval_ends import (
    INFINITE,
    Ends,
    beyond_bend,
    beyond_unseen,
    no_ends,
    of_mean,
    scored,
    studentised,
)
from karat.intervals.interval_way import IntervalWay
from karat.intervals.support import (
    FEW_CASES,
    bends,
    bent,
    beyond_all_methods,
    mean_of_classes,
    smallest_class,
    unsupported,
)
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence, influences_of, influences_of_table
from karat.resampling.other_outcomes import Unseen, unseen_outcomes, unseen_rank
from karat.statistics import Counts, Summary
from karat.statistics.bins import ConfidenceBins
from karat.statistics.order import Segments

Valued = list[tuple[MeasureOf, float]]
"""Measures and their values."""


def by_influence(way: IntervalWay, valued: Valued) -> dict[str, Ends]:
    """The interval of each of these measures."""
    out: dict[str, Ends] = {}
    rest: Valued = []
    for m, value in valued:
        if reason := beyond_all_methods(m, way.summary):
            out[m.key] = no_ends(reason)
        elif m.kind is ConfidenceBins:
            out[m.key] = _of_bins(way, m, value)
        elif not math.isfinite(value):
            out[m.key] = no_ends(INFINITE)
        else:
            rest.append((m, value))
    adds = _influences(way, rest)
    for m, value in rest:
        one = adds[m.key]
        if (made := of_flat_end(way, m, one)) is not None:
            out[m.key] = made if made.high - made.low > TOLERANCE else no_ends(FLAT)
        elif (one.known and one.error == 0) or (m.counted and way.perfect):  # a bound needs no spread
            out[m.key] = way.degenerate(m, value)
        elif (made := of_few_counts(way, m, one)) is not None:
            out[m.key] = made
        elif reason := unsupported(m, way.summary, one, way.cluster is not None):
            out[m.key] = no_ends(reason)
        else:
            out[m.key] = near_flat_end(way, m, _made(way, m, one), one)
    return out


def _made(way: IntervalWay, m: MeasureOf, one: Influence) -> Ends:
    extremes = way.extremes(m, one.value)
    if (
        way.method == "auto"
        and not way.uneven
        and (sides := sides_of_area(m, way.summary))
        and one.value not in extremes
    ):
        return of_area(AreaEstimate(one.value, one.error, one.freedom_by_class), way.level, extremes, sides)
    if _mean_of_few(m, one, way.summary):
        return of_mean(one, way.level, extremes, _unseen(way, m))
    if m.measure.spread is Spread.OF_SHARE:
        return _of_precision(way, m, one, extremes)
    made = studentised(one, way.level, extremes, m.measure.spread is Spread.IN_PROPORTION)
    if not bends(m, way.summary, one):
        return made
    return beyond_bend(made, one, way.level, extremes, bent(m, way.summary, one))


def _unseen(way: IntervalWay, m: MeasureOf) -> Unseen | None:
    """What so few cases do not show: rare, large losses."""
    source = way.summary.source
    if source.weight is not None and not source.decreed:  # of a case of unknown weight nothing is known
        return None
    return unseen_outcomes(m, [way.summary], way.resampling, way.cluster)


def _of_precision(way: IntervalWay, m: MeasureOf, one: Influence, extremes: tuple[float, float]) -> Ends:
    """Of a mean of the precision, which varies as a share does where it is nearer to its best value than to its worst.
    Of fewer cases, and below, the logit held better."""
    auto, near_best = way.method == "auto", sum(extremes) / 2 < one.value - one.bias < extremes[1]
    as_share = auto and near_best and not way.uneven and way.summary.source.n >= FEW_CASES
    made = (scored if as_share else studentised)(one, way.level, extremes)
    unseen = unseen_rank(m, way.summary) if auto and way.cluster is None else None
    return made if unseen is None else beyond_unseen(made, one, way.level, extremes, unseen)


def _mean_of_few(m: MeasureOf, one: Influence, summary: Summary) -> bool:
    """Is it a mean over few cases, or over few of a class? What adds up over cases is one, if it has no bias; so is the
    error of segments where each is a case."""
    if one.bias != 0:
        return False
    if PRIOR in m.measure.invariant:
        return mean_of_classes(m) and smallest_class(summary) < FEW_CASES
    adds_up = (m.kind.additive and not (m.counted or m.of_score_tables)) or m.kind is Segments
    return adds_up and float(one.times.sum()) < FEW_CASES


def _of_bins(way: IntervalWay, m: MeasureOf, value: float) -> Ends:
    if way.uneven:
        return no_ends("no valid method is known with weights or groups")
    bins = way.summary.get(m.kind, **m.measure.statistic_parameters)
    return of_bins(m, bins, value, way.resampling, way.extremes(m, value))


def _influences(way: IntervalWay, valued: Valued) -> dict[str, Influence]:
    """Of each measure: by the cells of the table where that is enough, else by cases."""
    counted = [(m, value) for m, value in valued if m.counted and not way.uneven]
    by_case = [(m, value) for m, value in valued if (m, value) not in counted]
    out: dict[str, Influence] = {}
    if counted:
        measures, values = zip(*counted, strict=True)
        out |= influences_of_table(list(measures), values, way.summary.get(Counts), way.resampling)
    if by_case:
        measures, values = zip(*by_case, strict=True)
        if way.summary.source.added is not None:
            return out | influences_of_cells(way.summary, list(measures), list(values))
        out |= influences_of(way.summary, list(measures), values, way.resampling, way.cluster)
    return out
