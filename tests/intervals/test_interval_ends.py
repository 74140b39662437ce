"""Ends of intervals at the edges: what a case less leaves undefined, what rounding does, and what has no width."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.core.measure import Spread
from karat.intervals.interval_ends import ends, quantile, scored, told_of_bias
from karat.resampling.influence import Influence
from karat.statistics.score_table import ScoreTable


@pytest.mark.parametrize(
    ("symbol", "evaluation"),
    [
        ("RCI", karat.evaluate([0, 1, 1], [0.2, 0.8, 0.4])),
        ("AUC", karat.evaluate([1] + [0] * 49, np.random.default_rng(3).random(50))),
    ],
)
def test_bca_of_a_measure_that_a_case_less_leaves_undefined_corrects_the_bias_alone(
    symbol: str, evaluation: Any
) -> None:
    """It ended with a traceback."""
    one = evaluation.intervals([symbol], method="bca", replicates=200)[symbol]
    assert one.method == "bc" or math.isnan(one.low)
    assert one.reason


def test_an_acceleration_that_is_not_known_is_none() -> None:
    x = np.random.default_rng(0).normal(size=500)
    extremes = (-math.inf, math.inf)
    assert ends("bca", 0.1, x, 0.95, math.nan, extremes) == ends("bca", 0.1, x, 0.95, None, extremes)


def test_rounding_of_many_cases_is_no_shift() -> None:
    """MAvA of two thousand million cases: the delta method by hand, around the value itself."""
    (a, b), (c, d) = table = [[10**9, 10], [7, 10**9]]
    found = karat.evaluate_matrix(table).intervals(["MCC", "MAvA"])
    for one in found.values():
        assert "shift" not in one.reason
        assert one.low < one.value < one.high
        assert one.value - one.low == pytest.approx(one.high - one.value, rel=1)
    error = math.sqrt((a * b / (a + b) ** 3 + c * d / (c + d) ** 3) / 4)
    assert found["MAvA"].high - found["MAvA"].low == pytest.approx(2 * 1.96 * error, rel=0.1)


@pytest.mark.parametrize("method", ["auto", "percentile", "basic", "bca"])
def test_rounding_of_the_value_is_no_shift(method: str) -> None:
    one = karat.evaluate_matrix([[5, 0], [5, 0]]).intervals(["EMA"], stratified=True, method=method)["EMA"]
    assert "shift" not in one.reason
    assert math.isnan(one.low) or one.low <= one.value <= one.high


@pytest.mark.parametrize("method", ["auto", "jackknife", "percentile", "basic", "bca", "bayes", "analytic", "logit"])
@pytest.mark.parametrize(
    "table", [[[0, 5], [5, 0]], [[49, 0], [1, 0]], [[0, 49], [1, 0]], [[0, 6], [0, 6]], [[30, 1], [0, 1]]]
)
def test_no_interval_is_a_point(table: Any, method: str) -> None:
    """Basic ends at the end of a range were both that end: KapS [-1, -1], MAvG [0, 0]."""
    symbols = ["MCC", "KapS", "NIT", "CEN", "MAvG", "MAvA", "Acc", "F1", "TPR", "RCI", "EMA"]
    found = karat.evaluate_matrix(table).intervals(symbols, method=method, replicates=200)
    for symbol, one in found.items():
        assert one.reason or one.high - one.low > 1e-9, symbol
        assert one.low != one.high, symbol


def points(e: karat.Evaluation, symbols: list[str], method: str, **options: Any) -> list[str]:
    """Measures whose interval has no width but rounding."""
    found = e.intervals(symbols, method=method, replicates=60, **options)
    return [key for key, one in found.items() if one.high - one.low < 1e-9 or not (one.reason or one.low < one.high)]


@pytest.mark.parametrize("method", ["auto", "basic", "bca", "percentile", "analytic", "logit"])
def test_rounding_is_no_width(method: str) -> None:
    """Predictions that know nothing, or all wrong: what each case adds differs in the last digit only."""
    y, said = np.array([1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0]), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0])
    assert not points(
        karat.evaluate(y, np.column_stack([1.0 - said, said])), ["H", "H_2014", "H_severity", "DSC"], method
    )
    y = np.array([2, 0, 0, 0, 2, 1, 1, 1, 2, 1, 2])
    assert not points(
        karat.evaluate(y, np.eye(3)[(y + 1) % 3], positive=1), ["AUNU", "AU1P_printed", "H", "DSC"], method
    )
    halves = karat.evaluate([0, 1, 1, 0, 0, 1], np.eye(2)[[0, 1, 0, 1, 1, 1]], positive=1)
    assert not points(halves, ["DH_X", "ETX_DH"], method)


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_class_that_no_case_belongs_to_has_no_bound(method: str) -> None:
    e = karat.evaluate([0, 0, 2], np.eye(3)[[0, 0, 2]], labels=[0, 1, 2], positive=1)
    assert not points(e, ["NPV", "CEN_j"], method)


def test_between_an_infinite_replicate_and_another_there_is_no_way() -> None:
    x = np.array([-math.inf, 0.0, 1.0, math.inf])
    assert quantile(x, 0.3) == -math.inf  # half of the way
    assert (quantile(x, 0.4), quantile(x, 0.6)) == (0, 1)
    assert quantile(x, 0.7) == math.inf


def test_the_interval_of_a_mean_of_few_skewed_losses() -> None:
    """Hall's interval (1992) by hand: Student's t of the mean, its skewness removed by a cubic."""
    rng = np.random.default_rng(4)
    p = rng.beta(5, 1, 20)
    one = karat.evaluate(np.ones(20, int), np.c_[1 - p, p], labels=[0, 1]).intervals("LogLoss", method="jackknife")
    two = karat.evaluate([0, 1] * 10, np.where(np.arange(20) % 2, p, 1 - p)).intervals("LogLoss", level=0.9)["LogLoss"]
    assert math.isnan(one["LogLoss"].low)  # a class without cases may hold any loss
    x = -np.log(p)
    n, d = len(x), x - x.mean()
    error = x.std(ddof=1) / math.sqrt(n)
    g = float((d**3).sum() / (d**2).sum() ** 1.5)
    kurtosis = n * float((d**4).sum() / (d**2).sum() ** 2)
    of_class = np.array([(d[0::2] ** 2).sum(), (d[1::2] ** 2).sum()])  # Satterthwaite's freedom, of 10 cases each
    free = min(max(2 * n / (kurtosis - 1), 2), n - 1, of_class.sum() ** 2 / (of_class**2 / 9).sum())
    t = stats.t.ppf(0.95, free)
    low, high = (x.mean() - error * 3 / g * (np.cbrt(1 + g * (z - g / 6)) - 1) for z in (t, -t))
    # one more case with the other outcome, a quarter of it: the variance of larger means grows by the third moment
    other, likely = -np.log(1 - p), (1 - p) / (1 - p).sum()
    up = np.maximum((other - x.mean()) / (n + 1), 0)
    variance = error**2 + 0.25 * float(likely @ up**2)
    growth = (float(((d / n) ** 3).sum()) + 0.25 * float(likely @ up**3)) / variance
    z = stats.norm.ppf(0.95)
    reach = (growth * z**2 + math.sqrt(growth**2 * z**4 + 4 * z**2 * variance)) / 2
    assert x.mean() + reach > high
    assert (two.low, two.high) == pytest.approx((low, x.mean() + reach))
    grouped = karat.evaluate([0, 1] * 10, np.where(np.arange(20) % 2, p, 1 - p))
    alone = grouped.intervals("LogLoss", level=0.9, groups=range(20))["LogLoss"]  # nothing is known of other groups
    assert (alone.low, alone.high) == pytest.approx((low, high), rel=0.1)


def test_squared_errors_of_few_cases_are_covered() -> None:
    """A strong model, 20 cases: the interval on the logarithm held the truth in 0.86 of the samples, and 0.13 of all
    lay below it."""
    rng = np.random.default_rng(12)

    def sample(n: int) -> tuple[Any, Any]:
        y = rng.integers(0, 2, n)
        return y, 1 / (1 + np.exp(-(np.where(y, 3.0, -3.0) + math.sqrt(2) * rng.normal(size=n))))

    y, p = sample(400_000)
    truth = float(((y - p) ** 2).mean())
    found = [karat.evaluate(*sample(20)).intervals("BrierLoss")["BrierLoss"] for _ in range(300)]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.91
    assert np.mean([one.high < truth for one in found]) <= 0.09


def test_what_was_never_seen_may_be_more_than_one_case() -> None:
    """Never predicted, and none of four cases: the end allows for 3.7 cases, as the exact one of a count of 0 does."""
    table = np.array([[0, 4], [0, 96]])
    one = karat.evaluate_matrix(table).intervals("NIT", method="jackknife")["NIT"]
    others = [table + np.array([[1, -1], [0, 0]]), table + np.array([[0, 0], [1, -1]])]
    moved = math.hypot(*(karat.evaluate_matrix(other)["NIT"] - 0.5 for other in others))
    assert one.low == one.value == 0.5
    assert one.high == pytest.approx(0.5 - math.log(0.025) * moved)


def test_the_error_of_an_exponential_is_corrected_with_its_value() -> None:
    """NIT of ten classes, 300 cases, is 0.20 instead of 0.17 by its bias, and its error as many times too large: the
    interval held in 0.99. On a logarithmic scale it is that of the information, which is not biased so."""
    rng = np.random.default_rng(1)
    y = np.arange(300) % 10
    e = karat.evaluate(y, y_pred=np.where(rng.random(300) < 0.4, y, rng.integers(0, 10, 300)), labels=range(10))
    found = e.intervals(["NIT", "MI"])
    one, bits = found["NIT"], found["MI"]
    assert math.log2(one.high / one.low) == pytest.approx(bits.high - bits.low, rel=0.05)


@pytest.mark.parametrize("share", [0.6, 0.95])
def test_a_value_near_the_best_is_not_missed_from_above(share: float) -> None:
    """Wilson's interval of a share; near the best value the upper end is where what was seen has a twentieth, not a
    fortieth, on its side, by the normal distribution (AP of a strong model, 5 to 15 positive cases, held in 0.98: a
    badly ranked case makes the spread that Student's t doubts too large, not too small)."""
    n, level = 60, 0.95
    moves = np.array([1 - share, -share]) / n
    times = n * np.array([share, 1 - share])
    one = Influence(share, moves, np.full(2, 1 / n), times, np.zeros(2, int))
    made = scored(one, level, (0.0, 1.0))
    error = one.error / math.sqrt(share * (1 - share))
    below, above = (abs(end - share) / error / math.sqrt(end * (1 - end)) for end in made[:2])
    spent = min(stats.norm.sf(math.sqrt((1 - made.high) / made.high) / error) / 0.3, 1)
    tail = 0.025 * (1 + spent)
    assert stats.t.sf(below, one.freedom) == pytest.approx(0.025)
    mixed = (1 - spent**2) * stats.t.isf(tail, one.freedom) + spent**2 * stats.norm.isf(tail)
    assert above == pytest.approx(mixed, rel=0.02)
    assert (spent > 0.4) == (share > 0.9)


def test_how_errors_go_with_values_is_declared_of_all_that_are_so() -> None:
    """By what the catalogue says of each measure, and what it is worth on two problems."""
    constant, perfect = (karat.evaluate([1] * 3 + [0] * 7, p) for p in ([0.3] * 10, [0.9] * 3 + [0.1] * 7))
    for m in karat.catalogue.measures.values():
        if m.family == "information":
            exponential = any(part in m.formula for part in ("2^{", "k_", "m_Y", r"\mu")) and "log" not in m.title
            assert (m.spread is Spread.IN_PROPORTION) == exponential, m.symbol
        elif m.statistic is ScoreTable and not m.parameters:
            of_precision = "precision" in m.title.lower() and constant[m.symbol] == 0.3 and perfect[m.symbol] == 1
            assert (m.spread is Spread.OF_SHARE) == of_precision, m.symbol
        else:
            assert m.spread is Spread.UNKNOWN, m.symbol


def test_a_prior_that_pulls_a_measure_away_is_named() -> None:
    """The reason spoke of resampling, where nothing is resampled."""
    table = 10 * np.eye(10) + np.eye(10, k=1)
    found = karat.evaluate_matrix(table).intervals(["Acc"], method="bayes", prior=0.5)["Acc"]
    assert not found.low <= found.value <= found.high
    assert "the prior pulls" in found.reason
    assert "resampling" not in found.reason


def test_the_value_that_an_interval_is_around_is_possible() -> None:
    """Of a share that was too large by more than itself the interval was said to be around a negative number."""
    influence = Influence(0.01, np.array([-0.06, -0.03]), np.full(2, 0.5), np.ones(2), np.zeros(2, np.int64))
    assert "around" not in told_of_bias(influence, 0.02, 0.2)
    assert "bias of 0.09" in told_of_bias(influence, 0.02, 0.2)
