"""A population of classifiers against Table 1 of Valverde-Albacete & Pelaez-Moreno (2014); intervals by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat import InputError
from karat.studies import Population
from published import printed
from published.test_valverde import MEG

MATRICES = {f"C_{i}": np.array(cells.split(), float).reshape(5, 5) for i, (cells, _) in enumerate(MEG, 1)}
SYMBOLS = ("k_X|Y", "mu", "Acc", "EMA", "NIT")


def rows_of(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


@pytest.fixture(scope="module", params=["dirichlet", "bootstrap"])
def found(request: pytest.FixtureRequest) -> Any:
    return Population(matrices=MATRICES, draws=4000, method=request.param).run(workers=1)


def test_table_1_to_three_decimals(found: Any) -> None:
    rows = {row["classifier"]: row for row in rows_of(found["ranking"])}
    for i, (_, row) in enumerate(MEG, 1):
        assert [rows[f"C_{i}"][s] for s in SYMBOLS] == printed([float(x) for x in row.split()[:5]], 3)
        assert rows[f"C_{i}"]["rank by Acc"] == i
    order = [row["classifier"] for row in rows_of(found["ranking"])]
    assert order == "C_4 C_2 C_1 C_3 C_6 C_5 C_7 C_9 C_8 C_10".split()  # noqa: SIM905


def test_the_four_steps(found: Any) -> None:
    classes, order, triangle, solved = (row["finding"] for row in rows_of(found["steps"]))
    assert "4.950 of 5" in classes
    assert "C_4, C_2, C_1" in order
    assert "none" in triangle
    assert "NIT of C_4 is 0.407" in solved
    assert "not solved" in solved
    shares = {row["classifier"]: row for row in rows_of(found["triangle"])}
    for row in shares.values():
        assert row["imbalance"] + row["information"] + row["variation"] == pytest.approx(1, abs=1e-12)
    assert max(shares, key=lambda c: shares[c]["imbalance of predictions"]) == "C_9"
    places = {name: row["position"] for name, row in shares.items()}
    assert [name for name, place in places.items() if place == "near chance"] == ["C_8", "C_10"]
    assert {places[f"C_{i}"] for i in (1, 2, 3, 4, 5, 6, 7, 9)} == {"between near chance and informative"}


@pytest.mark.parametrize(
    ("matrix", "nit", "ends", "solved"),
    [  # 2^MI / k, 1/k and 2^H_X / k by hand
        ([[3541, 0], [231, 0]], 0.5, (0.5, 0.630), False),  # a constant answer tells nothing
        ([[3541, 0], [0, 231]], 0.630, (0.5, 0.630), True),  # a perfect one all that there is
        ([[50, 0], [50, 0]], 0.5, (0.5, 1.0), False),
        ([[50, 0, 0], [0, 50, 0], [0, 0, 50]], 1.0, (0.333, 1.0), True),
        ([[50, 0, 0], [50, 0, 0], [50, 0, 0]], 0.333, (0.333, 1.0), False),
    ],
)
def test_whether_a_task_is_solved_is_read_from_chance_on(
    matrix: Any, nit: float, ends: tuple[float, float], solved: bool
) -> None:
    said = rows_of(Population(matrices={"c": matrix}, draws=100).run(workers=1)["steps"])[3]["finding"]
    assert f"NIT of c is {nit:.3f} [0." in said
    least, most = (text.replace("1.000", "1") for text in (f"{ends[0]:.3f}", f"{ends[1]:.3f}"))
    assert f"constant predictions give {least} and perfect ones {most}: it gets " in said
    assert ("is solved" in said, "not solved" in said) == (solved, not solved)


def test_there_is_nothing_to_solve_in_one_class() -> None:
    said = rows_of(Population(matrices={"c": [[9, 3], [0, 0]]}, draws=100).run(workers=1)["steps"])[3]["finding"]
    assert "nothing to solve" in said


def test_c_4_is_not_significantly_before_c_1(found: Any) -> None:
    pairs = {(row["better"], row["worse"]): row for row in rows_of(found["pairs"])}
    assert len(pairs) == 45
    assert 0.75 < pairs["C_4", "C_1"]["probability"] < 0.95
    assert not pairs["C_4", "C_1"]["significant"]
    assert pairs["C_4", "C_8"]["significant"]
    assert sum(row["chance to be best"] for row in rows_of(found["ranking"])) == pytest.approx(1, abs=1e-9)


def test_intervals_are_those_of_a_simulation() -> None:
    c = MATRICES["C_1"]
    rng = np.random.default_rng(0)
    drawn = rng.dirichlet(c.ravel() + 0.5, 4000).reshape(-1, 5, 5)
    ema = [float(karat.evaluate_matrix(t)["EMA"]) for t in drawn[:1500]]
    (row,) = rows_of(Population(matrices=[c], draws=4000).run(workers=1)["ranking"])
    assert (row["EMA low"], row["EMA high"]) == pytest.approx(np.percentile(ema, [2.5, 97.5]).tolist(), abs=0.003)


def test_another_measure_can_order(found: Any) -> None:
    ranking = Population(matrices=MATRICES, by="MCC", measures="CEN,MCC", draws=200).run(workers=1)["ranking"]
    values = ranking.columns["MCC"]
    assert values == sorted(values, reverse=True)
    assert "MCC low" in ranking.columns
    cen = Population(matrices=MATRICES, by="CEN", draws=200).run(workers=1)["ranking"].columns["CEN"]
    assert cen == sorted(cen)  # lower is better


def test_the_figure_is_the_triangle() -> None:
    pytest.importorskip("mpltern")
    study = Population(matrices=MATRICES, draws=100)
    assert set(study.figures(study.run(workers=1))) == {"triangle"}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "no confusion matrices"),
        ({"matrices": {}}, "there is no confusion matrix"),
        ({"matrices": {"a": np.eye(2), "b": np.eye(3)}}, "different shapes \\(a 2 x 2, b 3 x 3\\)"),
        ({"matrices": {"a": [[-1, 2], [3, 4]]}}, "negative count"),
        ({"matrices": {"a": [[0.5, 1], [1, 2]]}, "method": "bootstrap"}, "not whole"),
        ({"matrices": MATRICES, "draws": 0}, "draws is 0"),
        ({"matrices": MATRICES, "method": "guess"}, "method is 'guess'"),
        ({"matrices": MATRICES, "level": 1.5}, "level is 1.5"),
        ({"matrices": MATRICES, "by": "LogL"}, "LogL can't rank"),
        *(
            ({"matrices": MATRICES, "prior": x}, "prior is .*; pass a number above 0")
            for x in (0, -1, True, "1", math.inf)
        ),
        *(({"matrices": MATRICES, "solved": x}, "above 0 and below 1") for x in (0, 1, 1.5, -0.1, True, "0.5")),
        ({"matrices": MATRICES, "by": "k_X"}, "k_X can't rank"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Population(**told)
