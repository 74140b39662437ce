"""A learner of numbers on cases with nominal columns and missing values: one column for each value, filled, scaled."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from karat.core.arithmetic import Array
from karat.learners.base import Learner


class Encoded(Learner):
    """Any classifier of scikit-learn, for codes.

    A nominal column becomes one of 0 and 1 for each declared value (a single one for two); a missing value is the
    most frequent one, in a numeric column the mean. Numeric columns are scaled to [-1, 1] of the training cases. A
    column that is constant or has no value is 0 and says nothing. A declared class without a training case has
    probability 0; a single class has 1 and nothing is learnt.

    Parameters
    ----------
    model : classifier
        A scikit-learn classifier.
    nominal, classes
        As in `C45Classifier`.
    """

    def __init__(self, model: Any, *, nominal: Any = None, classes: Any = None) -> None:
        self.model = model
        self.nominal = nominal
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the encoding, then the classes."""
        X, codes, columns = self.training_cases(X, y)
        self.values_ = columns.values
        self.columns_ = [_column(X[:, j], int(v)) for j, v in enumerate(self.values_)]
        self.present_ = np.unique(codes)
        self.model_ = clone(self.model)
        if len(self.present_) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # on separable classes there is no end to converge to
                self.model_.fit(self.encoded(X), codes)
        return self

    def encoded(self, X: Array) -> Array:
        """Cases as numbers."""
        parts = []
        for j, (values, (fill, middle, half)) in enumerate(zip(self.values_, self.columns_, strict=True)):
            column = np.where(np.isnan(X[:, j]), fill, X[:, j])
            if values > 2:
                parts.append((column[:, None] == np.arange(values)).astype(float))
            else:
                parts.append(((column - middle) / half)[:, None])
        return np.hstack(parts)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of `classes_`."""
        X = self.new_cases(X)
        answers = np.zeros((len(X), len(self.classes_)))
        answers[:, self.present_] = self.model_.predict_proba(self.encoded(X)) if len(self.present_) > 1 else 1.0
        return answers


def _column(x: Array, values: int) -> tuple[float, float, float]:
    """What a missing value becomes, and the middle and half of the range that become 0 and 1."""
    known = x[~np.isnan(x)]
    if not len(known):
        return 0.0, 0.0, 1.0
    if values:
        return float(np.bincount(known.astype(int), minlength=values).argmax()), 0.5, 0.5
    low, high = float(known.min()), float(known.max())
    return float(known.mean()), (low + high) / 2, (high - low) / 2 if high > low else 1.0
