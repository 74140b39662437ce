"""Ranks in which values that differ by rounding alone are tied, and the ranks of models on data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError, ShapeError, quoted
from karat.core.table import Table
from karat.data.arrays import numbers


def places(values: Array, tolerance: float = TOLERANCE) -> Array:
    """The place 0, 1, 2, ... of each value among the distinct ones, along the last axis. A step of no more than the
    tolerance to the next value does not count; whole numbers and exact fractions (objects) are compared exactly."""
    if values.dtype.kind not in "fc":
        tolerance = 0
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    steps = np.zeros(values.shape, np.int64)
    steps[..., 1:] = ascending[..., 1:] - ascending[..., :-1] > tolerance
    out = np.empty(values.shape, np.int64)
    np.put_along_axis(out, order, np.cumsum(steps, axis=-1), axis=-1)
    return out


def mid_ranks(place: Array) -> tuple[Array, Array]:
    """Ranks from 1 along the last axis, tied ones sharing their mean; and how many share each place, [..., places]."""
    width = place.shape[-1]
    rows = place.reshape(-1, width)
    cell = rows + np.arange(len(rows))[:, None] * width
    counts = np.bincount(cell.ravel(), minlength=rows.size).reshape(rows.shape)
    middle = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.take_along_axis(middle, rows, axis=1).reshape(place.shape), counts.reshape(place.shape)


def tie_loss(counts: Array) -> Array:
    """sum t^3 - t over groups of t equal values: what ties take from the variance of ranks."""
    return np.asarray((counts.astype(float) ** 3 - counts).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class RankTable:
    """The rank of each model (column) on each data set (row): 1 is best, equal values share their mean rank."""

    names: tuple[str, ...]
    ranks: Array
    """[data sets, models]"""
    ties: float
    """sum of t^3 - t over all groups of t models that are equal on a data set"""

    @classmethod
    def of(cls, values: Any, names: Any = None, *, lower_is_better: bool = False) -> RankTable:
        """From values [data sets, models], or {model: values}. A RankTable is given back as it is."""
        if isinstance(values, RankTable):
            return values
        if isinstance(values, Mapping):
            columns = [numbers(v, f"the values of {m!r}", "one number for each data set")[0] for m, v in values.items()]
            lengths = {len(c) for c in columns if c.ndim == 1}
            if len(lengths) != 1 or any(c.ndim != 1 for c in columns):
                raise ShapeError(
                    f"the models have {quoted(sorted(lengths))} values; give each one value for each data set."
                )
            names, table = tuple(values), np.stack(columns, axis=1)
        else:
            table, headings = numbers(values, "values", "a number for each data set and model")
            names = names if names is not None else headings
        if table.ndim != 2:
            raise ShapeError(f"values has the shape {table.shape}; give (data sets, models).")
        n, k = table.shape
        names = tuple(map(str, names)) if names is not None else tuple(f"model {j + 1}" for j in range(k))
        if len(names) != k or len(set(names)) != k:
            raise InputError(f"there are {k} models and the names {quoted(names)}; give each model a name of its own.")
        if k < 2 or n < 2:
            raise InputError(f"there are {k} models on {n} data sets; a comparison of ranks needs at least 2 of each.")
        if not np.isfinite(table).all():
            i, j = map(int, np.argwhere(~np.isfinite(table))[0])
            raise InputError(
                f"the value of {names[j]!r} on data set {i} is {table[i, j]}; give finite values, or leave the data "
                "set out for all models."
            )
        ranks, counts = mid_ranks(places(table if lower_is_better else -table))
        return cls(names, ranks, float(tie_loss(counts).sum()))

    @property
    def n(self) -> int:
        """Number of data sets."""
        return len(self.ranks)

    @property
    def k(self) -> int:
        """Number of models."""
        return len(self.names)

    @property
    def average(self) -> Array:
        """[models]: the average rank."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def standard_error(self) -> float:
        """Of the difference of two average ranks, if no model is better than another."""
        return float(np.sqrt(self.k * (self.k + 1) / (6 * self.n)))

    def to_table(self) -> Table:
        """One row for each model, the best first."""
        order = np.argsort(self.average, kind="stable")
        return Table({"model": [self.names[j] for j in order], "average rank": self.average[order].tolist()})


def alike(ranks: Array, width: float) -> list[slice]:
    """The longest runs of two or more of these ascending ranks that differ by less than `width`; a run inside another
    does not count.

    >>> alike(np.array([1.1, 1.4, 1.6, 3.0]), 0.3)
    [slice(1, 3, None)]
    """
    ends = [int(np.searchsorted(ranks, r + width - TOLERANCE, side="left")) for r in ranks]
    return [slice(i, end) for i, end in enumerate(ends) if end - i > 1 and (i == 0 or end > ends[i - 1])]
