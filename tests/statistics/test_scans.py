"""One sort for each column that was given, and none for the mirror image of another."""

from typing import Any

import numpy as np
import pytest

import karat
from karat import kernels
from karat.intervals.interval import intervals
from karat.measures.lookup import measures_named

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The first and the last column of each sort from here on."""
    seen: list[tuple[int, int]] = []
    scan = kernels.sorted_scan

    def counted(truth: Any, proba: Any, weight: Any, first: int, last: int, *how: Any) -> Any:
        seen.append((first, last))
        return scan(truth, proba, weight, first, last, *how)

    monkeypatch.setattr(kernels, "sorted_scan", counted)
    return seen


def scores_of(kind: str, rng: np.random.Generator, y: Any) -> Any:
    z = rng.normal(size=len(y)) + y
    kinds = {
        "logits": z,
        "tied": np.round(z),
        "positive": np.exp(z),
        "negative": -np.exp(z),
        "wide": z**99,
        "zeros": 0 * z,
    }
    return kinds[kind]


@pytest.mark.parametrize("kind", ["logits", "tied", "positive", "negative", "wide", "zeros"])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_column_of_scores_is_sorted_once(
    kind: str, positive: int, weighted: bool, scans: list[tuple[int, int]]
) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 400)
    z = scores_of(kind, rng, y)
    weight = rng.integers(1, 4, 400) if weighted else None
    e = karat.evaluate(y, y_score=z, positive=positive, sample_weight=weight)
    assert e["AUC"] == pytest.approx(metrics.roc_auc_score(y == positive, z, sample_weight=weight), abs=1e-12)
    assert scans == [(positive, positive + 1)]
    both = np.column_stack([z, -z] if positive == 0 else [-z, z])
    wide = karat.evaluate(y, y_score=both, positive=positive, sample_weight=weight)
    for symbol in ("AUC", "AUNU", "AU1U"):
        assert e[symbol] == pytest.approx(wide[symbol], rel=1e-12), symbol
    assert np.array_equal(e.statistics.table_of_class(0).scores, wide.statistics.table_of_class(0).scores)
    assert np.array_equal(e.statistics.table_of_class(0).weight, wide.statistics.table_of_class(0).weight)


@pytest.mark.parametrize("method", ["percentile", "auto"])
def test_intervals_from_one_column_of_scores_are_those_from_both(method: str) -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 150)
    z = np.round(rng.normal(size=150) + y, 1)
    asked = measures_named(["AUC", "AUNU"])
    one, two = (
        intervals(karat.evaluate(y, y_score=scores, positive=1).statistics, asked, replicates=200, method=method)
        for scores in (z, np.column_stack([-z, z]))
    )
    for a, b in zip(one.values(), two.values(), strict=True):
        assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-12)
