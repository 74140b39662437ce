"""How two models differ on one measure, and how surely: a p-value and an interval of one construction, which therefore
never disagree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from karat.comparisons.exchange_law import ExchangeLaw
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.validation import false_alarms
from karat.core.words import number
from karat.intervals._ends import ends, quantile
from karat.resampling.influence import Influence

JACKKNIFE, EXCHANGE, BOTH = "jackknife t", "exchange", "jackknife t and exchange"
MCNEMAR, WELCH = "McNemar, exact", "jackknife t, other cases"
BOOTSTRAP = {"percentile": "bootstrap percentile", "basic": "basic bootstrap", "bca": "BCa bootstrap"}
"""Methods: where the p-value and the interval of a difference come from."""
SIDES = {"two-sided": 0, "greater": 1, "less": -1}
"""What an alternative says of the first value less the second; "better" and "worse" say it of the measure's merit."""


@dataclass(frozen=True)
class Judgement:
    """A difference, its ends and its p-value."""

    low: float
    high: float
    p: float
    method: str
    least: float = 0.0
    """the smallest p-value that could have come out"""
    reason: str = ""
    beyond: Callable[[float], float] | None = None
    """of a margin: the p-value of "the difference is at most that much above 0" """

    def or_wider(self, other: Judgement) -> Judgement:
        """Both must reject: the larger p-value, and the interval that holds both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        if math.isnan(self.low) or math.isnan(other.low):
            low = high = math.nan
        p = max(self.p, other.p)
        mine, yours = self.beyond, other.beyond
        if mine is None or yours is None:
            beyond = mine or yours
        else:
            beyond = _larger(mine, yours)
        reason = self.reason or other.reason
        return Judgement(low, high, p, BOTH, max(self.least, other.least), reason, beyond)


def _larger(one: Callable[[float], float], other: Callable[[float], float]) -> Callable[[float], float]:
    return lambda shift: max(one(shift), other(shift))


def by_student(influence: Influence, level: float, side: int, freedom: float | None = None) -> Judgement:
    """The difference without its bias, in standard errors, by Student's t."""
    free = influence.freedom if freedom is None else freedom
    middle, error = influence.value - influence.bias, influence.error
    return _student(middle, error, free, level, side, JACKKNIFE)


def by_welch(one: Influence, other: Influence, level: float, side: int) -> Judgement:
    """The same of models on different cases, whose variances add up (Welch 1947)."""
    first, second = one.error**2, other.error**2
    free = (first + second) ** 2 / (first**2 / one.freedom + second**2 / other.freedom)
    middle = one.value - one.bias - (other.value - other.bias)
    return _student(middle, math.sqrt(first + second), free, level, side, WELCH)


def _student(middle: float, error: float, free: float, level: float, side: int, method: str) -> Judgement:
    def above(shift: float) -> float:  # of "the difference is at most `shift`"
        return float(stdtr(free, (shift - middle) / error))

    t = float(stdtrit(free, (1 + level) / 2 if side == 0 else level))
    low = -math.inf if side < 0 else middle - t * error
    high = math.inf if side > 0 else middle + t * error
    p = 2 * min(above(0.0), 1 - above(0.0)) if side == 0 else above(0.0) if side > 0 else 1 - above(0.0)
    return Judgement(low, high, p, method, beyond=above)


def by_exchange(law: ExchangeLaw, difference: float, level: float, side: int) -> Judgement:
    """From what differences interchangeable models show: around the difference, as much as would be no surprise."""
    sides = 2 if side == 0 else 1
    reach = law.reach(level, sides)
    half = reach * (1 + TOLERANCE) + TOLERANCE
    low = -math.inf if side < 0 else difference - half
    high = math.inf if side > 0 else difference + half
    reason = ""
    if math.isinf(reach):
        low = high = math.nan
        reason = (
            f"the models say different things of {law.units} case{'s' if law.units != 1 else ''} (or groups) only, "
            f"with which no p-value can be below {number(law.least / (1 if side == 0 else 2), 3)}"
        )
    p = law.p(difference if side >= 0 else -difference, sides)
    least = law.least if side == 0 else law.least / 2
    return Judgement(low, high, p, EXCHANGE, least, reason, lambda shift: law.p(difference - shift, 1))


def by_mcnemar(only_first: int, only_second: int, n: int, level: float, side: int) -> Judgement:
    """Of accuracies: the exact sign test of the cases that only one model got right, and around their difference the
    numbers that it does not reject."""
    from karat.statistics.p_values import sign_test

    flips, gain = only_first + only_second, only_first - only_second

    def p_of(x: float) -> float:  # x cases more on one side than on the other
        x = max(min(x, flips), -flips)
        up = math.ceil((flips + x) / 2 - TOLERANCE)
        if side == 0:
            return sign_test((flips + abs(x)) / 2, (flips - abs(x)) / 2, sides=2)
        return sign_test(up, flips - up)

    signed = gain if side >= 0 else -gain
    reached = [x for x in range(flips % 2, flips + 1, 2) if p_of(x) > false_alarms(level)]
    least = p_of(flips) if flips else 1.0
    low, high, reason = (gain - max(reached, default=0)) / n, (gain + max(reached, default=0)) / n, ""
    if flips and least > false_alarms(level):
        low = high = math.nan
        reason = f"only one of the models is right on {flips} case{'s' if flips != 1 else ''}, with which no p-value "
        reason += f"can be below {number(least, 3)}"
    if side:
        low, high = (low, math.inf) if side > 0 else (-math.inf, high)
    beyond = lambda shift: sign_test(*_split(flips, gain - shift * n)) if flips else float(shift >= 0)  # noqa: E731
    return Judgement(low, high, p_of(signed), MCNEMAR, least, reason, beyond)


def _split(flips: int, gain: float) -> tuple[float, float]:
    up = min(max((flips + gain) / 2, 0.0), float(flips))
    return up, flips - up


def by_bootstrap(
    method: str, difference: float, drawn: Array, acceleration: float, level: float, side: int
) -> Judgement:
    """From replicates of the difference: the p-value is the level at which the interval would just hold 0."""
    x = np.sort(drawn if method != "basic" else 2 * difference - drawn)
    least = (2 if side == 0 else 1) / (1 + len(x))
    if x[0] == x[-1]:
        return Judgement(
            math.nan, math.nan, math.nan, BOOTSTRAP[method], least, "every replicate shows this difference"
        )
    inner = level if side == 0 else 2 * level - 1
    if method == "bca":
        low, high, _, reason = ends("bca", difference, x, inner, acceleration, (-math.inf, math.inf))
    else:
        tail, reason = (1 - inner) / 2, ""
        low, high = quantile(x, tail), quantile(x, 1 - tail)

    def above(shift: float) -> float:
        below = (int(x.searchsorted(shift, "left")) + int(x.searchsorted(shift, "right"))) / 2
        share = min(max((below + 0.5) / (1 + len(x)), 0.5 / (1 + len(x))), 1 - 0.5 / (1 + len(x)))
        if method != "bca":
            return min(1.0, share + 0.5 / (1 + len(x)))
        under = (int(x.searchsorted(difference, "left")) + int(x.searchsorted(difference, "right"))) / 2 / len(x)
        z0, z = float(ndtri(min(max(under, 1e-9), 1 - 1e-9))), float(ndtri(share))
        return float(ndtr((z - z0) / (1 + acceleration * (z - z0)) - z0))

    one, other = above(0.0), 1 - above(0.0)
    p = min(1.0, max(2 * min(one, other), least)) if side == 0 else max(one if side > 0 else other, least)
    if side:
        low, high = (low, math.inf) if side > 0 else (-math.inf, high)
    return _agreeing(Judgement(low, high, p, BOOTSTRAP[method], least, reason, above), level)


def _agreeing(j: Judgement, level: float) -> Judgement:
    """Counting replicates and reading quantiles between them may differ by a half: then the ends decide."""
    holds = j.low <= 0 <= j.high
    if holds == (j.p > false_alarms(level)) or math.isnan(j.low):
        return j
    edge = false_alarms(level)
    return replace(j, p=math.nextafter(edge, 2.0) if holds else edge)


def effect(influence: Influence) -> float:
    """The difference in units of its standard deviation from case to case: Cohen's d of paired values, for any measure."""
    spread = influence.error * math.sqrt(float(influence.times.sum()))
    return (influence.value - influence.bias) / spread if spread > 0 else math.nan
