"""The kernels in plain numpy: what anyone can read, the fallback where nothing was compiled, and the check of the
compiled twins in `_native.pyx`, which have the same names and signatures.

Shapes: B evaluations (a batch), n cases, k classes, l decision columns. Everything was checked at the border.

A *key* is one unsigned integer that holds a score and the true class of its case: `place << bits | class`. The place
is the score's own bit pattern, shifted down by that of the smallest positive score: it keeps the exact order and the
exact ties of the scores, and leaves the low bits free for the class. Sorting keys is several times faster than sorting
scores with an index, and nothing has to be gathered afterwards.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels._numpy_tables import (  # noqa: F401 - all twins are found here
    Margins,
    _floats,
    _rest_of,
    census,
    census_tables,
    class_sums,
    confusion,
    facts,
    one_against_rest,
    pair_sums,
    ragged_extent,
    ragged_logs,
    ragged_sums,
    relative,
    table_diagonal,
    table_logs,
    table_overlap,
    table_sums,
)
from karat.kernels.records import ClassSums, ColumnDigest, PairSums, RowDigest, TableDigest

Array = NDArray[Any]


# ---------------------------------------------------------------------------------------------------- the border


def integer_classes(labels: Array, widest: int) -> tuple[list[int], Array] | None:
    """The distinct labels, ascending, and for each case the place of its label; None if they spread too widely."""
    if int(labels.max()) - int(labels.min()) >= widest:
        return None
    values, codes = np.unique(labels, return_inverse=True)
    return values.tolist(), codes.astype(np.int32)


def inspect(proba: Array, tolerance: float) -> tuple[int, int, float, float, float]:
    """(problem, its row, smallest positive value, largest value, largest distance of a row's sum from one).

    Problems: 0 none, 1 not finite, 2 outside [0, 1], 3 row does not sum to one.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        outside = np.asarray(~((proba >= 0) & (proba <= 1)).all(axis=1))
        off = np.abs(proba.sum(axis=1) - 1)
        bad = outside | ~(off <= tolerance)
    if bad.any():
        row = int(np.argmax(bad))
        problem = 1 if not np.isfinite(proba[row]).all() else 2 if outside[row] else 3
        return problem, row, 2.0, 0.0, 0.0
    positive = proba[proba > 0]
    return 0, -1, float(positive.min(initial=2.0)), float(positive.max(initial=0.0)), float(off.max())


def plain_arrays(
    y_true: Any, y_proba: Any, widest: int, tolerance: float
) -> tuple[list[int], Array, Array, Array, tuple[float, float, float]] | None:
    """The most common input at once, if there is nothing to object to: 64-bit integer labels, and a float64 column of
    probabilities for each. The distinct labels, the places of the cases [1, n], how many there are of each [k], the
    probabilities [1, n, k] and what `inspect` saw; None for all others, which deserve a closer look."""
    if not (type(y_true) is np.ndarray and type(y_proba) is np.ndarray):
        return None
    fit = y_true.ndim == 1 and y_proba.ndim == 2 and len(y_true) == len(y_proba) > 0
    kinds = y_true.dtype == np.int64 and y_proba.dtype == np.float64
    if not (fit and kinds and y_true.flags.c_contiguous and y_proba.flags.c_contiguous):
        return None
    found = integer_classes(y_true, widest)
    if found is None or len(found[0]) != y_proba.shape[1]:
        return None
    problem, _, low, high, uneven = inspect(y_proba, tolerance)
    weights = np.bincount(found[1], minlength=len(found[0])).astype(np.float64)
    return None if problem else (found[0], found[1][None], weights, y_proba[None], (low, high, uneven))


def plain_batch(y_true: Any, y_proba: Any) -> tuple[Array, Array, float, float] | None:
    """The most common batch at once: places 0 and 1 [..., n] as 64-bit integers, and for each the probability of 1,
    inside (0, 1). The places [B, n], both columns [B, n, 2], the lowest and the highest probability; or None."""
    if not (type(y_true) is np.ndarray and type(y_proba) is np.ndarray):
        return None
    fit = y_true.shape == y_proba.shape and y_true.size > 0 and 0 < y_true.ndim < 8
    kinds = y_true.dtype == np.int64 and y_proba.dtype == np.float64
    if not (fit and kinds and y_true.flags.c_contiguous and y_proba.flags.c_contiguous):
        return None
    low, high = float(y_proba.min()), float(y_proba.max())
    if not (low > 0 and high < 1 and y_true.min() >= 0 and y_true.max() <= 1):
        return None
    n = y_true.shape[-1]
    column = y_proba.reshape(-1, n)
    return y_true.reshape(-1, n).astype(np.int32), np.stack([1 - column, column], axis=-1), low, high


# --------------------------------------------------------------------------------------------------- one row pass


def row_sums(
    truth: Array, proba: Array, decided: Array | None, weight: Array | None, l: int, floor: float
) -> tuple[Array, Array, Array, Array]:
    """Per true class: counts of decisions, sums of probabilities, of squared errors, of log2 max(p_true, floor)."""
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


# ----------------------------------------------------------------------------------------------- one sorted column


def _places(x: Array, base: int) -> Array:
    return np.where(x > 0, np.ascontiguousarray(x).view(np.uint64) - np.uint64(base), np.uint64(0))


def _values(places: Array, base: int, table: Array | None) -> Array:
    if table is not None:
        return table[places.astype(np.intp)]
    return np.where(places > 0, (places + np.uint64(base)).view(np.float64), 0.0)


def pack(truth: Array, proba: Array, first: int, last: int, base: int, bits: int) -> Array:
    """The keys [B, last - first, n] of the score columns first..last-1, in the order of the cases."""
    columns = np.ascontiguousarray(np.moveaxis(proba[:, :, first:last], 1, 2))
    return (_places(columns, base) << np.uint64(bits)) | truth[:, None, :].astype(np.uint64)


def scan(
    keys: Array,
    truth: Array,
    proba: Array,
    first: int,
    bits: int,
    base: int,
    table: Array | None,
    weight: Array | None,
    size: int,
    both: bool = False,
) -> tuple[Array, Array, Array]:
    """From the sorted keys of the columns first..: for class j = first + column,

    wins[c]: weight of pairs (a case of j, a case of c) in which the case of j has the higher score (ties one half),
    gains[c]: the same pairs weighted by how much higher (ties nothing),
    deviation, refinement: over groups g of equal scores, sum w_g (score - f_g)^2 and sum w_g f_g (1 - f_g), where f_g
    is the share of class j in the group,
    error: mean over all windows of `size` neighbours in sorted order (tied cases in their own order) of the mean
    |score - share of class j in the window|; nan with weights and for scores below 0,
    gap: the smallest difference between two neighbouring scores; of more than two classes, 0 for ties and inf without.

    Returns wins[B, columns, k], gains[B, columns, k] and (deviation, refinement, error, gap)[4, B, columns]. With
    `both`, for two classes, the other column is put before this one, as its mirror image. The compiled twin uses up the
    keys.
    """
    B, columns, n = keys.shape
    k = proba.shape[2]
    wins, gains = np.zeros((B, columns, k)), np.zeros((B, columns, k))
    deviation, refinement, error, gap = (np.zeros((B, columns)) for _ in range(4))
    for b, column in np.ndindex(B, columns):
        key, j = keys[b, column], first + column
        w = np.ones(n) if weight is None else weight[b, column]
        places, group = np.unique(key >> np.uint64(bits), return_inverse=True)
        label = (key & np.uint64((1 << bits) - 1)).astype(np.intp)
        x = _values(places, base, table)
        hits = np.bincount(group[label == j], w[label == j], len(x))
        for c in range(k):
            if c != j:
                level = np.bincount(group[label == c], w[label == c], len(x))
                below, mass = np.cumsum(level) - level, np.cumsum(x * level) - x * level
                wins[b, column, c] = hits @ (below + level / 2)
                gains[b, column, c] = hits @ (x * below - mass)
        total = np.bincount(group, w, len(x))
        share = np.divide(hits, total, out=np.zeros_like(total), where=total > 0)
        with np.errstate(over="ignore"):  # of scores that are no probabilities
            deviation[b, column] = total @ (x - share) ** 2
        refinement[b, column] = total @ (share * (1 - share))
        gap[b, column] = 0.0 if len(x) < n else np.diff(x).min(initial=np.inf) if k == 2 else np.inf
        if table is None:
            order = np.argsort(proba[b, :, j], kind="stable")
            hit = truth[b, order] == j
        else:
            hit = label == j
        plain = weight is None and x[0] >= 0
        error[b, column] = _window_error(x[group], hit, size) if plain else np.nan
    sums = np.stack([deviation, refinement, error, gap])
    if both:
        wins, gains = (np.concatenate([x[..., ::-1], x], axis=1) for x in (wins, gains))
        sums = np.concatenate([sums, sums], axis=2)
    return wins, gains, sums


def sorted_scan(
    truth: Array,
    proba: Array,
    weight: Array | None,
    first: int,
    last: int,
    low: float,
    high: float,
    size: int,
    both: bool = False,
) -> tuple[Array, Array, Array, float] | None:
    """`pack`, sort and `scan` of the columns first..last-1, and the smallest gap of all of them. None where score (at
    most high, and at least low where it is not 0) and class do not fit into one key."""
    bits = max(1, (proba.shape[2] - 1).bit_length())
    base = _bits(low) - 1
    span = _bits(max(high, 0.0)) - base
    if span >> (64 - bits):
        return None
    # Positive floats are ordered like their bit patterns, and numpy sorts floats faster than unsigned integers. So the
    # keys are sorted as if they were floats, if none would be infinite and all of a positive score would be normal.
    lift = 1 << (52 - bits)
    as_floats = base > lift and (span + lift) << bits < INFINITE
    if as_floats:
        base -= lift
    keys = pack(truth, proba, first, last, base, bits)
    if weight is None:
        (keys.view(np.float64) if as_floats else keys).sort(axis=-1)
        weights = None
    else:
        order = np.argsort(keys, axis=-1)
        keys = np.take_along_axis(keys, order, axis=-1)
        weights = np.take_along_axis(np.broadcast_to(weight[:, None, :], keys.shape), order, axis=-1)
    wins, gains, sums = scan(keys, truth, proba, first, bits, base, None, weights, size, both)
    return wins, gains, sums, float(sums[3].min())


INFINITE = 0x7FF0000000000000
"""The bit pattern of infinity."""


def _bits(x: float) -> int:
    """The bit pattern of a float, as an integer."""
    return int.from_bytes(struct.pack(">d", x), "big")


def _window_error(x: Array, hit: Array, size: int) -> float:
    start = np.arange(len(x) - size + 1)
    stop = start + size
    sums, hits = np.append(0, np.cumsum(x)), np.append(0, np.cumsum(hit))
    share = (hits[stop] - hits[start]) / size
    middle = np.clip(np.searchsorted(x, share), start, stop)
    below = share * (middle - start) - (sums[middle] - sums[start])
    above = (sums[stop] - sums[middle]) - share * (stop - middle)
    return float((below + above).mean() / size)


# ---------------------------------------------------------------------------------- one evaluation, all of it at once


@np.errstate(over="ignore", invalid="ignore")  # of huge scores, which nobody asks these of
def row_digest(
    truth: Array,
    proba: Array,
    decided: Array | None,
    weight: Array | None,
    class_weight: Array,
    l: int,
    floor: float,
) -> RowDigest:
    """Of one evaluation, for which the calls cost more than the sums: its counts (also relative to the rows), its
    probability sums (also relative to the class weights[k]) and its losses, with what formulas ask of them."""
    counts, sums, squares, logs = row_sums(truth, proba, decided, weight, l, floor)
    weights = class_weight[None]
    shares, means = relative(counts, None), relative(sums, weights)
    known, losses = facts(counts[0]), _class_sums(squares, weights)
    return (
        (counts[0], _table_digest(counts), known.logs, known.overlap, shares[0], _table_digest(shares)),
        (sums[0], class_weight, losses.weight, _table_digest(sums), means[0], _table_digest(means)),
        (squares[0], logs[0], class_weight, losses, _class_sums(logs, weights)),
    )


def _table_digest(tables: Array) -> TableDigest:
    k = tables.shape[1]
    ln_errors = math.log(2 * k - 2) if k > 1 else -math.inf
    known = facts(tables[0])
    return k, ln_errors, known.sums, known.logs.diagonal, known.confusion


def column_digest(wins: Array, gains: Array, sums: Array, class_weight: Array) -> ColumnDigest:
    """Of one evaluation: what its statistics of order are, from wins[1, k, k], gains[1, k, k], (deviation, refinement,
    error)[.., 1, k] and the class weights[k], with the sums over classes."""
    weights = class_weight[None]
    deviation, refinement, error = sums[:3]
    return (
        (wins[0], class_weight, _pair_sums(wins, weights)),
        (gains[0], class_weight, _pair_sums(gains, weights)),
        (deviation[0], refinement[0], class_weight, _class_sums(deviation, weights)),
        (error[0], class_weight, _class_sums(error, weights)),
    )


def _pair_sums(matrix: Array, weights: Array) -> PairSums:
    return PairSums(*_floats(pair_sums(matrix, weights)))


def _class_sums(values: Array, weights: Array) -> ClassSums:
    return ClassSums(*_floats(class_sums(values, weights)))
