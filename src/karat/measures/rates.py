"""One class against the rest: rates of the 2 x 2 table, for the positive class or for every class in turn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Cases, Number, log, ratio, root
from karat.core.measure import (
    EMPTY_CLASS,
    FREQUENCIES,
    OUTPUTS,
    PRIOR,
    RELABEL,
    SCALE,
    THRESHOLD,
    TRANSPOSE,
    measure,
    rate,
)
from karat.core.validation import number_between
from karat.statistics import Binary

NO_POSITIVES = "the class has no cases"
NO_NEGATIVES = "every case belongs to the class"
NEVER_PREDICTED = "the class was never predicted"
ALWAYS_PREDICTED = "the class was always predicted"
ONE_SIDE = "one of the two sides, the class or the rest, has no case"


OF_A_CLASS: dict[str, Any] = {
    "traits": {THRESHOLD, FREQUENCIES},
    "invariant": {RELABEL, SCALE, EMPTY_CLASS},
    "classwise": True,
}
"""What most measures of a 2 x 2 table claim; then those in which truth and decision can change places, and those that
look at the cases of the class alone."""
EXCHANGEABLE = OF_A_CLASS | {"invariant": {RELABEL, SCALE, TRANSPOSE, EMPTY_CLASS}}
WITHIN_THE_CLASS = OF_A_CLASS | {"traits": {THRESHOLD}, "invariant": {RELABEL, SCALE, PRIOR, EMPTY_CLASS}}


@rate(
    symbol="TPR",
    title="Sensitivity",
    aliases=("sensitivity", "hit_rate"),
    formula=r"\frac{TP}{TP + FN}",
    best=1,
    cite="prati2011",
    undefined=NO_POSITIVES,
    **WITHIN_THE_CLASS,
)
def true_positive_rate(b: Binary) -> Cases:
    """What share of the cases of the class is predicted as the class?"""
    return b.tp, b.tp + b.fn


@rate(
    symbol="FPR",
    title="False positive rate",
    aliases=("fall_out", "false_alarm_rate"),
    formula=r"\frac{FP}{FP + TN}",
    best=0,
    cite="prati2011",
    undefined=NO_NEGATIVES,
    **OF_A_CLASS,
)
def false_positive_rate(b: Binary) -> Cases:
    """What share of the other cases is predicted as the class?"""
    return b.fp, b.fp + b.tn


@rate(
    symbol="TNR",
    title="Specificity",
    aliases=("specificity",),
    formula=r"\frac{TN}{FP + TN}",
    best=1,
    cite="prati2011",
    undefined=NO_NEGATIVES,
    **OF_A_CLASS,
)
def true_negative_rate(b: Binary) -> Cases:
    """What share of the other cases is not predicted as the class?"""
    return b.tn, b.fp + b.tn


@rate(
    symbol="FNR",
    title="False negative rate",
    aliases=("miss_rate",),
    formula=r"\frac{FN}{TP + FN}",
    best=0,
    cite="prati2011",
    undefined=NO_POSITIVES,
    **WITHIN_THE_CLASS,
)
def false_negative_rate(b: Binary) -> Cases:
    """What share of the cases of the class is missed?"""
    return b.fn, b.tp + b.fn


@rate(
    symbol="PPV",
    title="Positive predictive value",
    formula=r"\frac{TP}{TP + FP}",
    best=1,
    cite="prati2011",
    undefined=NEVER_PREDICTED,
    **OF_A_CLASS,
)
def positive_predictive_value(b: Binary) -> Cases:
    """When the class is predicted, how often is that correct?"""
    return b.tp, b.tp + b.fp


@rate(
    symbol="NPV",
    title="Negative predictive value",
    formula=r"\frac{TN}{TN + FN}",
    best=1,
    cite="prati2011",
    undefined=ALWAYS_PREDICTED,
    **OF_A_CLASS,
)
def negative_predictive_value(b: Binary) -> Cases:
    """When the class is not predicted, how often is that correct?"""
    return b.tn, b.tn + b.fn


def union_of_class(b: Binary) -> Cases:
    """Of the cases that are of the class or predicted as it (all but those that F1 does not see), those that are both:
    given how many there are of the first, the second are binomial."""
    return b.tp, b.tp + b.fp + b.fn


def f_score_of_union(share: float) -> float:
    """F1 for the Jaccard index."""
    return 2 * share / (1 + share)


OF_UNION: dict[str, Any] = {"rate": union_of_class, "from_rate": f_score_of_union}


@measure(
    symbol="F1",
    title="F1",
    aliases=("f_measure", "dice"),
    formula=r"\frac{(1+\beta^2) TP}{(1+\beta^2) TP + \beta^2 FN + FP},\quad \beta = 1",
    range=(0, 1),
    range_at=(0, 1),
    best=1,
    cite="vanrijsbergen1979",
    undefined="the class has no cases and was never predicted",
    **OF_UNION,
    **EXCHANGEABLE,
)
def f_score(b: Binary, *, beta: float = 1.0) -> Number:
    """How good are precision and recall of the class, in their harmonic mean?"""
    square = number_between("beta", beta, 0, math.inf, ends="[)") ** 2
    return ratio((1 + square) * b.tp, (1 + square) * b.tp + square * b.fn + b.fp)


f_score_for_recall = f_score.at(beta=2.0).named(
    "F2",
    "f_score_for_recall",
    "How good are precision and recall of the class, false negatives counting four times as much as false positives?",
    r"F_\beta,\quad \beta = 2",
    title="F2",
    traits=f_score.traits,
    invariant=f_score.invariant - {TRANSPOSE},
)

f_score_for_precision = f_score.at(beta=0.5).named(
    "F0.5",
    "f_score_for_precision",
    "How good are precision and recall of the class, false positives counting four times as much as false negatives?",
    r"F_\beta,\quad \beta = 1/2",
    title="F0.5",
    traits=f_score.traits,
    invariant=f_score.invariant - {TRANSPOSE},
)


@rate(
    symbol="Jaccard",
    title="Jaccard index",
    aliases=("critical_success_index", "threat_score", "iou"),
    formula=r"\frac{TP}{TP + FP + FN}",
    best=1,
    cite="jaccard1912",
    undefined="the class has no cases and was never predicted",
    **EXCHANGEABLE,
)
def jaccard_index(b: Binary) -> Cases:
    """Of the cases that are of the class or are predicted as it, what share is both?"""
    return union_of_class(b)


@measure(
    symbol="BM",
    title="Youden's J",
    aliases=("youden", "bookmaker", "youden_index", "youden_j"),
    formula=r"TPR + TNR - 1",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="youden1950",
    undefined=ONE_SIDE,
    either_class=True,
    **OF_A_CLASS,
)
def informedness(b: Binary) -> Number:
    """How much more often is the class predicted for its own cases than for others?"""
    return true_positive_rate.function(b) + true_negative_rate.function(b) - 1


@measure(
    symbol="MK",
    title="Markedness",
    formula=r"PPV + NPV - 1",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="powers2011",
    undefined="the class was never or always predicted",
    either_class=True,
    **OF_A_CLASS,
)
def markedness(b: Binary) -> Number:
    """How much more frequent is the class where it is predicted than where it is not?"""
    return positive_predictive_value.function(b) + negative_predictive_value.function(b) - 1


@measure(
    symbol="BAcc",
    title="Balanced accuracy of a class",
    aliases=("auc_b",),
    formula=r"\frac{TPR + TNR}{2}",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="ferri2009",
    undefined=ONE_SIDE,
    either_class=True,
    **OF_A_CLASS,
)
def balanced_accuracy_of_class(b: Binary) -> Number:
    """What share is predicted correctly if the class and the rest count the same?"""
    return (informedness.function(b) + 1) / 2


@measure(
    symbol="GMean",
    title="G-mean",
    aliases=("g_mean", "geometric_mean"),
    formula=r"\sqrt{TPR \cdot TNR}",
    range=(0, 1),
    best=1,
    cite="kubat1997",
    undefined=ONE_SIDE,
    either_class=True,
    **OF_A_CLASS,
)
def geometric_mean_of_rates(b: Binary) -> Number:
    """What is the geometric mean of sensitivity and specificity, which is 0 if either is?"""
    return root(true_positive_rate.function(b) * true_negative_rate.function(b))


@measure(
    symbol="OR",
    title="Diagnostic odds ratio",
    aliases=("diagnostic_odds_ratio", "cross_product"),
    formula=r"\frac{TP \cdot TN}{FP \cdot FN}",
    range=(0, np.inf),
    best=np.inf,
    chance=1,
    cite="ferri2009",
    undefined="both products of the 2 x 2 table are 0",
    either_class=True,
    **EXCHANGEABLE,
)
def odds_ratio(b: Binary) -> Number:
    """How many times higher are the odds that the class is predicted for its own cases than for others?"""
    return ratio(b.tp * b.tn, b.fp * b.fn)


@measure(
    symbol="DP",
    title="Discriminant power",
    formula=r"\frac{\sqrt{3}}{\pi} \ln OR",
    range=(-np.inf, np.inf),
    best=np.inf,
    chance=0,
    cite="ferri2009",
    undefined="both products of the 2 x 2 table are 0",
    either_class=True,
    **EXCHANGEABLE,
)
def discriminant_power(b: Binary) -> Number:
    """How far apart, in standard deviations, are the two classes that such odds suggest?"""
    return float(np.sqrt(3) / np.pi) * log(odds_ratio.function(b))


@measure(
    symbol="LRP",
    title="Positive likelihood ratio",
    formula=r"\frac{TPR}{FPR}",
    range=(0, np.inf),
    best=np.inf,
    chance=1,
    cite="prati2011",
    undefined="the class was never predicted, or one of the two sides has no case",
    **OF_A_CLASS,
)
def likelihood_ratio_positive(b: Binary) -> Number:
    """By what factor do the odds of the class grow when it is predicted?"""
    return ratio(true_positive_rate.function(b), false_positive_rate.function(b))


@measure(
    symbol="LRN",
    title="Negative likelihood ratio",
    aliases=("negative_likelihood_ratio",),
    formula=r"\frac{FNR}{TNR}",
    range=(0, np.inf),
    best=0,
    chance=1,
    cite="prati2011",
    undefined="the class was always predicted, or one of the two sides has no case",
    **OF_A_CLASS,
)
def likelihood_ratio_negative(b: Binary) -> Number:
    """By what factor do the odds of the class shrink when it is not predicted?"""
    return ratio(false_negative_rate.function(b), true_negative_rate.function(b))


@rate(
    symbol="Prev",
    title="Prevalence",
    aliases=("base_rate",),
    formula=r"\frac{TP + FN}{n}",
    best=None,
    traits={FREQUENCIES},
    invariant={RELABEL, OUTPUTS, SCALE, EMPTY_CLASS},
    cite="prati2011",
    classwise=True,
)
def prevalence(b: Binary) -> Cases:
    """What share of the cases is of the class?"""
    return b.tp + b.fn, b.tp + b.fn + b.fp + b.tn


@rate(
    symbol="PredPos",
    title="Predicted positive rate",
    aliases=("decision_rate",),
    formula=r"\frac{TP + FP}{n}",
    best=None,
    cite="prati2011",
    **OF_A_CLASS,
)
def predicted_positive_rate(b: Binary) -> Cases:
    """For what share of the cases is the class predicted?"""
    return b.tp + b.fp, b.tp + b.fn + b.fp + b.tn


@measure(
    symbol="SensPPA_mean",
    title="Mean of recall and precision",
    formula=r"\frac{TPR + PPV}{2}",
    range=(0, 1),
    best=1,
    cite="ferri2009",
    undefined="the class has no cases, or was never predicted",
    **EXCHANGEABLE,
)
def sensitivity_ppa_average(b: Binary) -> Number:
    """How good are recall and precision, on average?"""
    return (true_positive_rate.function(b) + positive_predictive_value.function(b)) / 2


@measure(
    symbol="SensPPA_product",
    title="Product of recall and precision",
    formula=r"TPR \cdot PPV",
    range=(0, 1),
    best=1,
    cite="ferri2009",
    undefined="the class has no cases, or was never predicted",
    **EXCHANGEABLE,
)
def sensitivity_ppa_product(b: Binary) -> Number:
    """How good are recall and precision, multiplied?"""
    return true_positive_rate.function(b) * positive_predictive_value.function(b)
