"""What checks of probabilities look at: the cases, or the cells of scores that stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.data import Predictions
from karat.statistics import Summary
from karat.statistics.p_values import effective


class ProbabilityFacts(NamedTuple):
    """Sums over all cases, by their effective weights."""

    weight: float
    stated: float
    """the highest probabilities"""
    right: float
    excess: float
    """right minus stated"""
    variance: float
    """of `right`, if the highest probabilities were those of being right"""
    certain: float
    """weight of the cases with a probability of 1"""
    tied: float
    """cases with two highest probabilities"""
    impossible: float
    """cases with the probability 0 for the truth"""
    columns: Array
    """[k, 3]: cases of each class minus their probabilities, the variance of these cases, the probabilities"""


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

    def column(self, j: int) -> Array:
        """[n]: the probabilities of class j."""
        return self.predictions.column(j)

    @cached
    def facts(self) -> ProbabilityFacts:
        """From one pass over the cases."""
        p = self.predictions
        assert p.held is not None
        w, squares = (None, None) if self.of_rows and p.weight is None else (self.weight, self.squares)
        facts, columns = kernels.probability_facts(self.truth, p.held[0], w, squares, p.alone)
        return ProbabilityFacts._make([*facts.tolist(), columns])

    def first(self, places: Array) -> list[int]:
        """The first of these rows; none where they are cells."""
        return places[:10].tolist() if self.of_rows else []


def sample_of(s: Summary) -> SeenCases | None:
    """The cases; of added statistics of two classes their cells, whose weights are taken to have nothing to do with the
    scores. None of more classes, of which only single columns are known."""
    if SeenCases not in s.computed:
        s.computed[SeenCases] = _seen(s)
    return s.computed[SeenCases]  # type: ignore[no-any-return]


def _seen(s: Summary) -> SeenCases | None:
    p = s.source.cases
    if p is not None:
        ones = np.broadcast_to(1.0, p.n)  # in no room
        if p.weight is None:
            return SeenCases(p, ones, ones, ones, True)
        w = p.weight[0] * effective(s)
        return SeenCases(p, w, w * w, ones, True)
    p = None if s.source.added is None else s.source.added.cell_cases()
    w = None if p is None or p.weight is None else p.weight[0] * effective(s)
    return None if p is None or w is None else SeenCases(p, w, w, np.maximum(w, 1.0), False)


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
        return SeenColumn(sample.column(j), hits, sample.weight, sample.squares)
    grid = s.source.added.grids[j if len(s.source.added.grids) > j else -1]
    middle, own = grid.ends.mean(axis=0), grid.weight[grid.own]
    total = grid.weight.sum(axis=0)
    scores, hits = (middle, own / total) if grid.own == j else (1 - middle, 1 - own / total)
    return SeenColumn(scores, hits, total * effective(s), total * effective(s))
