"""Two synthetic models, one better than the other, and four ways to spoil them (Ferri et al. 2009, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array

CASES = 100
REDRAWN = 10
SWAPS = 1250
"""Exchanges of neighbours for each level of ranking noise: the paper's 100,000 at its level 80."""
CHUNK = 1 << 20
"""Exchanges drawn at a time."""
MOST = {"labels": 100.0, "probabilities": 100.0, "ranking": 80.0, "frequencies": 50.0}
"""The kinds of noise and their highest level in the paper."""


class Models(NamedTuple):
    """Labels and probabilities of class 1 of the better and the worse model: [2, repetitions, cases]."""

    truth: Array
    p: Array


def models(rng: np.random.Generator, repetitions: int) -> Models:
    """M1: 10 of 100 uniform probabilities are drawn again after they gave the labels; M2: 10 others as well.

    The probabilities are independent, so which of them are drawn again does not matter: the first.
    """
    first = rng.random((repetitions, CASES))
    again = rng.random((repetitions, 2 * REDRAWN))
    p = np.stack([first, first])
    p[:, :, :REDRAWN] = again[:, :REDRAWN]
    p[1, :, REDRAWN : 2 * REDRAWN] = again[:, REDRAWN:]
    truth = (first > 0.5).astype(np.int64)
    return Models(np.stack([truth, truth]), p)


def other_labels(rng: np.random.Generator, m: Models, level: float, common: bool) -> Models:
    """Level % of the labels are drawn again."""
    count = round(level * CASES / 100)
    truth = m.truth.copy()
    if count:
        shape = (1 if common else 2, *m.truth.shape[1:])
        which = rng.random(shape).argpartition(min(count, CASES - 1), axis=2)[:, :, :count]
        drawn = rng.integers(0, 2, which.shape)
        for model in range(2):
            noise = 0 if common else model
            np.put_along_axis(truth[model], which[noise], drawn[noise], axis=1)
    return Models(truth, m.p)


def other_probabilities(rng: np.random.Generator, m: Models, level: float, common: bool) -> Models:
    """Every probability moves by up to .005 level, and stays within [0, 1]."""
    most = 0.5 * level / 100
    noise = rng.uniform(-most, most, (1 if common else 2, *m.p.shape[1:]))
    return Models(m.truth, np.clip(m.p + noise, 0, 1))


def fewer_cases(rng: np.random.Generator, m: Models, level: float, common: bool) -> Iterator[tuple[Array, Models]]:
    """Level cases of class 1 are removed, or all where there are not so many: repetitions of one size at a time."""
    keys = rng.random((1 if common else 2, *m.truth.shape[1:])) + (m.truth == 0)
    order = keys.argsort(axis=2)
    removed = np.minimum(round(level), m.truth[0].sum(axis=1))
    for count in np.unique(removed):
        which = np.flatnonzero(removed == count)
        left = order[:, which, count:]
        yield which, Models(*(np.take_along_axis(x[:, which], left, axis=2) for x in m))


def exchanged(rng: np.random.Generator, m: Models, levels: Array, common: bool) -> Iterator[Models]:
    """Cases in the order of their probabilities, neighbours exchanged more and more often: one step for each level.

    A repetition goes on from the level before: at each level it is what so many exchanges make of it, and all levels
    together cost no more than the last.
    """
    order = m.p.argsort(axis=2)
    p = np.take_along_axis(m.p, order, axis=2)
    labels = np.take_along_axis(m.truth, order, axis=2).astype(np.uint8)
    done = 0
    for level in levels:
        swaps = round(level * SWAPS)
        while done < swaps:
            rows = labels.shape[1]
            count = min(swaps - done, max(2, CHUNK // rows // 2 * 2))
            for model in range(2):
                if model == 0 or not common:
                    drawn = rng.integers(0, 2**64 - 1, (rows, (count + 1) // 2), np.uint64, endpoint=True)
                pairs = np.ascontiguousarray(drawn.view(np.uint32)[:, :count])
                kernels.adjacent_swaps(labels[model], pairs)
            done += count
        yield Models(labels.astype(np.int64), p)
