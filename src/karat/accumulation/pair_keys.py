"""Two classes and one column of probabilities: a row is one key (see `kernels.pack_pairs`), nothing else is kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.kernels.records import PILED_CELLS
from karat.statistics import ClassBins, ConfidenceBins, Counts, LossSums, ProbabilitySums
from karat.statistics.added import FINE_BINS, LEAST, Sums, added
from karat.statistics.probability_sums import ColumnLosses
from karat.statistics.scans import FLOOR
from karat.statistics.score_grid import ScoreGrid
from karat.statistics.score_table import ScoreTable

KEY_OF: dict[Any, Any] = {np.dtype(np.float32): np.uint32, np.dtype(np.float64): np.uint64}
"""The type of keys that holds probabilities of a type."""

STRETCH = 1 << 13
"""Cells of a table that are looked at together."""
HEAPS = 1 << 10
"""Heaps of keys whose sums are made at a time: each has some 16 kB while they are."""


class Edges(NamedTuple):
    """Where keys pass from one bin to another, in either column, or from one decision to the other."""

    keys: Array
    """the first key of each range but the first; at the end twice more than any key"""
    steps: Array
    """[1025]: how many of them there are up to each score i / 1024"""
    own_bin: Array
    """[ranges]: the bin of the probability"""
    rest_bin: Array
    """[ranges]: the bin of one minus it"""
    side: Array
    """[ranges]: -1 below one half, 0 at it, 1 above"""


@lru_cache
def edges_of(kind: Any) -> Edges:
    """For keys of this type."""
    narrow = kind == np.uint32
    score = np.float32 if narrow else np.float64
    top = int(np.array(1, score).view(kind)) + 1

    def value(bits: int) -> float:
        return float(np.array(bits, kind).view(score))

    limits = [i / FINE_BINS for i in range(1, FINE_BINS)]
    own = [bisect_right(range(top), e, key=value) for e in limits]
    rest = [bisect_left(range(top), -e, key=lambda bits: value(bits) - 1) for e in reversed(limits)]
    half = int(np.array(0.5, score).view(kind))
    starts = np.unique(np.array([*own, *rest, half, half + 1], kind))
    first = np.append(kind(0), starts)
    own_bin = np.searchsorted(np.array(own, kind), first, side="right")
    rest_bin = FINE_BINS - 1 - np.searchsorted(np.array(rest, kind), first, side="right")
    keys = np.append(starts << kind(1), np.full(2, np.iinfo(kind).max, kind))
    steps = np.searchsorted(starts, (np.arange(1025) / 1024).astype(score).view(kind), side="right").astype(np.int16)
    return Edges(keys, steps, own_bin, rest_bin, np.sign([value(int(b)) - 0.5 for b in first]).astype(int))


class KeySums:
    """Sums of keys, in whatever order these come; of one heap of keys, or of several (`heaps`) apart."""

    def __init__(self, kind: Any, heaps: tuple[int, ...] = ()) -> None:
        self.edges = edges_of(np.uint32 if kind == np.uint32 else np.uint64)
        self._ranges = np.zeros((*heaps, len(self.edges.side), 2, 4))
        self._ranges[..., 1] = 1
        self._totals = np.zeros((*heaps, 2, 2, 4))

    def add(self, keys: Array, heap: Any = ...) -> None:
        """Some more, to one of the heaps."""
        kernels.pile_sums(keys, self.edges.steps, self.edges.keys, self._ranges[heap], self._totals[heap])

    def sums(self, place: int) -> Sums:
        """The statistics, with the heaps as a leading axis; `place` is the class that the probabilities are of."""
        edges, cases = self.edges, self._ranges[..., 0]
        less = (self._ranges[..., 1] - 1) + self._ranges[..., 2]
        above = edges.side > 0
        own = np.where(above[:, None], cases - less, less)  # [..., ranges, (rest, own)], as all that follows
        rest = np.where(above[:, None], less, cases - less)
        table = np.stack([cases[..., ~above, :].sum(axis=-2), cases[..., above, :].sum(axis=-2)], axis=-1)
        squares, logs, small, smaller = np.moveaxis(self._totals.sum(axis=-3), -1, 0)
        order = slice(None) if place else slice(None, None, -1)
        weight = np.ascontiguousarray(cases.sum(axis=-2)[..., order])
        forecasts = np.stack([rest.sum(axis=-2), own.sum(axis=-2)], axis=-1)
        sums: Sums = {
            (Counts,): Counts(np.ascontiguousarray(table[..., order, order])),
            (ProbabilitySums,): ProbabilitySums(np.ascontiguousarray(forecasts[..., order, order]), weight),
            (ColumnLosses,): ColumnLosses(np.repeat(squares.sum(axis=-1, keepdims=True), 2, axis=-1)),
        }
        for eps, floored in {FLOOR: logs + smaller * np.log2(FLOOR), LEAST: logs + small}.items():
            sums[LossSums, ("eps", eps)] = LossSums(2 * squares[..., order], floored[..., order].copy(), weight)
        # of two equal probabilities that of the first class leads
        return sums | _bins(cases, own, rest, edges, above if place else edges.side >= 0, order)


def sums_of_keys(keys: Array, place: int) -> Sums:
    """The statistics of keys; `place` is the class that the probabilities are of."""
    return sums_of_each([keys], place)[0]


def sums_of_each(heaps: Sequence[Array], place: int) -> list[Sums]:
    """The same of several heaps of keys of one type: what a formula costs beside its rows is paid once for all."""
    out: list[Sums] = []
    for start in range(0, len(heaps), HEAPS):
        few = heaps[start : start + HEAPS]
        piled = KeySums(few[0].dtype, (len(few),))
        for i, keys in enumerate(few):
            piled.add(keys, i)
        together = {
            key: (type(one), [getattr(one, f.name) for f in fields(one)])  # type: ignore[arg-type]
            for key, one in piled.sums(place).items()
        }
        out += [
            {key: kind(*(x[i] for x in arrays)) for key, (kind, arrays) in together.items()} for i in range(len(few))
        ]
    return out


def _bins(cases: Array, own_p: Array, rest_p: Array, edges: Edges, leads: Array, order: slice) -> Sums:
    """Every range lies in one bin of each column, and in one of the more probable class."""
    columns = ((edges.rest_bin, rest_p, 0), (edges.own_bin, own_p, 1))
    all_cases, bins = cases.sum(axis=-1), np.arange(FINE_BINS)

    def binned(where: Array, values: Array) -> Array:
        return np.asarray(values @ (where[:, None] == bins))

    of_class = [[binned(where, x) for x in (all_cases, p.sum(axis=-1), cases[..., c])] for where, p, c in columns]
    arrays = (np.ascontiguousarray(np.stack(x, axis=-2)[..., order, :]) for x in zip(*of_class, strict=True))
    top = np.where(leads, edges.own_bin, edges.rest_bin)
    forecast = np.where(leads, own_p.sum(axis=-1), rest_p.sum(axis=-1))
    hits = np.where(leads, cases[..., 1], cases[..., 0])
    confidence = ConfidenceBins(*(binned(top, x) for x in (all_cases, forecast, hits)))
    return {
        (ClassBins, ("bins", FINE_BINS)): ClassBins(*arrays),
        (ConfidenceBins, ("bins", FINE_BINS)): confidence,
    }


class KeyPile:
    """Keys that are let go at once: sums, and cells in a table that has a place for each."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self.rows = 0
        """in the table"""
        self.recent = 0
        """in the sums"""
        self._sums: list[KeySums] = []
        """its own, and those of others that were taken in"""
        words = 2 if kind == np.uint32 else 3
        self._table = np.zeros((PILED_CELLS + 3, words), np.uint64)  # takes memory only where it is used
        self._tiny: list[Array] = []

    def add(self, keys: Array) -> None:
        """Some more."""
        if not self._sums:
            self._sums = [KeySums(self.kind)]
        self._sums[0].add(keys)
        tiny = kernels.pile_cells(keys, self._table)
        if len(tiny):
            self._tiny.append(tiny)
        self.rows += len(keys)
        self.recent += len(keys)

    def ended(self, place: int) -> Sums | None:
        """The statistics, which begin anew; None if they had."""
        parts, self._sums, self.recent = self._sums, [], 0
        return reduce(added, (part.sums(place) for part in parts)) if parts else None

    def take_in(self, other: KeyPile) -> None:
        """The keys of another pile of this kind. Lowest scores are inverted, so that all ends are the larger one.
        Stretches that the other has no keys in are left alone, as most of a table takes no memory."""
        for start in range(0, len(self._table), STRETCH):
            mine, theirs = (table[start : start + STRETCH] for table in (self._table, other._table))
            if theirs[:, -1].any():
                for end in (0, 1):
                    ends = mine.view(self.kind)[:, end]
                    np.maximum(ends, theirs.view(self.kind)[:, end], out=ends)
                mine[:, -1] += theirs[:, -1]
        self._sums += other._sums
        self._tiny += other._tiny
        self.rows += other.rows
        self.recent += other.recent

    def grid(self, place: int) -> ScoreGrid:
        """The cells; `place` is the class that the probabilities are of."""
        grid = ScoreGrid(*kernels.piled_cells(self._table, self.kind == np.uint32), 1)
        if self._tiny:
            tiny = np.concatenate(self._tiny)
            kernels.sort_pairs(tiny)
            grid = grid + ScoreGrid.of_keys(tiny)
        return of_place(grid, place)


def of_place(grid: ScoreGrid, place: int) -> ScoreGrid:
    """A grid of keys; `place` is the class that the probabilities are of."""
    return grid if place else replace(grid, weight=np.ascontiguousarray(grid.weight[::-1]), own=0)


def widened(keys: Array) -> Array:
    """Keys of float32 as keys of float64."""
    wide = kernels.scores_of_keys(keys).view(np.uint64)
    return (wide << np.uint64(1)) | (keys & np.uint32(1)).astype(np.uint64)


@dataclass(frozen=True, eq=False)
class KeyOrder:
    """The order of all scores, in sorted keys."""

    keys: Array
    place: int
    won: float
    gained: float
    refinement: float
    whole = True

    @classmethod
    def of(cls, keys: Array, place: int) -> KeyOrder:
        """Of sorted keys; `place` is the class that the probabilities are of."""
        return cls(keys, place, *kernels.order_sums(keys))

    def table(self) -> ScoreTable:
        """All scores, with a row for each class."""
        return table_of_keys(self.keys, self.place)


def table_of_keys(keys: Array, place: int) -> ScoreTable:
    """The exact table of sorted keys, a row for each of the two classes."""
    bits = keys >> keys.dtype.type(1)
    starts = np.flatnonzero(np.append(len(keys) > 0, bits[1:] != bits[:-1]))
    own = np.add.reduceat((keys & keys.dtype.type(1)).astype(np.int64), starts) if len(keys) else np.empty(0)
    size = np.diff(np.append(starts, len(keys)))
    weight = np.stack([size - own, own]).astype(np.float64)
    return ScoreTable(kernels.scores_of_keys(keys[starts]), weight if place else weight[::-1], place)
