"""Very many classes: what formulas ask of tables over pairs of classes, some rows of them at a time. The tables
themselves would be larger than the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat.kernels._columns import scan
from karat.kernels.margins import x_ln_x
from karat.kernels.records import Array

AT_ONCE = 1 << 16
"""Numbers that are looked at together."""


def class_columns(truth: Array, proba: Array, weight: Array | None, place: Array, each: Array, size: int) -> Array:
    """[7, k]: of each column of proba[n, k] the wins and the gains of its class over the others (see `scan`), each of
    these counted `each`[m] times; those wins and gains counted once; deviation, refinement, and error of windows of
    `size`. truth[n] and place[k] are the classes of cases and columns as `each` counts them."""
    m, k = len(each), proba.shape[1]
    bits = max(1, (m - 1).bit_length())
    facts = np.empty((7, k))
    for first, last in _parts(k, len(proba)):
        for j, column in enumerate(np.ascontiguousarray(proba[:, first:last].T), first):
            order = np.argsort(column, kind="stable")
            x = column[order].astype(np.float64) + 0.0
            new = np.append(True, x[1:] != x[:-1])
            keys = (np.cumsum(new) - 1).astype(np.uint64) << np.uint64(bits) | truth[order].astype(np.uint64)
            weights = None if weight is None else weight[order][None, None]
            *rows, sums = scan(keys[None, None], int(place[j]), m, bits, 0, x[new], weights, size, False)
            for i, row in enumerate(rows):
                # not `@`: threads of BLAS would wait for each other longer than they work
                facts[i, j], facts[2 + i, j] = (row[0, 0] * each).sum(), row[0, 0].sum()
            facts[4:, j] = sums[:3, 0, 0]
    return facts


def class_rows(
    truth: Array, proba: Array, weight: Array | None, order: Array, class_weight: Array, floor: float
) -> tuple[Array, Array, Array, float, float]:
    """Of the cases of proba[n, k] in their `order` by class: (squares, logs)[2, k] as `row_sums` has them; (diagonal,
    missed, alarms)[3, k] of the table of summed probabilities, and of that of their means; and the sum of c ln c over
    the cells off the diagonal of both."""
    k = proba.shape[1]
    losses, whole, relative = np.zeros((2, k)), TableParts(k), TableParts(k)
    held: tuple[int, Array] | None = None

    def add(classes: Array, rows: Array) -> None:
        there = class_weight[classes] > 0
        classes, rows = classes[there], rows[there]
        whole.add(classes, rows)
        relative.add(classes, rows / class_weight[classes][:, None])

    for start, stop in _parts(len(order), k):
        at = order[start:stop]
        y, x, w = truth[at], proba[at].astype(np.float64), None if weight is None else weight[at]
        cases = np.arange(len(y))
        hit = x[cases, y]
        first = np.flatnonzero(np.append(True, y[1:] != y[:-1]))
        classes, rows = y[first], np.add.reduceat(x if w is None else x * w[:, None], first, axis=0)
        x[cases, y] -= 1
        of_case = 1.0 if w is None else w
        losses[0] += np.bincount(y, of_case * np.einsum("ij,ij->i", x, x), k)
        losses[1] += np.bincount(y, of_case * np.log2(np.maximum(hit, floor)), k)
        if held is not None and held[0] == classes[0]:
            rows[0] += held[1]
        elif held is not None:
            add(np.array([held[0]]), held[1][None])
        held = int(classes[-1]), rows[-1]  # the next cases may be of this class, too
        add(classes[:-1], rows[:-1])
    if held is not None:
        add(np.array([held[0]]), held[1][None])
    return losses, whole.parts, relative.parts, whole.spread, relative.spread


def _parts(n: int, width: int) -> Iterator[tuple[int, int]]:
    """(first, last) of as many of n rows of that width as are looked at together."""
    step = max(1, AT_ONCE // width)
    return ((first, min(n, first + step)) for first in range(0, n, step))


class TableParts:
    """What is known of a square table from its rows, each of which was seen once."""

    def __init__(self, k: int) -> None:
        self.parts = np.zeros((3, k))
        self.spread = 0.0

    def add(self, classes: Array, rows: Array) -> None:
        """Rows of these classes."""
        own = np.arange(len(classes)), classes
        off = rows.copy()
        self.parts[0, classes] = rows[own]
        off[own] = 0.0
        self.parts[1, classes] = off.sum(axis=1)
        self.parts[2] += off.sum(axis=0)
        self.spread += float(x_ln_x(off).sum())
