"""Stored answers of pROC about how uncertain areas are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import karat
from karat.conformance.stored import answers_of, stored_data
from karat.intervals.delong import delong_paired, delong_unpaired, variance
from karat.statistics import ScoreTable
from peers import load, stored

SCORES = ["s100b", "ndka", "wfns"]


def obuchowski_variance(table: ScoreTable) -> float:
    """By Obuchowski & McClish (1997), as pROC computes it: the curve's parameters from a least-squares line through its
    points on normal axes (specificity on sensitivity), and without the covariance of the two parameters. nan with
    fewer than two points inside."""
    with np.errstate(invalid="ignore"):
        fpr, tpr = table.rates
        x, y = ndtri(tpr), ndtri(1 - fpr)
    inside = np.isfinite(x) & np.isfinite(y)
    if len(set(x[inside].tolist())) < 2:
        return math.nan
    x, y = x[inside], y[inside]
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    start = float(y.mean() - slope * x.mean())
    own, others = float(table.positive.sum()), float(table.negative.sum())
    kappa, spread = others / own, 1 + slope**2
    height = math.exp(-(start**2) / (2 * spread)) / math.sqrt(2 * math.pi * spread)
    tilt = -height * start * slope / spread
    start_variance = 1 + slope**2 / kappa + start**2 / 2
    slope_variance = slope**2 * (1 + kappa) / (2 * kappa)
    return (height**2 * start_variance + tilt**2 * slope_variance) / own


def evaluated(score: str) -> Any:
    data = load("curves/proc_asah.json")["data"]
    return karat.evaluate(data["outcome_poor"], y_score=data[score])


@pytest.mark.parametrize("score", SCORES)
def test_intervals_of_areas(score: str) -> None:
    said, data = answers_of(f"asah_{score}", "pROC"), stored_data()[f"asah_{score}"]
    times = [*data.own, *data.others]
    truth, scores = np.repeat(np.repeat([1, 0], len(data.own)), times), np.repeat(np.tile(data.probabilities, 2), times)
    e = karat.evaluate(truth, y_score=scores)
    for key, level in (("ci_delong", 0.95), ("ci_delong_90", 0.9)):
        found = e.intervals("AUC", method="analytic", level=level)["AUC"]
        assert [found.low, found.value, found.high] == pytest.approx(said[key], abs=1e-12)
    assert variance(e.statistics.placements_of_class(1)) == pytest.approx(said["var_delong"], rel=1e-10)
    assert obuchowski_variance(e.statistics.table_of_class(1)) == pytest.approx(said["var_obuchowski"], rel=1e-10)


@stored
@pytest.mark.parametrize("pair", ["s100b_vs_ndka", "s100b_vs_wfns", "ndka_vs_wfns"])
def test_tests_of_two_areas(pair: str) -> None:
    said = load("curves/proc_asah.json")["tests"][pair]
    one, other = (evaluated(score).statistics.source for score in pair.split("_vs_"))
    found = delong_paired(one, other)
    assert found.statistic == pytest.approx(said["paired_Z"], abs=1e-10)
    assert found.p == pytest.approx(said["paired_p"], abs=1e-10)
    assert [found.low, found.high] == pytest.approx(said["paired_conf"], abs=1e-10)
    assert found.covariance == pytest.approx(said["cov_delong"], abs=1e-14)
    found = delong_unpaired(one, other)
    assert found.statistic == pytest.approx(said["unpaired_D"], abs=1e-10)
    assert found.freedom == pytest.approx(said["unpaired_df"], abs=1e-8)
    assert found.p == pytest.approx(said["unpaired_p"], abs=1e-10)
