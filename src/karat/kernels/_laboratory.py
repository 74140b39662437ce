"""The loops of the studies."""

from __future__ import annotations

import numpy as np

from karat.kernels.records import Array


def adjacent_swaps(states: Array, drawn: Array) -> None:
    """In each row of states [B, n], exchange neighbours, one pair for each number drawn [B, T].

    A number of 32 random bits, times n - 1, without its lower half, is the place of a pair: all are equally likely
    to one part in 2^32 / n.
    """
    rows = np.arange(len(states))
    places = (drawn.astype(np.uint64) * np.uint64(states.shape[1] - 1) >> np.uint64(32)).astype(np.int64)
    for at in places.T:
        states[rows, at], states[rows, at + 1] = states[rows, at + 1], states[rows, at]


def by_group(group: Array, value: Array, start: float, scale: float, ends: Array, sums: Array, bins: Array) -> None:
    """Add values to what is known of their groups: ends[g] = lowest, highest; sums[g] = of values, of squares;
    bins[g] = how many in each bin of width 1/scale from `start` on, and last how many are undefined (nan).

    A value on the edge of two bins belongs to the upper one, also if rounding put it just below; what lies outside is
    in the first or the last bin.
    """
    known = ~np.isnan(value)
    last = bins.shape[1] - 2
    np.add.at(bins[:, last + 1], group[~known], 1)
    group, value = group[known], value[known]
    np.minimum.at(ends[:, 0], group, value)
    np.maximum.at(ends[:, 1], group, value)
    np.add.at(sums[:, 0], group, value)
    np.add.at(sums[:, 1], group, value * value)
    at = np.clip((value - start) * scale + 1e-9, 0, last).astype(np.int64)
    np.add.at(bins, (group, at), 1)
