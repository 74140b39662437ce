"""Thresholds that can be read and typed in: with few digits, where more of them change next to nothing."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from karat.core.arithmetic import Array
from karat.core.words import FLOORS
from karat.statistics import ScoreTable

DIGITS = 3
"""With so many a threshold can be read: fewer are not sought, unless they decide the same."""
UNSEEN = 0.005
"""By such a share of them false positives and false negatives may change: expected costs then change by no more,
whatever errors cost and however frequent the class is."""


def plain_places(t: ScoreTable, places: Array) -> Array:
    """For each of these thresholds one at it or just below that has a short number: places of the curve, each once."""
    curve = t.scores, t.thresholds, t.false_positives, t.true_positives[-1] - t.true_positives
    return np.unique([_plain(*curve, int(place)) for place in places])


def _plain(scores: Array, thresholds: Array, fp: Array, fn: Array, place: int) -> int:
    exact = float(thresholds[place])
    if not np.isfinite(exact):
        return place
    for floor in FLOORS[DIGITS - 1 :]:
        short = float(floor.create_decimal(Decimal(repr(exact))))
        lower = len(scores) - int(np.searchsorted(scores, short, "left"))
        if fp[lower] - fp[place] <= UNSEEN * fp[place] and fn[place] - fn[lower] <= UNSEEN * fn[place]:
            return lower
    return place
