"""Tables of any sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat.kernels._tables import relative, table_diagonal, table_logs
from karat.kernels.margins import TableMargins
from karat.kernels.records import Array


def ragged_floats(tables: list[Any]) -> list[Any]:
    """The same with floats in the place of whole numbers, in contiguous arrays of two axes whose types hold them in at
    most 64 bits, signed if 64, and of which floats can tell all apart."""

    def of(table: Any) -> Any:
        if not (type(table) is np.ndarray and table.dtype.kind in "iu" and table.dtype.isnative and table.ndim == 2):
            return table
        fine = table.flags.c_contiguous and table.flags.aligned and table.dtype != np.uint64
        return table.astype(np.float64) if fine and (np.abs(table.astype(np.float64)) <= 2.0**53).all() else table

    return [of(table) for table in tables]


def ragged_relative(tables: list[Array]) -> list[Array]:
    """Each row of tables of any sizes divided by its sum; zeros where that is 0."""
    return [relative(table[None], None)[0] for table in tables]


def ragged_diagonal(tables: list[Array], shares: bool = False) -> Array:
    """[n]: `table_diagonal` of tables of any sizes, or of the shares of their rows."""
    tables = ragged_relative(tables) if shares else tables
    return _of_each_shape(table_diagonal, tables)


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


def ragged_sums(tables: list[Array], shares: bool = False) -> Array:
    """[10, n] of tables of any sizes, or of the shares of their rows: `table_sums`, `confusion` (nan of those not
    square) and `table_overlap`."""
    tables = ragged_relative(tables) if shares else tables

    def of(table: Array) -> Array:
        m = TableMargins.of(table)
        confused = m.confusion() if table.shape[1] == table.shape[2] else np.full(len(table), np.nan)
        return np.concatenate([m.sums(), [confused, m.overlap()]])

    return _of_each_shape(of, tables)


def ragged_logs(tables: list[Array]) -> Array:
    """[5, n] of tables of any sizes: `table_logs`."""
    return _of_each_shape(table_logs, tables)


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
