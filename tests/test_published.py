"""The numbers that five papers printed, corrected where the paper is wrong, each to its last digit."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, mannwhitneyu

import karat
from karat.measures.costs import expected_cost, normalised_expected_cost
from karat.statistics import Counts, ProbabilitySums

WANG = [[3, 1, 1], [1, 2, 0], [0, 0, 2]]  # Wang 2013, Table 4
TRUTH = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
# Wang 2013, Tables 1 to 3: columns are samples, rows the probabilities (in thousandths) of the three classes
M1 = [
    [947, 895, 998, 372, 355, 101, 1, 489, 70, 70],
    [51, 104, 1, 228, 612, 894, 984, 281, 0, 0],
    [2, 1, 1, 400, 33, 5, 15, 230, 930, 930],
]
M2 = [
    [729, 684, 684, 217, 79, 217, 217, 684, 40, 40],
    [98, 40, 40, 100, 896, 696, 696, 40, 276, 276],
    [173, 276, 276, 683, 25, 87, 87, 276, 684, 684],
]
M3 = [
    [729, 684, 684, 217, 79, 304, 304, 960, 0, 0],
    [271, 316, 316, 0, 921, 696, 696, 40, 316, 316],
    [0, 0, 0, 783, 0, 0, 0, 0, 684, 684],
]
MODELS = [karat.evaluate(TRUTH, np.transpose(m) / 1000) for m in (M1, M2, M3)]
# Wang 2013, Tables 5 to 7: one cell of each was adjusted in print so that its row sums to 1
PRINTED = [
    [[0.714, 0.199, 0.087], [0.197, 0.720, 0.083], [0.07, 0, 0.93]],
    [[0.479, 0.235, 0.286], [0.373, 0.477, 0.15], [0.04, 0.276, 0.684]],
    [[0.479, 0.365, 0.156], [0.523, 0.477, 0], [0, 0.316, 0.684]],
]
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


def of(matrix: Any, *symbols: str) -> Any:
    """The measures of one matrix."""
    e = karat.evaluate_matrix(matrix)
    return e[symbols[0]] if len(symbols) == 1 else [e[symbol] for symbol in symbols]


def of_all(tables: Any, *symbols: str) -> list[Any]:
    """The measures of many matrices of one size, as arrays."""
    counts = Counts(np.asarray(tables, float))
    return [np.asarray(karat.catalogue.measures[symbol](counts)) for symbol in symbols]


def printed(values: Any, digits: int) -> Any:
    """Equal to what was printed with so many digits."""
    return pytest.approx(values, rel=0, abs=0.5000001 * 10**-digits)


def compositions(n: int, parts: int) -> Any:
    """All ways to write n as a sum of so many whole numbers of at least 0."""
    bars = np.array(list(itertools.combinations(range(n + parts - 1), parts - 1)), int).reshape(-1, parts - 1)
    ends = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + parts - 1)])
    return np.diff(ends, axis=1) - 1


def tables_with(row_sums: Any) -> Any:
    """All square matrices with these row sums."""
    rows = [compositions(t, len(row_sums)) for t in row_sums]
    chosen = np.indices([len(r) for r in rows]).reshape(len(rows), -1)
    return np.stack([r[c] for r, c in zip(rows, chosen, strict=True)], axis=1)


def census(n: int, k: int) -> Any:
    """All matrices of n cases whose row sums do not increase: all of them but for renaming (Valverde-Albacete 2014)."""
    sizes = [t for t in compositions(n, k) if (np.diff(t) <= 0).all()]
    return np.concatenate([tables_with(t) for t in sizes])


# ----------------------------------------------------------------------------------------------------- Wang et al. 2013


@pytest.mark.parametrize(
    ("symbols", "expected", "digits"),
    [
        ("Acc", [0.7], 12),
        ("KapS MFM MAvA", [0.538461538, 0.711111111, 0.755555556], 9),
        ("MAvG", [0.7368063], 7),
        ("MCC CEN rCEN", [0.547142225, 0.425040703, 0.359949898], 9),
        ("k_X k_X|Y mu EMA NIT", [2.800094073, 1.834629509, 1.526244977, 0.545069179, 0.508748326], 9),
        ("ET_DH ET_2MI ET_VI", [0.035805, 0.384859, 0.579336], 6),
    ],
)
def test_wang_table_4(symbols: str, expected: list[float], digits: int) -> None:
    for e in (karat.evaluate_matrix(WANG), *MODELS):  # its section 3: no measure of the matrix tells the three apart
        assert [e[s] for s in symbols.split()] == printed(expected, digits)


@pytest.mark.parametrize(
    ("symbol", "expected", "digits"),
    [
        ("AU1U", (0.97, 0.81, 0.74), 2),  # Wang 2013, section 3, as published
        ("AUNU", (0.96, 0.79, 0.71), 2),  # Wang 2013, section 3, as published
        ("AU1U", (0.966667, 0.811111, 0.744444), 6),
        ("AUNU", (0.957460, 0.793016, 0.711349), 6),
        ("AUNP", (0.945714, 0.765714, 0.680714), 6),
        ("AU1P", (0.956667, 0.79, 0.72), 6),
        ("AU1P_printed", (0.956667 / 3, 0.79 / 3, 0.72 / 3), 6),  # the prefactor 1/(c(c-1)) of Ferri 2009, 3.1
        ("SAUC", (0.688, 0.363322, 0.395767), 6),
        ("PAUC", (0.840767, 0.659983, 0.659983), 6),
        ("MAPR", (0.787689, 0.546644, 0.546644), 6),
        ("MPR", (0.7586, 0.5193, 0.5193), 6),
        ("MAE", (0.160933, 0.320467, 0.320467), 6),
        ("MSE", (0.075860, 0.177485, 0.202708), 6),
        ("LogL", (0.538790, 1.420351, 1.420351), 6),
        ("CalL", (0.075860, 0.110818, 0.202708), 6),
        ("CalL_sum", (0.758605, 1.108181, 2.027085), 6),  # the sums as printed in Ferri 2009, 3.1
        ("CalB", (0.160933, 0.320467, 0.320467), 6),
        ("rpCEN", (0.404537292, 0.666150792, 0.560386332), 9),  # eq. (11) as printed
        ("pCEN", (0.433273252, 0.665936528, 0.587707219), 9),
        ("rpCEN_offdiagonal", (0.093381990, 0.307137425, 0.270955475), 9),
    ],
)
def test_wang_models(symbol: str, expected: tuple[float, ...], digits: int) -> None:
    assert [e[symbol] for e in MODELS] == printed(expected, digits)


def test_wang_tables_5_to_7_and_rpcen() -> None:
    found = [e.statistics[ProbabilitySums].relative.table for e in MODELS]
    assert found[0] == printed(np.array([[0.7134, 0.1992, 0.0874], [0.1970, 0.7197, 0.0833], [0.07, 0, 0.93]]), 4)
    adjusted = [(0, 0, 0.7134), (0, 2, 0.2866), (0, 2, 0.1566)]
    for exact, table, (i, j, cell) in zip(found, PRINTED, adjusted, strict=True):
        assert exact[i, j] == printed(cell, 4)
        assert np.delete(exact, 3 * i + j) == printed(np.delete(np.array(table), 3 * i + j), 3)
    assert [of(t, "CEN") for t in PRINTED] == printed([0.404108, 0.666129, 0.560253], 6)
    off = [of(t, "CEN_offdiagonal") for t in PRINTED]
    assert off == printed([0.093163, 0.307131, 0.270914], 6)
    assert off[:2] == printed([0.0932, 0.3071], 4)  # Wang 2013, section 4, as published
    slip = [[0.479, 0.365, 0.156], [0.477, 0.477, 0], [0, 0.316, 0.684]]  # .477 typed for .523
    assert of(slip, "CEN_offdiagonal") == printed(0.264768, 6)
    assert of(slip, "CEN_offdiagonal") == printed(0.2648, 4)  # Wang 2013, section 4, as published for M3
    for symbol in ("rpCEN", "pCEN", "rpCEN_offdiagonal"):  # the order M1, M3, M2 is the same in every variant
        assert MODELS[0][symbol] < MODELS[2][symbol] < MODELS[1][symbol]
    for symbol in ("MAPR", "MPR", "MAE", "LogL"):  # section 3: the true classes of M2 and M3 get the same
        assert MODELS[1][symbol] == pytest.approx(MODELS[2][symbol], abs=1e-15)


def test_wang_equation_16_leaves_out_the_diagonal() -> None:
    pairs = np.array([column for name, column in MODELS[0].pairs().columns.items() if name != "class"])
    off = ~np.eye(3, dtype=bool)
    assert pairs[off].sum() / 6 == pytest.approx(MODELS[0]["AU1U"], abs=1e-15)
    assert (pairs[off].sum() + 3 / 2) / 6 == printed(1.217, 3)  # with AUC(j, j) = 1/2 it would exceed 1


def test_balanced_classes_make_relative_and_plain_entropies_equal() -> None:
    rng = np.random.default_rng(0)
    for k in rng.integers(2, 6, 100):
        e = karat.evaluate(np.tile(np.arange(k), 7), rng.dirichlet(np.ones(k), 7 * k))
        assert e["pCEN"] == pytest.approx(e["rpCEN"], abs=1e-14)
        assert e["CEN"] == pytest.approx(e["rCEN"], abs=1e-14)


# --------------------------------------------------------------------------- Valverde-Albacete & Pelaez-Moreno 2014


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


# ------------------------------------------------------------------------------------------------- Jurman & Furlanello


def z(n: int, a: float) -> Any:
    """Z_A: all cells 1 but the last row's first."""
    table = np.ones((n, n))
    table[-1, 0] = a
    return table


def last_row(n: int, a: float) -> Any:
    """The random unbalanced problem: all cells 1, A in the last row."""
    return np.vstack([np.ones((n - 1, n)), np.full((1, n), a)])


@pytest.mark.parametrize("n", range(2, 9))
def test_jurman_closed_forms(n: int) -> None:
    log = lambda x: math.log(x) / math.log(2 * n - 2) if n > 2 else math.log2(x)  # noqa: E731
    assert of(np.ones((n, n)), "MCC", "CEN") == pytest.approx([0, (1 - 1 / n) * log(2 * n)], abs=1e-12)
    total = 1 - np.eye(n)
    assert of(total, "MCC", "CEN") == pytest.approx([-1 / (n - 1), 1], abs=1e-12)
    for a in (1, 2, 10, 1e6):
        cen = ((n - 2) * (n - 1) * log(2 * n) + (2 * n + a - 3) * log(2 * n + a - 1) - a * log(a)) / (n * n + a - 1)
        expected = [n / (n * n + a - 1), -(a - 1) / ((n - 1) * (n * n + 2 * a - 2)), cen]
        assert of(z(n, a), "Acc", "MCC", "CEN") == pytest.approx(expected, abs=1e-9)
        inner = (2 * n + a - 3) * log(2 * n + a - 1) - 2 * a * log(a) + (a + 1) * log(n + n * a + a - 1)
        expected = [0, (n - 1) / (2 * n * (n + a - 1)) * inner]
        assert of(last_row(n, a), "MCC", "CEN") == pytest.approx(expected, abs=1e-9)
    for t, f in [(17, 4), (3, 3), (1, 9)]:
        whole = t + (n - 1) * f
        cen = (n - 1) * f / whole * log(2 * whole / f)
        b = f + (t - f) * np.eye(n)
        assert of(b, "MCC", "CEN", "coreMCC") == pytest.approx([(t - f) / whole, cen, cen], abs=1e-12)


def test_jurman_check_values() -> None:
    assert [of(np.ones((n, n)), "CEN") for n in (2, 3, 4, 5)] == printed([1, 0.861654167, 0.870418816, 0.885847492], 9)
    assert of(z(4, 10), "MCC", "CEN") == printed([-0.088235294, 0.713243022], 9)  # as printed the MCC would be +.5
    assert of(last_row(4, 10), "CEN") == printed(0.645901042, 9)
    assert of(4 + 13 * np.eye(5), "MCC", "CEN") == printed([0.393939394, 0.653639454], 9)
    limits = [of(last_row(n, 1e12), "CEN") for n in (2, 3, 5, 10)]
    assert limits == printed([0.396241, 0.333333, 0.344662, 0.373327], 6)
    assert [of(last_row(n, 1e12), "CEN") for n in (2, 3, 4, 5)] == printed([0.3962, 0.3333, 0.3368, 0.3447], 4)
    assert [of(z(n, 1e9), "MCC") for n in (2, 3, 6)] == pytest.approx([-1 / 2, -1 / 4, -1 / 10], abs=1e-7)
    for n, factor in [(3, 1.105863), (10, 1.063512), (30, 1.048215)]:
        core, transformed = of(np.ones((n, n)), "coreMCC", "tMCC")
        assert core / transformed == printed(factor, 6)
    assert of([[3, 0, 0], [2, 0, 0], [4, 0, 0]], "CEN", "MCC") == printed([0.319715972, 0], 9)
    assert of([[3, 0, 0], [0, 1, 2], [2, 1, 3]], "CEN", "MCC") == printed([0.463811300, 0.366666667], 9)  # PyCM's page
    assert of([[40, 10], [5, 45]], "CEN") == printed(0.54801837, 8)
    assert of([[0, 9, 0], [9, 0, 0], [0, 0, 0]], "MCC", "MCC01") == pytest.approx([-1, 0], abs=1e-12)


def test_confusion_entropy_range() -> None:
    """Jurman & Furlanello, section 2: the range is not [0, 1] for two classes, and 0 does not mean perfect."""
    assert of([[0, 5], [0, 0]], "Acc", "CEN") == [0, 0]
    assert of([[0, 5, 0], [0, 0, 0], [0, 0, 7]], "CEN") == 0
    assert of([[36, 100], [100, 36]], "CEN") == printed(1.061475479, 9)
    f = 1e6
    assert of([[f * (math.e / 2 - 1), f], [f, f * (math.e / 2 - 1)]], "CEN") == pytest.approx(
        2 / (math.e * math.log(2)), abs=1e-12
    )
    assert 2 / (math.e * math.log(2)) == printed(1.061476, 6)
    assert karat.catalogue.measures["CEN"].range[1] == printed(1.061476, 6)
    ratios = np.arange(1, 100) / 100
    (cen,) = of_all([[[t, 1], [1, t]] for t in [0, *ratios, 1]], "CEN")
    assert (cen[1:-1] > 1).all()
    assert (cen[0], cen[-1]) == pytest.approx((1, 1), abs=1e-14)
    assert ratios[cen[1:-1].argmax()] == printed(0.3591, 2)
    (cen,) = of_all(compositions(20, 4).reshape(-1, 2, 2), "CEN")
    assert (len(cen), int((cen > 1 + 1e-12).sum())) == (1771, 152)


def test_confusion_entropy_of_all_small_tables() -> None:
    tables = compositions(6, 9).reshape(-1, 3, 3)
    cen, mcc = of_all(tables, "CEN", "MCC")
    assert cen.max() == pytest.approx(1, abs=1e-12)  # at most 1 for three classes ...
    assert (tables[cen > 1 - 1e-12] == 1 - np.eye(3, dtype=int)).all()  # ... and only if all is wrong, evenly
    d = tables.sum(axis=1) + tables.sum(axis=2)
    alone = (tables == 0) | ((tables == d[:, :, None]) & (tables == d[:, None, :])) | np.eye(3, dtype=bool)
    assert ((np.abs(cen) < 1e-12) == alone.all(axis=(1, 2))).all()
    hits = np.diagonal(tables, axis1=1, axis2=2)
    off = tables * (1 - np.eye(3, dtype=int))
    key = (d ** (d - 2 * hits)).prod(axis=1) / (off.astype(float) ** (2 * off)).prod(axis=(1, 2))
    assert np.exp(2 * 6 * math.log(4) * cen) == pytest.approx(key, rel=1e-10)  # the exact key of whole counts
    lowest = tables[mcc < -1 + 1e-12].reshape(-1, 9)
    assert (len(lowest), int((lowest > 0).sum(axis=1).max())) == (15, 2)  # only where two classes are interchanged


def test_two_by_two_formulas() -> None:
    tables = compositions(14, 4).reshape(-1, 2, 2)
    cen, mcc = of_all(tables, "CEN", "MCC")
    for (tn, fp, fn, tp), c, m in zip(tables.reshape(-1, 4).tolist(), cen, mcc, strict=True):
        inside = sum(x * math.log2(x) for x in (fn, fp) if x)
        wrong = (fn + fp) * math.log2(14**2 - (tp - tn) ** 2) / 28 if fn + fp else 0
        assert c == pytest.approx(wrong - inside / 14, abs=1e-12)
        if min(tn + fp, fn + tp, tn + fn, fp + tp) > 0:
            chi2 = chi2_contingency([[tn, fp], [fn, tp]], correction=False).statistic
            assert abs(m) == pytest.approx(math.sqrt(chi2 / 14), abs=1e-9)
        else:
            assert m == 0  # 0/0, a convention


def test_jurman_degree_of_discriminancy() -> None:
    """Section 2, "about 6": 5.377 over the 900 matrices with the row sums (2, 4, 3), equality within 1e-12."""
    tables = tables_with((2, 4, 3))
    assert len(tables) == 900
    cen, mcc = of_all(tables, "CEN", "MCC")

    def counts(chosen: Any) -> tuple[int, int, int, int]:
        a, b = (np.subtract.outer(x[chosen], x[chosen]) for x in (-cen, mcc))
        a, b = (np.where(np.abs(x) <= 1e-12, 0, np.sign(x)) for x in (a, b))
        cells = ((a > 0) & (b == 0), (a == 0) & (b > 0), a * b > 0, a * b < 0)
        return tuple(int(cell.sum()) for cell in cells)  # type: ignore[return-value]

    over, under, agree, differ = counts(slice(None))
    assert (over, under) == (3178, 591)
    assert over / under == printed(5.377326565, 9)
    assert agree / (agree + differ) == printed(0.785817, 6)
    used = (tables.sum(axis=1) > 0).sum(axis=1)
    for least, ratio in [(2, 5.254), (3, 6.331)]:
        over, under, _, _ = counts(used >= least)
        assert over / under == printed(ratio, 3)


def test_jurman_random_matrices() -> None:
    """Section 3: N uniform in 3..30, diagonal U{1..1000}, elsewhere U{1..1000 rho}; 56,000 of them, not 200,000."""
    rng = np.random.default_rng(2012)
    found = []
    for n in range(3, 31):
        high = np.floor(1000 * rng.uniform(0.01, 1, 2000)).astype(int)
        tables = rng.integers(1, high[:, None, None] + 1, (2000, n, n))
        tables[:, range(n), range(n)] = rng.integers(1, 1001, (2000, n))
        mcc, cen, core, t2, te = of_all(tables, "MCC", "CEN", "coreMCC", "tMCC", "tMCC_ln")
        found.append([mcc, cen, core, t2, te, core / t2 * cen, core / te * cen])
    mcc, cen, core, t2, te, k2_cen, ke_cen = np.concatenate(found, axis=1)
    for a, b, expected in [
        (mcc, cen, -0.9724),
        (core, cen, 0.9928),
        (t2, k2_cen, 0.99403),  # published .9941477
        (te, ke_cen, 0.99244),
        (t2, cen, 0.99558),
    ]:
        assert np.corrcoef(a, b)[0, 1] == pytest.approx(expected, abs=1.5e-3)
    means = [np.mean(core / cen), np.mean(core / k2_cen), np.mean(core / ke_cen)]
    assert means == pytest.approx([1.0658, 1.00508, 0.98879], abs=6e-4)


# --------------------------------------------------------------------------- Ferri, Hernandez-Orallo & Modroiu 2009


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


# -------------------------------------------------------------------------------------- Prati, Batista & Monard 2011


def mailed(fpr: float, tpr: float) -> karat.Evaluation:
    """100,000 customers, 5,000 of whom would answer a mail."""
    return karat.evaluate_matrix([[95_000 * (1 - fpr), 95_000 * fpr], [5_000 * (1 - tpr), 5_000 * tpr]])


@pytest.mark.parametrize(
    ("fpr", "tpr", "profit", "each_mail", "share"),
    [
        (0.10, 0.50, 96_500, 89_000, 0.120),  # A, section 4.5 (profits) and 4.4 (lift)
        (0.10, 0.28, 41_500, 37_300, 0.109),  # B
        (0.40, 0.78, 81_000, 69_300, 0.419),  # A
        (0.40, 0.87, 103_500, 90_450, 0.4235),  # B
        (0.15, 0.65, 119_750, 110_000, 0.175),  # A at its maximum
    ],
)
def test_prati_returns(fpr: float, tpr: float, profit: float, each_mail: float, share: float) -> None:
    e = mailed(fpr, tpr)
    assert -100_000 * e[expected_cost.at(cost=[[0, 3], [0, -50]])] == pytest.approx(profit, abs=1e-6)
    assert -100_000 * e[expected_cost.at(cost=[[0, 3], [0, -47]])] == pytest.approx(each_mail, abs=1e-6)
    assert e["PredPos"] == pytest.approx(share, abs=1e-12)
    assert e["PPV"] == pytest.approx(tpr * 0.05 / share, abs=1e-12)
    any_share = karat.evaluate_matrix([[1 - fpr, fpr], [1 - tpr, tpr]])
    with_prior = expected_cost.at(cost=[[0, 3], [0, -50]], prior=[0.95, 0.05])
    assert -100_000 * any_share[with_prior] == pytest.approx(profit, abs=1e-6)


def test_prati_equation_8_as_printed() -> None:
    literal = [[0, 0], [0.05 * 3, 0.05 * -50]]  # -3 in the wrong cell of Table 3, and p(X) once too often
    assert -100_000 * mailed(0.10, 0.50)[expected_cost.at(cost=literal)] == pytest.approx(5_875, abs=1e-6)


def test_prati_cost_lines() -> None:
    rng = np.random.default_rng(2)
    for fn, fp, tn, tp in rng.integers(1, 50, (20, 4)):
        c_fn, c_fp = rng.random(2) + 0.1
        e = karat.evaluate_matrix([[tn, fp], [fn, tp]])
        pi = e["Prev"]
        highest = pi * c_fn + (1 - pi) * c_fp
        slope = c_fp * (1 - pi) / (c_fn * pi)
        cost = e[expected_cost.at(cost=[[0, c_fp], [c_fn, 0]])]
        assert cost == pytest.approx(pi * (1 - e["TPR"]) * c_fn + (1 - pi) * e["FPR"] * c_fp, abs=1e-12)
        assert e[normalised_expected_cost.at(pc=1 / (1 + slope))] == pytest.approx(cost / highest, abs=1e-12)
        assert [e[normalised_expected_cost.at(pc=pc)] for pc in (0, 1)] == pytest.approx(
            [e["FPR"], e["FNR"]], abs=1e-15
        )
        assert e["EC"] == pytest.approx(1 - e["Acc"], abs=1e-12)
    for slope, pc, digits in [(6.5, 0.133333, 6), (6.5, 0.13, 2), (1.5, 0.4, 12)]:  # sections 3.2, 3.3 and 4.2
        assert 1 / (1 + slope) == printed(pc, digits)
        at = normalised_expected_cost.at(pc=1 / (1 + slope))
        lower, upper = [[100 - 20, 20], [50, 50]], [[100 - 24, 24], [50 - 4 * slope, 50 + 4 * slope]]
        assert of(lower, "Acc") != of(upper, "Acc")
        assert karat.evaluate_matrix(lower)[at] == pytest.approx(karat.evaluate_matrix(upper)[at], abs=1e-12)
        never, always, coin = [[9, 0], [4, 0]], [[0, 9], [0, 4]], [[5, 5], [2, 2]]
        found = [karat.evaluate_matrix(m)[at] for m in (never, always)]
        assert found == pytest.approx([1 / (1 + slope), slope / (1 + slope)], abs=1e-12)
        assert karat.evaluate_matrix(coin)["NEC"] == 0.5


def test_prati_section_7() -> None:
    """TIC: 4,000 customers, 238 buyers; NBTree, BN and NB as whole counts that explain all that was printed."""
    points = [(0, 0), (4, 8), (83, 436), (101, 720), (238, 3762)]
    found = [karat.evaluate_matrix([[3762 - fp, fp], [238 - tp, tp]]) for tp, fp in points]
    assert [round(4000 * e["EC"]) for e in found[1:4]] == [242, 591, 857]
    assert [100 * e["EC"] for e in found[1:4]] == printed([6.05, 14.775, 21.43], 2)
    ends = [[e[normalised_expected_cost.at(pc=pc)] for pc in (0, 1)] for e in found]
    crossings = [(a[0] - b[0]) / (a[0] - b[0] - a[1] + b[1]) for a, b in itertools.pairwise(ends)]
    assert crossings == printed([0.1123, 0.2553, 0.4995, 0.5842], 4)
    assert crossings == pytest.approx([0.11, 0.25, 0.50, 0.58], abs=0.01)  # as published


@pytest.mark.parametrize(
    ("positives", "negatives", "overlap", "area", "distance"),
    [
        ([0.2, 0.6], [0.2, 0.6], 1, 0.5, 0),  # section 5.4: "the overlapped area is equivalent to the AUC" is not so
        ([0.8, 0.9], [0.1, 0.2], 0, 1, 0.7),
        ([0.5, 0.5], [0.1, 0.9], 0, 0.5, 0),
        ([0.65, 0.65], [0.35, 0.35], 0, 1, 0.3),  # the same distance of means, two AUCs
        ([0.8, 0.4], [0.1, 0.5], 0, 0.75, 0.3),
    ],
)
def test_prati_discrimination(
    positives: list[float], negatives: list[float], overlap: float, area: float, distance: float
) -> None:
    e = karat.evaluate([1, 1, 0, 0], positives + negatives)
    assert [e[s] for s in ("OVL", "AUC", "DD", "Gini")] == pytest.approx(
        [overlap, area, distance, 2 * area - 1], abs=1e-12
    )
    assert mannwhitneyu(positives, negatives).statistic / 4 == e["AUC"]  # the rank sum, not the signed ranks


def test_prati_reference_of_figures_9_and_19() -> None:
    e = karat.evaluate([1, 1, 1, 0, 0, 0, 0, 0], np.ones(8))  # always positive, with probability 1
    assert (e["BS"], e["UNC"]) == (1 - 3 / 8, 3 / 8 * 5 / 8)


# ---------------------------------------------------------------------------------------- one class, one case

NAN = math.nan


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [  # Acc, KapS, MCC, CEN, EMA, NIT, ET_VI
        ([[7]], [1, NAN, 0, 0, 1, 1, NAN]),
        ([[1, 0], [0, 0]], [1, NAN, 0, 0, 1, 1 / 2, 0]),
        ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [0, 0, 0, 0, 1, 1 / 3, 0]),
    ],
)
def test_one_class_and_one_case(matrix: Any, expected: list[float]) -> None:
    symbols = ("Acc", "KapS", "MCC", "CEN", "EMA", "NIT", "ET_VI")
    assert of(matrix, *symbols) == pytest.approx(expected, abs=1e-15, nan_ok=True)
    truth, decided = np.argwhere(matrix)[0]
    e = karat.evaluate([truth], np.eye(len(matrix))[[decided]], labels=range(len(matrix)))
    assert [e[s] for s in symbols] == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert all(math.isnan(e[s]) for s in ("AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC"))
