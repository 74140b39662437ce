"""Replicates: drawn, and what is summed over them.

Shapes: R replicates, n cases, k classes. A replicate is a row of counts: how often each case was drawn. Random numbers
are those of splitmix64, a function of a key and a place, so that any of them can be had without the ones before: the
same key gives the same counts here and there, on however many threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.kernels._columns import _window_error as window_error
from karat.kernels._curves import precision_sums
from karat.kernels.records import Array

STEP = np.uint64(0x9E3779B97F4A7C15)
AGAIN = np.uint64(0xD1342543DE82EF95)
MORE = np.uint64(0xA0761D6478BD642F)
OPEN = 255
"""In the table of counts: twelve bits do not tell, look at more."""


def _mixed(x: Array) -> Array:
    """splitmix64: sixty-four random bits for each number."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def draw(keys: Array, out: Array, table: Array, limits: Array, pairs: Array) -> None:
    """out[R, n] (uint8): n draws with replacement from n cases, a key for each replicate.

    Independent Poisson counts with a mean a little below one, given that their sum M is at most n (else they are drawn
    again), and n - M single draws on top: given M the former are multinomial, and so is the sum. Counts come in
    `pairs`; `limits` are the values (in units of 2^-64) of the distribution function of the pairs, `table` is the pair
    that follows from its first twelve bits, where one does.
    """
    R, n = out.shape
    two = -(-n // 2)
    words = np.arange(1, -(-two // 5) + 1, dtype=np.uint64) * STEP
    shifts = np.arange(0, 60, 12, dtype=np.uint64)
    for r in range(R):
        key = np.uint64(keys[r])
        with np.errstate(over="ignore"):
            while True:
                bits = ((_mixed(key + words)[:, None] >> shifts) & np.uint64(4095)).ravel()[:two]
                counts = table[bits.astype(np.intp)]
                doubtful = np.flatnonzero(counts[:, 0] == OPEN)
                further = _mixed(~key + (doubtful.astype(np.uint64) + np.uint64(1)) * STEP)
                place = (bits[doubtful] << np.uint64(52)) | (further >> np.uint64(12))
                counts[doubtful] = pairs[np.searchsorted(limits, place, side="right")]
                counts = counts.ravel()[:n]
                left = n - int(counts.sum(dtype=np.int64))
                if left >= 0:
                    break
                key = key + AGAIN
            single = _mixed((key ^ MORE) + np.arange(1, left + 1, dtype=np.uint64) * STEP)
        at = ((single >> np.uint64(11)).astype(np.float64) * 2.0**-53 * n).astype(np.intp)
        out[r] = counts + np.bincount(at, minlength=n).astype(np.uint8)


def totals(counts: Array, starts: Array) -> Array:
    """[R, cells]: sums of the counts from starts[c] to starts[c + 1]."""
    passed = np.cumsum(counts, axis=1, dtype=np.float64)
    return np.diff(np.concatenate([np.zeros((len(counts), 1)), passed], axis=1)[:, starts], axis=1)


def weighted_sums(counts: Array, order: Array | None, starts: Array, values: Array) -> Array:
    """[R, cells, q]: sums of counts times values[q, n] over the cases of each cell, starts[c] to starts[c + 1].

    `order` tells where the i-th case of these cells stands among the counts; None: cases stand in the same order.
    """
    drawn = counts if order is None else counts[:, order]
    cells = len(starts) - 1
    out = np.zeros((len(counts), cells, len(values)))
    for c in range(cells):
        part = slice(int(starts[c]), int(starts[c + 1]))
        out[:, c] = drawn[:, part].astype(np.float64) @ values[:, part].T
    return out


def ranks(ones: Array, others: Array) -> tuple[Array, Array, Array, Array]:
    """Of ascending numbers: for each of the ones how many others are below it and how many not above it; for each of
    the others how many ones are below it and how many not above it. Without ties the two are the same arrays."""
    below, upto = (np.searchsorted(others, ones, side).astype(np.int32) for side in SIDES)
    under, until = (np.searchsorted(ones, others, side).astype(np.int32) for side in SIDES)
    return (below, below, until, until) if np.array_equal(below, upto) else (below, upto, under, until)


SIDES: tuple[Any, Any] = ("left", "right")


def two_class_wins(counts: Array, order: Array | None, first: int, below: Array, upto: Array) -> Array:
    """[R]: pairs won by the second of two classes, ties one half. The `first` leading cases are of class 0, ascending;
    the others of class 1, with `below` and `upto` (see `ranks`) of each."""
    drawn = (counts if order is None else counts[:, order]).astype(np.int64)
    passed = np.concatenate([np.zeros((len(drawn), 1), np.int64), np.cumsum(drawn[:, :first], axis=1)], axis=1)
    return np.asarray((drawn[:, first:] * (passed[:, below] + passed[:, upto])).sum(axis=1) / 2)


def wins(counts: Array, order: Array, label: Array, fresh: Array, j: int, k: int) -> Array:
    """[R, k]: weight of pairs (a case of class j, a case of class c) in which that of j has the higher score, ties one
    half. Cases in descending order of the score of class j (those of j first among equals); `fresh` where a score
    differs from the one before."""
    drawn = counts[:, order].astype(np.int64)
    own = np.cumsum(drawn * (label == j), axis=1)
    first = np.maximum.accumulate(np.where(fresh > 0, np.arange(len(order)), 0))
    before = np.concatenate([np.zeros((len(drawn), 1), np.int64), own], axis=1)[:, first]
    twice = drawn * (before + own)
    out = np.stack([(twice * (label == c)).sum(axis=1) for c in range(k)], axis=1) / 2
    out[:, j] = 0
    return out


def walk(
    counts: Array, order: Array, label: Array, fresh: Array, x: Array, weight: Array | None, j: int, k: int
) -> tuple[Array, Array, Array, Array]:
    """(wins[R, k], gains[R, k], deviation[R], refinement[R]) of class j: see `scan`. Order as in `wins`,
    x the scores, `weight` of the cases or None."""
    R = len(counts)
    w = counts[:, order].astype(np.float64)
    if weight is not None:
        w = w * weight
    start = np.flatnonzero(fresh)
    group = np.cumsum(fresh > 0) - 1
    own = np.where(label == j, w, 0.0)
    hits, total = np.add.reduceat(own, start, axis=1), np.add.reduceat(w, start, axis=1)
    above = np.cumsum(hits, axis=1) - hits
    mass = np.cumsum(hits * x[start], axis=1) - hits * x[start]
    won = w * (above + hits / 2)[:, group]
    gained = w * (mass - above * x[start])[:, group]
    out_wins, out_gains = np.zeros((R, k)), np.zeros((R, k))
    for c in range(k):
        if c != j:
            out_wins[:, c] = won[:, label == c].sum(axis=1)
            out_gains[:, c] = gained[:, label == c].sum(axis=1)
    share = np.divide(hits, total, out=np.zeros_like(total), where=total > 0)
    with np.errstate(over="ignore"):
        deviation = (total * (x[start] - share) ** 2).sum(axis=1)
    return out_wins, out_gains, deviation, (hits * (1 - share)).sum(axis=1)


def walk_without(
    label: Array, fresh: Array, x: Array, weight: Array | None, group: Array, groups: int, j: int, k: int
) -> tuple[Array, Array, Array, Array]:
    """`walk` of all cases but those of one group, for each group in turn: group[n] is that of each case, in the order
    of the others. The compiled twin goes over the cases once, not once for each group."""
    counts = (group != np.arange(groups)[:, None]).astype(np.uint8)
    return walk(counts, np.arange(len(label)), label, fresh, x, weight, j, k)


def precisions_without(own: Array, place: Array, weight: Array | None, group: Array, groups: int) -> Array:
    """[groups]: `precision_sums` of all cases but those of one group, for each group in turn. Cases in ascending order
    of their scores (see `sides`); group[n] is that of each case. The compiled twin goes over the cases once."""
    counts = (group != np.arange(groups)[:, None]).astype(np.uint8)
    table = sides(counts, np.arange(len(own)), own, place, weight, int(place.max(initial=-1)) + 1)
    return precision_sums(table[:, 1], table[:, 0])


def sides(counts: Array, order: Array, own: Array, place: Array, weight: Array | None, m: int) -> Array:
    """[R, 2, m]: the weight of the rest, and of the class, at each of m distinct scores. The i-th case has a place
    among the counts (`order`) and the scores (`place`), and is of the class or not (`own`)."""
    w = counts[:, order].astype(np.float64) * (1.0 if weight is None else weight)
    cell = own.astype(np.intp) * m + place
    return np.stack([np.bincount(cell, row, 2 * m) for row in w]).reshape(-1, 2, m)


def window_errors(counts: Array, order: Array, own: Array, place: Array, x: Array, sizes: Array) -> Array:
    """[R]: the error that `scan` gives, with windows of sizes[R] neighbours. Cases (see `sides`) in ascending order of
    their scores, the distinct ones of which are x."""
    out = np.empty(len(counts))
    for r, row in enumerate(counts[:, order].astype(np.intp)):
        total = np.bincount(place, row, len(x))
        share = np.bincount(place, row * own, len(x)) / np.maximum(total, 1)
        at = np.repeat(place, row)
        out[r] = window_error(x[at], share[at], int(sizes[r]))
    return out
