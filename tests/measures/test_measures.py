"""Every measure against its literal transcription, on problems with everything that makes trouble."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import karat
from cases import Problem, problems
from karat.measures.costs import expected_cost, normalised_expected_cost
from oracles import ORACLES
from oracles.costs import NEC, EC_weighted

PROBLEMS = problems()


def test_every_measure_has_an_oracle_and_every_oracle_a_measure() -> None:
    assert set(ORACLES) | {"NEC"} == set(karat.catalogue.measures)


@pytest.mark.parametrize("problem", PROBLEMS, ids=repr)
def test_measures_equal_their_oracles(problem: Problem) -> None:
    e, case = problem.evaluated(), problem.case()
    wrong = []
    for symbol, oracle in ORACLES.items():
        if symbol.startswith("H_") and len(problem.y) > 100 and symbol not in ("H_X", "H_Y"):
            continue  # numerical integrals: slow, and seen on the smaller problems
        expected, found = oracle(case), e[symbol]
        tolerance = 1e-9 if symbol.startswith("H") else 1e-11
        if not (
            math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance)
            or (expected != expected) == (found != found) is True
        ):
            wrong.append(f"{symbol}: oracle {expected}, karat {found} {e.why(symbol)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if "n40" in p.name], ids=repr)
def test_costs_equal_their_oracles(problem: Problem) -> None:
    rng = np.random.default_rng(3)
    e, case = problem.evaluated(), problem.case()
    cost = rng.random((problem.k, problem.l)) - 0.2
    prior = rng.dirichlet(np.ones(problem.k))
    found = e[expected_cost.at(cost=cost, prior=prior)]
    assert found == pytest.approx(EC_weighted(case, cost.tolist(), prior.tolist()), rel=1e-12)
    for pc in (0.0, 0.3, 1.0):
        assert e[normalised_expected_cost.at(pc=pc)] == pytest.approx(NEC(case, pc), rel=1e-12, nan_ok=True)


def test_classwise_measures_serve_every_class() -> None:
    problem = next(p for p in PROBLEMS if p.name == "k5-n40-ties")
    table = problem.evaluated().per_class([m for m in karat.catalogue.measures.values() if m.classwise])
    for j in range(5):
        case = Problem("", problem.y, problem.p, k=5, l=5, positive=j).case()
        for symbol, values in table.columns.items():
            if symbol in ORACLES:
                assert values[j] == pytest.approx(ORACLES[symbol](case), rel=1e-9, abs=1e-10, nan_ok=True), (symbol, j)


@pytest.mark.parametrize(
    ("symbol", "parameters", "said"),
    [
        ("partAUC", {"max_fpr": -1}, r"max_fpr is -1; give a number in \(0, 1\]"),
        ("partAUC_standardised", {"max_fpr": 2}, "max_fpr is 2"),
        ("tMCC", {"base": 1}, r"base is 1; give a number in \(1, inf\)"),
        ("F1", {"beta": math.inf}, "beta is inf"),
        ("F1", {"beta": math.nan}, "beta is nan"),
        ("F1", {"beta": "2"}, "beta is '2'"),
        ("H", {"a": -1, "b": 2}, "a is -1"),
        ("H", {"a": 1, "b": 0}, "b is 0"),
        ("CalL", {"digits": 1.5}, "digits is 1.5"),
        ("LogL", {"eps": 1}, r"eps is 1; give a number in \[0, 1\)"),
        ("NEC", {"pc": 3}, r"pc is 3; give a number in \[0, 1\]"),
    ],
)
def test_parameters_out_of_range_are_refused(symbol: str, parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(karat.InputError, match=said):
        karat.catalogue.measures[symbol].at(**parameters)([0, 1, 1, 0], [0.2, 0.7, 0.8, 0.6])


def test_averages_and_other_parameters_can_be_sent() -> None:
    y, d = [0, 1, 2, 2], [0, 1, 1, 2]
    for m in (
        karat.macro("F1"),
        karat.weighted("TPR"),
        karat.micro("AP"),
        karat.macro(karat.catalogue.measures["F1"].at(beta=3)),
        karat.measures.find("neg(EC)"),
    ):
        back = pickle.loads(pickle.dumps(m))
        assert (back.symbol, back.range, back.formula) == (m.symbol, m.range, m.formula)
        if m.symbol != "micro(AP)":
            assert back(y, y_pred=d) == m(y, y_pred=d)
    recall = pickle.loads(pickle.dumps(karat.catalogue.measures["F1"].at(beta=1e9)))
    assert recall([0, 1, 1], y_pred=[0, 1, 0]) == pytest.approx(0.5)
