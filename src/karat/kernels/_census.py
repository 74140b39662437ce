"""Every table of whole numbers with a given total, in the order of its cells as digits."""

from __future__ import annotations

import numpy as np

from karat.kernels.margins import TableMargins
from karat.kernels.records import Array


def census(k: int, cells: list[int], block: int) -> tuple[Array, list[int] | None]:
    """[5, B] of the tables of whole numbers from this one on, whose last but one cell is 0: trace, covariance, truth
    spread and decided spread of `table_sums`, and `confusion`; and the first table of those that follow, None if there
    is none. As many as fit into a block, in whole runs over the last two cells."""
    tables: list[list[int]] = []
    following: list[int] | None = cells
    while following is not None and (following[-2] > 0 or len(tables) + following[-1] < block):
        tables.append(following)
        following = _following(following)
    m = TableMargins.of(np.array(tables, float).reshape(-1, k, k))
    return np.concatenate([m.sums()[[1, 3, 4, 5]], m.confusion()[None]]), following


def census_tables(k: int, cells: list[int], count: int) -> Array:
    """[count, k, k]: the tables of whole numbers from this one on."""
    tables = [cells]
    while len(tables) < count:
        tables.append(_following(tables[-1]) or [])
    return np.array(tables, float).reshape(count, k, k)


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
