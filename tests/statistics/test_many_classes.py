"""Very many classes: what is gathered some rows at a time is what the whole tables give, and these are not made."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from karat import evaluate, kernels
from karat.evaluation import Evaluation
from karat.kernels import _many_classes
from karat.measures.lookup import PAPERS
from karat.statistics import Counts, Margins, Pairs, ProbabilitySums, counts, many_classes, summary
from karat.statistics.counts import ListedCounts


def _data(k: int, n: int, kind: Any, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k - 2, n)  # two classes have no case
    x = rng.normal(size=(n, k))
    x[np.arange(n), y] += 2
    p = np.exp(np.round(x, 1))  # with ties
    return y, (p / p.sum(axis=1, keepdims=True)).astype(kind)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (counts, summary):
        monkeypatch.setattr(module, "DENSE", 0)
    for bound in ("FEW_CELLS", "MOST_AT_HAND"):
        monkeypatch.setattr(summary, bound, 0)
    monkeypatch.setattr(_many_classes, "AT_ONCE", 70)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "n"), [(12, 200), (40, 30), (3, 1)])
def test_values_are_those_of_whole_tables(
    k: int, n: int, kind: Any, weighted: bool, request: pytest.FixtureRequest
) -> None:
    y, p = _data(k, n, kind)
    weight = np.random.default_rng(5).integers(0, 3, n) + (np.arange(n) == 0) if weighted else None

    def evaluated() -> Evaluation:
        return evaluate(y, p, labels=range(k), sample_weight=weight)

    whole = evaluated()
    expected, of_classes = whole.values("papers"), whole.per_class().columns
    request.getfixturevalue("few_at_once")
    lean = evaluated()
    values = lean.values("papers")
    assert type(lean.statistics[Pairs]) is many_classes.ManyPairs
    for symbol in PAPERS:
        assert values[symbol] == pytest.approx(expected[symbol], rel=1e-12, abs=1e-13, nan_ok=True), symbol
    for name, column in lean.per_class().columns.items():
        assert list(column) == pytest.approx(list(of_classes[name]), rel=1e-12, nan_ok=True), name
    for statistic, field in ((Pairs, "matrix"), (Margins, "matrix"), (ProbabilitySums, "sums")):
        made, given = getattr(lean.statistics[statistic], field), getattr(whole.statistics[statistic], field)
        np.testing.assert_allclose(made, given, rtol=1e-12)
    cells = lean.statistics[ProbabilitySums].relative.table
    np.testing.assert_allclose(cells, whole.statistics[ProbabilitySums].relative.table, rtol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scores_that_spread_widely_are_ranked_alike(kind: Any) -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 60)
    p = np.array([1e-30, 1e-20, 0.0, 1e-5])[rng.integers(0, 4, (60, 3))]
    p[np.arange(60), rng.integers(0, 3, 60)] = 1
    p = (p / p.sum(axis=1, keepdims=True)).astype(kind)
    pairs = evaluate(y, p).statistics[Pairs].matrix
    for j in range(3):
        for c in range(3):
            own, other = p[y == j, j][:, None], p[y == c, j][None, :]
            won = ((own > other) + 0.5 * (own == other)).sum() if j != c else 0
            assert pairs[j, c] == won


@pytest.mark.skipif(kernels.native is None, reason="the readable kernels make whole tables, slowly")
def test_memory_stays_within_twice_the_input() -> None:
    assert _extra_memory(4000, 2000, np.float32) < 1


def _extra_memory(k: int, n: int, kind: Any) -> float:
    """At its peak, as a share of the input."""
    y, p = _data(k, n, kind)
    evaluate(y, p, labels=range(k)).values("papers")  # what is allocated once is not counted
    tracemalloc.start()
    try:
        evaluate(y, p, labels=range(k)).values("papers")
        return tracemalloc.get_traced_memory()[1] / (y.nbytes + p.nbytes)
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(kernels.native is None, reason="the readable kernels make whole tables, slowly")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "n"), [(140, 140), (250, 1000), (1000, 1000)])
def test_no_table_is_made_that_is_larger_than_the_data(k: int, n: int, kind: Any) -> None:
    """Each of seven tables over all pairs of 1,000 classes was as large as the probabilities of 1,000 cases."""
    assert _extra_memory(k, n, kind) < 1.2


def test_a_table_that_is_listed_is_made_for_who_asks() -> None:
    """Of 200 classes and 300 cases; the expected one is counted here."""
    y, p = _data(200, 300, np.float64)
    counted = evaluate(y, p, labels=range(200)).statistics[Counts]
    table = np.zeros((200, 200))
    np.add.at(table, (y, p.argmax(axis=1)), 1)
    assert type(counted) is ListedCounts
    np.testing.assert_array_equal(counted.table, table)
    np.testing.assert_array_equal((counted + counted).table, 2 * table)
    np.testing.assert_array_equal((counted + Counts(table)).table, 2 * table)
