"""Two models on the folds of one data set, whose training sets overlap: the corrected and the Bayesian t test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.results import advantages, checked_ratio, checked_rope
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.comparison import FOLDS, comparison
from karat.core.record import Verdict
from karat.core.validation import checked_level, false_alarms
from karat.core.words import interval, number, p_value, share


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
    """of the mean difference, at this level"""
    ratio: float
    level: float = 0.95

    @property
    def verdict(self) -> str:
        """What the folds say, in one sentence."""
        a, b = self.names
        if self.p != self.p:
            return f"No significant difference between {a} and {b}: they are equal on every fold."
        numbers = f"advantage of {a} {interval(self.mean, *self.interval)}, {p_value(self.p)}"
        if self.p <= false_alarms(self.level):
            better, worse = (a, b) if self.mean > 0 else (b, a)
            return f"{better} is significantly better than {worse} over these folds ({numbers})."
        return f"No significant difference between {a} and {b} over these folds ({numbers})."


@comparison(of=FOLDS, cite="nadeau2003")
def corrected_t(
    first: Any,
    second: Any,
    ratio: float,
    *,
    lower_is_better: bool = False,
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> CorrectedT:
    """Is one of two models better on one data set, by the folds of a cross-validation?

    The corrected resampled t test of [nadeau2003].

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Values of the two models, in pairs.
        One pair for each fold, or random split.
    ratio : float
        Number of test cases divided by that of training cases: 1 / (k - 1) for k folds, however often they were
        repeated. The plain t test, ratio 0, takes folds for independent and finds differences that are not there.
    lower_is_better : bool, default False
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    CorrectedT

    Examples
    --------
    >>> test = corrected_t([0.81, 0.83, 0.8, 0.84, 0.82], [0.79, 0.8, 0.79, 0.8, 0.81], 1 / 4)
    >>> round(test.t, 3), round(test.p, 3)
    (2.515, 0.066)
    """
    level = checked_level(level)
    from scipy.special import stdtr, stdtrit

    d = advantages(first, second, lower_is_better)
    mean, error, df = mean_of_folds(d, checked_ratio(ratio))
    if error == 0:
        t = math.copysign(math.inf, mean) if mean else math.nan
        p = math.nan if t != t else 0.0
    else:
        t = mean / error
        p = 2 * float(stdtr(df, -abs(t)))
    half = float(stdtrit(df, (1 + level) / 2)) * error
    return CorrectedT(names, mean, error, t, df, p, (mean - half, mean + half), float(ratio), level)


def mean_of_folds(d: Array, ratio: float) -> tuple[float, float, int]:
    """The mean of the differences of folds, its standard error for training sets that overlap, and the degrees of
    freedom [nadeau2003]; differences that are equal but for rounding have none."""
    flat = float(np.ptp(d)) <= TOLERANCE
    mean = float(np.mean(d))
    mean = 0.0 if flat and abs(mean) <= TOLERANCE else mean
    variance = 0.0 if flat else float(np.var(d, ddof=1))
    return mean, math.sqrt((1 / len(d) + ratio) * variance), len(d) - 1


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Verdict):
    """Probabilities that the first model is better by more than the rope, that the two are equivalent in practice, and
    that the second is better by more than the rope."""

    names: tuple[str, str]
    p_first: float
    p_rope: float
    p_second: float
    rope: float
    n: int
    """number of folds or data sets"""
    sure: float = 0.95
    """the probability that a decision needs"""

    @property
    def verdict(self) -> str:
        """What the pairs say, in one sentence."""
        a, b = self.names
        between = f"within {number(self.rope)} {share(self.p_rope)}, " if self.rope else ""
        odds = f"probabilities: {a} {share(self.p_first)}, {between}{b} {share(self.p_second)}"
        most = max(self.p_first, self.p_rope, self.p_second)
        if most < self.sure:
            return f"Neither {a} nor {b} is shown to be better ({odds})."
        if most == self.p_rope:
            return f"{a} and {b} are practically equivalent ({odds})."
        return f"{a if most == self.p_first else b} is better than {b if most == self.p_first else a} ({odds})."


@dataclass(frozen=True, eq=False, repr=False)
class CorrelatedT(Posterior):
    """... from the folds of one data set: a Student distribution."""

    mean: float = 0.0
    scale: float = 0.0
    df: int = 1


@comparison(of=FOLDS, cite="corani2015")
def bayes_t(
    first: Any,
    second: Any,
    ratio: float,
    *,
    rope: float = 0.0,
    lower_is_better: bool = False,
    names: tuple[str, str] = ("A", "B"),
    sure: float = 0.95,
) -> CorrelatedT:
    """How probable is it that one of two models is better on one data set, by the folds of a cross-validation?

    The Bayesian correlated t test of [corani2015, benavoli2017].

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Values of the two models, in pairs.
        One pair for each fold.
    ratio : float
        Number of test cases divided by that of training cases, as in `corrected_t` (in the papers rho / (1 - rho)).
    rope : float, default 0
        Differences up to this do not matter.
    lower_is_better : bool, default False
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    sure : float, default 0.95
        The probability that a verdict needs.

    Returns
    -------
    CorrelatedT

    Examples
    --------
    >>> odds = bayes_t([0.81, 0.83, 0.8, 0.84, 0.82], [0.79, 0.8, 0.79, 0.8, 0.81], 1 / 4, rope=0.01)
    >>> [round(p, 3) for p in (odds.p_first, odds.p_rope, odds.p_second)]
    [0.879, 0.11, 0.011]
    """
    from scipy.special import stdtr

    d = advantages(first, second, lower_is_better)
    rope = checked_rope(rope)
    mean, scale, df = mean_of_folds(d, checked_ratio(ratio))
    if scale == 0:
        p_first, p_second = float(mean > rope), float(mean < -rope)
        if rope == mean == 0:
            p_first = p_second = 0.5
    else:
        p_first, p_second = float(stdtr(df, (mean - rope) / scale)), float(stdtr(df, (-rope - mean) / scale))
    within = max(0.0, 1 - p_first - p_second) if rope else 0.0
    return CorrelatedT(names, p_first, within, p_second, rope, len(d), sure, mean, scale, df)
