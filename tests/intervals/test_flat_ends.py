"""Measures near an end of their range at which they are flat: decisions that tell nothing, largest entropies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

NEIGHBOURS = (
    [[25, 25], [25, 25]],
    [[26, 24], [25, 25]],
    [[26, 24], [24, 26]],
    [[28, 22], [22, 28]],
    [[30, 20], [20, 30]],
)


def mixed(k: int, told: float) -> Any:
    """Of balanced classes: decisions at random, but for a share that is right."""
    return (1 - told) / k**2 + told * np.eye(k) / k


def misses(shares: Any, n: int, symbols: list[str], samples: int) -> dict[str, float]:
    truth = karat.evaluate_matrix(np.round(1e9 * shares)).values(symbols)
    tables = np.random.default_rng([n, len(shares)]).multinomial(n, shares.ravel(), samples)
    found = dict.fromkeys(symbols, 0)
    for seed, table in enumerate(tables):
        e = karat.evaluate_matrix(table.reshape(shares.shape))
        for m, one in e.intervals(symbols, seed=seed, replicates=400).items():
            found[m] += not one.low - 1e-9 <= truth[m] <= one.high + 1e-9
    return {m: x / samples for m, x in found.items()}


@pytest.mark.parametrize(("k", "n", "told"), [(2, 60, 0.136), (2, 300, 0.136), (3, 100, 0.1), (5, 60, 0.0)])
def test_what_hardly_informative_decisions_tell_is_covered(k: int, n: int, told: float) -> None:
    """Of two classes, 60 and 300 cases, NIT and RCI were held in 0.84 and 0.85, EMA of 300 in 0.89, and the entropy of
    the true classes (as k_X) in 0.6 to 0.75."""
    missed = misses(mixed(k, told), n, ["NIT", "RCI", "EMA", "VI", "k_X"], 120)
    assert max(missed.values()) < 0.1, missed


def test_intervals_of_neighbouring_tables_are_neighbours() -> None:
    """The upper end of NIT went from 0.536 to 0.502, 0.504 and 0.999."""
    ends = [karat.evaluate_matrix(t).intervals(["NIT", "RCI", "EMA"]) for t in NEIGHBOURS]
    for m in ("NIT", "RCI", "EMA"):
        high = np.array([found[m].high for found in ends])
        assert (np.diff(high) > -0.003).all(), high
        assert (np.diff(high) < 0.05).all(), high
        assert all(found[m].low <= found[m].value <= found[m].high for found in ends)
    strong = karat.evaluate_matrix([[40, 10], [10, 40]]).intervals(["NIT", "RCI"])
    assert {one.method for one in strong.values()} == {"jackknife"}


def test_nothing_told_is_no_surer_than_the_correlation() -> None:
    """Of two balanced classes mutual information is a function of MCC: the interval reaches as far, or farther."""
    for t in NEIGHBOURS:
        found = karat.evaluate_matrix(t).intervals(["MI", "MCC"])
        right = (1 + found["MCC"].high) / 2
        assert found["MI"].high > 0.9 * (1 + right * np.log2(right) + (1 - right) * np.log2(1 - right))


def test_given_frequencies_are_kept() -> None:
    """Of balanced classes that were chosen so, the entropy of a class that is left is that of decisions alone."""
    found = karat.evaluate_matrix([[28, 22], [22, 28]]).intervals(["NIT", "EMA"], stratified=True)
    assert found["NIT"].high == pytest.approx(found["EMA"].high, rel=1e-9)
    assert found["NIT"].low == 0.5


@pytest.mark.parametrize("groups", [None, np.arange(60) % 12])
def test_entropies_lie_in_the_range_of_so_many_classes(groups: Any) -> None:
    """H_Y of two classes had [1.00, 1.01], the effective number of decisions [2.00, 2.01]."""
    rng = np.random.default_rng(3)
    symbols = [
        "H_Y",
        "m_Y",
        "H_X|Y",
        "H_Y|X",
        "H_XY",
        "MI",
        "VI",
        "DH",
        "DH_X",
        "DH_Y",
        "delta_X",
        "delta_Y",
        "mu",
        "ET_2MI",
    ]
    most = dict(zip(symbols, (1, 2, 1, 1, 2, 1, 2, 2, 1, 1, 2, 2, 2, 1), strict=True))
    for n in (6, 20, 60):
        y, decided = np.arange(n) % 2, rng.permutation(np.arange(n) // 3 % 2)
        e = karat.evaluate(y, y_pred=decided)
        for m, one in e.intervals(list(most), groups=None if groups is None else groups[:n]).items():
            least = 1 if m in ("m_Y", "delta_X", "delta_Y", "mu") else 0
            assert not one.low < least - 1e-12, (m, one)
            assert not one.high > most[m] + 1e-12, (m, one)


def test_rejected_cases_are_one_decision_more() -> None:
    e = karat.evaluate_matrix([[10, 10, 11], [10, 11, 10]], labels=[0, 1])
    assert 1 < e.intervals("H_Y")["H_Y"].low < e["H_Y"] <= e.intervals("H_Y")["H_Y"].high <= np.log2(3)


@pytest.mark.parametrize("way", ["groups", "weights", "prevalence"])
def test_where_tables_are_not_drawn_an_interval_near_a_flat_end_is_not_silent(way: str) -> None:
    """With groups or weights NIT and EMA of decisions at random were held in 0.63 to 0.73, at a given prevalence in
    0.12, without a word."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    for right, said in ((0.0, True), (0.6, False)):
        decided = np.where(rng.random(300) < right, y, rng.integers(0, 2, 300))
        weight = rng.gamma(4, 0.25, 300) if way == "weights" else None
        e = karat.evaluate(y, y_pred=decided, positive=1, sample_weight=weight)
        e = e.at_prevalence(0.5) if way == "prevalence" else e
        groups = np.arange(300) // 10 if way == "groups" else None
        for symbol, one in e.intervals(["NIT", "RCI", "EMA"], groups=groups).items():
            assert ("so near the end of its range" in one.reason) == said, (symbol, right)
            assert (one.low != one.low) == (said and way == "prevalence")


def test_an_interval_near_a_flat_end_says_why_it_leaves_out_its_value() -> None:
    """Of many classes at random chance makes the value larger than all values of the interval, which was not said."""
    y, p = (np.random.default_rng(seed).integers(0, 8, 300) for seed in (0, 1))
    e = karat.evaluate(y, y_pred=p)
    for symbol, one in e.intervals(["NIT", "RCI", "EMA"]).items():
        assert one.high < e[symbol]
        assert "the value corrected for its small-sample bias of" in one.reason


def test_an_interval_that_does_not_leave_the_flat_end_is_none() -> None:
    """21 cases: the distance of the decisions' entropy from its largest value was 0.003 [0, 2e-16]."""
    y = [1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1]
    p = [0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    found = karat.evaluate(y, y_pred=p, positive=1).intervals(["DH", "ET_DH"], replicates=200)
    for one in found.values():
        assert one.high - one.low > 1e-9 or (one.low != one.low and "so near the end" in one.reason)
