"""What is declared to be one number is one on random data, and only where it is declared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.measures.lookup import find, headline
from karat.measures.same_number import EQUALITIES, Equality, always, same_number


def evaluations() -> Iterator[karat.Evaluation]:
    """Two to four classes, balanced or not, with classes that have no case, weights, rejected cases, bare matrices."""
    rng = np.random.default_rng(27)
    for i in range(240):
        k = int(rng.integers(2, 5))
        n = 24 if i % 3 == 0 else int(rng.integers(6, 60))
        y = np.arange(n) % k if i % 3 == 0 else rng.choice(k, n, p=rng.dirichlet(np.ones(k)))
        p = rng.integers(1, 9, (n, k)).astype(float)
        p[np.arange(n), y] += 4
        p /= p.sum(axis=1, keepdims=True)
        d = p.argmax(axis=1) if i % 2 else rng.integers(0, k, n)
        weight = rng.random(n) + 0.1 if i % 7 == 3 else None
        said: dict[str, Any] = {"labels": list(range(k)), "positive": k - 1, "sample_weight": weight}
        if i % 5 == 4:
            d, said["reject"] = np.where(rng.random(n) < 0.2, k, d), k
        yield karat.evaluate(y, p[:, 1] if k == 2 else p, d, **said)
    for _ in range(20):
        yield karat.evaluate_matrix(rng.integers(0, 9, (2, 2)) + np.eye(2, dtype=int), positive=1)


PROBLEMS = list(evaluations())


@pytest.mark.parametrize("equality", EQUALITIES, ids=lambda e: "=".join(e.symbols))
def test_they_are_equal_where_it_is_declared_and_not_elsewhere(equality: Equality) -> None:
    compared, different = 0, 0
    for e in PROBLEMS:
        with np.errstate(all="ignore"):
            values = [v for v in (e.value_or_nan(find(symbol)) for symbol in equality.symbols) if math.isfinite(v)]
        if equality.holds(e.statistics):
            compared += len(values) == len(equality.symbols)
            assert values == pytest.approx(values[:1] * len(values), rel=1e-12, abs=1e-12), equality.symbols
        else:
            different += len(values) > 1 and max(values) - min(values) > 1e-6
    assert compared > 5
    assert different > 5 or equality.holds is always


def symbols(e: karat.Evaluation, *names: str) -> list[list[str]]:
    measures = map(find, names) if names else headline(e.statistics)
    return [[m.symbol for m in together] for together in same_number(measures, e.statistics)]


def test_one_row_for_several_names() -> None:
    y, p = [0, 0, 1, 1, 1], [0.2, 0.6, 0.7, 0.4, 0.9]
    e = karat.evaluate(y, p)
    assert symbols(e, "AUC", "MAvA", "AU1P", "BAcc", "AUNU", "MSE", "LogL", "BS") == [
        ["AUC", "AU1P", "AUNU"], ["MAvA", "BAcc"], ["MSE", "BS"], ["LogL"],
    ]  # fmt: skip
    three = karat.evaluate([0, 1, 2, 2], np.array([[6, 2, 2], [3, 4, 3], [1, 1, 8], [5, 1, 4]]) / 10)
    assert symbols(three, "AUNU", "AUNP", "Acc", "MSE", "BrierLoss", "Brier", "micro(F1)", "AU1U") == [
        ["AUNU"], ["AUNP"], ["Acc", "micro(F1)"], ["MSE"], ["BrierLoss", "Brier"], ["AU1U"],
    ]  # fmt: skip


def test_what_is_not_declared_is_not_put_together_though_it_be_equal() -> None:
    e = karat.evaluate([0, 1], [0.1, 0.9])
    assert e["Acc"] == e["MCC"] == e["F1"] == 1
    assert symbols(e, "Acc", "MCC", "F1") == [["Acc"], ["MCC"], ["F1"]]


def test_the_default_measures_are_numbers_of_their_own() -> None:
    for e in PROBLEMS:
        together = [row for row in symbols(e) if len(row) > 1]
        assert together in ([], [["Acc", "MAvA"]], [["EMA", "NIT"]], [["Acc", "MAvA"], ["EMA", "NIT"]])


def test_undefined_is_equal_to_nothing() -> None:
    e = karat.evaluate([0, 0, 0], [0.2, 0.3, 0.1], labels=[0, 1])
    assert symbols(e, "AUC", "AUNU", "AU1U") == [["AUC"], ["AUNU"], ["AU1U"]]


def test_measures_with_other_intervals_have_rows_of_their_own() -> None:
    """All of six cases of each class are correct: twelve bound accuracy, six of a class balanced accuracy."""
    y = [0] * 6 + [1] * 6
    e = karat.evaluate(y, y_pred=y)
    measures = ["Acc", "MAvA", "F1", "F1Score"]
    alone, beside = e.displayed(measures), e.displayed(measures, e.intervals(measures))
    assert alone.columns["measure"] == ["Accuracy (Acc, MAvA)", "F1 (F1, F1Score)"]
    assert beside.columns["measure"] == ["Accuracy (Acc)", "Balanced accuracy (MAvA)", "F1 (F1, F1Score)"]
    assert beside.columns["95 % interval"][:2] == ["[0.779, 1.000]", "[0.735, 1.000]"]
    page = karat.report({"one": e}, measures=["Acc", "MAvA"]).html
    assert "0.735" in page


def test_measures_whose_differences_have_other_intervals_have_rows_of_their_own() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    models = {name: 1 / (1 + np.exp(1 - 2 * y + rng.normal(size=80) * 2)) for name in "ab"}
    c = karat.compare(models, y, measures=["Acc", "MAvA", "F1", "F1Score"])
    rows = dict(zip(c.displayed().columns["measure"], c.displayed().columns["difference [95 %]"], strict=True))
    for symbol, label in (("Acc", "Accuracy (Acc)"), ("MAvA", "Balanced accuracy (MAvA)"), ("F1", "F1 (F1, F1Score)")):
        assert rows[label].strip() == c["a", "b"][symbol].span
