"""Copies of rows: told from cases that have equal scores, and counted once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from cases import probabilities
from karat.findings.copies import Copies, distinct_cases, distinct_cases_of_all
from karat.statistics import Counts, LossSums, Summary
from karat.statistics.p_values import effective


def drawn(rng: np.random.Generator, p: Any) -> Any:
    return (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1).clip(0, p.shape[1] - 1)


def copies(y: Any, p: Any, **more: Any) -> Copies:
    answer = Copies.of(karat.evaluate(y, p, labels=range(p.shape[1]), **more).statistics)
    assert answer is not None
    return answer


def test_groups_are_equal_rows() -> None:
    rng = np.random.default_rng(0)
    p = np.array([[0.2, 0.8], [0.5, 0.5], [0.0, 1.0], [-0.0, 1.0]])[rng.integers(0, 4, 60)]
    y, d = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    group = copies(y, p, y_pred=d).group
    rows = [(*row, a, b) for row, a, b in zip((p + 0.0).tolist(), y.tolist(), d.tolist(), strict=True)]
    order = list(dict.fromkeys(rows))
    assert group.tolist() == [order.index(row) for row in rows]
    assert copies(y, p, y_pred=d).distinct == len(order)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_models_with_few_different_scores_have_no_copies(k: int) -> None:
    """Trees, neighbours, votes and rounded probabilities, sharp and blunt ones."""
    rng = np.random.default_rng(k)
    noticed = 0
    for i in range(120):
        n = int(rng.integers(50, 3000))
        p = probabilities(rng, n, k, rng.uniform(0.5, 6))
        if i % 3 == 0:  # leaves
            p = p[rng.integers(0, int(rng.integers(3, 200)), n) % n]
        elif i % 3 == 1:  # votes
            votes = int(rng.integers(5, 100))
            p = np.array([rng.multinomial(votes, row) for row in p]) / votes
        else:
            p = np.round(p, int(rng.integers(1, 4)))
            p[:, 0] = 1 - p[:, 1:].sum(axis=1)
            p = np.abs(p) / np.abs(p).sum(axis=1, keepdims=True)
        noticed += copies(drawn(rng, p), p).noticed
    assert noticed == 0


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("how", ["twice", "ten", "replaced", "rare", "some"])
def test_copies_are_noticed(k: int, how: str) -> None:
    rng = np.random.default_rng(7)
    missed = 0
    for _ in range(30):
        n = int(rng.integers(200, 2000))
        p = probabilities(rng, n, k, 2.0)
        y, every = drawn(rng, p), np.arange(n)
        at = {
            "twice": np.tile(every, 2),
            "ten": rng.permutation(np.repeat(every, 10)),
            "replaced": rng.integers(0, n, n),
            "rare": np.append(every, rng.choice(np.flatnonzero(y == 1), n)),
            "some": np.append(every, rng.choice(every, n // 5)),
        }[how]
        missed += not copies(y[at], p[at]).noticed
    assert missed <= 1


def test_a_model_that_is_hardly_ever_wrong_can_be_copied_too() -> None:
    rng = np.random.default_rng(1)
    p = probabilities(rng, 100, 2, 1.0)
    y = p.argmax(axis=1)  # neighbours agree, too: only the regular numbers tell
    assert copies(np.tile(y, 3), np.tile(p, (3, 1))).noticed
    assert not copies(y, p).noticed
    assert not copies(y[:5].repeat(2), p[:5].repeat(2, axis=0)).noticed  # five pairs may be an accident


@pytest.mark.parametrize("weighted", [False, True])
def test_distinct_cases_have_the_same_measures_and_fewer_cases(weighted: bool) -> None:
    rng = np.random.default_rng(2)
    p = probabilities(rng, 300, 3, 2.0)
    y, at = drawn(rng, p), rng.integers(0, 300, 900)
    w = rng.integers(1, 4, 900).astype(float) if weighted else None
    e = karat.evaluate(y[at], p[at], sample_weight=w)
    once = distinct_cases(e.statistics)
    assert once.source.n == len(np.unique(at)) < 300 < e.n
    assert once[Counts].table == pytest.approx(e.statistics[Counts].table)
    for symbol in ("Acc", "LogL", "MSE", "AUNU", "CalL"):
        assert karat.Evaluation(once.source)[symbol] == pytest.approx(e[symbol])
    weight = np.bincount(at, w)
    assert float(once.source.weight.sum()) * effective(once) == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


def test_what_is_not_known_has_no_copies() -> None:
    for e in (karat.evaluate_matrix([[3, 1], [1, 4]]), karat.evaluate([0, 1] * 50, y_pred=[0, 1] * 50)):
        assert Copies.of(e.statistics) is None
        assert distinct_cases(e.statistics) is e.statistics
    rng = np.random.default_rng(3)
    p = probabilities(rng, 100, 2, 2.0)
    e = karat.evaluate(drawn(rng, p), p)
    assert distinct_cases(e.statistics) is e.statistics


def test_models_of_the_same_cases_lose_the_same_rows() -> None:
    rng = np.random.default_rng(4)
    p = probabilities(rng, 200, 2, 2.0)
    y, q = drawn(rng, p), p[:, ::-1] * 0.5 + 0.25
    two = {
        "p": karat.evaluate(np.tile(y, 3), np.tile(p, (3, 1))).statistics,
        "decided": karat.evaluate(np.tile(y, 3), y_pred=np.tile(q.argmax(axis=1), 3)).statistics,
    }
    once = distinct_cases_of_all(two)
    assert {name: s.source.n for name, s in once.items()} == {"p": 200, "decided": 200}
    assert np.array_equal(once["p"].source.cases.truth, once["decided"].source.cases.truth)
    # rows that only one model repeats are other cases for the other
    other = karat.evaluate(np.tile(y, 3), probabilities(rng, 600, 2, 2.0)).statistics
    assert {s.source.n for s in distinct_cases_of_all({"p": two["p"], "other": other}).values()} == {600}
    table = {"p": two["p"], "m": karat.evaluate_matrix([[300, 0], [0, 300]]).statistics}
    assert distinct_cases_of_all(table) == table
    assert isinstance(once["p"], Summary)
    assert once["p"][LossSums] is not None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("k", "digits"), [(2, 2), (2, 3), (3, 2), (10, 9)])
def test_data_that_were_given_several_times_are_found_to_be_that_and_nothing_else(
    k: int, digits: int, weighted: bool
) -> None:
    """Rounded rows that were equal before they were copied are still as many cases."""
    rng = np.random.default_rng([k, digits])
    for times in (2, 5, 10):
        for seed in range(12):
            n = int(rng.integers(60, 300))
            p = np.round(probabilities(rng, n, k, rng.uniform(0.5, 5)), digits)
            p[:, 0] = np.abs(1 - p[:, 1:].sum(axis=1))
            p = p / p.sum(axis=1, keepdims=True)
            y, every = drawn(rng, p), np.arange(n)
            w = rng.gamma(3.0, size=n) if weighted else np.ones(n)
            tiled, repeated = np.tile(every, times), np.repeat(every, times)
            at = (tiled, repeated, rng.permutation(tiled))[seed % 3]
            once, copied = (
                karat.evaluate(y[i], p[i], labels=range(k), sample_weight=w[i] if weighted else None).findings()
                for i in (every, at)
            )
            others = [(f.code, f.severity, f.title) for f in copied if f.code != "duplicated-rows"]
            assert others == [(f.code, f.severity, f.title) for f in once]
            assert len(copied) == len(once) + 1


def test_several_models_of_rows_that_were_equal_before_they_were_copied() -> None:
    rng = np.random.default_rng(11)
    p = np.round(probabilities(rng, 150, 2, 4.0)[:, 1], 2)
    q = np.where(rng.random(150) < 0.2, 0.5, p)
    y = (rng.random(150) < p).astype(int)
    at = np.tile(np.arange(150), 5)
    ones = {"p": karat.evaluate(y, p), "q": karat.evaluate(y, q)}
    fives = {"p": karat.evaluate(y[at], p[at]), "q": karat.evaluate(y[at], q[at])}
    assert len(np.unique(np.column_stack([y, p, q]), axis=0)) < 150
    assert karat.findings_of(fives).to_dict() == karat.findings_of(ones).to_dict()
    once = distinct_cases_of_all({name: e.statistics for name, e in fives.items()})
    assert {s.source.n for s in once.values()} == {150}
