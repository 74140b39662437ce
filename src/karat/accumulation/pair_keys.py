"""Two classes and one column of probabilities: a row is one key (see `kernels.pack_pairs`), nothing else is kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.statistics import ClassBins, ConfidenceBins, Counts, LossSums, ProbabilitySums
from karat.statistics.added import FINE_BINS, LEAST, Sums
from karat.statistics.probability_sums import ColumnLosses
from karat.statistics.scans import FLOOR
from karat.statistics.score_table import ScoreTable

KEY_OF: dict[Any, Any] = {np.dtype(np.float32): np.uint32, np.dtype(np.float64): np.uint64}
"""The type of keys that holds probabilities of a type."""


class Edges(NamedTuple):
    """Where sorted keys pass from one bin to another, in either column, or from one decision to the other."""

    keys: Array
    """the first key of each range but the first"""
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
    return Edges(starts << kind(1), own_bin, rest_bin, np.sign([value(int(b)) - 0.5 for b in first]).astype(int))


def sums_of_keys(keys: Array, place: int) -> Sums:
    """The statistics of sorted keys; `place` is the class that the probabilities are of."""
    edges = edges_of(np.uint32 if keys.dtype == np.uint32 else np.uint64)
    cuts = np.concatenate([[0], np.searchsorted(keys, edges.keys), [len(keys)]])
    ranges = kernels.sums_between(keys, cuts)  # [ranges, (rest, own), sums]
    decided = edges.side > 0
    cases = ranges[:, :, 0]
    table = np.stack([cases[~decided].sum(axis=0), cases[decided].sum(axis=0)], axis=1)
    total = ranges.sum(axis=0)
    order = slice(None) if place else slice(None, None, -1)
    weight, squares = np.ascontiguousarray(total[order, 0]), total[:, 3]
    floors = {FLOOR: total[:, 4] + total[:, 6] * np.log2(FLOOR), LEAST: total[:, 4] + total[:, 5]}
    sums: Sums = {
        (Counts,): Counts(np.ascontiguousarray(table[order, order])),
        (ProbabilitySums,): ProbabilitySums(np.ascontiguousarray(total[:, 2:0:-1][order, order]), weight),
        (ColumnLosses,): ColumnLosses(np.repeat(squares.sum(), 2)),
    }
    for eps, logs in floors.items():
        sums[LossSums, ("eps", eps)] = LossSums(2 * squares[order], logs[order].copy(), weight)
    # of two equal probabilities that of the first class leads
    return sums | _bins(ranges, edges, decided if place else edges.side >= 0, order)


def _bins(ranges: Array, edges: Edges, leads: Array, order: slice) -> Sums:
    """Every range lies in one bin of each column, and in one of the more probable class."""
    cases, own_p, rest_p = (ranges[:, :, i] for i in (0, 1, 2))
    columns = ((edges.rest_bin, rest_p, 0), (edges.own_bin, own_p, 1))

    def binned(where: Array, values: Array) -> Array:
        return np.bincount(where, values, FINE_BINS)

    of_class = [[binned(where, x) for x in (cases.sum(axis=1), p.sum(axis=1), cases[:, c])] for where, p, c in columns]
    fields = (np.ascontiguousarray(np.stack(x)[order]) for x in zip(*of_class, strict=True))
    top = np.where(leads, edges.own_bin, edges.rest_bin)
    forecast = np.where(leads, own_p.sum(axis=1), rest_p.sum(axis=1))
    hits = np.where(leads, cases[:, 1], cases[:, 0])
    confidence = ConfidenceBins(*(binned(top, x) for x in (cases.sum(axis=1), forecast, hits)))
    return {
        (ClassBins, ("bins", FINE_BINS)): ClassBins(*fields),
        (ConfidenceBins, ("bins", FINE_BINS)): confidence,
    }


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
