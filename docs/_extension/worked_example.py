"""A measure on twelve cases, step by step: the cases, what the formula needs of them, the value."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

import karat
from karat.statistics import Counts

TRUTH = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c"]
PROBABILITIES = np.array([
    [0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.5, 0.2, 0.3], [0.2, 0.7, 0.1],
    [0.1, 0.8, 0.1], [0.4, 0.4, 0.2], [0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.2, 0.6, 0.2],
])  # fmt: skip
POSITIVE = "a"


@cache
def evaluation() -> Any:
    return karat.evaluate(TRUTH, PROBABILITIES)


def example_of(measure: Any) -> str:
    """The section of its page; empty where the measure has no value of these cases."""
    e = evaluation()
    of_class = {"classes": "all"} if measure.classwise else {}
    value = _value(e, measure)
    if value is None:
        return ""
    whose = f" (class {POSITIVE} against the rest)" if of_class else ""
    parts = [
        "## Worked example",
        "Twelve cases of three classes: five of a, four of b, three of c. Their confusion matrix, rows being the true"
        f" classes:\n\n{_matrix(e)}",
    ]
    if steps := _steps(e, measure):
        parts.append(f"What the formula needs of the cases, their *{_words(measure.statistic.__name__)}*:\n\n{steps}")
    parts.append(f"Put into the formula they give **{measure.symbol} = {value:.4g}**{whose}.")
    return "\n\n".join(parts)


def _matrix(e: Any) -> str:
    """The confusion matrix as a table."""
    table = e.statistics[Counts].table
    rows = [f"| **{c}** | {' | '.join(f'{x:.0f}' for x in row)} |" for c, row in zip(e.classes, table, strict=True)]
    return "\n".join([f"| | {' | '.join(e.classes)} |", "|---|" + "---|" * len(e.classes), *rows])


def _value(e: Any, measure: Any) -> float | None:
    try:
        if measure.classwise:
            columns = e.per_class([measure]).columns
            column = next(values for name, values in columns.items() if name == measure.symbol)
            value = float(column[0])
        else:
            value = float(e[measure])
    except (karat.InputError, KeyError, StopIteration, ValueError):
        return None
    return value if np.isfinite(value) else None


def _steps(e: Any, measure: Any) -> str:
    """The arrays of the statistic, as far as they are small and are not the confusion matrix itself."""
    statistic = measure.statistic
    if statistic is Counts or measure.classwise:
        return ""
    made = e.statistics[statistic]
    names = [f.name for f in fields(made)] if is_dataclass(made) else []
    shown = {name: np.asarray(getattr(made, name)) for name in names if not name.startswith("_")}
    lines = [
        f"{_words(name)}:\n{_text(array)}"
        for name, array in shown.items()
        if array.dtype.kind in "fi" and 0 < array.size <= 16
    ]
    return "```text\n" + "\n".join(lines) + "\n```" if lines else ""


def _words(name: str) -> str:
    return "".join(f" {c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name)).replace("_", " ")


def _text(array: Any) -> str:
    return np.array2string(np.round(np.asarray(array, float), 4), floatmode="maxprec", suppress_small=True)
