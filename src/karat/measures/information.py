"""How much do predictions tell about the truth? Entropies in bits, and perplexities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Number, at_least_zero, exp, log, ratio, within
from karat.core.measure import (
    EMPTY_CLASS,
    FREQUENCIES,
    OUTPUTS,
    PRIOR,
    RELABEL,
    SCALE,
    THRESHOLD,
    TRANSPOSE,
    Spread,
    measure,
)
from karat.statistics import Counts

LN2 = math.log(2.0)
ONE_TRUE_CLASS = "all cases belong to one class, so there is nothing to predict"
TRUTH = {RELABEL, OUTPUTS, SCALE}
BOTH = {RELABEL, OUTPUTS, SCALE, TRANSPOSE}


OF_ONE: dict[str, Any] = {
    "traits": {THRESHOLD, FREQUENCIES},
    "invariant": {*TRUTH, EMPTY_CLASS},
    "cite": "valverde2014",
}
OF_BOTH = OF_ONE | {"invariant": {*BOTH, EMPTY_CLASS}}
"""What entropies claim in which truth and decision can't change places, and in which they can; of balanced classes."""
OF_SIZE: dict[str, Any] = {"range": (0, np.inf), "best": None, "invariant": {*BOTH, PRIOR}, "cite": "valverde2014"}


def _information(c: Counts) -> Number:
    return at_least_zero(c.logs.shared / c.sums.total)


def _truth_left(c: Counts) -> Number:
    return at_least_zero((c.logs.cells - c.logs.decided) / c.sums.total)


def _decided_left(c: Counts) -> Number:
    return at_least_zero((c.logs.cells - c.logs.truth) / c.sums.total)


def constant(c: Counts, value: float) -> Number:
    """A number that depends on the size of the table alone."""
    return value if not c.lead else np.full(c.lead, value)


def _of_entropy(k: Number) -> tuple[float, Number]:
    return (0.0, log(k) / LN2)


def _of_perplexity(k: Number) -> tuple[float, Number]:
    return (1.0, k)


def _of_accuracy(k: Number) -> tuple[Number, float]:
    return (1 / k, 1.0)


def _entropy_of_truth(k: int, l: int) -> tuple[float, float]:
    return (0.0, math.log2(k))


def _entropy_of_decisions(k: int, l: int) -> tuple[float, float]:
    return (0.0, math.log2(l))


def _entropy_of_cells(k: int, l: int) -> tuple[float, float]:
    return (0.0, math.log2(k * l))


def _shared_entropy(k: int, l: int) -> tuple[float, float]:
    return (0.0, math.log2(min(k, l)))


def _number_of_classes(k: int, l: int) -> tuple[float, float]:
    return (1.0, k)


def _number_of_decisions(k: int, l: int) -> tuple[float, float]:
    return (1.0, l)


def _shared_number(k: int, l: int) -> tuple[float, float]:
    return (1.0, min(k, l))


@measure(
    symbol="H_X",
    title="Entropy of the true classes in bits",
    aliases=("entropy_of_truth",),
    formula=r"-\sum_i \frac{t_i}{s} \log_2 \frac{t_i}{s}",
    range=(0, np.inf),
    best=None,
    traits={FREQUENCIES},
    invariant={*TRUTH, EMPTY_CLASS},
    cite="valverde2014",
    bounds=_of_entropy,
)
def truth_entropy(c: Counts) -> Number:
    """How uncertain is the class of a case before anything is predicted?"""
    return within(c.logs.truth / c.sums.total / LN2, *_of_entropy(c.classes))


@measure(
    symbol="H_Y",
    title="Entropy of the predicted classes in bits",
    aliases=("entropy_of_decisions",),
    formula=r"-\sum_j \frac{u_j}{s} \log_2 \frac{u_j}{s}",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_decisions,
    best=None,
    **OF_ONE,
)
def decision_entropy(c: Counts) -> Number:
    """How varied are the predictions?"""
    return c.logs.decided / c.sums.total / LN2


@measure(
    symbol="H_XY",
    title="Joint entropy in bits",
    aliases=("joint_entropy",),
    formula=r"-\sum_{ij} P_{ij} \log_2 P_{ij}",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_cells,
    best=None,
    **OF_BOTH,
)
def entropy_of_truth_and_decision(c: Counts) -> Number:
    """How varied are true and predicted classes together?"""
    return c.logs.cells / c.sums.total / LN2


@measure(
    symbol="H_X|Y",
    title="Conditional entropy of the true classes in bits",
    aliases=("H_X_given_Y", "remaining_entropy"),
    formula=r"H_{XY} - H_Y",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_truth,
    best=0,
    **OF_ONE,
)
def truth_entropy_left(c: Counts) -> Number:
    """How uncertain is the class of a case once its prediction is known?"""
    return _truth_left(c) / LN2


@measure(
    symbol="H_Y|X",
    title="Conditional entropy of the predicted classes in bits",
    aliases=("H_Y_given_X",),
    formula=r"H_{XY} - H_X",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_decisions,
    best=None,
    **OF_ONE,
)
def decision_entropy_left(c: Counts) -> Number:
    """How varied are the predictions for cases of one class?"""
    return _decided_left(c) / LN2


@measure(
    symbol="MI",
    title="Mutual information in bits",
    aliases=("transmitted_information", "mutual_info"),
    formula=r"H_X + H_Y - H_{XY}",
    range=(0, np.inf),
    bounds_of_table=_shared_entropy,
    best=np.inf,
    chance=0,
    **OF_BOTH,
)
def mutual_information(c: Counts) -> Number:
    """How many bits does a prediction tell about the class of its case?"""
    return _information(c) / LN2


@measure(
    symbol="VI",
    title="Variation of information in bits",
    formula=r"H_{X|Y} + H_{Y|X}",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_cells,
    best=0,
    **OF_BOTH,
)
def variation_of_information(c: Counts) -> Number:
    """How many bits of true and predicted classes are not shared?"""
    return (_truth_left(c) + _decided_left(c)) / LN2


@measure(symbol="H_UX", title="Entropy of balanced classes in bits", formula=r"\log_2 k", **OF_SIZE)
def uniform_truth_entropy(c: Counts) -> Number:
    """How uncertain would the class be if all classes were equally frequent?"""
    return constant(c, math.log2(c.k))


@measure(symbol="H_UY", title="Entropy of balanced predictions in bits", formula=r"\log_2 l", **OF_SIZE)
def uniform_decision_entropy(c: Counts) -> Number:
    """How varied would the predictions be if all were equally frequent?"""
    return constant(c, math.log2(c.l))


@measure(
    symbol="DH_X",
    title="Imbalance of the true classes in bits",
    formula=r"\log_2 k - H_X",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_truth,
    best=None,
    traits={FREQUENCIES},
    invariant=TRUTH,
    cite="valverde2014",
)
def truth_entropy_deficit(c: Counts) -> Number:
    """How far from balanced are the classes, in bits?"""
    return at_least_zero(math.log2(c.k) - truth_entropy.function(c))


@measure(
    symbol="DH_Y",
    title="Imbalance of the predicted classes in bits",
    formula=r"\log_2 l - H_Y",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_decisions,
    best=None,
    traits={THRESHOLD, FREQUENCIES},
    invariant=TRUTH,
    cite="valverde2014",
)
def decision_entropy_deficit(c: Counts) -> Number:
    """How far from balanced are the predictions, in bits?"""
    return at_least_zero(math.log2(c.l) - decision_entropy.function(c))


@measure(
    symbol="DH",
    title="Imbalance of true and predicted classes in bits",
    formula=r"\Delta H_X + \Delta H_Y",
    range=(0, np.inf),
    bounds_of_table=_entropy_of_cells,
    best=None,
    traits={THRESHOLD, FREQUENCIES},
    invariant=BOTH,
    cite="valverde2014",
)
def entropy_deficit(c: Counts) -> Number:
    """How far from balanced are classes and predictions together, in bits?"""
    return truth_entropy_deficit.function(c) + decision_entropy_deficit.function(c)


@measure(
    symbol="k_X",
    title="Effective number of true classes",
    aliases=("effective_classes",),
    formula=r"2^{H_X}",
    range=(1, np.inf),
    best=None,
    traits={FREQUENCIES},
    invariant={*TRUTH, EMPTY_CLASS},
    cite="valverde2014",
    bounds=_of_perplexity,
    spread=Spread.IN_PROPORTION,
)
def truth_perplexity(c: Counts) -> Number:
    """How many equally frequent classes would be as hard to guess?"""
    return within(exp(c.logs.truth / c.sums.total), *_of_perplexity(c.classes))


@measure(
    symbol="m_Y",
    title="Effective number of predicted classes",
    aliases=("effective_decisions",),
    formula=r"2^{H_Y}",
    range=(1, np.inf),
    bounds_of_table=_number_of_decisions,
    best=None,
    spread=Spread.IN_PROPORTION,
    **OF_ONE,
)
def decision_perplexity(c: Counts) -> Number:
    """How many equally frequent predicted classes would be as varied?"""
    return exp(c.logs.decided / c.sums.total)


@measure(
    symbol="k_X|Y",
    title="Remaining number of true classes",
    aliases=("k_X_given_Y", "remaining_perplexity"),
    formula=r"2^{H_{X|Y}}",
    range=(1, np.inf),
    best=1,
    bounds=_of_perplexity,
    spread=Spread.IN_PROPORTION,
    **OF_ONE,
)
def truth_perplexity_left(c: Counts) -> Number:
    """Among how many equally likely classes does one still guess once the prediction is known?"""
    return within(exp(_truth_left(c)), *_of_perplexity(c.classes))


@measure(
    symbol="m_Y|X",
    title="Effective number of predicted classes per true class",
    aliases=("m_Y_given_X",),
    formula=r"2^{H_{Y|X}}",
    range=(1, np.inf),
    bounds_of_table=_number_of_decisions,
    best=None,
    spread=Spread.IN_PROPORTION,
    **OF_ONE,
)
def decision_perplexity_left(c: Counts) -> Number:
    """How many equally frequent predicted classes are as varied as those for cases of one class?"""
    return exp(_decided_left(c))


@measure(
    symbol="delta_X",
    title="Imbalance factor of the true classes",
    formula=r"k / k_X",
    range=(1, np.inf),
    bounds_of_table=_number_of_classes,
    best=None,
    traits={FREQUENCIES},
    invariant=TRUTH,
    cite="valverde2014",
    spread=Spread.IN_PROPORTION,
)
def truth_imbalance(c: Counts) -> Number:
    """By what factor does imbalance reduce the number of classes?"""
    return c.k / truth_perplexity.function(c)


@measure(
    symbol="delta_Y",
    title="Imbalance factor of the predicted classes",
    formula=r"l / m_Y",
    range=(1, np.inf),
    bounds_of_table=_number_of_decisions,
    best=None,
    traits={THRESHOLD, FREQUENCIES},
    invariant=TRUTH,
    cite="valverde2014",
    spread=Spread.IN_PROPORTION,
)
def decision_imbalance(c: Counts) -> Number:
    """By what factor does imbalance reduce the number of predicted classes?"""
    return c.l / decision_perplexity.function(c)


@measure(
    symbol="mu",
    title="Information transfer factor",
    aliases=("information_transfer_factor",),
    formula=r"2^{MI}",
    range=(1, np.inf),
    bounds_of_table=_shared_number,
    best=np.inf,
    chance=1,
    spread=Spread.IN_PROPORTION,
    **OF_BOTH,
)
def transfer_factor(c: Counts) -> Number:
    """By what factor do the predictions reduce the number of classes that remain possible?"""
    return exp(_information(c))


@measure(
    symbol="EMA",
    title="Entropy-modulated accuracy",
    aliases=("entropy_modulated_accuracy", "a'"),
    formula=r"2^{-H_{X|Y}} = 1 / k_{X|Y}",
    range=(0, 1),
    best=1,
    bounds=_of_accuracy,
    spread=Spread.IN_PROPORTION,
    **OF_ONE,
)
def entropy_modulated(c: Counts) -> Number:
    """How often would a guess that knows the prediction be correct, if the remaining classes were equally likely?"""
    return within(exp(-_truth_left(c)), *_of_accuracy(c.classes))


@measure(
    symbol="NIT",
    title="Normalised information transfer",
    aliases=("normalised_information_transfer", "normalized_information_transfer", "q"),
    formula=r"\mu / k = 2^{MI - \log_2 k}",
    range=(0, 1),
    best=1,
    traits={THRESHOLD, FREQUENCIES},
    invariant=BOTH,
    cite="valverde2014",
    bounds=_of_accuracy,
    spread=Spread.IN_PROPORTION,
)
def information_transfer(c: Counts) -> Number:
    """How many classes do the predictions tell apart, as a share of k (1/k if they tell nothing)?"""
    return within(exp(_information(c)) / c.classes, *_of_accuracy(c.classes))


@measure(
    symbol="RCI",
    title="Relative classifier information",
    aliases=("relative_classifier_information",),
    formula=r"MI / H_X",
    range=(0, 1),
    best=1,
    chance=0,
    traits={THRESHOLD, FREQUENCIES},
    invariant={*TRUTH, EMPTY_CLASS},
    cite="sindhwani2001",
    undefined=ONE_TRUE_CLASS,
)
def relative_information(c: Counts) -> Number:
    """What share of the uncertainty about the class do the predictions remove?"""
    return ratio(_information(c) * (c.sums.truth_spread > 0), c.logs.truth / c.sums.total)
