"""Rows of two classes piled up in a table of cells, in whatever order they come: sorting them would take longer.

The table has a row for every cell (see `_folding`) from 2^-38 on, one for the score 0, one for 1, and one that is not
read. Its words begin as 0: the bits of the lowest score, inverted; those of the highest; and the cases of both classes,
32 bits each. Keys of 32 bits have both scores in one word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.kernels._folding import (
    LAST_CELL,
    LEAST_HIT,
    MIDDLE_CELLS,
    OCTAVE_BITS,
    SMALL_CELLS,
    SMALL_HIT,
    cells_of_scores,
    scores_of_keys,
)
from karat.kernels.records import PILED_CELLS, Array

FIRST_PLACE = SMALL_CELLS - (32 << OCTAVE_BITS)
PLACES = PILED_CELLS
assert PLACES == (32 << OCTAVE_BITS) + MIDDLE_CELLS + (47 << OCTAVE_BITS)
AT_ZERO, AT_ONE, NO_PLACE = PLACES, PLACES + 1, PLACES + 2
STEPS = 1024


def pile_cells(keys: Array, table: Array) -> Array:
    """Adds keys, sorted or not, to the table (uint64 [PLACES + 3, 2 or 3]); those of scores that have no place in it
    are given back."""
    p, own = scores_of_keys(keys), (keys & keys.dtype.type(1)).astype(np.uint64)
    cell = cells_of_scores(p).astype(np.int64) - FIRST_PLACE
    inside = (cell >= 0) & (cell < PLACES)
    place: Any = np.where(inside, cell, np.where(p == 0, AT_ZERO, np.where(p == 1, AT_ONE, NO_PLACE)))
    bits, ends = keys >> keys.dtype.type(1), table.view(keys.dtype)
    np.maximum.at(ends, (place, 0), ~bits)
    np.maximum.at(ends, (place, 1), bits)
    np.add.at(table, (place, table.shape[1] - 1), np.uint64(1) << (own << np.uint64(5)))
    return np.asarray(keys[place == NO_PLACE])


def piled_cells(table: Array, narrow: bool) -> tuple[Array, Array, Array]:
    """What `cells_of_keys` gives, of a table; `narrow`: of keys of 32 bits."""
    order = np.concatenate([[AT_ZERO], np.arange(PLACES), [AT_ONE]])
    used = order[table[order, -1] > 0]
    cell = np.where(used == AT_ZERO, 0, np.where(used == AT_ONE, LAST_CELL, FIRST_PLACE + used)).astype(np.int32)
    word, score = (np.uint32, np.float32) if narrow else (np.uint64, np.float64)
    low, high = table.view(word)[used, :2].T
    ends = np.stack([(~low).view(score), high.copy().view(score)]).astype(np.float64)
    counts = table[used, -1]
    return cell, ends, np.stack([counts & np.uint64(2**32 - 1), counts >> np.uint64(32)]).astype(np.float64)


def pile_sums(keys: Array, steps: Array, edges: Array, ranges: Array, totals: Array) -> None:
    """Adds keys, sorted or not, to sums.

    Parameters
    ----------
    keys : of `pack_pairs`
    steps : int16 [1025], the number of edges up to each score i / 1024; no two neighbours more than two edges apart
    edges : where ranges of keys begin but for the first, and at the end twice more than any key
    ranges : float64 [ranges, 2, 4], of each class: cases, 1 plus the sum of the smaller of p and 1 - p, the correction
        of this sum, and nothing
    totals : float64 [2, 2, 4], sums and their corrections, of each class: squared misses, log2 of the probability of
        the truth where it is at least SMALL_HIT, the same where it is less, and how many those are
    """
    p, own = scores_of_keys(keys), (keys & keys.dtype.type(1)).astype(np.int64)
    found: Any = np.searchsorted(edges, keys, side="right")
    np.add.at(ranges, (found, own, 0), 1)
    smaller = np.zeros(ranges.shape[:2])
    np.add.at(smaller, (found, own), np.minimum(p, 1 - p))
    _add(smaller, ranges[:, :, 1], ranges[:, :, 2])
    for y in (0, 1):
        x = p[own == y]
        hit, miss = (x, 1 - x) if y else (1 - x, x)
        logs, small = np.log2(np.maximum(hit, LEAST_HIT)), hit < SMALL_HIT
        sums = np.array([(miss**2).sum(), logs[~small].sum(), logs[small].sum(), small.sum()])
        _add(sums, totals[0, y], totals[1, y])


def _add(part: Array, total: Array, correction: Array) -> None:
    """Adds numbers to totals, and what these lose to their corrections."""
    more = total + part
    correction += np.where(np.abs(total) >= np.abs(part), (total - more) + part, (part - more) + total)
    total[...] = more
