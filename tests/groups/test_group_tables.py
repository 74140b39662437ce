"""Every measure by group: equal to a loop of `evaluate` over the groups, values and intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.groups import ByColumn, ByGroup
from optional import pandas as pd

RNG = np.random.default_rng(0)
N = 240
SITE = np.array(["north", "south", "east"])[RNG.integers(0, 3, N)]


def problem(classes: int, weighted: bool = False) -> dict[str, Any]:
    """Random predictions."""
    rng = np.random.default_rng(classes)
    y = rng.integers(0, classes, N)
    p = rng.dirichlet(np.ones(classes), N) + 0.6 * np.eye(classes)[y]
    given = {"y_true": y, "y_proba": p / p.sum(axis=1, keepdims=True)}
    return given | ({"sample_weight": rng.integers(1, 4, N)} if weighted else {})


def part(given: dict[str, Any], inside: Any) -> dict[str, Any]:
    return {name: column[inside] for name, column in given.items()}


@pytest.mark.parametrize(("classes", "weighted"), [(2, False), (3, False), (2, True)])
def test_every_measure_equals_a_loop_of_evaluate(classes: int, weighted: bool) -> None:
    given = problem(classes, weighted)
    e = karat.evaluate(**given)
    g = e.by(SITE)
    assert isinstance(g, ByGroup)
    every = [m for m in karat.catalogue.measures.values() if not (m.classwise and classes > 2)]
    values = g.values(every)
    assert len(values) > 75
    for place, site in enumerate(g.groups):
        alone = karat.evaluate(**part(given, site == SITE), labels=list(range(classes)))
        for m in every:
            one, other = values[m.symbol][place], alone.value_or_nan(m)
            assert (math.isnan(one) and math.isnan(other)) or one == pytest.approx(other, rel=1e-12, abs=1e-12), (
                m.symbol
            )
    assert g.cases == tuple(int((site == SITE).sum()) for site in g.groups)


def test_labels_alone_and_rejected_cases_are_grouped_too() -> None:
    y = np.array(["a", "b", "c"])[RNG.integers(0, 3, N)]
    d = np.where(RNG.random(N) < 0.6, y, np.array(["a", "b", "?"])[RNG.integers(0, 3, N)])
    g = karat.evaluate(y, y_pred=d, labels=["a", "b", "c"], reject="?").by(SITE)
    alone = karat.evaluate(y[SITE == "east"], y_pred=d[SITE == "east"], labels=["a", "b", "c"], reject="?")
    assert g.values()["MCC"][0] == pytest.approx(alone["MCC"], abs=1e-12)
    with pytest.raises(InputError, match="positive"):
        g["recall"]


@pytest.mark.parametrize("name", ["Recall", "MCC", "AUC", "LogLoss", "ECE"])
def test_intervals_are_those_of_the_group_alone(name: str) -> None:
    given = problem(2)
    table = karat.evaluate(**given).by(SITE, level=0.9)[name]
    for site in ("north", "east"):
        inside = site == SITE
        alone = karat.evaluate(**part(given, inside)).intervals(name, level=0.9)[name]
        assert (table[site].low, table[site].high) == pytest.approx((alone.low, alone.high), abs=1e-12)
        rest = karat.evaluate(**part(given, ~inside))[name]
        at = table.groups.index(site)
        assert table.difference[at] == pytest.approx(table.value[at] - rest, abs=1e-12)


def test_a_group_of_one_class_or_one_case_says_why_a_value_is_missing() -> None:
    y = [0, 1] * 30 + [1] * 8 + [0]
    p = list(np.linspace(0.1, 0.9, 60)) + [0.7] * 8 + [0.2]
    g = karat.evaluate(y, p).by(["usual"] * 60 + ["ill"] * 8 + ["alone"])
    table = g["AUC"]
    assert table.cases == (1, 8, 60)
    assert table.classes == (1, 1, 2)
    assert [math.isnan(v) for v in table.value] == [True, True, False]
    assert table.reason[0]
    assert table.reason[1]
    assert not table.reason[2]
    assert "alone, ill: " in repr(table) or "alone and ill: " in repr(table)
    assert g["recall"].reason[0].startswith("by convention 0")
    gap = g.gap("AUC")
    assert math.isnan(gap.value)
    assert set(gap.left_out) == {"alone", "ill"}
    assert "fewer than two groups" in gap.reason


def test_shrunken_values_lie_between_the_raw_ones_and_the_mean() -> None:
    rng = np.random.default_rng(5)
    sizes = [400, 400, 400, 12]
    rates = [0.9, 0.8, 0.7, 0.3]
    site = np.repeat(["a", "b", "c", "small"], sizes)
    y = rng.integers(0, 2, len(site))
    right = rng.random(len(site)) < np.repeat(rates, sizes)
    table = karat.evaluate(y, y_pred=np.where(right, y, 1 - y)).by(site)["accuracy"]
    moved = np.array(table.shrunken) - np.array(table.value)
    assert moved[3] > 0.02  # the small one is moved most, and up
    assert np.abs(moved[:3]).max() < 0.02


def test_ten_thousand_groups() -> None:
    y = np.tile([0, 1, 1], 10_000)
    d = np.where(np.arange(30_000) % 7 == 0, 1 - y, y)
    g = karat.evaluate(y, y_pred=d).by(np.repeat(np.arange(10_000), 3), bins=False)
    found = np.array(g.values(["Acc"])["Acc"])
    assert found == pytest.approx((d == y).reshape(-1, 3).mean(axis=1), abs=1e-12)
    assert "The largest 30 of 10,000 groups" in repr(g)


def test_several_columns_their_combinations_and_names() -> None:
    given = problem(2)
    ward = np.where(np.arange(N) % 2, "x", "y")
    e = karat.evaluate(**given, by={"site": SITE, "ward": ward})
    several = e.by()
    assert isinstance(several, ByColumn)
    assert list(several) == ["site", "ward"]
    assert e.by("ward")["Acc"].groups == ("x", "y")
    assert e.by({"site": SITE, "ward": ward}, cross=True).groups[0] == "east, x"
    assert list(several.gaps(["Acc", "AUC"]).columns["by"]) == ["site", "site", "ward", "ward"]
    with pytest.raises(InputError, match="there is no column 'sites'; there are 'site', 'ward'"):
        e.by("sites")
    with pytest.raises(InputError, match="no column of groups was given"):
        karat.evaluate(**given).by()
    with pytest.raises(InputError, match="a confusion matrix has no cases, and can't be grouped"):
        karat.evaluate_matrix([[3, 1], [1, 3]]).by(["a", "b"])
    with pytest.raises(InputError, match="the pandas indexes of y_true and site differ"):
        karat.evaluate(pd.Series([0, 1, 1]), y_pred=[0, 1, 1]).by({"site": pd.Series(["a", "b", "b"], index=[5, 6, 7])})


def test_plain_data() -> None:
    g = karat.evaluate(**problem(2)).by(SITE)
    data = g.to_dict(["Acc"])
    assert list(data) == ["by", "groups", "cases", "classes", "note", "measures"]
    assert data["measures"]["Acc"] == g.values(["Acc"])["Acc"]
    assert g["Acc"].to_frame().shape == (3, 9)
    assert g.gap("Acc").to_dict()["p"] == g.gap("Acc").p


def test_hostile_names_of_groups_keep_to_their_row() -> None:
    """In a notebook and at Python's prompt, too."""
    names = np.array(["a\nb", "\x1b[31mred", "\u202eevil", "<script>", "tab\tbed", "x" * 300], object)
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 300), rng.random(300)
    g = karat.evaluate(y, p).by(names[rng.integers(0, 6, 300)])
    for shown in (g, g["accuracy"], g["roc_auc"], g.gap("accuracy"), g.gaps(["accuracy"])):
        assert not any(sign in repr(shown) for sign in "\x1b\u202e\t")
    lines = repr(g["accuracy"]).splitlines()
    assert len(lines) == 8
    assert sum(line.startswith("a b ") for line in lines) == 1
    assert "<script>" not in g._repr_html_()
    assert set(g.groups) == set(names.tolist())  # what they are called is not changed
