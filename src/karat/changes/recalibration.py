"""Probabilities made to fit the truth by as little as possible: one slope for their logarithms and an intercept for
each class (Cox 1958, Platt 1999; of several classes Alexandari et al. 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array

LEAST = 1e-12
"""Stands for the probability 0 in logarithms."""
STEPS = 60
"""Newton's steps; a fit needs five to ten."""
CONVERGED = 1e-9
"""Mean gradient at which a fit has converged."""
STEEPEST, SEPARATED = 100.0, 1e-4
"""A slope beyond the first, or probabilities that all are nearer to the truth than the second, mean that the classes
are separated: there is no fit."""


@dataclass(frozen=True, eq=False)
class Recalibration:
    """log q[j] = intercept[j] + slope * log p[j], less what makes them sum to one."""

    slope: float
    intercepts: Array
    """[k]; that of the first class is 0"""
    covariance: Array
    """of the intercepts but the first, and the slope if it was fitted (sandwich)"""

    @property
    def slope_error(self) -> float:
        """Its standard error."""
        return math.sqrt(float(self.covariance[-1, -1]))

    def __call__(self, probabilities: Array) -> Array:
        """[n, k]: recalibrated."""
        return _softmax(self.intercepts + self.slope * logarithms(probabilities))


def logarithms(probabilities: Array) -> Array:
    """Of probabilities of at least `LEAST`."""
    return np.log(np.maximum(probabilities, LEAST))


def recalibration(
    probabilities: Array,
    truth: Array,
    weight: Array | None = None,
    *,
    slope: bool = True,
    begin: Recalibration | None = None,
) -> Recalibration | None:
    """The fit of highest likelihood; without `slope` of the intercepts alone. None where there is none: a class has no
    case, or the classes are separated."""
    logs = logarithms(probabilities)
    n, k = logs.shape
    w = np.ones(n) if weight is None else weight
    if (np.bincount(truth, w, k) == 0).any():
        return None
    total = float(w.sum())
    a, b = (np.zeros(k), 1.0) if begin is None else (begin.intercepts.copy(), begin.slope)
    hit = np.zeros((n, k))
    hit[np.arange(n), truth] = 1.0
    for _ in range(STEPS):
        scores, information = _derivatives(logs, hit, w, a, b, slope)
        gradient = w @ scores
        if float(np.abs(gradient).max()) <= CONVERGED * total:
            if float(np.abs(scores).max()) < SEPARATED:
                return None
            inverse = np.linalg.pinv(information)
            weighted = scores * w[:, None]
            return Recalibration(b, a, inverse @ (weighted.T @ weighted) @ inverse)
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), LEAST))
        a = a + np.concatenate([[0.0], step[: k - 1]])
        b = b + float(step[-1]) if slope else b
        if not abs(b) < STEEPEST or not np.abs(a).max() < STEEPEST:
            return None
    return None


def _derivatives(logs: Array, hit: Array, w: Array, a: Array, b: float, slope: bool) -> tuple[Array, Array]:
    """The score of each case [n, parameters], and the information."""
    q = _softmax(a + b * logs)
    scores = (hit - q)[:, 1:]
    information = np.diag(w @ q[:, 1:]) - (q[:, 1:] * w[:, None]).T @ q[:, 1:]
    if not slope:
        return scores, information
    mean = (q * logs).sum(axis=1)
    spread = (q * logs**2).sum(axis=1) - mean**2
    beside = w @ (q * (logs - mean[:, None]))[:, 1:]
    both = np.block([[information, beside[:, None]], [beside[None], np.array([[w @ spread]])]])
    return np.column_stack([scores, ((hit - q) * logs).sum(axis=1)]), both


def _softmax(z: Array) -> Array:
    q = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(q / q.sum(axis=1, keepdims=True))
