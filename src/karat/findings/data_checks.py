"""Findings about the data: copies of rows, uneven weights, results that are too good to be true."""

from __future__ import annotations

import numpy as np

from karat.core.errors import option
from karat.core.finding import NOTE, WARNING, Observation, Severity, check
from karat.core.statistic import Needs
from karat.core.words import counted, number
from karat.findings.copies import Copies
from karat.measures.agreement import accuracy
from karat.measures.ranking import area_under_roc
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.p_values import effective

FEW_COPIES = 0.01
"""A share of copied rows that changes no interval."""
LEFT_BY_WEIGHTS = 0.1
"""Weights that leave a tenth of the cases make intervals three times as wide as their number suggests."""
HEAVY_CASE = 0.1
"""One case with this share of the weight moves accuracy by as much."""
CASES_OF_A_SURPRISE = 100.0
"""No error on so many cases is worth a line: of models that are right in 97 % of all cases one in twenty makes none."""
CASES_OF_A_SUSPICION = 300.0
"""No error on so many is suspicious: of models that are right in 99 % of all cases one in twenty makes none."""


@check(code="duplicated-rows", needs=Needs.SCORES, measures=("Acc", "AUC"), diagram="reliability", every_row=True)
def duplicated_rows(s: Summary) -> Observation | None:
    """Are there copies of rows?"""
    copies = Copies.of(s)
    if copies is None or not copies.noticed:
        return None
    n, distinct = s.source.n, copies.distinct
    spare = int(n) - distinct
    if spare < FEW_COPIES * n:
        return None
    sizes = np.bincount(copies.group)
    most = int(sizes.max())
    title = f"Rows are duplicated: {counted(n)}, and only {distinct} of them are different"
    words = (
        f"{counted(spare, 'row')} repeat another one in the truth and in every score (one row is there {most} times). "
        "Intervals and tests take copies for independent cases and are too sure. Drop them, or say which rows belong "
        f"together by {option('groups')}. Findings count each different row as one case."
    )
    return Observation(WARNING, title, words, {"rows": int(n), "different": distinct, "most copies": most})


@check(code="uneven-weights", needs=None, measures=("Acc",), diagram="confusion_matrix", every_row=True)
def uneven_weights(s: Summary) -> Observation | None:
    """Do the weights leave few cases that count?"""
    weight = s.source.weight
    if weight is None:
        return None
    w = weight[0]
    n, left, heaviest = len(w), float(w.sum()) * effective(s), float(w.max() / w.sum())
    if n <= 1 / HEAVY_CASE or (left >= LEFT_BY_WEIGHTS * n and heaviest < HEAVY_CASE):
        return None
    title = f"The weights make {counted(n)} worth about {left:.3g}"
    words = (
        f"The heaviest case has {number(heaviest)} of the weight. Every measure hangs on the few heavy cases, and "
        f"intervals are as wide as those of so few: check {option('sample_weight')}, or limit the largest weights."
    )
    return Observation(WARNING, title, words, {"cases": n, "effective": left, "heaviest": heaviest})


def _suspicion(s: Summary) -> Severity | None:
    """How surprising it is that nothing is wrong: by the number of cases, had the classes been balanced."""
    weight = s.source.class_weight * effective(s)
    cases = 2 * float(weight.sum() - weight.max())
    return None if cases < CASES_OF_A_SURPRISE else WARNING if cases >= CASES_OF_A_SUSPICION else NOTE


LEAK = (
    "Check that no feature knows the truth (a leak), that no case of the training data is among these, and that the "
    "truth itself was not passed as prediction."
)


@check(code="perfect-accuracy", measures=("Acc", "MCC"), diagram="confusion_matrix")
def perfect_accuracy(s: Summary) -> Observation | None:
    """Is every prediction right, on so many cases that this is suspicious?"""
    c, severity = s[Counts], _suspicion(s)
    if severity is None or float(accuracy(c)) < 1:
        return None
    words = f"Real problems are seldom that easy. {LEAK}"
    return Observation(severity, f"All of {counted(s.source.n)} are predicted correctly", words, {"Acc": 1.0})


@check(code="perfect-ranking", needs=Needs.SCORES, measures=("AUC", "AUNU"), diagram="roc_curve")
def perfect_ranking(s: Summary) -> Observation | None:
    """Are the classes separated without an error by their scores, though predictions are not perfect or not there?"""
    severity = _suspicion(s)
    if severity is None or (not s.lacks(Counts) and float(accuracy(s[Counts])) == 1):
        return None
    areas = area_under_roc(s[Pairs])[s.source.class_weight > 0]
    if not (areas == 1).all():
        return None
    words = f"Every case of a class has a higher score for it than all others have. {LEAK}"
    return Observation(severity, "The scores separate the classes without an error: an AUC of 1", words, {"AUC": 1.0})
