"""The scores of one column in cells so small that what they hide can be bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, ratio
from karat.core.cached import cached
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.statistics.score_table import ScoreTable

TIED, BEST, WORST = "tied", "best", "worst"
"""What is supposed of the cases in a cell: that they tie; that those of the class itself rank above all others; that
they rank below. Whatever the scores were, a measure that follows the ROC curve lies between the last two."""
SPARSE = 16
"""Places of a table for each cell that is put into it, above which cells are sorted instead."""


@dataclass(frozen=True, eq=False)
class CellTable(ScoreTable):
    """A score table as it may have been at worst."""

    apart: Array = field(default_factory=lambda: np.empty(0, bool))  # type: ignore[misc]
    """[m]: may cases that are put at one score have had different ones?"""

    @cached
    def precision_sum(self) -> Array:
        """One after another cases of the class are less precise than together, which an integral is not above."""
        own, tp, fp = self.positive[..., ::-1], self.true_positives, self.false_positives[..., 1:]
        together = own * np.asarray(ratio(tp[..., 1:], tp[..., 1:] + fp, otherwise=0.0))
        one_by_one = own - fp * np.log1p(np.asarray(ratio(own, tp[..., :-1] + fp, otherwise=0.0)))
        return np.asarray(np.where(self.apart[..., ::-1], one_by_one, together).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class ScoreGrid(Statistic):
    """The cells of a class's column that hold cases, ascending: cell[m]; the lowest and the highest score in each,
    ends[2, m]; the weight of each class in it, weight[k, m]. Row `own` is the class itself. A cell whose ends are equal
    is an exact tie, and nothing is lost of it."""

    needs = Needs.PROBABILITIES
    per_class = "each"
    cell: Array
    ends: Array
    weight: Array
    own: int = 1

    @classmethod
    def of_class(cls, p: Predictions, j: int) -> ScoreGrid:
        """The grid of column j, with a row for every class."""
        assert p.scores is not None
        scores = p.scores[0, :, j] + 0.0
        order = np.argsort(scores, kind="stable")
        x, y = scores[order], p.truth[0][order]
        w = np.ones(len(x)) if p.weight is None else p.weight[0][order]
        if p.weight is not None:  # a case without weight is none
            x, y, w = x[w > 0], y[w > 0], w[w > 0]
        cell = kernels.cells_of_scores(x)
        starts = np.flatnonzero(np.append(len(x) > 0, cell[1:] != cell[:-1]))
        ends = np.stack([x[starts], x[np.append(starts[1:], len(x)) - 1]]) if len(x) else np.empty((2, 0))
        place = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
        rows = len(p.classes)
        weight = np.bincount(y.astype(np.intp) * len(starts) + place, w, rows * len(starts))
        return cls(cell[starts], ends, np.asarray(weight, np.float64).reshape(rows, -1), j)

    @classmethod
    def of_keys(cls, keys: Array) -> ScoreGrid:
        """The grid of the second of two classes, from sorted keys (see `kernels.pack_pairs`)."""
        return cls(*kernels.cells_of_keys(keys), 1)

    @classmethod
    def of_ends(cls, ends: Array, weight: Array, own: int) -> ScoreGrid:
        """From the scores of its cells, which say which cells they are."""
        return cls(kernels.cells_of_scores(ends[0]), ends, weight, own)

    def __add__(self, other: Self) -> Self:
        joined = kernels.cells_joined((self.cell, self.ends, self.weight), (other.cell, other.ends, other.weight))
        return type(self)(*joined, self.own)

    @classmethod
    def sum_of(cls, grids: Sequence[ScoreGrid]) -> ScoreGrid:
        """Many added up: what each has is gone over once, not as often as there are others."""
        cell, ends, weight = (
            np.concatenate([getattr(g, x) for g in grids], axis=-1) for x in ("cell", "ends", "weight")
        )
        first = int(cell.min(initial=0 if not len(cell) else cell[0]))
        width = int(cell.max(initial=first)) - first + 1
        if width > SPARSE * len(cell):  # a table with a place for each cell would be nearly empty
            found, place = np.unique(cell, return_inverse=True)
        else:
            place = (cell - first).astype(np.intp)
            found = np.flatnonzero(np.bincount(place, minlength=width))
            among = np.empty(width, np.intp)
            among[found] = np.arange(len(found))
            place, found = among[place], found.astype(np.int32) + np.int32(first)
        joined = np.stack([np.full(len(found), np.inf), np.full(len(found), -np.inf)])
        np.minimum.at(joined[0], place, ends[0])
        np.maximum.at(joined[1], place, ends[1])
        return cls(found, joined, np.stack([np.bincount(place, w, len(found)) for w in weight]), grids[0].own)

    @cached
    def exact(self) -> bool:
        """Has every cell a single score?"""
        return bool((self.ends[0] == self.ends[1]).all())

    def table(self, view: str = TIED) -> ScoreTable:
        """The scores with a row for each class, as `view` supposes them to be. Tied cases stand at the lowest score of
        their cell, so that a threshold there is exact."""
        if view == TIED or self.exact:
            return ScoreTable(self.ends[0], self.weight, self.own)
        scores, weight, apart = kernels.cells_apart(self.ends, self.weight, self.own, view == BEST)
        return CellTable(scores, weight, self.own, apart) if view == WORST else ScoreTable(scores, weight, self.own)

    def refinement(self, view: str) -> float:
        """sum w f (1 - f) over groups of equal scores, f the share of the class: at least that of exact ties (BEST),
        at most that of whole cells."""
        own = self.weight[self.own]
        total = self.weight.sum(axis=0)
        with np.errstate(all="ignore"):
            parts = np.where(total > 0, own * (total - own) / total, 0.0)
        return float((parts * (self.ends[0] == self.ends[1]) if view == BEST else parts).sum())


def mirrored(table: ScoreTable) -> ScoreTable:
    """Of two classes: the table of the other, whose scores are one minus these."""
    turned = 1 - table.scores[::-1], table.weight[:, ::-1], 1 - table.own
    return ScoreTable(*turned) if table.apart is None else CellTable(*turned, table.apart[::-1])


def pairs_won(tables: list[ScoreTable]) -> Array:
    """[j, c]: pairs of a case of class j and one of class c in which the first has the higher score in the table of
    class j; ties count one half. Each table has a row for every class; where there is one of two classes, whose scores
    mirror each other, it tells all."""
    return _over_pairs(tables, lambda _, level: np.cumsum(level) - level / 2)


def margins_won(tables: list[ScoreTable]) -> Array:
    """[j, c]: the same pairs, weighted by how much higher the score is."""
    return _over_pairs(tables, lambda x, level: x * np.cumsum(level) - np.cumsum(x * level))


def _over_pairs(tables: list[ScoreTable], below: Callable[[Array, Array], Array]) -> Array:
    """Of each case of class j what the cases of class c at or below its score count."""
    k = len(tables[0].weight)

    def over(t: ScoreTable, c: int) -> float:
        return float((t.positive * below(t.scores, t.weight[c])).sum())

    if len(tables) < k:
        both = over(tables[0], 1 - tables[0].own)
        return np.array([[0.0, both], [both, 0.0]])
    return np.array([[0.0 if c == j else over(t, c) for c in range(k)] for j, t in enumerate(tables)])
