"""What checks of probabilities look at: the cases, or the cells of scores that stand for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.statistics import Summary
from karat.statistics.p_values import effective


@dataclass(frozen=True, eq=False)
class SeenCases:
    """Cases, or cells in which all cases of a class have one probability."""

    predictions: Predictions
    weight: Array
    """[n]: effective weight"""
    squares: Array
    """[n]: the sum of the squares of the effective weights of the single cases"""
    cases: Array
    """[n]: how many cases each stands for"""
    of_rows: bool

    @property
    def truth(self) -> Array:
        """[n]: true classes."""
        return np.asarray(self.predictions.truth[0])

    @property
    def probabilities(self) -> Array:
        """[n, k]"""
        assert self.predictions.scores is not None
        return np.asarray(self.predictions.scores[0])

    def first(self, places: Array) -> list[int]:
        """The first of these rows; none where they are cells."""
        return places[:10].tolist() if self.of_rows else []


def sample_of(s: Summary) -> SeenCases | None:
    """The cases; of added statistics of two classes their cells, whose weights are taken to have nothing to do with the
    scores. None of more classes, of which only single columns are known."""
    p = s.source.cases
    if p is not None:
        w = np.ones(p.n) if p.weight is None else p.weight[0] * effective(s)
        return SeenCases(p, w, w * w, np.ones(p.n), True)
    if SeenCases not in s.computed:
        p = None if s.source.added is None else s.source.added.cell_cases()
        w = None if p is None or p.weight is None else p.weight[0] * effective(s)
        s.computed[SeenCases] = None if p is None or w is None else SeenCases(p, w, w, np.maximum(w, 1.0), False)
    return s.computed[SeenCases]  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """The probabilities of one class."""

    scores: Array
    hits: Array
    """[n]: is it the class, or which share of the cases of a cell is"""
    weight: Array
    squares: Array


def column_of(s: Summary, j: int) -> SeenColumn:
    """The probabilities of class j: of cases, or in the cells of its score table."""
    if s.source.cases is not None:
        sample = sample_of(s)
        assert sample is not None
        hits = (sample.truth == j).astype(float)
        return SeenColumn(sample.probabilities[:, j], hits, sample.weight, sample.squares)
    grid = s.source.added.grids[j if len(s.source.added.grids) > j else -1]
    middle, own = grid.ends.mean(axis=0), grid.weight[grid.own]
    total = grid.weight.sum(axis=0)
    scores, hits = (middle, own / total) if grid.own == j else (1 - middle, 1 - own / total)
    return SeenColumn(scores, hits, total * effective(s), total * effective(s))
