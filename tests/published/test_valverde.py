"""Valverde-Albacete & Pelaez-Moreno 2014: the MEG challenge, all small matrices, the balance of entropies."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import karat
from published import compositions, of, of_all, printed, tables_with

# Valverde-Albacete & Pelaez-Moreno 2014: the matrices of the MEG challenge (Klami et al. 2011), and the columns k_X|Y,
# mu, accuracy, EMA, NIT of Table 1 with 1 - CEN and MCC of File S1, Table S1
MEG = [
    ("94 29 16 10 1 22 100 10 18 1 25 16 51 10 0 3 4 12 85 21 2 2 4 3 114", "2.562 1.932 .680 .390 .386 .564 .598"),
    ("67 54 14 15 0 25 110 5 11 0 19 14 57 12 0 1 1 5 59 59 1 0 0 4 120", "2.447 2.023 .632 .409 .405 .596 .543"),
    ("67 32 43 8 0 36 89 18 8 0 30 6 61 4 1 6 6 11 78 24 1 0 1 8 115", "2.589 1.912 .628 .386 .382 .552 .536"),
    ("56 55 36 3 0 30 96 21 4 0 33 22 46 1 0 4 3 3 95 20 1 0 0 11 113", "2.430 2.037 .622 .412 .407 .579 .526"),
    ("51 58 22 18 1 18 97 25 9 2 15 24 56 7 0 6 2 14 40 63 0 0 0 0 125", "2.723 1.818 .565 .367 .364 .542 .463"),
    ("70 56 22 2 0 60 79 9 2 1 47 26 26 3 0 7 2 4 91 21 1 0 0 36 88", "2.682 1.846 .542 .373 .369 .537 .423"),
    ("53 58 37 0 2 55 65 29 2 0 24 31 47 0 0 7 12 6 87 13 0 3 3 19 100", "2.730 1.813 .539 .366 .363 .510 .422"),
    ("70 40 30 2 8 28 96 16 1 10 32 29 34 0 7 13 20 31 6 55 11 2 10 0 102", "3.629 1.364 .472 .276 .273 .422 .345"),
    ("27 102 2 18 1 22 110 0 19 0 21 71 3 7 0 8 18 3 25 71 0 1 0 0 124", "2.995 1.653 .443 .334 .331 .547 .313"),
    (
        "53 26 26 20 25 55 20 33 22 21 32 12 25 16 17 42 11 21 22 29 23 7 25 32 38",
        "4.801 1.031 .242 .208 .206 .172 .052",
    ),
]
MEG_EVALUATED = [karat.evaluate_matrix(np.array(cells.split(), float).reshape(5, 5)) for cells, _ in MEG]


def census(n: int, k: int) -> Any:
    """All matrices of n cases whose row sums do not increase: all of them but for renaming (Valverde-Albacete 2014)."""
    sizes = [t for t in compositions(n, k) if (np.diff(t) <= 0).all()]
    return np.concatenate([tables_with(t) for t in sizes])


def test_valverde_table_1() -> None:
    for e, (_, row) in zip(MEG_EVALUATED, MEG, strict=True):
        found = [e[s] for s in ("k_X|Y", "mu", "Acc", "EMA", "NIT")] + [1 - e["CEN"], e["MCC"]]
        assert found == printed([float(x) for x in row.split()], 3)
        assert e["k_X"] == printed(4.950, 3)
        assert e["EMA"] <= e["Acc"]
    for symbol in ("EMA", "NIT"):  # the ranking of its point 2
        order = sorted(range(10), key=lambda c: -MEG_EVALUATED[c][symbol])
        assert [c + 1 for c in order] == [4, 2, 1, 3, 6, 5, 7, 9, 8, 10]


def test_valverde_equation_4_is_printed_upside_down() -> None:
    e = MEG_EVALUATED[0]
    # as printed; .3943 from the rounded 5 / (4.950 * 2.562); Table 1 has .386
    assert e["delta_X"] / e["k_X|Y"] == pytest.approx(0.3943, abs=1e-4)
    skewed = karat.evaluate_matrix([[90, 0], [0, 10]])
    assert skewed["delta_X"] / skewed["k_X|Y"] == printed(1.4449, 4)
    assert (skewed["EMA"], skewed["NIT"]) == printed((1, 0.692072744), 9)


def test_valverde_extremes() -> None:
    assert of([[7, 0], [0, 0]], "Acc", "EMA", "NIT", "k_X") == [1, 1, 0.5, 1]  # one class only: a' = 1 and q = 1/k
    assert of([[0, 5], [5, 0]], "Acc", "EMA", "AccRelabel") == [0, 1, 1]  # a' may exceed the accuracy
    assert of([[3, 3], [0, 0]], "Acc", "EMA") == [0.5, 1]
    assert of(np.ones((4, 4)), "EMA", "NIT") == pytest.approx([0.25, 0.25], abs=1e-15)  # mu = 1 and delta_X = 1
    for k, l in [(3, 3), (2, 4), (3, 5)]:
        assert of(np.ones((k, l)), "Acc", "AccRelabel") == pytest.approx([1 / max(k, l)] * 2, abs=1e-15)
        table = np.random.default_rng(k * l).random((k, l))
        mean = np.mean([of(table[:, list(o)], "Acc") for o in itertools.permutations(range(l))])
        assert mean == pytest.approx(1 / max(k, l), abs=1e-14)  # over all relabellings
        assert of(table, "AccRelabel") >= 1 / max(k, l)


@pytest.mark.parametrize(
    ("k", "n", "size", "ordered", "at_levels", "most"),
    [
        (
            2,
            100,
            (89_726, 89_625),
            176_851,
            3_647,
            {50: 0.1226, 75: 0.3475, 88: 0.5698, 94: 0.7274, 97: 0.8342, 98: 0.8780, 100: 1},
        ),
        (3, 18, (320_821, 302_484), 1_562_275, 46_191, {6: 1, 12: 0.7897, 15: 0.7311, 17: 0.8548, 18: 1}),
    ],
)
def test_valverde_census(
    k: int, n: int, size: tuple[int, int], ordered: int, at_levels: int, most: dict[int, float]
) -> None:
    """Figs. 1 and 2: all matrices; for a given accuracy the information does not reach all of [0, 1]."""
    tables = census(n, k)
    t = tables.sum(axis=2)
    assert (len(tables), int((t > 0).all(axis=1).sum())) == size
    assert math.comb(n + k * k - 1, k * k - 1) == ordered
    information, accuracy, ema, nit, k_X, m_Y, mi = of_all(tables, "ET_2MI", "Acc", "EMA", "NIT", "k_X", "m_Y", "MI")
    hits = np.rint(accuracy * n).astype(int)
    assert {a: float(information[hits == a].max()) for a in most} == printed(most, 4)
    assert [float(information[hits == a].min()) for a in most] == pytest.approx([0.0] * len(most), abs=1e-14)
    assert np.isin(hits, list(most)).sum() == at_levels
    best = tables.max(axis=1).sum(axis=1) / n
    for low, high in [
        (1 / k, nit),
        (nit, ema),
        (1 / k_X, ema),
        (1 / k, 1 / k_X),
        (nit, np.minimum(k_X, m_Y) / k),
        (ema, best),
    ]:
        assert (low <= high + 1e-12).all()
    assert nit == pytest.approx(2**mi / k, abs=1e-12)
    assert nit == pytest.approx(ema * k_X / k, abs=1e-12)
    assert (nit > 1 - 1e-12).sum() == (math.factorial(k) if n % k == 0 else 0)  # balanced, and truth told by output


def test_valverde_balance_equations() -> None:
    names = "H_X H_Y H_X|Y H_Y|X MI VI DH_X DH_Y DH mu m_Y|X delta_X delta_Y k_X|Y".split()  # noqa: SIM905
    et = "ET_DH ET_2MI ET_VI ETX_DH ETX_MI ETX_VI ETY_DH ETY_MI ETY_VI".split()  # noqa: SIM905
    rng = np.random.default_rng(1)
    for k, l in [(2, 2), (3, 3), (3, 5), (4, 5)]:
        tables = rng.integers(0, 9, (50, k, l)) + np.eye(k, l)
        v = dict(zip([*names, *et], of_all(tables, *names, *et), strict=True))
        top = math.log2(k) + math.log2(l)
        for left, right in [
            (top, v["DH"] + 2 * v["MI"] + v["VI"]),
            (math.log2(k), v["DH_X"] + v["MI"] + v["H_X|Y"]),
            (math.log2(l), v["DH_Y"] + v["MI"] + v["H_Y|X"]),
            (k, v["delta_X"] * v["mu"] * v["k_X|Y"]),
            (l, v["delta_Y"] * v["mu"] * v["m_Y|X"]),
            (v["mu"], 2 ** (v["H_Y"] - v["H_Y|X"])),  # the exponents are interchanged in print
            (v["VI"], v["H_X"] + v["H_Y"] - 2 * v["MI"]),
            (1, v["ET_DH"] + v["ET_2MI"] + v["ET_VI"]),
        ]:
            assert left + np.zeros(50) == pytest.approx(right, abs=1e-12)
        for whole, x, y in zip(et[:3], et[3:6], et[6:], strict=True):
            assert v[whole] == pytest.approx((math.log2(k) * v[x] + math.log2(l) * v[y]) / top, abs=1e-12)
