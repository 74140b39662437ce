"""One pass over the rows."""

from __future__ import annotations

import numpy as np

from karat.kernels.held import all_columns
from karat.kernels.records import Array


def row_sums(
    truth: Array, proba: Array, decided: Array | None, weight: Array | None, l: int, floor: float, given: int = -1
) -> tuple[Array, Array, Array, Array]:
    """Per true class: counts of decisions, sums of probabilities, of squared errors, of log2 max(p_true, floor). With
    `given`, `proba` holds that column of two, [B, n, 1]; with 0 columns `l` nothing is counted."""
    proba = all_columns(proba, given)
    B, n, k = proba.shape
    counts, sums = np.zeros((B, k, l)), np.zeros((B, k, k))
    squares, logs = np.zeros((B, k)), np.zeros((B, k))
    for b in range(B):
        y, p = truth[b], proba[b]
        w = np.ones(n) if weight is None else weight[b]
        d = p.argmax(axis=1) if decided is None else decided[b]
        hit = np.take_along_axis(p, y[:, None].astype(np.intp), axis=1)[:, 0]
        square = ((p - (np.arange(k) == y[:, None])) ** 2).sum(axis=1)
        with np.errstate(divide="ignore"):
            log = np.where(w > 0, w, 0) * np.where(w > 0, np.log2(np.maximum(hit, floor)), 0)
        if l > 0:
            counts[b] = np.bincount(y.astype(np.intp) * l + d, w, k * l).reshape(k, l)
        squares[b] = np.bincount(y, w * square, k)
        logs[b] = np.bincount(y, log, k)
        for j in range(k):
            sums[b, :, j] = np.bincount(y, w * p[:, j], k)
    return counts, sums, squares, logs


def cell_weights(truth: Array, decided: Array, weight: Array | None, k: int, l: int) -> Array:
    """[B, k, l]: the weight (None: ones) of the cases of each class with each decision."""
    return class_weights(truth * np.int32(l) + decided, weight, k * l).reshape(-1, k, l)


def class_weights(truth: Array, weight: Array | None, k: int) -> Array:
    """[B, k]: the weight of the cases of each class."""
    ones = np.ones(truth.shape) if weight is None else weight
    return np.stack([np.bincount(y, w, k) for y, w in zip(truth, ones, strict=True)])
