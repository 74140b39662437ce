"""Findings about the data: copies of rows, uneven weights, results that are too good to be true."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import option
from karat.core.finding import NOTE, WARNING, Observation, Severity, check
from karat.core.statistic import Needs
from karat.core.words import counted, percent
from karat.findings.copies import FEW_COPIES, Copies
from karat.measures.agreement import accuracy
from karat.measures.ranking import area_under_roc
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.p_values import cases_of_classes, effective, normal_tail

LEFT_BY_WEIGHTS = 0.1
"""Weights that leave a tenth of the cases make intervals three times as wide as their number suggests."""
HEAVY_CASE = 0.1
"""One case with this share of the weight moves accuracy by as much."""
SURPRISED_BY, SUSPICIOUS_OF = 0.97, 0.99
"""No error is worth a line where one in twenty models that are right in 97 % of all cases makes none: on 100 cases of
equal classes. It is suspicious where that is so of models that are right in 99 %: on 300."""
ERRORS_MISSED = math.log(20)
"""Where so many errors are expected one in twenty models makes none."""


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
    count = "each distinct row as one case"
    if copies.times * distinct < n and copies.times > 1:  # some rows were equal before they were copied
        count = f"these {copies.times} copies of the data as one"
    title = f"Rows are duplicated: {counted(n)}, but only {distinct} distinct rows"
    words = (
        f"{counted(spare, 'row')} {'repeats' if spare == 1 else 'repeat'} another one in the true class and in every "
        f"score (the most frequent row occurs {most} times). Intervals and tests take copies for independent cases, so "
        f"intervals are too narrow and p-values too small. Drop the copies, or pass {option('groups')} to keep them "
        f"together. Findings count {count}."
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
    """How surprising it is that nothing is wrong."""
    of_class = cases_of_classes(s)
    if not errors_expected(of_class, SURPRISED_BY) >= ERRORS_MISSED:
        return None
    return WARNING if errors_expected(of_class, SUSPICIOUS_OF) >= ERRORS_MISSED else NOTE


def errors_expected(of_class: Array, right: float) -> float:
    """How many cases a model gets wrong that is right in this share of them where classes are equally frequent. Where
    one is more frequent than all others it errs less: its scores are normal in the classes and it knows these
    frequencies. nan if they are not known."""
    most, others = float(of_class.max()), float(of_class.sum() - of_class.max())
    if not others > 0:
        return math.nan
    half = NormalDist().inv_cdf(right)  # of the distance of the classes
    threshold = max(math.log(most / others), 0.0) / (2 * half)
    return others * normal_tail(half - threshold) + most * normal_tail(half + threshold)


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
