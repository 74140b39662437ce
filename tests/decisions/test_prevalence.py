"""Every measure at other class frequencies."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from cases import probabilities
from costly import scored
from karat.data import InputError


def test_restated_measures_are_those_of_repeated_cases() -> None:
    rng = np.random.default_rng(6)
    y, p = np.repeat([0, 1, 2], [10, 20, 30]), probabilities(rng, 60, 3)
    restated = karat.evaluate(y, p).at_prevalence({0: 0.5, 1: 0.25, 2: 0.25})
    times = np.array([6, 1.5, 1])[y] * 2  # 120, 60, 60
    repeated = karat.evaluate(np.repeat(y, times.astype(int)), np.repeat(p, times.astype(int), axis=0))
    for symbol, value in restated.values().items():
        if symbol == "CalB":
            assert math.isnan(value)
            assert "weights" in restated.why("CalB")
        else:
            assert value == pytest.approx(repeated[symbol], abs=1e-12), symbol


def test_prior_free_measures_stay_and_precision_follows_bayes() -> None:
    y, p = scored()
    e = karat.evaluate(y, p)
    there = e.at_prevalence(0.02)
    for symbol in ("TPR", "FPR", "AUC", "MAvA"):
        assert there[symbol] == pytest.approx(e[symbol])
    assert there["Prev"] == pytest.approx(0.02)
    assert there["PPV"] == pytest.approx(0.02 * e["TPR"] / (0.02 * e["TPR"] + 0.98 * e["FPR"]))


def test_matrices_and_weights_are_restated() -> None:
    e = karat.evaluate_matrix([[8, 2], [5, 15]], labels=["a", "b"])
    there = e.at_prevalence({"a": 0.9})
    assert there["Acc"] == pytest.approx(0.9 * 0.8 + 0.1 * 0.75)
    y, p = scored()
    w = np.random.default_rng(1).random(60)
    both = karat.evaluate(y, p, sample_weight=w).at_prevalence(0.5)
    assert both["MSE"] == pytest.approx(
        0.5 * np.average((p[y == 1] - 1) ** 2, weights=w[y == 1]) + 0.5 * np.average(p[y == 0] ** 2, weights=w[y == 0])
    )
    gone = karat.evaluate([0, 1, 2], y_pred=[0, 1, 1]).at_prevalence({0: 0.5, 1: 0.5, 2: 0})
    assert gone["Acc"] == 1
    with pytest.raises(InputError, match="has no case"):
        karat.evaluate([0, 1], y_pred=[0, 1], labels=[0, 1, 2]).at_prevalence({0: 0.3, 1: 0.3, 2: 0.4})
