"""The oracles against the numbers that were published (or follow from a closed form), typed in as literals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

import karat
from oracles import NEC, ORACLES, Case, EC_weighted, h_measure

WANG = [[3, 1, 1], [1, 2, 0], [0, 0, 2]]  # Wang 2013, Table 4
PYCM = [[3, 0, 0], [0, 1, 2], [2, 1, 3]]  # the matrix of PyCM's documentation
BINARY = [[40, 10], [5, 45]]
TRUTH = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
M1 = [  # Wang 2013, Table 1
    [0.947, 0.051, 0.002],
    [0.895, 0.104, 0.001],
    [0.998, 0.001, 0.001],
    [0.372, 0.228, 0.4],
    [0.355, 0.612, 0.033],
    [0.101, 0.894, 0.005],
    [0.001, 0.984, 0.015],
    [0.489, 0.281, 0.23],
    [0.07, 0, 0.93],
    [0.07, 0, 0.93],
]
M2 = [  # Wang 2013, Table 2
    [0.729, 0.098, 0.173],
    [0.684, 0.04, 0.276],
    [0.684, 0.04, 0.276],
    [0.217, 0.1, 0.683],
    [0.079, 0.896, 0.025],
    [0.217, 0.696, 0.087],
    [0.217, 0.696, 0.087],
    [0.684, 0.04, 0.276],
    [0.04, 0.276, 0.684],
    [0.04, 0.276, 0.684],
]
M3 = [  # Wang 2013, Table 3
    [0.729, 0.271, 0],
    [0.684, 0.316, 0],
    [0.684, 0.316, 0],
    [0.217, 0, 0.783],
    [0.079, 0.921, 0],
    [0.304, 0.696, 0],
    [0.304, 0.696, 0],
    [0.96, 0.04, 0],
    [0, 0.316, 0.684],
    [0, 0.316, 0.684],
]
WANG_CASES = [Case.of(TRUTH, p) for p in (M1, M2, M3)]

# Valverde-Albacete & Pelaez-Moreno 2014, Table 1, the MEG classifiers C1 and C10
MEG_1 = [[94, 29, 16, 10, 1], [22, 100, 10, 18, 1], [25, 16, 51, 10, 0], [3, 4, 12, 85, 21], [2, 2, 4, 3, 114]]
MEG_10 = [
    [53, 26, 26, 20, 25],
    [55, 20, 33, 22, 21],
    [32, 12, 25, 16, 17],
    [42, 11, 21, 22, 29],
    [23, 7, 25, 32, 38],
]


def value(symbol: str, matrix: Sequence[Sequence[float]], positive: int = 1) -> float:
    return ORACLES[symbol](Case.of_matrix(matrix, positive))


@pytest.mark.parametrize(
    ("symbol", "expected", "digits"),
    [
        ("Acc", 0.7, 12),
        ("KapS", 0.538461538, 9),
        ("MFM", 0.711111111, 9),
        ("MAvA", 0.755555556, 9),
        ("MAvG", 0.7368063, 7),
        ("MCC", 0.547142225, 9),
        ("tMCC", 0.510103464, 9),
        ("CEN", 0.425040703, 9),
        ("rCEN", 0.359949898, 9),
        ("k_X", 2.800094073, 9),
        ("k_X|Y", 1.834629509, 9),
        ("mu", 1.526244977, 9),
        ("EMA", 0.545069179, 9),
        ("NIT", 0.508748326, 9),
        ("RCI", 0.410633922, 9),
        ("ET_DH", 0.035805, 6),
        ("ET_2MI", 0.384859, 6),
        ("ET_VI", 0.579336, 6),
    ],
)
def test_wang_table_4(symbol: str, expected: float, digits: int) -> None:
    assert value(symbol, WANG) == pytest.approx(expected, abs=0.5001 * 10**-digits)


@pytest.mark.parametrize(
    ("symbol", "expected", "digits"),
    [
        ("AU1U", (0.966667, 0.811111, 0.744444), 6),
        ("AU1U", (0.97, 0.81, 0.74), 2),  # as published
        ("AUNU", (0.957460, 0.793016, 0.711349), 6),
        ("AUNU", (0.96, 0.79, 0.71), 2),  # as published
        ("AUNP", (0.945714, 0.765714, 0.680714), 6),
        ("AU1P", (0.956667, 0.79, 0.72), 6),
        ("AU1P_printed", (0.318889, 0.263333, 0.24), 6),
        ("SAUC", (0.688, 0.363322, 0.395767), 6),
        ("PAUC", (0.840767, 0.659983, 0.659983), 6),
        ("MAPR", (0.787689, 0.546644, 0.546644), 6),
        ("MPR", (0.7586, 0.5193, 0.5193), 6),
        ("MAE", (0.160933, 0.320467, 0.320467), 6),
        ("MSE", (0.075860, 0.177485, 0.202708), 6),
        ("LogL", (0.538790, 1.420351, 1.420351), 6),
        ("CalL", (0.075860, 0.110818, 0.202708), 6),
        ("CalL_sum", (0.758605, 1.108181, 2.027085), 6),
        ("CalB", (0.160933, 0.244067, 0.320467), 6),  # the second has ties
        ("pCEN", (0.433273252, 0.665936528, 0.587707219), 9),
        ("rpCEN", (0.404537292, 0.666150792, 0.560386332), 9),
        ("rpCEN_offdiagonal", (0.093381990, 0.307137425, 0.270955475), 9),
    ],
)
def test_wang_predictions(symbol: str, expected: tuple[float, float, float], digits: int) -> None:
    found = tuple(ORACLES[symbol](case) for case in WANG_CASES)
    assert found == pytest.approx(expected, abs=0.5001 * 10**-digits)


def test_wang_predictions_share_table_4() -> None:
    assert all(case.C == WANG for case in WANG_CASES)


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("CEN", 0.463811300),
        ("MCEN", 0.518936947),
        ("MCC", 0.366666667),
        ("KapS", 0.354838710),
        ("MI", 0.524207838),
        ("H_XY", 2.459147917),
        ("H_Y|X", 0.959147917),
        ("RCI", 0.349471892),
    ],
)
def test_pycm_documentation(symbol: str, expected: float) -> None:
    assert value(symbol, PYCM) == pytest.approx(expected, abs=0.5001e-9)


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        ("k_X|Y", 2.562, 4.801),
        ("mu", 1.932, 1.031),
        ("Acc", 0.680, 0.242),
        ("EMA", 0.390, 0.208),
        ("NIT", 0.386, 0.206),
        ("CEN", 1 - 0.564, 1 - 0.172),
        ("MCC", 0.598, 0.052),
    ],
)
def test_meg_classifiers(symbol: str, first: float, last: float) -> None:
    assert value(symbol, MEG_1) == pytest.approx(first, abs=0.501e-3)
    assert value(symbol, MEG_10) == pytest.approx(last, abs=0.501e-3)


def test_modified_confusion_entropy_of_pycm() -> None:
    assert value("MCEN", MEG_1) == pytest.approx(0.5693686693458957, abs=1e-13)
    assert value("MCEN", MEG_10) == pytest.approx(0.8895458586181684, abs=1e-13)
    assert value("MCEN", [[4, 2], [2, 4]]) == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize(("n", "expected"), [(2, 1.0), (3, 0.861654167), (4, 0.870418816), (5, 0.885847492)])
def test_all_cells_equal(n: int, expected: float) -> None:
    matrix = [[1] * n for _ in range(n)]
    assert value("CEN", matrix) == pytest.approx(expected, abs=0.5001e-9)
    assert value("MCC", matrix) == pytest.approx(0, abs=1e-15)


def test_closed_forms_of_jurman() -> None:
    z = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [10, 1, 1, 1]]
    assert value("MCC", z) == pytest.approx(-0.088235294, abs=0.5001e-9)
    assert value("CEN", z) == pytest.approx(0.713243022, abs=0.5001e-9)
    last_row = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [10, 10, 10, 10]]
    assert value("CEN", last_row) == pytest.approx(0.645901042, abs=0.5001e-9)
    assert value("MCC", last_row) == 0
    b = [[17 if i == j else 4 for j in range(5)] for i in range(5)]
    assert value("MCC", b) == pytest.approx(0.393939394, abs=0.5001e-9)
    assert value("CEN", b) == pytest.approx(0.653639454, abs=0.5001e-9)
    assert value("coreMCC", b) == pytest.approx(value("CEN", b), abs=1e-14)
    for n, k in [(3, 1.105863), (10, 1.063512), (30, 1.048215)]:
        off = [[0 if i == j else 1 for j in range(n)] for i in range(n)]
        assert value("coreMCC", off) / value("tMCC", off) == pytest.approx(k, abs=0.5001e-6)
        assert value("CEN", off) == pytest.approx(1, abs=1e-12)


def test_binary_tables() -> None:
    assert value("CEN", BINARY) == pytest.approx(0.54801837, abs=0.5001e-8)
    assert value("CEN", [[36, 100], [100, 36]]) == pytest.approx(1.061475479, abs=0.5001e-9)
    assert value("CEN", [[3, 0, 0], [2, 0, 0], [4, 0, 0]]) == pytest.approx(0.319715972, abs=0.5001e-9)
    rates = {"TPR": 0.9, "FPR": 0.2, "TNR": 0.8, "FNR": 0.1, "PPV": 45 / 55, "NPV": 40 / 45, "F1": 90 / 105}
    rates |= {"OR": 36, "BM": 0.7, "BAcc": 0.85, "LRP": 4.5, "LRN": 0.125, "Prev": 0.5, "PredPos": 0.55, "EC": 0.15}
    rates |= {"Jaccard": 0.75, "GMean": math.sqrt(0.72), "F2": 225 / 255, "F0.5": 56.25 / 67.5}
    for symbol, expected in rates.items():
        assert value(symbol, BINARY) == pytest.approx(expected, abs=1e-14), symbol
    assert value("DP", BINARY) == pytest.approx(math.sqrt(3) / math.pi * math.log(36), abs=1e-14)


def test_information_edges() -> None:
    assert value("EMA", [[90, 0], [0, 10]]) == 1
    assert value("NIT", [[90, 0], [0, 10]]) == pytest.approx(0.692072744, abs=0.5001e-9)
    assert (value("Acc", [[0, 5], [5, 0]]), value("EMA", [[0, 5], [5, 0]])) == (0, 1)
    assert value("AccRelabel", [[0, 5], [5, 0]]) == 1
    assert (value("EMA", [[7, 0], [0, 0]]), value("NIT", [[7, 0], [0, 0]]), value("NIT", [[7]])) == (1, 0.5, 1)
    assert math.isnan(value("ET_VI", [[7]]))


def test_probabilistic_auc_is_an_affine_function_of_mapr() -> None:
    for case in WANG_CASES:
        assert ORACLES["PAUC"](case) == pytest.approx(0.5 + (3 * ORACLES["MAPR"](case) - 1) / 4, abs=1e-14)


def test_h_measure_of_the_package_documentation() -> None:
    scores = [0.84901876, 0.10282827, 0.43752488, 0.46004468, 0.90878931]
    scores += [0.79177719, 0.5297229, 0.13803906, 0.73166264, 0.22959056]
    case = Case.of([1, 1, 0, 1, 1, 0, 1, 1, 1, 0], [[1 - s, s] for s in scores])
    assert ORACLES["H_severity"](case) == pytest.approx(0.18889596344769588, abs=1e-11)
    for ratio, expected in [(0.7, 0.13502616807120948), (0.1, 0.001212529211507385), (0.5, 0.10750123502531805)]:
        assert h_measure(case, 2, 1 + 1 / ratio) == pytest.approx(expected, abs=1e-11)


def test_brier_decomposition_and_curves() -> None:
    case = Case.of([1, 0, 1, 1, 0, 0], [[1 - s, s] for s in (0.8, 0.8, 0.6, 0.4, 0.4, 0.1)])
    parts = {symbol: ORACLES[symbol](case) for symbol in ("BS", "UNC", "REL", "RES", "MCB", "DSC", "BSS")}
    assert parts["BS"] == pytest.approx(parts["UNC"] + parts["REL"] - parts["RES"], abs=1e-15)
    assert parts["BS"] == pytest.approx(parts["UNC"] + parts["MCB"] - parts["DSC"], abs=1e-15)
    assert parts["BSS"] == pytest.approx((parts["RES"] - parts["REL"]) / parts["UNC"], abs=1e-15)
    assert ORACLES["AUC"](case) == pytest.approx((2.5 + 2 + 1.5) / 9, abs=1e-15)
    assert ORACLES["AP"](case) == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3, abs=1e-15)
    # between (1, 1) and (2, 1) positives and false positives: integral of t / (t + 1); then t / (2 t - 1)
    segments = 1 / 2 + (1 - math.log(3 / 2)) + (0.5 + 0.25 * math.log(5 / 3))
    assert ORACLES["AUPRC"](case) == pytest.approx(segments / 3, abs=1e-12)
    assert ORACLES["KS"](case) == pytest.approx(1 / 3, abs=1e-15)


def test_costs_of_prati() -> None:
    case = Case.of_matrix([[90, 10], [50, 50]])  # (fpr, tpr) = (.10, .50)
    gains = EC_weighted(case, [[0, -3], [0, 50]], [0.95, 0.05])
    assert 100_000 * gains == pytest.approx(96_500, abs=1e-6)
    assert NEC(case, 1 / (1 + 6.5)) == pytest.approx(0.5 * 2 / 15 + 0.1 * 13 / 15, abs=1e-15)
    assert math.isnan(EC_weighted(Case.of_matrix([[3, 1], [0, 0]]), [[0, 1], [1, 0]], [0.5, 0.5]))


@pytest.mark.parametrize(("symbol", "expected"), [("CalB", 0.23684210526), ("CalB_caruana", 0.23596491228)])
def test_tied_cases_count_with_their_mean_outcome(symbol: str, expected: float) -> None:
    """Worked out by hand for the definition; whatever the order of the rows."""
    y = [0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1]
    p = [0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.8, 0.9, 0.9]
    rows = list(zip(y, p, strict=True))
    for order in (rows, rows[::-1], sorted(rows), sorted(rows, key=lambda row: (row[1], -row[0]))):
        labels, column = zip(*order, strict=True)
        assert karat.evaluate(labels, column)[symbol] == pytest.approx(expected, abs=1e-11)
    constant = karat.evaluate([0, 1] * 30, [0.5] * 60)
    assert constant[symbol] == 0
