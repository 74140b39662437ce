"""Tests of two models: McNemar's, Wilcoxon's, the corrected and the Bayesian t, equivalence, corrections."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.bayes_ranks import bayes_ranks
from karat.comparisons.bayes_t import bayes_t
from karat.comparisons.corrected_t import corrected_t
from karat.comparisons.corrections import CORRECTIONS, bonferroni, correction, hochberg, holm
from karat.comparisons.equivalence import equivalence, equivalence_of_replicates
from karat.comparisons.mcnemar import METHODS, mcnemar
from karat.comparisons.wilcoxon import wilcoxon


def keeps_its_level(rejections: Any, level: float, exactly: bool = True) -> bool:
    """Is the share of rejections within four standard errors of the level (or below it)?"""
    share, error = np.mean(rejections), math.sqrt(level * (1 - level) / len(rejections))
    return bool(share < level + 4 * error and (not exactly or share > level - 4 * error))


# ------------------------------------------------------------------------------------------------ McNemar


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


def test_mid_p_is_half_of_the_chance_of_what_was_seen_less() -> None:
    for b, c in itertools.product(range(6), range(6)):
        law = stats.binom(b + c, 0.5).pmf(np.arange(b + c + 1))
        tail = law[: min(b, c) + 1].sum() - law[min(b, c)] / 2
        assert METHODS["mid-p"](b, c)[1] == pytest.approx(min(1, 2 * tail), abs=1e-12)


def test_mcnemar_words_and_refusals() -> None:
    found = mcnemar(*flips(50, 30, 2, 5), names=("forest", "tree"))
    assert found.verdict.startswith("forest is right more often than tree (30 to 2 of the 32 cases")
    assert "can't be told apart" in mcnemar(*flips(50, 3, 2, 5)).verdict
    assert "same cases" in mcnemar(*flips(50, 0, 0, 5)).verdict
    assert mcnemar(*flips(50, 0, 0, 5)).p == 1
    assert mcnemar(*flips(5, 0, 0, 5), method="chi-square").to_dict()["p"] is None
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
    assert wilcoxon(low, high, lower_is_better=True, names=("a", "b")).verdict.startswith("a is better than b")
    assert wilcoxon(low, high, names=("a", "b")).verdict.startswith("b is better than a")
    same = wilcoxon(low, low)
    assert (same.p, same.equal) == (1.0, 10)
    assert "can't be told apart" in same.verdict
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
    assert "equivalent in practice" in found.verdict
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
    assert "undecided" in one.verdict
    with pytest.raises(karat.InputError, match="prior"):
        bayes_ranks([1, 2], [2, 1], prior=0)


# -------------------------------------------------------------------------------------------- equivalence


def test_equivalence_agrees_with_statsmodels() -> None:
    peer = pytest.importorskip("statsmodels.stats.weightstats")
    d = np.random.default_rng(9).normal(0.02, 0.1, 25)
    p, below, above = peer.DescrStatsW(d).ttost_mean(-0.05, 0.08)
    found = equivalence(float(d.mean()), float(stats.sem(d)), (-0.05, 0.08), df=24)
    assert (found.p, found.p_below, found.p_above) == pytest.approx((p, below[1], above[1]), abs=1e-12)
    low, high = peer.DescrStatsW(d).tconfint_mean(alpha=0.1)
    assert found.interval == pytest.approx((low, high), abs=1e-12)
    assert found.equivalent == (found.interval[0] > -0.05 and found.interval[1] < 0.08)


def test_equivalence_keeps_its_level_at_the_margin() -> None:
    rng = np.random.default_rng(10)
    data = rng.normal(0.5, 1, (2000, 40))  # the true difference is the margin: not equivalent
    errors = data.std(axis=1, ddof=1) / math.sqrt(40)
    found = [equivalence(m, e, 0.5, df=39).equivalent for m, e in zip(data.mean(axis=1), errors, strict=True)]
    assert keeps_its_level(found, 0.05)
    draws = rng.normal(data.mean(axis=1)[:, None], errors[:, None], (2000, 999))
    assert keeps_its_level([equivalence_of_replicates(row, 0.5).equivalent for row in draws], 0.057)


def test_equivalence_of_replicates_counts_and_words() -> None:
    draws = np.linspace(-0.02, 0.02, 999)
    found = equivalence_of_replicates(draws, 0.03, estimate=0.001)
    assert found.p == 1 / 1000
    assert found.verdict.startswith("A and B are equivalent: the difference is too small to matter (difference .001 [")
    beyond = equivalence(0.5, 0.01, 0.1, names=("new", "old"))
    assert "not equivalent: new is above old by more than the margin" in beyond.verdict
    assert "not shown to be equivalent" in equivalence(0.05, 0.1, 0.1).verdict
    json.dumps(found.to_dict())
    assert dict(zip(*found.to_table().columns.values(), strict=True))["margin above"] == 0.03
    for bad in [(0.1, 0.1, 0), (0.1, 0, 0.1), (math.nan, 1, 0.1), (0.1, 0.1, (0.1, 0.2))]:
        with pytest.raises(karat.InputError):
            equivalence(*bad)
    with pytest.raises(karat.InputError, match="not finite"):
        equivalence_of_replicates([1, math.nan], 0.1)


# -------------------------------------------------------------------------------------------- corrections


@pytest.mark.parametrize(
    ("name", "theirs"), [("holm", "holm"), ("hochberg", "simes-hochberg"), ("bonferroni", "bonferroni")]
)
def test_corrections_agree_with_statsmodels(name: str, theirs: str) -> None:
    peer = pytest.importorskip("statsmodels.stats.multitest").multipletests
    rng = np.random.default_rng(11)
    for size in (1, 2, 7, 30):
        p = rng.random(size) ** 2
        assert CORRECTIONS[name](p) == pytest.approx(peer(p, method=theirs)[1], abs=1e-12)


def test_corrections_keep_the_level_of_the_family() -> None:
    rng = np.random.default_rng(12)
    p = rng.random((2000, 8))
    for adjust in (holm, hochberg, bonferroni):
        any_alarm = [(adjust(row) <= 0.05).any() for row in p]
        assert keeps_its_level(any_alarm, 0.05)


def test_corrections_of_odd_input() -> None:
    assert holm([0.01, math.nan, 0.04]).tolist() == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)
    assert holm([]).tolist() == []
    for bad in ([0.1, 1.2], [[0.1]], ["a"]):
        with pytest.raises(karat.InputError):
            holm(bad)
    with pytest.raises(karat.InputError, match="holm"):
        correction("sidak")
