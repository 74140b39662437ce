"""Does a model follow the truth? Chances that hold under the null, and are seen through by what does."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from cases import probabilities
from karat.findings.decision_checks import contradictions
from karat.findings.knowledge import FOLLOWS, chance_of_hits, chance_of_scores, knowledge_of
from karat.statistics import Counts
from karat.statistics.p_values import bernstein_tail


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [3, 6])
def test_scores_that_know_nothing_follow_the_truth_once_in_a_hundred(k: int, weighted: bool) -> None:
    rng = np.random.default_rng(k)
    rare = np.arange(1, k + 1) ** 2 / sum(i**2 for i in range(1, k + 1))
    chances = []
    for _ in range(2000):
        y, p = rng.choice(k, 150, p=rare), probabilities(rng, 150, k, 2.0)
        chances.append(chance_of_scores(y, p, rng.exponential(size=150) if weighted else np.ones(150)))
    assert np.mean(np.array(chances) < FOLLOWS) <= 0.02
    assert 0.02 < np.mean(np.array(chances) < 0.05) < 0.08  # and no bound that nothing reaches


def test_predictions_that_know_nothing_follow_the_truth_no_oftener() -> None:
    rng = np.random.default_rng(1)
    for share in (0.02, 0.2, 0.5):
        sure = 0
        for _ in range(1000):
            y, d = (rng.random(300) < share), (rng.random(300) < 0.1)
            table = np.histogram2d(y, d, bins=2, range=[[0, 1], [0, 1]])[0]
            sure += chance_of_hits(Counts(table), 1.0) < FOLLOWS
        assert sure <= 20
    assert chance_of_hits(Counts(np.array([[950.0, 10], [25, 15]])), 1.0) < 1e-6
    assert chance_of_hits(Counts(np.array([[10.0, 0], [3, 0]])), 1.0) > 0.5


def test_what_shows_it() -> None:
    rng = np.random.default_rng(2)
    p = probabilities(rng, 2000, 4, 2.0)
    y = (p.cumsum(axis=1) < rng.random((2000, 1))).sum(axis=1).clip(0, 3)
    scored = karat.evaluate(y, p)
    known = knowledge_of(scored.statistics)
    assert (known.sure, known.by_scores, known.askable) == (True, True, True)
    assert known.evidence == pytest.approx({"AUNU": scored["AUNU"]})
    decided = karat.evaluate(y, y_pred=p.argmax(axis=1))
    known = knowledge_of(decided.statistics)
    assert (known.sure, known.by_scores) == (True, False)
    assert known.evidence == pytest.approx({"MCC": decided["MCC"]})
    assert not knowledge_of(karat.evaluate(y, rng.permutation(p)).statistics).sure
    assert not knowledge_of(karat.evaluate(y[:30], p[:30], labels=range(4)).statistics).askable


def test_bernstein_bounds_sums_of_deviations() -> None:
    stats = pytest.importorskip("scipy.stats")
    assert bernstein_tail(-1.0, 4.0, 1.0) == 1
    for n, p in ((20, 0.05), (200, 0.01), (1000, 0.5)):
        for hits in range(int(n * p) + 1, n, max(1, n // 20)):
            exact = stats.binom.sf(hits - 1, n, p)
            assert exact <= bernstein_tail(hits - n * p, n * p * (1 - p), 1 - p) <= 1


def test_contradictions_by_trying_every_threshold() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        x = np.round(rng.random(30), 1)
        d = (rng.random(30) < x).astype(int)
        least = min(int(((x > cut) & (d == 0)).sum() + ((x < cut) & (d == 1)).sum()) for cut in np.append(x, [-1, 2]))
        assert contradictions(d, np.column_stack([0 * x, x]), False) == (least, 30)
    p = probabilities(rng, 500, 4, 2.0)
    for weights in ([1, 1, 1, 1], [1, 5, 0.2, 1]):
        assert contradictions((p * weights).argmax(axis=1), p, True) == (0, 500)
    assert contradictions(rng.permutation(p.argmax(axis=1)), p, True)[0] > 50
