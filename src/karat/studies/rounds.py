"""What the rounds of a contest of measures tell: choices, regrets, wins and losses, ranks. Pure functions of values.

Values are arrays [rounds, classifiers, measures], higher being better, nan where undefined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.statistics.ranks import mid_ranks, places


def choices(values: Array, rng: np.random.Generator | None = None) -> Array:
    """The classifier that each measure chooses in each round, [rounds, measures]: the best, of equals the first, or any
    of them if random numbers are given. One whose value is undefined is chosen only if all are."""
    known = np.where(np.isnan(values), -np.inf, values)
    best = known.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        tied = (known == best) | (best - known <= TOLERANCE)
    if rng is None:
        return np.asarray(tied.argmax(axis=1))
    rounds, classifiers, _ = values.shape
    luck = rng.random((rounds, classifiers))[:, :, None]
    return np.asarray(np.where(tied, luck, -1.0).argmax(axis=1))


def regrets(arbiter: Array, choice: Array) -> Array:
    """What each choice lacks to the best, [rounds, arbiters, measures]; nan in rounds in which the arbiter is undefined
    for a classifier. `arbiter` are the values on other cases than those of the choice."""
    finite = np.isfinite(arbiter).all(axis=1)
    best = np.where(finite, arbiter.max(axis=1), np.nan)
    got = np.take_along_axis(arbiter, choice[:, :, None], axis=1)  # [rounds, measures, arbiters]
    return np.asarray(best[:, :, None] - got.transpose(0, 2, 1))


def sign(a: Array, b: Array) -> Array:
    """1 where the regret a is smaller than b, -1 where it is larger, 0 where they are equal, nan where unknown."""
    gap = b - a
    return np.where(np.abs(gap) <= TOLERANCE, 0.0, np.sign(gap))


@dataclass(frozen=True)
class Shares:
    """Of one data set: how often each measure's choice is better than each other's, by each arbiter."""

    win: Array
    loss: Array
    """[arbiters, measures, measures]: the first against the second"""
    rounds: Array
    """[arbiters]: in which the arbiter is defined"""
    own: Array
    """[arbiters]: a measure's wins less losses against all others, itself being the arbiter, mean over rounds"""
    own_variance: Array
    """of one round"""

    @classmethod
    def of(cls, regret: Array) -> Shares:
        """From regrets [rounds, arbiters, measures]; measure i is arbiter i."""
        _, arbiters, measures = regret.shape
        win, loss = np.zeros((2, arbiters, measures, measures))
        rounds, own, variance = np.zeros(arbiters), np.full(arbiters, np.nan), np.full(arbiters, np.nan)
        for a in range(arbiters):
            r = regret[:, a]
            r = r[~np.isnan(r).any(axis=1)]
            rounds[a] = len(r)
            if not len(r):
                win[a] = loss[a] = np.nan
                continue
            for i in range(measures):
                score = sign(r[:, i, None], r)
                win[a, i], loss[a, i] = (score > 0).mean(axis=0), (score < 0).mean(axis=0)
                if i == a and measures > 1:
                    mine = score.sum(axis=1) / (measures - 1)
                    own[a], variance[a] = mine.mean(), mine.var()
        return cls(win, loss, rounds, own, variance)


def mean_regrets(regret: Array, rng: np.random.Generator, replicates: int) -> tuple[Array, Array]:
    """Mean regret over the rounds, [arbiters, measures]; and that of bootstrap replicates of the rounds, with a leading
    axis."""
    known: Array = ~np.isnan(regret).any(axis=2)  # type: ignore[assignment]
    n = len(regret)
    flat = np.where(known[:, :, None], regret, 0.0).reshape(n, -1)

    def mean(weight: Array) -> Array:
        total = (weight @ flat).reshape(len(weight), *regret.shape[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / (weight @ known.astype(float))[:, :, None])

    drawn = rng.integers(0, n, (replicates, n)) + n * np.arange(replicates)[:, None]
    weight = np.bincount(drawn.ravel(), minlength=replicates * n).reshape(replicates, n).astype(float)
    return mean(np.ones((1, n)))[0], mean(weight)


def ranks(regret: Array) -> Array:
    """Ranks along the last axis: 1 for the least mean regret, equal ones share their mean rank; nan if unknown."""
    unknown = np.isnan(regret).any(axis=-1, keepdims=True)
    mean_ranks, _ = mid_ranks(places(np.where(unknown, 0.0, regret)))
    return np.where(unknown, np.nan, mean_ranks)
