"""MCC and CEN against Jurman & Furlanello (2012), with ties in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from karat import InputError
from karat.studies import MccAndCen
from karat.studies.mcc_and_cen import random_matrices
from published import tables_with


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


@pytest.fixture(scope="module")
def found() -> Any:
    return MccAndCen(matrices=20_000, seed=4, spaces=((2, 4, 3), "3 2", (2, 2, 1))).run(workers=1)


def test_correlation_and_ratio(found: Any) -> None:
    two, natural = rows_of(found["fit"])
    for row, expected, ratio in ((two, 0.99403, 1.00508), (natural, 0.99244, 0.98879)):
        assert 0 < row["error"] < 5e-4
        assert row["correlation of tMCC and k CEN"] == pytest.approx(expected, abs=0.0002 + 3 * row["error"])
        assert row["mean tMCC / CEN"] == pytest.approx(ratio, abs=0.0001 + 2 * (row["high"] - row["low"]))
    assert two["correlation of tMCC and k CEN"] == pytest.approx(0.9941477, abs=3 * two["error"])  # published
    assert two["consistency"] == pytest.approx(0.973, abs=0.002)
    (pair,) = rows_of(found["pairs"])
    assert pair["correlation"] == pytest.approx(-0.9724, abs=0.002)
    assert pair["consistency"] == pytest.approx(0.8754, abs=0.003)


def exact(tables: Any) -> tuple[list[Fraction], list[Fraction]]:
    """Keys of MCC and -CEN that order and tie as the measures do, in whole numbers."""
    mcc, cen = [], []
    for table in tables.astype(int).tolist():
        k, n = len(table), sum(map(sum, table))
        t = [sum(row) for row in table]
        u = [sum(row[j] for row in table) for j in range(k)]
        above = n * sum(table[i][i] for i in range(k)) - sum(a * b for a, b in zip(t, u, strict=True))
        below = (n * n - sum(x * x for x in u)) * (n * n - sum(x * x for x in t))
        mcc.append(Fraction(above * abs(above), below) if below else Fraction(0))
        d = [a + b for a, b in zip(t, u, strict=True)]
        up = math.prod(d[j] ** (d[j] - 2 * table[j][j]) for j in range(k))
        down = math.prod(table[i][j] ** (2 * table[i][j]) for i in range(k) for j in range(k) if i != j)
        cen.append(-Fraction(up, down))
    return mcc, cen


@pytest.mark.parametrize(("sizes", "row"), [((2, 4, 3), 0), ((3, 2), 1), ((2, 2, 1), 2)])
def test_discriminancy_has_exact_ties(found: Any, sizes: tuple[int, ...], row: int) -> None:
    mcc, cen = exact(tables_with(sizes))
    places = [{v: i for i, v in enumerate(sorted(set(x)))} for x in (mcc, cen)]
    rank = [np.array([place[v] for v in x]) for place, x in zip(places, (mcc, cen), strict=True)]
    a, b = (np.sign(np.subtract.outer(r, r)) for r in rank)
    only_cen, only_mcc = int(((b > 0) & (a == 0)).sum()), int(((b == 0) & (a > 0)).sum())
    got = rows_of(found["spaces"])[row]
    assert (got["matrices"], got["only CEN"], got["only MCC"]) == (len(mcc), only_cen, only_mcc)
    together, against = int((a * b > 0).sum()), int((a * b < 0).sum())
    assert got["consistency"] == pytest.approx(together / (together + against), abs=1e-12)


def test_the_published_space(found: Any) -> None:
    row = rows_of(found["spaces"])[0]
    assert (row["matrices"], row["only CEN"], row["only MCC"]) == (900, 3178, 591)
    assert row["discriminancy"] == pytest.approx(5.377326565, abs=1e-9)
    assert row["consistency"] == pytest.approx(0.785817, abs=1e-6)


def test_families(found: Any) -> None:
    rows = {(r["family"], r["classes"], r["A"]): r for r in rows_of(found["families"])}
    assert (rows["Z_A", 4, 10]["MCC"], rows["Z_A", 4, 10]["CEN"]) == pytest.approx(
        (-0.088235294, 0.713243022), abs=1e-9
    )
    assert rows["unbalanced", 4, 10]["CEN"] == pytest.approx(0.645901042, abs=1e-9)
    assert rows["unbalanced", 4, 10]["MCC"] == pytest.approx(0, abs=1e-12)
    for (family, n, a), row in rows.items():
        if family == "B":
            assert row["MCC"] == pytest.approx((a - 1) / (a + n - 1), abs=1e-12)


def test_random_matrices_are_as_described() -> None:
    rng = np.random.default_rng(1)
    seen = 0
    for at, tables in random_matrices(rng, rng.integers(3, 31, 4000)):
        n = tables.shape[1]
        off = tables[:, ~np.eye(n, dtype=bool)]
        assert (tables == np.floor(tables)).all()
        assert tables.min() >= 1
        assert tables.max() <= 1000
        assert len(at) == len(tables)
        top = off.max(axis=1)
        assert 300 < np.median(top) < 700  # the highest wrong cell is near 1000 rho
        seen += len(at)
    assert seen == 4000


def test_any_two_measures() -> None:
    found = MccAndCen(measures="Acc,KapS,EMA", matrices=500, spaces=((2, 2),)).run(workers=1)
    assert [(r["first"], r["second"]) for r in rows_of(found["pairs"])] == [
        ("Acc", "KapS"),
        ("Acc", "EMA"),
        ("KapS", "EMA"),
    ]
    assert "only KapS" in found["spaces"].columns


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"matrices": 0}, "matrices is 0"),
        ({"measures": "MCC"}, "only MCC was given; the study compares two measures or more"),
        ({"measures": "MCC,LogL"}, "LogL is not available in this study"),
        ({"measures": "MCC,k_X"}, "k_X has no better direction"),
        ({"spaces": ((0, 0),)}, "row sums"),
        ({"spaces": ((90, 90, 90),)}, "at most 2,000,000"),
        ({"spaces": ("2 x",)}, "a row sum is 'x'"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        MccAndCen(**told)
