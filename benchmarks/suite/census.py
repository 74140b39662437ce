"""Every 3 x 3 confusion matrix of N cases, in blocks that stay in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from karat.catalogue import measures
from karat.statistics import Counts

from .measuring import Row, duration, in_turns

BLOCK = 16384
"""Matrices in a block: with 9 cells of 8 bytes 1.2 MB, small for a cache and large beside the cost of a call."""
ASKED = [measures[symbol] for symbol in ("Acc", "MCC", "CEN")]


@cache
def compositions(n: int, parts: int) -> Any:
    """All ways to write n as a sum of so many parts, [ways, parts]."""
    if parts == 1:
        return np.array([[float(n)]])
    return np.concatenate([_with_first(first, compositions(n - first, parts - 1)) for first in range(n + 1)])


def _with_first(first: int, rest: Any) -> Any:
    return np.concatenate([np.full((len(rest), 1), float(first)), rest], axis=1)


def blocks(n: int) -> Iterator[Any]:
    """All tables, [at most BLOCK, 3, 3] at a time, in one buffer: each first row with each pair of other rows."""
    buffer = np.empty((BLOCK, 3, 3))
    for first in range(n + 1):
        heads, tails = compositions(first, 3), compositions(n - first, 6).reshape(-1, 2, 3)
        long = BLOCK // min(len(heads), 8)  # several heads to a block fill it better than one
        for start in range(0, len(tails), long):
            part = tails[start : start + long]
            wide = BLOCK // len(part)
            for at in range(0, len(heads), wide):
                some = heads[at : at + wide]
                used = buffer[: len(some) * len(part)]
                grid = used.reshape(len(some), len(part), 3, 3)
                grid[:, :, 0] = some[:, None]
                grid[:, :, 1:] = part
                yield used


def measured(block: Any) -> list[Any]:
    """Acc, MCC and CEN of a block."""
    counts = Counts(block)
    return [m(counts) for m in ASKED]


def highest(n: int) -> list[float]:
    """The largest value of each, over all tables."""
    best = [-math.inf] * len(ASKED)
    for block in blocks(n):
        best = [max(b, float(v.max())) for b, v in zip(best, measured(block), strict=True)]
    return best


def rows(quick: bool) -> Iterator[Row]:
    """Matrices per second, with their generation and without."""
    n = 18 if quick else 24  # a multiple of 6: then a table with all errors alike, CEN 1, is among them
    tables = math.comb(n + 8, 8)
    if sum(len(block) for block in blocks(n)) != tables:
        raise AssertionError("the census is not complete")
    if not np.allclose(highest(n), 1):
        raise AssertionError(f"the largest Acc, MCC and CEN should be 1, not {highest(n)}")
    block = next(b for b in blocks(n) if len(b) == BLOCK).copy()
    census, one = in_turns([lambda: highest(n), lambda: measured(block)], 3 if quick else 7)
    for what, seconds, count in (
        (f"Acc, MCC and CEN of all {tables:,} matrices of {n} cases, 3 classes", census, tables),
        ("the same without making the matrices", one, BLOCK),
    ):
        millions = count / seconds / 1e6
        yield Row(what, f"{duration(seconds / count)} each", "", millions, 50.0)
