"""Measures of the order of scores in every group, where it is known from cell to cell alone: the cells of groups that
have about as many are stacked, and a formula is taken once for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.measures.certified import value_between
from karat.measures.value import MeasureOf
from karat.statistics import ScoreTable, Summary
from karat.statistics.order import Pairs
from karat.statistics.score_grid import BEST, TIED, WORST, CellTable, ScoreGrid

MOST_STACKED = 1 << 17
"""Cells that are held at a time: few enough for the caches."""


class AskedForScoresError(AttributeError):
    """The tables of several groups have no scores in common."""


class _WithoutScores:
    def __getattribute__(self, name: str) -> object:
        if name == "scores":
            raise AskedForScoresError
        return super().__getattribute__(name)


class StackedTable(_WithoutScores, ScoreTable):
    """The tables of several groups, weight[groups, 2, m], without their scores."""


class StackedCellTable(_WithoutScores, CellTable):
    """The same, as they may have been at worst."""


@dataclass(frozen=True, eq=False)
class StackedCells:
    """The cells of several groups of two classes; those that a group has less than others are empty."""

    single: Array
    """[groups, m]: is it a tie of equal scores?"""
    weight: Array
    """[groups, 2, m]"""
    own: int

    @classmethod
    def of(cls, grids: Sequence[ScoreGrid]) -> StackedCells:
        """Of these grids."""
        most = max(len(g.cell) for g in grids)
        single, weight = np.ones((len(grids), most), bool), np.zeros((len(grids), 2, most))
        for i, g in enumerate(grids):
            single[i, : len(g.cell)] = g.ends[0] == g.ends[1]
            weight[i, :, : len(g.cell)] = g.weight
        return cls(single, weight, grids[0].own)

    def table(self, view: str, place: int) -> ScoreTable:
        """As `ScoreGrid.table` has it; `place`: of the class itself, or of the other one, whose scores mirror these."""
        if view == TIED:
            return StackedTable(np.empty(0), self.weight[..., :: 1 if place == self.own else -1], place)
        apart, at_top = ~self.single, self.own if view == BEST else 1 - self.own
        weight = np.zeros((*self.weight.shape, 2))  # at the lowest score of each cell, and at the highest
        weight[..., 0] = self.weight
        weight[:, at_top, :, 0] *= self.single
        weight[:, at_top, :, 1] = self.weight[:, at_top] * apart
        weight, apart = weight.reshape(*weight.shape[:2], -1), np.repeat(apart, 2, axis=-1)
        if place != self.own:
            weight, apart = weight[..., ::-1], apart[..., ::-1]
        table = (np.empty(0), weight, place)
        return StackedCellTable(*table, apart) if view == WORST else StackedTable(*table)

    def pairs(self, view: str) -> Pairs:
        """Of each group; both classes win as many, as their scores mirror each other."""
        share = np.where(self.single | (view == TIED), 0.5, 1.0 if view == BEST else 0.0)
        rest = self.weight[:, 1 - self.own]
        won = (self.weight[:, self.own] * (np.cumsum(rest, axis=-1) - rest * (1 - share))).sum(axis=-1)
        table = np.zeros((len(won), 2, 2))
        table[:, 0, 1] = table[:, 1, 0] = won
        return Pairs(table, self.weight.sum(axis=-1))


Stacks = list[tuple[list[int], StackedCells]]
"""The places of some groups, and their cells."""


def stacked_cells(parts: Sequence[Summary]) -> Stacks:
    """The cells of all groups; nothing if they can't be stacked."""
    added = [part.source.added for part in parts]
    if not all(s is not None and s.mirrored and s.order is None and len(s.grids) == 1 for s in added):
        return []
    grids = [s.grids[0] for s in added]
    return [(some, StackedCells.of([grids[i] for i in some])) for some in _of_one_size(grids)]


def values_of_cells(m: MeasureOf, groups: int, stacks: Stacks) -> Array | None:
    """[groups]: the middle of the bounds of each, nan where there is none; None if that has to be asked group by group.
    To be called where numpy's warnings are off."""
    stackable = m.kind is Pairs or (m.kind is ScoreTable and m.place is not None)
    if not (stacks and stackable and m.measure.between_orders):
        return None
    values = np.full(groups, math.nan)
    for some, cells in stacks:
        try:
            views = (WORST, BEST) if m.kind is Pairs else (WORST, TIED, BEST)
            ends = np.stack([_seen_as(view, m, cells) for view in views])
        except AskedForScoresError:
            return None
        between = zip(ends.min(axis=0).tolist(), ends.max(axis=0).tolist(), strict=True)
        values[some] = [value_between(low, high)[0] for low, high in between]
    return values


def _seen_as(view: str, m: MeasureOf, cells: StackedCells) -> Array:
    if m.kind is Pairs:
        return m.values(cells.pairs(view))
    assert m.place is not None
    return m.values(cells.table(view, m.place))


def _of_one_size(grids: Sequence[ScoreGrid]) -> list[list[int]]:
    """The places of grids whose numbers of cells are alike to a factor of two, so many that their cells stay few."""
    of_size: dict[int, list[int]] = {}
    for i, g in enumerate(grids):
        of_size.setdefault(len(g.cell).bit_length(), []).append(i)
    out = []
    for bits, places in of_size.items():
        step = max(1, MOST_STACKED >> bits)
        out += [places[i : i + step] for i in range(0, len(places), step)]
    return out
