"""The two walks over the data that fill the statistics: over the rows, and over the sorted score columns.

Each fills several statistics at once, because reading (and above all sorting) costs more than adding up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.data import Predictions

CACHE = 1 << 17
"""Keys sorted at a time in a batch: they should stay in the processor's cache."""


def by_class(p: Predictions, values: Array | None) -> Array:
    """Sum of values[B, n] (None: ones) per true class: [..., k]."""
    B, k = len(p.truth), len(p.classes)
    cell = p.truth if B == 1 else np.arange(B)[:, None] * k + p.truth
    sums = np.bincount(cell.ravel(), None if values is None else values.ravel(), B * k)
    return sums.astype(np.float64).reshape(*p.lead, k)


class Rows(NamedTuple):
    """What a pass over the rows gives; all per true class, see the statistics of the same names."""

    counts: Array
    sums: Array
    squares: Array
    logs: Array
    weight: Array


def rows(p: Predictions, floor: float = 1e-5) -> Rows:
    """Counts, probability sums and loss sums, from one pass over the rows."""
    k, l, lead = len(p.classes), len(p.outputs), p.lead
    counts, sums, squares, logs = kernels.row_sums(p.truth, p.scores, p.decided, p.weight, l, floor)
    return Rows(
        counts.reshape(*lead, k, l),
        sums.reshape(*lead, k, k),
        squares.reshape(*lead, k),
        logs.reshape(*lead, k),
        counts.sum(axis=-1).reshape(*lead, k),
    )


class Columns(NamedTuple):
    """What the scans of the sorted columns give; see the statistics of the same names."""

    wins: Array
    gains: Array
    deviation: Array
    refinement: Array
    error: Array
    weight: Array


def columns(p: Predictions) -> Columns:
    """Pairs, margins, segments and windows, from one sort of each score column."""
    assert p.scores is not None
    B, n, k = p.scores.shape
    out = Scan.empty(B, k)
    at_once = max(1, CACHE // (n * min(k, 4)))
    for b in range(0, B, at_once):
        part = slice(b, min(B, b + at_once))
        if k == 2 and p.probabilities:
            _two_classes(p, part, out)
        else:
            _all_classes(p, part, out)
    lead = p.lead
    return Columns(
        out.wins.reshape(*lead, k, k),
        out.gains.reshape(*lead, k, k),
        out.deviation.reshape(*lead, k),
        out.refinement.reshape(*lead, k),
        out.error.reshape(*lead, k),
        by_class(p, p.weight),
    )


class Scan:
    """What the scans of the columns have given so far."""

    def __init__(self, wins: Array, gains: Array, deviation: Array, refinement: Array, error: Array) -> None:
        self.wins, self.gains = wins, gains
        self.deviation, self.refinement, self.error = deviation, refinement, error

    @classmethod
    def empty(cls, B: int, k: int) -> Scan:
        """Room for B evaluations of k classes."""
        return cls(np.empty((B, k, k)), np.empty((B, k, k)), *(np.empty((B, k)) for _ in range(3)))

    def put(self, part: Any, first: int, found: tuple[Array, ...]) -> None:
        """Store the columns first.. of some evaluations."""
        last = first + found[0].shape[1]
        for mine, new in zip((self.wins, self.gains, self.deviation, self.refinement, self.error), found, strict=False):
            mine[part, first:last] = new


def _two_classes(p: Predictions, part: slice, out: Scan) -> None:
    """One sort serves both columns where column 0 is column 1 turned round: if neighbouring scores of column 1 lie
    further apart than twice the distance of any row's sum from one, the order of column 0 is exactly the reverse, with
    no ties, and every sum is the same (the values differ by rounding only). Elsewhere column 0 is sorted too."""
    assert p.extent is not None
    found = _scanned(p, part, 1, 2)
    out.put(part, 1, found)
    wins, gains, deviation, refinement, error, gap = found
    turned = wins[..., ::-1], gains[..., ::-1], deviation, refinement, error
    out.put(part, 0, turned)
    doubtful = gap[:, 0] <= 2 * (p.extent.uneven + 2.3e-16)
    if doubtful.any():
        which = np.arange(part.start, part.stop)[doubtful]
        out.put(which, 0, _scanned(p, which if len(which) < part.stop - part.start else part, 0, 1))


def _all_classes(p: Predictions, part: slice, out: Scan) -> None:
    assert p.scores is not None
    n, k = p.scores.shape[1:]
    cases = (part.stop - part.start) * n
    step = max(1, k // 4, CACHE // cases)
    for first in range(0, k, step):
        out.put(part, first, _scanned(p, part, first, min(k, first + step)))


def _scanned(p: Predictions, part: Any, first: int, last: int) -> tuple[Array, ...]:
    """Sort and scan the columns first..last-1 of some evaluations."""
    assert p.scores is not None and p.extent is not None
    truth, scores = p.truth[part], p.scores[part]
    n, k = scores.shape[1:]
    bits = max(1, (k - 1).bit_length())
    size = max(1, n // 10)
    base = int(np.float64(p.extent.low).view(np.uint64)) - 1
    span = int(np.float64(max(p.extent.high, 0.0)).view(np.uint64)) - base
    if p.extent.negative or span >> (64 - bits):
        return _scanned_by_rank(p, part, first, last, bits, size)
    keys = kernels.pack(truth, scores, first, last, base, bits)
    weight = None
    if p.weight is None:
        keys.sort(axis=-1)
    else:
        order = np.argsort(keys, axis=-1)
        keys = np.take_along_axis(keys, order, axis=-1)
        weight = np.take_along_axis(np.broadcast_to(p.weight[part][:, None, :], keys.shape), order, axis=-1)
    return tuple(kernels.scan(keys, truth, scores, first, bits, base, None, weight, size))


def _scanned_by_rank(
    p: Predictions, part: Any, first: int, last: int, bits: int, size: int
) -> tuple[Array, ...]:
    """The same where the scores spread too widely (or below zero) for their bits to be packed with the class: the rank
    of a score among the distinct ones takes its place. Exact as well, and slower."""
    assert p.scores is not None
    truth, scores = p.truth[part], p.scores[part]
    found = []
    for b in range(len(truth)):
        for j in range(first, last):
            order = np.argsort(scores[b, :, j], kind="stable")
            x = scores[b, order, j]
            new = np.append(True, x[1:] != x[:-1])
            place = (np.cumsum(new) - 1).astype(np.uint64)
            keys = (place << np.uint64(bits) | truth[b, order].astype(np.uint64))[None, None]
            weight = None if p.weight is None else p.weight[part][b, order][None, None]
            found.append(
                kernels.scan(keys, truth[b : b + 1], scores[b : b + 1], j, bits, 0, x[new], weight, size)
            )
    shape = (len(truth), last - first)
    return tuple(np.concatenate(column).reshape(*shape, *column[0].shape[2:]) for column in zip(*found, strict=True))
