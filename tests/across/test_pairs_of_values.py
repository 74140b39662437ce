"""Tests of two models in pairs of values: Wilcoxon's, the corrected and the Bayesian t, the Bayesian signed rank
test."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.across import bayes_ranks, bayes_t, corrected_t, wilcoxon
from levels import keeps_its_level

# ----------------------------------------------------------------------------------------------- Wilcoxon


@pytest.mark.parametrize("n", [3, 8, 14, 40, 90])
def test_wilcoxon_agrees_with_scipy(n: int) -> None:
    pytest.importorskip("scipy", minversion="1.15", reason="an older scipy names its options otherwise")
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=n) + 0.3, rng.normal(size=n)
    for mine, theirs in (("exact", "exact"), ("normal", "asymptotic")):
        peer = stats.wilcoxon(a, b, method=theirs)
        found = wilcoxon(a, b, method=mine)
        assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-12)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_wilcoxon_with_ties_and_zeros(zeros: str) -> None:
    pytest.importorskip("scipy", minversion="1.15", reason="an older scipy names its options otherwise")
    rng = np.random.default_rng(5)
    for _ in range(20):
        d = rng.integers(-3, 5, 9).astype(float)
        if (d == 0).all():
            continue
        peer = stats.wilcoxon(d, zero_method=zeros, method="asymptotic")
        found = wilcoxon(d, np.zeros(9), zeros=zeros, method="normal")
        assert (found.statistic, found.p) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-12)
        # the exact law, by all signs of the ranks that were given
        moved = np.abs(d[d != 0]) if zeros == "wilcox" else np.abs(d)
        ranks = stats.rankdata(moved)[moved != 0]
        sums = np.array([sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in all_signs(len(ranks))])
        up = found.for_first
        tail = min((sums <= up + 1e-9).mean(), (sums >= up - 1e-9).mean())
        assert wilcoxon(d, np.zeros(9), zeros=zeros).p == pytest.approx(min(1, 2 * tail), abs=1e-12)


def all_signs(n: int) -> Any:
    return itertools.product([False, True], repeat=n)


def test_wilcoxon_orientation_words_and_refusals() -> None:
    low, high = np.arange(10) / 10, np.arange(10) / 10 + np.linspace(0.01, 0.1, 10)
    assert wilcoxon(low, high, lower_is_better=True, names=("a", "b")).verdict.startswith(
        "a is significantly better than b over the 10"
    )
    assert wilcoxon(low, high, names=("a", "b")).verdict.startswith("b is significantly better than a")
    same = wilcoxon(low, low)
    assert (same.p, same.equal) == (1.0, 10)
    assert same.verdict.startswith("No significant difference between A and B over the 10 data sets")
    for bad in [([1, 2], [1, 2, 3]), ([1], [2]), ([1, math.nan], [1, 2])]:
        with pytest.raises(karat.InputError):
            wilcoxon(*bad)
    with pytest.raises(karat.InputError, match="pratt"):
        wilcoxon([1, 2], [2, 3], zeros="drop")


def test_wilcoxon_keeps_its_level() -> None:
    rng = np.random.default_rng(2)
    d = rng.normal(size=(2000, 12))
    exact = [wilcoxon(row, np.zeros(12)).p <= 0.05 for row in d]
    assert keeps_its_level(exact, 0.05, exactly=False)
    assert np.mean(exact) > 0.03
    normal = [wilcoxon(row, np.zeros(12), method="normal").p <= 0.05 for row in d]
    assert keeps_its_level(normal, 0.05)


# --------------------------------------------------------------------------------- folds of one data set


def test_corrected_t_is_the_plain_one_without_correction() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 15))
    peer = stats.ttest_rel(a, b)
    found = corrected_t(a, b, 0)
    assert (found.t, found.p) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-12)
    assert found.interval == pytest.approx(tuple(peer.confidence_interval()), abs=1e-12)


def test_corrected_t_by_its_definition() -> None:
    """Nadeau & Bengio 2003: t = mean / sqrt((1/J + n2/n1) s^2), J - 1 degrees of freedom."""
    d = [0.02, 0.03, -0.01, 0.04, 0.01, 0.05, 0.0, 0.02, 0.01, 0.03]
    mean = sum(d) / 10
    s2 = sum((x - mean) ** 2 for x in d) / 9
    t = mean / math.sqrt((1 / 10 + 1 / 9) * s2)
    found = corrected_t(d, [0] * 10, 1 / 9)
    assert (found.t, found.p) == pytest.approx((t, 2 * stats.t.sf(t, 9)), abs=1e-12)


def test_corrected_t_keeps_its_level_where_the_plain_one_does_not() -> None:
    """Random splits share training cases: differences correlated by n2 / (n1 + n2), as Nadeau & Bengio suppose."""
    rng = np.random.default_rng(4)
    rho, J = 0.1, 20
    shared = rng.normal(size=(2000, 1)) * math.sqrt(rho)
    d = shared + rng.normal(size=(2000, J)) * math.sqrt(1 - rho)
    ratio = rho / (1 - rho)
    assert keeps_its_level([corrected_t(row, np.zeros(J), ratio).p <= 0.05 for row in d], 0.05)
    assert np.mean([corrected_t(row, np.zeros(J), 0).p <= 0.05 for row in d]) > 0.2
    sure = [max((p := bayes_t(row, np.zeros(J), ratio)).p_first, p.p_second) >= 0.975 for row in d]
    assert keeps_its_level(sure, 0.05)


def test_folds_without_spread() -> None:
    same, ahead = corrected_t([0.5] * 4, [0.5] * 4, 1 / 3), corrected_t([0.6] * 4, [0.5] * 4, 1 / 3)
    assert math.isnan(same.p)
    assert "equal on every fold" in same.verdict
    assert (ahead.p, ahead.t) == (0.0, math.inf)
    found = bayes_t([0.6] * 4, [0.5] * 4, 1 / 3, rope=0.2)
    assert (found.p_first, found.p_rope, found.p_second) == (0, 1, 0)
    assert "are practically equivalent (probabilities: A under 1 %, within 0.200 over 99 %, B" in found.verdict
    even = bayes_t([0.6] * 4, [0.6] * 4, 1 / 3)
    assert (even.p_first, even.p_second) == (0.5, 0.5)
    json.dumps([x.to_dict() for x in (same, ahead, found)])
    shown = dict(zip(*ahead.to_table().columns.values(), strict=True))
    assert (shown["names (first)"], shown["df"], shown["interval (second)"]) == ("A", 3, pytest.approx(0.1))
    with pytest.raises(karat.InputError, match="ratio"):
        corrected_t([1, 2], [2, 4], -1)
    with pytest.raises(karat.InputError, match="rope"):
        bayes_t([1, 2], [2, 4], 0.1, rope=-1)


@pytest.mark.parametrize("rope", [0, 0.01, 0.05])
def test_bayes_t_agrees_with_baycomp(rope: float) -> None:
    peer = pytest.importorskip("baycomp")
    rng = np.random.default_rng(6)
    x, y = rng.normal(0.8, 0.03, (2, 30))
    theirs = peer.two_on_single(x, y, rope=rope, runs=3)  # 3 x 10 folds
    found = bayes_t(x, y, 1 / 9, rope=rope)
    mine = (found.p_first, found.p_rope, found.p_second) if rope else (found.p_first, found.p_second)
    assert mine == pytest.approx(theirs, abs=1e-9)
    turned = bayes_t(x, y, 1 / 9, rope=rope, lower_is_better=True)
    assert (turned.p_second, turned.p_first) == pytest.approx((found.p_first, found.p_second), abs=1e-12)


@pytest.mark.parametrize("rope", [0, 0.01, 0.02])
def test_bayes_ranks_agrees_with_baycomp(rope: float) -> None:
    """Within Monte Carlo error: 5 standard errors of two samples of 20,000."""
    peer = pytest.importorskip("baycomp")
    rng = np.random.default_rng(7)
    x = rng.normal(0.8, 0.05, 15)
    y = x + rng.normal(0.006, 0.02, 15)
    y[0] = x[0]
    theirs = peer.SignedRankTest.probs(x, y, rope, nsamples=20_000, random_state=1)
    found = bayes_ranks(x, y, rope=rope, draws=20_000, seed=1)
    mine = (found.p_first, found.p_rope, found.p_second) if rope else (found.p_first, found.p_second)
    assert mine == pytest.approx(theirs, abs=5 * math.sqrt(2 * 0.25 / 20_000))
    assert found.p_first + found.p_rope + found.p_second == pytest.approx(1, abs=1e-12)


def test_bayes_ranks_on_the_edge_of_the_rope() -> None:
    """Whole eighths, so that a mean difference can be the rope itself, in floating point too."""
    peer = pytest.importorskip("baycomp")
    d = np.random.default_rng(17).integers(-2, 5, 15) / 8
    theirs = peer.SignedRankTest.probs(np.zeros(15), d, 1 / 8, nsamples=20_000, random_state=1)
    found = bayes_ranks(np.zeros(15), d, rope=1 / 8, draws=20_000, seed=1)
    assert (found.p_first, found.p_rope, found.p_second) == pytest.approx(theirs, abs=5 * math.sqrt(0.5 / 20_000))
    shifted = bayes_ranks(np.full(15, 0.1), d + 0.1, rope=1 / 8, draws=20_000, seed=1)  # the same but for rounding
    assert shifted.p_rope == found.p_rope


def test_bayes_ranks_is_seedable_and_rarely_sure_without_a_difference() -> None:
    rng = np.random.default_rng(8)
    one = bayes_ranks([1, 2, 3, 5], [2, 1, 3, 4], seed=3, draws=500)
    assert one.to_dict() == bayes_ranks([1, 2, 3, 5], [2, 1, 3, 4], seed=3, draws=500).to_dict()
    sure = []
    for row in rng.normal(size=(400, 15)):
        found = bayes_ranks(row, np.zeros(15), draws=500, seed=rng)
        sure.append(max(found.p_first, found.p_second) >= 0.975)
    assert keeps_its_level(sure, 0.06)
    assert one.verdict == "Neither A nor B is shown to be better (probabilities: A 77 %, B 23 %)."
    with pytest.raises(karat.InputError, match="prior"):
        bayes_ranks([1, 2], [2, 1], prior=0)


def test_the_size_of_wilcoxons_effect() -> None:
    """Differences 1, 2, -3, 4, 5: ranks 12 for the first and 3 for the second, 9 of 15."""
    found = wilcoxon([1.0, 2.0, 0.0, 4.0, 5.0], [0.0, 0.0, 3.0, 0.0, 0.0])
    assert found.rank_biserial == pytest.approx(9 / 15)
    assert found.to_dict()["rank_biserial"] == found.rank_biserial
    assert wilcoxon([1.0, 2.0], [1.0, 2.0]).to_dict()["rank_biserial"] is None
