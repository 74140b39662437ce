"""The Bayesian correlated t test: how probable is it that one of two models is better on one data set?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karat.across.corrected_t import mean_of_folds
from karat.across.paired import advantages, checked_ratio, checked_rope
from karat.core.record import Verdict
from karat.core.words import number, share


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
        """What was found, in one sentence."""
        a, b = self.names
        between = f"within {number(self.rope, 3)} {share(self.p_rope)}, " if self.rope else ""
        odds = f"{a} {share(self.p_first)}, {between}{b} {share(self.p_second)}"
        most = max(self.p_first, self.p_rope, self.p_second)
        if most < self.sure:
            return f"It is undecided whether {a} or {b} is better ({odds})."
        if most == self.p_rope:
            return f"{a} and {b} are equivalent in practice ({odds})."
        return f"{a if most == self.p_first else b} is better than {b if most == self.p_first else a} ({odds})."


@dataclass(frozen=True, eq=False, repr=False)
class CorrelatedT(Posterior):
    """... from the folds of one data set: a Student distribution."""

    mean: float = 0.0
    scale: float = 0.0
    df: int = 1


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
    """The Bayesian correlated t test of [corani2015, benavoli2017] for values in pairs on the folds of one data set.

    `ratio` is that of test to training cases, as in `corrected_t` (in the papers' words rho / (1 - rho)); differences
    up to `rope` do not matter.

    >>> found = bayes_t([0.81, 0.83, 0.8, 0.84, 0.82], [0.79, 0.8, 0.79, 0.8, 0.81], 1 / 4, rope=0.01)
    >>> [round(p, 3) for p in (found.p_first, found.p_rope, found.p_second)]
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
