"""MCC and CEN of many confusion matrices of different sizes (the experiment of Jurman et al.)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pycm import ConfusionMatrix

from karat import kernels
from karat.statistics.counts import TableSums

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


def correlation_and_entropy(cells: Any, sizes: Any) -> tuple[Any, Any]:
    """MCC and CEN by the kernel for ragged tables: a measure takes tables of one size."""
    sums, confused = kernels.ragged_sums(cells, sizes)
    s = TableSums(*sums)
    mcc = s.covariance / np.sqrt(s.truth_spread * s.decided_spread)
    return mcc, confused / (2 * np.log(2 * sizes - 2) * s.total)


def rows(quick: bool) -> Iterator[Row]:
    """Time of one matrix."""
    count = 20_000 if quick else 200_000
    cells, sizes = matrices(count)
    ends = np.cumsum(sizes**2)[:LOOPED]
    tables = [cells[e - k * k : e].reshape(k, k).astype(int).tolist() for e, k in zip(ends, sizes, strict=False)]
    named = [{i: dict(enumerate(row)) for i, row in enumerate(table)} for table in tables]

    def peer() -> list[dict[str, float]]:
        made = (ConfusionMatrix(matrix=matrix) for matrix in named)
        return [{"MCC": cm.Overall_MCC, "CEN": cm.Overall_CEN} for cm in made]

    mcc, cen = correlation_and_entropy(cells, sizes)
    for b, expected in enumerate(peer()):
        insist_on_agreement({"MCC": mcc[b], "CEN": cen[b]}, expected)
    yield times_faster(
        f"MCC and CEN of one of {count:,} matrices, 3 to 30 classes",
        lambda: correlation_and_entropy(cells, sizes),
        peer,
        "PyCM",
        2_000.0,
        rounds=3 if quick else 7,
        per=(count, LOOPED),
    )
