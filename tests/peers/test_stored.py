"""Answers of R, MATLAB, Weka, Python libraries and the papers' own formulas, kept with the package: each is karat's
number, or follows from karat's numbers by the definition that is stated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from karat.conformance.conformance import near
from karat.conformance.definitions import REBUILT
from karat.conformance.stored import (
    STATED,
    VERSIONS,
    _answers,
    answers_of,
    peer_names,
    stored_answers,
    stored_data,
)  # fmt: skip
from karat.measures.costs import expected_cost
from karat.measures.lookup import find

DATA = [name for name in stored_data() if any(name == data for data, _ in _answers())]


@pytest.mark.parametrize("data", DATA)
def test_every_stored_number(data: str) -> None:
    for a in stored_answers(data):
        if (a.data, a.name) == ("wang_M2", "CalB"):  # ties in the order of the rows; karat: with their mean outcome
            assert not near(a.theirs, a.ours, 1e-3)
            continue
        assert near(a.theirs, a.same, 1e-9), (a.program, a.name, a.theirs, a.same)


def test_nothing_is_left_out() -> None:
    compared = Counter(a.program for data in DATA for a in stored_answers(data))
    assert sum(compared.values()) == 1754
    assert set(compared) == set(VERSIONS)
    held = {(program, name.partition("[")[0] if program == "PyCM, verified" else name)
            for (data, program), answers in _answers().items() if data not in STATED for name in answers}  # fmt: skip
    assert held == set(peer_names())
    names = peer_names().values()
    assert {known.rebuilt.split()[0] for known in names if known.rebuilt} == set(REBUILT)
    assert all(known.why for known in names if known.rebuilt or not known.measure)


def test_an_empty_prediction_is_no_agreement() -> None:
    """Where one class is always right Weka calls kappa 1."""
    e = karat.evaluate_matrix([[7, 0], [0, 0]])
    assert math.isnan(e["KapS"])
    assert e["MCC"] == 0
    assert e.why("KapS")


def test_closed_forms_of_jurman() -> None:
    made: dict[str, Callable[[int, float], Any]] = {
        "CEN_all_equal": lambda n, _: np.ones((n, n)),
        "MCC_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_random_unbalanced": lambda n, a: np.vstack([np.ones((n - 1, n)), np.full((1, n), a)]),
        "limit_random_unbalanced": lambda n, _: np.vstack([np.ones((n - 1, n)), np.full((1, n), 1e14)]),
    }
    told = answers_of("jurman", "definitions")
    assert find("CEN").range[1] == pytest.approx(told.pop("binary_CEN_max"), abs=1e-12)
    assert {name.split()[0] for name in told} == set(made)
    for name, expected in told.items():
        form, of = name.split()
        n, a = (*map(int, of.split(",")), 1)[:2]
        e = karat.evaluate_matrix(made[form](n, a))
        assert e["MCC" if form.startswith("MCC") else "CEN"] == pytest.approx(expected, abs=1e-9), name


def test_profits_and_areas_of_prati() -> None:
    told = answers_of("prati", "definitions")
    prior = [1 - told["prevalence"], told["prevalence"]]
    gain = expected_cost.at(cost=[[0, told["cost_FP"]], [0, -told["gain_TP"]]], prior=prior)
    for model in "AB":
        points = np.array(told[model])
        found = [-told["N"] * karat.evaluate_matrix([[1 - f, f], [1 - t, t]])[gain] for f, t in points]
        assert found == pytest.approx(told[f"TEP_{model}"], abs=1e-6)
        steps = np.diff(points, axis=0)  # a ROC polygon is a ranking with ties: one score for each segment
        y, score = np.tile([0, 1], len(steps)), np.repeat(-np.arange(len(steps)), 2)
        e = karat.evaluate(y, y_score=score, sample_weight=steps.ravel())
        assert e["AUC"] == pytest.approx(told[f"AUC_{model}"], abs=1e-9)


def test_the_printed_probabilities_of_wang() -> None:
    """The published rpCEN: of the probabilities as printed, without the diagonal."""
    for model in ("M1", "M2", "M3"):
        told = answers_of(f"wang_{model}", "definitions")["rpCEN_offdiagonal_from_printed_table"]
        matrix = stored_data()[f"wang_{model}"].matrix
        assert karat.evaluate_matrix(matrix)["CEN_offdiagonal"] == pytest.approx(told, abs=1e-9)
