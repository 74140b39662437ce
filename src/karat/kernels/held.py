"""Scores as they were given: in float64 or float32, all columns or one of two."""

from __future__ import annotations

import numpy as np

from karat.kernels.records import Array


def all_columns(proba: Array, given: int) -> Array:
    """Probabilities [..., k] in float64; with `given`, from the one column of two that is held."""
    proba = proba.astype(np.float64, copy=False)
    if given < 0:
        return proba
    both = np.empty((*proba.shape[:-1], 2))
    both[..., given] = proba[..., 0] + 0.0  # no -0.0, which would differ from 0.0 in its bits
    both[..., 1 - given] = 1 - proba[..., 0]
    return both
