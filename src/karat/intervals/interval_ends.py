"""From replicates, or from what each case adds, to the ends of an interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from karat.core.arithmetic import Array
from karat.core.validation import too_few
from karat.core.words import number
from karat.intervals.rate_interval import spent
from karat.resampling.influence import Influence
from karat.resampling.other_outcomes import Unseen, reaches

STRAINED = 0.02
"""With fewer than this share of replicates on one side of the value, the user is told."""


LITTLE_SKEW = 1e-6
"""Below which its correction is linear."""


class Ends(NamedTuple):
    """Of an interval, how they were found, and what to know about it."""

    low: float
    high: float
    method: str
    reason: str = ""


def no_ends(reason: str) -> Ends:
    """That there is no interval, and why."""
    return Ends(math.nan, math.nan, "", reason)


INFINITE = "it is infinite and has no standard error: use method 'bayes' or 'percentile'"
FAR = "resampling biases it by more than two standard errors: the interval may miss the true value"
BEYOND = "BCa asks for a quantile beyond all replicates, so an end may be too near: use more, or 'jackknife'"
SAME = "it is the same whatever is drawn again or left out, so its uncertainty is unknown"


def studentised(influence: Influence, level: float, extremes: tuple[float, float], exponential: bool = False) -> Ends:
    """The value, corrected for its bias, and so many standard errors around it by Student's t, on a scale on which the
    ends of the measure's range are infinitely far: the logit, or the logarithm where only one end is finite. The error
    of an exponential is in proportion to the value, so that it is corrected as well."""
    half, value = float(stdtrit(influence.freedom, (1 + level) / 2)) * influence.error, influence.value
    least, most = extremes
    middle = value - influence.bias
    if exponential and least < middle < most:
        half *= middle / value
    if math.isfinite(least) and least < middle < most:
        if math.isfinite(most):
            share = (middle - least) / (most - least)
            at, step = math.log(share / (1 - share)), half / (most - least) / (share * (1 - share))
        else:
            at, step = math.log(middle - least), half / (middle - least)
        low, high = (_back(x, least, most - least) for x in (at - step, at + step))
    elif least <= middle <= most:
        # at an end its error is that of one case otherwise, and of cases of which none was seen there may be more
        half = max(half, -math.log((1 - level) / 2) * influence.error)
        low, high = max(middle - half, least), min(middle + half, most)
    else:  # the correction overshoots: what was seen is not ruled out, either
        low, high = max(min(middle, value) - half, least), min(max(middle, value) + half, most)
    return Ends(low, high, "jackknife", told_of_bias(influence, low, high))


def scored(influence: Influence, level: float, extremes: tuple[float, float]) -> Ends:
    """The values that are not so many standard errors away from the one seen (without its bias), the standard error
    being that *of those values*, if the variance goes with the product of their distances from both ends of the range:
    as it does for a share, of which this is Wilson's interval. Of values near the best no sample is too good: what
    may miss on that side is spent on the other. There a badly ranked case makes the value smaller and its spread
    larger at once, so that Student's t would allow for too small a spread where it is too large."""
    least, most = extremes
    share = (influence.value - influence.bias - least) / (most - least)
    spread = influence.error / (most - least) / math.sqrt(share * (1 - share))
    plain = (1 - level) / 2

    def end(side: int, tail: float) -> float:
        known = (tail / plain - 1) ** 2  # is the spread, as far as no sample of such values is too good
        errors = (1 - known) * float(stdtrit(influence.freedom, 1 - tail)) + known * float(ndtri(1 - tail))
        square = (errors * spread) ** 2
        middle, reach = share + square / 2, math.sqrt(square * share * (1 - share) + square * square / 4)
        return (middle + side * reach) / (1 + square)

    def of_best(other: float) -> float:
        """How often samples of that value reach the end of the range, if they are normal."""
        return float(ndtr(-math.sqrt((1 - other) / other) / spread))

    upper = plain
    for _ in range(8):  # the smaller the end, the less there is to be spent
        upper = spent(plain, of_best(end(1, upper)))
    low, high = (least + (most - least) * end(side, of_side) for side, of_side in ((-1, plain), (1, upper)))
    return Ends(low, high, "score", told_of_bias(influence, low, high))


def beyond_unseen(
    made: Ends, influence: Influence, level: float, extremes: tuple[float, float], unseen: Unseen
) -> Ends:
    """The same of a ranking, with its lower end at least where a badly ranked case that was not seen puts it: a sample
    without one has both too large a value and too small a spread. Smaller values have more of such cases."""
    below, _ = reaches(influence.error**2, influence.cubes, unseen)
    far = influence.value - influence.bias - below.distance(float(ndtri((1 + level) / 2)))
    low = min(made.low, max(far, extremes[0]))
    return Ends(low, made.high, made.method, told_of_bias(influence, low, made.high))


def beyond_bend(made: Ends, influence: Influence, level: float, extremes: tuple[float, float], near: bool) -> Ends:
    """The same of a measure that bends: where its slope is small, so many standard errors do not reach what its
    parabola does (its second derivative is twice the bias, over the variance of what it depends on). `near` the bend
    nothing lies beyond it that could be missed, so that both tails are on this side."""
    of_this_side = 2 * level - 1 if near else level
    t = float(stdtrit(influence.freedom, (1 + of_this_side) / 2))
    half, bend, plain = t * influence.error, t * t * influence.bias, studentised(influence, of_this_side, extremes)
    if bend < 0:
        low, high = min(plain.low, max(influence.value - half + bend, extremes[0])), made.high
    else:
        low, high = made.low, max(plain.high, min(influence.value + half + bend, extremes[1]))
    return Ends(low, high, made.method, told_of_bias(influence, low, high))


def of_mean(influence: Influence, level: float, extremes: tuple[float, float], unseen: Unseen | None) -> Ends:
    """The interval of a mean of few cases. Losses are skewed: the mean of few is mostly too small, and its standard
    error with it. How skewed they are tells how far Student's t is off (Hall 1992, On the removal of skewness by
    transformation). So few may not show at all how large losses can be: what would be seen of other outcomes does."""
    t, skew = float(stdtrit(influence.freedom, (1 + level) / 2)), 6 * influence.acceleration
    low, high = (influence.value - influence.error * _unskewed(x, skew) for x in (t, -t))
    if unseen is not None:
        below, above = reaches(influence.error**2, influence.cubes, unseen)
        far = float(ndtri((1 + level) / 2))  # how large they are is known: nothing rests on few of the cases
        low = min(low, influence.value - below.distance(far)) if below.growth else low
        high = max(high, influence.value + above.distance(far)) if above.growth else high
    return Ends(max(low, extremes[0]), min(high, extremes[1]), "jackknife")


def _unskewed(x: float, skew: float) -> float:
    """Where Student's t of a skewed mean stands if one without skewness stood at x."""
    if abs(skew) < LITTLE_SKEW:
        return x - skew / 6
    return 3 / skew * (float(np.cbrt(1 + skew * (x - skew / 6))) - 1)


def _back(x: float, least: float, width: float) -> float:
    """From the logit, or the logarithm, to the measure."""
    x = min(max(x, -700.0), 700.0)
    return least + (math.exp(x) if math.isinf(width) else width / (1 + math.exp(-x)))


def told_of_bias(influence: Influence, low: float, high: float) -> str:
    """Why an interval leaves out its own value. The corrected one is named if it is possible, and the interval's."""
    if low <= influence.value <= high:
        return ""
    bias, corrected = f"small-sample bias of {number(influence.bias)}", influence.value - influence.bias
    if low <= corrected <= high:
        return f"the interval is around {number(corrected)}, the value corrected for its {bias}"
    return f"the interval leaves out the value because of its {bias}"


def ends(
    method: str, value: float, x: Array, level: float, acceleration: float | None, extremes: tuple[float, float]
) -> Ends:
    """The interval of one measure by "percentile", "basic" or "bca", from the replicates in which it is defined;
    `extremes` are the ends of its range. BCa without an acceleration (None, or nan: a case less leaves no value)
    corrects the bias alone, and is called "bc"."""
    return ends_of_ascending(method, value, np.sort(x), level, acceleration, extremes)


def ends_of_ascending(
    method: str, value: float, x: Array, level: float, acceleration: float | None, extremes: tuple[float, float]
) -> Ends:
    """The same, from replicates in ascending order."""
    if acceleration is not None and not math.isfinite(acceleration):
        acceleration = None
    corrected = "bca" if acceleration is not None else "bc"
    if x[0] == x[-1] == value:
        return Ends(math.nan, math.nan, corrected if method == "bca" else method, SAME)
    tail = (1 - level) / 2
    under = (int(x.searchsorted(value, "left")) + int(x.searchsorted(value, "right"))) / (2 * len(x))
    note = too_few(len(x), level) or ("" if STRAINED <= under <= 1 - STRAINED or value in extremes else FAR)
    if method != "bca":
        low, high = quantile(x, tail), quantile(x, 1 - tail)
        return (
            Ends(low, high, method, note) if method == "percentile" else Ends(*_turned(low, high, value), method, note)
        )
    if not 0 < under < 1:
        side = "below" if under == 0 else "above"
        return Ends(math.nan, math.nan, corrected, f"no replicate is {side} the value: its bias is too large for BCa")
    z = float(ndtri(under))
    shares = [_shifted(z, float(ndtri(p)), acceleration or 0.0) for p in (tail, 1 - tail)]
    low, high = (quantile(x, share) for share in shares)
    if (shares[0] * (len(x) + 1) < 1 and low > extremes[0]) or (
        (1 - shares[1]) * (len(x) + 1) < 1 and high < extremes[1]
    ):
        note = note or BEYOND
    return Ends(low, high, corrected, note)


def _turned(low: float, high: float, value: float) -> tuple[float, float]:
    return 2 * value - high, 2 * value - low


def _shifted(z: float, at: float, acceleration: float) -> float:
    """The share of replicates that takes the place of Phi(at) (Efron 1987)."""
    return float(ndtr(z + (z + at) / (1 - acceleration * (z + at))))


def quantile(x: Array, share: float) -> float:
    """Of ascending values: between those at share * (R + 1), but never beyond the ends."""
    at = min(max(share * (len(x) + 1) - 1, 0.0), len(x) - 1.0)
    low = math.floor(at)
    a, b = float(x[low]), float(x[min(low + 1, len(x) - 1)])
    return a if a == b or at == low or math.isinf(a) else a + (at - low) * (b - a)
