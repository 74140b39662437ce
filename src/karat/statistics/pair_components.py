"""What each case contributes to the pairs it is part of: the structural components of areas under ROC curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.statistics.order import Pairs


@dataclass(frozen=True, eq=False)
class Placements:
    """One class against the rest: of each case of the class the share of the rest below it, of each of the rest the
    share of the class above it; ties one half. Their means are the area; in the order of the cases if asked for."""

    own: Array
    rest: Array
    won: float
    """number of pairs in which the case of the class is above"""

    @classmethod
    def of_class(cls, p: Predictions, j: int, in_order: bool = False) -> Placements:
        """By the score of class j."""
        x = p.ordering(j)
        sides = [x[np.flatnonzero(side)] for side in (p.truth[0] == j, p.truth[0] != j)]
        if not in_order:
            return cls(*_shares(*map(np.sort, sides)))
        orders = [np.argsort(side) for side in sides]
        own, rest, won = _shares(*(side[order] for side, order in zip(sides, orders, strict=True)))
        found = [np.empty(len(order)) for order in orders]
        for back, order, share in zip(found, orders, (own, rest), strict=True):
            back[order] = share
        return cls(found[0], found[1], won)

    @property
    def area(self) -> float:
        """The area under the ROC curve."""
        pairs = len(self.own) * len(self.rest)
        return self.won / pairs if pairs else np.nan


def _shares(own: Array, rest: Array) -> tuple[Array, Array, float]:
    """From the sorted scores of both sides."""
    below, upto, under, until = kernels.ranks(own, rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        passed = _halfway(below, upto) / len(rest)
        above = 1 - _halfway(under, until) / len(own)
    return passed, above, float(below.sum(dtype=np.int64) + upto.sum(dtype=np.int64)) / 2


def _halfway(below: Array, upto: Array) -> Array:
    """The number below, and half of those that tie."""
    return below if below is upto else below + (upto - below) / 2  # the sum of two int32 may be none


@dataclass(frozen=True, eq=False)
class PairPlacements:
    """All classes: for a case of class y, passed[i, c] of class c below it by the score of y, and beaten[i, j] of class
    j above it by the score of j. Cases in the order `order`, by class."""

    order: Array
    label: Array
    passed: Array
    beaten: Array
    pairs: Pairs

    @classmethod
    def of(cls, p: Predictions) -> PairPlacements:
        """Sort each class by each score."""
        assert p.scores is not None
        k, n = len(p.classes), p.n
        order = np.argsort(p.truth[0], kind="stable")
        label = p.truth[0, order]
        starts = np.searchsorted(label, np.arange(k + 1))
        parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        passed, beaten = np.zeros((n, k)), np.zeros((n, k))
        for j in range(k):
            x = p.ordering(j)[order]
            by_score = [part.start + np.argsort(x[part]) for part in parts]
            for c in range(k):
                if c != j:
                    own, other = by_score[j], by_score[c]
                    below, upto, under, until = kernels.ranks(x[own], x[other])
                    passed[own, c] = _halfway(below, upto)
                    beaten[other, j] = len(own) - _halfway(under, until)
        weight = np.diff(starts).astype(float)
        matrix = np.stack([passed[part].sum(axis=0) for part in parts])
        return cls(order, label, passed, beaten, Pairs(matrix, weight))

    def without_each(self, at_once: int = 1 << 20) -> Iterator[Pairs]:
        """The pairs without one case, for each case in turn, some at a time along a leading axis."""
        k = len(self.pairs.weight)
        step = max(1, at_once // (k * k))
        for at in range(0, len(self.label), step):
            part = slice(at, at + step)
            y = self.label[part]
            rows = np.arange(len(y))
            matrix = np.repeat(self.pairs.matrix[None], len(y), axis=0)
            matrix[rows, y] -= self.passed[part]
            matrix[rows, :, y] -= self.beaten[part]
            weight = np.repeat(self.pairs.weight[None], len(y), axis=0)
            weight[rows, y] -= 1
            yield Pairs(matrix, weight)
