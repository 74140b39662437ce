"""Measures by group of cases that were added up: the statistics of each group are known, its cases are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.groups.group_columns import GroupColumn
from karat.groups.group_tables import ByGroup
from karat.groups.group_values import STACKED, stacked_statistic
from karat.groups.reassignments import Labelling
from karat.measures.certified import certain_value
from karat.measures.value import MeasureOf
from karat.statistics import Counts, Summary
from karat.statistics.added import AddedStatistics, GroupCells
from karat.statistics.counts import DENSE

MOST_RESTS = 64
"""Groups whose cells of scores are added up once more for each, all others together."""


class AddedByGroup(ByGroup):
    """Every measure by group, where the cases were added up (`karat.accumulate(..., by=)`)."""

    def __init__(self, summary: Summary, column: GroupColumn, level: float = 0.95) -> None:
        added = summary.source.added
        assert added is not None
        assert added.cells is not None
        self.cells: GroupCells = added.cells
        super().__init__(summary, column, level)

    def _choose(self, summary: Summary) -> None:
        self.codes: Array = self.column.codes
        inside = np.flatnonzero(self.codes >= 0)
        self.whole = summary if len(inside) == len(self.codes) else Summary(self.cells.joined(inside.tolist()))
        self.source = self.whole.source

    @cached_property
    def parts(self) -> list[Summary]:
        """The statistics of each group."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.searchsorted(self.codes[order], np.arange(len(self.groups) + 1))
        return [Summary(self.cells.joined(order[a:b].tolist())) for a, b in pairwise(starts.tolist())]

    @cached_property
    def class_cases(self) -> Array:
        """[groups, k]: number of cases of each class."""
        return np.stack([part.source.added.weights.cases for part in self.parts]).astype(np.int64)

    def together(self, groups: Sequence[int]) -> Summary:
        """The statistics of the cases of these groups."""
        return Summary(self.cells.joined(np.flatnonzero(np.isin(self.codes, groups)).tolist()))

    def rest(self, wanted: list[MeasureOf], groups: Sequence[int]) -> dict[str, Array]:
        """key: [groups]; the measures of these groups without one of them."""
        values = {m.key: np.full(len(groups), np.nan) for m in wanted}
        if len(groups) < 2:
            return values
        parts = [self.parts[g] for g in groups]
        with np.errstate(all="ignore"):
            ordered = []
            for m in wanted:
                if _adds_up(m, parts[0].source.added):
                    values[m.key][:] = m.values(_without_each(m, parts))
                elif len(groups) <= MOST_RESTS:  # the order of the scores of more costs more than it tells
                    ordered.append(m)
            for i, left_out in enumerate(groups) if ordered else ():
                others = self.together([g for g in groups if g != left_out])
                for m in ordered:
                    values[m.key][i] = certain_value(m, others)[0]
        return values

    def labelling(self, groups: Sequence[int], within: str, factor: Array | None) -> Labelling | None:
        """Cases of one class and prediction are alike, so that tables are enough to permute group labels."""
        source = self.source
        if source.weight is not None or len(source.classes) * len(source.outputs) * len(groups) > DENSE:
            return None
        tables = np.stack([self.parts[g].get(Counts).table for g in groups])
        return Labelling(None, np.empty(0, np.int32), len(groups), within, factor, tables)


def _adds_up(m: MeasureOf, added: AddedStatistics) -> bool:
    """Is it a formula of sums over the cases that were kept?"""
    kind = Counts if m.counted else m.kind
    sparse = len(added.classes) * len(added.outputs) > DENSE
    return kind in STACKED and not sparse and any(key[0] is kind for key in added.sums)


def _without_each(m: MeasureOf, parts: list[Summary]) -> Any:
    """The statistic of all groups but one, for each in turn: of those before it and of those after it."""
    stacked = stacked_statistic(m, parts)

    def rest(x: Array) -> Array:
        nothing = np.zeros_like(x[:1])
        before = np.cumsum(np.concatenate([nothing, x[:-1]]), axis=0)
        after = np.cumsum(np.concatenate([nothing, x[:0:-1]]), axis=0)[::-1]
        return np.asarray(before + after)

    return type(stacked)(*(rest(np.asarray(getattr(stacked, f.name))) for f in fields(stacked)))
