"""Gaps: their values by hand, their p-values by brute force and by simulation, their intervals by what must hold."""

from __future__ import annotations

import math
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.core.errors import InputError
from karat.core.measure import PRIOR
from karat.groups.gap import _spread, permuted
from karat.groups.gap_intervals import Values, largest_difference, range_level, shrunken, spread
from karat.groups.group_gaps import free_of_prevalence
from karat.groups.reassignments import Labelling
from karat.intervals.interval import Interval
from karat.measures.lookup import find
from karat.measures.value import MeasureOf


def planted(seed: int, recalls: tuple[float, ...] = (0.8, 0.8, 0.6), n: int = 1500) -> karat.Evaluation:
    rng = np.random.default_rng(seed)
    site = rng.integers(0, len(recalls), n)
    y = (rng.random(n) < 0.4).astype(int)
    d = np.where(y == 1, rng.random(n) < np.array(recalls)[site], rng.random(n) < 0.2).astype(int)
    return karat.evaluate(y, y_pred=d, by={"site": np.array(["a", "b", "c"])[site]})


def test_the_kinds_of_a_gap_by_hand() -> None:
    e = planted(0)
    g = e.by("site")
    v = dict(zip(g.groups, g["recall"].value, strict=True))
    gap = g.gap("recall")
    assert gap.value == pytest.approx(max(v.values()) - min(v.values()), abs=1e-12)
    assert (gap.worst, v[gap.best]) == ("c", max(v.values()))
    assert 0 < gap.low < gap.value < gap.high
    assert gap.p < 0.01
    assert gap.p_by_group["c"] < 0.01
    assert g.gap("recall", "ratio").value == pytest.approx(min(v.values()) / max(v.values()), abs=1e-12)
    worst = g.gap("recall", "worst")
    assert worst.value == pytest.approx(g["recall"].difference[2], abs=1e-12)
    assert worst.low < worst.value < worst.high < 0
    assert g.gap("recall", "spread").low > 0
    assert "differs significantly between 3 groups: largest difference" in gap.verdict


def test_the_worst_group_of_a_loss_is_the_one_with_the_largest() -> None:
    y = np.tile([0, 1], 200)
    p = np.where(np.arange(400) < 200, 0.1 + 0.8 * y, 0.4 + 0.2 * y)
    assert karat.evaluate(y, p).by(np.repeat(["sharp", "dull"], 200)).gap("log loss").worst == "dull"


def test_deviations_are_counted_as_by_brute_force() -> None:
    """All permutations of a small problem: the share that is as far, by a loop of its own."""
    hit = np.array([1, 1, 1, 0, 0, 1, 0, 0], float)
    seen = np.array([hit[:4].mean(), hit[4:].mean()])
    drawn = []
    for first in combinations(range(8), 4):
        inside = np.isin(np.arange(8), first)
        drawn.append([hit[inside].mean(), hit[~inside].mean()])
    found = permuted(seen, np.array(drawn), 0.95)
    as_far = [abs(a - b) >= abs(seen[0] - seen[1]) - 1e-12 for a, b in drawn]
    assert found.p == pytest.approx((1 + sum(as_far)) / (1 + len(drawn)))


@pytest.mark.parametrize(
    ("name", "within"), [("Recall", "classes"), ("Acc", "all"), ("AUC", "classes"), ("MCC", "all")]
)
def test_labels_are_dealt_as_a_plain_permutation_deals_them(name: str, within: str) -> None:
    """Mean and standard deviation of each group's value over permutations, against numpy's own permutations."""
    rng = np.random.default_rng(3)
    y = (rng.random(90) < 0.5).astype(int)
    p = np.clip(0.5 + 0.25 * (y - 0.5) + rng.normal(0, 0.2, 90), 0.01, 0.99)
    codes = np.repeat([0, 1, 2], [20, 30, 40])
    e = karat.evaluate(y, p)
    m = MeasureOf.on(find(name), e.statistics)
    drawn, why = Labelling(e.statistics.source.cases, codes, 3, within).values(m, 3000, 0)
    assert not why
    loop = np.empty((600, 3))
    for row in loop:
        shuffled = codes.copy()
        if within == "classes":
            for c in (0, 1):
                shuffled[y == c] = rng.permutation(codes[y == c])
        else:
            shuffled = rng.permutation(codes)
        row[:] = [karat.evaluate(y[shuffled == g], p[shuffled == g], labels=[0, 1])[name] for g in range(3)]
    error = loop.std(axis=0)
    assert np.abs(drawn.mean(axis=0) - loop.mean(axis=0)).max() < 5 * error.max() / math.sqrt(600)
    assert drawn.std(axis=0) == pytest.approx(error, rel=0.15)


def test_a_common_prevalence_keeps_being_rarer_apart() -> None:
    """One classifier, groups of different prevalence: precision differs, and at a common prevalence it does not."""
    rng = np.random.default_rng(8)
    site = rng.integers(0, 2, 6000)
    y = (rng.random(6000) < np.where(site == 0, 0.5, 0.1)).astype(int)
    d = (rng.random(6000) < np.where(y == 1, 0.8, 0.1)).astype(int)
    g = karat.evaluate(y, y_pred=d).by(np.where(site == 0, "common", "rare"))
    own, restated = g.gap("precision"), g.gap("precision", prevalence="common")
    assert own.p < 0.01
    assert own.value > 0.3
    assert restated.p > 0.05
    assert restated.value < 0.05
    assert restated.null == "group labels permuted within true classes"
    inside = site == 0
    at = karat.evaluate(y[inside], y_pred=d[inside]).at_prevalence(float(y.mean()))["precision"]
    other = karat.evaluate(y[~inside], y_pred=d[~inside]).at_prevalence(float(y.mean()))["precision"]
    assert restated.value == pytest.approx(abs(at - other), abs=1e-12)
    assert g.gap("recall", prevalence="common").value == g.gap("recall").value
    weighted = karat.evaluate(y, y_pred=d, sample_weight=np.full(6000, 2.0)).by(np.where(site == 0, "common", "rare"))
    twice = weighted.gap("precision", prevalence="common", replicates=199)
    assert twice.value == pytest.approx(restated.value, abs=1e-12)
    assert twice.p == pytest.approx(restated.p, abs=0.15)


def test_the_interval_holds_0_exactly_where_the_test_does_not_reject() -> None:
    for seed in range(25):
        g = planted(seed, (0.8, 0.8, 0.72), 900).by("site")
        for kind in ("difference", "worst", "ratio"):
            gap = g.gap("recall", kind, replicates=199, seed=seed)
            without = 1.0 if kind == "ratio" else 0.0
            if kind == "ratio":
                assert gap.p <= 0.05 or gap.high == 1
            else:
                assert (gap.low <= without <= gap.high) == (gap.p > 0.05), (seed, kind)


def test_the_test_of_no_gap_rejects_as_often_as_it_says() -> None:
    rejected = [planted(s, (0.8, 0.8, 0.8), 600).by("site").gap("recall", replicates=99, seed=s).p <= 0.05
                for s in range(150)]  # fmt: skip
    assert stats.binomtest(sum(rejected), len(rejected), 0.05).pvalue > 0.001


def test_names_of_the_literature_are_gaps_of_measures() -> None:
    g = planted(2).by("site")
    assert g.gap("demographic parity").value == g.gap("PredPos").value
    assert g.gap("equal_opportunity").value == g.gap("recall").value
    assert g.gap("predictive parity").value == g.gap("precision").value
    odds = g.gap("equalized odds")
    assert odds.value == max(g.gap("recall").value, g.gap("FPR").value)
    assert odds.title == "Equalised odds"
    assert "the larger of the gaps in Recall and False positive rate" in odds.reason


@pytest.mark.parametrize("kind", ["difference", "ratio", "worst", "spread"])
def test_equalised_odds_is_the_larger_of_both_gaps_of_every_kind(kind: str) -> None:
    """Group a misses more, group b is wrongly accused much more often: the smaller ratio is the larger gap."""
    rng = np.random.default_rng(0)
    site = rng.integers(0, 3, 1500)
    y = (rng.random(1500) < 0.4).astype(int)
    rate = np.where(y == 1, np.array([0.65, 0.8, 0.8])[site], np.array([0.15, 0.25, 0.15])[site])
    g = karat.evaluate(y, y_pred=(rng.random(1500) < rate).astype(int)).by(np.array(["a", "b", "c"])[site])
    recall, wrong = (g.gap(name, kind, replicates=499, level=0.975) for name in ("recall", "FPR"))
    odds = g.gap("equalised odds", kind, replicates=499)
    assert (odds.value, odds.worst, odds.level) == (wrong.value, "b", 0.95)
    assert odds.p == pytest.approx(2 * min(recall.p, wrong.p))
    if kind == "ratio":
        assert odds.value == min(recall.value, wrong.value)
        assert (odds.low, odds.high) == (min(recall.low, wrong.low), min(recall.high, wrong.high))
        assert odds.high < 1
    assert "here that in False positive rate" in odds.reason


def test_equalised_odds_of_a_group_without_positives() -> None:
    y = np.tile([0, 1], 150)
    site = np.repeat(["a", "b", "healthy"], 100)
    y[200:] = 0
    gap = karat.evaluate(y, y_pred=y * (np.arange(300) % 5 > 0)).by(site).gap("equalised odds")
    assert (gap.groups, gap.left_out) == (2, {"healthy": "it has fewer than 5 cases of each class"})


def test_small_groups_are_left_out_and_named() -> None:
    y = np.tile([0, 1], 106)
    site = np.repeat(["a", "b", "tiny"], [100, 104, 8])
    gap = karat.evaluate(y, y_pred=y * (np.arange(212) % 5 > 0)).by(site).gap("accuracy")
    assert gap.left_out == {"tiny": "it has fewer than 10 cases"}
    assert gap.groups == 2


def test_corrections_over_measures_are_holms() -> None:
    g = planted(4).by("site")
    table = g.gaps(["recall", "precision", "accuracy"], replicates=499)
    p = sorted(float(x) for x in table.columns["p"])
    assert min(float(x) for x in table.columns["p (Holm)"]) == pytest.approx(min(1, 3 * p[0]))


def test_bad_options_are_refused_in_a_sentence() -> None:
    g = planted(5).by("site")
    with pytest.raises(InputError, match="kind is 'biggest'; it is one of difference, ratio, worst, spread"):
        g.gap("recall", "biggest")
    with pytest.raises(InputError, match="prevalence is 'same'; it is one of own, common"):
        g.gap("recall", prevalence="same")
    with pytest.raises(InputError, match="within is 'sites'; it is one of classes, all"):
        g.gap("recall", within="sites")


def test_tukeys_range_is_scipys() -> None:
    for groups in (3, 5, 20):
        q = stats.studentized_range.ppf(0.95, groups, np.inf)
        assert stats.norm.ppf((1 + range_level(groups, 0.95)) / 2) * math.sqrt(2) == pytest.approx(q, rel=1e-4)


def test_the_largest_difference_of_two_is_the_difference_of_the_two() -> None:
    v = Values(np.array([0.9, 0.6]), np.array([0.85, 0.5]), np.array([0.93, 0.7]))
    low, high = largest_difference(v)
    assert low == pytest.approx(0.3 - math.hypot(0.05, 0.1))
    assert high == pytest.approx(0.3 + math.hypot(0.03, 0.1))


def test_the_spread_is_the_root_of_paule_and_mandels_equation() -> None:
    value, error = np.array([0.7, 0.8, 0.9, 0.6]), np.array([0.03, 0.02, 0.04, 0.05])
    tau, low, high = spread(value, error, 0.95)

    def q(t: float) -> float:
        weight = 1 / (error**2 + t * t)
        return float((weight * (value - np.average(value, weights=weight)) ** 2).sum())

    assert q(tau) == pytest.approx(3, rel=1e-6)
    assert q(low) == pytest.approx(stats.chi2.ppf(0.975, 3), rel=1e-6)
    assert q(high) == pytest.approx(stats.chi2.ppf(0.025, 3), rel=1e-6)
    assert spread(np.full(4, 0.5), error, 0.95)[:2] == (0.0, 0.0)
    weight = 1 / (error**2 + tau**2)
    mean = np.average(value, weights=weight)
    assert shrunken(value, error) == pytest.approx(mean + tau**2 * weight * (value - mean), rel=1e-6)


def test_the_smallest_p_is_known() -> None:
    y, d = np.ones(20, int), np.repeat([1, 0], 10)
    y[::2] = 0
    gap = karat.evaluate(y, y_pred=d).by(np.repeat(["a", "b"], 10)).gap("accuracy", replicates=99)
    assert gap.smallest_p == pytest.approx(0.01)
    given = Labelling(karat.evaluate(y[:8], y_pred=d[:8]).statistics.source.cases, np.repeat([0, 1], 4), 2, "all")
    assert math.exp(given.arrangements) == pytest.approx(70)


GAPS = {
    "group_gap": "accuracy",
    "demographic_parity": "PredPos",
    "equal_opportunity": "recall",
    "equalised_odds": "equalised_odds",
    "predictive_parity": "precision",
}


@pytest.mark.parametrize("name", GAPS)
def test_every_comparison_of_groups_is_the_gap_of_one_column(name: str) -> None:
    e = planted(6)
    halves = np.arange(1500) % 2
    compared = karat.catalogue.comparisons[name].function
    assert compared(e, halves, replicates=20).value == e.by(halves).gap(GAPS[name], replicates=20).value
    with pytest.raises(InputError, match="a gap is one of a single column of groups"):
        compared(e, {"half": halves, "other half": 1 - halves}, replicates=20)


def test_what_depends_on_frequencies_is_seen_by_changing_them() -> None:
    """By brute force: every measure of two classes, with other weights of the classes."""
    rng = np.random.default_rng(8)
    y = np.arange(80) % 2
    p = np.clip(0.3 * y + 0.7 * rng.random(80), 0, 1)
    plain = karat.evaluate(y, p, positive=1)
    other = karat.evaluate(y, p, positive=1, sample_weight=np.where(y == 1, 1.75, 0.5))
    found = {}
    for m in karat.catalogue.measures.values():
        if PRIOR in m.invariant or m.symbol not in plain.values("all") or math.isnan(plain[m]):
            continue
        of = MeasureOf.on(m, plain.statistics)
        found[m.symbol] = free_of_prevalence(of, plain.statistics)
        if of.kind.weighted:
            assert found[m.symbol] == math.isclose(plain[m], other[m], rel_tol=1e-9, abs_tol=1e-12), m.symbol
        else:
            assert not found[m.symbol]
    assert {True, False} == set(found.values())


def test_the_spread_needs_the_precision_of_every_group() -> None:
    """One group whose interval has no width would weigh all; of two groups that are known there is a spread."""
    ends = {"known": (0.4, 0.6), "also known": (0.5, 0.8), "without width": (0.7, 0.7)}
    for names in (["known", "also known"], ["known", "without width"], ["known", "also known", "without width"]):
        values = [sum(ends[name]) / 2 for name in names]
        each = [Interval(v, *ends[n], 0.95, "") for v, n in zip(values, names, strict=True)]
        compared: Any = SimpleNamespace(values=np.array(values), ends=lambda _, each=each: each, labels=names)
        value, low, high, said = _spread(compared, 0.95, 0)
        if "without width" in names:
            assert math.isnan(value)
            assert said == "the precision of some group is not known"
        else:
            assert 0 <= low <= value <= high


def test_groups_without_a_value_are_left_out_and_named() -> None:
    """By hand: nobody of group c is predicted as positive, so that its precision is 0/0."""
    y = np.tile([1, 1, 0, 0], 30)
    d = np.concatenate([np.tile([1, 1, 1, 0], 10), np.tile([1, 0, 0, 0], 10), np.zeros(40, int)])
    gap = karat.evaluate(y, y_pred=d, positive=1).by(np.repeat(["a", "b", "c"], 40)).gap("PPV", replicates=50)
    assert gap.left_out == {"c": "the class was never predicted"}
    assert gap.value == pytest.approx(1 - 2 / 3)
    alone = karat.evaluate(y[40:], y_pred=d[40:], positive=1).by(np.repeat(["b", "c"], 40)).gap("PPV", replicates=50)
    assert math.isnan(alone.value)
    assert alone.reason == "fewer than two groups have a value"
