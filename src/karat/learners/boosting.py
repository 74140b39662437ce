"""AdaBoost.M1 of C4.5 trees as Weka's AdaBoostM1 does it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.learners.base import Learner
from karat.learners.kernel import trees
from karat.learners.rules import Rules
from karat.learners.tree import Tree


class AdaBoostM1(Learner):
    """C4.5 trees that vote, each grown on weights that make the errors of the one before count as much as the rest.

    Weights sum to the number of cases. A tree without errors, or with more than half, ends it and is left out, unless
    it is the first: that one then answers alone. The odds of the votes are multiplied: probabilities are extreme.

    Parameters
    ----------
    rounds : int
        Maximum number of trees.
    nominal, classes
        As in `C45Classifier`.
    """

    def __init__(self, *, rounds: int = 10, nominal: Any = None, classes: Any = None) -> None:
        self.rounds = rounds
        self.nominal = nominal
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees; columns are sorted once for all of them."""
        X, codes, columns = self.training_cases(X, y)
        none, rules, weight = np.zeros((1, columns.width), np.uint8), Rules(), np.ones(len(X))
        self.trees_: list[Tree] = []
        votes: list[float] = []
        for _ in range(self.rounds):
            (tree,) = trees(columns, codes, weight, len(self.classes_), none, rules)
            wrong = np.argmax(tree.probabilities(X, False), axis=1) != codes
            error = float(weight[wrong].sum() / weight.sum())
            ends = error > 0.5 or error == 0
            if not ends or not self.trees_:
                self.trees_.append(tree)
                votes.append(1.0 if ends else float(np.log((1 - error) / error)))
            if ends:
                break
            weight = np.where(wrong, weight * (1 - error) / error, weight)
            weight *= len(X) / weight.sum()
        self.votes_ = np.array(votes)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of `classes_`: those of a single tree, or the votes as logarithms of odds."""
        X = self.new_cases(X)
        if len(self.trees_) == 1:
            return self.trees_[0].probabilities(X, False)
        total = np.zeros((len(X), len(self.classes_)))
        rows = np.arange(len(X))
        for tree, vote in zip(self.trees_, self.votes_, strict=True):
            total[rows, np.argmax(tree.probabilities(X, False), axis=1)] += vote
        votes = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))
