"""Counts of truth and decision."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, Number
from karat.core.statistic import Statistic
from karat.data import Matrix, Predictions
from karat.statistics import walks


class TableSums(NamedTuple):
    """Sums over a table that many formulas share; floats, or arrays over the leading axes."""

    total: Number
    trace: Number
    wrong: Number
    """off the diagonal"""
    covariance: Number
    """trace * s - sum t u: how truth and decision go together"""
    truth_spread: Number
    """sum t (s - t): 0 if all cases are of one class"""
    decided_spread: Number
    """sum u (s - u): 0 if all decisions are the same"""
    present: Number
    """number of classes with cases"""
    inside: Number
    """sum of the columns of those classes"""


class TableLogs(NamedTuple):
    """Sums of logarithms over a table, in nats; floats, or arrays over the leading axes."""

    cells: Number
    """s times the joint entropy"""
    truth: Number
    """s times the entropy of the truth"""
    decided: Number
    """s times the entropy of the decisions"""
    diagonal: Number
    """sum of ln c_jj over the classes with cases"""


@dataclass(frozen=True, eq=False)
class Counts(Statistic):
    """C[..., k, l]: weight of the cases of each class (rows) with each decision (columns)."""

    table: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Counts:
        """Count."""
        if isinstance(predictions, Matrix):
            return cls(predictions.table)
        return cls.counted(predictions)

    @classmethod
    def counted(cls, p: Predictions) -> Counts:
        """Count decisions without looking at probabilities (which `walks.rows` does at the same time)."""
        decided = p.decided
        if decided is None:
            assert p.scores is not None
            decided = p.scores.argmax(axis=2)
        B, n = p.truth.shape
        k, l = len(p.classes), len(p.outputs)
        cell = (np.arange(B)[:, None] * k + p.truth) * l + decided
        table = np.bincount(cell.ravel(), None if p.weight is None else p.weight.ravel(), B * k * l)
        return cls(table.astype(np.float64).reshape(*p.lead, k, l))

    @classmethod
    def taken(cls, walked: walks.Rows) -> Counts:
        """From a pass over the rows."""
        return cls(walked.counts)

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.table + other.table)

    @property
    def k(self) -> int:
        """Number of declared classes."""
        return int(self.table.shape[-2])

    @property
    def l(self) -> int:  # noqa: E743 - the papers' letter
        """Number of decision columns."""
        return int(self.table.shape[-1])

    @cached_property
    def _flat(self) -> Array:
        return np.ascontiguousarray(self.table, dtype=np.float64).reshape(-1, self.k, self.l)

    def _shaped(self, rows: Array) -> list[Number]:
        lead = self.table.shape[:-2]
        return rows[:, 0].tolist() if not lead else [row.reshape(lead) for row in rows]

    @cached_property
    def sums(self) -> TableSums:
        """Total, trace, spreads."""
        return TableSums(*self._shaped(kernels.table_sums(self._flat)))

    @cached_property
    def logs(self) -> TableLogs:
        """Entropy sums."""
        return TableLogs(*self._shaped(kernels.table_logs(self._flat)))

    @cached_property
    def confusion(self) -> Number:
        """sum over j of e_j, where e_j sums c (ln D_j - ln c) over the wrong cells of row and column j, D_j = t_j + u_j."""
        return self._shaped(kernels.confusion(self._flat)[None])[0]

    @cached_property
    def truth(self) -> Array:
        """t[..., k]: weight of each class."""
        return np.asarray(self.table.sum(axis=-1))

    @property
    def weight(self) -> Array:
        """Weight of each class."""
        return self.truth

    @cached_property
    def decided(self) -> Array:
        """u[..., l]: weight of each decision."""
        return np.asarray(self.table.sum(axis=-2))

    @cached_property
    def hits(self) -> Array:
        """c_jj[..., k], 0 for a class that has no column."""
        hits = np.diagonal(self.table, axis1=-2, axis2=-1)
        if self.l >= self.k:
            return hits
        return np.concatenate([hits, np.zeros((*hits.shape[:-1], self.k - self.l))], axis=-1)

    @cached_property
    def relative(self) -> Counts:
        """Each row divided by its sum (a class without cases stays a row of zeros)."""
        rows = self.truth[..., None]
        return Counts(np.divide(self.table, rows, out=np.zeros_like(self.table), where=rows > 0))

    @cached_property
    def binary(self) -> Binary:
        """Each class against the rest."""
        hits = self.hits
        decided = self.decided[..., : self.k]
        if self.l < self.k:
            decided = np.concatenate([decided, np.zeros((*decided.shape[:-1], self.k - self.l))], axis=-1)
        misses, alarms = self.truth - hits, decided - hits
        rest = self.truth.sum(axis=-1, keepdims=True) - self.truth
        return Binary(hits, misses, alarms, rest - alarms)


@dataclass(frozen=True, eq=False)
class Binary(Statistic):
    """tp, fn, fp, tn[..., k]: each class against the rest."""

    per_class = "axis"
    tp: Array
    fn: Array
    fp: Array
    tn: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Binary:
        """Count."""
        return Counts.of(predictions).binary

    def __add__(self, other: Binary) -> Binary:
        return Binary(self.tp + other.tp, self.fn + other.fn, self.fp + other.fp, self.tn + other.tn)

    @property
    def weight(self) -> Array:
        """Weight of each class."""
        return np.asarray(self.tp + self.fn)

    def pooled(self) -> Binary:
        """All classes in one table."""
        return Binary(*(x.sum(axis=-1, keepdims=True) for x in (self.tp, self.fn, self.fp, self.tn)))
