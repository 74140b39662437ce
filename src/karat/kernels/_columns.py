"""One sorted column of scores at a time.

A *key* is one unsigned integer that holds a score and the true class of its case: `place << bits | class`. The place
is the score's own bit pattern, shifted down by that of the smallest positive score (and up by the place of zero, below
which negative scores go down as positive ones go up): it keeps the exact order and the exact ties of the scores, and
leaves the low bits free for the class. Sorting keys is several times faster than sorting
scores with an index, and nothing has to be gathered afterwards.
"""

from __future__ import annotations

import struct

import numpy as np

from karat.kernels.records import Array


def _places(x: Array, base: int, zero: int) -> Array:
    size = np.abs(x)
    steps = np.where(size > 0, np.ascontiguousarray(size).view(np.uint64) - np.uint64(base), np.uint64(0))
    return np.where(x < 0, np.uint64(zero) - steps, np.uint64(zero) + steps)


def _values(places: Array, base: int, zero: int, table: Array | None) -> Array:
    if table is not None:
        return table[places.astype(np.intp)]
    below = places < zero
    steps = np.where(below, np.uint64(zero) - places, places - np.uint64(zero))
    size = np.where(steps > 0, (steps + np.uint64(base)).view(np.float64), 0.0)
    return np.where(below, -size, size)


def pack(truth: Array, proba: Array, first: int, last: int, base: int, bits: int, zero: int = 0) -> Array:
    """The keys [B, last - first, n] of the score columns first..last-1, in the order of the cases; `zero` is the place
    of 0."""
    columns = np.ascontiguousarray(np.moveaxis(proba[:, :, first:last], 1, 2))
    return (_places(columns, base, zero) << np.uint64(bits)) | truth[:, None, :].astype(np.uint64)


def scan(
    keys: Array,
    first: int,
    k: int,
    bits: int,
    base: int,
    table: Array | None,
    weight: Array | None,
    size: int,
    both: bool = False,
    zero: int = 0,
) -> tuple[Array, Array, Array]:
    """From the sorted keys of the columns first..: for class j = first + column,

    wins[c]: weight of pairs (a case of j, a case of c) in which the case of j has the higher score (ties one half),
    gains[c]: the same pairs weighted by how much higher (ties nothing),
    deviation, refinement: over groups g of equal scores, sum w_g (score - f_g)^2 and sum w_g f_g (1 - f_g), where f_g
    is the share of class j in the group,
    error: mean over all windows of `size` neighbours in sorted order of the mean |score - share of class j in the
    window|, where each of several cases of equal score counts with the share of class j among them; nan with weights
    and for scores below 0,
    gap: of two classes, the smallest difference between two distinct scores,
    ties: 1 if any two cases have the same score, else 0.

    Returns wins[B, columns, k], gains[B, columns, k] and (deviation, refinement, error, gap, ties)[5, B, columns]. With
    `both`, for two classes, the other column is put before this one, as its mirror image. The compiled twin uses up the
    keys.
    """
    B, columns, n = keys.shape
    wins, gains = np.zeros((B, columns, k)), np.zeros((B, columns, k))
    deviation, refinement, error, gap, ties = (np.zeros((B, columns)) for _ in range(5))
    for b, column in np.ndindex(B, columns):
        key, j = keys[b, column], first + column
        w = np.ones(n) if weight is None else weight[b, column]
        places, group = np.unique(key >> np.uint64(bits), return_inverse=True)
        label = (key & np.uint64((1 << bits) - 1)).astype(np.intp)
        x = _values(places, base, zero, table)
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
        gap[b, column] = np.diff(x).min(initial=np.inf) if k == 2 else np.inf
        ties[b, column] = len(x) < n
        plain = weight is None and x[0] >= 0
        error[b, column] = _window_error(x[group], share[group], size) if plain else np.nan
    sums = np.stack([deviation, refinement, error, gap, ties])
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
    negative: bool = False,
    apart: float = -1.0,
    exact: bool = False,
) -> tuple[Array, Array, Array] | None:
    """`pack`, sort and `scan` of the columns first..last-1 of scores in float64 or float32. None where score (in size
    at most high, and at least low where it is not 0) and class do not fit into one key. A `size` of 0 asks for no more
    than wins, gap and ties: what else there is, is not to be used.

    With `both`, for two classes, the other column is the mirror image of the one that is sorted, which may then be all
    that `proba` holds. But it is scanned as well if two distinct scores are no further than `apart` from each other
    (the compiled twin looks whether it has them in reverse order, if they are few), or if some are equal and it is not
    `exact`, which is 1 - p in every row, in the type of the scores (never if `apart` is negative). Of float32 the gap
    is not looked for, and given as 0: their rows hardly ever add up to one so exactly that it would save the other
    column.
    """
    k = 2 if both else proba.shape[2]
    bits = max(1, (k - 1).bit_length())
    base = _bits(low) - 1
    span = _bits(high if high > 0 else low) - base
    zero = span if negative else 0
    if span >> (64 - bits - negative):
        return None
    scores = proba.astype(np.float64, copy=False)

    def scanned(truth: Array, scores: Array, weight: Array | None, first: int, last: int, both: bool) -> Part:
        held = slice(first, last) if scores.shape[2] > 1 else slice(0, 1)
        keys = pack(truth, scores, held.start, held.stop, base, bits, zero)
        order = np.argsort(keys, axis=-1)
        keys = np.take_along_axis(keys, order, axis=-1)
        if weight is not None:
            weight = np.take_along_axis(np.broadcast_to(weight[:, None, :], keys.shape), order, axis=-1)
        part = scan(keys, first, k, bits, base, None, weight, max(1, size), both, zero)
        if proba.dtype == np.float32:
            part[2][3] = 0.0
        return part

    wins, gains, sums = scanned(truth, scores, weight, first, last, both)
    if both and apart >= 0:
        other = (sums[3, :, 0] <= apart) | ((sums[4, :, 0] > 0) & (not exact))
        if other.any():
            some = None if weight is None else weight[other]
            wins[other, :1], gains[other, :1], sums[:, other, :1] = scanned(
                truth[other], scores[other], some, 1 - first, last - first + 1 - first, False
            )
    return wins, gains, sums


Part = tuple[Array, Array, Array]
"""What `scan` gives."""


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
