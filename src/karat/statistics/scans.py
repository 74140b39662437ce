"""The two walks over the data that fill the statistics: over the rows, and over the sorted score columns.

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


FEW = 32
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
    if k == 2 and p.probabilities:
        return _two_classes(p)
    if p.weight is None:
        return _scanned(p, None, 0, k)[:3]
    step = max(1, k // 2, CACHE // (B * n))
    return _joined([_scanned(p, None, first, min(k, first + step))[:3] for first in range(0, k, step)], 1)


Part = tuple[Array, Array, Array]
"""wins[B, c, k], gains[B, c, k] and (deviation, refinement, error, gap)[4, B, c] of some evaluations and columns."""


def _joined(parts: list[Part], axis: int) -> Part:
    """Parts put together along the axis of evaluations (0) or of columns (1)."""
    wins, gains, sums = zip(*parts, strict=True)
    return np.concatenate(wins, axis), np.concatenate(gains, axis), np.concatenate(sums, axis + 1)


def _two_classes(p: Predictions) -> Part:
    """One sort serves both columns where column 0 is column 1 turned round: if neighbouring scores of column 1 lie
    further apart than twice the distance of any row's sum from one, the order of column 0 is exactly the reverse, with
    no ties, and every sum is the same (the values differ by rounding only). Elsewhere column 0 is sorted too.

    If the user gave only one column, the other is its mirror image by definition, whatever 1 - p rounds to; only the
    order of tied cases, which the windows depend on, has to be looked at."""
    assert p.extent is not None
    given = p.extent.given
    j = 1 if given is None else given
    wins, gains, sums, gap = _scanned(p, None, j, j + 1, both=True)
    apart = _apart(p.extent.uneven) if given is None else 0.0
    if gap <= apart:
        doubtful = sums[3, :, 0] <= apart
        if given is None:
            *other, _ = _scanned(p, None if doubtful.all() else doubtful, 1 - j, 2 - j)
            wins[doubtful, :1], gains[doubtful, :1], sums[:, doubtful, :1] = other
        else:
            sums[2, doubtful, :1] = _mirrored(p, doubtful, j)[2][2]
    return (wins, gains, sums) if j else _turned((wins, gains, sums))


def _mirrored(p: Predictions, some: Array, j: int) -> tuple[Array, Array, Array, float]:
    """The scan of the column that was made from column j, in the exact order of that one turned round: by ranks, where
    1 - p rounds scores to the same number that are not."""
    assert p.scores is not None
    given = p.scores[some, :, j]
    steps = np.diff(np.sort(given, axis=1), axis=1)
    if not ((steps > 0) & (steps < 2.3e-16)).any():
        return _scanned(p, None if some.all() else some, 1 - j, 2 - j)
    size = window(given.shape[1])
    weight = None if p.weight is None else p.weight[some]
    return _scanned_by_rank(p.truth[some], p.scores[some], weight, 1 - j, 2 - j, size, False, by=-given)


def _turned(part: Part) -> Part:
    """The two columns exchanged."""
    wins, gains, sums = part
    turned = (np.ascontiguousarray(x) for x in (wins[:, ::-1], gains[:, ::-1], sums[:, :, ::-1]))
    return tuple(turned)  # type: ignore[return-value]


def _apart(uneven: float) -> float:
    """How far neighbours must be apart for column 0 to be column 1 turned round; never, if its values differ from one
    minus those of column 1 by more than rounding."""
    return 2 * (uneven + 2.3e-16) if uneven < 1e-14 else math.inf


def _scanned(
    p: Predictions, some: Array | None, first: int, last: int, both: bool = False
) -> tuple[Array, Array, Array, float]:
    """Sort and scan the columns first..last-1 of some evaluations (None: of all), with `both` the other of two classes,
    which comes before, as their mirror image; the last number is the smallest gap."""
    extent, truth, scores = p.extent, p.truth, p.scores
    assert extent is not None
    assert scores is not None
    weight = p.weight
    if some is not None:
        truth, scores, weight = truth[some], scores[some], None if weight is None else weight[some]
    size = window(scores.shape[1])
    scanned = None
    if not extent.negative:
        scanned = kernels.sorted_scan(truth, scores, weight, first, last, extent.low, extent.high, size, both)
    return scanned if scanned is not None else _scanned_by_rank(truth, scores, weight, first, last, size, both)


def _scanned_by_rank(
    truth: Array,
    scores: Array,
    weight: Array | None,
    first: int,
    last: int,
    size: int,
    both: bool,
    by: Array | None = None,
) -> tuple[Array, Array, Array, float]:
    """The same where the scores spread too widely (or below zero) for their bits to be packed with the class: the rank
    of a score among the distinct ones takes its place. Exact as well, and slower. `by`: what puts them in order, if not
    the scores themselves."""
    bits = max(1, (scores.shape[2] - 1).bit_length())
    evaluations = []
    for b in range(len(truth)):
        parts: list[Part] = []
        for j in range(first, last):
            column = scores[b, :, j] if by is None else by[b]
            order = np.argsort(column, kind="stable")
            x, ranked = scores[b, order, j], column[order]
            new = np.append(True, ranked[1:] != ranked[:-1])
            place = (np.cumsum(new) - 1).astype(np.uint64)
            keys = (place << np.uint64(bits) | truth[b, order].astype(np.uint64))[None, None]
            weights = None if weight is None else weight[b, order][None, None]
            one = slice(b, b + 1)
            parts.append(kernels.scan(keys, truth[one], scores[one], j, bits, 0, x[new], weights, size, both))
        evaluations.append(_joined(parts, 1))
    wins, gains, sums = _joined(evaluations, 0)
    return wins, gains, sums, float(sums[3].min())
