"""Intervals of gaps, from those of the groups: differences by the recovery of variances, the largest of all differences
by Tukey's range, the spread by the Q-profile; and what is left of small groups when the others are taken into account.

An interval of a largest difference that is made of replicates of that difference never holds 0, for no replicate is 0.
These hold it wherever no gap is shown."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, ndtr, ndtri

from karat.core.arithmetic import Array

STEPS = 4001
"""Points of an integral over a normal density."""
AT_ONCE = 1 << 22
"""Pairs of groups held at a time."""


class Values(NamedTuple):
    """The measure of each group with an interval."""

    value: Array
    low: Array
    high: Array


def range_level(groups: int, level: float) -> float:
    """The confidence of the interval of each group from which intervals of all differences between so many groups
    follow that hold together (Tukey, Kramer 1956): of two groups it is that of the difference.

    >>> round(range_level(2, 0.95), 6), round(float(ndtri((1 + range_level(3, 0.95)) / 2)) * 2**0.5, 2)
    (0.95, 3.31)
    """
    if groups <= 2:
        return level
    z = np.linspace(-8.5, 8.5, STEPS)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        held = groups * float(density @ (ndtr(z) - ndtr(z - middle)) ** (groups - 1))
        low, high = (middle, high) if held < level else (low, middle)
    return float(2 * ndtr(high / math.sqrt(2)) - 1)


def difference_interval(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    """Of one value less another that is independent of it, from (value, low, high) of each: as far as the nearer ends
    are, in squares (Zou & Donner 2008).

    >>> tuple(round(x, 3) for x in difference_interval((0.8, 0.7, 0.88), (0.6, 0.5, 0.69)))
    (0.065, 0.328)
    """
    (a, a_low, a_high), (b, b_low, b_high) = one, other
    return a - b - math.hypot(a - a_low, b_high - b), a - b + math.hypot(a_high - a, b - b_low)


def largest_difference(v: Values) -> tuple[float, float]:
    """(low, high) of the largest difference, from intervals of level `range_level`; the lower end is at least 0."""
    x, down, up = v.value, v.value - v.low, v.high - v.value
    low, high = 0.0, 0.0
    step = max(1, AT_ONCE // len(x))
    for part in (slice(i, i + step) for i in range(0, len(x), step)):
        apart = x[part, None] - x[None]
        low = max(low, float((apart - np.hypot(down[part, None], up[None])).max()))
        high = max(high, float((apart + np.hypot(up[part, None], down[None])).max()))
    return low, high


def standard_errors(v: Values, level: float) -> Array:
    """[groups]: what the intervals, of this level, say of the precision of each value."""
    return np.asarray((v.high - v.low) / (2 * float(ndtri((1 + level) / 2))))


def heterogeneity(value: Array, error: Array, between: float) -> float:
    """Cochran's Q: how far the groups are from their mean, in variances of which `between` is common to all."""
    weight = 1 / (error**2 + between)
    return float(weight @ (value - weight @ value / weight.sum()) ** 2)


def spread(value: Array, error: Array, level: float) -> tuple[float, float, float]:
    """(value, low, high): the standard deviation of the true values between the groups, beyond what sampling makes
    (Paule & Mandel 1982), and its Q-profile interval (Viechtbauer 2007)."""
    free, tail = len(value) - 1, (1 - level) / 2
    ends = (free, float(chdtri(free, tail)), float(chdtri(free, 1 - tail)))
    return tuple(_between(value, error, q) for q in ends)  # type: ignore[return-value]


def _between(value: Array, error: Array, wanted: float) -> float:
    """The standard deviation between groups at which Q is as large; 0 where it is smaller without any."""
    if heterogeneity(value, error, 0.0) <= wanted:
        return 0.0
    low, high = 0.0, float(np.ptp(value)) ** 2 + float(error.max()) ** 2
    while heterogeneity(value, error, high) > wanted:
        high *= 4
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if heterogeneity(value, error, middle) > wanted else (low, middle)
    return math.sqrt(high)


def shrunken(value: Array, error: Array) -> Array:
    """[groups]: each value moved towards the mean of all by as much of its variance as sampling makes (empirical
    Bayes, Efron & Morris 1975); nan where there is no standard error, or fewer than three groups have one."""
    out = np.full(len(value), np.nan)
    known = np.isfinite(value) & np.isfinite(error) & (error > 0)
    if known.sum() < 3:
        return out
    x, s = value[known], error[known]
    variance = _between(x, s, len(x) - 1) ** 2
    weight = 1 / (s**2 + variance)
    mean = float(weight @ x / weight.sum())
    out[known] = mean + variance * weight * (x - mean)
    return out
