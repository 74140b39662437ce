"""The order of more scores than may be kept: files are read again, a range of scores at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.accumulation.accumulator import Accumulator
from karat.accumulation.dataset_parts import DatasetPart, PartReader, ReadColumns
from karat.accumulation.model_states import KeyState
from karat.accumulation.pair_keys import widened
from karat.accumulation.rows_read import Skipped
from karat.accumulation.updates import ONLY
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.validation import size_in_bytes
from karat.statistics.added import OrderSums
from karat.statistics.score_grid import ScoreGrid

PIECE = 1 << 20
"""Keys whose scores are added up at a time."""


class Stretch(NamedTuple):
    """Scores that are read together: from the lowest of some cells to the highest of them."""

    low: float
    high: float
    cases: int


class KeysBetween:
    """Takes in what an accumulator takes in, and keeps the keys of one stretch."""

    def __init__(self, begin: Callable[[], Accumulator], stretch: Stretch, keys: Array, lock: Lock, at: list[int]):
        self.inner, self.keys, self.lock, self.at = begin(), keys, lock, at
        self.stretch = stretch
        self.skipped = Skipped()

    def update(self, y_true: Any, y_proba: Any, **options: Any) -> None:
        """Some rows, of which those in the stretch are kept."""
        self.inner.update(y_true, y_proba, **options)
        state = self.inner._models[ONLY]
        assert isinstance(state, KeyState)
        mine, state.filled = state.keys[: state.filled], 0
        mine = widened(mine) if mine.dtype != self.keys.dtype else mine
        mine = mine[(mine >= _key(self.stretch.low, mine.dtype)) & (mine <= _key(self.stretch.high, mine.dtype, 1))]
        with self.lock:
            first = self.at[0]
            self.at[0] += len(mine)
        if self.at[0] > len(self.keys):
            raise InputError(CHANGED)
        self.keys[first : first + len(mine)] = mine


CHANGED = "the files changed while they were read; read them again."


def _key(score: float, kind: Any, own: int = 0) -> Any:
    """The key of a score of the data."""
    narrow = kind == np.uint32
    return np.array(score, np.float32 if narrow else np.float64).view(kind) << kind.type(1) | kind.type(own)


def too_many(columns: ReadColumns, dataset: Any, rows: int | None, memory: str | int) -> bool:
    """Are rows of one column of probabilities, of two classes, more than `memory` holds?"""
    others = (columns.decided, columns.weight, columns.ids, *columns.models, *columns.by)
    if rows is None or len(columns.proba) != 1 or any(other is not None for other in others):
        return False
    narrow = str(dataset.schema.field(columns.proba[0]).type) in ("float", "halffloat")
    return rows * (4 if narrow else 8) > size_in_bytes("memory", memory)


def read_again(whole: Accumulator, read: PartReader, units: Sequence[DatasetPart], workers: int) -> None:
    """Let an accumulator know the order of all scores, of which it kept cells."""
    state = whole._models.get(ONLY)
    if isinstance(state, KeyState):
        state.fold()
        once_more = replace(read, begin=replace(read.begin, exact=True, memory=1 << 62))
        state.order = _order(once_more, units, state, whole.memory, max(1, min(workers, len(units))))


def _order(read: PartReader, units: Sequence[DatasetPart], state: KeyState, memory: int, workers: int) -> OrderSums:
    """Once each of the stretches that `memory` holds was read."""
    won = gained = refinement = below = mass = 0.0
    [grid] = state.folded.grids
    for stretch, tie in stretches(grid, memory // state.kind.itemsize):
        if tie is not None:
            ones, zeros, x = *tie, stretch.low
            sums, mine, theirs = (ones * zeros / 2, 0.0, ones * zeros / (ones + zeros)), ones * x, zeros * x
        else:
            keys = _keys_of(read, units, stretch, state.kind, workers)
            sums = kernels.order_sums(keys)
            ones, mine, theirs = _masses(keys)
            zeros = len(keys) - ones
        won += sums[0] + ones * below
        gained += sums[1] + mine * below - ones * mass
        refinement += sums[2]
        below, mass = below + zeros, mass + theirs
    return OrderSums(won, gained, refinement)


def stretches(grid: ScoreGrid, most: int) -> Iterator[tuple[Stretch, tuple[float, float] | None]]:
    """Ascending, of at most so many cases; a single score that many cases share is not read: (ones, zeros) of it."""
    cases = grid.weight.sum(axis=0)
    (low, high), ones = grid.ends, grid.weight[grid.own]
    alone = (low == high) & (cases > most / 4)
    if (cases[~alone] > most).any():
        raise InputError(
            f"{int(cases[~alone].max()):,} rows have almost the same probability, and {option('memory')} holds "
            f"{most:,}; allow more, or leave {option('exact')} out, so that they are added up."
        )
    start, taken = 0, 0.0
    for i in range(len(cases) + 1):
        if i == len(cases) or alone[i] or taken + cases[i] > most:
            if taken:
                yield Stretch(float(low[start]), float(high[i - 1]), int(taken)), None
            start, taken = i, 0.0
        if i < len(cases):
            if alone[i]:
                yield Stretch(float(low[i]), float(high[i]), int(cases[i])), (ones[i], cases[i] - ones[i])
                start = i + 1
            else:
                taken += cases[i]


def _keys_of(read: PartReader, units: Sequence[DatasetPart], stretch: Stretch, kind: Any, workers: int) -> Array:
    """All keys of a stretch, sorted."""
    keys, lock, at = np.empty(stretch.cases, kind), Lock(), [0]

    def work(first: int) -> None:
        taker: Any = KeysBetween(read.begin, stretch, keys, lock, at)
        for unit in units[first::workers]:
            read.into(taker, unit)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    if at[0] != len(keys):
        raise InputError(CHANGED)
    kernels.sort_pairs(keys)
    return keys


def _masses(keys: Array) -> tuple[float, float, float]:
    """(cases of the class, sum of their scores, sum of those of the others)."""
    ones = mine = theirs = 0.0
    for start in range(0, len(keys), PIECE):
        piece = keys[start : start + PIECE]
        own, x = (piece & piece.dtype.type(1)).astype(np.float64), kernels.scores_of_keys(piece)
        ones += own.sum()
        mine += (own * x).sum()
        theirs += ((1 - own) * x).sum()
    return ones, mine, theirs
