"""The kernels of the studies: twins agree, and do what a plain loop does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat import kernels

twins = pytest.mark.parametrize("kind", ["numpy", *(["native"] if kernels.native is not None else [])])


@twins
def test_adjacent_swaps(kind: str) -> None:
    rng = np.random.default_rng(1)
    states = rng.permuted(np.tile(np.arange(9, dtype=np.uint8), (4, 1)), axis=1)
    drawn = rng.integers(0, 2**32, (4, 50), np.uint32)
    drawn[0, :2] = 0, 2**32 - 1  # the first and the last pair
    expected = states.copy().tolist()
    for row, numbers in zip(expected, drawn.tolist(), strict=True):
        for number in numbers:
            at = number * 8 // 2**32
            row[at], row[at + 1] = row[at + 1], row[at]
    kernels.twin("adjacent_swaps", kind)(states, drawn)
    assert states.tolist() == expected


@twins
def test_by_group(kind: str) -> None:
    rng = np.random.default_rng(2)
    group = rng.integers(0, 3, 200).astype(np.uint16)
    value = np.concatenate([rng.random(190), [0, 1, 0.5, 0.1, 0.3, 1 - 1e-16, math.nan, math.nan, 1.5, -0.5]])
    ends, sums, bins = np.tile([math.inf, -math.inf], (4, 1)), np.zeros((4, 2)), np.zeros((4, 11))
    kernels.twin("by_group", kind)(group, value, 0.0, 10.0, ends, sums, bins)
    for g in range(4):
        here = [v for v, own in zip(value.tolist(), group.tolist(), strict=True) if own == g]
        known = [v for v in here if v == v]
        assert ends[g].tolist() == [min(known, default=math.inf), max(known, default=-math.inf)]
        assert sums[g] == pytest.approx([math.fsum(known), math.fsum(v * v for v in known)], abs=1e-12)
        counts = [0] * 11
        for v in here:
            counts[10 if v != v else min(max(math.floor(v * 10 + 1e-9), 0), 9)] += 1
        assert bins[g].tolist() == counts
