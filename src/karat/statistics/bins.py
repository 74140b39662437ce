"""Probabilities in bins of equal width: (a, b], the first also holding 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.statistic import Needs, Statistic
from karat.core.validation import whole
from karat.data import Predictions


def place_in_bins(x: Array, bins: int) -> Array:
    """The bin of each probability; the edges are i / bins."""
    return np.searchsorted(np.arange(1, bins) / bins, x, side="left")


@dataclass(frozen=True, eq=False)
class ConfidenceBins(Statistic):
    """Cases by the highest probability: weight, sum of that probability, weight of right decisions; all [..., bins]."""

    needs = Needs.PROBABILITIES
    bends = True
    parameters = {"bins": 10}  # noqa: RUF012
    weight: Array
    forecast: Array
    hits: Array

    @classmethod
    def of(cls, predictions: Any, bins: int = 10, **parameters: Any) -> ConfidenceBins:
        """Sort into bins."""
        p: Predictions = predictions
        assert p.scores is not None
        bins = whole("bins", bins)
        top, right = p.scores.max(axis=2), p.scores.argmax(axis=2) == p.truth
        w = np.ones(top.shape) if p.weight is None else p.weight
        cell = (np.arange(len(top))[:, None] * bins + place_in_bins(top, bins)).ravel()
        return cls(*(_tally(cell, x, len(top) * bins, (*p.lead, bins)) for x in (w, w * top, w * right)))


@dataclass(frozen=True, eq=False)
class ClassBins(Statistic):
    """Each column's probabilities: weight, sum of them, weight of cases of the class; all [..., k, bins]."""

    needs = Needs.PROBABILITIES
    bends = True
    unsupported = (
        "its classes share their errors, since a case is in a bin of each class; use ECE, where it is in one bin"
    )
    per_class = "axis"
    parameters = {"bins": 10}  # noqa: RUF012
    weight: Array
    forecast: Array
    hits: Array

    @classmethod
    def of(cls, predictions: Any, bins: int = 10, **parameters: Any) -> ClassBins:
        """Sort into bins."""
        p: Predictions = predictions
        assert p.scores is not None
        bins = whole("bins", bins)
        B, n, k = p.scores.shape
        w = np.ones((B, n)) if p.weight is None else p.weight
        out = np.empty((3, B, k, bins))
        for j in range(k):
            x = p.scores[:, :, j]
            cell = (np.arange(B)[:, None] * bins + place_in_bins(x, bins)).ravel()
            for row, values in enumerate((w, w * x, w * (p.truth == j))):
                out[row, :, j] = _tally(cell, values, B * bins, (B, bins))
        return cls(*out.reshape(3, *p.lead, k, bins))


def _tally(cell: Array, values: Array, size: int, shape: tuple[int, ...]) -> Array:
    return np.bincount(cell, np.ascontiguousarray(values).ravel(), size).reshape(shape)
