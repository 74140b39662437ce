"""Between what a measure certainly lies where the order of the scores is known only from cell to cell."""

from __future__ import annotations

import math

import numpy as np

from karat.core.measure import Measure
from karat.measures.value import MeasureOf
from karat.statistics import ForecastTable, ScoreTable, Summary
from karat.statistics.added import MADE
from karat.statistics.score_grid import BEST, TIED, WORST

WIDEST = 1e-3
"""Bounds that are further apart are no value."""


def of_cells(measure: Measure, summary: Summary) -> bool:
    """Does its value depend on an order of scores that was not kept?"""
    added, kind = summary.source.added, measure.statistic
    if added is None or not (issubclass(kind, ScoreTable) or kind in MADE):
        return False
    if added.exactly(kind) or summary.lacks(kind):
        return False
    return not any(key[0] is kind for key in added.sums)


def bounds_of(measure: Measure, summary: Summary) -> tuple[float, float]:
    """(low, high) that hold its value whatever the scores in each cell were; nan where nothing is known, and equal
    where the value is exact."""
    return bounds_of_one(MeasureOf.on(measure, summary), summary)


def bounds_of_one(m: MeasureOf, summary: Summary) -> tuple[float, float]:
    """The same, of all classes or of the one that it is of."""
    if not of_cells(m.measure, summary):
        value = _value(m, summary)
        return value, value
    if not m.measure.between_orders or m.kind is ForecastTable:
        return math.nan, math.nan
    # a largest distance on either side of the diagonal is large in both orders: ties are on the exact curve, so that
    # it is no smaller than theirs
    views = (WORST, TIED, BEST) if m.of_score_tables else (WORST, BEST)
    ends = [_value(m, summary.seen_as(view)) for view in views]
    return min(ends), max(ends)


def certain_value(m: MeasureOf, summary: Summary) -> tuple[float, str]:
    """(value, reason) of a measure that these data have: the middle of its bounds where only those are known."""
    if of_cells(m.measure, summary):
        return value_between(*bounds_of_one(m, summary))
    return m.value(summary), ""


def value_between(low: float, high: float) -> tuple[float, str]:
    """(value, reason): the middle, or nan and why it is not known."""
    if math.isnan(low):
        return math.nan, "its bounds are not known, as the order of the scores was not kept"
    if high - low > WIDEST:
        return math.nan, f"it lies between {low:.4g} and {high:.4g}, as the order of the scores was not kept"
    return low + (high - low) / 2, ""


def _value(one: MeasureOf, summary: Summary) -> float:
    with np.errstate(all="ignore"):
        return math.nan if one.why_not(summary) else one.value(summary)
