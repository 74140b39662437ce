"""Verdicts are no surer than what they rest on."""

from __future__ import annotations

from typing import Any

import pytest

from karat.reproductions import reproduce
from karat.reproductions.cell import Cell
from karat.reproductions.wang2013 import Statements

CELL: dict[str, Any] = {"where": "Table 1", "what": "a number", "digits": 2}


@pytest.mark.parametrize(
    ("published", "ours", "error", "verdict"),
    [
        (0.33, 0.331, 0.0, "reproduced"),
        (0.33, 0.295, 0.025, "undecided"),  # within three errors, as .25 or .36 would be
        (0.33, 0.30, 0.012, "reproduced"),  # an error of 4 %
        (0.33, 0.20, 0.025, "not reproduced"),  # whatever the error
        (0.33, 0.33, float("nan"), "undecided"),  # one repetition
        (None, 7, 0.0, "not printed in the paper"),
        (0.33, None, 0.0, "not run"),
    ],
)
def test_what_the_error_can_decide(published: Any, ours: Any, error: float, verdict: str) -> None:
    assert Cell(published=published, ours=ours, error=error, **CELL).verdict == verdict


def test_what_was_fitted_is_only_consistent() -> None:
    assert Cell(published=0.33, ours=0.33, fitted=True, **CELL).verdict.startswith("consistent")
    assert Cell(published=0.33, ours=0.34, open=0.01, fitted=True, **CELL).verdict.startswith("consistent")
    assert Cell(published=0.33, ours=0.43, fitted=True, **CELL).verdict == "not reproduced"


def test_statements_are_decided_by_intervals() -> None:
    assert Cell(published="yes", ours="yes", decided=False, where="", what="").verdict == "undecided"
    contest = Statements.__new__(Statements)
    rank = {"low": 1.2, "high": 1.8}, {"low": 1.7, "high": 2.5}, {"low": 2.6, "high": 3.0}
    contest.rank = {("g", "a", name): r for name, r in zip("abc", rank, strict=True)}
    assert contest.apart("g", "a", "a", "c")
    assert not contest.apart("g", "a", "a", "b")
    assert contest.decided("g", "a", ["c"], best=True)
    assert not contest.decided("g", "a", ["b", "c"], best=True)
    assert not contest.decided("g", "a", ["b"], best=False)


def test_a_note_that_it_does_not_reach_1_stands_where_it_does_not() -> None:
    table = reproduce("valverde2014", share=0.2)
    highest = [r for r in table.records if r["what"] == "highest 2MI'"]
    assert highest
    for r in highest:
        assert bool(r["note"]) == (r["ours"] < 1 - 1e-9), r


def test_few_repetitions_decide_little() -> None:
    verdicts = reproduce("ferri2009", share=1e-4).columns["verdict"]
    assert verdicts.count("undecided") > 20


@pytest.mark.parametrize(("n", "a"), [(3, 5), (4, 10), (5, 7)])
def test_closed_forms_of_jurman_are_those_of_the_matrices(n: int, a: int) -> None:
    """Whatever n and a are: only what is known to be misprinted differs."""
    from karat.reproductions.jurman2012 import _families, _limits

    for cell in (*_families(n, a), *_limits(n)):
        assert isinstance(cell.ours, float)
        same = cell.ours == pytest.approx(cell.published, abs=1e-6)
        assert same == ("as printed" not in cell.what), cell
