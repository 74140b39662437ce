"""Wang et al. 2013: three models with one confusion matrix, which only the probabilities tell apart."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.reproductions.wang2013 import probabilities
from karat.statistics import ProbabilitySums
from published import of, printed

WANG = [[3, 1, 1], [1, 2, 0], [0, 0, 2]]  # Wang 2013, Table 4
MODELS = [karat.evaluate(*probabilities(table)) for table in (1, 2, 3)]
# Wang 2013, Tables 5 to 7: one cell of each was adjusted in print so that its row sums to 1
PRINTED = [probabilities(table)[1].tolist() for table in (5, 6, 7)]


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
        ("CalB", (0.160933, 0.244067, 0.320467), 6),  # the second has ties
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
