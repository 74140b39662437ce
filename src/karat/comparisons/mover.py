"""The difference of two values on different cases, from the intervals of each (Zou & Donner 2008: how far an end of the
difference is away, squared, is the sum of how far those of the two are). It serves where a value does not vary from
case to case, so that it has no standard error but an exact interval: a model without an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

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

SingleEnds = Callable[[float], tuple[float, float]]
"""Of a level: the ends of the interval of one value."""


def by_mover(values: tuple[float, float], ends: tuple[SingleEnds, SingleEnds], level: float, side: int) -> Judgement:
    """The p-value is that of the level at which the interval would just reach 0."""
    difference = values[0] - values[1]

    @cache
    def reach(errors: float, side: int) -> float:
        """How far the end on this side is away, at so many standard errors."""
        if errors < NEAREST:
            return reach(NEAREST, side) * errors / NEAREST
        inner = max(2 * float(ndtr(errors)) - 1, 0.5)
        (a, b), (first, second) = values, (of(inner) for of in ends)
        apart = (a - first[0], second[1] - b) if side < 0 else (first[1] - a, b - second[0])
        return math.hypot(*(max(x, 0.0) for x in apart))

    def tail(shift: float, side: int) -> float:
        away = side * (difference - shift)
        towards = -side if away > 0 else side
        near, far = 0.0, FARTHEST
        for _ in range(HALVINGS if abs(away) > TOLERANCE else 0):
            middle = (near + far) / 2
            near, far = (middle, far) if reach(middle, towards) < abs(away) else (near, middle)
        return never_0(float(ndtr(-near if away > 0 else near)))

    errors = float(ndtri(level if side else (1 + level) / 2))
    low, high = difference - reach(errors, -1), difference + reach(errors, 1)
    return Judgement.of((low, high), tail, side, MOVER)
