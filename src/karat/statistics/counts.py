"""Counts of truth and decision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, Number, log
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.statistic import Statistic
from karat.data import Predictions
from karat.kernels.margins import TableMargins, first_floats, rest_of
from karat.kernels.records import COUNTS_FACTS, TableFacts, TableLogs, TableSums


@dataclass(eq=False)
class Counts(Statistic):
    """C[..., k, l]: weight of the cases of each class (rows) with each decision (columns)."""

    facts = COUNTS_FACTS
    table: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Counts:
        """Count."""
        if predictions.table is not None:
            return cls(predictions.table)
        return cls.of_decisions(predictions)

    @classmethod
    def of_decisions(cls, p: Predictions) -> Counts:
        """Count decisions without looking at probabilities (which `scans.rows` does at the same time)."""
        k, l = len(p.classes), len(p.outputs)
        if k * l > DENSE and not p.lead:
            return SparseCounts.of_cells(p.truth[0], p.decisions[0], p.weight, (k, l))
        cells = kernels.cell_weights(p.truth, p.decisions, p.weight, k, l)
        return cls(cells.reshape(*p.lead, k, l))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.table + other.table)

    @property
    def shape(self) -> tuple[int, ...]:
        """(..., k, l)."""
        return self.table.shape

    @cached
    def lead(self) -> tuple[int, ...]:
        """The leading axes: none, for one table."""
        return self.shape[:-2]

    @cached
    def k(self) -> int:
        """Number of declared classes."""
        return self.shape[-2]

    @cached
    def l(self) -> int:  # noqa: E743 - the papers' letter
        """Number of decision columns."""
        return self.shape[-1]

    @cached
    def classes(self) -> Number:
        """Number of declared classes, as a number that formulas reckon with: of tables of different sizes an array."""
        return float(self.k)

    @cached
    def ln_errors(self) -> Number:
        """ln 2(N - 1): each class can be mistaken for N - 1 others, and they for it; -inf of one class."""
        return log(2 * self.classes - 2)

    @property
    def decisions(self) -> Number:
        """Number of decision columns, as a number that formulas reckon with."""
        return float(self.l)

    @cached
    def _flat(self) -> Array:
        return np.ascontiguousarray(self.table, dtype=np.float64).reshape(-1, self.k, self.l)

    def _shaped(self, rows: Array) -> list[Number]:
        return [row.reshape(self.lead) for row in rows]

    @cached
    def _facts(self) -> TableFacts:
        """Of one table: all at once, as floats."""
        return kernels.facts(self._flat[0])

    @cached
    def sums(self) -> TableSums:
        """Total, trace, spreads."""
        if not self.lead:
            return self._facts.sums
        return TableSums(*self._shaped(kernels.table_sums(self._flat)))

    @cached
    def logs(self) -> TableLogs:
        """Entropy sums."""
        if not self.lead:
            return self._facts.logs
        return TableLogs(*self._shaped(kernels.table_logs(self._flat)))

    @cached
    def diagonal(self) -> Number:
        """Sum of ln c_jj over the classes with cases: one of the entropy sums, and cheaper than all of them."""
        return self._shaped(kernels.table_diagonal(self._flat)[None])[0] if self.lead else self.logs.diagonal

    @cached
    def confusion(self) -> Number:
        """sum over j of e_j: c (ln D_j - ln c) summed over the wrong cells of row and column j, D_j = t_j + u_j; nan if
        the table is not square."""
        if not self.lead:
            return self._facts.confusion
        if self.k != self.l:
            return np.full(self.lead, np.nan)
        return self._shaped(kernels.confusion(self._flat)[None])[0]

    @cached
    def overlap(self) -> Number:
        """Sum over the classes with cases of 2 c_jj / (t_j + u_j): the share of what is or is called j that is both."""
        if not self.lead:
            return self._facts.overlap
        return self._shaped(kernels.table_overlap(self._flat)[None])[0]

    @cached
    def truth(self) -> Array:
        """t[..., k]: weight of each class."""
        return np.asarray(self.binary.tp + self.binary.fn)

    @property
    def weight(self) -> Array:
        """Weight of each class."""
        return self.truth

    @cached
    def decided(self) -> Array:
        """u[..., l]: weight of each decision."""
        return np.asarray(self.table.sum(axis=-2))

    @property
    def hits(self) -> Array:
        """c_jj[..., k], 0 for a class that has no column."""
        return self.binary.tp

    def disorder(self, d: Array) -> tuple[Array, Array]:
        """Sum of c (ln d_j - ln c) over the wrong cells of row j, and of column j, of a square table; both [..., k]."""
        off = self.table.copy()
        off[..., np.arange(self.k), np.arange(self.k)] = 0
        ln_d = np.log(np.where(d > 0, d, 1.0))
        ln_c = np.log(np.where(off > 0, off, 1.0))
        rows = (off * (ln_d[..., :, None] - ln_c)).sum(axis=-1)
        return np.asarray(rows), np.asarray((off * (ln_d[..., None, :] - ln_c)).sum(axis=-2))

    @cached
    def relative(self) -> Counts:
        """Each row divided by its sum (a class without cases stays a row of zeros)."""
        return Counts(kernels.relative(self._flat, None).reshape(self.table.shape))

    @cached
    def binary(self) -> Binary:
        """Each class against the rest."""
        shape = self.table.shape[:-1]
        return Binary(*(part.reshape(shape) for part in kernels.one_against_rest(self._flat)))


DENSE = 1 << 22
"""Tables with more cells than this are kept as their non-empty cells, and nothing makes them."""
MOST_CELLS = 1 << 28
"""Of a table that is made nevertheless."""


class ListedCounts(Counts):
    """Counts of many classes: the cells that are not empty. Everything but `table` is taken from them alone."""

    rows: Array
    columns: Array
    values: Array
    size: tuple[int, int]

    def __init__(self, rows: Array, columns: Array, values: Array, size: tuple[int, int]) -> None:
        self.rows, self.columns, self.values, self.size = rows, columns, values, size

    @classmethod
    def of_cells(cls, rows: Array, columns: Array, weight: Array | None, shape: tuple[int, int]) -> Self:
        """Add up the weights (None: ones) that fall into each cell."""
        cell, place = np.unique(rows.astype(np.int64) * shape[1] + columns, return_inverse=True)
        values = np.bincount(place, None if weight is None else weight.ravel(), len(cell)).astype(np.float64)
        cell, values = cell[values > 0], values[values > 0]
        return cls(cell // shape[1], cell % shape[1], values, shape)

    def __add__(self, other: Counts) -> Counts:  # type: ignore[override]
        if not isinstance(other, ListedCounts):
            return Counts(self.table + other.table)
        rows, columns, values = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("rows", "columns", "values")
        )
        return self.of_cells(rows, columns, values, self.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """(k, l)."""
        return self.size

    def disorder(self, d: Array) -> tuple[Array, Array]:
        """The same, of the cells that are not empty."""
        off = self.rows != self.columns
        rows, columns, c = self.rows[off], self.columns[off], self.values[off]
        ln_d, ln_c = np.log(np.where(d > 0, d, 1.0)), np.log(c)
        sums = (np.bincount(at, c * (ln_d[at] - ln_c), self.k).astype(np.float64) for at in (rows, columns))
        return next(sums), next(sums)

    @cached
    def table(self) -> Array:
        """All cells: large."""
        k, l = self.size
        if k * l > MOST_CELLS:
            raise InputError(
                f"a table of {k:,} by {l:,} classes would take {k * l * 8 / 1e9:,.0f} GB; look at fewer classes, or at "
                "the confusions that a report shows."
            )
        table = np.zeros(self.shape)
        table[self.rows, self.columns] = self.values
        return table

    @cached
    def _margins(self) -> TableMargins:
        here = self.rows == self.columns
        off = np.where(here, 0.0, self.values)
        diagonal = np.bincount(self.rows, self.values - off, self.k)
        missed, alarms = np.bincount(self.rows, off, self.k), np.bincount(self.columns, off, self.l)
        u = alarms.copy()
        m = min(self.k, self.l)
        u[:m] += diagonal[:m]
        t, u, diagonal, missed, alarms = (x[None] for x in (missed + diagonal, u, diagonal, missed, alarms))
        return TableMargins(t, u, diagonal, missed, alarms, self.values[None], self.rows, self.columns)

    @cached
    def sums(self) -> TableSums:
        """Total, trace, spreads."""
        return TableSums(*first_floats(self._margins.sums()))

    @cached
    def logs(self) -> TableLogs:
        """Entropy sums."""
        return TableLogs(*first_floats(self._margins.logs()))

    @cached
    def diagonal(self) -> Number:
        """Sum of ln c_jj over the classes with cases."""
        return float(self._margins.diagonal_logs()[0])

    @cached
    def confusion(self) -> Number:
        """Nan if the table is not square."""
        return float(self._margins.confusion()[0]) if self.k == self.l else math.nan

    @cached
    def overlap(self) -> Number:
        """Shares of what is or is called j that is both."""
        return float(self._margins.overlap()[0])

    @property
    def decided(self) -> Array:
        """u[l]: weight of each decision."""
        return np.asarray(self._margins.u[0])

    @cached
    def relative(self) -> Counts:
        """Each row divided by its sum."""
        return type(self)(self.rows, self.columns, self.values / self._margins.t[0, self.rows], self.size)

    @cached
    def binary(self) -> Binary:
        """Each class against the rest."""
        m = self._margins
        alarms = m.of_classes(m.alarms)[0]
        rest = rest_of(m.t)[0]
        left = rest - alarms
        return Binary(m.diagonal[0], m.missed[0], alarms, np.where(left > 1e-12 * rest, left, 0.0))


class SparseCounts(ListedCounts):
    """Counts of so many classes that their table is never made on the way to an answer."""


@dataclass(eq=False)
class Binary(Statistic):
    """tp, fn, fp, tn[..., k]: each class against the rest."""

    per_class = "axis"
    one_pot = True
    facts = ("tp", "fn", "fp", "tn")
    tp: Array
    fn: Array
    fp: Array
    tn: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Binary:
        """Count."""
        return Counts.of(predictions).binary

    @property
    def weight(self) -> Array:
        """Weight of each class."""
        return np.asarray(self.tp + self.fn)

    def pooled(self) -> Binary:
        """All classes in one table."""
        return Binary(*(x.sum(axis=-1, keepdims=True) for x in (self.tp, self.fn, self.fp, self.tn)))
