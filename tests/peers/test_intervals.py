"""Stored answers of pROC about how uncertain areas are."""

from __future__ import annotations

from typing import Any

import pytest

import karat
from karat.comparisons import delong_paired, delong_unpaired
from karat.comparisons.binormal import obuchowski_variance
from karat.comparisons.delong import variance
from peers import load, stored

SCORES = ["s100b", "ndka", "wfns"]


def evaluated(score: str) -> Any:
    data = load("curves/proc_asah.json")["data"]
    return karat.evaluate(data["outcome_poor"], y_score=data[score])


@stored
@pytest.mark.parametrize("score", SCORES)
def test_intervals_of_areas(score: str) -> None:
    said = load("curves/proc_asah.json")["curves"][score]
    e = evaluated(score)
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
