"""Naive Bayes as Weka's NaiveBayes estimates it: nominal columns, missing values, and normal densities of intervals."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import ndtr

from karat.core.arithmetic import Array
from karat.learners.base import Learner

LEAST = 1e-75
"""No value of a column makes a class less likely than by this."""
PRECISION = 0.01
"""Of a numeric column that has fewer than two values."""


class NaiveBayes(Learner):
    """Classes by the product of each column's likelihood, with Weka's rules.

    A numeric column has a precision, the mean gap between its different training values; values are rounded to it,
    a class has the mean and standard deviation (at least a sixth of the precision) of its rounded values, and a value
    the normal probability of the interval of one precision around it. scikit-learn's GaussianNB takes the density at
    the value itself and the variance without rounding: its probabilities are similar, not the same. A nominal column
    counts with one added for each declared value, as do the classes; a missing value says nothing.

    Parameters
    ----------
    nominal, classes
        As in `C45Classifier`.
    """

    def __init__(self, *, nominal: Any = None, classes: Any = None) -> None:
        self.nominal = nominal
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Count, and take means and deviations."""
        X, codes, columns = self.training_cases(X, y)
        k = len(self.classes_)
        self.prior_ = (np.bincount(codes, minlength=k) + 1) / (len(codes) + k)
        self.tables_: dict[int, Array] = {}
        self.normals_: dict[int, tuple[float, Array, Array]] = {}
        for j, values in enumerate(columns.values.tolist()):
            known = ~np.isnan(X[:, j])
            if values:
                counts = np.zeros((k, values))
                np.add.at(counts, (codes[known], X[known, j].astype(int)), 1)
                self.tables_[j] = (counts + 1) / (counts.sum(axis=1, keepdims=True) + values)
            else:
                self.normals_[j] = _normal(X[known, j], codes[known], k)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of `classes_`; a value that was not declared says nothing, as if it were missing."""
        X = self.new_cases(X)
        logs = np.tile(np.log(self.prior_), (len(X), 1))  # sums of logs where Weka multiplies and rescales
        for j, table in self.tables_.items():
            known = (X[:, j] >= 0) & (X[:, j] < table.shape[1])
            logs[known] += np.log(table.T[X[known, j].astype(int)])
        for j, (precision, mean, spread) in self.normals_.items():
            known = ~np.isnan(X[:, j])
            value = (np.rint(X[known, j] / precision) * precision)[:, None]
            high, low = ((value - mean + half) / spread for half in (precision / 2, -precision / 2))
            logs[known] += np.log(np.maximum(ndtr(high) - ndtr(low), LEAST))
        densities = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(densities / densities.sum(axis=1, keepdims=True))


def _normal(values: Array, codes: Array, k: int) -> tuple[float, Array, Array]:
    """Precision of a column, mean and standard deviation in each class; 0 and a sixth of the precision where a class
    has no value."""
    different = np.unique(values)
    # gaps are added one by one, as Weka does: the last digit of the precision decides to which side halves are rounded
    gaps = np.cumsum(np.diff(different))
    precision = float(gaps[-1] / len(gaps)) if len(gaps) else PRECISION
    rounded = np.rint(values / precision) * precision
    count = np.bincount(codes, minlength=k)
    total, square = (np.bincount(codes, weights=w, minlength=k) for w in (rounded, rounded**2))
    some = np.maximum(count, 1)
    mean = total / some
    spread = np.sqrt(np.abs(square - mean * total) / some)
    return precision, mean, np.maximum(np.where(spread > 1e-10, spread, 0), precision / 6)
