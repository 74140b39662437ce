"""Predictions under costs: what they cost on average, and how to predict at the least cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.errors import InputError, UnknownNameError, option, quoted
from karat.core.plain_data import plain
from karat.core.record import Record
from karat.core.statistic import Needs
from karat.core.table import Table
from karat.core.validation import checked_level, finite
from karat.core.words import number, percent
from karat.data import Predictions
from karat.decisions.prevalence import class_shares, observed_shares
from karat.decisions.threshold import Threshold, best_threshold
from karat.measures.costs import expected_cost, normalised, prices
from karat.statistics import Counts, Summary
from karat.statistics.summary import summary_of


@dataclass(frozen=True, eq=False)
class Conditions(Record):
    """Costs and class frequencies under which a model is used.

    Attributes
    ----------
    classes, decisions : tuple
        The true classes, and what can be predicted (one more where cases can be rejected).
    cost : array of shape (classes, decisions)
        Cost of each prediction for a case of each class; gains are negative.
    prior : array of shape (classes,)
        Class frequencies.
    """

    classes: tuple[Any, ...]
    decisions: tuple[Any, ...]
    cost: Array
    prior: Array

    @classmethod
    def of(cls, summary: Summary, cost: Any = None, prior: Any = None) -> Conditions:
        """Check them. A cost matrix with one more column than classes has the cost of rejecting a case."""
        source = summary.source
        k = len(source.classes)
        if isinstance(cost, Mapping):
            cost = _of_outcomes(cost, source.positive, k) or _by_name(cost, source.classes, source.outputs)
        l = len(source.outputs) if cost is None else np.shape(cost)[-1] if np.ndim(cost) == 2 else k
        names = [*source.classes, "reject", *(f"output {j + 1}" for j in range(k + 1, l))]
        names = list(source.outputs) if len(source.outputs) == l else names[:l]
        share = observed_shares(summary) if prior is None else class_shares(source, prior)
        return cls(source.classes, tuple(names), prices(cost, k, l), share)

    def cost_of(self, table: Array) -> float:
        """The expected cost of predictions with this confusion matrix."""
        return float(expected_cost(Counts(np.asarray(table, float)), cost=self.cost, prior=self.prior))

    def normalised(self, cost: float) -> float:
        """0 is the least possible cost, 1 the highest."""
        return float(normalised(cost, self.cost, self.prior))


OUTCOMES = {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}
"""Is the case positive, and is it predicted as positive?"""


def _of_outcomes(cost: Mapping[Any, Any], positive: int | None, k: int) -> list[list[float]] | None:
    """{"fp": cost, "fn": cost} as a matrix, of two classes; None if the keys are others."""
    if not cost or not all(isinstance(key, str) and key.lower() in OUTCOMES for key in cost):
        return None
    given = {key.lower(): finite(f"the cost of {key}", value) for key, value in cost.items()}
    if k != 2 or positive is None:
        raise InputError(
            f"cost={dict(cost)} is for two classes, one of them positive: pass {option('positive')} to evaluate, or "
            "give a matrix of costs, true classes in rows."
        )
    if not {"fp", "fn"} <= set(given):
        raise InputError(f"cost={dict(cost)} lacks one of the errors; give both: {{'fp': 1, 'fn': 5}}.")
    return cost_matrix(given, positive)


def cost_matrix(outcomes: Mapping[str, float], positive: int) -> list[list[float]]:
    """{"fp": cost, ...} by true and predicted class, where the positive class has this place of two.

    >>> cost_matrix({"fp": 1, "fn": 5}, positive=0)
    [[0.0, 5], [1, 0.0]]
    """
    matrix = [[0.0, 0.0], [0.0, 0.0]]
    for outcome, value in outcomes.items():
        truth, predicted = (positive if is_positive else 1 - positive for is_positive in OUTCOMES[outcome])
        matrix[truth][predicted] = value
    return matrix


def _by_name(cost: Mapping[Any, Any], classes: tuple[Any, ...], outputs: tuple[Any, ...]) -> Array:
    """{(truth, prediction): cost} as a matrix; a correct prediction that is left out costs nothing."""
    named = [(c, d) for c in classes for d in outputs if c != d]
    missing = [pair for pair in named if pair not in cost]
    spare = [pair for pair in cost if pair not in named and pair not in [(c, c) for c in classes]]
    if missing or spare:
        what = f"lacks {missing[0]}" if missing else f"names {spare[0]}"
        raise InputError(
            f"cost {what}; give {{(true class, predicted class): cost}} for each error of {list(classes)}."
        )
    return np.array([[float(cost.get((c, d), 0.0)) for d in outputs] for c in classes])


@dataclass(frozen=True, eq=False)
class Strategy(Record):
    """A way to predict classes, and what it costs on these cases.

    Attributes
    ----------
    name : str
    cost : float
        Expected cost of a case.
    normalised : float
        0 is the least possible cost, 1 the highest.
    words : str
        What it does.
    matrix : array of shape (classes, decisions)
        Its confusion matrix, rows the true classes.
    """

    name: str
    cost: float
    normalised: float
    words: str
    matrix: Array


@dataclass(frozen=True, eq=False, repr=False)
class Operating(Record):
    """Ways to predict classes, with their expected costs: what `e.operating()` returns.

    Attributes
    ----------
    conditions : Conditions
        The costs and class frequencies.
    strategies : tuple of Strategy
        "as decided" (the predictions as given), "most probable", "least expected cost" (by the probabilities) and
        "always the same" (the best constant prediction), as far as they are available.
    threshold : Threshold or None
        Of two classes: the best threshold on the score of the positive one.

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.9])
    >>> ways = e.operating(cost=[[0, 1], [5, 0]])
    >>> ways.best.name, round(ways.best.cost, 3), ways.threshold.rule
    ('least expected cost', 0.4, 'positive from 0.3 on')
    """

    conditions: Conditions
    strategies: tuple[Strategy, ...]
    threshold: Threshold | None = None

    @property
    def courses(self) -> tuple[Strategy, ...]:
        """The strategies, as plain data call them."""
        return self.strategies

    def __getitem__(self, name: str) -> Strategy:
        for strategy in self.strategies:
            if name in (strategy.name, shown_name(strategy.name)):
                return strategy
        names = [shown_name(strategy.name) for strategy in self.strategies]
        raise UnknownNameError(f"there is no strategy {name!r}; there are {quoted(names)}.")

    @property
    def best(self) -> Strategy:
        """The cheapest that can be applied to new cases (the best threshold is known only afterwards)."""
        return min(self.strategies, key=lambda strategy: strategy.cost)

    def to_table(self) -> Table:
        """One row for each strategy."""
        rows: list[tuple[str, float, float, str]] = [
            (shown_name(s.name), s.cost, s.normalised, s.words) for s in self.strategies
        ]
        if self.threshold is not None:
            t = self.threshold
            words = f"{t.rule} (optimistic: chosen and evaluated on the same data"
            words += ")" if math.isnan(t.new_cost) else f"; about {number(t.new_cost)} on new cases)"
            rows.append(("best threshold", t.cost, t.normalised, words))
        names = ("strategy", "expected cost", "normalised", "how")
        columns = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
        return Table(columns, notes=() if self.threshold is None else self.threshold.notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the conditions, and strategies by their name."""
        courses = {s.pop("name"): s for s in (strategy.to_dict() for strategy in self.strategies)}
        return self.conditions.to_dict() | {"courses": courses, "threshold": plain(self.threshold)}

    def __repr__(self) -> str:
        shares = zip(self.conditions.classes, self.conditions.prior, strict=True)
        prior = ", ".join(f"{c}: {percent(float(p))}" for c, p in shares)
        return f"Expected costs at the class frequencies {prior}\n{self.to_table()!r}"


SHOWN = {"as decided": "as predicted"}
"""Strategies whose name in plain data is not the one that people read."""


def shown_name(name: str) -> str:
    """The name of a strategy as people read it."""
    return SHOWN.get(name, name)


def operating(
    model: Any, cost: Any = None, prior: Any = None, assumed: Any = None, seed: Any = 0, level: float = 0.95
) -> Operating:
    """Expected cost of a model's predictions, the best threshold, and the predictions of least expected cost.

    Parameters
    ----------
    model : Evaluation
        What `karat.evaluate` or `karat.evaluate_matrix` returns.
    cost : array-like of shape (classes, decisions) or dict, optional
        Cost by true and predicted class, gains negative, or {(true class, predicted class): cost}; by default each
        error costs 1. One more column than classes is the cost of rejecting a case.
    prior : array-like, dict or float, optional
        Class frequencies where the model is used; by default those of the data.
    assumed : array-like, dict or float, optional
        Class frequencies that the probabilities assume (those of the training data); by default those of the data.
        Where `prior` differs, probabilities are taken to it: p_j prior_j / assumed_j, renormalised.
    seed : int, default 0
        Of the simulation that says how much of the cost of miscalibration is sampling noise, and of the intervals of
        the best threshold and of its cost.
    level : float, default 0.95
        Confidence of these intervals.

    Returns
    -------
    Operating

    Examples
    --------
    >>> import karat
    >>> e = karat.evaluate([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.9])
    >>> ways = e.operating(cost=[[0, 1], [5, 0]])
    >>> round(ways["as predicted"].cost, 3), round(ways["least expected cost"].cost, 3)
    (1.2, 0.4)
    """
    level = checked_level(level)
    summary = summary_of(model)
    source = summary.source
    at = Conditions.of(summary, cost, prior)
    old = None if assumed is None or source.lacks(Needs.SCORES) else class_shares(source, assumed)
    strategies: list[Strategy] = []
    constant = _constant(summary, at)
    if not summary.lacks(Counts):
        strategies.append(_strategy(at, "as decided", "the predictions as given", _padded(summary, at)))
    cases = source.cases if source.added is None else source.added.cell_cases()
    if cases is not None and not cases.lacks(Needs.PROBABILITIES):
        p = cases.scores
        assert p is not None
        if source.decided is not None:
            table = _table(cases, p[0].argmax(axis=1), at)
            strategies.append(_strategy(at, "most probable", "the class with the highest probability", table))
        here = shifted(p[0], at.prior, observed_shares(summary) if old is None else old)
        words = "the class of the least expected cost by the probabilities"
        table = _table(cases, (here @ at.cost).argmin(axis=1), at)
        strategies.append(_strategy(at, "least expected cost", words, table))
    strategies.append(constant)
    best = None
    if len(at.decisions) == 2 and source.positive is not None and not source.lacks(Needs.SCORES):
        best = best_threshold(summary, at.cost, at.prior, old, seed, level)
    return Operating(at, tuple(strategies), best)


def shifted(p: Array, new: Array, old: Array) -> Array:
    """Probabilities for other class frequencies: p_j new_j / old_j, renormalised. A class that is new to the data can't
    be judged, and a case whose classes all vanish keeps its probabilities."""
    if (new == old).all():
        return p
    if ((new > 0) & (old <= 0)).any():
        raise InputError("a class has a prior and no case; give it a prior of 0, or pass assumed=.")
    moved = p * np.divide(new, old, out=np.zeros_like(new), where=old > 0)
    total = moved.sum(axis=1, keepdims=True)
    return np.where(total > 0, moved / np.where(total > 0, total, 1.0), p)


def _strategy(at: Conditions, name: str, words: str, table: Array) -> Strategy:
    cost = at.cost_of(table)
    return Strategy(name, cost, at.normalised(cost), words, table)


def _constant(summary: Summary, at: Conditions) -> Strategy:
    """The best of always deciding the same."""
    weight = observed_shares(summary) * float(summary.source.n)
    # of each class all cases cost what its one decision costs: no table for each decision, which would be k times k x k
    rows = np.asarray(ratio(weight * at.cost.T, weight))
    best = int(np.argmin(np.where(at.prior > 0, at.prior * rows, 0.0).sum(axis=-1)))
    table = np.zeros(at.cost.shape)
    table[:, best] = weight
    return _strategy(at, "always the same", f"always {at.decisions[best]}, the best constant prediction", table)


def _table(p: Predictions, decided: Array, at: Conditions) -> Array:
    """The confusion matrix of other decisions."""
    changed = replace(p, decided=decided[None].astype(np.int32), outputs=at.decisions, decides=True)
    return Counts.of_decisions(changed).table


def _padded(summary: Summary, at: Conditions) -> Array:
    table = summary[Counts].table
    missing = len(at.decisions) - table.shape[1]
    if missing < 0 or (missing and summary.source.cases is None and len(at.decisions) < len(at.classes)):
        raise InputError(
            f"cost has {len(at.decisions)} columns and the predictions {table.shape[1]} values; give a cost for each."
        )
    return np.pad(table, ((0, 0), (0, missing)))
