"""What is kept of one model whose rows are kept in order, or of whose cases more is known than one probability."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.accumulation.model_states import Folded, Frame, grid_of_keys
from karat.accumulation.pair_keys import KEY_OF, sums_of_keys
from karat.core.arithmetic import Array
from karat.data import Predictions, Source
from karat.data.border import Extent
from karat.statistics.added import FINE_BINS, LEAST, sums_of
from karat.statistics.case_blocks import CaseBlocks, numbers_of_ids, worth_tables
from karat.statistics.counts import DENSE
from karat.statistics.score_grid import ScoreGrid

PENDING_BYTES, PENDING_PARTS = 1 << 25, 4096
"""Rows are folded so many together: every fold goes over all cells."""
WORTH_FOLDING = 1 << 22
"""Bytes of rows that are folded before another state takes them in."""


class NumberedRows(NamedTuple):
    """Some rows, and the number of each among all: that of its id, if it has one."""

    numbers: Array | int
    """of the first alone, if the others follow it"""
    p: Predictions

    @classmethod
    def of(cls, p: Predictions, first: Array | int) -> NumberedRows:
        """A copy: whose arrays they are may use them again."""
        copies: dict[str, Any] = {
            name: None if (x := getattr(p, name)) is None else x.copy()
            for name in ("truth", "held", "decided", "weight", "ids")
        }
        return cls(first if p.ids is None else numbers_of_ids(p.ids), replace(p, **copies))

    @property
    def size(self) -> int:
        """Bytes."""
        arrays = (self.p.truth, self.p.held, self.p.decided, self.p.weight)
        return sum(x.nbytes for x in arrays if x is not None)

    @property
    def each(self) -> Array:
        """The number of each row."""
        n = self.numbers
        return (np.arange(n, n + self.p.n) if isinstance(n, int) else n).astype(np.uint64)


def joined_rows(parts: list[NumberedRows]) -> NumberedRows:
    """One after another."""
    if len(parts) == 1:
        return parts[0]
    return NumberedRows(np.concatenate([part.each for part in parts]), _concatenated([part.p for part in parts]))


@dataclass
class RowState:
    """Any predictions."""

    frame: Frame
    parts: list[NumberedRows] = field(default_factory=list)
    rows: int = 0
    keep: bool = True
    folded: Folded = field(default_factory=Folded)
    weighted: bool = False
    place: int | None = None
    """the class that the one column of two classes is of; None if all columns are given"""
    plain: bool = False
    """is that all that is given?"""
    paired: bool = False
    """are statistics kept by block, so that models can be compared when their rows are gone?"""
    identified: bool = False
    """have cases ids, by which they have their blocks?"""
    size: int = 0
    """bytes that the rows take"""

    def add(self, p: Predictions, first: Array | int = 0) -> None:
        """Take these in."""
        self.rows += p.n
        self.weighted |= p.weight is not None
        self.identified |= p.ids is not None
        self._append(NumberedRows.of(p, first))

    def _append(self, part: NumberedRows) -> None:
        self.parts.append(part)
        self.size += part.size
        if not self.keep and (self.size > PENDING_BYTES or len(self.parts) > PENDING_PARTS):
            self.fold()

    def merge(self, other: RowState) -> None:
        """Take in what another has."""
        self.rows += other.rows
        self.weighted |= other.weighted
        self.identified |= other.identified
        if other.folded.sums is not None:
            self.folded.add(other.folded.sums, other.folded.grids, other.folded.blocks)
        kept, self.keep = self.keep, self.keep and other.keep
        for part in other.parts:
            self._append(part)
        if kept and not self.keep:
            self.fold()

    def before_merge(self) -> None:
        """Sorting many rows takes long."""
        if not self.keep and self.size > WORTH_FOLDING:
            self.fold()

    def fold(self) -> None:
        """Let the rows go."""
        self.keep = False
        if self.parts:
            self._fold_rows(joined_rows(self.parts))
        self.parts, self.size = [], 0

    def _fold_rows(self, rows: NumberedRows) -> None:
        p = rows.p
        k = len(p.classes)
        columns = () if not self.frame.probabilities else tuple(range(k)) if self.place is None else (self.place,)
        if self.plain and self.place is not None:
            keys = _keys(p, self.place)
            sums, grids = sums_of_keys(keys, self.place), [grid_of_keys(keys, self.place)]
        else:
            sums, grids = sums_of(p), [ScoreGrid.of_class(p, j) for j in columns]
        blocks = None
        if self.paired and k * len(p.outputs) <= DENSE:
            blocks = CaseBlocks.of(p, rows.each, FINE_BINS, LEAST, columns if worth_tables(k) else ())
        self.folded.add(sums, grids, blocks)

    def source(self, most_rows: int) -> Source:
        """The rows in the order of their numbers, if they were kept; else the sums."""
        if not self.keep:
            self.fold()
            added = self.folded.source(self.frame, self.rows, self.weighted)
            return replace(added, identified=self.identified)
        if len(self.parts) > 1:
            if all(isinstance(part.numbers, int) for part in self.parts):
                self.parts.sort(key=lambda part: part.numbers)
            self.parts = [joined_rows(self.parts)]
        return self.parts[0].p


def _keys(p: Predictions, place: int) -> Array:
    """Sorted keys of one column (see `kernels.pack_pairs`)."""
    assert p.held is not None
    column = np.ascontiguousarray(p.held[0, :, 0 if p.held.shape[2] == 1 else place])  # keys have no sign
    keys = np.empty(len(column), KEY_OF[column.dtype])
    kernels.pack_pairs(p.truth[0] == place, column, keys)
    kernels.sort_pairs(keys)
    return keys


def _concatenated(parts: list[Predictions]) -> Predictions:
    """One after another; their extents are those of all."""
    first = parts[0]

    def joined(name: str) -> Array | None:
        arrays = [getattr(p, name) for p in parts]
        if name == "weight" and any(w is not None for w in arrays):  # where all are 1 they are left out
            arrays = [np.ones(p.truth.shape) if w is None else w for p, w in zip(parts, arrays, strict=True)]
        return None if arrays[0] is None else np.concatenate(arrays, axis=1)

    extents = [p.extent for p in parts if p.extent is not None]
    extent = None
    if extents:
        low, high = min(e.low for e in extents), max(e.high for e in extents)
        uneven, negative = max(e.uneven for e in extents), any(e.negative for e in extents)
        given = extents[0].given if len({e.given for e in extents}) == 1 else None
        extent = Extent(low, high, uneven, negative, given)
    ids = None if any(p.ids is None for p in parts) else np.concatenate([p.ids for p in parts if p.ids is not None])
    arrays: dict[str, Any] = {name: joined(name) for name in ("truth", "held", "decided", "weight")}
    return replace(first, extent=extent, ids=ids, row_labels=None, **arrays)
