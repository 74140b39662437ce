"""McNemar's test."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.mcnemar import METHODS, mcnemar, mcnemar_of, mcnemar_of_counts
from karat.core.validation import false_alarms
from karat.statistics.p_values import sign_test
from levels import keeps_its_level


def flips(both: int, first: int, second: int, neither: int) -> tuple[Any, Any, Any]:
    """Truth and decisions with this table of flips."""
    truth = np.zeros(both + first + second + neither, int)
    a = np.repeat([0, 0, 1, 1], [both, first, second, neither])
    b = np.repeat([0, 1, 0, 1], [both, first, second, neither])
    return truth, a, b


@pytest.mark.parametrize(
    ("method", "p"), [("exact", 0.0703), ("mid-p", 0.0391), ("chi-square", 0.0339), ("chi-square-corrected", 0.0771)]
)
def test_fagerland_airway_example(method: str, p: float) -> None:
    """Fagerland et al. 2013, airway hyper-responsiveness (b = 1, c = 7, n = 21): p-values as they print them."""
    found = mcnemar(*flips(1, 1, 7, 12), method=method)
    assert (found.both_right, found.only_first, found.only_second, found.both_wrong) == (1, 1, 7, 12)
    assert found.p == pytest.approx(p, abs=5e-5)


@pytest.mark.parametrize("counts", [(5, 3, 9, 2), (0, 0, 4, 1), (10, 6, 6, 0), (400, 31, 60, 12), (1, 700, 900, 5)])
def test_mcnemar_agrees_with_statsmodels(counts: tuple[int, int, int, int]) -> None:
    peer = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    table = [counts[:2], counts[2:]]
    data = flips(*counts)
    assert mcnemar(*data).p == pytest.approx(float(peer(table, exact=True).pvalue), abs=1e-12)
    for method, corrected in (("chi-square", False), ("chi-square-corrected", True)):
        if corrected and counts[1] == counts[2]:
            continue  # the correction would make a difference of 0 one of 1
        theirs, mine = peer(table, exact=False, correction=corrected), mcnemar(*data, method=method)
        assert (mine.statistic, mine.p) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


@pytest.mark.parametrize(("only_first", "only_second"), [(3, 9), (8, 3), (5, 6), (0, 10), (20, 31), (0, 0)])
def test_the_exact_p_value_is_that_of_whole_numbers(only_first: int, only_second: int) -> None:
    n, few = only_first + only_second, min(only_first, only_second)
    expected = min(Fraction(1), Fraction(2 * sum(math.comb(n, i) for i in range(few + 1)), 2**n))
    right = np.array([True] * only_first + [False] * only_second, bool)
    assert mcnemar_of(right, ~right).p == sign_test(only_first, only_second, sides=2)
    assert mcnemar_of(right, ~right).p == pytest.approx(float(expected), rel=1e-14)


def test_mid_p_is_half_of_the_chance_of_what_was_seen_less() -> None:
    for b, c in itertools.product(range(6), range(6)):
        law = stats.binom(b + c, 0.5).pmf(np.arange(b + c + 1))
        tail = law[: min(b, c) + 1].sum() - law[min(b, c)] / 2
        assert METHODS["mid-p"](b, c)[1] == pytest.approx(min(1, 2 * tail), abs=1e-12)


def test_mcnemar_words_and_refusals() -> None:
    found = mcnemar(*flips(50, 30, 2, 5), names=("forest", "tree"))
    assert found.verdict.startswith(
        "forest is correct significantly more often than tree (30 against 2 of the 32 cases"
    )
    assert "No significant difference in accuracy between" in mcnemar(*flips(50, 6, 4, 5)).verdict
    assert "same cases" in mcnemar(*flips(50, 0, 0, 5)).verdict
    assert mcnemar(*flips(50, 0, 0, 5)).p == 1
    for method in METHODS:
        assert mcnemar(*flips(5, 0, 0, 5), method=method).p == 1
    assert found.to_table().columns["tree wrong"] == [30, 5]
    json.dumps(found.to_dict())
    with pytest.raises(karat.InputError, match="weights"):
        mcnemar(*flips(1, 1, 1, 1), sample_weight=[1, 2, 1, 1])
    with pytest.raises(karat.InputError, match="mid-p"):
        mcnemar(*flips(1, 1, 1, 1), method="fisher")
    strings = mcnemar(["a", "b", "a"], ["a", "a", "c"], ["a", "b", "a"])
    assert (strings.both_right, strings.only_second) == (1, 2)


def test_mcnemar_keeps_its_level() -> None:
    rng = np.random.default_rng(1)
    right = rng.random((2000, 2, 60)) < 0.7  # independent, equally good
    p = {m: [] for m in METHODS}  # type: ignore[var-annotated]
    for a, b in right:
        for method, test in METHODS.items():
            p[method].append(test(int((a & ~b).sum()), int((b & ~a).sum()))[1])
    assert keeps_its_level(np.array(p["exact"]) <= 0.05, 0.05, exactly=False)
    assert keeps_its_level(np.array(p["mid-p"]) <= 0.05, 0.05, exactly=False)
    assert keeps_its_level(np.array(p["chi-square-corrected"]) <= 0.05, 0.05, exactly=False)
    assert keeps_its_level(np.array(p["chi-square"]) <= 0.05, 0.05)


def test_the_sizes_of_the_effect() -> None:
    """Odds ratio and its exact interval by Clopper and Pearson's, as scipy has it; Cohen's g by hand."""
    for b, c in ((7, 1), (30, 12), (5, 5), (0, 6), (6, 0)):
        for level in (0.95, 0.9):
            test = mcnemar(*flips(3, b, c, 2), level=level)
            share = stats.binomtest(b, b + c).proportion_ci(level, "exact")
            low, high = (float(x / (1 - x)) if x < 1 else math.inf for x in share)
            assert test.odds_interval == pytest.approx((low, high), rel=1e-9)
            assert (low <= 1 <= high) == (test.p > 1 - level)
            assert test.cohens_g == pytest.approx(b / (b + c) - 0.5)
            assert test.odds_ratio == (b / c if c else math.inf)
            assert test.turned().cohens_g == pytest.approx(-test.cohens_g)
    assert mcnemar(*flips(3, 7, 1, 2)).to_dict()["odds_ratio"] == 7
    none = mcnemar(*flips(3, 0, 0, 2))
    assert none.to_dict()["cohens_g"] is None
    assert none.odds_interval == (0, math.inf)


@pytest.mark.parametrize(("method", "interval"), [("chi-square", "wilson"), ("chi-square-corrected", "wilsoncc")])
def test_the_odds_beside_chi_square_are_those_that_it_does_not_reject(method: str, interval: str) -> None:
    """By scipy's intervals of the score test, without and with the correction for continuity."""
    for b, c in ((7, 1), (30, 12), (5, 5), (1, 6), (6, 1), (1, 1)):
        share = stats.binomtest(b, b + c).proportion_ci(0.95, interval)
        test = mcnemar(*flips(3, b, c, 2), method=method)
        assert test.odds_interval == pytest.approx([x / (1 - x) for x in share], rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_odds_and_the_test_never_disagree(method: str) -> None:
    for b, c, level in itertools.product(range(26), range(26), (0.9, 0.95, 0.99)):
        test = mcnemar_of_counts(b, c, 3, b + c + 5, method=method, names=("A", "B"), level=level)
        low, high = test.odds_interval
        assert (low <= 1 <= high) == (test.p > false_alarms(level)), (b, c, level)


@pytest.mark.parametrize("method", ["exact", "mid-p", "auto", "chi-square", "chi-square-corrected"])
def test_too_few_flips_to_show_anything_are_told_of(method: str) -> None:
    """The smallest p-value of so many flips, had all been in favour of one model: the table of the binomial law."""
    few = mcnemar(*flips(50, 2, 1, 5), method=method)
    assert few.smallest_p == mcnemar(*flips(50, 3, 0, 5), method=method).p > 0.05
    assert few.verdict.startswith("No test could show a significant difference in accuracy between A and B: ")
    assert "2 against 1 of the 3 cases" in few.verdict
    many = mcnemar(*flips(50, 5, 5, 5), method=method)
    assert many.smallest_p < 0.05
    assert many.verdict.startswith("No significant difference in accuracy")
    assert mcnemar(*flips(50, 2, 1, 5)).smallest_p == 0.25
    assert "p can't be below 0.250 (" in mcnemar(*flips(50, 2, 1, 5)).verdict


def test_one_case_is_said_in_the_singular() -> None:
    assert "(1 against 0 of the 1 case on which just one is correct;" in mcnemar([1], [1], [0]).verdict


@pytest.mark.parametrize("method", ["exact", "mid-p", "chi-square", "chi-square-corrected"])
def test_no_p_value_is_0(method: str) -> None:
    assert 0 < mcnemar([1] * 20_000, [1] * 20_000, [0] * 20_000, method=method).p < 1e-300
