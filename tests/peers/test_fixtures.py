"""Stored answers about the matrices and models of the papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import karat
from karat.measures.costs import expected_cost
from karat.measures.lookup import find
from karat.statistics import ProbabilitySums
from peers import Asked, compare, load, named, stored

MATRIX: dict[str, Asked] = {
    **named("Acc CEN CEN_offdiagonal rCEN MCC KapS MFM MAvA MAvG H_X H_Y H_XY MI VI RCI"),
    **named("k_X m_Y delta_X delta_Y mu EMA NIT"),
    **{f"{s}_{x}_given_{y}": f"{s}_{x}|{y}" for s, x, y in ("HXY", "HYX", "kXY", "mYX")},
    "CEN_class": "each:CEN_j",
    "tMCC_log2": "tMCC",
    "tMCC_ln": "tMCC_ln",
    "ET": lambda e: [e["ET_DH"], e["ET_2MI"], e["ET_VI"]],
    "ET_X": lambda e: [e["ETX_DH"], e["ETX_MI"], e["ETX_VI"]],
    "ET_Y": lambda e: [e["ETY_DH"], e["ETY_MI"], e["ETY_VI"]],
}
MODEL: dict[str, Asked] = {
    **named("Acc KapS MFM MAvA MAvG AU1U AU1P AUNU AUNP SAUC PAUC MAPR MPR MAE MSE LogL CalL CalB"),
    **named("CalL_sum AU1P_printed rpCEN pCEN rpCEN_offdiagonal pCEN_offdiagonal ferri_niche"),
    "probabilistic_confusion_matrix": lambda e: e.statistics[ProbabilitySums].relative.table,
}


@stored
def test_fixtures() -> None:
    fixtures = load("fixtures.json")
    assert set(fixtures) == {"matrices", "wang", "prati", "valverde", "jurman"}  # valverde: counts, no measures
    for case in fixtures["matrices"].values():
        assert compare(karat.evaluate_matrix(case["C"]), MATRIX, case["expected"]) == 32
    for case in fixtures["wang"].values():
        table = karat.evaluate_matrix(case["printed_matrix"])
        asked = MODEL | {"rpCEN_offdiagonal_from_printed_table": lambda _, t=table: t["CEN_offdiagonal"]}
        tied = any(len(set(column)) < len(column) for column in zip(*case["p"], strict=True))
        if tied:  # the stored answer takes tied cases in the order of the rows, karat with their mean outcome
            asked.pop("CalB")
        compared = compare(karat.evaluate(case["y"], case["p"]), asked, case["expected"], {"CalB"})
        assert compared == 27 - tied


@stored
def test_fixtures_of_jurman_and_prati() -> None:
    jurman, prati = load("fixtures.json")["jurman"], load("fixtures.json")["prati"]
    made: dict[str, Callable[[int, float], Any]] = {
        "CEN_all_equal": lambda n, _: np.ones((n, n)),
        "MCC_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_Z": lambda n, a: np.ones((n, n)) + (a - 1) * np.eye(n)[[-1]].T * np.eye(n)[0],
        "CEN_random_unbalanced": lambda n, a: np.vstack([np.ones((n - 1, n)), np.full((1, n), a)]),
        "limit_random_unbalanced": lambda n, _: np.vstack([np.ones((n - 1, n)), np.full((1, n), 1e14)]),
    }
    assert set(made) == set(jurman["closed"])
    for name, cases in jurman["closed"].items():
        for key, expected in cases.items():
            n, a = (*map(int, key.split(",")), 1)[:2]
            e = karat.evaluate_matrix(made[name](n, a))
            assert e["MCC" if name.startswith("MCC") else "CEN"] == pytest.approx(expected, abs=1e-9), (name, key)
    assert find("CEN").range[1] == pytest.approx(jurman["binary_CEN_max"], abs=1e-12)
    gain = expected_cost.at(
        cost=[[0, prati["cost_FP"]], [0, -prati["gain_TP"]]], prior=[1 - prati["prevalence"], prati["prevalence"]]
    )
    for model in "AB":
        points = np.array(prati[model])
        found = [-prati["N"] * karat.evaluate_matrix([[1 - f, f], [1 - t, t]])[gain] for f, t in points]
        assert found == pytest.approx(prati[f"TEP_{model}"], abs=1e-6)
        steps = np.diff(points, axis=0)  # a ROC polygon is a ranking with ties: one score for each segment
        y, score = np.tile([0, 1], len(steps)), np.repeat(-np.arange(len(steps)), 2)
        e = karat.evaluate(y, y_score=score, sample_weight=steps.ravel())
        assert e["AUC"] == pytest.approx(prati[f"AUC_{model}"], abs=1e-9)
