"""Tails of the binomial distribution against exact sums of fractions and against scipy."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.special import betainc

from karat.statistics.binomial import binomial_tail


@pytest.mark.parametrize("n", [1, 2, 3, 10, 31, 200])
def test_tails_are_the_sums_of_their_fractions(n: int) -> None:
    for p in (Fraction(1, 2), Fraction(1, 8), Fraction(13, 16), Fraction(1, 1024)):
        masses = [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]
        for hits in range(n + 1):
            assert binomial_tail(hits, n, float(p)) == pytest.approx(float(sum(masses[hits:])), rel=1e-12)


def test_tails_of_weighted_and_many_cases_are_scipys() -> None:
    rng = np.random.default_rng(3)
    for _ in range(2000):
        n, p = 10 ** rng.uniform(0, 7), rng.choice([0.5, rng.uniform(0.001, 0.999)])
        hits = float(np.clip(n * p + 4 * rng.normal() * np.sqrt(n * p * (1 - p)), 0.01, n))
        # scipy below 1.14 has ten digits where the trials are many; all digits are tested by fractions, above
        assert binomial_tail(hits, n, p) == pytest.approx(betainc(hits, n - hits + 1, p), rel=1e-9)


def test_what_is_certain_is_0_or_1() -> None:
    assert binomial_tail(0, 10, 0.3) == 1
    assert binomial_tail(11, 10, 0.3) == 0
    assert binomial_tail(3, 10, 0) == 0
    assert binomial_tail(3, 10, 1) == 1
    assert binomial_tail(10, 10, 0.5) == 0.5**10
