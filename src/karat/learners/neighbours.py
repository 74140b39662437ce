"""Nearest neighbours as Weka's IBk finds them: nominal columns, missing values, all of equal distance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.learners.base import Learner

EQUAL = 1e-9
"""Squared distances that differ by no more are equal."""


class NearestNeighbours(Learner):
    """Votes of the k nearest training cases and of all that are as near as the last of them.

    Numeric columns are scaled to [0, 1] of the training cases, other nominal values are 1 apart, and a missing value is
    as far from any other as can be. Each class gets 1 / (number of training cases) votes more: no probability is
    0. (IBk widens its ranges with each case it is asked about; here an answer does not depend on those before.)

    Parameters
    ----------
    k : int
        Number of neighbours.
    nominal, classes
        As in `C45Classifier`.
    """

    def __init__(self, *, k: int = 1, nominal: Any = None, classes: Any = None) -> None:
        self.k = k
        self.nominal = nominal
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the cases."""
        X, codes, columns = self.training_cases(X, y)
        self.values_ = columns.values
        some = np.isfinite(X)
        low = np.where(some, X, np.inf).min(axis=0)
        reach = np.where(some, X, -np.inf).max(axis=0) - low
        self.low_ = np.where(some.any(axis=0), low, 0.0)
        self.reach_ = np.where((reach > 0) & np.isfinite(reach), reach, 1.0)
        self.cases_, self.votes_ = self._scaled(X), np.eye(len(self.classes_))[codes]
        return self

    def _scaled(self, X: Array) -> Array:
        return np.where(self.values_ > 0, X, (X - self.low_) / self.reach_)

    def _distances(self, X: Array) -> Array:
        """Squared, [rows of X, training cases]."""
        gaps = np.asarray(np.isnan(X).any(axis=0) | np.isnan(self.cases_).any(axis=0))
        a, b = (self._points(T, np.logical_not(gaps)) for T in (X, self.cases_))
        squares = np.asarray((a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T)
        for j in np.flatnonzero(gaps):
            here, there = X[:, j, None], self.cases_[:, j]
            if self.values_[j]:
                apart = (here != there).astype(float)  # nan differs from all, itself too
            else:
                apart = np.abs(here - there)
                known = np.where(np.isnan(here), there, here)
                far = np.where(np.isnan(known), 1.0, np.maximum(known, 1 - known))
                apart = np.where(np.isnan(apart), far, apart)
            squares += apart**2
        return squares

    def _points(self, X: Array, which: Array) -> Array:
        """Columns without missing values as points: other nominal values are 1 apart."""
        parts = [X[:, which & (self.values_ == 0)]]
        for j in np.flatnonzero(which & (self.values_ > 0)):
            parts.append((X[:, j, None] == np.arange(self.values_[j])) * np.sqrt(0.5))
        return np.hstack(parts)

    def predict_proba(self, X: Any) -> Array:
        """Shares of the votes for `classes_`."""
        X = self.new_cases(X)
        distance = self._distances(self._scaled(X))
        k = min(self.k, len(self.cases_))
        last = np.partition(distance, k - 1, axis=1)[:, k - 1, None]
        votes = (distance <= last + EQUAL).astype(float) @ self.votes_ + 1 / len(self.cases_)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))
