"""Arithmetic that reads the same for one number and for an array of them.

A measure's formula is written once and serves one table (plain floats: a fraction of a microsecond) and a million of
them (arrays). An undefined quotient is nan; nothing here warns, because nan is reported with its reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Number: TypeAlias = Any
"""A float, or an array of them over the leading axes of the statistic."""
Cases: TypeAlias = tuple[Number, Number]
"""Of a rate: a number of cases, and the number of those that they are part of."""

nan = math.nan


def ratio(above: Number, below: Number, otherwise: float = nan) -> Number:
    """above / below; `otherwise` where both are 0; infinite where only `below` is 0."""
    if type(below) is float and type(above) is float:
        if below:
            return above / below
        return otherwise if above == 0 or above != above else math.copysign(math.inf, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.divide(above, below)
    if otherwise != otherwise:
        return quotient
    zero = np.equal(below, 0)
    if isinstance(zero, np.ndarray | np.bool_) and not zero.any():
        return quotient
    return np.where(zero, np.where(np.equal(above, 0), otherwise, quotient), quotient)


def quotient(above: Number, below: Number, otherwise: float) -> Number:
    """above / below; `otherwise` wherever `below` is 0."""
    if type(below) is float:
        return above / below if below else otherwise
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = np.divide(above, below)
    zero = np.equal(below, 0)
    return quotients if isinstance(zero, np.ndarray) and not zero.any() else np.where(zero, otherwise, quotients)


def chosen(condition: Number, value: Number, otherwise: Number) -> Number:
    """The value where the condition holds, the other one elsewhere."""
    if condition is True or condition is False:
        return value if condition else otherwise
    return np.where(condition, value, otherwise)


def only_where(condition: Number, value: Number) -> Number:
    """The value where the condition holds, nan elsewhere."""
    return chosen(condition, value, nan)


def log(x: Number) -> Number:
    """Natural logarithm, -inf at 0."""
    if type(x) is float:
        return math.log(x) if x > 0 else (-math.inf if x == 0 else nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(x)


def exp(x: Number) -> Number:
    """e to the power of x."""
    return math.exp(x) if type(x) is float else np.exp(x)


def root(x: Number) -> Number:
    """Square root; nan of a negative number."""
    if type(x) is float:
        return math.sqrt(x) if x >= 0 else nan
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


def at_least_zero(x: Number) -> Number:
    """x, or 0 where rounding left it just below."""
    if type(x) is float:
        return x if x > 0 or x != x else 0.0
    return np.maximum(x, 0.0)


FEW = 32
"""Numbers up to which a list of them is sooner gone through than an array."""

ROUNDING = 1e-9
"""By no more than this may sums of rounded numbers, of very many cases, take a value out of its range: what is farther
out is an error, and stays visible."""


def within(x: Number, low: Number, high: Number) -> Number:
    """x, or an end of its range where rounding left it just beyond.

    >>> within(1.0000000000000002, 0.0, 1.0), within(0.3, 0.0, 1.0), within(1.5, 0.0, 1.0)
    (1.0, 0.3, 1.5)
    """
    if type(x) is float:
        if low <= x <= high or x != x:
            return x
        nearest = float(low if x < low else high)
        return nearest if abs(x - nearest) <= ROUNDING else x
    if isinstance(x, np.ndarray) and _all_within(x, low, high):
        return x
    if hasattr(x, "within"):  # a number that is not there yet, of a formula that is being written down
        return x.within(low, high)
    nearest = np.clip(x, low, high)
    return np.where(np.abs(x - nearest) <= ROUNDING, nearest, x)


def _all_within(x: Array, low: Number, high: Number) -> bool:
    if x.size <= FEW and type(low) is float and type(high) is float:  # sooner gone through than compared
        return all(low <= one <= high or one != one for one in x.ravel().tolist())
    return not ((x < low) | (x > high)).any()


def value_within(low: float, high: float, formula: Callable[..., Number], *data: Any, **parameters: Any) -> Number:
    """The value of a formula, within its range."""
    return within(formula(*data, **parameters), low, high)


def mean_over(values: Array, there: Array) -> Number:
    """Mean over the last axis of the values that are there; nan where none is."""
    if values.ndim == 1 and len(values) > FEW:
        kept = values[there].tolist()
        return _sum(kept) / len(kept) if kept else nan
    if values.ndim == 1:
        kept = [v for v, is_there in zip(values.tolist(), there.tolist(), strict=True) if is_there]
        return _sum(kept) / len(kept) if kept else nan
    return ratio(np.where(there, values, 0.0).sum(axis=-1), there.sum(axis=-1))


def total(x: Array) -> Number:
    """Sum over the last axis: a float if no other is left."""
    return _sum(x.tolist()) if x.ndim == 1 else x.sum(axis=-1)


def _sum(values: list[float]) -> float:
    """Exactly rounded; nan where infinities of both signs meet, as everywhere else."""
    try:
        return math.fsum(values)
    except ValueError:
        return nan


TOLERANCE = 1e-12
"""Values that differ by no more are equal: another order of adding, or another processor, gives as much."""


ON_ONE_THREAD = 1 << 18
"""Multiplications up to which BLAS uses one thread."""


def product(a: Array, b: Array) -> Array:
    """The matrix product of many rows with a small matrix, some rows at a time: threads of BLAS would wait for each
    other longer than they work (ten times as long where the cores are busy).

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [10.0]])).tolist()
    [[21.0], [43.0]]
    """
    rows = ON_ONE_THREAD // max(b.size, 1)
    if rows < 8 or len(a) <= rows:  # a large matrix is worth threads
        return np.asarray(a @ b)
    whole = len(a) // rows * rows
    parts = (a[:whole].reshape(-1, rows, a.shape[1]) @ b).reshape(whole, b.shape[1])
    return parts if whole == len(a) else np.concatenate([parts, a[whole:] @ b])
