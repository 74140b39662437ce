"""How sure the best threshold is, and what it costs on cases that did not choose it.

The best threshold moves with the cube root of the number of cases, not the square root [kim1990], so that the plain
bootstrap of it does not hold what it promises: no case that is drawn again lies lower than the lowest positive one,
though some of the population do. Draws from smoothed classes have cases between and beyond those seen, and the middle
part of their best thresholds holds that of the population, rather too often than too seldom [leger2006]. Scores are
smoothed by their ranks, so that no rescaling of them changes anything.
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

FEWEST_OF_A_CLASS = 10
"""Cases of the rarer class below which nothing is said: one for each fold."""
SMOOTHING = 0.8
"""Standard deviation of what is added to a score, in standard deviations of its class of m cases, times m^(-1/5): with
1.06, which is best for the distribution itself, intervals are wider; with 0.55 some held in 0.93."""
PLACES, BEYOND = 400, 1.0
"""Thresholds of a smoothed population, and how far they reach beyond the scores, in normal scores."""
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
    reason: str = ""
    """why an interval is not known, or not to be relied on"""


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

    def cheapest(self, tables: Array) -> Array:
        """[R, thresholds]: which of them cost the least, from the highest down; none where a class has no case."""
        costs = np.asarray(expected_cost(Counts(tables), cost=self.cost, prior=self.prior))
        known = np.isfinite(costs).all(axis=-1)[:, None]
        return np.asarray(known & lowest_cost(np.where(known, costs, 0.0), self.cost))

    def number(self, side: Array | slice) -> float:
        """How many of the cases there are, or what weights leave of their number."""
        if self.weight is None:
            return float(self.n if isinstance(side, slice) else len(side))
        w = self.weight[side]
        return float(w.sum() ** 2 / (w**2).sum())


class SmoothClasses:
    """Both classes as they may be in the population: their cases, each spread around its normal score (the normal
    quantile of its rank)."""

    def __init__(self, cases: CasesByCell) -> None:
        from scipy.special import ndtr

        self.cases = cases
        scores = normal_scores(cases.above)
        self.edges = np.linspace(scores[-1] - BEYOND, scores[0] + BEYOND, PLACES + 1)
        held = np.bincount(cases.code, cases.weight, 2 * cases.cells).reshape(2, -1)
        numbers = np.array([cases.number(side) for side in cases.sides])
        self.weight = held.sum(axis=1) / numbers
        self.expected = np.empty((2, PLACES))
        for j in (0, 1):
            mean = np.average(scores, weights=held[j])
            spread = math.sqrt(np.average((scores - mean) ** 2, weights=held[j]))
            width = max(SMOOTHING * spread * numbers[j] ** -0.2, float(self.edges[1] - self.edges[0]))
            share = np.diff(ndtr((self.edges[:, None] - scores) / width), axis=0) @ held[j]
            self.expected[j] = share * numbers[j] / share.sum()

    def best(self, replicates: int, seed: Any) -> tuple[Array, Array]:
        """The lowest and the highest of the best thresholds of each of so many samples, in normal scores."""
        rng, lowest, highest = stream(seed, PURPOSE), [], []
        for part in blocks(replicates, 4 * PLACES):
            drawn = rng.poisson(self.expected, (part.stop - part.start, 2, PLACES)) * self.weight[:, None]
            samples = ScoreTable(self.edges[:-1], drawn)
            cheap = self.cases.cheapest(tables_at_thresholds(samples, self.cases.positive))[:, ::-1]
            cheap = cheap[cheap.any(axis=-1)]
            lowest.append(self.edges[cheap.argmax(axis=-1)])
            highest.append(self.edges[PLACES - cheap[:, ::-1].argmax(axis=-1)])
        return np.concatenate(lowest), np.concatenate(highest)


def normal_scores(above: Array) -> Array:
    """The normal quantiles of the middle ranks of scores, from the highest down, given the share of the cases above
    each of them, and 1 in the end."""
    from scipy.special import ndtri

    return np.asarray(-ndtri((above[:-1] + above[1:]) / 2))


def threshold_uncertainty(
    p: Predictions, t: ScoreTable, positive: int, cost: Array, prior: Array | None, at: int, level: float, seed: Any
) -> ThresholdUncertainty:
    """Of the threshold at place `at` (0: never, 1: from the highest score on, ...). Without a prior it is that of the
    cases, and as unsure as it is."""
    cases = CasesByCell(p, t, positive, cost, prior)
    rarer = min(map(len, cases.sides))
    if rarer < FEWEST_OF_A_CLASS:
        reason = f"the rarer class has only {counted(rarer)}; at least {FEWEST_OF_A_CLASS} are needed"
        return ThresholdUncertainty(level=level, reason=reason)
    new_cost, ends = _cost_of_new_cases(cases, level, seed)
    replicates = min(MOST_REPLICATES, max(REPLICATES, math.ceil(20 / (1 - level))))
    lowest, highest = SmoothClasses(cases).best(replicates, seed)
    low, high = np.quantile(lowest, (1 - level) / 2), np.quantile(highest, (1 + level) / 2)
    scores = normal_scores(cases.share_above)
    edges = np.concatenate([[math.inf], t.scores[::-1], [-math.inf]])
    first, last = min(at, int((scores >= high).sum())), max(at, int((scores > low).sum()))
    interval = (float(edges[last + 1]), float(edges[first]))
    return ThresholdUncertainty(interval, new_cost, ends, level, too_few(replicates, level))


def _cost_of_new_cases(cases: CasesByCell, level: float, seed: Any) -> tuple[float, tuple[float, float]]:
    """The cost of the cases of each fold at the threshold that the other folds choose, and its interval. That cost is
    too high on average, as fewer cases choose, and that of all cases at the threshold which they choose themselves is
    too low: the lower end is halfway between those of both."""
    rng, table = stream(seed, PURPOSE + 1), np.zeros((2, 2))
    repeats = min(MOST_REPEATED, max(1, CASES_REPEATED // cases.n))
    for _ in range(repeats):
        fold = np.zeros(cases.n, np.int64)
        for members in cases.sides:
            fold[members] = rng.permutation(np.arange(len(members)) % FOLDS)
        own = cases.tables(fold, slice(None), FOLDS)
        chosen = cases.cheapest(own.sum(axis=0) - own).argmax(axis=-1)
        table += own[np.arange(FOLDS), chosen].sum(axis=0) / repeats
    every = own.sum(axis=0)
    lowest, _, _ = _cost_between(cases, every[cases.cheapest(every[None])[0].argmax()], level)
    low, middle, high = _cost_between(cases, table, level)
    return middle, (min((lowest + low) / 2, low), high)


def _cost_between(cases: CasesByCell, table: Array, level: float) -> tuple[float, float, float]:
    """What decisions of this table cost, between the ends of its interval: those of the shares of both errors put
    together (their distances to the ends, as the sides of a right triangle)."""
    from scipy.special import betaincinv

    middle = float(expected_cost(Counts(table), cost=cases.cost, prior=cases.prior))
    below = above = 0.0
    for j in (0, 1):
        side: Array | slice = cases.sides[j == cases.positive] if cases.prior is not None else slice(None)
        whole = float(table[j].sum() if cases.prior is not None else table.sum())
        step = (1.0 if cases.prior is None else float(cases.prior[j])) * float(cases.cost[j, 1 - j] - cases.cost[j, j])
        wrong, n = table[j, 1 - j] / whole, cases.number(side)
        beta = (wrong * n + 0.5, (1 - wrong) * n + 0.5)  # Jeffreys' interval of a share
        ends = [float(betaincinv(*beta, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)]
        moves = sorted((step * (min(ends[0], wrong) - wrong), step * (max(ends[1], wrong) - wrong)))
        below, above = math.hypot(below, moves[0]), math.hypot(above, moves[1])
    return middle - below, middle, middle + above
