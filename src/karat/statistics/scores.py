"""The exact table of one score column: what every curve, and everything that depends on order, can be taken from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.errors import InputError
from karat.core.once import once
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.statistics.counts import Counts


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

    @classmethod
    def of_confidence(cls, p: Predictions) -> ScoreTable:
        """The table of the highest score of each case; row 1 holds the cases that were decided rightly."""
        assert p.scores is not None
        decided = p.scores[0].argmax(axis=1) if p.decided is None else p.decided[0]
        scores, place = np.unique(p.scores[0].max(axis=1), return_inverse=True)
        cell = (decided == p.truth[0]).astype(np.intp) * len(scores) + place
        weight = np.bincount(cell, None if p.weight is None else p.weight[0], 2 * len(scores))
        return cls(scores, weight.astype(np.float64).reshape(2, -1))

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
    def rates(self) -> tuple[Array, Array]:
        """(fpr, tpr)[..., m + 1] at or above each threshold, from +inf down; nan where a side has no case."""
        tp, fp = self.true_positives, self.false_positives
        return np.asarray(ratio(fp, fp[..., -1:])), np.asarray(ratio(tp, tp[..., -1:]))

    @property
    def thresholds(self) -> Array:
        """[m + 1]: +inf, and the distinct scores from the highest down."""
        return np.append(np.inf, self.scores[::-1])

    @property
    def prevalence(self) -> Array:
        """[...]: the share of the class."""
        own = self.positive.sum(axis=-1)
        return np.asarray(ratio(own, own + self.negative.sum(axis=-1)))

    def at_prevalence(self, share: float | None) -> ScoreTable:
        """The table as it would be if the class had this share, its scores being distributed as they are; None: as it
        is."""
        if share is None:
            return self
        if not 0 < share < 1:
            raise InputError(f"prevalence is {share}; give a share of the positive class between 0 and 1.")
        own, rest = self.positive.sum(axis=-1), self.negative.sum(axis=-1)
        if not (np.all(own > 0) and np.all(rest > 0)):
            raise InputError("a class without cases can't be given another share; the data need cases of both sides.")
        factors = (1 - share) * (own + rest) / rest, share * (own + rest) / own
        weight = np.stack([self.negative * factors[0][..., None], self.positive * factors[1][..., None]], axis=-2)
        return type(self)(self.scores, weight, 1)

    @once
    def counts(self) -> Counts:
        """C[..., m + 1, 2, 2] at each threshold, from +inf down: rows rest and class, columns not and decided so."""
        tp, fp = self.true_positives, self.false_positives
        rest, own = fp[..., -1:] - fp, tp[..., -1:] - tp
        return Counts(np.stack([np.stack([rest, fp], axis=-1), np.stack([own, tp], axis=-1)], axis=-2))

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
