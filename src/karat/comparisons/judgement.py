"""How two models differ on one measure, and how surely: a p-value and an interval of one construction, which therefore
never disagree."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from karat.comparisons.exchange_law import ExchangeLaw
from karat.comparisons.mcnemar import McNemar, score_tail
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.validation import false_alarms
from karat.core.words import number
from karat.intervals.interval_ends import BEYOND, ends, quantile
from karat.resampling.influence import Influence
from karat.resampling.other_outcomes import Reach, Unseen, reaches
from karat.statistics.p_values import mid_p_sign_test, never_0, normal_tail

JACKKNIFE, EXCHANGE, UNDEFINED = "jackknife t test", "permutation test", "undefined"
STUDENTISED = "studentised permutation test"
MCNEMAR, WELCH = "McNemar's test, mid-p", "jackknife t test, unpaired"
BOOTSTRAP = {"percentile": "percentile bootstrap", "basic": "basic bootstrap", "bca": "BCa bootstrap"}
"""Methods: where the p-value and the interval of a difference come from."""
SIDES = {"two-sided": 0, "greater": 1, "less": -1}
"""What an alternative says of the first value less the second; "better" and "worse" say it of the measure's merit."""
SAME, SAME_RIGHT = "the models agree on every case that counts", "the models are correct on the same cases"
UNMOVED = "exchanging the predictions of a case between the models never changes the difference"
"""Why a difference of 0 has no interval: nothing shows how large it could be."""
UNBIASED = "the interval is corrected for the small-sample bias of the difference, and lies beside it"
"""Why an interval may leave out its own difference."""
LARGE_LOSSES = "a few more of the rare, large losses that the better model risks could turn the difference round"
"""Why a difference of mean losses is not significant though it is large beside what the cases show of its error."""


Tail = Callable[[float, int], float]
"""Of a shift and a side: the p-value of "the difference is at most the shift" (side 1) or "at least" (side -1)."""


@dataclass(frozen=True)
class Judgement:
    """The ends and the p-value of a difference."""

    low: float
    high: float
    p: float
    method: str
    least: float = 0.0
    """the smallest p-value that could have come out"""
    reason: str = ""
    side: int = 0
    tail: Tail | None = None
    by_draws: bool = False
    """is it so few replicates that set the smallest p-value, not so few cases?"""

    @classmethod
    def of(
        cls, ends: tuple[float, float], tail: Tail, side: int, method: str, least: float = 0.0, reason: str = "",
        by_draws: bool = False,
    ) -> Judgement:  # fmt: skip
        """Two-sided, or with one end open: the p-value from the tails."""
        low, high = ends
        if low == low:
            low, high = -math.inf if side < 0 else low, math.inf if side > 0 else high
        p = tail(0.0, side) if side else min(1.0, 2 * min(tail(0.0, 1), tail(0.0, -1)))
        return cls(low, high, p, method, least, reason, side, tail, by_draws)

    @classmethod
    def alike(cls, side: int) -> Judgement:
        """Of models that tell a measure the same of every case."""
        return cls.of((math.nan, math.nan), _of_no_change, side, EXCHANGE, 1.0, SAME)

    @classmethod
    def unknown(cls, reason: str) -> Judgement:
        """None can be given."""
        return cls(math.nan, math.nan, math.nan, UNDEFINED, reason=reason)

    def or_wider(self, other: Judgement, level: float) -> Judgement:
        """Both must reject, on the same side: the larger p-value, and the interval that holds both."""
        mine, yours = self.tail, other.tail
        assert mine is not None
        assert yours is not None
        ends = min(self.low, other.low), max(self.high, other.high)
        if math.isnan(self.low) or math.isnan(other.low):
            ends = math.nan, math.nan

        def larger(shift: float, side: int) -> float:
            return larger_known(mine(shift, side), yours(shift, side))

        scarcer, ampler = sorted((self, other), key=lambda j: j.least, reverse=True)
        method, reason = f"{self.method} and {other.method}", scarcer.reason or ampler.reason
        both = self.of(ends, larger, self.side, method, scarcer.least, reason, scarcer.by_draws)
        return _agreeing(both, level)

    def no_surer_than(self, units: int, level: float) -> Judgement:
        """The same, knowing that only so many cases, or groups, can speak for either model: no surer than if all of
        them spoke for one, by the toss of a coin."""
        known, floor = self.tail, never_0(2.0**-units)
        least = min(1.0, floor if self.side else 2 * floor)
        if known is None or least <= self.least:
            return self

        def tail(shift: float, side: int) -> float:
            return larger_known(known(shift, side), floor)

        ends, reason = (self.low, self.high), self.reason
        if least > false_alarms(level):
            ends, reason = (math.nan, math.nan), too_few(units, least) if units else SAME
        return self.of(ends, tail, self.side, self.method, least, reason)

    def uncertain_by(self, half: float) -> Judgement:
        """The same of a difference that is only known to lie so far around what was measured."""
        known = self.tail
        if not half > 0 or known is None:
            return self

        def tail(shift: float, side: int) -> float:
            return known(shift + side * half, side)

        ends = self.low - half, self.high + half
        return self.of(ends, tail, self.side, self.method, self.least, self.reason, self.by_draws)


def larger_known(one: float, other: float) -> float:
    """The larger of two p-values; nan if either is."""
    return max(one, other) if one == one and other == other else math.nan


def by_student(influence: Influence, level: float, side: int, unseen: Unseen | None = None) -> Judgement:
    """The difference without its bias, in standard errors, by Student's t. That few cases carry the variance makes t
    the more careful where models are equal, for then cases speak for either as often: only classes are allowed for,
    and groups of unequal size, of which the large ones do. Of losses what was not seen, and would make the difference
    smaller, counts against its being large."""
    free = min(influence.freedom_by_class, influence.most_free)
    units = float(influence.times.sum())
    both = reaches(influence.error**2, influence.cubes, unseen)
    return _student(influence.value - influence.bias, both, free, units, level, side, JACKKNIFE)


def by_welch(one: Influence, other: Influence, level: float, side: int, unseen: Unseen | None = None) -> Judgement:
    """The same of models on different cases, whose variances add up (Welch 1947)."""
    first, second = one.error**2, other.error**2
    free = (first + second) ** 2 / (first**2 / one.freedom + second**2 / other.freedom)
    middle = one.value - one.bias - (other.value - other.bias)
    units = float(one.times.sum() + other.times.sum())
    both = reaches(first + second, one.cubes - other.cubes, unseen)
    return _student(middle, both, free, units, level, side, WELCH)


def _student(
    middle: float, both: tuple[Reach, Reach], free: float, units: float, level: float, side: int, method: str
) -> Judgement:
    """No surer than if every one of the units had said the same, by the toss of a coin."""
    floor, (below, above) = never_0(2.0**-units), both

    def tail(shift: float, side: int) -> float:
        errors = (below if side > 0 else above).errors(side * (middle - shift))
        return max(float(stdtr(free, -errors)), floor)

    least = floor if side else 2 * floor
    if least > false_alarms(level):
        reason = _too_few(f"there are {units:g}", int(units), least)
        return Judgement.of((math.nan, math.nan), tail, side, method, least, reason)
    far = float(stdtrit(free, level if side else (1 + level) / 2))
    return Judgement.of((middle - below.distance(far), middle + above.distance(far)), tail, side, method, least)


def by_exchange(law: ExchangeLaw, difference: float, level: float, side: int, error: float = 0.0) -> Judgement:
    """From what differences interchangeable models show: around the difference, as much as would be no surprise. The
    law may be of differences in standard errors; then this one has such an error."""
    unit, method = (error, STUDENTISED) if error else (1.0, EXCHANGE)

    def tail(shift: float, side: int) -> float:
        return _of_no_change(shift, side) if law.idle else law.p(side * (difference - shift) / unit, 1)

    least = law.least / 2 if side else law.least
    reach = law.reach(level, 1 if side else 2, difference / unit) * unit
    ends, reason = (difference - reach, difference + reach), ""
    if law.idle or math.isinf(reach):
        ends = math.nan, math.nan
        reason = _why_boundless(law, least, level)
    return Judgement.of(ends, tail, side, method, 1.0 if law.idle else least, reason, law.by_draws)


def _of_no_change(shift: float, _: int) -> float:
    """What no exchange changes says nothing of how large a difference could be."""
    return 1.0 if shift == 0 else math.nan


def _why_boundless(law: ExchangeLaw, least: float, level: float) -> str:
    """Why no difference would be a surprise."""
    if law.idle:
        return UNMOVED if law.units else SAME
    if least <= false_alarms(level):
        return "the difference rests on so few cases that no size of it would be significant"
    if law.by_draws:
        return f"with {len(law.differences)} replicates p can't be below {number(least)}: use more"
    return too_few(law.units, least)


def too_few(units: int, least: float) -> str:
    """Why no difference between models that differ on so few cases can be significant."""
    return _too_few(f"the models differ on {units}", units, least)


def _too_few(subject: str, units: int, least: float) -> str:
    s = "s" if units != 1 else ""
    return f"{subject} case{s} (or group{s}) only, so p can't be below {number(least)}"


def by_mcnemar(flips: McNemar, level: float, side: int) -> Judgement:
    """Of accuracies: the sign test of the cases that only one model got right (mid-p), and around their difference the
    numbers that it does not reject."""
    first, second, n = flips.only_first, flips.only_second, flips.n
    total = first + second

    def tail(shift: float, side: int) -> float:
        gained, lost = (first, second) if side > 0 else (second, first)
        return mid_p_sign_test(gained, lost) if shift == 0 else score_tail(gained, lost, n, side * shift)

    def rejected(gain: int) -> bool:
        return mid_p_sign_test((total + gain) / 2, (total - gain) / 2, sides=1 if side else 2) <= false_alarms(level)

    least = mid_p_sign_test(total, 0, sides=1 if side else 2)
    if least > false_alarms(level):
        subject = f"just one of the models is correct on {total}"
        reason = SAME_RIGHT if total == 0 else _too_few(subject, total, least)
        return Judgement.of((math.nan, math.nan), tail, side, MCNEMAR, least, reason)
    gains = range(total % 2, total + 1, 2)
    half = gains[bisect_left(gains, True, key=rejected) - 1]
    return Judgement.of(((first - second - half) / n, (first - second + half) / n), tail, side, MCNEMAR, least)


def few_flips_tail(difference: float, flips: int, step: float) -> Tail:
    """For margins, where few cases make the difference: at a true difference of `shift` there are so many more flips
    than were seen, each a step at most. For accuracy that is nearly the score test, half a case less sure."""

    def tail(shift: float, side: int) -> float:
        variance = step * (flips * step + abs(shift))
        if variance == 0:  # nothing differs, and no difference is what is tested
            return 1.0
        return never_0(normal_tail((side * (difference - shift) - step / 2) / math.sqrt(variance)))

    return tail


def by_bootstrap(
    method: str, difference: float, drawn: Array, acceleration: float, level: float, side: int
) -> Judgement:
    """From replicates of the difference: the p-value is the level at which the interval would just hold 0."""
    x = np.sort(drawn if method != "basic" else 2 * difference - drawn)
    one = 1 / (1 + len(x))
    if x[-1] - x[0] <= TOLERANCE * max(abs(float(x[0])), abs(float(x[-1]))):  # but for rounding
        return Judgement.unknown("the difference is the same in every replicate")
    inner = 2 * level - 1 if side else level
    if method == "bca":
        low, high, _, reason = ends("bca", difference, x, inner, acceleration, (-math.inf, math.inf))
    else:
        low, high, reason = quantile(x, (1 - inner) / 2), quantile(x, (1 + inner) / 2), ""

    if low != low or reason == BEYOND:  # a p-value without its interval would be from nowhere
        return Judgement.unknown(reason or "the replicates give no interval")

    def below(shift: float) -> float:
        """Replicates below it, and half of those that equal it."""
        return (int(x.searchsorted(shift, "left")) + int(x.searchsorted(shift, "right"))) / 2

    def tail(shift: float, side: int) -> float:
        count = below(shift) if side > 0 else len(x) - below(shift)
        if method != "bca":
            return min(1.0, (count + 1) * one)
        z0 = side * float(ndtri(min(max(below(difference) / len(x), 1e-9), 1 - 1e-9)))
        z = float(ndtri((count + 0.5) * one)) - z0
        return max(float(ndtr(z / (1 + side * acceleration * z) - z0)), one)

    least = one if side else 2 * one
    return _agreeing(Judgement.of((low, high), tail, side, BOOTSTRAP[method], least, reason, True), level)


def _agreeing(j: Judgement, level: float) -> Judgement:
    """Counting replicates and reading quantiles between them may differ by a half: then the ends decide."""
    holds, edge = j.low <= 0 <= j.high, false_alarms(level)
    if holds == (j.p > edge) or math.isnan(j.low):
        return j
    return replace(j, p=math.nextafter(edge, 2.0) if holds else edge)


def effect(influence: Influence, cases: int) -> float:
    """The difference in units of its standard deviation from case to case (or group to group), of which there are so
    many: Cohen's d of paired values."""
    spread = influence.error * math.sqrt(cases)
    return (influence.value - influence.bias) / spread if spread > 0 else math.nan
