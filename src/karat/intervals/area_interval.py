"""The interval of an area under one ROC curve: the areas that a score test does not reject.

A sample without a badly ranked case shows an area that is too large, and too little spread around it; on any scale, so
many standard errors of such a sample do not reach the truth. What an area has to do with its spread is known, though:
of two normal distributions one follows from the other. So the spread is taken at the area that is asked about, not at
the one that was seen (as Wilson does for a share; Newcombe 2006 for areas, with other distributions). Where the cases
show more spread than normal distributions would, it is as many times larger everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy.special import ndtri, owens_t, stdtrit

from karat.intervals.interval_ends import Ends

HALVINGS = 60
"""Of the range that an end is looked for in."""


class AreaEstimate(NamedTuple):
    """An area, but for its range, and how precisely it is known."""

    value: float
    error: float
    """its standard error"""
    freedom: float
    """degrees of freedom of that"""


def of_area(one: AreaEstimate, level: float, extremes: tuple[float, float], sides: tuple[float, float]) -> Ends:
    """The interval of a measure that is an area but for its range, given the cases of each side."""
    least, most = extremes
    width = most - least
    area = (one.value - least) / width
    if not 0 < area < 1:
        return Ends(math.nan, math.nan, "")
    seen = (one.error / width) ** 2 / binormal_variance(area, *sides)
    z, t = float(ndtri((1 + level) / 2)), float(stdtrit(one.freedom, (1 + level) / 2))
    farthest = max(z * z, t * t * seen)  # the spread of normal scores is known; what the cases show of it is not

    def rejected(other: float) -> bool:
        return (area - other) ** 2 > farthest * binormal_variance(other, *sides)

    low, high = (least + width * _border(rejected, area, end) for end in (0.0, 1.0))
    return Ends(low, high, "score")


def binormal_variance(area: float, first: float, second: float) -> float:
    """Of the area under the ROC curve of so many cases of each side, whose scores are normal with one variance (by the
    formula of Hanley & McNeil 1982; two cases of a side outrank one of the other with the probability `both`)."""
    both = area - 2 * float(owens_t(ndtri(area), 1 / math.sqrt(3)))
    return (area * (1 - area) + (first + second - 2) * (both - area * area)) / (first * second)


def _border(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where areas begin to be rejected, on the way from one that is not."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if 0 < middle < 1 and not rejected(middle):
            inside = middle
        else:
            outside = middle
    return inside
