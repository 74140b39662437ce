"""Sums of probabilities and of losses, per true class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, Number, total
from karat.core.cached import cached
from karat.core.statistic import Needs, Statistic
from karat.core.validation import number_between
from karat.data import Predictions
from karat.kernels.records import LOSS_FACTS, PROBABILITY_FACTS, ClassSums
from karat.statistics import scans
from karat.statistics.counts import Counts


@dataclass(eq=False)
class ProbabilitySums(Statistic):
    """P'[..., k, k]: sum of the probability of each class (columns) over the cases of each class (rows); m[..., k]."""

    needs = Needs.PROBABILITIES
    per_class = "axis"
    facts = PROBABILITY_FACTS
    sums: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> ProbabilitySums:
        """Sum."""
        return cls(*scans.rows(predictions, counted=False)[1])

    @cached
    def total(self) -> Number:
        """The weight of all cases."""
        return total(self.weight)

    @cached
    def table(self) -> Counts:
        """The sums as a table: the expected counts if each case were decided at random by its probabilities."""
        return Counts(self.sums)

    @cached
    def relative(self) -> Counts:
        """The probabilistic confusion matrix: mean probabilities given the true class (zeros for one without cases)."""
        k = self.sums.shape[-1]
        rows = self.weight.reshape(-1, k)
        return Counts(kernels.relative(self.sums.reshape(-1, k, k), rows).reshape(self.sums.shape))


def class_sums(values: Array, weight: Array) -> ClassSums:
    """Sums over the classes with cases, of values[..., k]."""
    k, lead = weight.shape[-1], weight.shape[:-1]
    rows = kernels.class_sums(np.ascontiguousarray(values).reshape(-1, k), weight.reshape(-1, k))
    return ClassSums(*(row.reshape(lead) for row in rows)) if lead else ClassSums(*rows[:, 0].tolist())


@dataclass(eq=False)
class LossSums(Statistic):
    """Per true class: sum over cases of sum_j (f_j - p_j)^2, sum of log2 max(p_true, eps), weight; all [..., k]."""

    needs = Needs.PROBABILITIES
    facts = LOSS_FACTS
    parameters = {"eps": scans.FLOOR}  # noqa: RUF012
    squares: Array
    logs: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, eps: float = scans.FLOOR, **parameters: Any) -> LossSums:
        """Sum."""
        number_between("eps", eps, 0, 1, ends="[)")
        return cls(*scans.rows(predictions, eps, counted=False)[2])

    @property
    def classes(self) -> Number:
        """Number of declared classes."""
        return float(self.weight.shape[-1])

    @cached
    def squares_sums(self) -> ClassSums:
        """Of the squares."""
        return class_sums(self.squares, self.weight)

    @cached
    def logs_sums(self) -> ClassSums:
        """Of the logarithms."""
        return class_sums(self.logs, self.weight)


@dataclass(eq=False)
class Certainty(Statistic):
    """Per true class: sum of the probability of a wrong decision; sum of p_true / |p|; weight; all [..., k]."""

    needs = Needs.PROBABILITIES
    misplaced: Array
    spherical: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Certainty:
        """Sum."""
        q: Predictions = predictions
        assert q.scores is not None
        y, p = q.truth, q.scores
        k = len(q.classes)
        d = q.decisions
        w = np.ones(y.shape) if q.weight is None else q.weight
        hit = np.take_along_axis(p, y[..., None].astype(np.intp), axis=2)[..., 0]
        stated = np.take_along_axis(p, np.minimum(d, k - 1)[..., None].astype(np.intp), axis=2)[..., 0]
        stated = np.where(d < k, stated, np.nan)
        length = np.sqrt((p * p).sum(axis=2))
        return cls(
            scans.by_class(q, np.where((d != y) & (w > 0), w * stated, 0.0)),
            scans.by_class(q, w * hit / length),
            q.class_weight,
        )


@dataclass(eq=False)
class ColumnLosses(Statistic):
    """Of each column: sum over all cases of (f_j - p_j)^2; squares[..., k]."""

    needs = Needs.PROBABILITIES
    per_class = "axis"
    squares: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> ColumnLosses:
        """Sum."""
        q: Predictions = predictions
        assert q.scores is not None
        miss = q.scores - (q.truth[..., None] == np.arange(len(q.classes)))
        w = np.ones(q.truth.shape) if q.weight is None else q.weight
        return cls(np.einsum("bn,bnk->bk", w, miss**2).reshape(*q.lead, -1))
