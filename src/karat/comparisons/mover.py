"""The difference of two values on different cases, from the intervals of each (Zou & Donner 2008: how far an end of the
difference is away, squared, is the sum of how far those of the two are). It serves where a value does not vary from
case to case, so that it has no standard error but an exact interval: a model without an error."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import ndtr, ndtri

from karat.comparisons.judgement import Judgement
from karat.core.arithmetic import TOLERANCE
from karat.statistics.p_values import never_0

MOVER = "intervals of both models"
"""The method: where p-value and interval come from."""
FARTHEST = 6.0
"""Standard errors that intervals of one value are taken of at most: no p-value is below that, either."""
NEAREST = float(ndtri(0.75))
"""The same at least, which is the level 0.5: below it, where no p-value matters, ends are taken in proportion."""
HALVINGS = 20
STEP = 0.125
"""Standard errors from one interval of a value to the next; between, its ends are taken to lie on a line."""

SingleEnds = Callable[[float], tuple[float, float]]
"""Of a level: the ends of the interval of one value."""


def by_mover(values: tuple[float, float], ends: tuple[SingleEnds, SingleEnds], level: float, side: int) -> Judgement:
    """The p-value is that of the level at which the interval would just reach 0."""
    difference, asked = values[0] - values[1], float(ndtri(level if side else (1 + level) / 2))
    steps = sorted({*np.arange(NEAREST, FARTHEST, STEP).tolist(), FARTHEST, asked})

    @cache
    def exactly(errors: float) -> tuple[float, float]:
        """How far the ends below and above are away, at so many standard errors."""
        (a, b), (first, second) = values, (of(max(2 * float(ndtr(errors)) - 1, 0.5)) for of in ends)
        both = (a - first[0], second[1] - b), (first[1] - a, b - second[0])
        below, above = (math.hypot(*(max(x, 0.0) for x in apart)) for apart in both)
        return below, above

    def reach(errors: float, side: int) -> float:
        """The same of one side, from the nearest steps."""
        which = int(side > 0)
        if errors <= NEAREST:
            return exactly(NEAREST)[which] * errors / NEAREST
        after = bisect_left(steps, errors)
        near, far = steps[after - 1], steps[after]
        part = (errors - near) / (far - near)
        return exactly(near)[which] * (1 - part) + exactly(far)[which] * part if part < 1 else exactly(far)[which]

    def tail(shift: float, side: int) -> float:
        away = side * (difference - shift)
        towards = -side if away > 0 else side
        near, far = 0.0, FARTHEST
        for _ in range(HALVINGS if abs(away) > TOLERANCE else 0):
            middle = (near + far) / 2
            near, far = (middle, far) if reach(middle, towards) < abs(away) else (near, middle)
        return never_0(float(ndtr(-near if away > 0 else near)))

    low, high = difference - reach(asked, -1), difference + reach(asked, 1)
    return Judgement.of((low, high), tail, side, MOVER)
