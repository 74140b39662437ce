"""How good are the probabilities, one case at a time? Rates, errors and scores."""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Number, ratio, total, within
from karat.core.measure import (
    CALIBRATION,
    DISTRIBUTION,
    EMPTY_CLASS,
    FREQUENCIES,
    PRIOR,
    RANKING,
    RELABEL,
    SCALE,
    THRESHOLD,
    Remark,
    measure,
)
from karat.kernels.margins import rest_of
from karat.measures.calibration import FORECASTS, FORECASTS_OF_A_CLASS, NO_GROUPS, ORDER, no_mixed_group
from karat.measures.rates import ONE_SIDE
from karat.statistics import Certainty, LossSums, ProbabilitySums, ScoreTable, Segments
from karat.statistics.scans import FLOOR


@measure(
    symbol="MAPR",
    title="Mean probability of the true class, macro average",
    formula=r"\frac{1}{c'}\sum_{j \in J} p_{jj}",
    range=(0, 1),
    best=1,
    traits={CALIBRATION, RANKING},
    invariant={RELABEL, SCALE, PRIOR, EMPTY_CLASS},
    cite="ferri2009",
)
def macro_average_probability_rate(p: ProbabilitySums) -> Number:
    """How much probability does the true class get, on average over the classes?"""
    return p.relative.sums.trace / p.table.sums.present


@measure(
    symbol="MPR",
    title="Mean probability of the true class",
    formula=r"\frac{1}{W}\sum_i w_i p_{i,y_i}",
    range=(0, 1),
    best=1,
    traits={CALIBRATION, RANKING, FREQUENCIES},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="ferri2009",
)
def mean_probability_rate(p: ProbabilitySums) -> Number:
    """How much probability does the true class get, on average over the cases?"""
    return p.table.sums.trace / p.total


def _bounds(k: Number) -> tuple[float, Number]:
    return (0.0, 2 / k)


@measure(
    symbol="MAE",
    title="Mean absolute error of the probabilities",
    formula=r"\frac{1}{Wc}\sum_i w_i \sum_j |f_{ij} - p_{ij}|",
    range=(0, 1),
    bounds=_bounds,
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES},
    invariant={RELABEL, SCALE},
    cite="ferri2009",
)
def mean_absolute_probability_error(p: ProbabilitySums) -> Number:
    """How far are the probabilities from the truth?"""
    W, k = p.total, p.table.classes
    return within((W - 2 * p.table.sums.trace + p.table.sums.total) / (W * k), *_bounds(k))


@measure(
    symbol="MSE",
    title="Mean squared error of the probabilities",
    formula=r"\frac{1}{Wc}\sum_i w_i \sum_j (f_{ij} - p_{ij})^2",
    range=(0, 1),
    range_at=(0, 1),
    bounds=_bounds,
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE},
    cite="ferri2009",
)
def mean_squared_probability_error(s: LossSums) -> Number:
    """How far are the probabilities from the truth, large errors counting more?"""
    return within(s.squares_sums.values / (s.squares_sums.weight * s.classes), *_bounds(s.classes))


@measure(
    symbol="Brier",
    title="Brier score, summed over classes",
    formula=r"\frac{1}{W}\sum_i w_i \sum_j (f_{ij} - p_{ij})^2",
    range=(0, 2),
    range_at=(0, 2),
    best=0,
    cite="brier1950",
    **FORECASTS,
)
def brier_score_of_all_classes(s: LossSums) -> Number:
    """How far are the probabilities from the truth, by squared distance summed over the classes?"""
    return s.squares_sums.values / s.squares_sums.weight


@measure(
    symbol="LogL",
    title="Log loss in bits",
    aliases=("log_loss_bits", "ignorance_score"),
    formula=r"-\frac{1}{W}\sum_i w_i \log_2 \max(p_{i,y_i}, \epsilon),\quad \epsilon = 10^{-5}",
    range=(0, -math.log2(FLOOR)),
    range_at=(0, math.inf),
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="good1952",
)
def logarithmic_loss(s: LossSums) -> Number:
    """How many bits of surprise does the truth bring?"""
    return 0.0 - s.logs_sums.values / s.logs_sums.weight


@measure(
    symbol="Niche",
    title="Probability of wrong predictions",
    aliases=("ferri_niche",),
    formula=r"\frac{1}{W}\sum_{d_i \ne y_i} w_i p_{i,d_i}",
    range=(0, 1),
    best=0,
    traits={THRESHOLD, CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="ferri2009",
    undefined="some case was rejected, and a rejection has no probability",
    between_orders=True,
)
def confident_error(s: Certainty) -> Number:
    """How much probability do wrong predictions claim?"""
    return total(s.misplaced) / total(s.weight)


@measure(
    symbol="Spherical",
    title="Spherical score",
    aliases=("spherical_score",),
    formula=r"\frac{1}{W}\sum_i w_i \frac{p_{i,y_i}}{\|p_i\|_2}",
    range=(0, 1),
    best=1,
    cite="gneiting2007",
    between_orders=True,
    **FORECASTS,
)
def spherical_probability_score(s: Certainty) -> Number:
    """How close is the direction of the probability vector to the truth?"""
    return total(s.spherical) / total(s.weight)


@measure(
    symbol="BS",
    title="Brier score of a class",
    aliases=("brier_of_class", "half_brier"),
    formula=r"\frac{1}{W}\sum_n w_n (y_n - x_n)^2",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    cite="brier1950",
    either_class=True,
    between_orders=True,
    **FORECASTS_OF_A_CLASS,
)
def brier_score_of_class(g: Segments) -> Number:
    """How far are the forecasts of the class from what happened?"""
    return (g.deviation + g.refinement) / g.weight.sum(axis=-1, keepdims=True)


@measure(
    symbol="UNC",
    title="Uncertainty of the Brier score",
    aliases=("uncertainty",),
    formula=r"\pi(1 - \pi)",
    range=(0, 0.25),
    range_at=(0, 0.25),
    best=None,
    traits={FREQUENCIES},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="murphy1973",
    classwise=True,
    either_class=True,
    between_orders=True,
)
def brier_uncertainty(g: Segments) -> Number:
    """How hard to forecast is the class, judged from its frequency?"""
    return g.weight * rest_of(g.weight) / g.weight.sum(axis=-1, keepdims=True) ** 2


@measure(
    symbol="REL",
    title="Reliability of the Brier score",
    aliases=("reliability",),
    formula=r"\frac{1}{W}\sum_g w_g (y_g - o_g)^2",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0,
    cite="murphy1973",
    either_class=True,
    remarks=(Remark(f"just the squared error (BS) {NO_GROUPS}", no_mixed_group, convention=False),),
    between_orders=True,
    **FORECASTS_OF_A_CLASS,
)
def brier_reliability(g: Segments) -> Number:
    """How far are forecasts from the frequency of the class where they are made?"""
    return g.deviation / g.weight.sum(axis=-1, keepdims=True)


@measure(
    symbol="RES",
    title="Resolution of the Brier score",
    aliases=("resolution",),
    formula=r"\frac{1}{W}\sum_g w_g (o_g - \pi)^2",
    range=(0, 0.25),
    range_at=(0, 0.25),
    best=0.25,
    chance=0,
    traits={RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE, EMPTY_CLASS},
    cite="murphy1973",
    classwise=True,
    either_class=True,
    between_orders=True,
)
def brier_resolution(g: Segments) -> Number:
    """How much does the frequency of the class differ between different forecasts?"""
    return np.maximum(brier_uncertainty.function(g) - g.refinement / g.weight.sum(axis=-1, keepdims=True), 0.0)


@measure(
    symbol="BSS",
    title="Brier skill score",
    aliases=("brier_skill_score",),
    formula=r"1 - BS / UNC = (RES - REL) / UNC",
    range=(-math.inf, 1),
    range_at=(-math.inf, 1),
    best=1,
    chance=0,
    cite="murphy1973",
    undefined=ONE_SIDE,
    either_class=True,
    between_orders=True,
    **FORECASTS_OF_A_CLASS,
)
def brier_skill(g: Segments) -> Number:
    """How much better are the forecasts than always naming the frequency of the class?"""
    unc = brier_uncertainty.function(g)
    return np.where(unc > 0, 1 - np.asarray(ratio(brier_score_of_class.function(g), unc)), np.nan)


@measure(
    symbol="DD",
    title="Discrimination slope",
    aliases=("discrimination_distance",),
    formula=r"E[y|x] - E[y|\bar x]",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="prati2011",
    undefined=ONE_SIDE,
    either_class=True,
    **FORECASTS_OF_A_CLASS,
)
def distance_of_means(p: ProbabilitySums) -> Number:
    """How much higher is the mean forecast of the class for its own cases than for others?"""
    own = np.diagonal(p.sums, axis1=-2, axis2=-1)
    columns = np.swapaxes(p.sums, -1, -2)
    others = np.diagonal(rest_of(columns), axis1=-2, axis2=-1)
    return np.asarray(ratio(own, p.weight)) - np.asarray(ratio(others, rest_of(p.weight)))


@measure(
    symbol="OVL",
    title="Overlap of the score distributions",
    aliases=("overlap",),
    formula=r"\sum_y \min(P(y|x), P(y|\bar x))",
    range=(0, 1),
    best=0,
    chance=1,
    cite="prati2011",
    undefined=ONE_SIDE,
    classwise=True,
    either_class=True,
    **ORDER,
)
def overlap_of_likelihoods(t: ScoreTable) -> Number:
    """How much do the forecasts for the class and for the rest have in common?"""
    own, rest = t.positive, t.negative
    own = np.asarray(ratio(own, own.sum(axis=-1, keepdims=True)))
    rest = np.asarray(ratio(rest, rest.sum(axis=-1, keepdims=True)))
    return np.minimum(own, rest).sum(axis=-1)
