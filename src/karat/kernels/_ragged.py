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
    return [table.astype(np.float64) if _is_whole(table) else table for table in tables]


def _is_whole(table: Any) -> bool:
    if not (type(table) is np.ndarray and table.dtype.kind in "iu" and table.dtype.isnative and table.ndim == 2):
        return False
    fine = table.flags.c_contiguous and table.flags.aligned and table.dtype != np.uint64
    return fine and bool((np.abs(table.astype(np.float64)) <= 2.0**53).all())


def ragged_relative(tables: list[Array]) -> list[Array]:
    """Each row of tables of any sizes divided by its sum; zeros where that is 0."""
    return [relative(table[None], None)[0] for table in ragged_floats(tables)]


def ragged_extent(tables: list[Any]) -> Array | None:
    """[4, n] of tables of any sizes: rows, columns, lowest and highest cell (nan where a cell is); None unless all are
    contiguous arrays of two axes, of float64 or of whole numbers as `ragged_floats` takes them."""
    for table in tables:
        if _is_whole(table):
            continue
        if not (type(table) is np.ndarray and table.dtype == np.float64 and table.ndim == 2):
            return None
        if not (table.flags.c_contiguous and table.flags.aligned):
            return None
    ends = [(x.min(initial=np.inf), x.max(initial=-np.inf)) for x in ragged_floats(tables)]
    return np.array([(*x.shape, *end) for x, end in zip(tables, ends, strict=True)], float).reshape(-1, 4).T.copy()


def ragged_facts(
    tables: list[Array], sums: bool, logs: bool, shares: bool, room: Array | None = None
) -> tuple[Array | None, Array | None, Array | None]:
    """Of tables of any sizes, as far as they are asked for: [10, n] `table_sums`, `confusion` (nan of those not square)
    and `table_overlap`; [5, n] `table_logs`; [4, n] of the shares of their rows: their sum, those on the diagonal,
    `confusion` and `table_diagonal`. They may be put into the room, of 19 numbers for a table."""

    def sums_of(table: Array) -> Array:
        m = TableMargins.of(table)
        confused = m.confusion() if table.shape[1] == table.shape[2] else np.full(len(table), np.nan)
        return np.concatenate([m.sums(), [confused, m.overlap()]])

    def shares_of(table: Array) -> Array:
        shares = relative(table, None)
        return np.concatenate([sums_of(shares)[[0, 1, 8]], [table_diagonal(shares)]])

    asked = ((sums_of, sums), (table_logs, logs), (shares_of, shares))
    tables = ragged_floats(tables)
    found = (_of_each_shape(function, tables) if is_asked else None for function, is_asked in asked)
    return next(found), next(found), next(found)


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
