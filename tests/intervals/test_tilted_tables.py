"""Intervals of measures of decisions that few cases carry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import karat
from karat.intervals.tilted_tables import TiltedTables
from karat.measures import find
from karat.measures.value import MeasureOf


def mid_p_ends(right: int, of: int) -> tuple[float, float]:
    """The shares at which so many right, or more (fewer), have a probability of 1/40, those seen counting half."""
    shares = np.linspace(1e-6, 1 - 1e-6, 200_001)
    more = binom.sf(right, of, shares) + binom.pmf(right, of, shares) / 2
    return float(shares[more >= 0.025][0]), float(shares[more <= 0.975][-1])


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("table", [[[40, 3], [2, 15]], [[9, 1], [3, 7]], [[20, 10], [12, 22]]])
def test_of_a_share_it_is_the_exact_interval(table: list[list[int]], fixed: bool) -> None:
    """Of accuracy the way along which it changes most is the one of all shares; with fixed classes it is a little less
    wide, as each class has its own share."""
    counts = np.array(table, float)
    tilted = TiltedTables(counts, fixed, 4000, 1)
    right, of = int(np.trace(counts)), int(counts.sum())
    exact = mid_p_ends(right, of)
    for side, end in zip((-1, 1), exact, strict=True):
        mine = tilted.end(MeasureOf(find("Acc"), None, "Acc"), right / of, side, 0.025)
        assert mine == pytest.approx(end, abs=0.01 if not fixed else 0.015)
        assert fixed or (mine - right / of) * side > 0


def test_hardly_any_error_need_not_make_an_interval_useless() -> None:
    """Two errors of a hundred: MCC was said to lie between 0.64 and 1, by Student's t with two degrees of
    freedom."""
    e = karat.evaluate_matrix([[48, 2], [0, 50]])
    one, wide = (e.intervals("MCC", method=method)["MCC"] for method in ("auto", "jackknife"))
    assert one.method == "tilted"
    assert 0.85 < one.low < 0.92 < one.value < one.high < 1
    assert wide.high - wide.low > 3 * (one.high - one.low)
    share = karat.evaluate_matrix([[48, 2], [0, 50]]).intervals("Acc")["Acc"]  # MCC is about 2 Acc - 1 here
    assert one.low == pytest.approx(2 * share.low - 1, abs=0.04)


@pytest.mark.parametrize(
    ("symbol", "cells"),
    [
        ("MCC", [[0.036, 0.014], [0.008, 0.942]]),
        ("MAvG", [[0.036, 0.014], [0.008, 0.942]]),
        ("KapS", [[0.49, 0.01], [0.01, 0.49]]),
        ("MFM", [[0.035, 0.01, 0.005], [0.005, 0.45, 0.02], [0.005, 0.02, 0.45]]),
    ],
)
def test_it_holds_what_it_should(symbol: str, cells: list[list[float]]) -> None:
    """100 cases of a known population, five of a class, or with two errors: 150 samples."""
    shares, rng = np.array(cells), np.random.default_rng(17)
    truth = karat.evaluate_matrix(1000 * shares)[symbol]
    above = below = samples = 0
    while samples < 150:
        table = rng.multinomial(100, shares.ravel()).reshape(shares.shape)
        if (table.sum(axis=1) == 0).any():
            continue
        samples += 1
        one = karat.evaluate_matrix(table).intervals(symbol, replicates=300)[symbol]
        assert one.low == one.low
        above, below = above + (one.low > truth), below + (one.high < truth)
    assert above <= 13  # 3.75 are due on each side, 7.5 where nothing can be missed on the other
    assert below <= 13


def test_every_class_counts_however_few_of_its_cases_there_are() -> None:
    """A class with three cases, all right: its recall may well be 0.4 (and so the geometric mean of all of them)."""
    one = karat.evaluate_matrix([[3, 0], [2, 95]]).intervals("MAvG")["MAvG"]
    assert 0.5 < one.low < 0.7  # the root of 0.37 (of three: 0.025 to the third, ties half) is 0.61
    assert one.high > one.value


def test_where_no_sample_can_miss_on_the_other_side_both_tails_are_on_this_one() -> None:
    """Two of five cases of a class are found, and all others: 0 of 5 are so frequent in populations of a small recall
    that their interval never ends below it. The lower end held in 0.99 and more; it is where two or more of five have
    a probability of a twentieth, ties half, not of a fortieth."""
    one = karat.evaluate_matrix([[2, 3], [0, 395]]).intervals("MAvA", replicates=4000)["MAvA"]
    shares = np.linspace(1e-6, 1 - 1e-6, 200_001)
    more = binom.sf(2, 5, shares) + binom.pmf(2, 5, shares) / 2
    end, plain = (float(shares[more >= tail][0]) for tail in (0.05, 0.025))
    assert one.low == pytest.approx((end + 1) / 2, abs=0.01)
    assert end - plain > 0.03
    assert 2 * one.high - 1 > 0.75  # five of five are not frequent there


def test_disorder_of_a_hundred_cases_of_three_classes_is_drawn() -> None:
    """Student's t of three degrees of freedom made NIT of a strong model hold in 0.994."""
    e = karat.evaluate_matrix([[4, 1, 0], [0, 46, 2], [0, 2, 45]])
    for symbol in ("NIT", "RCI", "EMA", "CEN"):
        one, wide = (e.intervals(symbol, method=method)[symbol] for method in ("auto", "jackknife"))
        assert one.method == "tilted"
        assert one.high - one.low < wide.high - wide.low


def test_samples_without_a_class_do_not_count() -> None:
    """A macro F1 of five cases of a class reached down to 0.42, below that of a model that never predicts it: samples
    that lack the class have a high one."""
    one = karat.evaluate_matrix([[5, 0], [3, 92]]).intervals("MFM")["MFM"]
    assert 0.65 < one.low < 0.78


def test_an_end_of_the_range_is_the_end_of_the_interval() -> None:
    one = karat.evaluate_matrix([[0, 5], [0, 95]]).intervals("MAvG")["MAvG"]
    assert one.low == one.value == 0
    assert 0.5 < one.high < 0.8


def test_disorder_of_a_sparse_table_is_left_to_cases() -> None:
    """Tables drawn from a sparse one are more mixed than the true one: NIT of 10 classes, 100 cases, held in 0.4."""
    rng = np.random.default_rng(3)
    y = np.arange(100) % 10
    e = karat.evaluate(y, y_pred=np.where(rng.random(100) < 0.9, y, rng.integers(0, 10, 100)), labels=range(10))
    found = e.intervals(["NIT", "RCI", "MCC"])
    assert found["MCC"].method == "tilted"
    assert found["NIT"].method != "tilted"
    assert found["RCI"].method != "tilted"


def test_drawn_tables_are_the_same_whatever_else_is_asked_for() -> None:
    table = [[5, 1], [3, 41]]
    alone = karat.evaluate_matrix(table).intervals("MCC", seed=4)["MCC"]
    among = karat.evaluate_matrix(table).intervals(["KapS", "MAvG", "MCC"], seed=4)["MCC"]
    assert (alone.low, alone.high) == (among.low, among.high)
    other = karat.evaluate_matrix(table).intervals("MCC", seed=5)["MCC"]
    assert 0 < abs(other.low - alone.low) < 0.05


def test_fixed_classes_of_which_one_has_no_case() -> None:
    """With class frequencies that are given, the row of such a class stays empty."""
    table = np.zeros((3, 3))
    table[:2, :2] = [[190, 3], [4, 180]]
    one = karat.evaluate_matrix(table, labels=[0, 1, 2]).intervals("MCC", stratified=True)["MCC"]
    assert math.isfinite(one.low)
    assert one.low < one.value < one.high


@pytest.mark.parametrize("predicted", [[1, 1, 1, 1], [0, 1, 1, 0]])
def test_two_namings_that_are_as_good_leave_no_interval(predicted: list[int]) -> None:
    """Accuracy after the best naming is at least 1/2 of two classes: 0.5 [0.5, 0.5] was given, without a word."""
    for times in (1, 10):
        e = karat.evaluate([0, 1, 0, 1] * times, y_pred=predicted * times, labels=[0, 1], positive=1)
        one = e.intervals("AccRelabel")["AccRelabel"]
        assert math.isnan(one.low)
        assert "its uncertainty is unknown" in one.reason


def test_no_interval_of_few_cases_is_a_point() -> None:
    """Whatever is seen of two or three classes: an interval has a width, or there is none, and a reason."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        k, n = int(rng.integers(2, 4)), int(rng.integers(4, 31))
        y = np.resize(np.arange(k), n - n % k)
        p = np.full(len(y), rng.integers(k)) if rng.random() < 0.5 else rng.integers(0, k, len(y))
        e = karat.evaluate(y, y_pred=p, labels=list(range(k)), **({"positive": 1} if k == 2 else {}))
        for key, one in e.intervals("all", replicates=100, **({"classes": "all"} if k > 2 else {})).items():
            assert one.low < one.high or (math.isnan(one.low) and one.reason), (key, y, p)


@pytest.mark.parametrize("n", [20, 40])
def test_beyond_where_another_naming_is_the_best_nothing_is_ruled_out(n: int) -> None:
    """Decisions at random: no interval of accuracy after the best naming held 1/2 (0 of 250 samples)."""
    rng = np.random.default_rng(3)
    found = [
        karat.evaluate_matrix(rng.multinomial(n, [0.25] * 4).reshape(2, 2)).intervals("AccRelabel", replicates=200)
        for _ in range(100)
    ]
    lows = [one["AccRelabel"].low for one in found if one["AccRelabel"].low == one["AccRelabel"].low]
    assert len(lows) > 60
    assert min(lows) == 0.5
    assert np.mean(np.array(lows) <= 0.5) > 0.87


def test_average_precision_near_its_best_value_has_the_interval_of_a_share() -> None:
    """A strong model, 100 cases, five of the class: the interval held in 0.997 to 1.000 of samples."""
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [5, 95])
    score = rng.normal(size=100) + 2.5 * y
    e = karat.evaluate(y, y_score=score, positive=1)
    assert 0.5 < e["AP"] < 1
    one, logit = (e.intervals("AP", method=method)["AP"] for method in ("auto", "jackknife"))
    assert one.method == "score"
    assert logit.low < one.low < one.value < one.high < logit.high
