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


@pytest.mark.parametrize(("cases", "of"), [(1, 6), (2, 5), (5, 7), (20, 40)])
def test_tails_that_nothing_can_miss_are_spent_where_the_number_of_cases_varies(cases: int, of: int) -> None:
    """By the definition: at an end the mid-p is a fortieth, and up to a twentieth where none (all) of so many cases are
    frequent."""
    low, high = mid_p(cases, of, 0.95, chosen=False)
    above = stats.binom.sf(cases, of, low) + stats.binom.pmf(cases, of, low) / 2
    below = stats.binom.cdf(cases - 1, of, high) + stats.binom.pmf(cases, of, high) / 2
    assert above == pytest.approx(0.025 * (1 + min((1 - low) ** of / 0.3, 1)))
    assert below == pytest.approx(0.025 * (1 + min(high**of / 0.3, 1)))


@pytest.mark.parametrize("expected", [5, 7, 10])
def test_spent_tails_cover_where_the_number_of_cases_varies(expected: int) -> None:
    """Exactly, of a Poisson number of cases: 0.94 to 0.98 at any share, where plain mid-p has up to 0.992 (F1 of 5 of
    100 cases held in 0.992)."""
    numbers = range(1, 25)
    ends = {n: [mid_p(x, n, 0.95, chosen=False) for x in range(n + 1)] for n in numbers}
    frequent = {n: stats.poisson.pmf(n, expected) for n in numbers}
    for share in (0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95):
        held = sum(
            frequent[n] * stats.binom.pmf(x, n, share)
            for n in numbers
            for x, (low, high) in enumerate(ends[n])
            if low <= share <= high
        )
        assert 0.94 < held / sum(frequent.values()) < 0.985


def test_f1_of_a_class_without_an_error_is_an_exact_bound() -> None:
    """One case of a class, found, none taken for it: F1 was said to be 0.34 or more, though it may well be anything."""
    one = karat.evaluate_matrix([[1, 0, 0], [0, 20, 4], [0, 5, 20]], [0, 1, 2], positive=0).intervals("F1")["F1"]
    share = 1 - most_unseen(1, 0.95)
    assert (one.low, one.high, one.method) == (pytest.approx(2 * share / (1 + share)), 1.0, "exact bound")
    assert "may have missed" in one.reason


def test_what_was_never_seen_may_exist() -> None:
    for n in (1, 7, 100):
        assert most_unseen(n, 0.95) == pytest.approx(stats.binomtest(0, n).proportion_ci(0.95, "exact").high)
