"""Leaving out one group after the other, in one go: the same as evaluating the other cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.measures.value import measures_of
from karat.resampling.draws import Deletions, Resampling
from karat.resampling.influence import deletions, influences_of
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Summary

NAMES = ("Acc", "MCC", "CEN", "AU1U", "AUNP", "SAUC", "PAUC", "LogL", "MSE", "CalL", "ECE", "pCEN", "AP")


def predictions(n: int, k: int, digits: int, weighted: bool, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    y[:k] = range(k)
    p = rng.random((n, k)) + 0.5 * np.eye(k)[y]
    p = np.round(p / p.sum(axis=1, keepdims=True), digits)
    p[:, -1] = 1 - p[:, :-1].sum(axis=1)
    weight = rng.random(n) + 0.1 if weighted else None
    return y, p, weight


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [2, 12])
@pytest.mark.parametrize("k", [2, 3])
def test_each_group_left_out_gives_what_the_other_cases_give(k: int, digits: int, weighted: bool) -> None:
    y, p, weight = predictions(120, k, digits, weighted)
    e = karat.evaluate(y, p if k > 2 else p[:, 1], sample_weight=weight, positive=1 if k == 2 else None)
    summary = e.statistics
    names = [*NAMES, "AUC"] if k == 2 else [name for name in NAMES if name != "AP"]
    wanted = measures_of([karat.catalogue.measures[name] for name in names], None, summary)
    replicates = Replicates(summary.source.cases)
    group = np.random.default_rng(3).integers(0, 7, 120)
    found = values_in_replicates(wanted, replicates, Deletions(group, np.zeros(7, int)))
    for g in range(7):
        kept = np.sort(replicates.order[group != g])
        alone = Summary(summary.source.cases.take(kept))
        for m in wanted:
            assert found[m.key][g] == pytest.approx(m.value(alone), rel=1e-10, abs=1e-12), (m.key, g)


def test_a_group_that_holds_all_of_a_class_leaves_exactly_nothing() -> None:
    y = np.array([0, 1] * 30 + [2] * 6)
    p = np.random.default_rng(0).dirichlet(np.ones(3), len(y))
    summary = karat.evaluate(y, p).statistics
    replicates = Replicates(summary.source.cases)
    group = np.where(y[replicates.order] == 2, 0, np.arange(len(y)) % 3 + 1)
    wanted = measures_of([karat.catalogue.measures["MSE"], karat.catalogue.measures["AU1U"]], None, summary)
    found = values_in_replicates(wanted, replicates, Deletions(group, np.zeros(4, int)))
    alone = Summary(summary.source.cases.take(np.flatnonzero(y < 2)))
    for m in wanted:
        assert found[m.key][0] == pytest.approx(m.value(alone), rel=1e-12)


def test_models_leave_out_the_same_cases_however_they_are_arranged() -> None:
    y, p, _ = predictions(900, 2, 12, weighted=False)
    one, other = (karat.evaluate(y, x, positive=1).statistics.source.cases for x in (p[:, 1], 1 - p[:, 1]))
    places = []
    for of in (Replicates(one), Replicates(other), Replicates(one, np.argsort(y, kind="stable"))):
        out = deletions(of, Resampling.of(), None)
        group = np.empty(900, int)
        group[of.order] = out.group
        places.append(group)
    np.testing.assert_array_equal(places[0], places[1])
    np.testing.assert_array_equal(places[0], places[2])


def test_intervals_and_comparisons_share_what_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.resampling import influence

    calls = []
    real = influence.influences
    monkeypatch.setattr(influence, "influences", lambda wanted, *rest: calls.append(len(wanted)) or real(wanted, *rest))
    y, p, _ = predictions(900, 2, 12, weighted=False)
    summary = karat.evaluate(y, p[:, 1], positive=1).statistics
    wanted = measures_of([karat.catalogue.measures[name] for name in ("LogL", "MSE")], None, summary)
    values = [m.value(summary) for m in wanted]
    first = influences_of(summary, wanted[:1], values[:1], Resampling.of(), None)
    both = influences_of(summary, wanted, values, Resampling.of(), None)
    assert both["LogL"] is first["LogL"]
    assert calls == [1, 1]
    influences_of(summary, wanted, values, Resampling.of(seed=1), None)
    influences_of(summary, wanted, values, Resampling.of(), np.arange(900) // 9)
    assert calls == [1, 1, 2, 2]
