"""What speaks for a model beside its accuracy: do its scores, or its predictions, follow the truth?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.words import number, p_value
from karat.findings.ranking_checks import NOTHING, ranking_of, same_scores
from karat.findings.seen_cases import SeenColumn, column_of, sample_of
from karat.measures.agreement import matthews_correlation
from karat.measures.ranking import area_under_roc
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.p_values import binomial_tail, effective, normal_tail

FOLLOWS = 0.01
"""A model that knows nothing is said to follow the truth once in a hundred times."""
CASES_THAT_TELL = 80.0
"""m n / (m + n) of two classes with m and n cases, from which on an AUC of .65 is told from .5 at that level in 99 % of
all samples. Of several classes half the Gini index of their frequencies, times the number of cases, stands for it."""


@dataclass(frozen=True)
class Knowledge:
    """Does a model follow the truth?"""

    sure: bool
    by_scores: bool
    """is it the scores that show it?"""
    askable: bool
    """are there enough cases to see it if it did?"""
    words: str
    evidence: dict[str, Any] = field(default_factory=dict)


def knowledge_of(s: Summary) -> Knowledge:
    """By its scores if it has any, by its predictions otherwise."""
    share = s.source.class_weight / s.source.class_weight.sum()
    cases = float(s.source.class_weight.sum()) * effective(s)
    askable = cases * (1 - float((share**2).sum())) / 2 >= CASES_THAT_TELL
    if not s.lacks(Pairs) and not same_scores(s):
        return _by_scores(s, askable)
    c = s[Counts]
    mcc = float(matthews_correlation(c))
    chance = chance_of_hits(c, effective(s))
    words = f"The predictions are significantly related to the true classes (MCC {number(mcc)}, {p_value(chance)})"
    return Knowledge(mcc > 0 and chance < FOLLOWS, False, askable, words, {"MCC": mcc})


def _by_scores(s: Summary, askable: bool) -> Knowledge:
    ranks = ranking_of(s)
    if len(s.source.classes) == 2:
        symbol, value, chance, area = ranks.symbol, ranks.value, ranks.chance, "ROC AUC"
    else:
        area = "one-vs-rest ROC AUC"
        symbol, value = "AUNU", round(float(np.nanmean(area_under_roc(s[Pairs]))), 12)
        sample = sample_of(s)
        if sample is None:
            chance = chance_of_columns([column_of(s, j) for j in range(len(s.source.classes))])
        else:
            chance = chance_of_scores(sample.truth, sample.probabilities, sample.weight)
    words = f"The scores do rank the cases ({area} {number(value)}, {p_value(chance)})"
    return Knowledge(chance < FOLLOWS, True, askable, words, {} if math.isnan(value) else {symbol: value})


def chance_of_hits(c: Counts, case: float) -> float:
    """How likely it is that so many predictions of a class are right if they know nothing of it: of the class that
    shows it best, times the number of classes."""
    n, k = float(c.truth.sum()), min(c.k, c.l)
    tails = [
        binomial_tail(c.hits[j] * case, c.decided[j] * case, float(c.truth[j]) / n)
        for j in range(k)
        if 0 < c.truth[j] < n and c.decided[j] > 0
    ]
    return min([1.0, *(len(tails) * tail for tail in tails)])


def chance_of_scores(truth: Array, scores: Array, weight: Array) -> float:
    """How likely it is that the true classes have so high scores if truth and scores knew nothing of each other."""
    w = weight / weight.sum()
    share = np.bincount(truth, w, scores.shape[1])
    away = scores - w @ scores
    expected = away @ share
    spread = np.maximum((away**2) @ share - expected**2, 0)
    excess = float((w * (away[np.arange(len(truth)), truth] - expected)).sum())
    error = math.sqrt(float((w**2 * spread).sum()))
    return normal_tail(excess / error) if error > NOTHING * float(np.abs(scores).max()) else 1.0


def chance_of_columns(columns: list[SeenColumn]) -> float:
    """At most the same, where the scores of classes are known one by one: what one case's scores have in common, which
    makes the spread smaller, is left out."""
    excess = variance = 0.0
    for c in columns:
        w = c.weight / c.weight.sum()
        share, away = float(w @ c.hits), c.scores - float(w @ c.scores)
        excess += float(w @ (away * (c.hits - share)))
        variance += share * float((c.squares / c.weight.sum() ** 2) @ away**2)
    return normal_tail(excess / math.sqrt(variance)) if variance > 0 else 1.0
