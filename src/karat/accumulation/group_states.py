"""What is kept of one model by group: a state for each combination of groups that occurs. They add up to the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from karat.accumulation.model_states import Folded, Frame, KeyState
from karat.accumulation.row_states import NumberedRows, RowState, joined_rows
from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError
from karat.core.words import listed
from karat.data import Predictions, Source
from karat.data.arrays import is_missing, of_one_kind
from karat.data.coded_values import GROUPS_EXPECTED, CodedValues, occurring
from karat.data.labels import attribute_reader
from karat.statistics.added import AddedStatistics, GroupCells

MOST_CELLS = 20_000
"""Combinations of groups: each has its own sums, bins and cells of scores."""
TOGETHER = 1 << 21
"""Rows that are put to their groups at a time."""
PENDING_BYTES = 1 << 27
"""Rows of all groups together that wait to be folded."""
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d.*")
"""A date with a time of the day."""
Key = tuple[Any, ...]
Leaf = KeyState | RowState


class GroupsOfFile(dict[str, CodedValues]):
    """Columns of groups that were read from a file."""

    untyped = False
    """are all values texts, of files that know no types?"""


class GroupSplit(NamedTuple):
    """The combinations of groups that some rows are in, and the place of each row's among them."""

    columns: tuple[str, ...]
    keys: list[Key]
    places: Array
    untyped: bool = False


def split_by(by: Mapping[str, Any], n: int) -> GroupSplit:
    """From the columns of groups of n rows."""
    place = np.zeros(n, np.int64)
    keys: list[Key] = [()]
    for name, column in by.items():
        coded = _coded(name, column, n)
        width = len(coded.values)
        found, place = occurring(place * width + coded.places, len(keys) * width)
        keys = [(*keys[at // width], coded.values[at % width]) for at in found.tolist()]
    return GroupSplit(tuple(by), keys, place, getattr(by, "untyped", False))


def _coded(name: str, column: Any, n: int) -> CodedValues:
    """Values as JSON has them, each once: texts, numbers, truth values, days, and None where one is missing."""
    coded = CodedValues.of(column, name, GROUPS_EXPECTED)
    if len(coded) != n:
        raise ShapeError(f"{name} has {len(coded):,} values and there are {n:,} cases; give {GROUPS_EXPECTED}.")
    values = [_plain(v) for v in coded.values]
    texts = [v for v in values if isinstance(v, str)]
    if texts and all(map(_is_time, texts)):
        values = [v if v is None else v[:10] for v in values]
    unique = {v: i for i, v in enumerate(dict.fromkeys(values))}
    if len(unique) == len(values):
        return CodedValues(values, coded.places)
    return CodedValues(list(unique), np.array([unique[v] for v in values])[coded.places])


def _plain(value: Any) -> Any:
    """As JSON has it; a time as its day."""
    if isinstance(value, str | bool | int):
        return value or None if isinstance(value, str) else value
    if is_missing(value):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return value.isoformat()[:10] if isinstance(value, date | datetime) else str(value)


def _is_time(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text)) and datetime.fromisoformat(text) is not None
    except ValueError:
        return False


@dataclass(eq=False)
class GroupState:
    """The states of the groups of one model."""

    empty: Leaf
    """how the state of a group begins"""
    columns: tuple[str, ...]
    cells: dict[Key, Leaf] = field(default_factory=dict)
    untyped: bool = False
    """are all values texts, of files that know no types?"""
    pending: list[tuple[NumberedRows, Array]] = field(default_factory=list)
    """rows that were not yet put to their groups, and the place of each one's group"""
    place_of: dict[Key, int] = field(default_factory=dict)
    """of groups among all"""

    @property
    def frame(self) -> Frame:
        """What all parts share."""
        return self.empty.frame

    @property
    def place(self) -> int | None:
        """The class that the one column of probabilities is of."""
        return self.empty.place

    @property
    def plain(self) -> bool:
        """Is one column of probabilities all that is given?"""
        return getattr(self.empty, "plain", True)

    @property
    def paired(self) -> bool | None:
        """Are statistics kept by block?"""
        return getattr(self.empty, "paired", None)

    @property
    def keep(self) -> bool:
        """Are rows kept?"""
        return self.empty.keep

    @property
    def rows(self) -> int:
        """Number of cases."""
        return self.waiting + sum(leaf.rows for leaf in self.cells.values())

    @property
    def size(self) -> int:
        """Bytes that the rows take."""
        waiting = sum(rows.size + places.nbytes for rows, places in self.pending)
        return waiting + sum(leaf.size for leaf in self.cells.values())

    def refuse_many(self, keys: Iterable[Key], rows: int) -> None:
        """So many groups are ids, or too many columns at once."""
        count = len(self.cells.keys() | set(keys))
        if count <= MOST_CELLS:
            return
        names = listed(list(self.columns))
        fewer = "; accumulate by fewer columns at a time" if len(self.columns) > 1 else ""
        raise InputError(
            f"{names} {'make' if fewer else 'has'} {count:,} groups in {self.rows + rows:,} cases, and at most "
            f"{MOST_CELLS:,} can be accumulated; pass columns of groups that hold many cases each{fewer}."
        )

    def add(self, p: Predictions, first: Array | int = 0, split: GroupSplit | None = None) -> None:
        """Take these in."""
        assert split is not None
        self.pending.append((NumberedRows.of(p, first), self._places(split.keys)[split.places]))
        if self.waiting >= TOGETHER and not self.in_order:
            self.settle()

    @property
    def in_order(self) -> bool:
        """Are rows kept as they come, and go to their groups only when they are let go?"""
        return self.keep and isinstance(self.empty, RowState)

    @property
    def waiting(self) -> int:
        """Rows that were not yet put to their groups."""
        return sum(len(places) for _, places in self.pending)

    def _places(self, keys: Iterable[Key]) -> Array:
        """Of these groups among all, which have a state from now on."""
        keys = list(keys)
        if self.place_of.keys() != self.cells.keys():
            self.place_of = {key: i for i, key in enumerate(self.cells)}
        for key in keys:
            if key not in self.cells:
                self.cells[key], self.place_of[key] = _copied(self.empty), len(self.cells)
        return np.array([self.place_of[key] for key in keys], np.int32)

    def settle(self) -> None:
        """Put the rows that wait to their groups: many at a time, as each group has its price."""
        if not self.pending:
            return
        rows = joined_rows([rows for rows, _ in self.pending])
        places = np.concatenate([places for _, places in self.pending])
        self.pending = []
        order = np.argsort(places.astype(np.int16 if len(self.cells) < 1 << 15 else np.int32), kind="stable")
        p, each = rows.p.take(order), rows.each[order]
        ends = np.cumsum(np.bincount(places, minlength=len(self.cells))).tolist()
        for leaf, (start, stop) in zip(self.cells.values(), pairwise([0, *ends]), strict=True):
            if stop > start:
                leaf.add(p.part(slice(start, stop)), each[start:stop])
        self._keep_small()

    def before_merge(self) -> None:
        """Rows of all groups are sorted by them here and now."""
        if not self.in_order:
            self.settle()

    def merge(self, other: GroupState) -> None:
        """Take in what another has."""
        among = self._places(other.cells)
        self.pending += [(rows, among[places]) for rows, places in other.pending]
        for key, leaf in other.cells.items():
            if leaf.rows:
                self.cells[key].merge(leaf)  # type: ignore[arg-type]
        if self.keep and not other.keep:
            self.fold()
        elif self.waiting >= TOGETHER and not self.in_order:
            self.settle()
        self._keep_small()

    def fold(self) -> None:
        """Let the rows go."""
        self.settle()
        self.empty.keep = False
        if isinstance(self.empty, KeyState):
            leaves: list[Any] = list(self.cells.values())
            KeyState.fold_all(leaves)
            for leaf in leaves:  # rooms for keys to come, in every group, would be large
                leaf.keys = np.empty(0, leaf.keys.dtype)
        else:
            for leaf in self.cells.values():
                leaf.fold()

    def _keep_small(self) -> None:
        waiting = sum(x.keys.nbytes if isinstance(x, KeyState) else x.size for x in self.cells.values())
        if not self.keep and waiting > PENDING_BYTES:
            self.fold()

    # ------------------------------------------------------------------------------------------------- to evaluate

    def source(self, most_rows: int) -> Source:
        """All groups together; of rows that are gone, or too many, with what is known of each group."""
        if not self.keep:
            self.fold()
        if self.in_order or (self.keep and self.rows <= most_rows):
            return self._cases()[0]
        self.settle()
        leaves = [_copied(leaf) for leaf in self.cells.values()]  # as they are now: rows to come are not these cases'
        whole = joined_states(leaves, range(len(leaves)))
        assert isinstance(whole, AddedStatistics)
        cases = np.array([leaf.rows for leaf in leaves])
        return replace(whole, cells=GroupCells(self._values(), cases, partial(joined_states, leaves)))

    def columns_of(self, source: Source) -> dict[str, Any]:
        """Column to values: of each case, or of each combination of groups, as the source has them."""
        if source.cases is None:
            return self._values()
        occur, cell = occurring(self._cases()[1], len(self.cells))
        return {name: CodedValues(values[occur].tolist(), cell) for name, values in self._values().items()}

    def _values(self) -> dict[str, Array]:
        """Column to the value of each combination of groups."""
        columns: dict[str, list[Any]] = {name: [key[i] for key in self.cells] for i, name in enumerate(self.columns)}
        if self.untyped:
            readers = {name: attribute_reader(column) for name, column in columns.items()}
            columns = {name: [readers[name](v) for v in column] for name, column in columns.items()}
        return {name: of_one_kind(column) for name, column in columns.items()}

    def _cases(self) -> tuple[Predictions, Array]:
        """All rows in their order, as far as it was kept, and the place of each one's group."""
        if self.waiting < self.rows:
            return self._settled_cases()
        if len(self.pending) > 1:
            if all(isinstance(rows.numbers, int) for rows, _ in self.pending):
                self.pending.sort(key=lambda pair: pair[0].numbers)
            places = np.concatenate([places for _, places in self.pending])
            self.pending = [(joined_rows([rows for rows, _ in self.pending]), places)]
        rows, places = self.pending[0]
        return rows.p, places

    def _settled_cases(self) -> tuple[Predictions, Array]:
        """The same of rows that were put to their groups."""
        self.settle()
        leaves = list(self.cells.values())
        cell = np.repeat(np.arange(len(leaves)), [leaf.rows for leaf in leaves])
        if isinstance(self.empty, RowState):
            rows = joined_rows([part for leaf in leaves for part in leaf.parts])  # type: ignore[union-attr]
            order = np.argsort(rows.each, kind="stable")
            return rows.p.take(order), cell[order]
        sources = [leaf.source(leaf.rows) for leaf in leaves]
        return joined_rows([NumberedRows(0, p) for p in sources]).p, cell  # type: ignore[arg-type]


def joined_states(leaves: Sequence[Leaf], places: Sequence[int]) -> Source:
    """Some groups together, added up two and two where rows are kept: they would be copied as often as there are groups
    otherwise."""
    states = [leaves[i] for i in places]
    first = states[0]
    if isinstance(first, KeyState) and all(state.let_go for state in states):  # type: ignore[union-attr]
        return Folded.sum_of([state.folded for state in states]).source(first.frame, sum(s.rows for s in states))
    states = [_copied(state) for state in states]
    while len(states) > 1:
        for one, other in zip(states[::2], states[1::2], strict=False):
            one.merge(other)  # type: ignore[arg-type]
        states = states[::2]
    return states[0].source(0)


def _copied(state: Leaf) -> Leaf:
    """One that can be added to."""
    if isinstance(state, KeyState):
        if state.pile is not None:
            state.fold()
        return replace(state, keys=state.keys[: state.filled].copy(), folded=copy(state.folded))
    return replace(state, parts=list(state.parts), folded=copy(state.folded))
