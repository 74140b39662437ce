"""Formulas that are written down as steps give what they give when they are called."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.arithmetic import chosen, log, quotient, ratio
from karat.evaluation.valued_measures import planned
from karat.measures.lookup import papers
from karat.measures.value import values_of_many
from karat.measures.written_formulas import written, written_of
from karat.statistics import Counts, Summary
from karat.statistics.summary import COLUMNS, ROWS, TOGETHER


def problems() -> list[tuple[Any, ...]]:
    """Labels, probabilities, and the classes: usual ones, and those of which formulas have no value."""
    rng = np.random.default_rng(20)
    given: list[tuple[Any, ...]] = []
    for k in (2, 3, 7, 32):
        p = rng.dirichlet(np.ones(k), 60)
        y = np.append(np.arange(k), rng.integers(0, k, 60 - k)) if k <= 7 else rng.integers(0, 20, 60)
        given += [(y, p, range(k)), (p.argmax(axis=1), p, range(k)), (np.zeros(60, int), p, range(k))]
        given += [(np.full(60, k - 1), np.eye(k)[np.zeros(60, int)], range(k)), (y[:1], p[:1], range(k))]
    given += [(y[:0:-1], np.round(p, 1)[:0:-1] / np.round(p, 1)[:0:-1].sum(axis=1, keepdims=True), range(32))]
    given += [(np.zeros(5, int), np.ones((5, 1)), range(1))]
    return given


def test_all_measures_of_the_papers_are_written_down() -> None:
    plan = planned(papers())
    assert {symbol for scan in plan.scans for symbol in scan.formulas.symbols} == {m.symbol for m in papers()}
    assert not plan.groups
    assert not any(scan.others for scan in plan.scans)


@pytest.mark.parametrize("place", range(len(problems())))
def test_what_is_written_down_gives_what_is_called(place: int) -> None:
    y, p, labels = problems()[place]
    e = karat.evaluate(y, p, labels=list(labels))
    values = e.values("papers")
    called = Summary(e.statistics.source)
    for m in papers():
        expected = float(m.function(called.get(m.statistic)))
        assert values[m.symbol] == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True), m.symbol
        assert bool(e.why(m)) or not math.isnan(expected)


def test_statistics_are_made_of_the_scan_that_gave_the_facts() -> None:
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3), 40)
    e = karat.evaluate(y, p)
    e.values("papers")
    other = Summary(e.statistics.source)
    for kind in TOGETHER:
        for field in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            np.testing.assert_array_equal(getattr(e.statistics.get(kind), field), getattr(other.get(kind), field))


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_facts_are_what_the_statistics_would_find(k: int) -> None:
    rng = np.random.default_rng(k)
    y, p = rng.integers(0, max(1, k - 1), 50), rng.dirichlet(np.ones(k), 50)  # a class has no case
    e = karat.evaluate(y, p, labels=list(range(k)))
    other = Summary(e.statistics.source)
    for together in (ROWS, COLUMNS):
        facts = iter(e.statistics.facts(together).tolist())
        for kind in together:
            for name in kind.facts:
                expected = attrgetter(name)(other.get(kind))
                assert next(facts) == pytest.approx(expected, rel=1e-13, abs=1e-14, nan_ok=True), (kind, name)
        assert next(facts, None) is None


def test_a_formula_that_branches_or_looks_at_cells_is_called_as_it_is() -> None:
    def branching(c: Counts) -> Any:
        return 1.0 if c.sums.wrong > 3 else 0.0

    def of_cells(c: Counts) -> Any:
        return c.table[..., 0, 0]

    def constant(c: Counts) -> Any:
        return 0.5

    def plain(c: Counts) -> Any:
        return 1 - c.sums.wrong / c.sums.total

    formulas = [(Counts, f.__name__, f) for f in (branching, of_cells, constant, plain)]
    found = written(ROWS, formulas)
    assert found.symbols == ("plain",)
    assert len(found.steps) == 2  # and not what was noted of others before they branched
    assert sum(fact is not None for fact in found.facts) == 2


def test_formulas_of_many_tables_are_those_of_each() -> None:
    rng = np.random.default_rng(8)
    tables = np.concatenate([rng.integers(0, 4, (200, 3, 3)), [np.eye(3), np.ones((3, 3)), np.diag([5, 0, 0])]]) * 1.0
    tables = tables[tables.sum(axis=(1, 2)) > 0]
    named = tuple(m for m in karat.catalogue.measures.values() if m.statistic is Counts and not m.classwise)
    with np.errstate(all="ignore"):
        found = values_of_many(named, {Counts: Counts(tables)}.__getitem__, (len(tables),))
    assert {"MCC", "tMCC", "MAvG"} < set(written_of(named).symbols) < set(found)
    for i, table in enumerate(tables):
        e = karat.evaluate_matrix(table)
        for m in named:
            expected = e.value_or_nan(m)
            assert found[m.symbol][i] == pytest.approx(expected, rel=1e-12, abs=1e-13, nan_ok=True), (m.symbol, table)


def test_an_own_measure_that_branches_has_its_value() -> None:
    measure = karat.measure(symbol="Branching", title="More than three errors", formula="x", range=(0, 1), best=0)
    declared = measure(_more_than_three)
    try:
        rng = np.random.default_rng(5)
        y, p = rng.integers(0, 2, 30), rng.dirichlet(np.ones(2), 30)
        e = karat.evaluate(y, p)
        assert e.values(["Branching", "Acc"]) == {"Branching": 1.0, "Acc": (p.argmax(axis=1) == y).mean()}
        assert karat.evaluate(p.argmax(axis=1), p)["Branching"] == 0.0
    finally:
        karat.catalogue.measures.remove(declared.symbol)


PRICE = [1.0]


def _price(c: Counts) -> Any:
    """What do errors cost?"""
    return c.sums.wrong * PRICE[0]


def test_an_own_measure_may_ask_for_what_changes() -> None:
    declared = karat.measure(symbol="Price", title="Price of errors", formula="x", range=(0, np.inf), best=0)(_price)
    try:
        e = [karat.evaluate([0, 1, 1], [0.9, 0.6, 0.8]) for _ in range(2)]
        assert e[0]["Price"] == 1.0
        PRICE[0] = 5.0
        assert e[1]["Price"] == 5.0
    finally:
        karat.catalogue.measures.remove(declared.symbol)


def _more_than_three(c: Counts) -> Any:
    """Are more than three predictions wrong?"""
    return np.asarray(c.sums.wrong > 3, float) if c.lead else float(c.sums.wrong > 3)


def test_a_step_that_two_formulas_share_is_taken_once() -> None:
    def half(c: Counts) -> Any:
        return c.sums.wrong / c.sums.total / 2

    def twice(c: Counts) -> Any:
        return c.sums.wrong / c.sums.total * 2

    both = written(ROWS, [(Counts, "half", half), (Counts, "twice", twice)])
    assert len(both.steps) == 3
    assert len(both.constants) == 1


def test_zeros_of_either_sign_and_nan_are_constants_of_their_own() -> None:
    def quotients(c: Counts) -> Any:
        return c.sums.total / 0.0 + c.sums.total / -0.0 + math.nan * c.sums.total * math.nan

    found = written(ROWS, [(Counts, "x", quotients)])
    assert [math.copysign(1, x) for x in found.constants[:2]] == [1, -1]
    assert len(found.constants) == 3


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (lambda c: ratio(c.sums.wrong * 0, c.sums.wrong * 0), math.nan),
        (lambda c: ratio(c.sums.total, c.sums.wrong * 0), math.inf),
        (lambda c: quotient(c.sums.total, c.sums.wrong * 0, 0.25), 0.25),
        (lambda c: chosen(c.sums.wrong > 100, 1.0, c.sums.total), 4.0),
        (lambda c: log(c.sums.wrong * 0), -math.inf),
        (lambda c: -np.exp(0 * c.sums.total), -1.0),
    ],
)
def test_arithmetic_is_that_of_arrays(formula: Any, expected: float) -> None:
    e = karat.evaluate([0, 0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]])
    values: dict[str, float] = {}
    defined = written(ROWS, [(Counts, "x", formula)]).put_values(e.statistics.facts(ROWS), values)
    [value] = values.values()
    assert value == pytest.approx(expected, nan_ok=True)
    assert defined is not math.isnan(expected)
