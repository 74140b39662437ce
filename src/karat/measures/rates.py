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

NO_POSITIVES = "no case is of the class"
NO_NEGATIVES = "every case is of the class"
NEVER_DECIDED = "the class was never decided"
ALWAYS_DECIDED = "the class was always decided"
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
    aliases=("recall", "sensitivity", "hit_rate"),
    formula=r"\frac{TP}{TP + FN}",
    best=1,
    cite="prati2011",
    undefined=NO_POSITIVES,
    **WITHIN_THE_CLASS,
)
def true_positive_rate(b: Binary) -> Cases:
    """What share of the class is found?"""
    return b.tp, b.tp + b.fn


@rate(
    symbol="FPR",
    aliases=("fall_out", "false_alarm_rate"),
    formula=r"\frac{FP}{FP + TN}",
    best=0,
    cite="prati2011",
    undefined=NO_NEGATIVES,
    **OF_A_CLASS,
)
def false_positive_rate(b: Binary) -> Cases:
    """What share of the rest is taken for the class?"""
    return b.fp, b.fp + b.tn


@rate(
    symbol="TNR",
    aliases=("specificity",),
    formula=r"\frac{TN}{FP + TN}",
    best=1,
    cite="prati2011",
    undefined=NO_NEGATIVES,
    **OF_A_CLASS,
)
def true_negative_rate(b: Binary) -> Cases:
    """What share of the rest is kept out?"""
    return b.tn, b.fp + b.tn


@rate(
    symbol="FNR",
    aliases=("miss_rate",),
    formula=r"\frac{FN}{TP + FN}",
    best=0,
    cite="prati2011",
    undefined=NO_POSITIVES,
    **WITHIN_THE_CLASS,
)
def false_negative_rate(b: Binary) -> Cases:
    """What share of the class is missed?"""
    return b.fn, b.tp + b.fn


@rate(
    symbol="PPV",
    aliases=("precision",),
    formula=r"\frac{TP}{TP + FP}",
    best=1,
    cite="prati2011",
    undefined=NEVER_DECIDED,
    **OF_A_CLASS,
)
def positive_predictive_value(b: Binary) -> Cases:
    """When the class is decided, how often is that right?"""
    return b.tp, b.tp + b.fp


@rate(symbol="NPV", formula=r"\frac{TN}{TN + FN}", best=1, cite="prati2011", undefined=ALWAYS_DECIDED, **OF_A_CLASS)
def negative_predictive_value(b: Binary) -> Cases:
    """When the class is not decided, how often is that right?"""
    return b.tn, b.tn + b.fn


@measure(
    symbol="F1",
    aliases=("f_measure", "f1_score", "dice"),
    formula=r"\frac{(1+\beta^2) TP}{(1+\beta^2) TP + \beta^2 FN + FP},\quad \beta = 1",
    range=(0, 1),
    range_at=(0, 1),
    best=1,
    cite="vanrijsbergen1979",
    undefined="no case is of the class and it was never decided",
    **EXCHANGEABLE,
)
def f_score(b: Binary, *, beta: float = 1.0) -> Number:
    """How well is the class found without false alarms?"""
    square = number_between("beta", beta, 0, math.inf, ends="[)") ** 2
    return ratio((1 + square) * b.tp, (1 + square) * b.tp + square * b.fn + b.fp)


f_score_for_recall = f_score.at(beta=2.0).named(
    "F2",
    "f_score_for_recall",
    "How well is the class found, misses counting four times as much as false alarms?",
    r"F_\beta,\quad \beta = 2",
    traits=f_score.traits,
    invariant=f_score.invariant - {TRANSPOSE},
)

f_score_for_precision = f_score.at(beta=0.5).named(
    "F0.5",
    "f_score_for_precision",
    "How well is the class found, false alarms counting four times as much as misses?",
    r"F_\beta,\quad \beta = 1/2",
    traits=f_score.traits,
    invariant=f_score.invariant - {TRANSPOSE},
)


@rate(
    symbol="Jaccard",
    aliases=("critical_success_index", "threat_score", "iou"),
    formula=r"\frac{TP}{TP + FP + FN}",
    best=1,
    cite="jaccard1912",
    undefined="no case is of the class and it was never decided",
    **EXCHANGEABLE,
)
def jaccard_index(b: Binary) -> Cases:
    """Of the cases that are or are said to be of the class, how many are both?"""
    return b.tp, b.tp + b.fp + b.fn


@measure(
    symbol="BM",
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
    """How much more often is the class decided for its own cases than for others?"""
    return true_positive_rate.function(b) + true_negative_rate.function(b) - 1


@measure(
    symbol="MK",
    formula=r"PPV + NPV - 1",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="powers2011",
    undefined="the class was never or always decided",
    either_class=True,
    **OF_A_CLASS,
)
def markedness(b: Binary) -> Number:
    """How much more often are cases of the class where it is decided than where it is not?"""
    return positive_predictive_value.function(b) + negative_predictive_value.function(b) - 1


@measure(
    symbol="BAcc",
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
def balanced_accuracy(b: Binary) -> Number:
    """How often are decisions right if the class and the rest count the same?"""
    return (informedness.function(b) + 1) / 2


@measure(
    symbol="GMean",
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
    """How well do both sides fare, on an average that no neglected side survives?"""
    return root(true_positive_rate.function(b) * true_negative_rate.function(b))


@measure(
    symbol="OR",
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
    """How many times higher are the odds that the class is decided for its own cases than for others?"""
    return ratio(b.tp * b.tn, b.fp * b.fn)


@measure(
    symbol="DP",
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
    aliases=("positive_likelihood_ratio",),
    formula=r"\frac{TPR}{FPR}",
    range=(0, np.inf),
    best=np.inf,
    chance=1,
    cite="prati2011",
    undefined="the class is never decided, or one of the two sides has no case",
    **OF_A_CLASS,
)
def likelihood_ratio_positive(b: Binary) -> Number:
    """How many times do the odds of the class grow when it is decided?"""
    return ratio(true_positive_rate.function(b), false_positive_rate.function(b))


@measure(
    symbol="LRN",
    aliases=("negative_likelihood_ratio",),
    formula=r"\frac{FNR}{TNR}",
    range=(0, np.inf),
    best=0,
    chance=1,
    cite="prati2011",
    undefined="the class is always decided, or one of the two sides has no case",
    **OF_A_CLASS,
)
def likelihood_ratio_negative(b: Binary) -> Number:
    """By what factor do the odds of the class shrink when it is not decided?"""
    return ratio(false_negative_rate.function(b), true_negative_rate.function(b))


@rate(
    symbol="Prev",
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
    aliases=("decision_rate",),
    formula=r"\frac{TP + FP}{n}",
    best=None,
    cite="prati2011",
    **OF_A_CLASS,
)
def predicted_positive_rate(b: Binary) -> Cases:
    """For what share of the cases is the class decided?"""
    return b.tp + b.fp, b.tp + b.fn + b.fp + b.tn


@measure(
    symbol="SensPPA_mean",
    formula=r"\frac{TPR + PPV}{2}",
    range=(0, 1),
    best=1,
    cite="ferri2009",
    undefined="no case is of the class, or it was never decided",
    **EXCHANGEABLE,
)
def sensitivity_ppa_average(b: Binary) -> Number:
    """How good are recall and precision, on average?"""
    return (true_positive_rate.function(b) + positive_predictive_value.function(b)) / 2


@measure(
    symbol="SensPPA_product",
    formula=r"TPR \cdot PPV",
    range=(0, 1),
    best=1,
    cite="ferri2009",
    undefined="no case is of the class, or it was never decided",
    **EXCHANGEABLE,
)
def sensitivity_ppa_product(b: Binary) -> Number:
    """How good are recall and precision, multiplied?"""
    return true_positive_rate.function(b) * positive_predictive_value.function(b)
