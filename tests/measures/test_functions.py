"""A measure from a plain function goes wherever measures go; the expected values are the function's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.measure import Measure

MEASURES = karat.catalogue.measures


def distance(y_true: Any, y_proba: Any) -> float:
    """How far is the probability from the truth?"""
    return float(np.mean(np.abs(np.asarray(y_true) - y_proba)))


def rightly_decided(y_true: Any, y_pred: Any) -> float:
    return float(np.mean(y_true == y_pred))


def highest_gap(y_true: Any, y_score: Any) -> float:
    return float(np.max(y_score) - np.min(y_score))


@contextmanager
def declared(function: Any, **options: Any) -> Iterator[Measure]:
    m = karat.measure_from_function(function, **options)
    try:
        yield m
    finally:
        MEASURES.remove(m.symbol)


@pytest.fixture
def two() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 120)
    return y, {"a": np.clip(0.6 * y + 0.4 * rng.random(120), 0, 1), "b": np.clip(0.4 * y + 0.6 * rng.random(120), 0, 1)}


def test_it_is_evaluated_as_the_function_is(two: Any) -> None:
    y, models = two
    with declared(distance, greater_is_better=False, range=(0, 1)) as m:
        assert (m.symbol, m.orientation, m.best) == ("distance", -1, 0)
        assert m.question == "How far is the probability from the truth?"
        assert karat.evaluate(y, models["a"])["distance"] == distance(y, models["a"]) == m(y, models["a"])
        rows = karat.evaluate_batch(np.stack([y, y]), np.stack([models["a"], models["b"]]), ["distance"])["distance"]
        assert rows.tolist() == [distance(y, models["a"]), distance(y, models["b"])]
        assert karat.evaluate(y, models["a"], sample_weight=y + 1.0).why(m)
    assert "distance" not in MEASURES


def test_it_has_intervals_and_is_compared(two: Any) -> None:
    y, models = two
    with declared(distance, greater_is_better=False, range=(0, 1)):
        e = karat.evaluate(y, models["a"])
        interval = e.intervals(["distance"], method="percentile", replicates=400)["distance"]
        errors = np.abs(y - models["a"])
        half = 1.96 * errors.std() / np.sqrt(len(y))
        assert (interval.low, interval.high) == pytest.approx(
            (errors.mean() - half, errors.mean() + half), abs=half / 4
        )
        for test in ("auto", "permutation"):
            row = karat.compare(models, y, measures=["distance"], test=test, replicates=200)["a", "b"]["distance"]
            assert row.difference == distance(y, models["a"]) - distance(y, models["b"])
            assert row.better == "a"
        assert 0 < karat.permutation_test("distance", y, (models["a"], models["b"]), replicates=200, seed=1).p < 0.05


def test_labels_of_any_kind_decisions_scores_and_matrices() -> None:
    truth, decided = np.array(["cat", "dog", "dog", "eel"]), np.array(["cat", "eel", "dog", "eel"])
    with declared(rightly_decided, takes="y_pred") as m:
        assert karat.evaluate(truth, y_pred=decided)[m] == 0.75
        assert karat.evaluate_matrix([[3, 1], [2, 4]])[m] == 0.7
        for counts in ([[1.5, 1], [2, 4]], [[1e12, 1], [2, 4]]):
            with pytest.raises(karat.InputError, match="one by one"):
                karat.evaluate_matrix(counts)[m]
    with declared(highest_gap, takes="y_score", greater_is_better=None) as m:
        assert karat.evaluate([0, 1, 1], y_score=[-2.0, 0.5, 7.0])[m] == 9.0
        assert karat.evaluate([0, 1, 1], y_pred=[0, 1, 0]).why(m)


def test_it_goes_through_a_study_a_scorer_and_the_battery(two: Any) -> None:
    with declared(distance, greater_is_better=False, range=(0, 1)) as m:
        tables = karat.catalogue.studies["sensitivity"](measures=["distance", "MSE"], repetitions=20, steps=2).run()
        assert all("distance" in str(table) for table in tables.values())
        assert karat.scorer("distance") is not None
        karat.check_measure(m, on_fail="report")


def test_nonsense_is_refused() -> None:
    with pytest.raises(karat.InputError, match="function"):
        karat.measure_from_function(3)  # type: ignore[arg-type]
    with pytest.raises(karat.InputError, match="symbol="):
        karat.measure_from_function(lambda y, p: 0.0)
    with pytest.raises(karat.InputError, match="takes"):
        karat.measure_from_function(distance, takes="logits")
