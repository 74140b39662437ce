"""Cases put into blocks at random, and the statistics of each block: how surely something is known, and how surely two
models differ, follows from them when the cases are gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Statistic
from karat.data import Predictions
from karat.statistics.bins import ConfidenceBins
from karat.statistics.counts import DENSE, Binary, Counts
from karat.statistics.order import Margins, Pairs
from karat.statistics.probability_sums import Certainty, LossSums, ProbabilitySums
from karat.statistics.scans import FLOOR
from karat.statistics.score_table import ScoreTable

BLOCKS = 200
"""As many as are left out in turn where there are many cases."""
SALT = 0x9E3779B97F4A7C15
COARSE_BITS, COARSER_BITS = 7, 10
"""Neighbouring cells of the grid (2 to this power) that make a cell here: of two classes, of more."""
MOST_CELLS = 1 << 22
"""Numbers that the tables of all classes may hold; of more classes no order of scores is kept by block."""


def blocks_of(numbers: Array) -> Array:
    """The block of each case, by a hash of its number (SplitMix64): whoever takes in a case, wherever and whenever,
    puts it into the same block."""
    x = (np.asarray(numbers).astype(np.uint64) + np.uint64(1)) * np.uint64(SALT)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    x ^= x >> np.uint64(31)
    return np.asarray(((x >> np.uint64(32)) * np.uint64(BLOCKS)) >> np.uint64(32), np.uint8)


def numbers_of_ids(ids: Array) -> Array:
    """A number for each id."""
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64).view(np.uint64)
    digests = (blake2b(str(x).encode(), digest_size=8).digest() for x in ids.tolist())
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def kinds_of(p: Predictions, bins: int, least: float) -> list[tuple[type[Statistic], dict[str, Any]]]:
    """Statistics that are kept of every block."""
    kinds: list[tuple[type[Statistic], dict[str, Any]]] = [(Counts, {})] if p.decides else []
    if p.held is not None and p.probabilities:
        kinds += [(ProbabilitySums, {}), (LossSums, {"eps": FLOOR}), (LossSums, {"eps": least})]
        kinds += [(Certainty, {}), (ConfidenceBins, {"bins": bins})]
    return kinds


@dataclass(frozen=True, eq=False)
class BlockTable:
    """The scores of one class's column in coarse cells: cell[m], ascending; the lowest score in each, low[m];
    weight[BLOCKS, rows, m], with a row for each class. Row `own` is the class itself."""

    cell: Array
    low: Array
    weight: Array
    own: int

    @classmethod
    def of_class(cls, p: Predictions, j: int, block: Array) -> BlockTable:
        """Of column j."""
        assert p.scores is not None
        k = len(p.classes)
        bits = COARSE_BITS if k == 2 else COARSER_BITS
        scores = np.ascontiguousarray(p.scores[0, :, j], np.float64) + 0.0
        cell, place = _numbered(kernels.cells_of_scores(scores) >> bits)
        low = np.full(len(cell), np.inf)
        np.minimum.at(low, place, scores)
        at = (block.astype(np.int64) * k + p.truth[0]) * len(cell) + place
        weight = np.bincount(at, None if p.weight is None else p.weight[0], BLOCKS * k * len(cell))
        return cls(cell, low, weight.astype(np.float64).reshape(BLOCKS, k, -1), j)

    def __add__(self, other: BlockTable) -> BlockTable:
        cell = np.union1d(self.cell, other.cell)
        low, weight = np.full(len(cell), np.inf), np.zeros((*self.weight.shape[:-1], len(cell)))
        for part in (self, other):
            at = np.searchsorted(cell, part.cell)
            low[at] = np.minimum(low[at], part.low)
            weight[..., at] += part.weight
        return BlockTable(cell, low, weight, self.own)

    def tables(self, times: Array) -> ScoreTable:
        """Score tables [R], by how often each block counts: times[R, BLOCKS]. Cases in one cell tie."""
        return ScoreTable(self.low, _times(times, self.weight), self.own)

    def mirrored(self) -> BlockTable:
        """Of two classes: the column of the other one."""
        turned = np.ascontiguousarray(self.weight[..., ::-1])
        return BlockTable(-self.cell[::-1], 1 - self.low[::-1], turned, 1 - self.own)


@dataclass(frozen=True, eq=False)
class CaseBlocks:
    """Statistics with a leading axis over the blocks."""

    cases: Array
    """[BLOCKS, k]: the number of cases of each class"""
    sums: dict[tuple[Any, ...], Statistic]
    """by kind and parameters, as whole statistics are"""
    tables: tuple[BlockTable, ...] = ()
    """of each class's column; of two classes whose probabilities mirror each other, of one"""

    @classmethod
    def of(cls, p: Predictions, numbers: Array, bins: int, least: float, columns: tuple[int, ...]) -> CaseBlocks:
        """Of some predictions, by the numbers of their cases; `columns`: whose scores are looked at."""
        block, k = blocks_of(numbers), len(p.classes)
        order = np.argsort(block, kind="stable")
        members = np.split(order, np.searchsorted(block[order], np.arange(1, BLOCKS)))
        parts = [p.take(at) for at in members]
        sums = {
            (kind, *given.items()): _stacked([kind.of(part, **given) for part in parts])
            for kind, given in kinds_of(p, bins, least)
        }
        cases = np.bincount(block.astype(np.int64) * k + p.truth[0], minlength=BLOCKS * k).reshape(BLOCKS, k)
        tables = [BlockTable.of_class(p, j, block) for j in columns]
        return cls(cases, sums, tuple(tables))

    def __add__(self, other: CaseBlocks) -> CaseBlocks:
        sums = {key: statistic + other.sums[key] for key, statistic in self.sums.items()}
        tables = tuple(one + another for one, another in zip(self.tables, other.tables, strict=True))
        return CaseBlocks(self.cases + other.cases, sums, tables)

    @property
    def weight(self) -> Array:
        """[BLOCKS, k]: the weight of each class."""
        for statistic in self.sums.values():
            if isinstance(statistic, Counts):
                return np.asarray(statistic.table.sum(axis=-1))
            if isinstance(statistic, ProbabilitySums):
                return statistic.weight
        return self.cases

    @property
    def all_tables(self) -> tuple[BlockTable, ...]:
        """That of each class."""
        if len(self.tables) == self.cases.shape[1] or not self.tables:
            return self.tables
        given = self.tables[0]
        return (given.mirrored(), given) if given.own else (given, given.mirrored())

    def has(self, kind: type[Statistic]) -> bool:
        """Is the statistic known of each block?"""
        kind = Counts if kind is Binary else kind
        if kind in (Pairs, Margins) or kind is ScoreTable:
            return bool(self.tables)
        return any(key[0] is kind for key in self.sums)

    def weighted(self, kind: type[Any], parameters: dict[str, Any], times: Array, wider: Callable[..., Any]) -> Any:
        """The statistic of each row of times [R, BLOCKS], how often each block counts; `wider` joins bins. Of score
        tables those of all classes."""
        if kind is Binary:
            return self.weighted(Counts, {}, times, wider).binary
        if kind is ScoreTable:
            return [t.tables(times) for t in self.all_tables]
        if kind in (Pairs, Margins):
            tables = [t.tables(times) for t in self.all_tables]
            return kind(_over_pairs(tables, kind is Margins), _times(times, self.weight))
        whole = self.sums.get((kind, *(kind.parameters | parameters).items()))
        if whole is None:
            whole = wider(next(s for key, s in self.sums.items() if key[0] is kind), **(kind.parameters | parameters))
        return kind(*(_times(times, getattr(whole, f.name)) for f in fields(whole)))  # type: ignore[arg-type]


def worth_tables(classes: int) -> bool:
    """Are there so few classes that tables of scores are kept by block?"""
    return classes * classes <= DENSE and BLOCKS * classes * classes * 512 <= MOST_CELLS


def _numbered(cells: Array) -> tuple[Array, Array]:
    """The distinct cells, ascending, and the place of each case's among them. Coarse cells are few, so that a look into
    a table takes the place of sorting."""
    least = int(cells.min()) if len(cells) else 0
    at = cells.astype(np.int64) - least
    there = np.bincount(at) > 0
    return np.flatnonzero(there).astype(cells.dtype) + cells.dtype.type(least), (np.cumsum(there) - 1)[at]


def _times(times: Array, of_blocks: Array) -> Array:
    flat = of_blocks.reshape(len(of_blocks), -1)
    return np.asarray(times @ flat).reshape(len(times), *of_blocks.shape[1:])


def _stacked(parts: list[Any]) -> Any:
    names = [f.name for f in fields(parts[0])]
    return type(parts[0])(*(np.stack([np.asarray(getattr(part, name), float) for part in parts]) for name in names))


def _over_pairs(tables: list[ScoreTable], gained: bool) -> Array:
    """[R, j, c]: pairs that a case of class j wins against one of class c in the table of j; or by how much in all."""
    k = len(tables)
    out = np.zeros((len(tables[0].weight), k, k))
    for j, t in enumerate(tables):
        for c in (c for c in range(k) if c != j):
            level, x = t.weight[:, c], t.scores
            if gained:
                below = x * np.cumsum(level, axis=-1) - np.cumsum(x * level, axis=-1)
            else:
                below = np.cumsum(level, axis=-1) - level / 2
            out[:, j, c] = np.einsum("rm,rm->r", t.positive, below)
    return out
