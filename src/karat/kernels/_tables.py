"""Small tables of one shape [B, k, l]."""

from __future__ import annotations

import numpy as np

from karat.kernels.margins import TableMargins, rest_of
from karat.kernels.records import Array, TableFacts


def table_sums(table: Array) -> Array:
    """[8, B]: total s, trace, off-diagonal sum, trace*s - sum t u, sum t (s-t), sum u (s-u); of the classes with cases:
    their number and the sum of their columns. (Written so that nothing cancels: a class that takes all gives 0.)"""
    return TableMargins.of(table).sums()


def table_overlap(table: Array) -> Array:
    """[B]: sum over the classes with cases of 2 c_jj / (t_j + u_j)."""
    return TableMargins.of(table).overlap()


def table_logs(table: Array) -> Array:
    """[5, B]: sum of x (ln s - ln x) over the cells, the row sums and the column sums (s times the entropies, in nats),
    the sum of ln c_jj over the classes with cases (-inf where one of them is never right), and the sum over the cells
    of x ln(x s / (t u)) (s times the mutual information)."""
    return TableMargins.of(table).logs()


def table_diagonal(table: Array) -> Array:
    """[B]: the sum of ln c_jj over the classes with cases, alone."""
    return TableMargins.of(table).diagonal_logs()


def confusion(table: Array) -> Array:
    """[B]: sum over j of (D_j - 2 c_jj) ln D_j, D_j = t_j + u_j, minus twice the sum of x ln x off the diagonal."""
    return TableMargins.of(table).confusion()


def facts(table: Array) -> TableFacts:
    """`table_sums`, `table_logs`, `confusion` (nan unless the table is square) and `table_overlap` of one table, as
    floats: for one table the calls cost more than the sums."""
    return TableMargins.of(table[None]).facts()


def one_against_rest(table: Array) -> Array:
    """[4, B, k]: true positives, false negatives, false positives, true negatives of each class."""
    m = TableMargins.of(table)
    k = table.shape[1]
    without = np.moveaxis(rest_of(table), 1, 2)  # [B, column, row]: the row without the column
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
    rest = rest_of(weight)
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
