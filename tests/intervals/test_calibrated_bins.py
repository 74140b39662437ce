"""Intervals of calibration errors: what covers, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat

Array = Any


def both(p: Any) -> Any:
    """The columns of two classes."""
    return np.column_stack([1 - p, p])


def calibrated(n: int, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    p = rng.dirichlet(np.ones(k), n)
    y = (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return y, p


def coverage(symbol: str, true_error: float, power: float, samples: int, n: int = 500) -> float:
    """Of models whose outcomes follow probabilities to this power: 1 for a calibrated one."""
    rng, held = np.random.default_rng(1), 0
    for seed in range(samples):
        y, p = calibrated(n, 3, rng)
        said = p**power / (p**power).sum(axis=1, keepdims=True)
        one = karat.evaluate(y, said, labels=range(3)).intervals(symbol, replicates=300, seed=seed)[symbol]
        assert math.isnan(one.low) or one.low <= one.value <= one.high or "sampling noise alone" in one.reason
        held += one.low <= true_error <= one.high
    return held / samples


def test_a_calibrated_model_is_covered() -> None:
    """Resampling the cases held 0 in .76 of the samples at most."""
    assert coverage("ECE", 0.0, 1.0, 150) >= 0.9


def test_an_overconfident_model_is_covered() -> None:
    y, p = calibrated(400_000, 3, np.random.default_rng(0))
    said = p**2 / (p**2).sum(axis=1, keepdims=True)
    true_error = karat.evaluate(y, said)["ECE"]
    assert true_error > 0.05
    assert coverage("ECE", true_error, 2.0, 150) >= 0.9


def test_the_upper_end_takes_off_what_chance_adds() -> None:
    """Without, it held in every sample. A model that is not sure enough, two classes, 100 cases."""

    def drawn(rng: np.random.Generator, n: int) -> Any:
        z = rng.normal(size=n) - rng.normal(size=n)
        y = rng.integers(0, 2, n)
        return karat.evaluate(y, 1 / (1 + np.exp(-(z + 3 * (2 * y - 1)))), labels=[0, 1])

    truth = drawn(np.random.default_rng(0), 300_000)["ECE"]
    ends = [drawn(np.random.default_rng(seed), 100).intervals("ECE", replicates=199)["ECE"] for seed in range(1, 151)]
    held = sum(one.low <= truth <= one.high for one in ends)
    assert 137 <= held <= 147


@pytest.mark.parametrize(
    ("symbol", "says"), [("CalB", "windows overlap"), ("cwECE", "a case is in a bin of each class")]
)
def test_what_no_method_covers_says_why(symbol: str, says: str) -> None:
    y, p = calibrated(500, 3, np.random.default_rng(2))
    e = karat.evaluate(y, p)
    for method in ("auto", "jackknife"):
        one = e.intervals(symbol, method=method)[symbol]
        assert (math.isnan(one.low), one.method) == (True, "")
        assert says in one.reason
    for method in ("percentile", "basic", "bca"):  # who asks gets what was asked for, and is told
        assert "often misses" in e.intervals(symbol, method=method, replicates=50)[symbol].reason


def test_too_few_draws_are_said() -> None:
    e = karat.evaluate(*calibrated(200, 3, np.random.default_rng(4)))
    assert "10 replicates are too few" in e.intervals("ECE", replicates=10)["ECE"].reason
    assert "too few" not in e.intervals("ECE", replicates=40)["ECE"].reason


def test_errors_of_weighted_or_grouped_cases_say_why_they_have_none() -> None:
    y, p = calibrated(200, 3, np.random.default_rng(3))
    grouped = karat.evaluate(y, p).intervals("ECE", groups=np.arange(200) // 5)["ECE"]
    weighted = karat.evaluate(y, p, sample_weight=np.linspace(1, 2, 200)).intervals("ECE")["ECE"]
    for one in (grouped, weighted):
        assert math.isnan(one.low)
        assert "weights or groups" in one.reason


@pytest.mark.parametrize("sureness", [1.0, 0.999])
@pytest.mark.parametrize("n", [4, 12, 40])
def test_a_sure_model_that_is_right_on_few_cases_may_be_wrong_on_others(n: int, sureness: float) -> None:
    """The end was 0, or .001: what may well be off is the share of errors that so many cases need not show."""
    y = np.arange(n) % 2
    for symbol in ("ECE", "MCE"):
        one = karat.evaluate(y, both(np.where(y, sureness, 1 - sureness))).intervals([symbol])[symbol]
        assert one.low == pytest.approx(0, abs=1e-9)
        assert one.high == pytest.approx(sureness - 0.025 ** (1 / n), abs=1e-9)
        assert "no case shows any variation" in one.reason


@pytest.mark.parametrize("share", [0.02, 0.05, 0.2])
def test_a_model_that_is_always_sure_is_covered(share: float) -> None:
    """Whatever the share of its errors, of which few cases show none, or some."""
    rng, n = np.random.default_rng(5), 20
    held = 0
    for _ in range(200):
        said = np.arange(n) % 2
        y = np.where(rng.random(n) < share, 1 - said, said)
        one = karat.evaluate(y, both(said.astype(float)), labels=[0, 1]).intervals(["ECE"], replicates=200)["ECE"]
        held += math.isnan(one.low) or one.low <= share <= one.high
    assert held >= 186  # .93


def test_the_reason_of_a_bound_says_which_end_it_is() -> None:
    """It said that one end is the value, 0.1, of an interval from 0 to 0.165."""
    one = karat.evaluate([0, 1] * 6, [0.1, 0.9] * 6).intervals(["ECE"])["ECE"]
    assert one.low < one.value < one.high
    assert "the upper end is an exact bound" in one.reason
    assert "one end is the value" not in one.reason
