"""The corrected resampled t test: two models on the folds of one data set, whose training sets overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.paired import advantages, checked_ratio
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.record import Verdict
from karat.core.validation import checked_false_alarms
from karat.core.words import interval, p_value


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedT(Verdict):
    """The mean difference over the folds, and a standard error that knows that folds share training cases."""

    names: tuple[str, str]
    mean: float
    """above 0 where the first model is better"""
    standard_error: float
    t: float
    df: int
    p: float
    interval: tuple[float, float]
    """of the mean difference, at 1 - level"""
    ratio: float
    level: float = 0.05

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        if self.p != self.p:
            return f"{a} and {b} are equal on every fold, so nothing tells them apart."
        seen = f"by {interval(self.mean, *self.interval, 3)}, {p_value(self.p)}"
        if self.p <= self.level:
            return f"{a if self.mean > 0 else b} is better than {b if self.mean > 0 else a} ({a} {seen})."
        return f"{a} and {b} can't be told apart over these folds ({a} better {seen})."


def corrected_t(
    first: Any,
    second: Any,
    ratio: float,
    *,
    lower_is_better: bool = False,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.05,
) -> CorrectedT:
    """The t test of [nadeau2003] for values in pairs on the folds (or random splits) of one data set.

    `ratio` is the number of test cases divided by that of training cases: 1 / (k - 1) for k folds, however often they
    were repeated. The plain t test, ratio 0, takes folds for independent and finds differences that are not there.

    >>> found = corrected_t([0.81, 0.83, 0.8, 0.84, 0.82], [0.79, 0.8, 0.79, 0.8, 0.81], 1 / 4)
    >>> round(found.t, 3), round(found.p, 3)
    (2.515, 0.066)
    """
    checked_false_alarms(level)
    from scipy.special import stdtr, stdtrit

    d = advantages(first, second, lower_is_better)
    mean, error, df = mean_of_folds(d, checked_ratio(ratio))
    if error == 0:
        t = math.copysign(math.inf, mean) if mean else math.nan
        p = math.nan if t != t else 0.0
    else:
        t = mean / error
        p = 2 * float(stdtr(df, -abs(t)))
    half = float(stdtrit(df, 1 - level / 2)) * error
    return CorrectedT(names, mean, error, t, df, p, (mean - half, mean + half), float(ratio), level)


def mean_of_folds(d: Array, ratio: float) -> tuple[float, float, int]:
    """The mean of the differences of folds, its standard error for training sets that overlap, and the degrees of
    freedom [nadeau2003]; differences that are equal but for rounding have none."""
    flat = float(np.ptp(d)) <= TOLERANCE
    mean = float(np.mean(d))
    mean = 0.0 if flat and abs(mean) <= TOLERANCE else mean
    variance = 0.0 if flat else float(np.var(d, ddof=1))
    return mean, math.sqrt((1 / len(d) + ratio) * variance), len(d) - 1
