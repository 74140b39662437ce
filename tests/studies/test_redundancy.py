"""Redundancy against scipy, and against the clusters of Ferri et al. (2009), Table 3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from karat import InputError
from karat.reproductions.ferri2009 import CLUSTERS, ORDER, grouped, triangle
from karat.studies import Redundancy


def collection(seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    base = rng.random(60)
    return {
        "dataset": ["a"] * 30 + ["b"] * 30,
        "Acc": np.round(base, 1),  # with ties
        "MCC": base + rng.normal(0, 0.1, 60),
        "MSE": 1 - base + rng.normal(0, 0.3, 60),
        "mine": rng.random(60),
    }


@pytest.mark.parametrize(
    ("method", "peer"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)]
)
def test_correlations_are_those_of_scipy_averaged_over_data_sets(method: str, peer: Any) -> None:
    values = collection()
    found = Redundancy(values=values, methods=method).run(workers=1)[method]
    for i, one in enumerate(found.columns["measure"]):
        for two in found.columns["measure"][i + 1 :]:
            turn = (-1 if one == "MSE" else 1) * (-1 if two == "MSE" else 1)  # lower is better: turned round
            each = [peer(values[one][s], values[two][s])[0] for s in (slice(0, 30), slice(30, 60))]
            assert found.columns[two][i] == pytest.approx(turn * np.mean(each), abs=1e-9)


def test_constant_measures_are_left_out_of_clusters() -> None:
    values = collection() | {"flat": np.ones(60)}
    found = Redundancy(values=values).run(workers=1)
    row = dict(zip(found["clusters"].columns, found["clusters"].rows[-1], strict=True))
    assert row.pop("measure") == "flat"
    assert all(np.isnan(v) for v in row.values())
    assert found["clusters"].columns["pearson, 0.3"][:2] == [1, 1]


def test_table_3_of_ferri() -> None:
    for below in (True, False):
        r = triangle(below)
        assert (r == r.T).all()
        assert (np.diag(r) == 1).all()
    bottom, top = triangle(True), triangle(False)
    place = ORDER.index
    assert (bottom[place("CalB"), place("CalL")], top[place("CalB"), place("CalL")]) == (0.42, 0.29)
    assert (bottom[place("Acc"), place("MSE")], top[place("LogL"), place("SAUC")]) == (0.88, 0.03)
    off = ~np.eye(18, dtype=bool)
    assert (bottom[off].mean(), top[off].mean()) == pytest.approx((0.6718, 0.6660), abs=5e-4)
    for cut, words in CLUSTERS.items():
        assert grouped(True, cut) == {frozenset(w.split()) for w in words}
    assert [len(grouped(False, cut)) for cut in (0.1, 0.3)] == [8, 5]


def test_the_figures_are_dendrograms() -> None:
    study = Redundancy(values=collection() | {"flat": np.ones(60)}, methods="spearman")
    figure = study.figures(study.run(workers=1))["spearman"]
    assert sorted(figure.names) == ["Acc", "MCC", "MSE", "mine"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "no table of results"),
        ({"values": {"Acc": [1, 2, 3]}}, "1 measures"),
        ({"values": {"Acc": [1, 2, 3], "MCC": [1, 2]}}, "shapes"),
        ({"values": collection(), "measures": "Acc,TPR"}, "no numeric column 'TPR'; the numeric columns are Acc"),
        ({"values": collection(), "methods": "guess"}, "a method is 'guess'"),
        ({"values": collection(), "cuts": (0,)}, "cuts is"),
        ({"values": {**collection(), "dataset": ["a"]}}, "dataset has the shape"),
    ],
)
def test_bad_input_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Redundancy(**told)
