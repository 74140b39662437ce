"""Findings about the data: copies of rows, uneven weights, results that are too good to be true."""

from __future__ import annotations

import numpy as np

from karat.core.errors import option
from karat.core.finding import NOTE, WARNING, Observation, Severity, check
from karat.core.statistic import Needs
from karat.core.words import counted, percent
from karat.findings.copies import FEW_COPIES, Copies
from karat.measures.agreement import accuracy
from karat.measures.ranking import area_under_roc
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.p_values import cases_of_classes, effective

LEFT_BY_WEIGHTS = 0.1
"""Weights that leave a tenth of the cases make intervals three times as wide as their number suggests."""
HEAVY_CASE = 0.1
"""One case with this share of the weight moves accuracy by as much."""
CASES_OF_A_SURPRISE = 100.0
"""No error on so many cases is worth a line: of models that are right in 97 % of all cases one in twenty makes none."""
CASES_OF_A_SUSPICION = 300.0
"""No error on so many is suspicious: of models that are right in 99 % of all cases one in twenty makes none."""


@check(
    code="duplicated-rows",
    needs=Needs.SCORES,
    measures=("Acc", "AUC"),
    diagram="reliability",
    every_row=True,
    restated=True,
)
def duplicated_rows(s: Summary) -> Observation | None:
    """Are rows duplicated?"""
    copies = Copies.of(s)
    if copies is None or not copies.noticed:
        return None
    n, distinct = s.source.n, copies.distinct
    spare = int(n) - distinct
    if spare < FEW_COPIES * n:
        return None
    sizes = np.bincount(copies.group)
    most = int(sizes.max())
    title = f"Rows are duplicated: {counted(n)}, but only {distinct} distinct rows"
    words = (
        f"{counted(spare, 'row')} {'repeats' if spare == 1 else 'repeat'} another one in the true class and in every "
        f"score (the most frequent row occurs {most} times). Intervals and tests take copies for independent cases, so "
        f"intervals are too narrow and p-values too small. Drop the copies, or pass {option('groups')} to keep them "
        "together. Findings count each distinct row as one case."
    )
    return Observation(WARNING, title, words, {"rows": int(n), "different": distinct, "most copies": most})


@check(code="uneven-weights", needs=None, measures=("Acc",), diagram="confusion_matrix", every_row=True)
def uneven_weights(s: Summary) -> Observation | None:
    """Do the weights leave a small effective sample size?"""
    weight, added = s.source.weight, s.source.added
    if weight is None:
        return None
    w = weight[0]
    if added is not None:
        total, most, n = float(added.weights.total.sum()), float(added.weights.heaviest.max()), int(s.source.n)
    else:
        total, most, n = float(w.sum()), float(w.max()), len(w)
    left, heaviest = total * effective(s), most / total
    if n <= 1 / HEAVY_CASE or (left >= LEFT_BY_WEIGHTS * n and heaviest < HEAVY_CASE):
        return None
    title = f"With these weights, the effective sample size of {counted(n)} is about {left:.3g}"
    words = (
        f"The heaviest case has {percent(heaviest)} of the total weight. Every measure depends on the few heavy cases, "
        f"and intervals are as wide as for so few: check {option('sample_weight')}, or cap the largest weights."
    )
    return Observation(WARNING, title, words, {"cases": n, "effective": left, "heaviest": heaviest})


def _suspicion(s: Summary) -> Severity | None:
    """How surprising it is that nothing is wrong: by the number of cases, had the classes been balanced."""
    of_class = cases_of_classes(s)
    cases = 2 * float(of_class.sum() - of_class.max())
    return None if not cases >= CASES_OF_A_SURPRISE else WARNING if cases >= CASES_OF_A_SUSPICION else NOTE


LEAK = (
    "Check for leakage: a feature that contains the true class, training cases among these cases, or true labels that "
    "were passed as predictions."
)


@check(code="perfect-accuracy", measures=("Acc", "MCC"), diagram="confusion_matrix", restated=True)
def perfect_accuracy(s: Summary) -> Observation | None:
    """Is every prediction correct, on so many cases that this is suspicious?"""
    c, severity = s[Counts], _suspicion(s)
    if severity is None or float(accuracy(c)) < 1:
        return None
    words = f"Real problems are seldom that easy. {LEAK}"
    return Observation(severity, f"All {counted(s.source.n)} are predicted correctly", words, {"Acc": 1.0})


@check(code="perfect-ranking", needs=Needs.SCORES, measures=("AUC", "AUNU"), diagram="roc_curve", restated=True)
def perfect_ranking(s: Summary) -> Observation | None:
    """Do the scores separate the classes perfectly, although the predictions do not, or were not given?"""
    severity = _suspicion(s)
    if severity is None or (not s.lacks(Counts) and float(accuracy(s[Counts])) == 1):
        return None
    areas = area_under_roc(s[Pairs])[s.source.class_weight > 0]
    if not (areas == 1).all():
        return None
    words = f"Every case of a class has a higher score for it than any other case. {LEAK}"
    return Observation(severity, "The scores separate the classes perfectly (ROC AUC 1)", words, {"AUC": 1.0})
