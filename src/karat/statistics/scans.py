"""The two scans of the data that fill the statistics: over the rows, and over the sorted score columns.

Each fills several statistics at once, because reading (and above all sorting) costs more than adding up.
"""

from __future__ import annotations

import math

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.kernels.records import ColumnDigest, RowDigest

FLOOR = 1e-5
"""The least probability that the logarithmic loss counts."""
CACHE = 1 << 17
"""Keys with weights that are sorted at a time: as many as the processor's cache holds, or half of the columns."""


def window(n: int) -> int:
    """Neighbours in a window over n sorted cases (CalB and its kin): a tenth of them."""
    return max(1, n // 10)


def by_class(p: Predictions, values: Array) -> Array:
    """Sum of values[B, n] per true class: [..., k]."""
    B, k = len(p.truth), len(p.classes)
    cell = np.arange(B)[:, None] * k + p.truth
    return np.bincount(cell.ravel(), values.ravel(), B * k).reshape(*p.lead, k)


FEW_OUTPUTS = 32
"""Up to so many classes, all that formulas ask of the tables of one evaluation is computed at once: that costs less
than to ask for it in parts."""


def row_digest(p: Predictions) -> RowDigest:
    """Counts, probability sums and loss sums of one evaluation, with what formulas ask of them."""
    assert p.scores is not None
    return kernels.row_digest(p.truth, p.scores, p.decided, p.weight, p.class_weight, len(p.outputs), FLOOR)


Fields = tuple[Array, ...]
"""What a statistic is made of, in the order of its fields."""


def rows(p: Predictions, floor: float = FLOOR) -> tuple[Fields, Fields, Fields]:
    """The fields of counts, probability sums and loss sums, from one pass over the rows."""
    assert p.scores is not None
    k, l, lead = len(p.classes), len(p.outputs), p.lead
    counts, sums, squares, logs = kernels.row_sums(p.truth, p.scores, p.decided, p.weight, l, floor)
    squares, logs, weight = squares.reshape(*lead, k), logs.reshape(*lead, k), p.class_weight
    return (counts.reshape(*lead, k, l),), (sums.reshape(*lead, k, k), weight), (squares, logs, weight)


def column_digest(p: Predictions) -> ColumnDigest:
    """Pairs, margins, segments and windows of one evaluation, with what formulas ask of them."""
    return kernels.column_digest(*_scanned_all(p), p.class_weight)


def columns(p: Predictions) -> tuple[Fields, Fields, Fields, Fields]:
    """The fields of pairs, margins, segments and windows, from one sort of each score column."""
    k, weight = len(p.classes), p.class_weight
    wins, gains, sums = _scanned_all(p)
    table = (*p.lead, k, k)
    deviation, refinement, error = (x.reshape(*p.lead, k) for x in sums[:3])
    return (
        (wins.reshape(table), weight),
        (gains.reshape(table), weight),
        (deviation, refinement, weight),
        (error, weight),
    )


def _scanned_all(p: Predictions) -> Part:
    assert p.scores is not None
    B, n, k = p.scores.shape
    if k == 2 and p.extent is not None and (p.probabilities or p.extent.given is not None):
        return _two_classes(p)
    if p.weight is None:
        return _scanned(p, None, 0, k)
    step = max(1, k // 2, CACHE // (B * n))
    return _joined([_scanned(p, None, first, min(k, first + step)) for first in range(0, k, step)], 1)


Part = tuple[Array, Array, Array]
"""wins[B, c, k], gains[B, c, k] and (deviation, refinement, error, gap, ties)[5, B, c] of some evaluations and
columns."""


def _joined(parts: list[Part], axis: int) -> Part:
    """Parts put together along the axis of evaluations (0) or of columns (1)."""
    wins, gains, sums = zip(*parts, strict=True)
    return np.concatenate(wins, axis), np.concatenate(gains, axis), np.concatenate(sums, axis + 1)


def _two_classes(p: Predictions) -> Part:
    """One sort serves both columns where column 0 is column 1 turned round: because the user gave only one of them; or
    because distinct scores of column 1 lie further apart than twice the distance of any row's sum from one, and equal
    ones have equal complements. Then its order is exactly the reverse, and every sum is the same (the values differ by
    rounding only). Elsewhere column 0 is sorted too."""
    assert p.extent is not None
    given = p.extent.given
    if given is not None:
        part = _scanned(p, None, given, given + 1, both=True)
        return part if given else _turned(part)
    wins, gains, sums = _scanned(p, None, 1, 2, both=True)
    apart = _apart(p.extent.uneven)
    doubtful = sums[3, :, 0] <= apart
    if sums[4].any() and not doubtful.all():
        assert p.scores is not None
        doubtful |= (sums[4, :, 0] > 0) & (p.scores[:, :, 0] != 1 - p.scores[:, :, 1]).any(axis=1)
    if doubtful.any():
        other = _scanned(p, None if doubtful.all() else doubtful, 0, 1)
        wins[doubtful, :1], gains[doubtful, :1], sums[:, doubtful, :1] = other
    return wins, gains, sums


def _turned(part: Part) -> Part:
    """The two columns exchanged."""
    wins, gains, sums = part
    turned = (np.ascontiguousarray(x) for x in (wins[:, ::-1], gains[:, ::-1], sums[:, :, ::-1]))
    return tuple(turned)  # type: ignore[return-value]


def _apart(uneven: float) -> float:
    """How far distinct neighbours must be apart for column 0 to be column 1 turned round; never, if its values differ
    from one minus those of column 1 by more than rounding."""
    return 2 * (uneven + 2.3e-16) if uneven < 1e-14 else math.inf


def _scanned(p: Predictions, some: Array | None, first: int, last: int, both: bool = False) -> Part:
    """Sort and scan the columns first..last-1 of some evaluations (None: of all), with `both` the other of two classes,
    which comes before, as their mirror image."""
    extent, truth, scores = p.extent, p.truth, p.scores
    assert extent is not None
    assert scores is not None
    weight = p.weight
    if some is not None:
        truth, scores, weight = truth[some], scores[some], None if weight is None else weight[some]
    size = window(scores.shape[1])
    how = (extent.low, extent.high, size, both, extent.negative)
    scanned = kernels.sorted_scan(truth, scores, weight, first, last, *how)
    return scanned if scanned is not None else _scanned_by_rank(truth, scores, weight, first, last, size, both)


def _scanned_by_rank(
    truth: Array, scores: Array, weight: Array | None, first: int, last: int, size: int, both: bool
) -> Part:
    """The same where the scores spread too widely for their bits to be packed with the class: the rank
    of a score among the distinct ones takes its place. Exact as well, and slower."""
    bits = max(1, (scores.shape[2] - 1).bit_length())
    evaluations = []
    for b in range(len(truth)):
        parts: list[Part] = []
        for j in range(first, last):
            order = np.argsort(scores[b, :, j])
            x = scores[b, order, j]
            new = np.append(True, x[1:] != x[:-1])
            place = (np.cumsum(new) - 1).astype(np.uint64)
            keys = (place << np.uint64(bits) | truth[b, order].astype(np.uint64))[None, None]
            weights = None if weight is None else weight[b, order][None, None]
            parts.append(kernels.scan(keys, j, scores.shape[2], bits, 0, x[new], weights, size, both))
        evaluations.append(_joined(parts, 1))
    return _joined(evaluations, 0)
