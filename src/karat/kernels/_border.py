"""The border: labels become places, probabilities are looked at.

Shapes in this and the other chapters: B evaluations (a batch), n cases, k classes, l decision columns. Behind the
border everything was checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.kernels.held import all_columns
from karat.kernels.records import Array


def integer_classes(labels: Array, widest: int) -> tuple[list[int], Array] | None:
    """The distinct labels, ascending, and for each case the place of its label; None if they spread too widely."""
    if int(labels.max()) - int(labels.min()) >= widest:
        return None
    values, codes = np.unique(labels, return_inverse=True)
    return values.tolist(), codes.astype(np.int32)


def text_classes(texts: Array) -> tuple[list[int], Array]:
    """Of texts of a fixed width [n]: where each distinct one comes first, in that order, and for each case the place of
    its text among them, int32."""
    _, first, codes = np.unique(texts, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(first), np.int32)
    place[order] = np.arange(len(first))
    return first[order].tolist(), place[codes]


def object_classes(values: Array) -> tuple[list[Any], Array, set[type]] | None:
    """Of Python objects [n]: the distinct ones in the order in which they come first, for each case the place of its
    value among them, int32, and all their types; None if some can't be looked up."""
    place: dict[Any, int] = {}
    try:
        codes = [place.setdefault(value, len(place)) for value in values.tolist()]
    except Exception:
        return None
    return list(place), np.array(codes, np.int32), set(map(type, values.tolist()))


def inspect(proba: Array, tolerance: float, given: int = -1) -> tuple[int, int, float, float, float, bool]:
    """(problem, its row, smallest positive value, largest value, largest distance of a row's sum from one, is the first
    of two columns always 1 - p in the type of both?). With `given`, `proba` holds that column of two, [n, 1].

    Problems: 0 none, 1 not finite, 2 outside [0, 1], 3 row does not sum to one.
    """
    held = proba.dtype
    proba = all_columns(proba, given)
    with np.errstate(invalid="ignore", over="ignore"):
        outside = np.asarray(~((proba >= 0) & (proba <= 1)).all(axis=1))
        off = np.abs(proba.sum(axis=1) - 1)
        bad = outside | ~(off <= tolerance)
    if bad.any():
        row = int(np.argmax(bad))
        problem = 1 if not np.isfinite(proba[row]).all() else 2 if outside[row] else 3
        return problem, row, 2.0, 0.0, 0.0, False
    positive = proba[proba > 0]
    exact = proba.shape[1] == 2 and bool(((1 - proba[:, 1]).astype(held) == proba[:, 0].astype(held)).all())
    return 0, -1, float(positive.min(initial=2.0)), float(positive.max(initial=0.0)), float(off.max()), exact


def sizes(scores: Array) -> tuple[bool, float, float, bool]:
    """Are all of these finite; the smallest size that is not 0 (2 if there is none), the largest, and is any below
    zero?"""
    size = np.abs(scores.astype(np.float64, copy=False))
    finite = bool(np.isfinite(size).all())
    if not finite:
        return False, 2.0, 0.0, False
    return True, float(size[size > 0].min(initial=2.0)), float(size.max()), bool((scores < 0).any())


def plain_list(values: list[Any]) -> Array | None:
    """A list of nothing but whole numbers, or nothing but floats, as an array of 64 bits; None for all others."""
    kinds = set(map(type, values))
    if kinds not in ({int}, {float}):
        return None
    try:
        return np.array(values, np.int64 if kinds == {int} else np.float64)
    except OverflowError:
        return None


def plain_arrays(
    y_true: Any, y_proba: Any, widest: int, tolerance: float
) -> tuple[list[int], Array, Array, Array, tuple[float, float, float, bool, int | None, bool]] | None:
    """The most common input at once, if there is nothing to object to: 64-bit integer labels, and a column of
    probabilities for each, in float64 or float32, or of labels 0 and 1 one column, if it does not begin like labels.
    The distinct labels, the places of the cases [1, n], how many there are of each [k], the probabilities [1, n,
    columns], and the fields of their `Extent`; None for all others, which deserve a closer look."""
    if not (type(y_true) is np.ndarray and type(y_proba) is np.ndarray):
        return None
    fit = y_true.ndim == 1 and y_proba.ndim in (1, 2) and len(y_true) == len(y_proba) > 0
    kinds = y_true.dtype == np.int64 and y_proba.dtype in (np.float64, np.float32)
    if not (fit and kinds and y_true.flags.c_contiguous and y_proba.flags.c_contiguous):
        return None
    alone = y_proba.ndim == 1
    coded = integer_classes(y_true, widest)
    if coded is None or (coded[0] != [0, 1] if alone else len(coded[0]) != y_proba.shape[1]):
        return None
    if alone and y_proba[0] in (0, 1):
        return None
    labels, places = coded
    columns = y_proba[:, None] if alone else y_proba
    problem, _, low, high, uneven, exact = inspect(columns, tolerance, 1 if alone else -1)
    weights = np.bincount(places, minlength=len(labels)).astype(np.float64)
    seen = (low, high, uneven, False, 1 if alone else None, exact)
    return None if problem else (labels, places[None], weights, columns[None], seen)


def plain_batch(y_true: Any, y_proba: Any) -> tuple[Array, Array, float, float] | None:
    """The most common batch at once: places 0 and 1 [..., n] as 64-bit integers, and for each the probability of 1,
    inside (0, 1). The places [B, n], the probabilities [B, n, 1], the lowest and the highest of them; or None."""
    if not (type(y_true) is np.ndarray and type(y_proba) is np.ndarray):
        return None
    fit = y_true.shape == y_proba.shape and y_true.size > 0 and 0 < y_true.ndim < 8
    kinds = y_true.dtype == np.int64 and y_proba.dtype == np.float64
    if not (fit and kinds and y_true.flags.c_contiguous and y_proba.flags.c_contiguous):
        return None
    low, high = float(y_proba.min()), float(y_proba.max())
    if not (low > 0 and high < 1 and y_true.min() >= 0 and y_true.max() <= 1):
        return None
    n = y_true.shape[-1]
    column = y_proba.reshape(-1, n)
    return y_true.reshape(-1, n).astype(np.int32), column[:, :, None], low, high
