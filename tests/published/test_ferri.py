"""Ferri, Hernandez-Orallo & Modroiu 2009: identities between the measures, and readings of what is printed."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from published import printed


def random_evaluation(seed: int, k: int, ties: bool = False, n: int = 60) -> karat.Evaluation:
    """Of n random cases; with ties, the probabilities are multiples of 1/8."""
    rng = np.random.default_rng(seed)
    p = rng.multinomial(8, rng.dirichlet(np.ones(k), n)) / 8 if ties else rng.dirichlet(np.ones(k), n)
    return karat.evaluate(np.append(np.arange(k), rng.integers(0, k, n - k)), p, labels=range(k))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_ferri_identities(k: int, ties: bool) -> None:
    e = random_evaluation(k, k, ties)
    assert e["MAE"] == pytest.approx(2 * (1 - e["MPR"]) / k, abs=1e-12)
    assert e["PAUC"] == pytest.approx(0.5 + (k * e["MAPR"] - 1) / (2 * (k - 1)), abs=1e-12)
    assert e["Brier"] == pytest.approx(k * e["MSE"], abs=1e-12)  # Brier 1950 has no 1/c
    parts = {s: np.array(e.per_class([s]).columns[s]) for s in ("BS", "UNC", "REL", "RES", "BSS", "DD")}
    assert e["MSE"] == pytest.approx(parts["BS"].mean(), abs=1e-12)
    assert e["CalL"] == pytest.approx(parts["REL"].mean(), abs=1e-12)
    assert e["CalL_sum"] == pytest.approx(60 * e["CalL"], abs=1e-12)
    assert parts["BS"] == pytest.approx(parts["UNC"] + parts["REL"] - parts["RES"], abs=1e-12)
    assert parts["BSS"] == pytest.approx((parts["RES"] - parts["REL"]) / parts["UNC"], abs=1e-12)
    assert (e["CalL"] == pytest.approx(e["MSE"], abs=1e-12)) != ties  # distinct probabilities: each its own segment
    if k == 2:
        assert [e[s] for s in ("AU1P", "AUNU", "AUNP", "AUC")] == pytest.approx([e["AU1U"]] * 4, abs=1e-12)
        assert e["AU1P_printed"] == pytest.approx(e["AUC"] / 2, abs=1e-12)
        assert e["DD"] == pytest.approx(2 * e["PAUC"] - 1, abs=1e-12)
        assert e["MSE"] == pytest.approx(e["BS"], abs=1e-12)


def test_ferri_readings() -> None:
    for k in (2, 3, 4):
        perfect = karat.evaluate(np.arange(k), np.eye(k))
        assert (perfect["AU1P"], perfect["AU1P_printed"]) == pytest.approx((1, 1 / k), abs=1e-15)
    worst = karat.evaluate([0, 1], [[0, 1], [1, 0]])
    assert worst["LogL"] == printed(16.6096, 4)  # log2 of 1e5
    few, many = random_evaluation(3, 3, n=19), random_evaluation(3, 3, n=40)
    assert few["CalB"] == pytest.approx(few["MAE"], abs=1e-12)  # fewer than 20 cases: windows of one
    assert many["CalB"] != pytest.approx(many["MAE"], abs=1e-3)
    two = random_evaluation(5, 2, n=40)  # all windows: the same for both classes; as printed, the last is lost
    mirrored = karat.evaluate(two.statistics.source.truth[0], two.statistics.source.scores[0, :, 1])
    assert two["CalB"] == pytest.approx(mirrored["CalB"], abs=1e-12)
    assert two["CalB_printed"] > 2 * two["CalB"]  # no mean within the windows of 4


def test_ferri_section_6_models() -> None:
    """M1: 10 of 100 sorted probabilities redrawn; M2: 10 others as well. M2 is worse, yet better by CalB."""
    rng = np.random.default_rng(6)
    truth = -np.sort(-rng.random((4000, 100)))
    moved = rng.permuted(np.tile(np.arange(100), (4000, 1)), axis=1)[:, :20]
    m1, m2 = truth.copy(), truth.copy()
    redrawn = rng.random((4000, 20))
    np.put_along_axis(m1, moved[:, :10], redrawn[:, :10], axis=1)
    np.put_along_axis(m2, moved, redrawn, axis=1)
    for p, accuracy, bins in [(m1, 0.9498, 0.207), (m2, 0.9001, 0.178)]:
        found = karat.evaluate_batch((truth > 0.5).astype(int), p, ["Acc", "CalB"])
        assert found["Acc"].mean() == pytest.approx(accuracy, abs=1.5e-3)
        assert found["CalB"].mean() == pytest.approx(bins, abs=1e-3)
