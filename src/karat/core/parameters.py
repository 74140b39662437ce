"""Parameters that formulas are told: a wrong one is refused in words, never turned into a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.errors import InputError


def number_between(name: str, value: Any, low: float, high: float, *, ends: str = "[]") -> float:
    """A number between two others; `ends` says with brackets whether each of them is allowed."""
    known = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    fits = known and low <= value <= high
    if not fits or (value == low and ends[0] == "(") or (value == high and ends[1] == ")"):
        raise InputError(f"{name} is {value!r}; give a number in {ends[0]}{low:g}, {high:g}{ends[1]}.")
    return float(value)
