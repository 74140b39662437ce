"""The score interval of an area: against quadrature, by hand, and in samples of strong models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import karat
from karat.intervals.area_interval import binormal_variance


def both_by_quadrature(area: float) -> float:
    """The probability that two cases of one side outrank one of the other: the mean of Phi(d + z) squared."""
    d = np.sqrt(2) * stats.norm.ppf(area)
    found, _ = integrate.quad(lambda z: stats.norm.cdf(d + z) ** 2 * stats.norm.pdf(z), -12, 12)
    return float(found)


@pytest.mark.parametrize("area", [0.5, 0.7, 0.93, 0.9985])
def test_the_variance_is_that_of_normal_scores(area: float) -> None:
    both = both_by_quadrature(area)
    expected = (area * (1 - area) + (9 + 39) * (both - area**2)) / (10 * 40)
    assert binormal_variance(area, 10, 40) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("seed", "wider"), [(1, True), (47, False)])
def test_ends_are_where_the_score_test_begins_to_reject(seed: int, wider: bool) -> None:
    """Where cases show more spread than normal scores have, it is theirs, by Student's t; else that of normal scores,
    which is known, by the normal distribution."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [40, 30])
    score = rng.normal(1.2 * y, 1)
    one = karat.evaluate(y, y_score=score).intervals("AUC")["AUC"]
    assert one.method == "score"
    wins = (score[y == 1][:, None] > score[y == 0]).astype(float)
    of_one, of_other = wins.mean(axis=1).var(ddof=1) / 30, wins.mean(axis=0).var(ddof=1) / 40
    seen = (of_one + of_other) / binormal_variance(wins.mean(), 30, 40)
    free = (of_one + of_other) ** 2 / (of_one**2 / 29 + of_other**2 / 39)
    by_cases, by_normal = stats.t.ppf(0.975, free) ** 2 * seen, stats.norm.ppf(0.975) ** 2
    assert (by_cases > by_normal) == wider

    def beyond(area: float) -> float:
        return float((wins.mean() - area) ** 2 - max(by_cases, by_normal) * binormal_variance(area, 30, 40))

    assert one.value == wins.mean()
    assert one.low == pytest.approx(optimize.brentq(beyond, 0.01, wins.mean()), abs=0.004)
    assert one.high == pytest.approx(optimize.brentq(beyond, wins.mean(), 0.9999), abs=0.004)


def test_areas_of_two_classes_are_one_and_have_one_interval() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [60, 25])
    p = 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1)))
    e = karat.evaluate(y, p, positive=1)
    auc, average = e.intervals("AUC")["AUC"], e.intervals("AUNU")["AUNU"]
    assert (average.low, average.high) == pytest.approx((auc.low, auc.high), abs=0.005)
    assert e.intervals("AUC", method="jackknife")["AUC"].method == "jackknife"


def test_a_strong_model_with_a_hundred_positive_cases_is_not_too_sure() -> None:
    """The jackknife on the logit held in 0.91: samples without a badly ranked case show too little spread."""
    truth = float(stats.norm.cdf(4 / np.sqrt(2)))
    y = np.repeat([1, 0], [100, 900])
    held = 0
    for seed in range(120):
        score = np.random.default_rng(seed).normal(4.0 * y, 1)
        one = karat.evaluate(y, y_score=score).intervals("AUC", seed=seed)["AUC"]
        held += one.low <= truth <= one.high
    assert held >= 111
