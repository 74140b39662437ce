"""Tests of two models: McNemar's, equivalence; corrections for many tests."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.equivalence import equivalence, equivalence_of_replicates
from karat.comparisons.mcnemar import METHODS, mcnemar
from karat.statistics.p_values import CORRECTIONS, bonferroni, correction, hochberg, holm


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
