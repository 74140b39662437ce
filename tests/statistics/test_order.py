"""Placements and score tables: sorted by karat's own sort, against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.statistics.order import Placements, _ascending
from karat.statistics.score_table import ScoreTable


@pytest.mark.parametrize("n", [0, 1, 2, 3, 50, 5000, 70_000])
def test_scores_of_any_kind_are_sorted(n: int) -> None:
    rng = np.random.default_rng(n)
    plain, normal = rng.random(n), rng.normal(size=n)
    for x in (plain, np.round(plain, 2), np.zeros(n), -np.zeros(n), plain * 1e-310, normal, np.exp(50 * normal)):
        np.testing.assert_array_equal(_ascending(x.copy()), np.sort(x))


@pytest.mark.parametrize("digits", [1, 15])
def test_placements_are_shares_of_the_other_side(digits: int) -> None:
    rng = np.random.default_rng(digits)
    y, x = rng.integers(0, 2, 300), np.round(rng.random(300), digits)
    p = karat.evaluate(y, x).statistics.source.cases
    assert p is not None
    for j in (0, 1):
        side = x if j == 1 else -x
        own, rest = side[y == j], side[y != j]
        passed = ((rest < own[:, None]) + 0.5 * (rest == own[:, None])).mean(axis=1)
        found = Placements.of_class(p, j)
        np.testing.assert_allclose(np.sort(found.own), np.sort(passed), rtol=1e-12)
        assert found.area == pytest.approx(passed.mean(), rel=1e-12)


@pytest.mark.parametrize("scores", [2, 50, 70_000, 200_000])  # up to several pieces
def test_scores_of_both_classes_are_counted_piece_by_piece(scores: int) -> None:
    rng = np.random.default_rng(scores)
    own, rest = rng.integers(0, 3, (2, scores)).astype(float)
    t = ScoreTable(np.arange(scores, dtype=float), np.stack([rest, own + (own + rest == 0)]))
    f = t.positive / (t.positive + t.negative)
    pairs, within = t.mixed
    assert pairs == (t.positive * t.negative).sum()
    assert within == pytest.approx(((t.positive + t.negative) * f * (1 - f)).sum(), rel=1e-12)
