"""The public battery believes the honest and tells what is wrong with the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

import karat
from karat.claims import ClaimError
from karat.claims.trial_problems import MEANINGS
from karat.core.arithmetic import Number
from karat.core.measure import Invariance, Measure, Trait
from karat.statistics import Binary, Counts

HONEST: dict[str, Any] = {"symbol": "Share", "formula": r"\frac{a}{b}", "range": (0, 1), "best": 1}
HONEST |= {"traits": set(map(Trait, "TF")), "invariant": set(map(Invariance, "PSXE"))}


def right_share(c: Counts) -> Number:
    """What share is right?"""
    return c.sums.trace / c.sums.total


def never_called(b: Binary) -> Number:
    """When it is decided, is it right?"""
    return karat.catalogue.measures["PPV"].function(b)


@contextmanager
def declared(function: Any, **claims: Any) -> Iterator[Measure]:
    m = karat.measure(**HONEST | claims)(function)
    try:
        yield m
    finally:
        karat.catalogue.measures.remove(m.symbol)


def test_karats_own_measures_pass() -> None:
    for symbol in ("Acc", "MCC", "AUC", "LogL", "CEN"):
        assert not any(karat.check_measure(symbol).columns["complaint"])


def test_the_honest_pass_without_a_citation() -> None:
    with declared(right_share) as m:
        assert m.cite == ""
        assert karat.check_measure(m).columns["trial"][0] == "range"


@pytest.mark.parametrize(
    ("lie", "trial"),
    [({"range": (0.5, 1)}, "range"), ({"best": 0}, "best"), ({"traits": set()}, "traits"), ({"chance": 0.5}, "chance")],
)
def test_liars_are_told_what_is_wrong(lie: dict[str, Any], trial: str) -> None:
    with declared(right_share, **lie) as m:
        with pytest.raises(ClaimError, match=f"(?m)^{trial}: "):
            karat.check_measure(m)
        table = karat.check_measure(m, on_fail="report")
        assert dict(zip(table.columns["trial"], table.columns["complaint"], strict=True))[trial]


def test_a_reason_of_your_own_says_when_it_holds() -> None:
    claims = {"classwise": True, "undefined": "nobody was called", "invariant": set(map(Invariance, "PSE"))}
    with declared(never_called, **claims) as m:
        with pytest.raises(ClaimError, match="does not know when 'nobody was called' holds; pass undefined_when="):
            karat.check_measure(m)
        karat.check_measure(m, undefined_when=lambda facts: facts.tp + facts.fp == 0)


def test_a_formula_that_fails_is_a_complaint() -> None:
    def broken(c: Counts) -> Number:
        """Does it work?"""
        raise ZeroDivisionError("by nothing")

    with declared(broken, symbol="Broken") as m, pytest.raises(ClaimError, match="ZeroDivisionError: by nothing"):
        karat.check_measure(m)


def test_only_measures_are_checked() -> None:
    with pytest.raises(karat.InputError, match=r"karat\.measure"):
        karat.check_measure(right_share)  # type: ignore[arg-type]


def test_what_is_tried_is_said_in_a_line() -> None:
    table = karat.check_measure("MCC")
    assert table.title == f"Trials of {karat.catalogue.measures['MCC'].label}"
    for words in table.columns["what is tried"]:
        assert "\n" not in words
        assert not words.endswith(".")


SIDES = "t/(t+n) + f/(f+r)"
REASONS = {
    "the class has no cases": "t/(t+n)",
    "every case belongs to the class": "f/(f+r)",
    "one of the two sides, the class or the rest, has no case": SIDES,
    "the class was never predicted": "t/(t+f)",
    "the class was always predicted": "r/(r+n)",
    "the class was never or always predicted": "t/(t+f) + r/(r+n)",
    "the class has no cases and was never predicted": "t/(t+n+f)",
    "the class has no cases, or was never predicted": "t/(t+n) + t/(t+f)",
    "the class was never predicted, or one of the two sides has no case": f"t/(t+f) + {SIDES}",
    "the class was always predicted, or one of the two sides has no case": f"r/(r+n) + {SIDES}",
    "both products of the 2 x 2 table are 0": "1/(t*r + n*f)",
}


@pytest.mark.parametrize("reason", REASONS)
def test_reasons_mean_that_the_formula_has_no_value(reason: str) -> None:
    """True and false positives t and f, false and true negatives n and r, each of them 0 or not: 0/0 is seen by
    dividing."""
    for t, n, f, r in product((0, 3), repeat=4):
        try:
            eval(REASONS[reason], {"t": t, "n": n, "f": f, "r": r})
            undefined = False
        except ZeroDivisionError:
            undefined = True
        facts: Any = SimpleNamespace(tp=t, fn=n, fp=f, tn=r, side=t + n == 0 or f + r == 0)
        assert bool(MEANINGS[reason](facts)) == undefined, (t, n, f, r)
