"""The two scans of the data that fill the statistics: over the rows, and over the sorted score columns.

Each fills several statistics at once, because reading (and above all sorting) costs more than adding up.
"""

from __future__ import annotations

import math

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.data import Predictions

FLOOR = 1e-5
"""The least probability that the logarithmic loss counts."""


def window(n: int) -> int:
    """Neighbours in a window over n sorted cases (CalB and its kin): a tenth of them."""
    return max(1, n // 10)


def by_class(p: Predictions, values: Array) -> Array:
    """Sum of values[B, n] per true class: [..., k]."""
    B, k = len(p.truth), len(p.classes)
    cell = np.arange(B)[:, None] * k + p.truth
    return np.bincount(cell.ravel(), values.ravel(), B * k).reshape(*p.lead, k)


FEW_OUTPUTS = 32
"""Up to so many classes, all that formulas ask of one evaluation is computed at once: that costs less than in
parts."""


Fields = tuple[Array, ...]
"""What a statistic is made of, in the order of its fields."""


def row_facts(p: Predictions) -> tuple[Fields, Array]:
    """Of one evaluation: the sums over its rows (see `row_fields`), and what formulas ask of them."""
    assert p.held is not None
    l = len(p.outputs)
    return kernels.row_facts(p.truth, p.held, p.decided, p.weight, p.class_weight, l, FLOOR, p.alone)


def rows(p: Predictions, floor: float = FLOOR, counted: bool = True) -> tuple[Fields, ...]:
    """The fields of counts (empty unless `counted`), probability sums and loss sums, from one pass over the rows."""
    assert p.held is not None
    l = len(p.outputs) if counted else 0
    return row_fields(p, kernels.row_sums(p.truth, p.held, p.decided, p.weight, l, floor, p.alone))


def row_fields(p: Predictions, sums: Fields) -> tuple[Fields, ...]:
    """The same, from the sums over the rows."""
    k, lead, weight = len(p.classes), p.lead, p.class_weight
    counts, probabilities, squares, logs = sums
    squares, logs = squares.reshape(*lead, k), logs.reshape(*lead, k)
    return (
        (counts.reshape(*lead, k, counts.shape[-1]),),
        (probabilities.reshape(*lead, k, k), weight),
        (squares, logs, weight),
    )


def column_facts(p: Predictions) -> tuple[Fields, Array]:
    """Of one evaluation: the sums over its sorted columns (see `column_fields`), and what formulas ask of them."""
    scanned = _scanned_all(p, window(p.n))
    return scanned, kernels.column_facts(*scanned, p.class_weight)


def pairs(p: Predictions) -> Fields:
    """The fields of pairs alone, which cost less."""
    k = len(p.classes)
    return _scanned_all(p, 0)[0].reshape(*p.lead, k, k), p.class_weight


def columns(p: Predictions) -> tuple[Fields, ...]:
    """The fields of pairs, margins, segments and windows, from one sort of each score column."""
    return column_fields(p, _scanned_all(p, window(p.n)))


def column_fields(p: Predictions, scanned: Fields) -> tuple[Fields, ...]:
    """The same, from the sums over the sorted columns."""
    (wins, gains, sums), k, weight = scanned, len(p.classes), p.class_weight
    table = (*p.lead, k, k)
    deviation, refinement, error = (x.reshape(*p.lead, k) for x in sums[:3])
    return (
        (wins.reshape(table), weight),
        (gains.reshape(table), weight),
        (deviation, refinement, weight),
        (error, weight),
    )


Part = tuple[Array, Array, Array]
"""wins[B, c, k], gains[B, c, k] and (deviation, refinement, error, gap, ties)[5, B, c] of some evaluations and
columns."""


def _scanned_all(p: Predictions, size: int) -> Part:
    """Sort and scan all columns, in windows of `size`.

    One sort serves both columns of two classes where column 0 is column 1 turned round: because the user gave only one
    of them; or because distinct scores of column 1 lie further apart than twice the distance of any row's sum from one,
    and equal ones have equal complements. Then its order is exactly the reverse, and every sum is the same (the values
    differ by rounding only). Elsewhere column 0 is scanned too."""
    extent, k = p.extent, len(p.classes)
    assert extent is not None
    if k != 2 or not (p.probabilities or extent.given is not None):
        return _scanned(p, 0, k, size)
    if extent.given is None:
        return _scanned(p, 1, 2, size, True, apart(extent.uneven))
    part = _scanned(p, extent.given, extent.given + 1, size, True)
    return part if extent.given else _turned(part)


def _turned(part: Part) -> Part:
    """The two columns exchanged."""
    wins, gains, sums = part
    turned = (np.ascontiguousarray(x) for x in (wins[:, ::-1], gains[:, ::-1], sums[:, :, ::-1]))
    return tuple(turned)  # type: ignore[return-value]


def apart(uneven: float) -> float:
    """How far distinct neighbours must be apart for column 0 to be column 1 turned round; never, if its values differ
    from one minus those of column 1 by more than rounding."""
    return 2 * (uneven + 2.3e-16) if uneven < 1e-14 else math.inf


def _scanned(p: Predictions, first: int, last: int, size: int, both: bool = False, apart: float = -1.0) -> Part:
    """Sort and scan the columns first..last-1, with `both` the other of two classes too, which comes before: as their
    mirror image, if scores are further than that apart."""
    extent, held = p.extent, p.held
    assert extent is not None
    assert held is not None
    low, high, _, negative, _, exact = extent
    scanned = kernels.sorted_scan(p.truth, held, p.weight, first, last, low, high, size, both, negative, apart, exact)
    if scanned is not None:
        return scanned
    if apart >= 0:
        return _joined([_scanned_by_rank(p, 0, 1, size, False), _scanned_by_rank(p, 1, 2, size, False)], 1)
    return _scanned_by_rank(p, first, last, size, both)


def _joined(parts: list[Part], axis: int) -> Part:
    """Parts put together along the axis of evaluations (0) or of columns (1)."""
    if len(parts) == 1:
        return parts[0]
    wins, gains, sums = zip(*parts, strict=True)
    return np.concatenate(wins, axis), np.concatenate(gains, axis), np.concatenate(sums, axis + 1)


def _scanned_by_rank(p: Predictions, first: int, last: int, size: int, both: bool) -> Part:
    """The same where the scores spread too widely for their bits to be packed with the class: the rank
    of a score among the distinct ones takes its place. Exact as well, and slower."""
    assert p.held is not None
    k = 2 if p.alone >= 0 else p.held.shape[2]
    held = p.scores if p.alone >= 0 else p.held
    assert held is not None
    bits = max(1, (k - 1).bit_length())
    evaluations = []
    for b in range(len(p.truth)):
        truth = p.truth[b].astype(np.uint64)
        parts: list[Part] = []
        for j in range(first, last):
            weight = None if p.weight is None else p.weight[b]
            keys, x, weight = ranked(held[b, :, j], truth, weight, bits)
            weights = None if weight is None else weight[None, None]
            parts.append(kernels.scan(keys[None, None], j, k, bits, 0, x, weights, max(1, size), both))
        evaluations.append(_joined(parts, 1))
    return _joined(evaluations, 0)


def ranked(x: Array, truth: Array, weight: Array | None, bits: int) -> tuple[Array, Array, Array | None]:
    """Sorted keys of rank and class, the distinct scores, and the weights in the order of the keys."""
    shift = np.uint64(bits)
    if weight is None and x.dtype == np.float32 and x.min() >= 0:
        keys = (x + np.float32(0)).view(np.uint32).astype(np.uint64) << shift | truth  # +0: no -0.0
        kernels.sort_pairs(keys)
        own = keys & ((np.uint64(1) << shift) - np.uint64(1))
        x = (keys >> shift).astype(np.uint32).view(np.float32)
    else:
        order = np.argsort(x)
        x, own = x[order], truth[order]
        weight = None if weight is None else weight[order]
    new = np.append(True, x[1:] != x[:-1])
    rank = (np.cumsum(new) - 1).astype(np.uint64)
    return rank << shift | own, x[new].astype(np.float64), weight
