"""Cases counted by their scores: at each distinct one, in bins, and as findings look at them."""

from __future__ import annotations

import numpy as np

from karat.kernels.held import all_columns
from karat.kernels.records import Array


def score_counts(column: Array, own: Array) -> tuple[Array, Array]:
    """Of scores [n] that are not negative, in float64 or float32: the distinct ones [m], ascending, in float64, and how
    many cases [2, m] have each of them, the others and those that are `own` (bool [n])."""
    order = np.argsort(column, kind="stable")
    in_order = column[order]
    new = np.append(True, in_order[1:] != in_order[:-1])[: len(order)]
    scores = in_order[new].astype(np.float64) + 0.0  # no -0.0
    cell = own[order].astype(np.intp) * len(scores) + (np.cumsum(new) - 1)
    return scores, np.bincount(cell, None, 2 * len(scores)).astype(np.float64).reshape(2, -1)


def confidence_bins(truth: Array, proba: Array, weight: Array | None, edges: Array, given: int = -1) -> Array:
    """[3, B, bins]: cases by their highest probability: weight, sum of that probability, weight of the right ones.
    `edges` lie between the bins, which hold their upper one. With `given`, `proba` holds that column of two."""
    p = all_columns(proba, given)
    B, bins = len(p), len(edges) + 1
    top, right = p.max(axis=2), p.argmax(axis=2) == truth
    w = np.ones(top.shape) if weight is None else weight
    cell = np.arange(B)[:, None] * bins + np.searchsorted(edges, top, side="left")
    return np.stack([_tally(cell, values, B * bins).reshape(B, bins) for values in (w, w * top, w * right)])


def class_bins(truth: Array, proba: Array, weight: Array | None, edges: Array, given: int = -1) -> Array:
    """[3, B, k, bins]: cases by the probability of each class: weight, sum of that probability, weight of the class."""
    p = all_columns(proba, given)
    (B, n, k), bins = p.shape, len(edges) + 1
    w = np.ones((B, n)) if weight is None else weight
    out = np.empty((3, B, k, bins))
    for j in range(k):
        x = p[:, :, j]
        cell = np.arange(B)[:, None] * bins + np.searchsorted(edges, x, side="left")
        for row, values in enumerate((w, w * x, w * (truth == j))):
            out[row, :, j] = _tally(cell, values, B * bins).reshape(B, bins)
    return out


def _tally(cell: Array, values: Array, size: int) -> Array:
    return np.bincount(cell.ravel(), values.ravel(), size)


def probability_facts(
    truth: Array, proba: Array, weight: Array | None, squares: Array | None, given: int = -1
) -> tuple[Array, Array]:
    """What checks of probabilities [n, k] ask of all cases: (facts[8], columns[k, 3]).

    Facts: the weight; the weighted highest probabilities, right decisions, and the second minus the first; the variance
    of the right decisions if the highest probabilities were theirs (`squares` are those of the weights; None: ones);
    the weight of cases with a probability of 1; how many cases of some weight have two highest probabilities, and how
    many one of 0 for the truth. Of each column: cases minus probabilities, weighted; their variance; the weighted
    probabilities."""
    p = all_columns(proba, given)
    n, k = p.shape
    w = np.ones(n) if weight is None else weight
    v = w if squares is None else squares
    own = np.arange(k) == truth[:, None]
    top = p.argmax(axis=1)
    best, right = p.max(axis=1), top == truth
    tied = ((p == best[:, None]).sum(axis=1) > 1) & (w > 0)
    lost = ((p == 0) & own).any(axis=1) & (w > 0)
    sums = w, w * best, w * right, w * (right - best), v * best * (1 - best), w * (best == 1), tied, lost
    columns = w[:, None] * (own - p), v[:, None] * p * (1 - p), w[:, None] * p
    return np.array([float(x.sum()) for x in sums]), np.stack([x.sum(axis=0) for x in columns], axis=1)
