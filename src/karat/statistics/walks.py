"""The two walks over the data that fill the statistics: over the rows, and over the sorted score columns.

Each fills several statistics at once, because reading (and above all sorting) costs more than adding up.
"""

from __future__ import annotations

import math
import struct
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.data import Predictions

CACHE = 1 << 17
"""Keys sorted at a time in a batch: they should stay in the processor's cache."""


def by_class(p: Predictions, values: Array) -> Array:
    """Sum of values[B, n] per true class: [..., k]."""
    B, k = len(p.truth), len(p.classes)
    cell = np.arange(B)[:, None] * k + p.truth
    return np.bincount(cell.ravel(), values.ravel(), B * k).reshape(*p.lead, k)


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
        p.class_weight,
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
    at_once = max(1, CACHE // (n * min(k, 4)))
    scanned = _two_classes if k == 2 and p.probabilities else _all_classes
    parts = [scanned(p, slice(b, min(B, b + at_once))) for b in range(0, B, at_once)]
    wins, gains, sums = parts[0] if len(parts) == 1 else _joined(parts, 0)
    table, row = (*p.lead, k, k), (*p.lead, k)
    return Columns(
        wins.reshape(table),
        gains.reshape(table),
        sums[0].reshape(row),
        sums[1].reshape(row),
        sums[2].reshape(row),
        p.class_weight,
    )


Part = tuple[Array, Array, Array]
"""wins[B, c, k], gains[B, c, k] and (deviation, refinement, error, gap)[4, B, c] of some evaluations and columns."""


def _joined(parts: list[Part], axis: int) -> Part:
    """Parts put together along the axis of evaluations (0) or of columns (1)."""
    wins, gains, sums = zip(*parts, strict=True)
    return np.concatenate(wins, axis), np.concatenate(gains, axis), np.concatenate(sums, axis + 1)


def _two_classes(p: Predictions, part: slice) -> Part:
    """One sort serves both columns where column 0 is column 1 turned round: if neighbouring scores of column 1 lie
    further apart than twice the distance of any row's sum from one, the order of column 0 is exactly the reverse, with
    no ties, and every sum is the same (the values differ by rounding only). Elsewhere column 0 is sorted too.

    If the user gave only one column, the other is its mirror image by definition, whatever 1 - p rounds to; only the
    order of tied cases, which the windows depend on, has to be looked at."""
    assert p.extent is not None
    given = p.extent.given
    if given == 0:
        return _turned(_two_columns_of(p, part, 0))
    return _two_columns_of(p, part, 1)


def _two_columns_of(p: Predictions, part: slice, j: int) -> Part:
    """Both columns from a sort of column j, the other one before it."""
    assert p.extent is not None
    found = _scanned(p, part, j, j + 1, both=True)
    mirrored = p.extent.given == j
    doubtful = found[2][3, :, 0] <= (0.0 if mirrored else _apart(p.extent.uneven))
    if doubtful.any():
        other = _scanned(p, part if doubtful.all() else np.arange(part.start, part.stop)[doubtful], 1 - j, 2 - j)
        if mirrored:
            found[2][2, doubtful, :1] = other[2][2]
        else:
            found[0][doubtful, :1], found[1][doubtful, :1], found[2][:, doubtful, :1] = other
    return found


def _turned(found: Part) -> Part:
    """The two columns exchanged."""
    wins, gains, sums = found
    return np.ascontiguousarray(wins[:, ::-1]), np.ascontiguousarray(gains[:, ::-1]), sums[:, :, ::-1]


def _apart(uneven: float) -> float:
    """How far neighbours must be apart for column 0 to be column 1 turned round; never, if its values differ from one
    minus those of column 1 by more than rounding."""
    return 2 * (uneven + 2.3e-16) if uneven < 1e-14 else math.inf


def _all_classes(p: Predictions, part: slice) -> Part:
    assert p.scores is not None
    n, k = p.scores.shape[1:]
    step = max(1, k // 2, CACHE // ((part.stop - part.start) * n))
    if step >= k:
        return _scanned(p, part, 0, k)
    return _joined([_scanned(p, part, first, min(k, first + step)) for first in range(0, k, step)], 1)


def _scanned(p: Predictions, part: Any, first: int, last: int, both: bool = False) -> Part:
    """Sort and scan the columns first..last-1 of some evaluations."""
    assert p.scores is not None
    assert p.extent is not None
    truth, scores = p.truth[part], p.scores[part]
    n, k = scores.shape[1:]
    bits = max(1, (k - 1).bit_length())
    size = max(1, n // 10)
    base = _bits(p.extent.low) - 1
    span = _bits(max(p.extent.high, 0.0)) - base
    if p.extent.negative or span >> (64 - bits):
        return _scanned_by_rank(p, part, first, last, bits, size, both)
    # Positive floats are ordered like their bit patterns, and numpy sorts floats faster than unsigned integers. So the
    # keys are sorted as if they were floats, if none would be infinite and all of a positive score would be normal.
    lift = 1 << (52 - bits)
    as_floats = base > lift and (span + lift) << bits < INFINITE
    if as_floats:
        base -= lift
    keys = kernels.pack(truth, scores, first, last, base, bits)
    weight = None
    if p.weight is None:
        (keys.view(np.float64) if as_floats else keys).sort(axis=-1)
    else:
        order = np.argsort(keys, axis=-1)
        keys = np.take_along_axis(keys, order, axis=-1)
        weight = np.take_along_axis(np.broadcast_to(p.weight[part][:, None, :], keys.shape), order, axis=-1)
    return kernels.scan(keys, truth, scores, first, bits, base, None, weight, size, both)  # type: ignore[no-any-return]


INFINITE = 0x7FF0000000000000
"""The bit pattern of infinity."""


def _bits(x: float) -> int:
    """The bit pattern of a float, as an integer."""
    return int.from_bytes(struct.pack(">d", x), "big")


def _scanned_by_rank(p: Predictions, part: Any, first: int, last: int, bits: int, size: int, both: bool) -> Part:
    """The same where the scores spread too widely (or below zero) for their bits to be packed with the class: the rank
    of a score among the distinct ones takes its place. Exact as well, and slower."""
    assert p.scores is not None
    truth, scores = p.truth[part], p.scores[part]
    evaluations = []
    for b in range(len(truth)):
        found: list[Part] = []
        for j in range(first, last):
            order = np.argsort(scores[b, :, j], kind="stable")
            x = scores[b, order, j]
            new = np.append(True, x[1:] != x[:-1])
            place = (np.cumsum(new) - 1).astype(np.uint64)
            keys = (place << np.uint64(bits) | truth[b, order].astype(np.uint64))[None, None]
            weight = None if p.weight is None else p.weight[part][b, order][None, None]
            one = slice(b, b + 1)
            found.append(kernels.scan(keys, truth[one], scores[one], j, bits, 0, x[new], weight, size, both))
        evaluations.append(_joined(found, 1))
    return _joined(evaluations, 0)
