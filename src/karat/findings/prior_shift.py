"""Probabilities promise other class frequencies than there are: were the classes otherwise frequent in training?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.statistics.p_values import SURE, normal_tail

NEWTON_STEPS = 50
"""Newton's steps; a shift of the frequencies needs five to ten."""
LONGEST_STEP = 2.0
"""The longest step, in logarithms of the odds."""
MEANS_MEET = 1e-4
"""Mean probabilities are the frequencies if they are as close as this."""
TILTED_SLOPE = 0.25
"""Probabilities are too extreme, or not enough, if their logarithms should be shrunk or stretched by so much."""
LARGEST_FACTOR = 1000.0
"""Nobody trains with classes that are a thousand times as frequent, or as rare."""
FEWEST_CASES = 10
"""Of a class, and of all others, from which on a shift of its frequency is told."""
SOME = 20_000
"""Cases of which a first shift is found where there are many more."""
LEAST_PROBABILITY = 1e-15
"""Stands for the probability 0 in logarithms."""


@dataclass(frozen=True, eq=False)
class Shift:
    """Class frequencies in training that would explain the probabilities, and what correcting for them would give."""

    frequencies: Array
    """[k]: in training"""
    corrected: Array
    """[n, k]: p new / old, renormalised"""
    slope: float
    """by which the logarithms of the corrected probabilities should still be multiplied: 1 if they are calibrated, less
    if they are too extreme (one step of Newton's)"""
    chance: float
    """of a slope as far from 1, were they calibrated"""
    factor: Array
    """[k]: new / old, of the classes that occur"""

    @property
    def explains(self) -> bool:
        """Are the corrected probabilities as they should be, and could there have been such training data?"""
        credible = (self.factor < LARGEST_FACTOR).all() and (self.factor > 1 / LARGEST_FACTOR).all()
        return bool(credible) and not (abs(self.slope - 1) > TILTED_SLOPE and self.chance < SURE)


def shift_of(truth: Array, probabilities: Array, weight: Array, squares: Array | None = None) -> Shift | None:
    """The shift of class frequencies that makes the mean probabilities those of the truth, which is the one of highest
    likelihood (Saerens et al. 2002 for unknown new frequencies; here they are known and the old ones are not). None if
    there is no such shift, because the probabilities are too near to 0 and 1 to be moved. `squares` are those of the
    weights of single cases, where a row stands for several."""
    k = probabilities.shape[1]
    share = np.bincount(truth, weight, k) / weight.sum()
    there = share > 0
    factor, some = np.zeros(k), max(1, len(truth) // SOME)
    if some > 1:  # begins near the end: few steps are left for all cases
        near = _factor(_logs(probabilities[::some], there), weight[::some], share, factor)
        factor = factor if near is None else near[0]
    found = _factor(_logs(probabilities, there), weight, share, factor)
    if found is None:
        return None
    factor, q = found
    slope, chance = _slope(truth, q, weight, weight**2 if squares is None else squares)
    old = share * np.exp(-(factor - factor[there].max()))
    old /= old.sum()
    return Shift(old, q, slope, chance, share[there] / np.maximum(old[there], LEAST_PROBABILITY))


def _logs(probabilities: Array, there: Array) -> Array:
    return np.where(there, np.log(np.maximum(probabilities, LEAST_PROBABILITY)), -np.inf)


def _factor(logs: Array, weight: Array, share: Array, factor: Array) -> tuple[Array, Array] | None:
    """By which the logarithms have to be moved, and the probabilities then: Newton's method, from a factor on."""
    w = weight / weight.sum()
    for _ in range(NEWTON_STEPS):
        q = np.exp(logs + factor - (logs + factor).max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        mean = w @ q
        gap = share - mean
        if np.abs(gap).max() < MEANS_MEET:
            return factor, q
        step = np.linalg.lstsq(np.diag(mean) - (q * w[:, None]).T @ q, gap, rcond=None)[0]
        factor = factor + step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), LEAST_PROBABILITY))
    return None


def _slope(truth: Array, q: Array, weight: Array, squares: Array) -> tuple[float, float]:
    """The score test of slope 1: do surprises of the truth exceed what the probabilities themselves expect?"""
    logs = np.log(np.maximum(q, LEAST_PROBABILITY))
    expected = (q * logs).sum(axis=1)
    spread = (q * logs**2).sum(axis=1) - expected**2
    excess = float((weight * (logs[np.arange(len(q)), truth] - expected)).sum())
    error = math.sqrt(float((squares * spread).sum()))
    if error == 0:
        return 1.0, 1.0
    return 1 + excess / float((weight * spread).sum()), min(1.0, 2 * normal_tail(abs(excess) / error))
