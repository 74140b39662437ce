"""Two models over many data sets: Wilcoxon's signed rank test, and the Bayesian one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.fold_t import Posterior
from karat.across.results import advantages, checked_rope
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.comparison import DATA_SETS, comparison
from karat.core.errors import InputError
from karat.core.plain_data import plain
from karat.core.record import Verdict
from karat.core.validation import checked_level, false_alarms
from karat.core.words import number, p_value
from karat.statistics.ranks import mid_ranks, places

ZEROS = ("wilcox", "pratt", "zsplit")
"""What can become of pairs without a difference; the names are scipy's."""
EXACT_UP_TO = 100
"""Pairs for which the exact law is used unless another method is named."""
CELLS = 1 << 20
"""Weights drawn at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class Wilcoxon(Verdict):
    """Sums of the ranks of the differences for and against the first model."""

    names: tuple[str, str]
    for_first: float
    """sum of the ranks of the pairs in which the first model is better"""
    for_second: float
    p: float
    n: int
    """number of pairs"""
    equal: int
    """of them without a difference"""
    median: float
    """of the differences; above 0 where the first model is better"""
    method: str
    """exact or normal"""
    zeros: str
    level: float = 0.95

    @property
    def statistic(self) -> float:
        """The smaller sum of ranks."""
        return min(self.for_first, self.for_second)

    @property
    def rank_biserial(self) -> float:
        """Ranks for the first model less those for the second, as a share of both: from -1 to 1, 0 if neither is ahead
        [kerby2014]; nan if all pairs are equal."""
        both = self.for_first + self.for_second
        return (self.for_first - self.for_second) / both if both else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict and the size of the effect; undefined is None."""
        return super().to_dict() | {"rank_biserial": plain(self.rank_biserial)}

    @property
    def verdict(self) -> str:
        """What the ranks say, in one sentence."""
        a, b = self.names
        numbers = f"rank sums {number(self.for_first)} and {number(self.for_second)}, {p_value(self.p)}"
        if self.p <= false_alarms(self.level):
            better, worse = (a, b) if self.for_first > self.for_second else (b, a)
            return f"{better} is significantly better than {worse} over the {self.n} data sets (Wilcoxon: {numbers})."
        return f"No significant difference between {a} and {b} over the {self.n} data sets (Wilcoxon: {numbers})."


@comparison(of=DATA_SETS, cite="wilcoxon1945")
def wilcoxon(
    first: Any,
    second: Any,
    *,
    lower_is_better: bool = False,
    zeros: str = "wilcox",
    method: str = "auto",
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.95,
) -> Wilcoxon:
    """Is one of two models better over many data sets?

    Wilcoxon's signed rank test of values in pairs [wilcoxon1945], two-sided.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Values of the two models, in pairs.
        One pair for each data set. Differences that are equal within 1e-12 share their rank.
    lower_is_better : bool, default False
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        Pairs without a difference are left out, ranked and then left out [pratt1959], or ranked and shared between both
        sides (as [demsar2006] has it).
    method : {"auto", "exact", "normal"}, default "auto"
        "exact": the law of the rank sum over all signs given the ranks, ties or not; by default for up to 100 pairs,
        otherwise "normal" with its variance.
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    Wilcoxon

    Examples
    --------
    >>> test = wilcoxon([0.8, 0.7, 0.9, 0.6, 0.85], [0.7, 0.68, 0.7, 0.55, 0.84])
    >>> test.for_first, test.p
    (15.0, 0.0625)
    """
    level = checked_level(level)
    if zeros not in ZEROS:
        raise InputError(f"zeros is {zeros!r}; it is one of {', '.join(ZEROS)}.")
    if method not in ("auto", "exact", "normal"):
        raise InputError(f"method is {method!r}; it is one of auto, exact, normal.")
    d = advantages(first, second, lower_is_better)
    moved = np.abs(d) > TOLERANCE
    ranked = d[moved] if zeros == "wilcox" else np.where(moved, d, 0.0)
    ranks = mid_ranks(places(np.abs(ranked)))[0] if len(ranked) else ranked
    signs = np.sign(ranked)
    shared = float(ranks[signs == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    up, down = (float(ranks[signs == s].sum()) for s in (1, -1))
    own = ranks[signs != 0]
    if method == "auto":
        method = "exact" if len(d) <= EXACT_UP_TO else "normal"
    p = _exact(own, up) if method == "exact" else _normal(own, up)
    equal = int((~moved).sum())
    return Wilcoxon(names, up + shared, down + shared, p, len(d), equal, float(np.median(d)), method, zeros, level)


def _exact(ranks: Array, up: float) -> float:
    """Twice the smaller tail of the sum of the ranks that get a plus, over all signs. Twice a mid-rank is whole."""
    law = np.ones(1)
    for step in np.rint(2 * ranks).astype(int):
        longer = np.zeros(len(law) + step)
        longer[: len(law)] += law / 2
        longer[step:] += law / 2
        law = longer
    at = round(2 * up)
    return min(1.0, 2 * min(float(law[: at + 1].sum()), float(law[at:].sum())))


def _normal(ranks: Array, up: float) -> float:
    from scipy.special import ndtr

    spread = float(np.sqrt((ranks**2).sum()) / 2)
    return 1.0 if spread == 0 else float(2 * ndtr(-abs(up - ranks.sum() / 2) / spread))


@dataclass(frozen=True, eq=False, repr=False)
class SignedRanks(Posterior):
    """... from one difference for each data set: shares of draws from a Dirichlet process."""

    draws: int = 0
    prior: float = 0.5


@comparison(of=DATA_SETS, cite="benavoli2014")
def bayes_ranks(
    first: Any,
    second: Any,
    *,
    rope: float = 0.0,
    lower_is_better: bool = False,
    prior: float = 0.5,
    draws: int = 50_000,
    seed: int | np.random.Generator | None = None,
    names: tuple[str, str] = ("A", "B"),
    sure: float = 0.95,
) -> SignedRanks:
    """How probable is it that one of two models is better on the next data set?

    The Bayesian signed rank test of [benavoli2014, benavoli2017]. Weights of the data sets, and of one more without a
    difference that stands for the prior, are drawn from a Dirichlet distribution; each draw says which of "first",
    "rope" and "second" has most of the weight of the mean differences of all pairs of data sets. Those on the very edge
    of the rope count half.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Values of the two models, in pairs.
        One pair for each data set.
    rope : float, default 0
        Differences up to this do not matter.
    lower_is_better : bool, default False
    prior : float, default 0.5
        Strength of the prior.
    draws, seed
        Of the simulation.
    names : tuple of str, default ("A", "B")
        Names of the models, for the verdict.
    sure : float, default 0.95
        The probability that a verdict needs.

    Returns
    -------
    SignedRanks

    Examples
    --------
    >>> odds = bayes_ranks([0.8, 0.7, 0.9, 0.6, 0.85, 0.7], [0.7, 0.68, 0.7, 0.55, 0.84, 0.65], rope=0.01, seed=1)
    >>> round(odds.p_first, 1)
    1.0
    """
    d = advantages(first, second, lower_is_better)
    rope = checked_rope(rope)
    if not (prior > 0 and draws > 0):
        raise InputError(f"prior is {prior} and draws is {draws}; give a strength and a number of draws above 0.")
    rng = np.random.default_rng(seed)
    z = np.append(0.0, d)
    sums = np.add.outer(z, z)
    above, below = _beyond(sums, 2 * rope), _beyond(-sums, 2 * rope)
    strength = np.append(prior, np.ones(len(d)))
    won = np.zeros(3)
    for start in range(0, draws, size := max(1, CELLS // len(z))):
        w = rng.dirichlet(strength, min(size, draws - start))
        right, left = ((w @ region * w).sum(axis=1) for region in (above, below))
        if rope:
            won += np.bincount(np.argmax([right, 1 - left - right, left], axis=0), minlength=3)
        else:
            even = np.abs(right - left) <= TOLERANCE
            won[0] += (right > left)[~even].sum() + even.sum() / 2
            won[2] += (right < left)[~even].sum() + even.sum() / 2
    shares = (won / draws).tolist()
    return SignedRanks(names, shares[0], shares[1], shares[2], rope, len(d), sure, draws, prior)


def _beyond(sums: Array, edge: float) -> Array:
    """1 beyond the edge, one half on it."""
    on = np.abs(sums - edge) <= TOLERANCE
    return np.where(on, 0.5, (sums > edge).astype(float))
