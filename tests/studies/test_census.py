"""The census against counts by formula, loops over every matrix, and what Valverde-Albacete (2014) printed."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError
from karat.statistics import Counts
from karat.statistics.many_tables import RowProducts
from karat.studies import Census
from karat.studies.census import blocks, compositions, levels_drawn, partitions


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def literal(k: int, n: int) -> list[Any]:
    """Every matrix of n cases whose row sums do not increase, by trying all."""
    found = []
    for cells in itertools.product(range(n + 1), repeat=k * k):
        table = np.array(cells).reshape(k, k)
        sums = table.sum(axis=1)
        if table.sum() == n and (np.diff(sums) <= 0).all():
            found.append(table)
    return found


def test_partitions_and_compositions() -> None:
    assert list(partitions(4, 3)) == [(4, 0, 0), (3, 1, 0), (2, 2, 0), (2, 1, 1)]
    assert compositions(2, 3).tolist() == [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]
    for n, k in [(7, 2), (6, 4), (0, 3)]:
        assert len(compositions(n, k)) == math.comb(n + k - 1, k - 1)


@pytest.mark.parametrize(("k", "n"), [(2, 5), (3, 2)])
def test_every_matrix_is_there_once(k: int, n: int) -> None:
    expected = {tuple(t.ravel().tolist()) for t in literal(k, n)}
    seen = [tuple(t.ravel().astype(int)) for p in partitions(n, k) for b in blocks(list(p)) for t in b.table]
    assert len(seen) == len(expected)
    assert {tuple(map(int, t)) for t in seen} == expected


@pytest.mark.parametrize("sizes", [[5, 3, 2], [4, 0], [3, 3, 1, 0], [6], [2, 2, 0], [1, 1, 1, 1, 0]])
def test_sums_of_products_are_those_of_their_tables(sizes: list[int]) -> None:
    products = RowProducts([compositions(n, len(sizes)) for n in sizes])
    plain = Counts(products.table)
    assert products.shape == plain.shape
    for name in plain.sums._fields:
        assert getattr(products.sums, name) == pytest.approx(getattr(plain.sums, name), abs=1e-9)
    for name in plain.logs._fields:
        assert getattr(products.logs, name) == pytest.approx(getattr(plain.logs, name), abs=1e-9)
    for symbol in ("MCC", "CEN", "EMA", "NIT", "MAvG", "KapS", "rCEN"):
        found, expected = (np.asarray(karat.catalogue.measures[symbol](c)) for c in (products, plain))
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_ranges_are_those_of_a_loop() -> None:
    symbols = ["EMA", "MCC", "CEN", "RCI"]
    by_trace = defaultdict(list)
    for table in literal(2, 7):
        by_trace[int(np.trace(table))].append(karat.evaluate_matrix(table))
    found = Census(classes=2, cases=7, measures=symbols).run(workers=1)
    for row in rows_of(found["ranges"]):
        values = [e[row["measure"]] for e in by_trace[row["right"]]]
        known = [v for v in values if v == v]
        assert (row["matrices"], row["undefined"]) == (len(values), len(values) - len(known))
        assert (row["lowest"], row["highest"]) == pytest.approx((min(known), max(known)), abs=1e-12)
        assert row["mean"] == pytest.approx(np.mean(known), abs=1e-12)
    everything = [(e, r / 7) for r, es in by_trace.items() for e in es]
    for row in rows_of(found["accuracy"]):
        pairs = [(e[row["measure"]], a) for e, a in everything if e[row["measure"]] == e[row["measure"]]]
        assert row["correlation with accuracy"] == pytest.approx(np.corrcoef(np.transpose(pairs))[0, 1], abs=1e-9)
        assert row["above accuracy"] == pytest.approx(np.mean([v > a + 1e-12 for v, a in pairs]), abs=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "counts", "most", "shared"),
    [
        (
            2,
            100,
            [89_726, 89_625, 3_647, 176_851],
            {50: 0.1226, 75: 0.3475, 88: 0.5698, 94: 0.7274, 97: 0.8342, 98: 0.8780, 100: 1},
            [0.48, 0.01, 0.0, 0.0, 0.045, 0.0],
        ),
        (
            3,
            18,
            [320_821, 302_484, 46_191, 1_562_275],
            {6: 1, 12: 0.7897, 15: 0.7311, 17: 0.8548, 18: 1},
            [0.88, 0.68, 0.17, 0.04],
        ),
    ],
)
def test_published_census(k: int, n: int, counts: list[int], most: dict[int, float], shared: list[float]) -> None:
    found = Census(classes=k, cases=n).run(workers=1)
    assert found["counts"].columns["matrices"] == counts
    rows = [r for r in rows_of(found["ranges"]) if r["drawn"] and r["measure"] == "ET_2MI"]
    assert {r["right"]: r["highest"] for r in rows} == pytest.approx(most, abs=5.1e-5)
    assert [r["lowest"] for r in rows] == [0] * len(most)
    triangle = [r["shared"] for r in rows_of(found["interspersed"]) if r["in"] == "triangle"]
    assert triangle == pytest.approx(shared, abs=0.035 if k == 2 else 0.006)
    met = np.transpose([found["triangle"].columns[c] for c in ("accuracy", "imbalance", "information")])
    for r in rows:  # the highest part met is that of the highest value
        top = met[np.isclose(met[:, 0], r["accuracy"])][:, 2].max()
        assert top - 0.01 - 1e-9 <= r["highest"] <= top + 0.01 + 1e-9
    # what does not change when outputs are renamed can't go with accuracy, over all matrices
    for row in rows_of(found["accuracy"]):
        assert row["correlation with accuracy"] == pytest.approx(0, abs=1e-9)


def test_the_largest_census_is_cut_into_small_blocks() -> None:
    sizes = [b.shape[0] for p in partitions(16, 4) for b in blocks(list(p))]
    assert sum(sizes) == 22_567_113
    assert max(sizes) <= 1 << 16


def test_levels_of_other_sizes() -> None:
    assert levels_drawn(3, 18) == (6, 12, 15, 17, 18)
    assert levels_drawn(4, 32) == (8, 20, 26, 29, 31, 32)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"classes": 1}, "classes is 1"),
        ({"cases": 0}, "cases is 0"),
        ({"cases": 10_000, "classes": 4}, "fewer cases"),
        ({"measures": "LogL"}, "LogL is not available in this study: it can't be computed from a confusion matrix"),
        ({"measures": "TPR"}, "it is a measure of one class"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Census(**told)
