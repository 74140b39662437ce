"""Checks of options, columns of tables, and values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.core.errors import InputError


def columns_of(table: Mapping[str, Any], *names: str) -> list[list[Any]]:
    """These columns of a table, as lists."""
    missing = [name for name in names if name not in table]
    if missing:
        raise InputError(
            f"the table has no column {missing[0]!r}; it needs {', '.join(names)} and has {', '.join(table)}."
        )
    return [np.asarray(table[name]).tolist() for name in names]


def number_columns(table: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that hold numbers."""
    found = {name: np.asarray(values) for name, values in table.items()}
    kept = {name: values for name, values in found.items() if values.dtype.kind in "iuf"}
    if not kept:
        raise InputError(f"the table has no column of numbers; its columns are {', '.join(table)}.")
    return kept


def a_number(value: Any, name: str) -> float:
    """A finite number; anything else is an error."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InputError(f"{name} is {value!r}; give a finite number.")
    return float(value)


def brief(values: Mapping[str, Any]) -> str:
    """Values in a line: the numbers, and the models or classes, or how many points the longest curve has."""
    told = [f"{name} {value:.4g}" for name, value in values.items() if isinstance(value, float)]
    names = next((values[name] for name in ("models", "classes", "names") if name in values), ())
    points = max((len(v) for v in values.values() if isinstance(v, np.ndarray) and v.ndim == 1), default=0)
    if names:
        told.append(", ".join(map(str, names[:6])) + (f", {len(names) - 6} more" if len(names) > 6 else ""))
    elif points:
        told.append(f"{points} points")
    return ", ".join(told) or "see to_dict()"
