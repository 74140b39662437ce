"""The best threshold on the score of the positive of two classes, exactly, over all distinct scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.record import Record
from karat.core.statistic import Needs
from karat.core.words import interval, number, p_value, shortest_cut
from karat.decisions.threshold_uncertainty import (
    ThresholdUncertainty,
    lowest_cost,
    tables_at_thresholds,
    threshold_uncertainty,
)
from karat.measures.costs import expected_cost, normalised
from karat.resampling.draws import entropy
from karat.statistics import Counts, ScoreTable, Summary
from karat.statistics.added import needs_cases
from karat.statistics.roc_hull import probability_cost
from karat.statistics.summary import positive_of

MOST_SIMULATED, FEWEST_SIMULATED, SCORES_SIMULATED = 200, 20, 500_000
"""How many data sets are simulated at most and at least, and how many scores in all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Record):
    """The best threshold, what it costs, and what the threshold that the probabilities suggest costs.

    Attributes
    ----------
    threshold : float
        Positive from this score on; infinite: never.
    below : float
        The next score, which is negative: any threshold between the two predicts the same; minus infinity: always
        positive.
    cost, normalised : float
        Expected cost of a case, and as a share of the highest possible.
    matrix : list of list of float
        Confusion matrix, rows the true classes.
    ties : int
        How many other thresholds cost the same; of all of them this is the highest.
    pc : float
        The probability cost of these conditions.
    bayes : float
        The threshold for calibrated probabilities (positive above it): c_FP / (c_FP + c_FN), taken to the priors; nan
        for scores that are no probabilities.
    cost_at_bayes : float
    matrix_at_bayes : list of list of float or None
    miscalibration : float
        What that threshold costs more than the best one, on these cases.
    by_chance : float
        What it would be on average if the probabilities were calibrated (the best of many is chosen, so never 0); nan
        where it was not simulated: with weights, and with so many scores that it is negligible.
    chance : float
        p-value of "the probabilities are calibrated".
    interval : tuple of float
        Where the best threshold of the population lies, from draws of smoothed classes; an end may be infinite (minus:
        always positive, plus: never).
    new_cost : float
        What a threshold chosen like this one costs on new cases, by cross-validation: on the cases that chose it, it
        looks better than it is.
    new_cost_interval : tuple of float
    level : float
        Confidence of both intervals.
    reason : str
        Why an interval is not available.
    """

    threshold: float
    below: float
    cost: float
    normalised: float
    matrix: list[list[float]]
    ties: int
    pc: float
    bayes: float
    cost_at_bayes: float
    matrix_at_bayes: list[list[float]] | None
    miscalibration: float
    by_chance: float = math.nan
    chance: float = math.nan
    interval: tuple[float, float] = (math.nan, math.nan)
    new_cost: float = math.nan
    new_cost_interval: tuple[float, float] = (math.nan, math.nan)
    level: float = 0.95
    reason: str = ""

    @property
    def rule(self) -> str:
        """The rule in words."""
        if math.isinf(self.threshold):
            return "never positive"
        if math.isinf(self.below):
            return "always positive"
        return f"positive from {shortest_cut(self.threshold, self.below)} on"

    def __repr__(self) -> str:
        cost = f"{self.rule}: expected cost {number(self.cost)} ({number(self.normalised)} of the highest possible)"
        return "\n".join([cost, *self.notes])

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known of it: its interval, its cost on new cases, what calibrated probabilities would give."""
        lines = []
        if not math.isnan(self.bayes):
            lines.append(
                f"threshold for calibrated probabilities {number(self.bayes)}: expected cost "
                f"{number(self.cost_at_bayes)}, so miscalibration costs {number(self.miscalibration)}"
            )
        if not math.isnan(self.chance):
            expected = number(self.by_chance)
            lines.append(f"with calibrated probabilities that would be {expected} on average ({p_value(self.chance)})")
        sure = f"{100 * self.level:g} %"
        if not math.isnan(self.interval[0]):
            ends = " and ".join(map(_cut_in_words, self.interval))
            lines.append(f"{sure} interval of the best threshold: between {ends} (drawn from smoothed classes)")
        if not math.isnan(self.new_cost):
            about = interval(self.new_cost, *self.new_cost_interval)
            lines.append(f"expected cost on new cases: {about} (cross-validated, {sure})")
        if self.reason:
            lines.append(f"no interval: {self.reason}")
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the rule; undefined or infinite is None."""
        return super().to_dict() | {"rule": self.rule}


def _cut_in_words(end: float) -> str:
    return number(end) if math.isfinite(end) else "always positive" if end < 0 else "never positive"


def cut_by_costs(cost: Array, positive: int) -> float:
    """The probability of the positive class above which predicting it costs less: c_FP / (c_FP + c_FN), both being what
    the error costs more than the correct prediction."""
    alarm, miss = (float(cost[j, 1 - j] - cost[j, j]) for j in (1 - positive, positive))
    if alarm <= 0 and miss <= 0:
        raise InputError(
            f"with cost {cost.tolist()} no error costs more than a correct prediction; rows are the true classes, and "
            "gains are negative."
        )
    return 0.0 if alarm <= 0 else 1.0 if miss <= 0 else alarm / (alarm + miss)


def losses_of_calibrated(t: ScoreTable, positive: int, cost: Array, prior: Array, there: int, seed: Any) -> Array:
    """What the cut `there` costs more than the best one, in simulated data whose truth is drawn from the probabilities;
    data without a case of one of the classes are left out. Empty where there are too many scores to simulate."""
    replicates = min(MOST_SIMULATED, SCORES_SIMULATED // len(t.scores))
    if replicates < FEWEST_SIMULATED:
        return np.zeros(0)
    cases = (t.positive + t.negative).astype(np.int64)
    hits = np.random.default_rng(entropy(seed)).binomial(cases, t.scores, (replicates, len(cases))).astype(float)
    drawn = ScoreTable(t.scores, np.stack([cases - hits, hits], axis=-2))
    costs = np.asarray(expected_cost(Counts(tables_at_thresholds(drawn, positive)), cost=cost, prior=prior))
    costs = costs[np.isfinite(costs).all(axis=-1)]
    return np.asarray(costs[:, there] - costs.min(axis=-1))


def best_threshold(
    summary: Summary, cost: Array, prior: Array, assumed: Array | None = None, seed: Any = 0, level: float = 0.95
) -> Threshold:
    """The threshold of the least expected cost; both classes need cases. `seed` is that of the simulation that says how
    much of the cost of miscalibration is chance, and of the intervals at this level."""
    positive = positive_of(summary)
    source = summary.source
    lacking = source.lacks(Needs.SCORES)
    if lacking:
        raise InputError(f"the best threshold is not available: {lacking}.")
    t = summary.table_of_class(positive)
    tables = tables_at_thresholds(t, positive)
    costs = np.asarray(expected_cost(Counts(tables), cost=cost, prior=prior))
    if not np.isfinite(costs).all():
        raise InputError("the best threshold is not available: one of the classes has a prior and no case.")
    lowest = np.flatnonzero(lowest_cost(costs, cost))
    at = int(lowest[0])
    edges = np.concatenate([[math.inf], t.scores[::-1], [-math.inf]])

    observed = tables[0].sum(axis=1) / tables[0].sum()
    bayes = cost_at_bayes = by_chance = chance = math.nan
    matrix_at_bayes = None
    cut = cut_by_costs(cost, positive)
    if source.probabilities:
        old = observed if assumed is None else assumed
        up, down = (float(prior[j] / old[j]) if old[j] else 1.0 for j in (positive, 1 - positive))
        bayes = cut if cut in (0, 1) else cut * down / (cut * down + (1 - cut) * up)
        there = int((t.scores > bayes).sum())
        cost_at_bayes, matrix_at_bayes = float(costs[there]), tables[there].tolist()
        if source.weight is None:
            drawn = losses_of_calibrated(t, positive, cost, prior, there, seed)
            if len(drawn):
                lost = cost_at_bayes - costs.min() - TOLERANCE * (float(np.abs(cost).max()) or 1.0)
                by_chance, chance = float(drawn.mean()), float((1 + (drawn >= lost).sum()) / (1 + len(drawn)))
    best = float(costs[at])
    miss, alarm = (float(cost[j, 1 - j] - cost[j, j]) for j in (positive, 1 - positive))
    own = None if np.abs(prior - observed).max() <= TOLERANCE else prior
    if source.cases is None:
        sure = ThresholdUncertainty(level=level, reason=needs_cases("the interval of the threshold"))
    else:
        sure = threshold_uncertainty(source.cases, t, positive, cost, own, at, level, seed)
    return Threshold(
        threshold=float(edges[at]),
        below=float(edges[at + 1]),
        cost=best,
        normalised=float(normalised(best, cost, prior)),
        matrix=tables[at].tolist(),
        ties=len(lowest) - 1,
        pc=float(probability_cost(max(alarm, 0.0), max(miss, 0.0), float(prior[positive]))),
        bayes=bayes,
        cost_at_bayes=cost_at_bayes,
        matrix_at_bayes=matrix_at_bayes,
        miscalibration=cost_at_bayes - best,
        by_chance=by_chance,
        chance=chance,
        **vars(sure),
    )
