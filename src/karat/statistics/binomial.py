"""Tails of the binomial distribution, one at a time and without scipy, whose import takes longer than an evaluation."""

from __future__ import annotations

import math

TINY = 1e-300
"""Instead of 0 in a denominator."""


def binomial_tail(hits: float, n: float, p: float) -> float:
    """The probability of at least `hits` successes in n trials. Also a bound where the trials' probabilities differ and
    p is their mean (Hoeffding 1956); real numbers stand for weighted cases."""
    if hits <= 0:
        return 1.0
    if hits > n + 1e-9 or p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    misses = max(n - hits, 0.0)
    edge = _mass(hits, misses, p) * (1 - p)
    a, b = hits, misses + 1
    if p < (a + 1) / (a + b + 2):
        return min(edge / _fraction(a, b, p), 1.0)
    return max(1 - edge * a / b / _fraction(b, a, 1 - p), 0.0)


def _mass(hits: float, misses: float, p: float) -> float:
    """The probability of just so many successes, to the last digits however many trials there are (Loader 2000)."""
    n = hits + misses
    if misses == 0:
        return float(p**n)
    far = _deviance(hits, n * p) + _deviance(misses, n * (1 - p))
    exponent = _beyond_stirling(n) - _beyond_stirling(hits) - _beyond_stirling(misses) - far
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * hits * misses))


def _beyond_stirling(x: float) -> float:
    """How far the logarithm of x! is above Stirling's formula."""
    if x < 16:
        return math.lgamma(x + 1) - (x + 0.5) * math.log(x) + x - 0.5 * math.log(2 * math.pi)
    y = 1 / (x * x)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 * y) * y) * y) * y) * y) / x


def _deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x; of near numbers by its series, which loses no digits."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, power, odd = (x - mean) * v, 2 * x * v, 1
    while True:
        power *= v * v
        odd += 2
        if total == (more := total + power / odd):
            return total
        total = more


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction below the incomplete beta function, from the front (Lentz 1976)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or TINY)
    value, m, change = 1 / d, 0, 0.0
    while abs(change - 1) > 2e-16:
        m += 1
        change = 1.0
        for up in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + up * d or TINY)
            c = 1 + up / c or TINY
            change *= c * d
        value /= change
    return value
