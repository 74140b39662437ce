"""Values of two models on the same data sets or folds: the differences that every paired test starts from."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError
from karat.data.arrays import numbers


def advantages(first: Any, second: Any, lower_is_better: bool = False, least: int = 2) -> Array:
    """How much better the first model is than the second, of each pair of values."""
    a, b = (
        numbers(x, f"the values of the {which} model", "one number for each data set or fold")[0]
        for x, which in ((first, "first"), (second, "second"))
    )
    if a.ndim != 1 or a.shape != b.shape:
        raise ShapeError(
            f"the first model's values have the shape {a.shape} and the second's {b.shape}; give both in pairs, of "
            "shape (n,)."
        )
    if len(a) < least:
        raise InputError(f"there are {len(a)} pairs of values; give at least {least}.")
    wrong = ~(np.isfinite(a) & np.isfinite(b))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"pair {at} is ({a[at]}, {b[at]}); give finite values, or leave the pair out.")
    return np.asarray(b - a if lower_is_better else a - b)


def checked_rope(rope: float) -> float:
    """The half width of the region of practical equivalence."""
    if not (np.isfinite(rope) and rope >= 0):
        raise InputError(f"rope is {rope}; give the largest difference that does not matter, of at least 0.")
    return float(rope)


def checked_ratio(ratio: float) -> float:
    """Cases tested on per case trained on."""
    if not (np.isfinite(ratio) and ratio >= 0):
        raise InputError(
            f"ratio is {ratio}; give the number of test cases over that of training cases, 1 / (k - 1) for k folds."
        )
    return float(ratio)
