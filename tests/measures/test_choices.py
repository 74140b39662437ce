"""A value that does not depend on which class is positive is given; where it does, the choices and their values are."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.errors import speaking
from karat.core.measure import Measure
from karat.core.words import number
from karat.measures.value import MeasureOf
from karat.statistics import Summary

MEASURES = karat.catalogue.measures
OF_ONE_CLASS = [m for m in MEASURES.values() if m.classwise]


def fraud(n: int = 200, seed: int = 3) -> tuple[Any, Any, Any]:
    """Truth in words; the probability of "fraud", in steps of 1/256, so that 1 - p is exact; both columns."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.25, "fraud", "ok")
    p = np.clip(np.round(256 * rng.normal(np.where(y == "fraud", 0.6, 0.4), 0.2)), 1, 255) / 256
    return y, p, np.column_stack([p, 1 - p])


@pytest.mark.parametrize("m", OF_ONE_CLASS, ids=lambda m: m.symbol)
@pytest.mark.parametrize("seed", range(4))
def test_symmetry_is_declared_exactly_where_it_shows(m: Measure, seed: int) -> None:
    y, _, both = fraud(71, seed)
    decided = np.random.default_rng(100 + seed).choice(["fraud", "ok"], 71, p=[0.3, 0.7])
    of_each = [karat.evaluate(y, both, decided, positive=name)[m] for name in ("fraud", "ok")]
    assert (abs(of_each[0] - of_each[1]) <= 1e-12) == m.either_class
    e = karat.evaluate(y, both, decided)
    if m.either_class:
        assert e[m] == pytest.approx(of_each[0], abs=1e-12)
        assert e.why(m) == karat.evaluate(y, both, decided, positive="ok").why(m)
    else:
        with pytest.raises(karat.InputError, match=rf"^{re.escape(m.symbol)} needs a positive class"):
            e[m]


def test_area_and_balanced_accuracy_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    y, p, both = fraud()
    e = karat.evaluate(y, both)
    assert e["AUC"] == pytest.approx(metrics.roc_auc_score(y == "fraud", p), abs=1e-12)
    decided = np.where(p >= 0.5, "fraud", "ok")
    assert e["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(y, decided), abs=1e-12)
    assert MEASURES["AUC"](y, both) == e["AUC"]


def by_hand(name: str) -> float:
    """2 TP / (2 TP + FP + FN), counted."""
    y, p, _ = fraud()
    decided = np.where(p >= 0.5, "fraud", "ok")
    hits, of_either = np.sum((y == name) & (decided == name)), np.sum(y == name) + np.sum(decided == name)
    return float(2 * hits / of_either)


def test_every_way_of_asking_by_name_says_what_each_choice_gives() -> None:
    y, _, both = fraud()
    e = karat.evaluate(y, both)
    expected = f"F1 needs a positive class: positive='fraud' gives {number(by_hand('fraud'))}, positive='ok' gives "
    expected += f"{number(by_hand('ok'))}"
    asked = (
        lambda: e["F1"],
        lambda: e["dice"],
        lambda: e[MEASURES["F1"]],
        lambda: e.values(["MCC", "F1"]),
        lambda: e.intervals(["F1"], replicates=20),
        lambda: MEASURES["F1"](y, both),
        lambda: karat.permutation_test("F1", y, (both, both), replicates=20),
    )
    for ask in asked:
        with pytest.raises(karat.InputError, match=re.escape(expected)):
            ask()
    with pytest.raises(karat.InputError, match="classes= gives an interval for each class"):
        e.intervals("F1", replicates=20)
    assert set(e.intervals("F1", classes="all", replicates=20)) == {"F1[fraud]", "F1[ok]"}
    with speaking(lambda name: f"--{name}"), pytest.raises(karat.InputError, match="--positive fraud gives"):
        e["F1"]
    assert karat.evaluate(y, both, positive="ok")["F1"] == pytest.approx(by_hand("ok"))


def test_listings_give_the_reason_instead() -> None:
    y, _, both = fraud()
    e = karat.evaluate(y, both)
    reason = "the positive class is ambiguous for the labels 'fraud', 'ok': pass positive="
    facts = e.to_dict(MEASURES)
    assert facts["measures"]["F1"] is None
    assert facts["undefined"]["F1"] == e.why("F1") == reason
    assert {s for s in facts["undefined"] if facts["undefined"][s] == reason} == {
        m.symbol for m in OF_ONE_CLASS if not m.either_class
    }
    assert math.isnan(e.value_or_nan("F1"))
    table = e.to_table(["F1", "AUC"])
    assert table.columns["undefined"] == [reason, ""]
    assert f"undefined: F1: {reason}" in repr(e) or "F1" in e.undefined
    models = {"one": e, "two": karat.evaluate(y, both[::-1])}
    told = karat.compare(models, measures=["AUC"], replicates=50).to_table()
    assert told.columns["one"] == [e["AUC"]]


def test_of_several_classes_the_averages_are_offered() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(1)
    y, decided = rng.choice(list("abc"), 80, p=[0.6, 0.3, 0.1]), rng.choice(list("abc"), 80, p=[0.6, 0.3, 0.1])
    e = karat.evaluate(y, y_pred=decided)
    averages = {name: metrics.f1_score(y, decided, average=name) for name in ("macro", "weighted", "micro")}
    offers = [f"{name}(F1) gives {number(value)}" for name, value in averages.items()]
    words = f"F1 has one value for each of the 3 classes: {', '.join(offers)}; positive="
    with pytest.raises(karat.InputError, match=re.escape(words)):
        e["F1"]
    for name in ("macro", "weighted", "micro"):
        assert e[f"{name}(F1)"] == pytest.approx(metrics.f1_score(y, decided, average=name))
    with pytest.raises(karat.InputError, match=r"weighted\(CEN_j\) gives [0-9.]+; positive="):  # has no pot
        e["CEN_j"]


def test_what_the_data_lack_comes_first() -> None:
    e = karat.evaluate(["a", "b", "b"], y_pred=["a", "b", "a"])
    assert math.isnan(e["AUC"])
    assert e.why("AUC") == "it needs scores, and only predicted labels were given"


def test_one_class_alone_is_no_choice_made() -> None:
    e = karat.evaluate(["ok", "ok"], y_pred=["ok", "ok"])
    with pytest.raises(karat.InputError, match="F1 needs a positive class: positive='ok' gives 1"):
        e["F1"]


def test_a_choice_without_a_value_says_so() -> None:
    e = karat.evaluate(["ok", "ok"], y_pred=["ok", "ok"], labels=["fraud", "ok"])
    with pytest.raises(karat.InputError, match="positive='fraud' is undefined, positive='ok' gives 1"):
        e["TPR"]
    assert math.isnan(e["BAcc"])  # for either: mathematics
    assert e.why("BAcc") == "one of the two sides, the class or the rest, has no case"


def test_rejected_cases_break_the_symmetry() -> None:
    e = karat.evaluate(list("aaabbb"), y_pred=list("aa?bba"), reject="?")
    recall = {"a": 2 / 3, "b": 2 / 3}
    kept_out = {"a": 2 / 3, "b": 1.0}  # the rejected case of a was not taken for b
    with pytest.raises(karat.InputError) as caught:
        e["BAcc"]
    offers = [f"positive={c!r} gives {number((recall[c] + kept_out[c]) / 2)}" for c in "ab"]
    assert str(caught.value) == f"BAcc needs a positive class: {', '.join(offers)}."


def test_scores_that_are_no_mirror_images_break_the_symmetry() -> None:
    y = list("aabb")
    scores = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 3.0], [0.0, 4.0]])
    with pytest.raises(
        karat.InputError, match=r"AUC needs a positive class: positive='a' gives 0.750, positive='b' gives 1\."
    ):
        karat.evaluate(y, y_score=scores)["AUC"]
    assert karat.evaluate(y, y_score=np.column_stack([scores[:, 0], -scores[:, 0]]))["AUC"] == 0.75


def test_probabilities_that_rounding_made_equal_are_those_of_the_other_column() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.1, "fraud", "ok")
    p = (10.0 ** rng.uniform(-12, -7, 400) * np.where(y == "fraud", 20, 1)).astype(np.float32)
    both = np.column_stack([p, np.float32(1) - p])  # as a model of single precision gives them
    assert len(np.unique(both[:, 1])) < len(np.unique(both[:, 0]))
    e = karat.evaluate(y, both)
    assert e["AUC"] == pytest.approx(metrics.roc_auc_score(y == "fraud", p), abs=1e-12)
    assert e["AUC"] == e.intervals("AUC", replicates=20)["AUC"].value
    swapped = karat.evaluate(y, both[:, ::-1], labels=["ok", "fraud"])
    assert swapped["AUC"] == e["AUC"]


def test_intervals_and_comparisons_of_what_needs_no_choice() -> None:
    y, _, both = fraud(120)
    e, named = karat.evaluate(y, both), karat.evaluate(y, both, positive="fraud")
    for measure in ("AUC", "BAcc", "KS"):
        one, other = (x.intervals(measure, replicates=100)[measure] for x in (e, named))
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)
    place = MeasureOf.on(MEASURES["AUC"], Summary(e.statistics.source)).place
    assert place in (0, 1)


def test_infinite_values_of_both_signs_have_no_mean() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, 12)
    e = karat.evaluate(y, rng.dirichlet([0.3] * 5, 12), labels=list(range(5)))
    assert e.get("DP") is None
    with pytest.raises(karat.InputError, match=r"DP has one value for each of the 5 classes: macro\(DP\) is undefined"):
        e["DP"]
