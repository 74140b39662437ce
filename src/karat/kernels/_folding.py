"""Rows of two classes folded into sums and cells, so that they need not be kept.

A *key* is one unsigned integer that holds the probability of the second class and the true class of a case: the bits of
the float, and the class in the lowest one: `bits << 1 | class`. Probabilities are not negative, so that the sign bit is
free: keys of float32 are uint32, those of float64 uint64. They sort as the probabilities do.

A *cell* is a small range of scores. Between 1/64 and 63/64 cells are 2^-18 wide; below and above, every octave of the
distance from 0 or 1 has 2^14 of them, so that scores which crowd at an end are told apart as well as others.
"""

from __future__ import annotations

import numpy as np

from karat.kernels.records import Array

EDGE = 1 / 64
OCTAVE_BITS, UNIFORM = 14, 1 << 18
SMALL_CELLS = (1023 - 6) << OCTAVE_BITS
"""Cells below 1/64: as many as floats have leading bits there."""
MIDDLE_CELLS = int((1 - 2 * EDGE) * UNIFORM)
LAST_CELL = 2 * SMALL_CELLS + MIDDLE_CELLS
SMALL_HIT, LEAST_HIT = 1e-5, 2.0**-52


def pack_pairs(truth: Array, proba: Array, keys: Array) -> int:
    """Fills the keys; the place of the first row whose class is not 0 or 1, or whose probability is not between 0 and
    1; -1 if all are well."""
    wrong = ~((proba >= 0) & (proba <= 1)) | ((truth != 0) & (truth != 1))
    if wrong.any():
        return int(np.argmax(wrong))
    keys[:] = (np.abs(proba).view(keys.dtype) << keys.dtype.type(1)) | truth.astype(keys.dtype)
    return -1


def sort_pairs(keys: Array) -> None:
    """In place."""
    keys.sort()


def scores_of_keys(keys: Array) -> Array:
    """The probabilities, as float64."""
    kind = np.float32 if keys.dtype == np.uint32 else np.float64
    return np.asarray((keys >> keys.dtype.type(1)).view(kind), np.float64)


def order_sums(keys: Array) -> tuple[float, float, float]:
    """Of sorted keys: over the pairs of a case of the second class and one of the first, how many have the higher
    probability (ties one half), and by how much in all; and over groups of equal probabilities the sum of
    w f (1 - f), f being the share of the second class."""
    p = scores_of_keys(keys)
    starts = np.flatnonzero(np.append(len(keys) > 0, p[1:] != p[:-1]))
    size = np.diff(np.append(starts, len(keys)))
    ones = np.diff(np.append(0, np.cumsum((keys & keys.dtype.type(1)).astype(np.int64)))[np.append(starts, len(keys))])
    zeros, x = size - ones, p[starts]
    below = np.cumsum(zeros) - zeros
    mass = np.cumsum(x * zeros) - x * zeros
    twice = int((ones * (2 * below + zeros)).sum())
    return twice / 2, float((ones * (x * below - mass)).sum()), float((ones * zeros / size).sum())


def cells_of_scores(scores: Array) -> Array:
    """The cell of each probability, int32."""
    x = np.asarray(scores, np.float64)
    near, far = x < EDGE, 1 - x < EDGE
    shift = np.uint64(52 - OCTAVE_BITS)
    cell = SMALL_CELLS + np.floor((np.where(near | far, 0.5, x) - EDGE) * UNIFORM).astype(np.int64)
    cell[near] = (np.abs(x[near]).view(np.uint64) >> shift).astype(np.int64)
    cell[far] = LAST_CELL - ((1 - x[far]).view(np.uint64) >> shift).astype(np.int64)
    return cell.astype(np.int32)


def cells_of_keys(keys: Array) -> tuple[Array, Array, Array]:
    """Of sorted keys, for each cell that is used, ascending: (cell[m], ends[2, m], cases[2, m]): the lowest and the
    highest score, and how many cases of each class."""
    p = scores_of_keys(keys)
    cell = cells_of_scores(p)
    starts = np.flatnonzero(np.append(len(keys) > 0, cell[1:] != cell[:-1]))
    stops = np.append(starts[1:], len(keys))[: len(starts)]
    own = np.append(0, np.cumsum((keys & keys.dtype.type(1)).astype(np.int64)))
    ones = own[stops] - own[starts]
    ends = np.stack([p[starts], p[stops - 1]])
    return cell[starts], ends, np.stack([stops - starts - ones, ones]).astype(np.float64)


Cells = tuple[Array, Array, Array]


def cells_joined(one: Cells, other: Cells) -> Cells:
    """Cells of two parts of the data, put together: (cell[m], ends[2, m], weight[rows, m])."""
    cell, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    here, there = place[: len(one[0])], place[len(one[0]) :]
    low, high = np.full(len(cell), np.inf), np.full(len(cell), -np.inf)
    weight = np.zeros((len(one[2]), len(cell)))
    for at, (_, ends, part) in ((here, one), (there, other)):
        low[at] = np.minimum(low[at], ends[0])
        high[at] = np.maximum(high[at], ends[1])
        weight[:, at] += part
    return cell, np.stack([low, high]), weight


def cells_apart(ends: Array, weight: Array, own: int, best: bool) -> tuple[Array, Array, Array]:
    """(scores[s], weight[rows, s], apart[s]): the cases of the class `own` put at the highest score of their cells and
    all others at the lowest (`best`), or the other way round; a cell of one score stays one. Scores without any weight
    are left out; apart: is it an end of a cell of several?"""
    low, high = ends
    single = low == high
    at_top = (np.arange(len(weight)) == own) == best
    both = np.zeros((len(weight), len(low), 2))  # at the lowest score of each cell, and at the highest
    both[~at_top, :, 0] = weight[~at_top]
    both[at_top, :, 0] = weight[at_top] * single
    both[at_top, :, 1] = weight[at_top] * ~single
    flat = both.reshape(len(weight), -1)
    used = flat.any(axis=0)
    return ends.T.ravel()[used], flat[:, used], np.repeat(~single, 2)[used]
