"""Numbers as the page carries them: short where they are only drawn, exact where they are computed with."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Array


def short_numbers(values: Any, digits: int = 5) -> list[float | int | None]:
    """So many significant digits; None for what is undefined or infinite.

    >>> short_numbers([0.123456789, 2.0, float("inf")])
    [0.12346, 2, None]
    """
    return [_short(float(f"{v:.{digits}g}")) if math.isfinite(v) else None for v in np.ravel(values).tolist()]


def exact_numbers(values: Any) -> list[float | int | None]:
    """As they are; whole numbers without a point.

    >>> exact_numbers([0.1 + 0.2, 3.0, float("nan")])
    [0.30000000000000004, 3, None]
    """
    return [_short(v) if math.isfinite(v) else None for v in np.ravel(values).astype(float).tolist()]


def table_rows(table: Array, digits: int | None = None) -> list[list[float | int | None]]:
    """A table, row by row."""
    return [exact_numbers(row) if digits is None else short_numbers(row, digits) for row in table]


def number_or_none(value: float) -> float | None:
    """A number, or None."""
    return float(value) if math.isfinite(value) else None


def _short(v: float) -> float | int:
    return int(v) if v.is_integer() and abs(v) < 1e15 else v


ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def embedded(data: Any) -> str:
    """JSON that can stand inside a page: no name in it can end the element that holds it.

    >>> embedded({"</script>": "a & b"})
    '{"\\\\u003c/script\\\\u003e":"a \\\\u0026 b"}'
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for sign, code in ESCAPES.items():
        text = text.replace(sign, code)
    return text.encode("utf-8", "replace").decode("utf-8")
