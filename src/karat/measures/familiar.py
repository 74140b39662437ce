"""Measures that have a number of their own by a familiar name: scikit-learn's conventions and scales, exactly."""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Array, Cases, Number, log, only_where, ratio, total, within
from karat.core.measure import (
    CALIBRATION,
    EMPTY_CLASS,
    FREQUENCIES,
    RANKING,
    RELABEL,
    SCALE,
    Remark,
    Spread,
    measure,
    rate,
)
from karat.measures.calibration import FORECASTS, ORDER
from karat.measures.information import ONE_TRUE_CLASS
from karat.measures.probability import brier_score_of_all_classes, logarithmic_loss
from karat.measures.ranking import FEWER_THAN_TWO, mean_precision
from karat.measures.rates import EXCHANGEABLE, OF_A_CLASS, OF_UNION, WITHIN_THE_CLASS
from karat.statistics import Binary, LossSums, Pairs, ScoreTable

MACHINE = float(np.finfo(np.float64).eps)
"""The least probability that scikit-learn's log loss counts."""
LN2 = math.log(2.0)


def never_predicted(b: Binary) -> Array:
    """[..., k]: was the class never predicted?"""
    return np.asarray(b.tp + b.fp == 0)


def no_positives(b: Binary) -> Array:
    """[..., k]: is no case of the class?"""
    return np.asarray(b.tp + b.fn == 0)


def nothing_to_rank(t: ScoreTable) -> Array:
    """[...]: is no case of the class?"""
    return np.asarray(t.true_positives[..., -1] == 0)


def nowhere(b: Binary) -> Array:
    """[..., k]: is no case of the class, and was it never predicted?"""
    return np.asarray(b.tp + b.fn + b.fp == 0)


NOWHERE = Remark("0 where the class has no cases and was never predicted, its formula being 0/0", nowhere)


@rate(
    symbol="Precision",
    title="Precision",
    formula=r"\frac{TP}{TP + FP},\quad 0 \text{ if the class is never predicted}",
    best=1,
    cite="prati2011",
    otherwise=0.0,
    over_predicted=True,
    remarks=(Remark("0 where the class was never predicted, its formula being 0/0", never_predicted),),
    **OF_A_CLASS,
)
def precision(b: Binary) -> Cases:
    """When the class is predicted, how often is that correct, and 0 if it never is?"""
    return b.tp, b.tp + b.fp


@rate(
    symbol="Recall",
    title="Recall",
    formula=r"\frac{TP}{TP + FN},\quad 0 \text{ if the class has no cases}",
    best=1,
    cite="prati2011",
    otherwise=0.0,
    over_predicted=True,
    remarks=(Remark("0 where the class has no cases, its formula being 0/0", no_positives),),
    **WITHIN_THE_CLASS,
)
def recall(b: Binary) -> Cases:
    """What share of the cases of the class is predicted as the class, and 0 if there are none?"""
    return b.tp, b.tp + b.fn


@measure(
    symbol="F1Score",
    title="F1 score",
    spelt=("f1",),
    formula=r"\frac{2 TP}{2 TP + FN + FP},\quad 0 \text{ if the class has no case and is never predicted}",
    range=(0, 1),
    best=1,
    cite="vanrijsbergen1979",
    over_predicted=True,
    remarks=(NOWHERE,),
    **OF_UNION,
    **EXCHANGEABLE,
)
def f1_score(b: Binary) -> Number:
    """How good are precision and recall of the class, in their harmonic mean, and 0 if there is nothing to find?"""
    return ratio(2 * b.tp, 2 * b.tp + b.fn + b.fp, otherwise=0.0)


@rate(
    symbol="JaccardScore",
    title="Jaccard score",
    spelt=("jaccard",),
    formula=r"\frac{TP}{TP + FP + FN},\quad 0 \text{ if the class has no case and is never predicted}",
    best=1,
    cite="jaccard1912",
    otherwise=0.0,
    over_predicted=True,
    remarks=(NOWHERE,),
    **EXCHANGEABLE,
)
def jaccard_score(b: Binary) -> Cases:
    """Of the cases that are of the class or are predicted as it, what share is both, and 0 if there are none?"""
    return b.tp, b.tp + b.fp + b.fn


@measure(
    symbol="LogLoss",
    title="Log loss in nats",
    aliases=("logloss", "cross_entropy", "cross_entropy_loss"),
    formula=r"-\frac{1}{W}\sum_i w_i \ln \max(p_{i,y_i}, \epsilon),\quad \epsilon = 2^{-52}",
    range=(0, -math.log(MACHINE)),
    range_at=(0, math.inf),
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="good1952",
    parameters={"eps": MACHINE},
)
def log_loss(s: LossSums) -> Number:
    """How much surprise does the truth bring, in natural units?"""
    return LN2 * logarithmic_loss.function(s)


def _bounds(k: Number) -> tuple[float, float]:
    return (0.0, 1.0 if k == 2 else 2.0)


@measure(
    symbol="BrierLoss",
    title="Brier score",
    aliases=("brier_score", "brier_loss"),
    formula=r"\frac{1}{W}\sum_i w_i \sum_j (f_{ij} - p_{ij})^2,\quad \text{half of it for two classes}",
    range=(0, 2),
    range_at=(0, 2),
    bounds=_bounds,
    best=0,
    cite="brier1950",
    **FORECASTS,
)
def brier_score_loss(s: LossSums) -> Number:
    """How far are the probabilities from the truth, by squared distance (of the positive class, for two classes)?"""
    high = _bounds(s.classes)[1]
    return within(brier_score_of_all_classes.function(s) / (2 / high), 0.0, high)


@measure(
    symbol="AveragePrecision",
    title="Average precision, 0 without positives",
    formula=r"AP,\quad 0 \text{ if the class has no cases}",
    range=(0, 1),
    best=1,
    cite="davis2006",
    classwise=True,
    remarks=(Remark("0 where the class has no cases, its formula being 0/0", nothing_to_rank),),
    between_orders=True,
    spread=Spread.OF_SHARE,
    one_pass=True,
    **ORDER,
)
def average_precision(t: ScoreTable) -> Number:
    """How precise is the ranking down to each case of the class, on average over these, and 0 if there are none?"""
    return np.where(nothing_to_rank(t), 0.0, mean_precision.function(t))


@measure(
    symbol="AU1W",
    title="ROC AUC, one-vs-one, weighted",
    aliases=("auc_ovo_weighted",),
    formula=r"\frac{1}{c'-1}\sum_{j < k} (\pi_j + \pi_k) \frac{AUC(j, k) + AUC(k, j)}{2}",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="hand2001",
    undefined=FEWER_THAN_TWO,
    between_orders=True,
    **ORDER,
)
def auc_one_against_one_by_pairs(a: Pairs) -> Number:
    """How often is a case of one class ranked above one of another, frequent pairs of classes counting more?"""
    weight = a.weight
    there = (weight[..., :, None] > 0) & (weight[..., None, :] > 0) & ~np.eye(weight.shape[-1], dtype=bool)
    pairs = np.where(there, weight[..., :, None] + weight[..., None, :], 0.0)
    of_pairs = np.where(there, a.against_each, 0.0)
    return ratio((pairs * of_pairs).sum(axis=(-2, -1)), pairs.sum(axis=(-2, -1)))


@measure(
    symbol="D2LogLoss",
    title="Explained log loss",
    aliases=("d2_log_loss",),
    formula=r"1 - LogLoss / H_X,\quad H_X \text{ in nats}",
    range=(-math.inf, 1),
    range_at=(-math.inf, 1),
    best=1,
    chance=0,
    traits={CALIBRATION, RANKING, FREQUENCIES},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="good1952",
    undefined=ONE_TRUE_CLASS,
    parameters={"eps": MACHINE},
)
def d2_log_loss_score(s: LossSums) -> Number:
    """What share of the log loss of always forecasting the class frequencies is saved?"""
    share = s.weight / s.weight.sum(axis=-1, keepdims=True)
    reference = -total(np.where(share > 0, share * np.asarray(log(np.where(share > 0, share, 1.0))), 0.0))
    return only_where(reference > 0, 1 - ratio(log_loss.function(s), reference))


@measure(
    symbol="D2Brier",
    title="Explained Brier score",
    aliases=("d2_brier",),
    formula=r"1 - Brier / \sum_j \pi_j (1 - \pi_j)",
    range=(-math.inf, 1),
    range_at=(-math.inf, 1),
    best=1,
    chance=0,
    cite="murphy1973",
    undefined=ONE_TRUE_CLASS,
    **FORECASTS,
)
def d2_brier_score(s: LossSums) -> Number:
    """What share of the Brier score of always forecasting the class frequencies is saved?"""
    share = s.weight / s.weight.sum(axis=-1, keepdims=True)
    reference = total(share * (1 - share))
    return only_where((s.weight > 0).sum(axis=-1) > 1, 1 - ratio(brier_score_of_all_classes.function(s), reference))
