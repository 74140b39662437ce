"""Probabilities in bins of equal width: (a, b], the first also holding 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Needs, Statistic
from karat.core.validation import whole
from karat.data import Predictions


def edges_of(bins: int) -> Array:
    """What lies between the bins: i / bins."""
    return np.arange(1, bins) / bins


def place_in_bins(x: Array, bins: int) -> Array:
    """The bin of each probability."""
    return np.searchsorted(edges_of(bins), x, side="left")


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
        assert p.held is not None
        bins = whole("bins", bins)
        tallied = kernels.confidence_bins(p.truth, p.held, p.weight, edges_of(bins), p.alone)
        return cls(*tallied.reshape(3, *p.lead, bins))


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
        assert p.held is not None
        bins = whole("bins", bins)
        tallied = kernels.class_bins(p.truth, p.held, p.weight, edges_of(bins), p.alone)
        return cls(*tallied.reshape(3, *p.lead, len(p.classes), bins))
