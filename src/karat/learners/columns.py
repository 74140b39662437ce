"""Cases prepared for trees: columns next to each other, numeric ones sorted once, nominal ones as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError


@dataclass(frozen=True, eq=False)
class Columns:
    """What of the features does not change from tree to tree. Many trees of parts of the same cases share one of these.

    >>> Columns.of([[0.5, 1], [0.1, 0], [float("nan"), 1]], nominal={1: 2}).order
    array([[1, 0, 2]], dtype=int32)
    """

    X: Array
    """Float64 [columns, cases]."""
    values: Array
    """Declared values of each column, 0 for a numeric one."""
    place: Array
    """The column's row in `codes` or in `order`."""
    codes: Array
    """Int32 [nominal columns, cases]; -1 is missing."""
    order: Array
    """Int32 [numeric columns, cases]: the cases by their value, missing ones last."""
    ordered: Array
    """The values in that order."""
    known: Array
    """How many values of each numeric column are known."""
    logs: Array
    """x log2 x of the whole numbers up to the number of cases."""
    steps: Array
    """From each of them to the next."""

    @classmethod
    def of(cls, X: Any, nominal: Mapping[int, int] | None = None) -> Columns:
        """From a matrix [cases, columns]; `nominal` gives the number of declared values of each nominal column."""
        columns = np.ascontiguousarray(np.asarray(X, float).T)
        p, n = columns.shape
        values = _declared(nominal or {}, p)
        is_nominal = values > 0
        codes = np.full((int(is_nominal.sum()), n), -1, np.int32)
        for row, j in enumerate(np.flatnonzero(is_nominal)):
            known = ~np.isnan(columns[j])
            codes_here = columns[j][known]
            if not np.all((codes_here == np.floor(codes_here)) & (codes_here >= 0) & (codes_here < values[j])):
                raise InputError(
                    f"column {j} was declared nominal with {values[j]} values but has other numbers than 0 to "
                    f"{values[j] - 1}; pass codes, with nan for a missing value."
                )
            codes[row, known] = codes_here.astype(np.int32)
        numeric = columns[~is_nominal]
        order = np.argsort(numeric, axis=1, kind="stable")
        ordered = np.ascontiguousarray(np.take_along_axis(numeric, order, axis=1))
        order = np.ascontiguousarray(order, np.int32)
        place = np.where(is_nominal, np.cumsum(is_nominal) - 1, np.cumsum(~is_nominal) - 1).astype(np.int32)
        known = (n - np.isnan(numeric).sum(axis=1)).astype(np.int32)
        logs = _logs(n)
        return cls(columns, values, place, codes, order, ordered, known, logs, np.diff(logs))

    @property
    def cases(self) -> int:
        return int(self.X.shape[1])

    @property
    def width(self) -> int:
        return int(self.X.shape[0])


def _declared(nominal: Mapping[int, int], p: int) -> Array:
    values = np.zeros(p, np.int32)
    for column, count in nominal.items():
        if not (isinstance(column, int | np.integer) and 0 <= column < p):
            raise InputError(f"nominal names the column {column!r}, but the columns are 0 to {p - 1}.")
        if not count >= 1:
            raise InputError(f"nominal declares {count} values for column {column}; a nominal column has at least 1.")
        values[column] = count
    return values


def _logs(n: int) -> Array:
    x = np.arange(n + 2, dtype=float)
    return np.concatenate([[0.0], x[1:] * np.log2(x[1:])])
