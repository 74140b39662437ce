"""Row and column sums of tables, and what follows from them. The numpy twins of the kernels of tables take all from
here, and so do counts of which only the cells that are not empty are kept, whichever kernels are in use."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from karat.kernels.records import Array, TableFacts, TableLogs, TableSums


def rest_of(x: Array) -> Array:
    """For each entry of the last axis, the sum of all others: not by subtraction, whose noise should be 0."""
    before = np.cumsum(x, axis=-1)
    after = np.cumsum(x[..., ::-1], axis=-1)[..., ::-1]
    rest = np.zeros_like(before)
    rest[..., 1:] += before[..., :-1]
    rest[..., :-1] += after[..., 1:]
    return rest


def first_floats(rows: Array) -> list[float]:
    """Of the first evaluation."""
    return rows[:, 0].tolist()  # type: ignore[no-any-return]


def x_ln_x(x: Array) -> Array:
    """x ln x, with 0 ln 0 = 0."""
    return x * np.log(np.where(x > 0, x, 1.0))


class TableMargins(NamedTuple):
    """What the sums over tables are taken from: row sums t[B, k], column sums u[B, l], the diagonal[B, k] (0 where
    there is no column), row sums without it (missed[B, k]), column sums without it (alarms[B, l]); and the cells that
    are not empty, or all: their values[B, c], rows[c] and columns[c]."""

    t: Array
    u: Array
    diagonal: Array
    missed: Array
    alarms: Array
    cells: Array
    rows: Array
    columns: Array

    @classmethod
    def of(cls, table: Array) -> TableMargins:
        """Of dense tables."""
        B, k, l = table.shape
        m = np.arange(min(k, l))
        diagonal, off = np.zeros((B, k)), table.copy()
        diagonal[:, m] = table[:, m, m]
        off[:, m, m] = 0
        rows, columns = (place.ravel() for place in np.indices((k, l)))
        missed, alarms = off.sum(axis=2), off.sum(axis=1)
        u = alarms.copy()
        u[:, m] += diagonal[:, m]
        return cls(missed + diagonal, u, diagonal, missed, alarms, table.reshape(B, -1), rows, columns)

    def of_classes(self, x: Array) -> Array:
        """[B, k] out of [B, l]: the columns of the classes."""
        k, l = self.t.shape[1], x.shape[1]
        return x[:, :k] if l >= k else np.pad(x, ((0, 0), (0, k - l)))

    def sums(self) -> Array:
        """See `table_sums`."""
        t, u, hit, missed, rest, others = self.t, self.u, self.diagonal, self.missed, rest_of(self.t), rest_of(self.u)
        u_, alarms, others_ = (self.of_classes(x) for x in (u, self.alarms, others))
        there = t > 0
        # hit s - t u, by whichever is smaller of what is not in the row and what is not in the column
        together = np.where(rest < others_, hit * rest - t * alarms, hit * others_ - u_ * missed)
        return np.stack(
            [
                t.sum(axis=1),
                hit.sum(axis=1),
                missed.sum(axis=1),
                together.sum(axis=1),
                (t * rest).sum(axis=1),
                (u * others).sum(axis=1),
                there.sum(axis=1).astype(float),
                (u_ * there).sum(axis=1),
            ]
        )

    def overlap(self) -> Array:
        """See `table_overlap`."""
        both, share = self.t + self.of_classes(self.u), np.zeros_like(self.t)
        with np.errstate(divide="ignore", invalid="ignore"):  # sums of scores may be negative
            return np.asarray(np.divide(2 * self.diagonal, both, out=share, where=self.t > 0).sum(axis=1))

    def logs(self) -> Array:
        """See `table_logs`."""
        s = self.t.sum(axis=1)[:, None]
        s = np.where(s > 0, s, 1.0)

        def surprise(x: Array) -> Array:
            some = np.where(x > 0, x, 1.0)
            most = 2 * x > s
            share = np.log(s) - np.log(some)
            if most.any():
                share = np.where(most, -np.log1p(np.where(most, -rest_of(x) / s, 0.0)), share)
            return np.asarray((x * share).sum(axis=1))

        x = self.cells
        t, u = self.t[:, self.rows], self.u[:, self.columns]
        with np.errstate(divide="ignore", invalid="ignore"):
            off = self._together(s) / t / u
            share = np.where(off > -0.5, np.log1p(off), np.log(x / t * (s / u)))
            shared = np.where(x > 0, x * share, 0.0).sum(axis=1)
        return np.stack([surprise(x), surprise(self.t), surprise(self.u), self.diagonal_logs(), shared])

    def _together(self, s: Array) -> Array:
        """[B, c]: x s - t u of each cell, as in `sums`."""
        x, t, u = self.cells, self.t[:, self.rows], self.u[:, self.columns]
        rest, others = rest_of(self.t)[:, self.rows], rest_of(self.u)[:, self.columns]
        below = _others_in_line(x, 2 * t > s, u, self.columns, self.u.shape[1])
        beside = _others_in_line(x, 2 * u > s, t, self.rows, self.t.shape[1])
        return np.asarray(np.where(rest < others, x * rest - t * below, x * others - u * beside))

    def diagonal_logs(self) -> Array:
        """See `table_diagonal`."""
        with np.errstate(divide="ignore", invalid="ignore"):  # sums of scores may be negative
            return np.asarray(np.log(np.where(self.t > 0, self.diagonal, 1.0)).sum(axis=1))

    def confusion(self) -> Array:
        """See `confusion`."""
        return self.confusion_of(x_ln_x(np.where(self.rows == self.columns, 0.0, self.cells)).sum(axis=1))

    def confusion_of(self, spread: Array) -> Array:
        """The same from the sum of c ln c over the cells off the diagonal."""
        d = self.t + self.u
        wrong = (self.missed + self.alarms) * np.log(np.where(d > 0, d, 1.0))
        return np.asarray(np.maximum(wrong.sum(axis=1) - 2 * spread, 0.0))

    def facts(self) -> TableFacts:
        """See `facts`; of the first table."""
        return TableFacts(
            TableSums(*first_floats(self.sums())),
            TableLogs(*first_floats(self.logs())),
            float(self.confusion()[0]) if self.t.shape == self.u.shape else math.nan,
            float(self.overlap()[0]),
        )


def _others_in_line(x: Array, most: Array, sums: Array, line: Array, lines: int) -> Array:
    """[B, c]: what is in the line of each cell x[B, c] besides it, of `sums`[B, c] there: by subtraction, but for cells
    that cross the line which holds `most`, of which there is one in each."""
    if not most.any():
        return sums - x
    B = len(x)
    place = np.arange(B)[:, None] * lines + line
    others = np.bincount(place.ravel(), np.where(most, 0.0, x).ravel(), B * lines)
    return np.where(most, others[place], sums - x)
