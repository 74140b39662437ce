"""What so few cases can't support says why; what they can, covers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

import karat
from karat.intervals.interval_ends import beyond_bend, studentised
from karat.resampling.influence import Influence

Array = Any


def sample(n: int, k: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.5
    p = np.exp(z)
    return y, p / p.sum(axis=1, keepdims=True)


def test_a_small_class_says_so() -> None:
    y, p = sample(40, 2)
    y[:] = 0
    y[:3] = 1
    e = karat.evaluate(y, p, positive=1)
    for symbol, method in (("AUC", "auto"), ("MAvA", "jackknife"), ("F2", "jackknife")):
        one = e.intervals(symbol, method=method)[symbol]
        assert math.isnan(one.low), symbol
        assert one.reason == "a class has only 3 cases; at least 5 of each are needed"
    for symbol in ("MAvA", "F2"):  # of decisions, drawn tables tell what three cases may have missed
        one = e.intervals(symbol)[symbol]
        assert one.low < one.value < one.high
        assert one.high - one.low > 0.4
    y[1:3] = 0
    assert "only 1 case; at least 5" in karat.evaluate(y, p, positive=1).intervals("AUC")["AUC"].reason


@pytest.mark.parametrize("method", ["auto", "jackknife", "analytic", "percentile"])
def test_a_perfect_ranking_needs_as_many_cases_of_a_class_as_any_other(method: str) -> None:
    """With fewer than five, intervals were given of perfect rankings alone, which could not miss: of those given,
    average precision of a strong model, 5 of 100 cases positive, held in 0.993."""
    for few in (2, 4, 5):
        y = np.repeat([1, 0], [few, 95])
        e = karat.evaluate(y, np.where(y == 1, 0.6, 0.1) + np.linspace(0, 0.2, len(y)), positive=1)
        for symbol in ("AUC", "AP") if method != "analytic" else ("AUC",):
            one = e.intervals(symbol, method=method)[symbol]
            assert one.value == 1
            if few < 5:
                assert one.reason == f"a class has only {few} cases; at least 5 of each are needed"
            else:
                assert (one.low, one.high) == (pytest.approx(0.025 ** (1 / 5)), 1)
        assert e.intervals("MCC")["MCC"].low > 0  # of decisions tables tell


@pytest.mark.parametrize("n", [4, 8])
def test_a_perfect_ranking_of_a_handful_of_cases_has_a_bound(n: int) -> None:
    y = np.arange(n) % 2
    one = karat.evaluate(y, np.where(y == 1, 0.6, 0.1) + np.linspace(0, 0.2, n), positive=1).intervals("AUC")["AUC"]
    assert 0 < one.low < 0.6
    assert one.high == 1
    assert "bound" in one.reason


def test_a_class_without_cases_says_so() -> None:
    y, p = sample(40, 2)
    p = np.column_stack([p * 0.9, np.full(40, 0.1)])
    e = karat.evaluate(y, p, labels=[0, 1, 2])
    for symbol in ("EMA", "MSE", "MCC"):
        one = e.intervals(symbol)[symbol]
        assert math.isnan(one.low)
        assert "no case of class 2" in one.reason
    assert e.intervals("Acc")["Acc"].low > 0  # a rate of the cases there are


def test_a_posterior_of_many_kinds_of_error_is_refused_for_measures_of_disorder() -> None:
    """EMA of 8 classes, 300 cases, was held in a tenth of the samples, without a word."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, 300)
    e = karat.evaluate(y, y_pred=np.where(rng.random(300) < 0.6, y, rng.integers(0, 8, 300)))
    for symbol in ("EMA", "CEN", "NIT"):
        one = e.intervals(symbol, method="bayes")[symbol]
        assert math.isnan(one.low)
        assert "more mixed than the true one" in one.reason
    assert e.intervals("MCC", method="bayes")["MCC"].low > 0.4
    two = karat.evaluate_matrix([[40, 9], [7, 44]])
    assert two.intervals("EMA", method="bayes")["EMA"].low > 0.3


def test_few_errors_of_many_kinds_say_so() -> None:
    table = np.diag([30.0] * 8)
    table[np.arange(8), (np.arange(8) * 3 + 1) % 8] += 4
    table[np.arange(8), (np.arange(8) * 5 + 3) % 8] += 2
    e = karat.evaluate_matrix(table)
    errors = int(table.sum() - np.trace(table))
    for symbol in ("EMA", "CEN"):
        one = e.intervals(symbol)[symbol]
        assert math.isnan(one.low)
        assert f"{errors} errors among 56 kinds of error" in one.reason
        assert f"may be too narrow: {errors} errors" in e.intervals(symbol, method="bca")[symbol].reason
        assert "more mixed than the true one" in e.intervals(symbol, method="bayes")[symbol].reason
    assert e.intervals("MCC")["MCC"].low > 0.5


def test_one_large_loss_makes_a_wide_interval() -> None:
    """Refusing it would leave the intervals of the samples that happen to lack a large loss, which are too low."""
    y, p = sample(60, 2)
    right = np.where(np.arange(60) == 7, 1e-9, 0.7 + np.arange(60) / 300)
    p = np.where(np.eye(2)[y] == 1, right[:, None], 1 - right[:, None])
    one = karat.evaluate(y, p).intervals("LogL")["LogL"]
    assert one.low < one.value / 4
    assert one.high > 4 * one.value


# --------------------------------------------------------------------------------------------------------- groups


def grouped(groups: int, each: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Groups differ in how well they are told apart."""
    ease, group = rng.normal(1.0, 0.8, groups), np.repeat(np.arange(groups), each)
    y = rng.integers(0, 2, groups * each)
    z = (2 * y - 1) * ease[group] + rng.normal(size=groups * each)
    return y, 1 / (1 + np.exp(-z)), group


@pytest.mark.parametrize("groups", [4, 10])
def test_few_groups_are_covered(groups: int) -> None:
    """Drawing groups again held the truth in .75 (4 groups) and .85 (10)."""
    shown, rng, samples = ("Acc", "LogL", "AUC"), np.random.default_rng(0), 200
    y, p, _ = grouped(100_000, 4, rng)
    truth = karat.evaluate(y, p, positive=1).values(shown)
    held, told = dict.fromkeys(shown, 0), dict.fromkeys(shown, 0)
    for _ in range(samples):
        y, p, group = grouped(groups, 20, rng)
        ends = karat.evaluate(y, p, positive=1, labels=[0, 1]).intervals(shown, groups=group)
        for symbol in shown:
            told[symbol] += ends[symbol].low == ends[symbol].low
            held[symbol] += ends[symbol].low <= truth[symbol] <= ends[symbol].high
    assert all(held[s] >= 0.9 * told[s] for s in shown), (held, told)
    assert all(told[s] >= 0.85 * samples for s in shown), told


@pytest.mark.parametrize("method", ["auto", "jackknife", "percentile", "basic", "bca"])
def test_one_two_or_three_groups_tell_too_little(method: str) -> None:
    y, p, _ = grouped(6, 10, np.random.default_rng(1))
    e = karat.evaluate(y, p, positive=1)
    for groups, says in (
        (1, "a single group has no variance"),
        (2, "2 groups are too few"),
        (3, "3 groups are too few"),
    ):
        for symbol in ("Acc", "LogL", "AUC"):
            one = e.intervals(symbol, groups=np.arange(60) % groups, method=method, replicates=99)[symbol]
            assert math.isnan(one.low)
            assert says in one.reason
    assert e.intervals("Acc", groups=np.arange(60) % 4, method=method, replicates=99)["Acc"].low > 0


def test_drawing_few_groups_again_says_that_it_may_miss() -> None:
    y, p, group = grouped(10, 20, np.random.default_rng(1))
    one = karat.evaluate(y, p, positive=1).intervals("MSE", groups=group, method="percentile", replicates=99)["MSE"]
    assert "only 10 groups" in one.reason
    y, p, group = grouped(40, 5, np.random.default_rng(1))
    assert not karat.evaluate(y, p).intervals("MSE", groups=group, method="percentile", replicates=99)["MSE"].reason


# ------------------------------------------------------------------------------------------- its own value, and Bayes


@pytest.mark.parametrize("method", ["auto", "percentile", "basic", "bca", "bayes"])
def test_no_interval_leaves_out_its_value_without_a_word(method: str) -> None:
    shown = ("Acc", "MCC", "EMA", "CEN", "NIT", "RCI", "LogL", "MSE", "AUNU", "ECE", "CalB", "macro(F1)")
    said = 0
    for seed in range(12):
        n, k = ((15, 3), (40, 3), (60, 8), (300, 8))[seed % 4]
        y, p = sample(n, k, seed)
        for symbol, one in karat.evaluate(y, p).intervals(shown, method=method, replicates=99).items():
            if one.low == one.low and not one.low <= one.value <= one.high:
                assert "bias" in one.reason or "sampling noise alone" in one.reason, symbol
                said += 1
    assert said or method not in ("percentile", "bca")  # such samples are among them


def test_an_interval_around_the_value_without_its_bias_says_so() -> None:
    shifted = Influence(0.9, np.full(100, -0.003) + np.tile([0.001, -0.001], 50), *unit_arrays(100))
    assert shifted.bias == pytest.approx(0.3)
    ends = studentised(shifted, 0.95, (0, 1))
    assert ends.low < 0.6 < ends.high < 0.9
    assert ends.reason.startswith(
        "the interval is around 0.600, the value corrected for its small-sample bias of 0.300"
    )


def unit_arrays(n: int) -> tuple[Array, Array, Array]:
    return np.full(n, 1 / n), np.ones(n), np.zeros(n, int)


def test_a_posterior_of_many_classes_is_not_its_prior() -> None:
    """Eight classes, 300 cases: a prior of .5 in each cell held the accuracy in .09 of the samples, and never its own
    value."""
    rng, k, held = np.random.default_rng(0), 8, 0
    shares = np.arange(k, 0, -1) / 36
    cells = shares[:, None] * np.where(np.eye(k) == 1, 0.8, 0.2 / (k - 1))
    for seed in range(200):
        table = rng.multinomial(300, cells.ravel()).reshape(k, k)
        e = karat.evaluate_matrix(table)
        one = e.intervals("Acc", method="bayes", replicates=400, seed=seed)["Acc"]
        assert one.low <= e["Acc"] <= one.high
        assert one.reason.startswith("prior: one case in all, half of it correct")
        held += one.low <= 0.8 <= one.high
    assert held >= 180


# ------------------------------------------------------------------------------------- what no method is known for

UNSUPPORTED = [m for m in karat.catalogue.measures.values() if m.statistic.unsupported]


@pytest.mark.parametrize("m", UNSUPPORTED, ids=lambda m: m.symbol)
def test_what_no_method_is_known_for_says_so(m: Any) -> None:
    """By its statistic's declaration: no interval, no test, and the reason in both."""
    y, p = sample(80, 2)
    e = karat.evaluate(y, p)
    one = e.intervals([m])[m.symbol]
    assert math.isnan(one.low)
    assert m.statistic.unsupported in one.reason
    assert "may" in (said := e.intervals([m], method="percentile", replicates=50)[m.symbol].reason) or "misses" in said
    d = karat.compare({"a": e, "b": karat.evaluate(y, p[::-1])}, measures=[m])["a", "b"][m.symbol]
    assert math.isnan(d.p)
    assert m.statistic.unsupported in d.reason


def test_a_calibrated_model_is_not_surely_miscalibrated() -> None:
    """MCB of a calibrated model is above 0 by chance alone; its interval by leaving out cases held 0 in one sample of
    ten."""
    assert "MCB" in {m.symbol for m in UNSUPPORTED}


def test_what_grows_with_the_number_of_cases_has_no_interval() -> None:
    y, p = sample(80, 2)
    one = karat.evaluate(y, p).intervals("CalL_sum")["CalL_sum"]
    assert math.isnan(one.low)
    assert "grows with the number of cases" in one.reason


def test_near_its_largest_value_an_entropy_reaches_as_far_as_its_parabola() -> None:
    """A class that is mistaken half of the time: errors of one more or fewer of its cases hardly change it. Over all
    recalls that 8 of 15 leave open (Wilson), the entropy goes further down than its slope at 8 of 15 says."""
    near = karat.evaluate_matrix([[8, 7], [3, 282]]).intervals("rCEN")["rCEN"]
    lowest = karat.evaluate_matrix([[15 * 0.752, 15 * 0.248], [3, 282]])["rCEN"]
    assert near.low < lowest < near.value < near.high
    assert near.low > 0.3
    far = karat.evaluate_matrix([[60, 40], [20, 1880]]).intervals("rCEN")["rCEN"]
    assert far.low < far.value < far.high
    said = karat.evaluate_matrix([[8, 7], [3, 282]]).intervals("rCEN", method="bca")["rCEN"].reason
    assert "may be too narrow: it is near its worst value" in said


def test_a_mean_of_each_class_needs_eight_cases_of_the_smaller_of_two() -> None:
    """Of five it held in 0.91: most such samples lack the few large probabilities that make the mean."""
    rng = np.random.default_rng(4)
    for few, known in ((5, False), (7, False), (8, True)):
        y = np.repeat([1, 0], [few, 90])
        p = 1 / (1 + np.exp(-rng.normal(2 * y - 1.5, 1)))
        for symbol in ("SAUC", "PAUC", "MAPR"):
            one = karat.evaluate(y, p).intervals(symbol)[symbol]
            assert (one.low == one.low) == known, (few, symbol)
            assert known or one.reason == "its variance rests on too few cases of one class"


def test_errors_that_are_scattered_over_a_large_table_do_not_tell_its_bias() -> None:
    """20 cases of 10 classes, half of them right: NIT is 0.4 to 0.6 where the population has 0.17, and leaving out a
    case shows a bias of 0.02."""
    given = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(20) % 10
        right = rng.random(20) < 0.5
        e = karat.evaluate(y, y_pred=np.where(right, y, rng.integers(0, 10, 20)), labels=range(10))
        one = e.intervals("NIT")["NIT"]
        if 3 * (1 - e["Acc"]) > 1:
            assert "kinds of error are too few to estimate its bias" in one.reason
        given += one.low == one.low
    assert given < 5


def test_the_disorder_within_three_classes_needs_eight_cases_of_each() -> None:
    """Of 5 to 7 it held in 0.90."""
    rng = np.random.default_rng(2)
    for few, known in ((5, False), (7, False), (8, True)):
        y = np.repeat([0, 1, 2], [few, 45, 45])
        said = np.where(rng.random(len(y)) < 0.6, y, rng.integers(0, 3, len(y)))
        e = karat.evaluate(y, y_pred=said)
        one = e.intervals("rCEN")["rCEN"]
        assert (one.low == one.low) == known, few
        assert known or one.reason == f"a class has only {few} cases; at least 8 of each are needed"
        assert math.isfinite(e.intervals("MAvA")["MAvA"].low)
    strong = karat.evaluate_matrix([[8, 1, 0], [1, 43, 1], [0, 1, 45]]).intervals("rCEN")["rCEN"]
    assert strong.reason == "4 errors among 6 kinds of error are too few to estimate its bias"


def test_a_mean_of_recalls_is_not_told_of_in_those_samples_alone_that_show_little_bias() -> None:
    """100 cases of 10 classes, half of them right: the geometric mean was given in every eighth sample, those in which
    its bias looked small, and held in 0.86 of them. Tables that are drawn tell of all samples."""
    y, held = np.arange(100) % 10, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        e = karat.evaluate(y, y_pred=np.where(rng.random(100) < 0.5, y, rng.integers(0, 10, 100)), labels=range(10))
        one = e.intervals("MAvG")["MAvG"]
        held += one.low <= 0.55 <= one.high  # half of them by knowledge, a tenth of the others by chance
        if one.value > 0 and 3 * (1 - e["Acc"]) > 1:
            assert "too few to estimate its bias" in e.intervals("MAvG", method="jackknife")["MAvG"].reason, seed
    assert held >= 27


def test_a_class_without_cases_is_not_known_however_many_cases_there_are() -> None:
    """With 100 cases and more, measures in which every class counts the same were given an interval of the other
    classes: it held the true value in none of sixty samples."""
    y, p = sample(600, 2)
    p = np.column_stack([p * 0.9, np.full(600, 0.1)])
    decided = np.where(np.arange(600) % 20 == 0, 2, y)
    many = karat.evaluate(y, p, y_pred=decided, labels=[0, 1, 2], positive=2)
    for symbol in ("MAvA", "MAvG", "SAUC", "MAPR", "rCEN", "F1"):
        one = many.intervals(symbol)[symbol]
        assert math.isnan(one.low), symbol
        assert "no case of class 2" in one.reason
    assert many.intervals("LogL")["LogL"].low > 0  # a class so rare hardly matters to a mean over cases
    few = karat.evaluate(y[:200], p[:200], labels=[0, 1, 2])
    assert "no case of class 2" in few.intervals("LogL")["LogL"].reason


def test_segments_of_a_class_with_one_case_say_so() -> None:
    """Without that case CalL is of one class less: it held in 0.91, in samples in which MSE, equal to it, was refused
    as often as not."""
    y = np.where(np.arange(20) == 0, 0, 1 + np.arange(20) % 2)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(20, 3)) + np.log([0.05, 0.475, 0.475])
        z[np.arange(20), y] += 3
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        one = karat.evaluate(y, p, labels=[0, 1, 2]).intervals("CalL")["CalL"]
        assert math.isnan(one.low)
        assert "only 1 case" in one.reason


def test_disorder_of_a_small_class_near_its_worst_value_reaches_far_enough() -> None:
    """rCEN, 15 cases of one of three classes, half of them mistaken: the correction of its bias went too far, and the
    interval left out populations in which so much disorder is nothing special."""
    cells = np.array([[0.027, 0.015, 0.008], [0.003, 0.462, 0.010], [0.003, 0.010, 0.462]])
    one = karat.evaluate_matrix([[3, 4, 5], [0, 124, 7], [2, 2, 153]]).intervals("rCEN")["rCEN"]
    assert one.low < karat.evaluate_matrix(1000 * cells)["rCEN"] < one.value < one.high


def test_probabilities_of_a_class_near_their_worst_value_reach_far_enough() -> None:
    """rpCEN of a strong model, 100 of 2,000 cases positive, held in 0.91: where the positive class happens to be as
    mixed as can be, its standard error is small."""
    e = karat.evaluate(*_strong_and_rare(173), labels=[0, 1])
    assert e.intervals("rpCEN")["rpCEN"].low < 0.5138  # of 200,000 cases; with the slope alone 0.5148


def test_beyond_a_bend_nothing_can_be_missed() -> None:
    """rpCEN of a strong model, 15 of 300 cases positive, held in 0.992: no sample is more mixed than the bend, so both
    tails are on the other side, and that end is the one of a level of 0.9."""
    one = Influence(0.52, np.array([0.004, -0.0039]), np.full(2, 1 / 100), np.full(2, 50.0), np.zeros(2, int))
    made, less = (studentised(one, level, (0.0, 1.0)) for level in (0.95, 0.9))
    assert one.bias < 0
    for near, plain in ((True, less), (False, made)):  # farther away both sides can miss: rpCEN would hold in 0.92
        bent = beyond_bend(made, one, 0.95, (0.0, 1.0), near)
        t = float(stdtrit(one.freedom, 0.95 if near else 0.975))
        assert bent.low == pytest.approx(min(plain.low, one.value - t * one.error + t * t * one.bias))
        assert bent.high == made.high


def test_disorder_of_two_classes_needs_some_cases_of_each() -> None:
    """rCEN of 5 of 100 cases held in 1.000: of five cases none, or half of them, may be mistaken by chance alone."""
    few = karat.evaluate_matrix([[2, 5], [3, 90]]).intervals("rCEN")["rCEN"]
    assert math.isnan(few.low)
    assert "only 7 cases; at least 8" in few.reason
    more = karat.evaluate_matrix([[2, 6], [3, 89]]).intervals("rCEN")["rCEN"]
    assert more.low < more.value < more.high


def test_disorder_of_as_many_cells_as_cases_is_not_known() -> None:
    """NIT of ten classes, 100 cases, 10 of them wrong: on average 0.74 instead of 0.59, of which leaving out cases
    shows 0.02."""
    rng, y = np.random.default_rng(0), np.arange(100) % 10
    decided = np.where(rng.random(100) < 0.1, (y + rng.integers(1, 10, 100)) % 10, y)
    one = karat.evaluate(y, y_pred=decided, labels=range(10)).intervals("NIT")["NIT"]
    assert math.isnan(one.low)
    assert "10 errors among 90 kinds of error" in one.reason


def _strong_and_rare(seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([seed, 2, 2000])
    y = rng.choice(2, 2000, p=[0.05, 0.95])
    z = rng.normal(size=(2000, 2)) + np.log([0.05, 0.95])
    z[np.arange(2000), y] += 3
    p = np.exp(z - z.max(axis=1, keepdims=True))
    return y, p / p.sum(axis=1, keepdims=True)


def test_a_posterior_of_classes_with_few_cases_says_that_it_may_be_too_narrow() -> None:
    """Macro F1 and balanced accuracy of 8 classes, 100 cases, were held in 0.89, without a word."""
    y, p = sample(100, 8)
    found = karat.evaluate(y, p).intervals(["MFM", "MAvA", "Acc"], method="bayes")
    for symbol in ("MFM", "MAvA"):
        assert "may be too narrow: a class has only 12 cases" in found[symbol].reason
    assert "narrow" not in found["Acc"].reason
    many = karat.evaluate(*sample(300, 8)).intervals("MFM", method="bayes")["MFM"]
    assert "narrow" not in many.reason
