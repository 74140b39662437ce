"""How sure the best threshold is, and what it costs on cases that did not choose it.

The best threshold moves with the cube root of the number of cases, not the square root [kim1990], so that the plain
bootstrap of it does not hold what it promises. Fewer cases than there are, drawn again and again, do [politis1994]: m
of n move it (n / m)^(1/3) times as far. Distances are taken in ranks, so that no rescaling of the scores changes
anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.record import Record
from karat.core.validation import too_few
from karat.core.words import counted
from karat.data import Predictions
from karat.measures.costs import expected_cost
from karat.resampling.draws import blocks, stream
from karat.statistics import Counts, ScoreTable

FEWEST_OF_A_CLASS = 20
"""Cases of the rarer class below which the interval of a threshold does not hold what it promises: with ten of them,
95 % were 86 %."""
FEWEST_VALUED = 10
"""The same of its cost: in each fold one case of the rarer class."""
DRAWN_OF_A_CLASS = 10
"""So many cases of the rarer class are drawn at least, on average."""
REPLICATES, MOST_REPLICATES = 500, 5000
"""How often they are drawn: as often as it takes for ten replicates in each tail."""
FOLDS = 10
MOST_REPEATED, CASES_REPEATED = 20, 1_000_000
"""How often cases are put into folds at most, and how many of them in all."""
MOST_CELLS = 1024
"""Scores are put together to so many, far fewer than any interval could tell apart."""
PURPOSE = 1 << 25
"""Of the random numbers (see `stream`)."""


@dataclass(frozen=True, eq=False)
class ThresholdUncertainty(Record):
    """Of a best threshold."""

    interval: tuple[float, float] = (math.nan, math.nan)
    """where the best threshold of all such cases lies; an end may be infinite"""
    new_cost: float = math.nan
    """what such a threshold costs on cases that did not choose it, by cross-validation"""
    new_cost_interval: tuple[float, float] = (math.nan, math.nan)
    level: float = 0.95
    drawn: int = 0
    """cases in each replicate that the interval of the threshold comes from"""
    reason: str = ""
    """why one of the intervals is not known"""


def tables_at_thresholds(t: ScoreTable, positive: int) -> Array:
    """[..., m + 1, 2, 2]: the confusion matrix at each threshold, from never positive down through the scores."""
    table = t.counts.table
    return table if positive else table[..., ::-1, ::-1]


def lowest_cost(costs: Array, cost: Array) -> Array:
    """[..., m]: which thresholds cost the least, but for rounding?"""
    scale = float(np.abs(cost).max()) or 1.0
    return np.asarray(costs <= costs.min(axis=-1, keepdims=True) + TOLERANCE * scale)


class CasesByCell:
    """Cases by class and cell, a cell being a score or a few of them; from the highest down."""

    def __init__(self, p: Predictions, t: ScoreTable, positive: int, cost: Array, prior: Array | None) -> None:
        self.positive, self.cost, self.prior = positive, cost, prior
        scores = 1 - p.scores[0, :, 1 - positive] if p.mirrors(positive) else p.scores[0, :, positive]  # type: ignore[index]
        each = (t.positive + t.negative)[::-1]
        above = np.concatenate([[0.0], np.cumsum(each)]) / each.sum()
        cell = np.arange(len(each)) if len(each) <= MOST_CELLS else (above[:-1] * MOST_CELLS).astype(np.int64)
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        self.above = np.append(above[starts], 1.0)
        """[cells + 1]: the share of the cases from each threshold on"""
        self.share_above = above
        """[scores + 1]: the same, of all thresholds"""
        self.cells = len(starts)
        lowest = t.scores[len(each) - np.append(starts[1:], len(each))][::-1]
        own = p.truth[0] == positive
        place = self.cells - np.searchsorted(lowest, scores, side="right")
        self.code = np.where(own, self.cells, 0) + np.minimum(place, self.cells - 1)
        self.weight = None if p.weight is None else p.weight[0]
        counts = np.ones(p.n, bool) if self.weight is None else self.weight > 0
        self.n, self.sides = p.n, (np.flatnonzero(~own & counts), np.flatnonzero(own & counts))

    def tables(self, rows: Array, cases: Array | slice, number: int) -> Array:
        """[number, cells + 1, 2, 2]: the confusion matrices at all thresholds, of the cases in each row."""
        weight = None if self.weight is None else self.weight[cases].ravel()
        codes = (rows * 2 * self.cells + self.code[cases]).ravel()
        counts = np.bincount(codes, weight, number * 2 * self.cells).reshape(number, 2, self.cells)
        whole = ScoreTable(np.arange(self.cells, dtype=float), counts[..., ::-1].astype(float))
        return tables_at_thresholds(whole, self.positive)

    def best(self, tables: Array) -> Array:
        """[R]: the place of the highest of the best thresholds in each row; -1 where a class has no case."""
        costs = np.asarray(expected_cost(Counts(tables), cost=self.cost, prior=self.prior))
        known = np.isfinite(costs).all(axis=-1)
        return np.where(known, lowest_cost(np.where(known[:, None], costs, 0.0), self.cost).argmax(axis=-1), -1)


def threshold_uncertainty(
    p: Predictions, t: ScoreTable, positive: int, cost: Array, prior: Array | None, at: int, level: float, seed: Any
) -> ThresholdUncertainty:
    """Of the threshold at place `at` (0: never, 1: from the highest score on, ...). Without a prior it is that of the
    cases, and as unsure as it is."""
    cases = CasesByCell(p, t, positive, cost, prior)
    rarer = min(map(len, cases.sides))
    if rarer < FEWEST_VALUED:
        return ThresholdUncertainty(
            level=level, reason=f"the rarer class has only {counted(rarer)}; at least {FEWEST_VALUED} are needed"
        )
    new_cost, ends = _cost_of_new_cases(cases, level, seed)
    if rarer < FEWEST_OF_A_CLASS:
        reason = f"the rarer class has only {counted(rarer)}; an interval of the threshold needs {FEWEST_OF_A_CLASS}"
        return ThresholdUncertainty(new_cost=new_cost, new_cost_interval=ends, level=level, reason=reason)
    m = min(cases.n, max(round(cases.n ** (2 / 3)), math.ceil(cases.n * DRAWN_OF_A_CLASS / rarer)))
    replicates = min(MOST_REPLICATES, max(REPLICATES, math.ceil(20 / (1 - level))))
    moves = _moves(cases, m, replicates, seed) * (m / cases.n) ** (1 / 3)
    low, high = np.quantile(moves, [(1 - level) / 2, (1 + level) / 2])
    share = cases.share_above
    edges = np.concatenate([[math.inf], t.scores[::-1], [-math.inf]])
    first = int(np.searchsorted(share, share[at] + min(low, 0.0) + TOLERANCE, side="right")) - 1
    last = min(int(np.searchsorted(share, share[at] + max(high, 0.0) - TOLERANCE)), len(share) - 1)
    interval = (float(edges[last + 1]), float(edges[max(first, 0)]))
    return ThresholdUncertainty(interval, new_cost, ends, level, m, too_few(replicates, level))


def _moves(cases: CasesByCell, m: int, replicates: int, seed: Any) -> Array:
    """By what share of the cases the best threshold of m of them, drawn with replacement, lies further down."""
    every = cases.tables(np.zeros(cases.n, np.int64), slice(None), 1)
    rng, places = stream(seed, PURPOSE), []
    for part in blocks(replicates, max(m, 4 * cases.cells)):
        rows = part.stop - part.start
        drawn = rng.integers(0, cases.n, (rows, m))
        places.append(cases.best(cases.tables(np.arange(rows)[:, None], drawn, rows)))
    place = np.concatenate(places)
    return np.asarray(cases.above[place[place >= 0]] - cases.above[cases.best(every)[0]])


def _cost_of_new_cases(cases: CasesByCell, level: float, seed: Any) -> tuple[float, tuple[float, float]]:
    """The cost of the cases of each fold at the threshold that the other folds choose, and its interval: those of the
    shares of both errors put together (their distances to the ends, as the sides of a right triangle)."""
    from scipy.special import betaincinv

    rng, table = stream(seed, PURPOSE + 1), np.zeros((2, 2))
    repeats = min(MOST_REPEATED, max(1, CASES_REPEATED // cases.n))
    for _ in range(repeats):
        fold = np.zeros(cases.n, np.int64)
        for members in cases.sides:
            fold[members] = rng.permutation(np.arange(len(members)) % FOLDS)
        own = cases.tables(fold, slice(None), FOLDS)
        table += own[np.arange(FOLDS), cases.best(own.sum(axis=0) - own)].sum(axis=0) / repeats
    middle = float(expected_cost(Counts(table), cost=cases.cost, prior=cases.prior))
    below = above = 0.0
    for j in (0, 1):
        side: Array | slice = cases.sides[j == cases.positive] if cases.prior is not None else slice(None)
        whole = float(table[j].sum() if cases.prior is not None else table.sum())
        step = (1.0 if cases.prior is None else float(cases.prior[j])) * float(cases.cost[j, 1 - j] - cases.cost[j, j])
        wrong, n = table[j, 1 - j] / whole, _number_of_cases(cases, side)
        beta = (wrong * n + 0.5, (1 - wrong) * n + 0.5)  # Jeffreys' interval of a share
        ends = [float(betaincinv(*beta, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)]
        moves = sorted((step * (min(ends[0], wrong) - wrong), step * (max(ends[1], wrong) - wrong)))
        below, above = math.hypot(below, moves[0]), math.hypot(above, moves[1])
    return middle, (middle - below, middle + above)


def _number_of_cases(cases: CasesByCell, side: Array | slice) -> float:
    """What weights leave of the number of cases."""
    if cases.weight is None:
        return float(cases.n if isinstance(side, slice) else len(side))
    w = cases.weight[side]
    return float(w.sum() ** 2 / (w**2).sum())
