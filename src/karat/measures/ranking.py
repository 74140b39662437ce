"""Do cases of a class get higher scores than others? Areas under ROC curves and what else depends on order."""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Array, Number, only_where, ratio
from karat.core.measure import (
    CALIBRATION,
    DISTRIBUTION,
    EMPTY_CLASS,
    MONOTONE,
    PRIOR,
    RANKING,
    RELABEL,
    SCALE,
    Spread,
    measure,
)
from karat.core.validation import number_between
from karat.measures.calibration import BEST_OF_THE_SAMPLE, ORDER
from karat.measures.rates import NO_POSITIVES, ONE_SIDE
from karat.statistics import Margins, Pairs, ProbabilitySums, ScoreTable
from karat.statistics.score_table import table_by_table

FEWER_THAN_TWO = "fewer than two classes have cases"


OF_ALL_CLASSES = ORDER | {"undefined": FEWER_THAN_TWO}
OF_A_CLASS = ORDER | {"classwise": True, "undefined": ONE_SIDE}


@measure(
    symbol="AUNU",
    title="ROC AUC, one-vs-rest",
    aliases=("auc_ovr_macro",),
    formula=r"\frac{1}{c'}\sum_{j \in J} AUC(j, rest_j)",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="fawcett2001",
    between_orders=True,
    **OF_ALL_CLASSES,
)
def auc_one_against_rest(a: Pairs) -> Number:
    """How often is a case of a class ranked above one of the rest, on average over the classes?"""
    return only_where(a.sums.present > 1, ratio(a.sums.rest, a.sums.present))


@measure(
    symbol="AUNP",
    title="ROC AUC, one-vs-rest, weighted",
    aliases=("auc_ovr_weighted",),
    formula=r"\sum_{j} \pi_j AUC(j, rest_j)",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="fawcett2001",
    between_orders=True,
    **OF_ALL_CLASSES,
)
def auc_one_against_rest_prior(a: Pairs) -> Number:
    """How often is a case of a class ranked above one of the rest, frequent classes counting more?"""
    return only_where(a.sums.present > 1, a.sums.rest_prior)


@measure(
    symbol="AU1U",
    title="ROC AUC, one-vs-one",
    aliases=("auc_ovo_macro", "hand_till"),
    formula=r"\frac{1}{c'(c'-1)}\sum_{j \ne k} AUC(j, k)",
    range=(0, 1),
    best=1,
    chance=0.5,
    traits={RANKING, DISTRIBUTION},
    invariant={RELABEL, SCALE, PRIOR, MONOTONE, EMPTY_CLASS},
    cite="hand2001",
    undefined=FEWER_THAN_TWO,
    between_orders=True,
)
def auc_one_against_one(a: Pairs) -> Number:
    """How often is a case of one class ranked above one of another, on average over all pairs of classes?"""
    c = a.sums.present
    return ratio(a.sums.pairs, c * (c - 1))  # of one class 0 / 0


@measure(
    symbol="AU1P",
    title="ROC AUC, one-vs-one, weighted by prior",
    formula=r"\frac{1}{c'-1}\sum_{j \ne k} \pi_j AUC(j, k)",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="ferri2009",
    between_orders=True,
    **OF_ALL_CLASSES,
)
def auc_one_against_one_prior(a: Pairs) -> Number:
    """How often is a case of one class ranked above one of another, frequent classes counting more?"""
    return ratio(a.sums.pairs_prior, a.sums.present - 1)


@measure(
    symbol="AU1P_printed",
    title="ROC AUC, one-vs-one, weighted by prior as printed",
    formula=r"\frac{1}{c'(c'-1)}\sum_{j \ne k} \pi_j AUC(j, k)",
    range=(0, 0.5),
    best=0.5,
    cite="ferri2009",
    between_orders=True,
    **OF_ALL_CLASSES,
)
def auc_one_against_one_prior_printed(a: Pairs) -> Number:
    """What would AU1P be with the prefactor as printed, which makes 1/c the best value?"""
    return ratio(auc_one_against_one_prior.function(a), a.sums.present)


@measure(
    symbol="SAUC",
    title="Scored AUC",
    aliases=("scored_auc",),
    formula=r"\frac{1}{c'(c'-1)}\sum_{j \ne k} \frac{1}{m_j m_k}\sum_{y_i=j,\,y_t=k} \max(0, p_{ij} - p_{tj})",
    range=(0, 1),
    best=1,
    chance=0,
    traits={CALIBRATION, RANKING, DISTRIBUTION},
    invariant={RELABEL, SCALE, PRIOR, EMPTY_CLASS},
    cite="wu2007",
    undefined=FEWER_THAN_TWO,
    between_orders=True,
)
def scored_area_under_curve(a: Margins) -> Number:
    """By how much is a case of one class ranked above one of another, on average over all pairs of classes?"""
    c = a.sums.present
    return ratio(a.sums.pairs, c * (c - 1))  # of one class 0 / 0


@measure(
    symbol="PAUC",
    title="Probabilistic AUC",
    aliases=("probabilistic_auc",),
    formula=r"\frac{1}{c'(c'-1)}\sum_{j \ne k} \frac{p_{jj} - p_{kj} + 1}{2}",
    range=(0, 1),
    best=1,
    chance=0.5,
    traits={CALIBRATION, RANKING},
    invariant={RELABEL, SCALE, PRIOR, EMPTY_CLASS},
    cite="ferri2005",
    undefined=FEWER_THAN_TWO,
)
def probabilistic_area_under_curve(p: ProbabilitySums) -> Number:
    """How much more probability does a class get from its own cases than from those of another?"""
    mean, c = p.relative.sums, p.table.sums.present
    own, others = (c - 1) * mean.trace, mean.inside - mean.trace
    return only_where(c > 1, (1 + ratio(own - others, c * (c - 1))) / 2)


@measure(
    symbol="AUC",
    title="ROC AUC",
    aliases=("auroc", "auc_of_class"),
    formula=r"AUC(j, rest_j)",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="fawcett2006",
    either_class=True,
    between_orders=True,
    **OF_A_CLASS,
)
def area_under_roc(a: Pairs) -> Number:
    """How often is a case of the class ranked above one of the rest?"""
    return a.against_rest


@measure(
    symbol="Gini",
    title="Gini coefficient",
    formula=r"2 AUC - 1",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="prati2011",
    either_class=True,
    between_orders=True,
    **OF_A_CLASS,
)
def gini_coefficient(a: Pairs) -> Number:
    """How much more often is a case of the class ranked above one of the rest than below it?"""
    return 2 * area_under_roc.function(a) - 1


@measure(
    symbol="AP",
    title="Average precision",
    formula=r"\sum_n (R_n - R_{n-1}) P_n",
    range=(0, 1),
    best=1,
    cite="davis2006",
    undefined=NO_POSITIVES,
    classwise=True,
    between_orders=True,
    spread=Spread.OF_SHARE,
    one_pass=True,
    **ORDER,
)
def mean_precision(t: ScoreTable) -> Number:
    """How precise is the ranking down to each case of the class, on average over these?"""
    return ratio(t.precision_sum, t.positive.sum(axis=-1))


@measure(
    symbol="AUPRC",
    title="Area under the precision-recall curve",
    aliases=("pr_auc",),
    formula=r"\int_0^1 P(R)\,dR,\ FP \text{ linear in } TP \text{ between points}",
    range=(0, 1),
    best=1,
    cite="davis2006",
    undefined=NO_POSITIVES,
    classwise=True,
    between_orders=True,
    spread=Spread.OF_SHARE,
    **ORDER,
)
def area_under_precision_recall(t: ScoreTable) -> Number:
    """How precise is the ranking, on average over all levels of recall, correctly interpolated?"""
    tp, fp = t.true_positives, t.false_positives
    a, step = tp[..., :-1], np.diff(tp, axis=-1)
    slope = np.divide(np.diff(fp, axis=-1), step, out=np.zeros_like(step), where=step > 0)
    grade = 1 + slope
    offset = fp[..., :-1] - slope * a
    with np.errstate(divide="ignore", invalid="ignore"):
        bend = offset / grade**2 * np.log1p(grade * step / (a + fp[..., :-1]))
    area = step / grade - np.where((offset == 0) | (step == 0), 0.0, bend)
    return ratio(np.where(step > 0, area, 0.0).sum(axis=-1), tp[..., -1])


@measure(
    symbol="partAUC",
    title="Partial ROC AUC",
    aliases=("partial_auc",),
    formula=r"\int_0^{.1} TPR\,dFPR",
    range=(0, 0.1),
    range_at=(0, 1),
    best=0.1,
    chance=0.005,
    cite="mcclish1989",
    between_orders=True,
    **OF_A_CLASS,
)
def partial_area_under_roc(t: ScoreTable, *, max_fpr: float = 0.1) -> Number:
    """How large is the area under the ROC curve up to a false positive rate of 0.1?"""
    number_between("max_fpr", max_fpr, 0, 1, ends="(]")
    fpr, tpr = t.rates
    left, right = fpr[..., :-1], fpr[..., 1:]
    width = np.minimum(right, max_fpr) - np.minimum(left, max_fpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(right > left, width / (right - left), 0.0)
    end = tpr[..., :-1] + inside * np.diff(tpr, axis=-1)
    return (width * (tpr[..., :-1] + end) / 2).sum(axis=-1)


@measure(
    symbol="partAUC_standardised",
    title="Standardised partial ROC AUC",
    aliases=("mcclish",),
    formula=r"\frac{1}{2}\left(1 + \frac{partAUC - f^2/2}{f - f^2/2}\right),\ f = .1",
    range=(0, 1),
    range_at=(0, 1),
    best=1,
    chance=0.5,
    cite="mcclish1989",
    between_orders=True,
    **OF_A_CLASS,
)
def partial_area_standardised(t: ScoreTable, *, max_fpr: float = 0.1) -> Number:
    """How large is the area under the ROC curve at low false positive rates, on the scale of an AUC?"""
    least = max_fpr * max_fpr / 2
    return (1 + (partial_area_under_roc.function(t, max_fpr=max_fpr) - least) / (max_fpr - least)) / 2


@measure(
    symbol="KS",
    caution=BEST_OF_THE_SAMPLE,
    title="Kolmogorov-Smirnov statistic",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    formula=r"\max_\theta |TPR(\theta) - FPR(\theta)|",
    range=(0, 1),
    best=1,
    chance=0,
    cite="conover1999",
    either_class=True,
    between_orders=True,
    **OF_A_CLASS,
)
def kolmogorov_smirnov_distance(t: ScoreTable) -> Number:
    """How far apart are the score distributions of the class and of the rest, at most?"""
    fpr, tpr = t.rates
    return np.abs(tpr - fpr).max(axis=-1)


def _h(t: ScoreTable, a: float, b: float) -> float:
    """1 - L / L_max for costs distributed as Beta(a, b): a false positive costs c, a missed case 1 - c."""
    from scipy.special import betainc

    tp, fp = t.true_positives, t.false_positives
    if not (tp[-1] > 0 and fp[-1] > 0):
        return np.nan
    n = tp[-1] + fp[-1]
    at = t.hull
    hits, alarms = tp[at] / n, fp[at] / n
    missed = tp[-1] / n - hits

    def loss(alarms: Array, missed: Array, cuts: Array) -> float:
        # vertex i is best for c between cuts[i + 1] and cuts[i]; the moments of Beta(a, b) there, in closed form
        c = a / (a + b) * -np.diff(betainc(a + 1, b, cuts))
        rest = b / (a + b) * -np.diff(betainc(a, b + 1, cuts))
        return float(c @ alarms + rest @ missed)

    steps, rises = np.diff(alarms), np.diff(hits)
    cuts = np.concatenate([[1.0], rises / (rises + steps), [0.0]])
    even = tp[-1] / n
    worst = loss(np.array([0.0, 1 - even]), np.array([even, 0.0]), np.array([1.0, even, 0.0]))
    return 1 - loss(alarms, missed, cuts) / worst if worst > 0 else np.nan


@measure(
    symbol="H",
    caution=BEST_OF_THE_SAMPLE,
    title="H-measure",
    aliases=("h_measure", "hmeasure"),
    formula=r"1 - \frac{\int \min_\theta [c\,\pi_0 FPR + (1-c)\,\pi_1 FNR]\,u(c)\,dc}"
    r"{\int \min(c\,\pi_0, (1-c)\,\pi_1)\,u(c)\,dc},\quad u = Beta(2, 2)",
    range=(0, 1),
    range_at=(0, 1),
    best=1,
    chance=0,
    cite="hand2009",
    either_class=True,
    between_orders=True,
    **OF_A_CLASS,
)
@table_by_table
def hand_measure(t: ScoreTable, *, a: float = 2.0, b: float = 2.0) -> Number:
    """What share of the expected cost of a trivial classifier is saved, if costs follow Beta(2, 2)?"""
    return _h(t, *(number_between(name, x, 0, math.inf, ends="()") for name, x in (("a", a), ("b", b))))


@measure(
    symbol="H_2014",
    caution=BEST_OF_THE_SAMPLE,
    title="H-measure with prior-dependent costs",
    formula=r"H,\quad u = Beta(1 + \pi_1, 1 + \pi_0)",
    range=(0, 1),
    best=1,
    chance=0,
    cite="hand2014",
    either_class=True,
    between_orders=True,
    **OF_A_CLASS,
)
@table_by_table
def hand_measure_prior(t: ScoreTable) -> Number:
    """What share of the expected cost of a trivial classifier is saved, if rarer classes cost more to miss?"""
    tp, fp = t.true_positives[-1], t.false_positives[-1]
    return _h(t, 1 + tp / (tp + fp), 1 + fp / (tp + fp))


@measure(
    symbol="H_severity",
    caution=BEST_OF_THE_SAMPLE,
    title="H-measure with the severity ratio",
    formula=r"H,\quad u = Beta(2, 1 + \pi_0 / \pi_1)",
    range=(0, 1),
    best=1,
    chance=0,
    cite="hand2014",
    between_orders=True,
    **OF_A_CLASS,
)
@table_by_table
def hand_measure_severity(t: ScoreTable) -> Number:
    """What would the H-measure be with the default severity ratio of the hmeasure packages?"""
    tp, fp = t.true_positives[-1], t.false_positives[-1]
    return _h(t, 2.0, 1 + fp / tp) if tp > 0 and fp > 0 else np.nan
