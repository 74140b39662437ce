"""Where every case says the same: no interval is a point, whatever method is asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.intervals.interval import METHODS

SHOWN = ("AUC", "F1", "MCC", "EMA", "AUNU", "macro(F1)", "KapS", "CEN")


def perfect(n: int, k: int = 2) -> karat.Evaluation:
    y = np.arange(n) % k
    p = np.full((n, k), 0.1 / (k - 1))
    p[np.arange(n), y] = 0.9
    return karat.evaluate(y, p, positive=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [4, 12])
@pytest.mark.parametrize("options", [{}, {"stratified": True}])
def test_all_right_on_few_cases_is_not_sure(n: int, method: str, options: dict[str, Any]) -> None:
    for symbol, one in perfect(n).intervals(SHOWN, method=method, **options).items():
        assert one.reason, symbol
        if symbol == "CEN":
            assert math.isnan(one.high) or one.high > 0.05
        else:
            assert math.isnan(one.low) or one.low < 0.95, symbol
        assert math.isnan(one.low) or one.low <= one.value <= one.high


@pytest.mark.parametrize("method", ["auto", "percentile", "basic", "bca"])
def test_groups_that_are_all_right_are_as_many_as_there_are(method: str) -> None:
    """Five groups of ten say no more than five cases."""
    one = perfect(50).intervals("Acc", groups=np.arange(50) // 10, method=method)["Acc"]
    assert (one.low, one.high) == pytest.approx((0.025 ** (1 / 5), 1))


def test_the_bound_of_accuracy_is_that_of_clopper_and_pearson() -> None:
    for n in (6, 12, 40):
        one = perfect(n).intervals("Acc", method="bca")["Acc"]
        ends = stats.binomtest(n, n).proportion_ci(0.95, "exact")
        assert (one.low, one.high) == pytest.approx((ends.low, ends.high))
        assert one.method == "exact bound"


def test_the_bound_of_a_measure_is_its_value_for_so_many_errors() -> None:
    """MCC of ten cases, five of each class: the worst of the tables with an exact share of one kind of error."""
    in_class, in_all = 1 - 0.025 ** (1 / 5), 1 - 0.025 ** (1 / 10)
    tables = [
        [[5 - 5 * in_class, 5 * in_class], [0, 5]],
        [[5, 0], [5 * in_class, 5 - 5 * in_class]],
        [[5 - 5 * in_all, 5 * in_all], [5 * in_all, 5 - 5 * in_all]],
    ]

    def mcc(t: Any) -> float:
        (a, b), (c, d) = t
        return float((a * d - b * c) / math.sqrt((a + b) * (c + d) * (a + c) * (b + d)))

    assert perfect(10).intervals("MCC")["MCC"].low == pytest.approx(min(mcc(t) for t in tables))


def test_the_bound_covers_models_that_err_rarely() -> None:
    """A ranking that is perfect on most samples: whatever the share of low positives, samples without one are few
    enough, or the bound is below the truth."""
    rng = np.random.default_rng(0)
    for share in (0.02, 0.1, 0.3):
        held = 0
        for _ in range(200):
            y = np.arange(20) % 2
            low = (y == 1) & (rng.random(20) < share)
            score = np.where(low, -1.0, y) + rng.random(20) / 10
            one = karat.evaluate(y, y_score=score).intervals("AUC", method="jackknife")["AUC"]
            held += math.isnan(one.low) or one.low <= 1 - share <= one.high
        assert held >= 186, share  # .93


def test_a_measure_between_the_ends_of_its_range_has_no_bound() -> None:
    constant = karat.evaluate([0, 1] * 10, [0.5] * 20, positive=1).intervals(["AUC", "MSE"])
    for symbol in ("AUC", "MSE"):
        assert math.isnan(constant[symbol].low)
        assert "so its uncertainty is unknown" in constant[symbol].reason


def test_weights_leave_no_count_to_be_exact_about() -> None:
    y = np.arange(12) % 2
    e = karat.evaluate(y, np.where(y, 0.9, 0.1), positive=1, sample_weight=np.linspace(1, 2, 12))
    for symbol, one in e.intervals(["MCC", "AUC", "Acc"]).items():
        assert math.isnan(one.low), symbol
        assert one.reason


@pytest.mark.parametrize("method", ["auto", "jackknife", "bca"])
def test_a_class_in_two_groups_says_no_more_than_two_cases(method: str) -> None:
    y = np.r_[np.ones(20), np.zeros(180)].astype(int)
    groups = np.r_[np.repeat([0, 1], 10), np.repeat(np.arange(2, 20), 10)]
    found = karat.evaluate(y, np.where(y, 0.9, 0.1), positive=1).intervals(
        ["AUC", "TPR", "TNR", "Acc"], groups=groups, method=method
    )
    for symbol in ("AUC", "TPR"):
        assert (found[symbol].low, found[symbol].high) == pytest.approx((0.025 ** (1 / 2), 1))
    assert found["TNR"].low == pytest.approx(0.025 ** (1 / 18))
    assert found["Acc"].low == pytest.approx(0.025 ** (1 / 20))


def test_disorder_may_be_largest_with_fewer_errors_than_may_be_there() -> None:
    """Of a class with two cases 84 % may be wrong, and half of them make more disorder than all."""
    table = np.diag([2.0, 48.0])
    high = karat.evaluate_matrix(table).intervals("rCEN")["rCEN"].high
    for share in (0.1, 0.3, 0.42, 0.6, 0.84):
        other = table + np.array([[-2 * share, 2 * share], [0, 0]])
        assert karat.evaluate_matrix(other)["rCEN"] <= high + 0.02


def test_a_rare_class_may_be_more_frequent_than_it_was() -> None:
    """One case of fifty, and no error: 5 % of such cases, half of them mistaken, would show this in every fifth sample.
    The bound had 0.908 for the EMA of that."""
    one = karat.evaluate_matrix([[1, 0], [0, 49]]).intervals("EMA")["EMA"]
    for share, mistaken in ((0.05, 0.5), (0.03, 0.9)):
        assert 50 * share * (1 - share) ** 49 * (1 - mistaken) > 0.025  # one case of it, which is right
        table = 1e6 * np.array([[share * (1 - mistaken), share * mistaken], [0, 1 - share]])
        assert one.low <= karat.evaluate_matrix(table)["EMA"]
    fixed = karat.evaluate_matrix([[1, 0], [0, 49]]).intervals("EMA", stratified=True)["EMA"]
    assert fixed.low > one.low  # frequencies that are given do not vary
    assert karat.evaluate_matrix([[1, 0], [0, 49]]).intervals("Acc", method="bca")["Acc"].low == pytest.approx(
        0.025 ** (1 / 50)
    )


def test_a_measure_without_a_largest_value_has_a_bound_of_errors_too() -> None:
    """All of 20 cases right: of those that may be wrong (Clopper & Pearson) the transformed MCC is that of a table."""
    y = np.arange(20) % 2
    one = karat.evaluate(y, y_pred=y).intervals(["tMCC"])["tMCC"]
    share = 1 - 0.025 ** (1 / 20)
    both = 10 * np.array([[1 - share, share], [share, 1 - share]])
    assert one.value == one.low == 0
    assert one.high >= karat.evaluate_matrix(both)["tMCC"] - 1e-12
    assert one.high < 0.6
