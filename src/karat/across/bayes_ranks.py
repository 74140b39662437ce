"""The Bayesian signed rank test: how probable is it that one of two models is better on the next data set?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.bayes_t import Posterior
from karat.across.paired import advantages, checked_rope
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError

CELLS = 1 << 20
"""Weights drawn at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class SignedRanks(Posterior):
    """... from one difference for each data set: shares of draws from a Dirichlet process."""

    draws: int = 0
    prior: float = 0.5


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
    """The Bayesian signed rank test of [benavoli2014, benavoli2017] for values in pairs, one on each data set.

    Weights of the data sets, and of one more without a difference that stands for the prior (`prior` is its strength),
    are drawn from a Dirichlet distribution; each draw says which of "first", "rope" and "second" has most of the
    weight of the mean differences of all pairs of data sets. Those on the very edge of the rope count half.

    >>> found = bayes_ranks([0.8, 0.7, 0.9, 0.6, 0.85, 0.7], [0.7, 0.68, 0.7, 0.55, 0.84, 0.65], rope=0.01, seed=1)
    >>> round(found.p_first, 1)
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
