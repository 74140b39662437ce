"""Exchanges of what two models say, each difference in units of its own standard error.

If two models are of equal value but make other errors, exchanged models differ more, or less, than they do. In standard
errors both differ alike, the more cases there are (Janssen 1997; Chung & Romano 2013), and the level for
interchangeable models stays what it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.core.arithmetic import Array, product
from karat.core.cached import cached
from karat.resampling.exchanges import AT_ONCE, Exchanges
from karat.statistics import Counts, Pairs
from karat.statistics.order import pairs_without
from karat.statistics.score_table import ScoreTable

MODERATION = 100.0
"""Of measures of decisions: the spread that exchanges have altogether counts as much as so many cases (Smyth 2004). The
standard error of few decisions is small by chance, above all where a measure of disorder looks orderly."""
USUAL = 500
"""Exchanges for that spread, where not all are tried."""
MOST_NUMBERS = 1 << 27
"""Numbers that a thousand exchanges may take: of many classes, or of score tables, a second."""

Moments = tuple[Array, Array]
"""Differences without their bias, and their variances."""


class StudentisedExchanges(Exchanges):
    """Of measures of decisions, or of ranks (see `ranked.py`): first and second value are the difference in standard
    errors, and 0."""

    @property
    def feasible(self) -> bool:
        """Are there methods, and is it little enough work?"""
        known = self._counted or self.measure_of.kind is Pairs or self.measure.one_pass
        return known and self.first.weight is None and not self.clustered and 1000 * self._width <= MOST_NUMBERS

    @cached
    def seen(self) -> tuple[float, float]:
        """The difference of the models as they are, without its bias, and the error that it is measured in."""
        if self._counted:
            middle, variance = self._of_joint(self._joint[None])
        else:
            middle, variance = self._of_swaps(np.zeros((1, self.first.n), bool))
        return float(middle[0]), float(np.sqrt(self._moderated(variance))[0])

    def values(self) -> tuple[float, float]:
        """As they are."""
        middle, error = self.seen
        return middle / error if error > 0 else 0.0, 0.0

    @property
    def _width(self) -> int:
        """Numbers that one exchange needs."""
        n, k = self.first.n, len(self.first.classes)
        if self._counted:
            return self._cells**2
        return n * (k * k + n if self.measure_of.kind is Pairs else 4 * n)

    def _blocks(self, replicates: int) -> list[int]:
        size = max(1, AT_ONCE // self._width)
        return [min(size, replicates - start) for start in range(0, replicates, size)]

    def _of_tables(self, swapped: Iterator[Array], kinds: Array) -> Array:
        return self._in_errors(self._moments(swapped))

    def _of_masks(self, masks: Iterator[Array]) -> Array:
        return self._in_errors([self._of_swaps(self._full(mask)) for mask in masks])

    def _full(self, mask: Array) -> Array:
        full = np.zeros((len(mask), self.first.n), bool)
        full[:, self.cases] = mask
        return full

    def _in_errors(self, parts: list[Moments]) -> Array:
        middle, variance = (np.concatenate(x) for x in zip(*parts, strict=True))
        with np.errstate(all="ignore"):
            error = np.sqrt(self._moderated(variance))
            x = np.where(error > 0, middle / error, np.where(np.abs(middle) > 0, np.inf, 0.0))
        return np.stack([x, np.zeros_like(x)])

    # ------------------------------------------------------------------------------------------------------- decisions

    @cached
    def _joint(self) -> Array:
        """[k, l, l]: cases of each class by the decisions of both models."""
        l = len(self.first.outputs)
        joint = np.zeros((len(self.first.classes), l, l))
        np.add.at(joint, (self.first.truth[0], self.first.decisions[0], self.second.decisions[0]), 1)
        return joint

    def _moments(self, swapped: Iterator[Array]) -> list[Moments]:
        kinds = self._kinds[0]
        move = np.zeros((len(kinds), *self._joint.shape))
        place = np.arange(len(kinds))
        truth, one, other = kinds.T
        np.add.at(move, (place, truth, one, other), -1.0)
        np.add.at(move, (place, truth, other, one), 1.0)
        flat = move.reshape(len(kinds), -1)
        return [self._of_joint(self._joint + product(x, flat).reshape(-1, *self._joint.shape)) for x in swapped]

    @np.errstate(all="ignore")
    def _of_joint(self, joint: Array) -> Moments:
        """From leaving out a case of each kind in turn."""
        n = float(self.first.n)
        (value, moves), (second, others) = (self._moves(joint.sum(axis=axis), n) for axis in (-1, -2))
        move = np.where(joint > 0, moves[..., :, None] - others[..., None, :], 0.0)
        total = (joint * move).sum(axis=(1, 2, 3))
        spread = (joint * (move - total[:, None, None, None] / n) ** 2).sum(axis=(1, 2, 3))
        return value - second + total, spread * n / (n - 1)

    def _moves(self, table: Array, n: float) -> tuple[Array, Array]:
        """The measure of each table, and how much a case in each cell moves it."""
        rows, k, l = table.shape
        value = self._values(Counts(table))
        less = np.maximum(table[:, None] - np.eye(k * l).reshape(k * l, k, l), 0.0)
        left = self._values(Counts(less)).reshape(rows, k, l)
        return value, (value[:, None, None] - left) * (1 - 1 / n)

    def _moderated(self, variance: Array) -> Array:
        if not self._counted:
            return variance
        n = self.first.n
        return (n * variance + MODERATION * self._usual) / (n + MODERATION)

    @cached
    def _usual(self) -> float:
        """The mean square of the difference after exchanges: the same, whichever they were exchanged to before."""
        size = self._kinds[2]
        rng = np.random.default_rng(0)
        parts = self._moments(rng.binomial(size, 0.5, (b, len(size))) for b in self._blocks(USUAL))
        middle = np.concatenate([part[0] for part in parts])
        known = middle[np.isfinite(middle)]
        return float((known**2).mean()) if len(known) else 0.0

    # ----------------------------------------------------------------------------------------------------------- ranks

    @np.errstate(all="ignore")
    def _of_swaps(self, swapped: Array) -> Moments:
        """From leaving out each case in turn; areas and their like have no bias to speak of."""
        values = self._of_pairs if self.measure_of.kind is Pairs else self._of_score_tables
        (first, left), (second, others) = values(swapped), values(~swapped)
        apart, n = left - others, self.first.n
        spread = ((apart - apart.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return first - second, spread * (n - 1) / n

    def _of_pairs(self, swapped: Array) -> tuple[Array, Array]:
        """[B] and [B, n]: the measure, and without each case in turn."""
        label, k = self.first.truth[0], len(self.first.classes)
        passed, beaten = np.zeros((2, len(swapped), len(label), k))
        for j in range(k):
            own, x = label == j, [p.ordering(j) for p in (self.first, self.second)]
            wins = [[_wins(a[own], b[~own]) for b in x] for a in x]
            rest, mine = swapped[:, ~own].astype(float), swapped[:, own].astype(float)
            for c in range(k):
                of_class = label[~own] == c
                there = rest[:, of_class]
                each = [product(1 - there, w[0][:, of_class].T) + product(there, w[1][:, of_class].T) for w in wins]
                if c != j:
                    passed[:, own, c] = np.where(swapped[:, own], each[1], each[0])
            each = [product(1 - mine, wins[0][t]) + product(mine, wins[1][t]) for t in (0, 1)]
            beaten[:, ~own, j] = np.where(swapped[:, ~own], each[1], each[0])
        member = (label[:, None] == np.arange(k)).astype(float)
        matrix = np.ascontiguousarray(np.einsum("ij,bic->bjc", member, passed))
        weight = np.repeat(member.sum(axis=0)[None], len(swapped), axis=0)
        left = pairs_without(Pairs(matrix, weight), label, passed, beaten)
        return self._values(Pairs(matrix, weight)), self._values(left)

    def _of_score_tables(self, swapped: Array) -> tuple[Array, Array]:
        """The same of a measure of the score table of one class."""
        j = self.measure_of.place or 0
        own = (self.first.truth[0] == j).astype(int)
        x = [p.column(j) for p in (self.first, self.second)]
        scores, place = np.unique(np.concatenate(x), return_inverse=True)
        first, second = place.reshape(2, -1)
        at = np.where(swapped, second, first)
        rows, cases = np.arange(len(at))[:, None], np.arange(len(own))
        weight = np.zeros((len(at), 2, len(scores)))
        np.add.at(weight, (rows, own[None], at), 1.0)
        left = np.repeat(weight[:, None], len(own), axis=1)
        left[rows, cases[None], own[None], at] -= 1
        return self._values(ScoreTable(scores, weight)), self._values(ScoreTable(scores, left))


def _wins(own: Array, rest: Array) -> Array:
    """[own, rest]: is it higher? Half, if it is equal."""
    return np.asarray((own[:, None] > rest) + (own[:, None] == rest) / 2)
