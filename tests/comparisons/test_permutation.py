"""The paired permutation test, by exchanging cases one by one."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

import karat
from cases import probabilities, rounded
from comparisons.test_mcnemar import flips
from karat.comparisons.mcnemar import mcnemar
from karat.comparisons.permutation import permutation_test
from karat.data import Predictions
from karat.measures.lookup import find
from karat.resampling.exchanges import Exchanges
from levels import keeps_its_level

MEASURES = ["Acc", "MCC", "CEN", "F1", "MSE", "LogL", "rpCEN", "AU1U", "AUC", "CalL", "CalB", "SAUC", "ECE"]
"""Formulas on counts, on one class against the rest, on sums, on bins, and on what does not add up."""


def two_models(n: int = 24, k: int = 2, same: int = 0, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    a, b = (rounded(probabilities(rng, n, k), 16) for _ in range(2))
    b[:same] = a[:same]
    return y, a, b


def by_hand(symbol: str, y: Any, a: Any, b: Any, weight: Any = None) -> float:
    """All exchanges, evaluated anew."""
    differ = np.flatnonzero((a != b).any(axis=1))

    def difference(mask: Any) -> float:
        x, z = a.copy(), b.copy()
        x[mask], z[mask] = b[mask], a[mask]
        one, other = (karat.evaluate(y, p, labels=range(a.shape[1]), sample_weight=weight)[symbol] for p in (x, z))
        return abs(one - other)

    seen = difference([])
    masks = [differ[np.array(signs, bool)] for signs in itertools.product([0, 1], repeat=len(differ))]
    return float(np.mean([not difference(mask) < seen - 1e-12 for mask in masks]))


@pytest.mark.parametrize("symbol", MEASURES)
def test_exact_by_hand(symbol: str) -> None:
    y, a, b = two_models(24, 2, same=18)
    assert karat.evaluate(y, a)[symbol] == karat.evaluate(y, a)[symbol], "defined, or the test tells nothing"
    found = permutation_test(symbol, y, (a, b))
    assert found.exact
    seen = [p.argmax(axis=1)[:, None] if symbol in ("Acc", "MCC", "CEN", "F1") else p for p in (a, b)]
    assert found.replicates == 2 ** int((seen[0] != seen[1]).any(axis=1).sum())
    assert found.p == by_hand(symbol, y, a, b)
    assert (found.first, found.second) == (karat.evaluate(y, a)[symbol], karat.evaluate(y, b)[symbol])


@pytest.mark.parametrize("symbol", ["MCC", "MSE", "AU1U", "pCEN"])
@pytest.mark.parametrize("weighted", [False, True])
def test_exact_by_hand_three_classes(symbol: str, weighted: bool) -> None:
    y, a, b = two_models(18, 3, same=12, seed=3)
    w = np.arange(1, 19) / 4 if weighted else None
    assert permutation_test(symbol, y, (a, b), sample_weight=w).p == by_hand(symbol, y, a, b, w)


@pytest.mark.parametrize("symbol", MEASURES)
def test_drawn_values_are_those_of_exchanged_cases(symbol: str) -> None:
    """The three ways to the same values: all exchanges of a few cases, by the quick way and by evaluating again."""
    y, a, b = two_models(20, 2, same=14, seed=5)
    exchanges = Exchanges(*(Predictions.of(y, p) for p in (a, b)), karat.catalogue.measures[symbol])
    n = len(exchanges.cases)
    masks = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)
    again = exchanges._of_cases(iter([masks]))
    assert exchanges.of_all() == pytest.approx(again, abs=1e-12, nan_ok=True)
    if not exchanges._counted:
        assert exchanges._of_masks(iter([masks])) == pytest.approx(again, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("symbol", [*karat.catalogue.measures, "macro(AUC)", "weighted(F1)", "micro(F1)"])
def test_every_measure_can_be_tested(symbol: str) -> None:
    """All exchanges of four cases of three classes: the values that an evaluation gives."""
    y, a, b = two_models(20, 3, same=16, seed=9)
    exchanges = Exchanges(*(Predictions.of(y, p, positive=1) for p in (a, b)), find(symbol))
    n = len(exchanges.cases)
    expected = []
    for i in range(1 << n):
        p = a.copy()
        taken = [case for c, case in enumerate(exchanges.cases) if i >> c & 1]
        p[taken] = b[taken]
        expected.append(karat.evaluate(y, p, positive=1)[symbol])
    found = exchanges.of_all()
    assert found[0] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert found[1] == pytest.approx(expected[::-1], abs=1e-12, nan_ok=True)  # what one has lost the other has got


@pytest.mark.parametrize("symbol", ["MCC", "F1", "MSE", "rpCEN"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_way_does_not_matter(symbol: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tables or single cases are too many to be held, cases are evaluated again, in the end one by one."""
    y, a, b = two_models(20, 3, same=14, seed=10)
    w = np.arange(1, 21) / 4 if weighted else None
    pair = [Predictions.of(y, p, positive=1, sample_weight=w) for p in (a, b)]
    plain = Exchanges(*pair, find(symbol)).of_all()
    for most in (0, 100, 1000):
        monkeypatch.setattr("karat.resampling.exchanges.MOST_OF_CASES", most)
        assert Exchanges(*pair, find(symbol)).of_all() == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("symbol", ["AU1U", "SAUC", "CalL", "AUC"])
def test_models_with_scores_of_another_size(symbol: str) -> None:
    """One model's probabilities are all near one half, the other's near 0 and 1: sorted together all the same."""
    y = np.arange(12) % 2
    rng = np.random.default_rng(12)
    near, far = 0.5 + 1e-3 * rng.normal(size=12), np.abs((np.arange(12) % 3 > 0) - 10.0 ** -np.arange(1, 13))
    far[:6] = near[:6]
    a, b = (np.stack([1 - p, p], axis=1) for p in (near, far))
    for pair in ((a, b), (b, a)):
        assert permutation_test(symbol, y, pair).p == by_hand(symbol, y, *pair)


def test_scores_of_any_sign_and_size() -> None:
    y = np.arange(12) % 3
    rng = np.random.default_rng(13)
    small, large = 1 + rng.random((12, 3)), 1e9 * rng.normal(size=(12, 3)).round(2)
    mask = np.arange(12) % 3 != 0
    for a, b in ((small, large), (large, small), (small, -small), (small, 1e5 * small)):
        exchanges = Exchanges(*(Predictions.of(y, y_score=s) for s in (a, b)), find("AU1U"))
        found = exchanges._of_cases(iter([mask[exchanges.cases][None].astype(np.uint8)]))[:, 0]
        mixed = [np.where(mask[:, None], b, a), np.where(mask[:, None], a, b)]
        assert found.tolist() == [karat.evaluate(y, y_score=s)["AU1U"] for s in mixed]


def test_very_many_classes() -> None:
    """3000 classes: tables of nine million cells are neither stacked nor filled."""
    rng = np.random.default_rng(11)
    y = np.arange(3000)
    a, b = (np.where(rng.random(3000) < right, y, rng.integers(0, 3000, 3000)) for right in (0.9, 0.5))
    found = permutation_test("MCC", y, y_pred=(a, b), replicates=19, seed=1)
    assert found.p == 1 / 20


@pytest.mark.parametrize("symbol", ["MCC", "LogL", "AU1U"])
def test_random_exchanges_come_near_the_exact_test(symbol: str) -> None:
    y, a, b = two_models(30, 2, same=18, seed=6)
    if symbol == "MCC":  # which sees decisions only
        b = 1 - a
        b[:18] = a[:18]
    exact = permutation_test(symbol, y, (a, b), replicates=2**12)
    drawn = permutation_test(symbol, y, (a, b), replicates=2000, seed=1)
    assert exact.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(0.25 / 2000))
    assert drawn.p == permutation_test(symbol, y, (a, b), replicates=2000, seed=1).p
    assert drawn.p != permutation_test(symbol, y, (a, b), replicates=2000, seed=2).p


@pytest.mark.parametrize("counts", [(20, 3, 9, 4), (8, 1, 7, 12), (30, 5, 5, 1)])
def test_accuracy_is_mcnemar(counts: Any) -> None:
    """Exchanging decisions is tossing a coin for every flip: the exact test of accuracy is McNemar's."""
    y, a, b = flips(*counts)
    found = permutation_test("Acc", y, y_pred=(a, b), labels=[0, 1], replicates=2**13)
    assert found.exact
    assert found.p == pytest.approx(mcnemar(y, a, b).p, abs=1e-12)


def test_p_is_never_zero() -> None:
    y = np.arange(200) % 2
    found = permutation_test("Acc", y, y_pred=(y, 1 - y), replicates=99, seed=0)
    assert found.p == 1 / 100
    assert found.verdict == "A is significantly better than B on accuracy (1 and 0, p = 0.010)."
    lower = permutation_test("MSE", y, (y * 0.8 + 0.1, 0.9 - y * 0.8), replicates=99, seed=0, names=("x", "z"))
    assert lower.verdict.startswith("x is significantly better than z on ")


def test_keeps_its_level() -> None:
    rng = np.random.default_rng(7)
    y = np.arange(40) % 2
    for symbol, times in (("MCC", 1000), ("MSE", 600), ("AU1U", 300)):
        rejected = []
        for _ in range(times):
            a, b = np.clip(0.5 + 0.15 * (2 * y - 1) + 0.2 * rng.normal(size=(2, 40)), 0.01, 0.99)
            rejected.append(permutation_test(symbol, y, (a, b), replicates=99, seed=rng).p <= 0.05)
        assert keeps_its_level(rejected, 0.05, exactly=symbol != "MCC"), symbol


def test_classes_labels_scores_and_words() -> None:
    y = ["a", "b", "a", "b", "a", "c"] * 3
    one, other = ["a"] * 18, ["a", "b"] * 9
    found = permutation_test("MCC", y, y_pred=(one, other))  # the classes of both, although one never says b
    assert found.first == karat.evaluate(y, y_pred=one)["MCC"]
    assert found.second == karat.evaluate(y, y_pred=other)["MCC"]
    rng = np.random.default_rng(1)
    z = np.arange(30) % 2
    scored = permutation_test("AUC", z, y_score=(z + rng.normal(size=30), rng.normal(size=30)), replicates=200, seed=1)
    assert 0 < scored.p <= 1
    json.dumps(scored.to_dict())
    assert scored.to_dict()["difference"] == scored.first - scored.second
    same = permutation_test("MCC", z, y_pred=(z, z))
    assert (same.p, same.replicates) == (1.0, 1)
    assert same.verdict.startswith("No significant difference between A and B: they agree on all that ")


def test_what_is_undefined_or_refused() -> None:
    y = [0, 0, 0, 0]
    found = permutation_test("AU1U", y, ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.5]), labels=[0, 1])
    assert math.isnan(found.p)
    assert found.to_dict()["p"] is None
    assert "fewer than two classes" in found.verdict
    z = [0, 1, 0, 1]
    with pytest.raises(karat.InputError, match="pair"):
        permutation_test("Acc", z, y_pred=(z, z, z))
    with pytest.raises(karat.InputError, match="MSE is not available"):
        permutation_test("MSE", z, y_pred=(z, z))
    with pytest.raises(karat.InputError, match="replicates"):
        permutation_test("Acc", z, y_pred=(z, z), replicates=0)
    with pytest.raises(karat.InputError, match="F1 needs a positive class: positive='a' gives 1"):
        permutation_test("F1", ["a", "b"], y_pred=(["a", "b"], ["b", "b"]))
    accuracy = karat.catalogue.measures["Acc"]
    one = Predictions.of([0, 1], y_pred=[0, 1])
    with pytest.raises(karat.InputError, match="different y_true"):
        Exchanges(one, Predictions.of([1, 0], y_pred=[0, 1]), accuracy)
    with pytest.raises(karat.InputError, match="one kind"):
        Exchanges(Predictions.of([0, 1], [0.1, 0.2]), one, accuracy)
    with pytest.raises(karat.InputError, match="different weights"):
        Exchanges(one, Predictions.of([0, 1], y_pred=[0, 1], sample_weight=[1, 2]), accuracy)


def test_replicates_without_a_value_count_against() -> None:
    """F1 of a class that is never there nor decided is undefined; such exchanges are no evidence."""
    y = [0, 0, 0, 1]
    w = [1, 1, 1, 0]
    found = permutation_test("PPV", y, y_pred=([1, 1, 0, 0], [0, 0, 1, 0]), positive=1, sample_weight=w)
    assert found.undefined > 0
    assert found.p >= found.undefined / found.replicates


def test_too_few_cases_or_exchanges_are_said() -> None:
    """Two exchanges of a single case, of which both are as large; ten draws, of which none needs to be."""
    lone = permutation_test("Acc", [1], y_pred=([1], [0]))
    assert (lone.p, lone.smallest_p) == (1, 1)
    assert "too few cases" in lone.verdict
    four = permutation_test("Acc", [1] * 4, y_pred=([1] * 4, [0] * 4))
    assert (four.p, four.smallest_p, four.to_dict()["smallest_p"]) == (2 / 16, 2 / 16, 2 / 16)
    assert four.verdict == (
        "No test of accuracy could show a difference between A and B: they differ on too few cases, so p can't be "
        "below 0.125 (1 and 0, p = 0.125)."
    )
    ten = permutation_test("Acc", [1] * 40, y_pred=([1] * 40, [0] * 40), replicates=10)
    assert (ten.p, ten.smallest_p) == (1 / 11, 1 / 11)
    assert "with 10 replicates p can't be below 0.0909" in ten.verdict
    assert ten.verdict.endswith("; pass a higher replicates=.")
    enough = permutation_test("Acc", [1] * 40, y_pred=([1] * 40, [0] * 40), replicates=19)
    assert enough.verdict.startswith("A is significantly better than B on accuracy (")
    alike = permutation_test("Acc", [1, 0], y_pred=([1, 0], [1, 0]))
    assert (alike.p, alike.smallest_p) == (1, 1)
    assert alike.verdict == "No significant difference between A and B: they agree on all that accuracy depends on."


def test_copied_rows_are_told() -> None:
    """Ten copies of each row made a small p-value of none, without a word."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    two = [1 / (1 + np.exp(-(2 * y - 1) - rng.normal(size=60))) for _ in range(2)]
    once, copied = (
        karat.permutation_test("LogL", np.tile(y, t), [np.tile(p, t) for p in two], replicates=99, seed=0, positive=1)
        for t in (1, 10)
    )
    assert not once.caveat
    assert "Only 60 of the 600 rows are different" in copied.verdict
    assert "karat.compare with groups=" in copied.verdict
    rounded = [p.round(1) for p in two]
    assert not karat.permutation_test("LogL", y, rounded, replicates=99, seed=0, positive=1).caveat
