"""The exact table of one score column: what every curve, and everything that depends on order, can be taken from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, ratio
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.statistics.counts import Counts
from karat.statistics.roc_hull import rising_frequency

AT_ONCE = 1 << 16
"""Scores looked at together: of millions, room for all takes longer than looking."""


def pieces(scores: int) -> Iterator[slice]:
    """So many scores, part by part."""
    for start in range(0, scores, AT_ONCE):
        yield slice(start, start + AT_ONCE)


@dataclass(frozen=True, eq=False)
class ScoreTable(Statistic):
    """The distinct scores of one class's column, ascending, and the weight of each class at each of them:
    scores[m], weight[..., c, m]; row `own` is the class itself. Tables of parts of the data add up exactly."""

    needs = Needs.SCORES
    per_class = "each"
    scores: Array
    weight: Array
    own: int = 1
    apart: ClassVar[Array | None] = None
    """Of cells of a grid: see `CellTable`."""

    @classmethod
    def of_class(cls, p: Predictions, j: int, by_class: bool = False) -> ScoreTable:
        """The table of column j: class j against the rest (two rows: rest, class j), or with a row for every class."""
        assert p.held is not None
        if len(p.truth) != 1:
            raise ValueError("score tables are taken of one evaluation at a time")
        if p.mirrors(j) and not by_class:
            given = cls.of_class(p, 1 - j)  # the mirror image of the column that was given, whatever 1 - p rounds to
            return cls(1 - given.scores[::-1], given.weight[::-1, ::-1], 1)
        if by_class:
            return cls._tallied(p, p.column(j), p.truth[0], len(p.classes), j)
        return cls._tallied(p, p.held_column(j), p.truth[0] == j, 2, 1)

    @classmethod
    def of_confidence(cls, p: Predictions) -> ScoreTable:
        """The table of the highest score of each case; row 1 holds the cases that were decided rightly."""
        assert p.scores is not None
        return cls._tallied(p, p.scores[0].max(axis=1), p.right[0], 2, 1)

    @classmethod
    def _tallied(cls, p: Predictions, column: Array, group: Array, rows: int, own: int) -> ScoreTable:
        """The weight of each group at each distinct score; a score that only cases without weight have is left out."""
        if p.weight is None and group.dtype == bool and column.min(initial=0.0) >= 0:
            return cls(*kernels.score_counts(np.ascontiguousarray(column), np.ascontiguousarray(group)), own)
        column = column + np.float64(0.0)
        order = np.argsort(column)
        in_order = column[order]
        new = np.append(True, in_order[1:] != in_order[:-1])[: len(order)]
        scores, w = in_order[new], None if p.weight is None else p.weight[0]
        cell = np.asarray(group, np.intp)[order] * len(scores) + (np.cumsum(new) - 1)
        weight = np.bincount(cell, None if w is None else w[order], rows * len(scores)).astype(np.float64)
        weight = weight.reshape(rows, -1)
        if w is not None and not (kept := weight.sum(axis=0) > 0).all():
            scores, weight = scores[kept], weight[:, kept]
        return cls(scores, weight, own)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        return self.sum_of([self, other])

    @classmethod
    def sum_of(cls, tables: Sequence[ScoreTable]) -> ScoreTable:
        """Many added up: what each has is gone over once, not as often as there are others."""
        scores = np.concatenate([t.scores for t in tables])
        order = np.argsort(scores, kind="stable")  # runs that are in order already are merged
        scores = scores[order]
        new = np.append(True, scores[1:] != scores[:-1])[: len(scores)]
        weight = np.concatenate([t.weight for t in tables], axis=-1)[..., order]
        if not new.all():
            weight = np.add.reduceat(weight, np.flatnonzero(new), axis=-1)
        return cls(scores[new], weight, tables[0].own)

    def each(self) -> Iterator[ScoreTable]:
        """The tables along the leading axes, one at a time, without the scores that nobody has in it."""
        for weight in self.weight.reshape(-1, *self.weight.shape[-2:]):
            kept = weight.any(axis=0)
            yield type(self)(self.scores[kept], weight[:, kept], self.own)

    @cached
    def positive(self) -> Array:
        """Weight of the class itself at each score."""
        return np.asarray(self.weight[..., self.own, :])

    @cached
    def negative(self) -> Array:
        """Weight of all others at each score."""
        return (
            np.asarray(self.weight.sum(axis=-2) - self.positive)
            if self.weight.shape[-2] != 2
            else np.asarray(self.weight[..., 1 - self.own, :])
        )

    @cached
    def _falling(self) -> tuple[Array, Array]:
        def from_top(x: Array) -> Array:
            total = np.zeros((*x.shape[:-1], x.shape[-1] + 1))
            np.cumsum(x[..., ::-1], axis=-1, out=total[..., 1:])
            return total

        return from_top(self.positive), from_top(self.negative)

    @property
    def true_positives(self) -> Array:
        """[..., m + 1]: at or above each threshold, from +inf down through the distinct scores."""
        return self._falling[0]

    @property
    def false_positives(self) -> Array:
        """[..., m + 1]: at or above each threshold, from +inf down through the distinct scores."""
        return self._falling[1]

    @cached
    def mixed(self) -> tuple[float, float]:
        """Of one table: over the scores that cases of the class and others have, the pairs of them, and how they vary
        within (w f (1 - f), f being the share of the class)."""
        pairs = within = 0.0
        for part in pieces(len(self.scores)):
            own, rest = self.positive[part], self.negative[part]
            both = own * rest
            at = np.flatnonzero(both)
            pairs += float(both.sum())
            within += float((both[at] / (own[at] + rest[at])).sum())
        return pairs, within

    @cached
    def precision_sum(self) -> Array:
        """[...]: the precision from each score on, times the weight of the class there, summed."""
        m, lead = self.weight.shape[-1], self.weight.shape[:-2]
        return np.asarray(
            kernels.precision_sums(self.positive.reshape(-1, m), self.negative.reshape(-1, m)).reshape(lead)
        )

    @cached
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
        if not (isinstance(share, int | float) and 0 < share < 1):
            raise InputError(f"prevalence is {share}; give a number between 0 and 1.")
        own, rest = self.positive.sum(axis=-1), self.negative.sum(axis=-1)
        if not (np.all(own > 0) and np.all(rest > 0)):
            raise InputError("the prevalence can't be changed: one of the classes has no case.")
        factors = (1 - share) * (own + rest) / rest, share * (own + rest) / own
        weight = np.stack([self.negative * factors[0][..., None], self.positive * factors[1][..., None]], axis=-2)
        return type(self)(self.scores, weight, 1)

    def joined(self, most: int) -> ScoreTable:
        """The table with neighbouring scores joined to at most so many, of about equal weight; under the highest of
        each."""
        if len(self.scores) <= most:
            return self
        weight = self.positive + self.negative
        middle = np.cumsum(weight) - weight / 2
        group = np.floor(middle / weight.sum() * most)
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        ends = np.append(starts[1:], len(group)) - 1
        return type(self)(self.scores[ends], np.add.reduceat(self.weight, starts, axis=-1), self.own)

    @cached
    def counts(self) -> Counts:
        """C[..., m + 1, 2, 2] at each threshold, from +inf down: rows rest and class, columns not and decided so."""
        tp, fp = self.true_positives, self.false_positives
        rest, own = fp[..., -1:] - fp, tp[..., -1:] - tp
        return Counts(np.stack([np.stack([rest, fp], axis=-1), np.stack([own, tp], axis=-1)], axis=-2))

    @cached
    def isotonic(self) -> Array:
        """[m]: the frequency of the class at each score, made to rise with the score by pooling neighbours."""
        return rising_frequency(self.positive, self.negative)

    @cached
    def pools(self) -> Array:
        """[m]: the pool of neighbours that each score belongs to, rising from 0. Frequencies that differ by rounding
        alone are one pool."""
        return np.cumsum(np.append(False, np.diff(self.isotonic) > 1e-12))

    @cached
    def hull(self) -> Array:
        """Places among the thresholds (see `true_positives`) of the vertices of the convex hull of the ROC curve:
        pooling neighbours and taking the hull are the same thing."""
        pool = self.pools[::-1]
        ends = np.flatnonzero(np.append(pool[1:] != pool[:-1], True)) + 1
        return np.append(0, ends)


class ForecastTable(ScoreTable):
    """A score table whose scores are probabilities."""

    needs = Needs.PROBABILITIES
    bends = True
    unsupported = (
        "the frequencies that it fits follow sampling noise, so a calibrated model looks miscalibrated; use ECE"
    )


def table_by_table(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula that is written for one table, made to serve those along any leading axes."""

    @wraps(formula)
    def of_all(table: ScoreTable, **parameters: Any) -> Any:
        if table.weight.ndim == 2:
            return formula(table, **parameters)
        values = [formula(one, **parameters) for one in table.each()]
        return np.asarray(values, float).reshape(table.weight.shape[:-2])

    return of_all
