"""What is kept of one model: its rows while they fit, then sums and grids of them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Protocol

import numpy as np

from karat import kernels
from karat.accumulation.pair_keys import KEY_OF, KeyOrder, KeyPile, of_place, sums_of_each, sums_of_keys, widened
from karat.core.arithmetic import Array
from karat.data import Predictions, Source
from karat.data.border import Extent
from karat.statistics.added import AddedStatistics, OrderSums, Sums, added, all_added
from karat.statistics.case_blocks import CaseBlocks
from karat.statistics.score_grid import ScoreGrid

RUN = 1 << 19
"""Keys that are let go together."""
MORE = 1 << 20
"""Keys by which room for them grows."""
FEW = 1 << 16
"""Keys that are sorted rather than put into a table, which has a place for every cell; of many, so many are made at a
time, which stay in the cache."""
MOST_PILED = 1 << 31
"""Cases of a cell are counted by 32 bits."""


@dataclass(frozen=True)
class Frame:
    """What all parts of a model's predictions share."""

    classes: tuple[Any, ...]
    outputs: tuple[Any, ...]
    positive: int | None
    probabilities: bool
    given_decisions: bool

    @classmethod
    def of(cls, p: Predictions, decided: bool) -> Frame:
        """That of these predictions; `decided`: predicted labels were given beside probabilities."""
        return cls(p.classes, p.outputs, p.positive, p.held is not None and p.probabilities, decided)


class ModelState(Protocol):
    """What an accumulator keeps of a model."""

    @property
    def frame(self) -> Frame:
        """What all parts share."""

    @property
    def rows(self) -> int:
        """Number of cases."""

    def add(self, p: Predictions, first: Array | int = 0) -> None:
        """Take these in; `first`: the number of the first of them, or of each."""

    def merge(self, other: Any) -> None:
        """Take in what another state of this kind has."""

    def before_merge(self) -> None:
        """Do what is to be done with rows that wait, before another state takes them in."""

    def fold(self) -> None:
        """Let the rows go: keep sums and grids."""

    def source(self, most_rows: int) -> Source:
        """What can be evaluated: the rows, if they were kept and are no more than that; else the sums."""

    @property
    def size(self) -> int:
        """Bytes that the rows take."""


@dataclass
class Folded:
    """Sums and grids of rows that are gone."""

    sums: Sums | None = None
    grids: tuple[ScoreGrid, ...] = ()
    blocks: CaseBlocks | None = None

    def add(self, sums: Sums | None, grids: Iterable[ScoreGrid], blocks: CaseBlocks | None = None) -> None:
        """Those of further rows; sums that are kept elsewhere are None."""
        if self.sums is None and not self.grids:
            self.sums, self.grids, self.blocks = sums, tuple(grids), blocks
            return
        self.add_sums(sums)
        self.grids = tuple(one + other for one, other in zip(self.grids, grids, strict=True))
        self.blocks = None if self.blocks is None or blocks is None else self.blocks + blocks

    def add_sums(self, sums: Sums | None) -> None:
        """Those alone."""
        if sums is not None:
            self.sums = sums if self.sums is None else added(self.sums, sums)

    @classmethod
    def sum_of(cls, parts: Sequence[Folded]) -> Folded:
        """Many added up: sums two and two, as rounding errors grow less so; cells of scores at once."""
        if len(parts) == 1:
            return parts[0]
        sums, blocks = [part.sums for part in parts if part.sums is not None], [part.blocks for part in parts]
        grids = tuple(ScoreGrid.sum_of(each) for each in zip(*(part.grids for part in parts), strict=True))
        known = None if any(b is None for b in blocks) else reduce(operator.add, blocks)
        return cls(all_added(sums), grids, known)

    def source(self, f: Frame, rows: int, weighted: bool = False) -> AddedStatistics:
        """As something to be evaluated."""
        assert self.sums is not None
        given = (f.classes, f.outputs, f.positive, f.probabilities, rows, weighted)
        return AddedStatistics(*given, self.sums, self.grids, given_decisions=f.given_decisions, blocks=self.blocks)


def grid_of_keys(keys: Array, place: int) -> ScoreGrid:
    """The grid of sorted keys; `place` is the class that the probabilities are of."""
    return of_place(ScoreGrid.of_keys(keys), place)


@dataclass(eq=False)
class KeyState:
    """Two classes and one column of probabilities: keys of 4 bytes (float32) or 8."""

    frame: Frame
    place: int
    """the class that the probabilities are of"""
    keys: Array = field(default_factory=lambda: np.empty(0, np.uint32))
    filled: int = 0
    rows: int = 0
    keep: bool = True
    folded: Folded = field(default_factory=Folded)
    pile: KeyPile | None = None
    """keys that were let go, and are not yet in `folded`"""
    order: OrderSums | None = None
    """of all keys that were let go, if they were read again"""
    strands: dict[int, Sums] = field(default_factory=dict)
    """sums of strands that have ended; their cells are in `pile` and `folded`, as counts have no rounding"""
    wide: bool = False
    """were there keys of 8 bytes in a strand that has ended?"""

    def add(self, p: Predictions, first: Array | int = 0) -> None:
        """Take these in: the column that was given, in the precision that holds it."""
        if p.alone == self.place and p.held is not None:
            column = p.held[0, :, 0] + p.held.dtype.type(0)  # no -0.0
        else:
            assert p.scores is not None
            column = np.ascontiguousarray(p.scores[0, :, self.place])
        narrow = column.astype(np.float32, copy=False)
        if narrow is not column and np.array_equal(narrow, column):
            column = narrow
        self.add_columns(p.truth[0] == self.place, column)

    def add_columns(self, own: Array, column: Array) -> int:
        """Take in rows: is each of the class (0 or 1), and its probability. The place of a row that is wrong (then none
        is taken in); -1 if all are well."""
        kind = KEY_OF[column.dtype]
        if kind is np.uint64 and self.keys.dtype == np.uint32:
            self.keys = widened(self.keys[: self.filled])
        elif kind is np.uint32 and self.keys.dtype == np.uint64:
            column = column.astype(np.float64)
        n, self.order = len(column), None
        if not self.keep and self.filled + n >= RUN:
            return self._let_go_of(own, column)
        self._make_room(n)
        wrong: int = kernels.pack_pairs(own, column, self.keys[self.filled : self.filled + n])
        if wrong < 0:
            self.filled += n
            self.rows += n
        return wrong

    def _let_go_of(self, own: Array, column: Array) -> int:
        """The same of many rows, whose keys are not kept: they are made once to see that all are well."""
        few = [slice(start, start + FEW) for start in range(0, len(column), FEW)]
        room = np.empty(min(len(column), FEW), self.keys.dtype)
        for part in few:
            wrong: int = kernels.pack_pairs(own[part], column[part], room[: len(column[part])])
            if wrong >= 0:
                return part.start + wrong
        self._let_go(len(column))
        assert self.pile is not None
        for part in few:
            keys = room[: len(column[part])]
            kernels.pack_pairs(own[part], column[part], keys)
            self.pile.add(keys)
        self.rows += len(column)
        return -1

    def _make_room(self, n: int) -> None:
        needed = self.filled + n
        if needed > len(self.keys):
            more = min(2 * len(self.keys), len(self.keys) + MORE)
            if not self.keep:  # room for a run, not before it is needed: there may be many states
                more = min(more, RUN)
            self.keys.resize(max(needed, more, 1024), refcheck=False)

    def merge(self, other: KeyState) -> None:
        """Take in what another has."""
        keys = other.keys[: other.filled]
        if keys.dtype == np.uint32 and self.keys.dtype == np.uint64:
            keys = widened(keys)
        elif keys.dtype != self.keys.dtype:
            self.keys = widened(self.keys[: self.filled])
        self._make_room(len(keys))
        self.keys[self.filled : self.filled + len(keys)] = keys
        self.filled += len(keys)
        self.rows += other.rows
        self.order = None
        self.wide |= other.wide
        self._take_pile(other)
        if other.folded.grids:
            self.folded.add(other.folded.sums, other.folded.grids)
        for number, sums in other.strands.items():
            mine = self.strands.get(number)
            self.strands[number] = sums if mine is None else added(mine, sums)
        if not (self.keep and other.keep):
            self.keep = False
            if self.filled >= RUN:
                self._let_go()

    def _take_pile(self, other: KeyState) -> None:
        """Tables of one kind are added up as they are."""
        mine, theirs = self.pile, other.pile
        if theirs is None:
            return
        if mine is not None and mine.kind == theirs.kind and mine.rows + theirs.rows <= MOST_PILED:
            mine.take_in(theirs)
        else:
            other._empty_pile()

    def before_merge(self) -> None:
        """Keys that wait are as well let go by another."""

    def end_strand(self, number: int) -> None:
        """What follows is added up apart from what was taken in since the last strand ended, and as if it were the
        first: of numbers as narrow as its own. The table goes on, as it is large and its counts are exact."""
        self._let_go()
        if self.pile is not None:
            self.folded.add_sums(self.pile.ended(self.place))
            if self.pile.rows >= MOST_PILED:
                self._empty_pile()
        if self.folded.sums is not None:
            self.strands[number], self.folded.sums = self.folded.sums, None
        self.wide |= self.keys.dtype == np.uint64
        self.keys = np.empty(0, np.uint32)

    @property
    def kind(self) -> Any:
        """The type of keys that holds all that there were."""
        return np.dtype(np.uint64) if self.wide else self.keys.dtype

    def fold(self) -> None:
        """Let the rows go."""
        self.keep = False
        self._let_go()
        self._empty_pile()
        if self.strands:
            after = [] if self.folded.sums is None else [self.folded.sums]
            self.folded.sums = all_added([*(self.strands[number] for number in sorted(self.strands)), *after])
            self.strands = {}

    @property
    def let_go(self) -> bool:
        """Are sums and grids all that is left?"""
        return not (self.keep or self.filled or self.strands) and self.pile is None and self.order is None

    def _let_go(self, coming: int = 0) -> None:
        """The keys, into a table of cells that has room for those that are `coming`; few of them are sorted instead."""
        keys, self.filled = self.keys[: self.filled], 0
        if len(self.keys) > 2 * MORE:  # room that was for keeping them
            self.keys = np.empty(0, self.keys.dtype)
        rows = len(keys) + coming
        if self.pile is not None and (self.pile.kind != keys.dtype or self.pile.recent + rows > MOST_PILED):
            self._empty_pile()
        if (self.pile is None or not self.pile.recent) and rows <= FEW:
            if len(keys):
                kernels.sort_pairs(keys)
                self.folded.add(sums_of_keys(keys, self.place), (self._grid(keys),))
            return
        self.pile = self.pile or KeyPile(keys.dtype)
        self.pile.add(keys)

    @staticmethod
    def fold_all(states: Sequence[KeyState]) -> None:
        """Let the rows of all of them go; those that have few, together."""
        few: dict[Any, list[KeyState]] = {}
        for state in states:
            if state.pile is None and 0 < state.filled <= FEW:
                few.setdefault((state.keys.dtype, state.place), []).append(state)
        for (_, place), alike in few.items():
            heaps = [state.keys[: state.filled] for state in alike]
            for keys in heaps:
                kernels.sort_pairs(keys)
            for state, keys, sums in zip(alike, heaps, sums_of_each(heaps, place), strict=True):
                state.folded.add(sums, (state._grid(keys),))
                state.filled = 0
        for state in states:
            state.fold()

    def _empty_pile(self) -> None:
        if self.pile is not None:
            pile, self.pile = self.pile, None
            self.folded.add(pile.ended(self.place), (pile.grid(self.place),))

    def _grid(self, keys: Array) -> ScoreGrid:
        return grid_of_keys(keys, self.place)

    @property
    def size(self) -> int:
        """Bytes that the rows take; those that are let go are few."""
        return self.filled * self.keys.itemsize if self.keep else 0

    def source(self, most_rows: int) -> Source:
        """The rows (in the order of their probabilities), if they were kept and are not too many; else the sums."""
        if not self.keep:
            self.fold()
            return replace(self.folded.source(self.frame, self.rows), order=self.order)
        keys = self.keys[: self.filled]
        kernels.sort_pairs(keys)
        if self.rows <= most_rows:
            return self._cases(keys)
        whole = Folded(sums_of_keys(keys, self.place), (self._grid(keys),))
        return replace(whole.source(self.frame, self.rows), order=KeyOrder.of(keys, self.place))

    def _cases(self, keys: Array) -> Predictions:
        """The column as it was given; `Predictions` makes the other one when somebody asks."""
        own = (keys & keys.dtype.type(1)).astype(np.int32)
        column = (keys >> keys.dtype.type(1)).view(np.float32 if keys.dtype == np.uint32 else np.float64)
        truth = own if self.place else 1 - own
        positive = column[column > 0]
        low = float(positive[0]) if len(positive) else 2.0
        high = float(column[-1])
        extent = Extent(min(low, 1 - high or low), max(high, 1 - float(column[0])), 0.0, given=self.place)
        half = not self.place and bool((column == 0.5).any())  # as the border has it: positive only above one half
        decided = np.where(column > 0.5, 0, 1).astype(np.int32)[None] if half else None
        f = self.frame
        held: dict[str, Any] = {"outputs": f.outputs, "positive": f.positive, "extent": extent, "shuffled": True}
        return Predictions(f.classes, truth[None], column[None, :, None], decided, **held)
