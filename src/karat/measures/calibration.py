"""Do probabilities mean what they say? Calibration by groups, windows, bins and isotonic regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.arithmetic import Array, Number, mean_over, ratio, total
from karat.core.measure import (
    CALIBRATION,
    DISTRIBUTION,
    EMPTY_CLASS,
    FREQUENCIES,
    MONOTONE,
    RANKING,
    RELABEL,
    SCALE,
    Remark,
    measure,
)
from karat.statistics import ClassBins, ConfidenceBins, ForecastTable, ScoreTable, Segments, Sequences, Windows
from karat.statistics.scans import window
from karat.statistics.score_table import table_by_table

FORECASTS: dict[str, Any] = {
    "traits": {CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    "invariant": {RELABEL, SCALE, EMPTY_CLASS},
}
FORECASTS_OF_A_CLASS = FORECASTS | {"classwise": True}
"""What most measures of probabilities claim; then those that count cases, and those of the order of the cases alone."""
COUNTED = FORECASTS | {"invariant": {RELABEL, EMPTY_CLASS}}
BEST_OF_THE_SAMPLE = (
    "it chooses the best thresholds on the same cases, so it is too high by chance, and below some thousand cases "
    "of each class such intervals hold the true value about 90 times in 100 instead of 95"
)
"""Of measures of maxima and hulls (docs/coverage.md)."""
ORDER: dict[str, Any] = {
    "traits": {RANKING, FREQUENCIES, DISTRIBUTION},
    "invariant": {RELABEL, SCALE, MONOTONE, EMPTY_CLASS},
}


def no_mixed_group(g: Segments) -> Array:
    """[..., k]: does hardly any group of equal probabilities hold cases of the class and others?"""
    return np.asarray((g.refinement <= MIXED * (g.deviation + g.refinement)) & (g.deviation > 0))


def no_mixed_groups(g: Segments) -> Array:
    """[...]: the same, over the classes that have cases."""
    there = g.weight > 0
    deviation, refinement = ((x * there).sum(axis=-1) for x in (g.deviation, g.refinement))
    return no_mixed_group(Segments(deviation, refinement, g.weight))


MIXED = 0.01
"""The share of the squared error within groups of equal probabilities, up to which the deviation of the groups is the
error of the single cases."""
NO_GROUPS = (
    "where hardly any cases of different classes have the same probability; it says nothing about calibration then"
)
AS_MSE = Remark(f"just the squared error (MSE) {NO_GROUPS}", no_mixed_groups, convention=False)
AS_SUM = Remark(f"just the squared error (MSE) times the cases {NO_GROUPS}", no_mixed_groups, convention=False)


@measure(
    symbol="CalL",
    title="Calibration loss",
    aliases=("calibration_loss",),
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{1}{W}\sum_g \sum_{i \in g} w_i (p_{ij} - \bar f_g)^2",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0,
    cite="flach2007",
    remarks=(AS_MSE,),
    between_orders=True,
    **FORECASTS,
)
def calibration_by_segments(g: Segments) -> Number:
    """How far are equal probabilities from the frequency of the class among the cases that got them?"""
    return ratio(g.sums.values, g.sums.present) / g.sums.weight


@measure(
    symbol="CalL_sum",
    title="Calibration loss, summed",
    formula=r"\frac{1}{c'}\sum_{j \in J} \sum_g \sum_{i \in g} w_i (p_{ij} - \bar f_g)^2",
    range=(0, np.inf),
    range_at=(0, np.inf),
    best=0,
    chance=0,
    cite="ferri2009",
    remarks=(AS_SUM,),
    between_orders=True,
    **COUNTED,
)
def calibration_by_segments_sum(g: Segments) -> Number:
    """What would the calibration loss be as printed, a sum that grows with the number of cases?"""
    return ratio(g.sums.values, g.sums.present)


@measure(
    symbol="CalB",
    title="Calibration by overlapping bins",
    aliases=("calibration_by_bins",),
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{1}{m-s+1}\sum_{b=1}^{m-s+1} \frac{1}{s}\sum_{i \in b}"
    r" |p_{ij} - \bar f_b|,\quad s = \max(1, \lfloor m/10 \rfloor)",
    range=(0, 1),
    best=0,
    chance=0,
    cite="caruana2004",
    **COUNTED,
)
def calibration_by_windows(w: Windows) -> Number:
    """How far are probabilities from the frequency of the class among cases with similar ones?"""
    return ratio(w.sums.values, w.sums.present)


def _windows(s: Sequences) -> tuple[Array, Array, int]:
    """Starts of all windows; the share of the class in each; their size."""
    n = s.x.shape[-1]
    size = window(n)
    hits = np.concatenate([np.zeros((*s.hit.shape[:-1], 1)), np.cumsum(s.hit, axis=-1)], axis=-1)
    start = np.arange(n - size + 1)
    return start, (hits[..., start + size] - hits[..., start]) / size, size


@measure(
    symbol="CalB_printed",
    title="Calibration by overlapping bins, as printed",
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{1}{m-s}\sum_{b=1}^{m-s} \sum_{i \in b} |p_{ij} - \bar f_b|",
    range=(0, np.inf),
    best=0,
    chance=0,
    cite="ferri2009",
    undefined="there are as few cases as one window holds",
    **COUNTED,
)
def calibration_by_windows_printed(s: Sequences) -> Number:
    """What would the calibration by bins be as printed, without the last window and the mean within windows?"""
    start, share, size = _windows(s)
    error = np.zeros(s.x.shape[:-1])
    for b in start[:-1]:
        error += np.abs(s.x[..., b : b + size] - share[..., b, None]).sum(axis=-1)
    return mean_over(np.asarray(ratio(error, float(len(start) - 1))), s.weight > 0)


@measure(
    symbol="CalB_consecutive",
    title="Calibration by consecutive bins",
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{1}{B}\sum_{b} \frac{1}{|b|}\sum_{i \in b} |p_{ij} - \bar f_b|",
    range=(0, 1),
    best=0,
    chance=0,
    cite="ferri2009",
    **COUNTED,
)
def calibration_by_consecutive_bins(s: Sequences) -> Number:
    """How far are probabilities from the frequency of the class in bins that do not overlap?"""
    n = s.x.shape[-1]
    size = window(n)
    starts = range(0, n, size)
    error = np.zeros(s.x.shape[:-1])
    for b in starts:
        share = s.hit[..., b : b + size].mean(axis=-1, keepdims=True)
        error += np.abs(s.x[..., b : b + size] - share).mean(axis=-1)
    return mean_over(error / len(starts), s.weight > 0)


@measure(
    symbol="CalB_caruana",
    title="Calibration of overlapping bin means",
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{1}{m-s+1}\sum_{b=1}^{m-s+1} |\bar p_b - \bar f_b|",
    range=(0, 1),
    best=0,
    chance=0,
    cite="caruana2004",
    **COUNTED,
)
def calibration_of_window_means(s: Sequences) -> Number:
    """How far is the mean probability from the frequency of the class among cases with similar ones?"""
    start, share, size = _windows(s)
    sums = np.concatenate([np.zeros((*s.x.shape[:-1], 1)), np.cumsum(s.x, axis=-1)], axis=-1)
    mean = (sums[..., start + size] - sums[..., start]) / size
    return mean_over(np.abs(mean - share).mean(axis=-1), s.weight > 0)


def _gaps(bins: ConfidenceBins | ClassBins) -> Array:
    """|mean forecast - frequency| in each bin, 0 in an empty one."""
    return np.asarray(np.abs(ratio(bins.forecast - bins.hits, bins.weight, otherwise=0.0)))


@measure(
    symbol="ECE",
    title="Expected calibration error",
    aliases=("expected_calibration_error",),
    formula=r"\sum_{w_b > 0} \frac{w_b}{W} |conf_b - acc_b|",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0,
    cite="guo2017",
    **FORECASTS,
)
def confidence_calibration_error(b: ConfidenceBins) -> Number:
    """How far is confidence in the most probable class from accuracy, in ten bins?"""
    return total(b.weight * _gaps(b)) / total(b.weight)


@measure(
    symbol="MCE",
    title="Maximum calibration error",
    aliases=("maximum_calibration_error",),
    formula=r"\max_{w_b > 0} |conf_b - acc_b|",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0,
    cite="guo2017",
    **FORECASTS,
)
def worst_confidence_calibration_error(b: ConfidenceBins) -> Number:
    """How far is confidence in the most probable class from accuracy, in the worst of ten bins?"""
    return _gaps(b).max(axis=-1)


@measure(
    symbol="cwECE",
    title="Classwise calibration error",
    aliases=("classwise_ece", "static_calibration_error"),
    formula=r"\frac{1}{c}\sum_j \sum_{w_{bj} > 0} \frac{w_{bj}}{W} |\bar p_{bj} - \bar f_{bj}|",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0,
    traits={CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE},
    cite="kull2019",
)
def classwise_calibration_error(b: ClassBins) -> Number:
    """How far are the probabilities of a class from its frequency, in ten bins, on average over the classes?"""
    errors = (b.weight * _gaps(b)).sum(axis=-1) / b.weight.sum(axis=-1)
    return total(errors) / errors.shape[-1]


@measure(
    symbol="MCB",
    title="Miscalibration",
    aliases=("miscalibration",),
    formula=r"BS - BS(\text{isotonic})",
    range=(0, 1),
    best=0,
    chance=0,
    cite="dimitriadis2021",
    either_class=True,
    **FORECASTS_OF_A_CLASS,
)
@table_by_table
def corp_miscalibration(t: ForecastTable) -> Number:
    """How much would the Brier score gain if the forecasts were recalibrated?"""
    w = t.positive + t.negative
    brier = (t.positive * (1 - t.scores) ** 2 + t.negative * t.scores**2).sum() / w.sum()
    return max(brier - _recalibrated(t), 0.0)


@measure(
    symbol="DSC",
    caution=BEST_OF_THE_SAMPLE,
    title="Discrimination",
    aliases=("discrimination",),
    formula=r"UNC - BS(\text{isotonic})",
    range=(0, 0.25),
    best=0.25,
    chance=0,
    cite="dimitriadis2021",
    classwise=True,
    either_class=True,
    between_orders=True,
    **ORDER,
)
@table_by_table
def corp_discrimination(t: ScoreTable) -> Number:
    """How much better than the frequency of the class are the forecasts, once recalibrated?"""
    share = t.positive.sum() / (t.positive.sum() + t.negative.sum())
    return max(share * (1 - share) - _recalibrated(t), 0.0)


def _recalibrated(t: ScoreTable) -> float:
    """The Brier score after isotonic regression."""
    w = t.positive + t.negative
    x = t.isotonic
    return float((t.positive * (1 - x) ** 2 + t.negative * x**2).sum() / w.sum())
