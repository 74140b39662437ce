"""The interval of an area on the logit scale. DeLong's tests: see tests/peers/test_intervals.py (pROC)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import karat
from karat.intervals import logit_interval
from karat.intervals.delong import variance
from karat.statistics.order import Placements


def variance_by_loops(own: list[float], rest: list[float]) -> tuple[float, float]:
    """Area and its variance from the definition of DeLong et al.: the mean placement of each case."""

    def above(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    v10 = [sum(above(x, y) for y in rest) / len(rest) for x in own]
    v01 = [sum(above(x, y) for x in own) / len(own) for y in rest]
    area = sum(v10) / len(own)
    parts = [sum((v - area) ** 2 for v in vs) / (len(vs) - 1) / len(vs) for vs in (v10, v01)]
    return area, sum(parts)


def test_the_ends_are_those_of_the_formula() -> None:
    """log(A / (1 - A)) -+ z SE / (A (1 - A)), taken back by e^x / (1 + e^x), in plain arithmetic."""
    own, rest = [0.9, 0.8, 0.7, 0.55, 0.4, 0.35], [0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
    area, spread = variance_by_loops(own, rest)
    p = karat.evaluate([1] * 6 + [0] * 7, own + rest).statistics.source.cases
    assert p is not None
    assert variance(Placements.of_class(p, 1)) == pytest.approx(spread, rel=1e-12)
    for level, z in ((0.95, 1.959963984540054), (0.9, 1.6448536269514722)):
        half = z * math.sqrt(spread) / (area * (1 - area))
        odds = [math.exp(math.log(area / (1 - area)) + sign * half) for sign in (-1, 1)]
        low, high, reason = logit_interval(area, math.sqrt(spread), level)
        assert (low, high) == pytest.approx([x / (1 + x) for x in odds], rel=1e-12)
        assert reason == ""
        assert 0 < low < area < high < 1
    mirrored = logit_interval(1 - area, math.sqrt(spread), 0.95)
    low, high, _ = logit_interval(area, math.sqrt(spread), 0.95)
    assert mirrored[:2] == pytest.approx((1 - high, 1 - low), rel=1e-12)


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [(1.0, 0.0, "area of 1"), (0.0, 0.0, "area of 0"), (0.8, 0.0, "error is 0"), (math.nan, 0.1, "undefined"),
     (0.8, math.nan, "undefined")],
)  # fmt: skip
def test_without_a_spread_there_is_no_interval_but_a_reason(value: float, error: float, says: str) -> None:
    low, high, reason = logit_interval(value, error, 0.95)
    assert math.isnan(low)
    assert math.isnan(high)
    assert says in reason


def test_a_level_is_a_confidence() -> None:
    with pytest.raises(karat.InputError, match="confidence"):
        logit_interval(0.8, 0.05, 0.05)


def test_high_areas_of_few_cases_are_covered_where_the_plain_interval_falls_short() -> None:
    """Twice 25 normal scores with an area of .95: the plain interval covers .87, that of the logit .95."""
    rng, apart, z = np.random.default_rng(2), math.sqrt(2) * stats.norm.ppf(0.95), stats.norm.ppf(0.975)
    plain, transformed = [], []
    for _ in range(1500):
        own, rest = rng.normal(apart, size=25), rng.normal(size=25)
        above = own[:, None] > rest
        area = above.mean()
        error = math.sqrt(sum(np.var(above.mean(axis=a), ddof=1) / 25 for a in (0, 1)))
        if 0 < area < 1:
            low, high, _ = logit_interval(area, error, 0.95)
            transformed.append(low <= 0.95 <= high)
            plain.append(abs(area - 0.95) <= z * error)
    assert np.mean(plain) < 0.93
    assert 0.93 < np.mean(transformed) < 0.985


def test_areas_of_models_in_other_orders_are_joined_by_id() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    a, b = (1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=60) * noise))) for noise in (1.0, 1.5))
    turned = np.concatenate([np.flatnonzero(y == c)[::-1] for c in (0, 1)])  # each class in another order
    other = np.argsort(y, kind="stable")
    expected = karat.intervals.delong_paired(karat.evaluate(y, a), karat.evaluate(y, b))
    one = karat.evaluate(y[other], a[other], ids=other)
    two = karat.evaluate(y[turned], b[turned], ids=turned)
    assert karat.intervals.delong_paired(one, two).p == pytest.approx(expected.p, rel=1e-12)
