"""MCC and CEN of many confusion matrices of different sizes (the experiment of Jurman et al.)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pycm import ConfusionMatrix

import karat

from .measuring import Row, insist_on_agreement, times_faster

LOOPED = 30


def matrices(count: int) -> tuple[Any, Any]:
    """(cells one after the other, sizes 3..30): a diagonal up to 1000, errors up to a random part of that."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, 31, count)
    highest = np.floor(1000 * rng.uniform(0.01, 1, count)).astype(int)
    cells = rng.integers(1, np.repeat(highest, sizes**2), endpoint=True).astype(float)
    starts = np.cumsum(sizes**2) - sizes**2
    for size in range(3, 31):
        at = (starts[sizes == size][:, None] + np.arange(size) * (size + 1)).ravel()
        cells[at] = rng.integers(1, 1000, len(at), endpoint=True)
    return cells, sizes


def rows(quick: bool) -> Iterator[Row]:
    """Time of one matrix."""
    count = 20_000 if quick else 200_000
    cells, sizes = matrices(count)
    ends = np.cumsum(sizes**2)
    tables = [cells[e - k * k : e].reshape(k, k) for e, k in zip(ends, sizes, strict=True)]
    looped = [table.astype(int).tolist() for table in tables[:LOOPED]]
    named = [{i: dict(enumerate(row)) for i, row in enumerate(table)} for table in looped]

    def peer() -> list[dict[str, float]]:
        made = (ConfusionMatrix(matrix=matrix) for matrix in named)
        return [{"MCC": cm.Overall_MCC, "CEN": cm.Overall_CEN} for cm in made]

    found = karat.evaluate_matrices(tables, ["MCC", "CEN"])
    for b, expected in enumerate(peer()):
        insist_on_agreement({symbol: values[b] for symbol, values in found.items()}, expected)
    yield times_faster(
        f"MCC and CEN of one of {count:,} matrices, 3 to 30 classes",
        lambda: karat.evaluate_matrices(tables, ["MCC", "CEN"]),
        peer,
        "PyCM",
        2_000.0,
        rounds=3 if quick else 7,
        per=(count, LOOPED),
    )
