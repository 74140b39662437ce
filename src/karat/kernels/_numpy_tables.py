"""The kernels of small tables in plain numpy: of one shape, of any sizes, all tables of a total; see `_numpy.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.kernels.records import TableFacts, TableLogs, TableSums

Array = NDArray[Any]


def _floats(rows: Array) -> list[float]:
    """Of the first evaluation."""
    return rows[:, 0].tolist()  # type: ignore[no-any-return]


def _x_ln_x(x: Array) -> Array:
    """x ln x, with 0 ln 0 = 0."""
    return x * np.log(np.where(x > 0, x, 1.0))


def _rest_of(x: Array) -> Array:
    """For each entry of the last axis, the sum of all others: not by subtraction, whose noise should be 0."""
    before = np.cumsum(x, axis=-1)
    after = np.cumsum(x[..., ::-1], axis=-1)[..., ::-1]
    rest = np.zeros_like(before)
    rest[..., 1:] += before[..., :-1]
    rest[..., :-1] += after[..., 1:]
    return rest


class Margins(NamedTuple):
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
    def of(cls, table: Array) -> Margins:
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
        t, u, hit, rest, alarms = self.t, self.u, self.diagonal, _rest_of(self.t), self.of_classes(self.alarms)
        there = t > 0
        return np.stack(
            [
                t.sum(axis=1),
                hit.sum(axis=1),
                self.missed.sum(axis=1),
                (hit * (rest - alarms) - self.missed * alarms).sum(axis=1),
                (t * rest).sum(axis=1),
                (u * _rest_of(u)).sum(axis=1),
                there.sum(axis=1).astype(float),
                (self.of_classes(u) * there).sum(axis=1),
            ]
        )

    def overlap(self) -> Array:
        """See `table_overlap`."""
        both = self.t + self.of_classes(self.u)
        return np.asarray(np.divide(2 * self.diagonal, both, out=np.zeros_like(self.t), where=self.t > 0).sum(axis=1))

    def logs(self) -> Array:
        """See `table_logs`."""
        s = self.t.sum(axis=1)[:, None]
        s = np.where(s > 0, s, 1.0)

        def surprise(x: Array) -> Array:
            some = np.where(x > 0, x, 1.0)
            most = 2 * x > s
            kept = -np.log1p(np.where(most, (x - s) / s, 0.0))
            return np.asarray((x * np.where(most, kept, np.log(s) - np.log(some))).sum(axis=1))

        x = self.cells
        t, u = self.t[:, self.rows], self.u[:, self.columns]
        apart = x * (((s - t) - u) + x) - (t - x) * (u - x)
        with np.errstate(divide="ignore", invalid="ignore"):
            off = apart / t / u
            share = np.where(off > -0.5, np.log1p(off), np.log(x / t * (s / u)))
            shared = np.where(x > 0, x * share, 0.0).sum(axis=1)
        return np.stack([surprise(x), surprise(self.t), surprise(self.u), self.diagonal_logs(), shared])

    def diagonal_logs(self) -> Array:
        """See `table_diagonal`."""
        with np.errstate(divide="ignore", invalid="ignore"):  # sums of scores may be negative
            return np.asarray(np.log(np.where(self.t > 0, self.diagonal, 1.0)).sum(axis=1))

    def confusion(self) -> Array:
        """See `confusion`."""
        d = self.t + self.u
        off = np.where(self.rows == self.columns, 0.0, self.cells)
        wrong = (self.missed + self.alarms) * np.log(np.where(d > 0, d, 1.0))
        return np.asarray(np.maximum(wrong.sum(axis=1) - 2 * _x_ln_x(off).sum(axis=1), 0.0))

    def facts(self) -> TableFacts:
        """See `facts`; of the first table."""
        return TableFacts(
            TableSums(*_floats(self.sums())),
            TableLogs(*_floats(self.logs())),
            float(self.confusion()[0]) if self.t.shape == self.u.shape else math.nan,
            float(self.overlap()[0]),
        )


def table_sums(table: Array) -> Array:
    """[8, B]: total s, trace, off-diagonal sum, trace*s - sum t u, sum t (s-t), sum u (s-u); of the classes with cases:
    their number and the sum of their columns. (Written so that nothing cancels: a class that takes all gives 0.)"""
    return Margins.of(table).sums()


def table_overlap(table: Array) -> Array:
    """[B]: sum over the classes with cases of 2 c_jj / (t_j + u_j)."""
    return Margins.of(table).overlap()


def table_logs(table: Array) -> Array:
    """[5, B]: sum of x (ln s - ln x) over the cells, the row sums and the column sums (s times the entropies, in nats),
    the sum of ln c_jj over the classes with cases (-inf where one of them is never right), and the sum over the cells
    of x ln(x s / (t u)) (s times the mutual information)."""
    return Margins.of(table).logs()


def table_diagonal(table: Array) -> Array:
    """[B]: the sum of ln c_jj over the classes with cases, alone."""
    return Margins.of(table).diagonal_logs()


def confusion(table: Array) -> Array:
    """[B]: sum over j of (D_j - 2 c_jj) ln D_j, D_j = t_j + u_j, minus twice the sum of x ln x off the diagonal."""
    return Margins.of(table).confusion()


def facts(table: Array) -> TableFacts:
    """`table_sums`, `table_logs`, `confusion` (nan unless the table is square) and `table_overlap` of one table, as
    floats: for one table the calls cost more than the sums."""
    return Margins.of(table[None]).facts()


def _of_each_shape(function: Callable[[Array], Array], tables: list[Array]) -> Array:
    """[..., n]: a function of tables of one shape, of each of these."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(tables):
        shapes.setdefault(table.shape, []).append(i)
    parts = [function(np.stack([tables[i] for i in places])) for places in shapes.values()]
    out = np.empty((*parts[0].shape[:-1], len(tables)))
    for places, part in zip(shapes.values(), parts, strict=True):
        out[..., places] = part
    return out


def ragged_extent(tables: list[Any]) -> Array | None:
    """[4, n] of tables of any sizes: rows, columns, lowest and highest cell (nan where a cell is); None unless all are
    contiguous float64 arrays of two axes."""
    for table in tables:
        if not (type(table) is np.ndarray and table.dtype == np.float64 and table.ndim == 2):
            return None
        if not (table.flags.c_contiguous and table.flags.aligned):
            return None
    ends = [(x.min(initial=np.inf), x.max(initial=-np.inf)) for x in tables]
    return np.array([(*x.shape, *end) for x, end in zip(tables, ends, strict=True)], float).reshape(-1, 4).T.copy()


def ragged_sums(tables: list[Array]) -> Array:
    """[10, n] of tables of any sizes: `table_sums`, `confusion` (nan of those not square) and `table_overlap`."""

    def of(table: Array) -> Array:
        m = Margins.of(table)
        confused = m.confusion() if table.shape[1] == table.shape[2] else np.full(len(table), np.nan)
        return np.concatenate([m.sums(), [confused, m.overlap()]])

    return _of_each_shape(of, tables)


def ragged_logs(tables: list[Array]) -> Array:
    """[5, n] of tables of any sizes: `table_logs`."""
    return _of_each_shape(table_logs, tables)


def _following(cells: list[int]) -> list[int] | None:
    """The table after this one: one case moves from the last cell to the one before; if there is none, the last cell
    that has some gives them all back and one of them moves to the cell before it."""
    cells, d = list(cells), len(cells) - 2
    if cells[-1] == 0:
        while d >= 0 and cells[d] == 0:
            d -= 1
        if d <= 0:
            return None
        cells[-1], cells[d] = cells[d], 0
        d -= 1
    cells[-1] -= 1
    cells[d] += 1
    return cells


def census(k: int, cells: list[int], block: int) -> tuple[Array, list[int] | None]:
    """[9, B] of the tables of whole numbers from this one on, whose last but one cell is 0: `table_sums` and
    `confusion`; and the first table of those that follow, None if there is none. As many as fit into a block, in whole
    runs over the last two cells."""
    made: list[list[int]] = []
    following: list[int] | None = cells
    while following is not None and (following[-2] > 0 or len(made) + following[-1] < block):
        made.append(following)
        following = _following(following)
    m = Margins.of(np.array(made, float).reshape(-1, k, k))
    return np.concatenate([m.sums(), m.confusion()[None]]), following


def census_tables(k: int, cells: list[int], count: int) -> Array:
    """[count, k, k]: the tables of whole numbers from this one on."""
    made = [cells]
    while len(made) < count:
        made.append(_following(made[-1]) or [])
    return np.array(made, float).reshape(count, k, k)


def one_against_rest(table: Array) -> Array:
    """[4, B, k]: true positives, false negatives, false positives, true negatives of each class."""
    m = Margins.of(table)
    k = table.shape[1]
    without = np.moveaxis(_rest_of(table), 1, 2)  # [B, column, row]: the row without the column
    without = (
        without[:, :k]
        if without.shape[1] >= k
        else np.concatenate([without, np.broadcast_to(m.t[:, None, :], (len(table), k - without.shape[1], k))], axis=1)
    )
    return np.stack([m.diagonal, m.missed, m.of_classes(m.alarms), (without * ~np.eye(k, dtype=bool)).sum(axis=2)])


def relative(table: Array, rows: Array | None) -> Array:
    """[B, k, l]: each row divided by the given number (None: by its sum); zeros where that is 0."""
    rows = table.sum(axis=2) if rows is None else rows
    return np.divide(table, rows[..., None], out=np.zeros_like(table), where=rows[..., None] > 0)


def pair_sums(matrix: Array, weight: Array) -> Array:
    """[5, B]: number of classes with cases; with a_jc = matrix_jc / (m_j m_c) over ordered pairs of such classes, sum
    a_jc and sum pi_j a_jc; with r_j = sum_c matrix_jc / (m_j (W - m_j)), sum r_j and sum pi_j r_j."""
    k = weight.shape[1]
    there = weight > 0
    total = weight.sum(axis=1)
    inverse = np.divide(1.0, weight, out=np.zeros_like(weight), where=there)
    pairs = np.where(~np.eye(k, dtype=bool) & there[:, None, :], matrix, 0.0)
    row = (pairs * inverse[:, None, :]).sum(axis=2) * inverse
    rest = _rest_of(weight)
    against = np.divide(pairs.sum(axis=2) * inverse, rest, out=np.zeros_like(weight), where=rest > 0)
    prior = weight / np.where(total > 0, total, 1.0)[:, None]
    return np.stack(
        [
            there.sum(axis=1).astype(float),
            row.sum(axis=1),
            (row * prior).sum(axis=1),
            against.sum(axis=1),
            (against * prior).sum(axis=1),
        ]
    )


def class_sums(values: Array, weight: Array) -> Array:
    """[3, B]: number of classes with cases, their weight, and the sum of their values[B, k]."""
    there = weight > 0
    return np.stack([there.sum(axis=1).astype(float), weight.sum(axis=1), np.where(there, values, 0.0).sum(axis=1)])
