"""What a function computes has one text, wherever and how often it is written; another formula has another."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from karat.core.digest import digest


class Thing:
    """Whose repr is where it lies in memory."""


def with_default(value: Any) -> Callable[..., Any]:
    def formula(x: Any, y: Any = value) -> Any:
        return x, y

    return formula


def with_cell(value: Any) -> Callable[..., Any]:
    def formula(x: Any) -> Any:
        return x, value

    return formula


def with_keyword(value: Any) -> Callable[..., Any]:
    def formula(x: Any, *, y: Any = value) -> Any:
        return x, y

    return formula


def partly(value: Any) -> Callable[..., Any]:
    return functools.partial(with_cell(0), value)


HELD = {
    "nothing": lambda: None,
    "a number": lambda: 1,
    "another": lambda: 2,
    "a real number": lambda: 2.5,
    "a text": lambda: "1",
    "a truth value": lambda: False,
    "a list": lambda: [1, 2],
    "in another order": lambda: [2, 1],
    "an array": lambda: np.array([3.0, 4.0]),
    "a set": lambda: {"x", "y", "z"},
    "a dict": lambda: {"a": 1},
    "another dict": lambda: {"a": 2},
    "an object": Thing,
    "a function": lambda: lambda x: x + 1,
    "another function": lambda: lambda x: x + 2,
}


@pytest.mark.parametrize("made", [with_default, with_cell, with_keyword, partly])
def test_what_a_function_holds_is_part_of_it(made: Callable[[Any], Any]) -> None:
    texts = {name: digest(made(value())) for name, value in HELD.items()}
    again = {name: digest(made(value())) for name, value in HELD.items()}
    assert texts == again
    assert len(set(texts.values())) == len(texts)


def test_a_function_that_holds_itself_has_an_end() -> None:
    def formula(x: int) -> int:
        return formula(x - 1) if x else 0

    assert len(digest(formula)) == 12
