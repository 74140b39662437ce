"""Exact intervals of rates, by the definition."""

from __future__ import annotations

import pytest
from scipy import stats

import karat
from karat.intervals.rate_interval import mid_p, most_unseen, of_rate, wilson


@pytest.mark.parametrize(("cases", "of"), [(0, 1), (1, 1), (3, 4), (7, 30), (50, 99), (99, 99)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_ends_are_where_the_mid_p_of_the_exact_test_is_half_the_rest(cases: int, of: int, level: float) -> None:
    low, high = mid_p(cases, of, level)
    tail = (1 - level) / 2
    if cases > 0:
        assert stats.binom.sf(cases, of, low) + stats.binom.pmf(cases, of, low) / 2 == pytest.approx(tail)
    else:
        assert low == 0
    if cases < of:
        assert stats.binom.cdf(cases - 1, of, high) + stats.binom.pmf(cases, of, high) / 2 == pytest.approx(tail)
    else:
        assert high == 1


def test_wilson_serves_from_a_hundred_cases_on() -> None:
    assert of_rate(50, 99, 0.95) == (*mid_p(50, 99, 0.95), "mid-p")
    assert of_rate(50, 100, 0.95) == (*wilson(50, 100, 0.95), "wilson")
    few = karat.evaluate_matrix([[8, 2], [1, 9]], [0, 1]).intervals("TPR")["TPR"]
    assert (few.low, few.high, few.method) == (*mid_p(9, 10, 0.95), "mid-p")


def test_mid_p_covers_small_samples() -> None:
    """Exactly, by the binomial distribution: .93 and more on average over shares, at any number of cases."""
    for n in (5, 10, 20, 50):
        ends = [mid_p(x, n, 0.95) for x in range(n + 1)]
        shares = [i / 100 for i in range(2, 99)]
        covered = [
            sum(stats.binom.pmf(x, n, s) for x, (low, high) in enumerate(ends) if low <= s <= high) for s in shares
        ]
        assert 0.945 < sum(covered) / len(covered) < 0.985


def test_what_was_never_seen_may_exist() -> None:
    for n in (1, 7, 100):
        assert most_unseen(n, 0.95) == pytest.approx(stats.binomtest(0, n).proportion_ci(0.95, "exact").high)
