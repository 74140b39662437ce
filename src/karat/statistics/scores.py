"""The exact table of one score column: what every curve, and everything that depends on order, can be taken from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.core.once import once
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions


@dataclass(frozen=True, eq=False)
class ScoreTable(Statistic):
    """The distinct scores of one class's column, ascending, and the weight of each class at each of them:
    scores[m], weight[..., c, m]; row `own` is the class itself. Tables of parts of the data add up exactly."""

    needs = Needs.SCORES
    per_class = "each"
    scores: Array
    weight: Array
    own: int = 1

    @classmethod
    def of_class(cls, p: Predictions, j: int, by_class: bool = False) -> ScoreTable:
        """The table of column j: class j against the rest (two rows: rest, class j), or with a row for every class."""
        assert p.scores is not None
        if len(p.truth) != 1:
            raise ValueError("score tables are taken of one evaluation at a time")
        if p.extent is not None and p.extent.given == 1 - j and not by_class:
            given = cls.of_class(p, 1 - j)  # the mirror image of the column that was given, whatever 1 - p rounds to
            return cls(1 - given.scores[::-1], given.weight[::-1, ::-1], 1)
        scores, place = np.unique(p.scores[0, :, j], return_inverse=True)
        group = p.truth[0] if by_class else (p.truth[0] == j)
        rows = len(p.classes) if by_class else 2
        w = None if p.weight is None else p.weight[0]
        cell = np.asarray(group, np.intp) * len(scores) + place
        weight = np.bincount(cell, w, rows * len(scores)).astype(np.float64)
        weight = weight.reshape(rows, -1)
        if w is not None and not (kept := weight.sum(axis=0) > 0).all():
            scores, weight = scores[kept], weight[:, kept]
        return cls(scores, weight, j if by_class else 1)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        scores = np.union1d(self.scores, other.scores)
        weight = np.zeros((*self.weight.shape[:-1], len(scores)))
        weight[..., np.searchsorted(scores, self.scores)] += self.weight
        weight[..., np.searchsorted(scores, other.scores)] += other.weight
        return type(self)(scores, weight, self.own)

    @once
    def positive(self) -> Array:
        """Weight of the class itself at each score."""
        return np.asarray(self.weight[..., self.own, :])

    @once
    def negative(self) -> Array:
        """Weight of all others at each score."""
        return (
            np.asarray(self.weight.sum(axis=-2) - self.positive)
            if self.weight.shape[-2] != 2
            else np.asarray(self.weight[..., 1 - self.own, :])
        )

    @once
    def _falling(self) -> tuple[Array, Array]:
        def from_top(x: Array) -> Array:
            total = np.cumsum(x[..., ::-1], axis=-1)
            return np.concatenate([np.zeros((*x.shape[:-1], 1)), total], axis=-1)

        return from_top(self.positive), from_top(self.negative)

    @property
    def true_positives(self) -> Array:
        """[..., m + 1]: at or above each threshold, from +inf down through the distinct scores."""
        return self._falling[0]

    @property
    def false_positives(self) -> Array:
        """[..., m + 1]: at or above each threshold, from +inf down through the distinct scores."""
        return self._falling[1]

    @once
    def isotonic(self) -> Array:
        """[m]: the frequency of the class at each score, made to rise with the score by pooling neighbours."""
        from scipy.optimize import isotonic_regression

        weight = self.positive + self.negative
        return np.asarray(isotonic_regression(self.positive / weight, weights=weight).x)

    @once
    def hull(self) -> Array:
        """Places among the thresholds (see `true_positives`) of the vertices of the convex hull of the ROC curve:
        pooling neighbours and taking the hull are the same thing."""
        rate = self.isotonic[::-1]
        ends = np.flatnonzero(np.append(rate[1:] != rate[:-1], True)) + 1
        return np.append(0, ends)


class ForecastTable(ScoreTable):
    """A score table whose scores are probabilities."""

    needs = Needs.PROBABILITIES
