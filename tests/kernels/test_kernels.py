"""The twins: what is compiled gives the numbers of what can be read, on everything that makes trouble."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal, localcontext
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat import kernels
from karat.data import Predictions
from karat.kernels import native
from karat.kernels._columns import pack
from karat.kernels._rows import class_weights
from karat.kernels.records import OPERATIONS
from karat.statistics.scans import columns
from oracles import ORACLES
from oracles.case import Case

Array = Any
Arguments = tuple[Any, ...]

KERNELS = [kernel for names in kernels.CHAPTERS.values() for kernel in names]
ELSEWHERE = {"object_classes", "ragged_floats", *kernels.CHAPTERS["_resampling"], *kernels.CHAPTERS["_laboratory"]}
ELSEWHERE |= {"follow_many", *kernels.CHAPTERS["_folding"], *kernels.CHAPTERS["_piling"], *kernels.CHAPTERS["_curves"]}
"""Compared below, in the tests of resampling, in those of the studies, and in those of accumulation."""


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Without compiled kernels there is nothing to compare; where they must be there (CI), that is a failure."""
    if native is None:
        message = "the compiled kernels were not built, so the twins can't be compared"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)


# ------------------------------------------------------------------------------------------------- random inputs


def kinds_of_probabilities(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Array:
    """Distributions [..., k] of one kind."""
    k = shape[-1]
    p = rng.dirichlet(np.full(k, 0.6), shape[:-1])
    if kind == "ties":
        p = np.round(p * 4) / 4
        p[..., 0] = 0
        p[..., 0] = np.maximum(1 - p.sum(axis=-1), 0)
        p /= p.sum(axis=-1, keepdims=True)
    elif kind == "certain":
        p = np.eye(k)[rng.integers(0, k, shape[:-1])]
    elif kind == "denormal" and k > 1:
        p[..., 1:] *= 10.0 ** -rng.integers(0, 310, (*shape[:-1], k - 1))
        p[..., 0] = 1 - p[..., 1:].sum(axis=-1)
    elif kind == "same":
        p[...] = 1 / k
    return np.ascontiguousarray(p)


KINDS = ("spread", "ties", "certain", "denormal", "same")
SIZES = [(1, 1, 1), (1, 1, 2), (3, 2, 2), (2, 9, 3), (1, 19, 2), (1, 20, 2), (2, 60, 4), (1, 123, 5), (4, 77, 9)]
SIZES += [(1, 300, 2), (2, 300, 3), (1, 5000, 2), (1, 5000, 3), (2, 33, 1), (3, 40, 6), (3, 41, 7), (1, 42, 8)]
SIZES += [(1, 5000, 7), (2, 6000, 9)]  # many enough to be sorted by buckets


def data(rng: np.random.Generator) -> list[tuple[Array, Array, Array | None]]:
    """Truth [B, n], probabilities [B, n, k] and weights (or none) of all sizes and kinds."""
    inputs = []
    for B, n, k in SIZES:
        for kind in KINDS:
            truth = rng.integers(0, max(1, k - (kind == "same")), (B, n)).astype(np.int32)
            p = kinds_of_probabilities(rng, kind, (B, n, k))
            for weight in (None, rng.integers(0, 4, (B, n)) / 2 + (np.arange(n) == 0)):
                inputs.append((truth, p, weight))
    return inputs


def labels(rng: np.random.Generator) -> list[Arguments]:
    types = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)
    inputs = [(rng.integers(0, 9, n).astype(kind), 100) for kind in types for n in (1, 2, 50)]
    inputs += [(np.array([2**62, -(2**62)]), 100), (np.array([-5, 94]), 100), (np.array([-5, 95]), 100)]
    return [*inputs, (np.array([-(2**63), 2**63 - 1]), 1 << 22)]


def texts(rng: np.random.Generator) -> list[Arguments]:
    """Few and many distinct ones, with and without padding, also empty ones and any characters."""
    words = [
        np.array(["no", "yes"]),
        np.array(["", "a", "aa", "aaa", "\0a", "\U0001f600"]),
        np.arange(3000).astype("U"),
    ]
    drawn = [word[rng.integers(0, len(word), n)] for word in words for n in (1, 2, 50, 5000)]
    return [(text,) for text in [*drawn, np.full(7, ""), np.array(["ab", "ba"] * 4, ">U2")]]


def values(rng: np.random.Generator) -> list[Arguments]:
    """Python's own, and what can't be looked up."""
    some = [[1, True, 1.0, 0], [None, "a", "a", np.str_("a")], [2**70, -(2**70), 2**70], [(1,), "x"], [[1], 2], [{}]]
    return [
        *((np.array([*some_, None], object)[:-1],) for some_ in some),
        *((t.astype(object),) for (t,) in texts(rng)),
    ]


def checked(rng: np.random.Generator) -> list[Arguments]:
    inputs = [(p[0], 1e-6) for _, p, _ in data(rng)]
    for bad in (np.nan, np.inf, -np.inf, -1e-9, 1 + 1e-9, 0.5, 1e-300):
        p = rng.dirichlet(np.ones(3), 8)
        p[5, 1] = bad
        inputs.append((p, 1e-6))
    inputs.append((np.array([[0.5, 0.5], [0.5, np.nan], [2.0, -1.0]]), 1e-6))
    return inputs


def inspected(rng: np.random.Generator) -> list[Arguments]:
    """All columns or one of two, in both precisions; many rows, of which the last is bad."""
    inputs: list[Arguments] = []
    for p, tolerance in checked(rng):
        for held in (p, p.astype(np.float32)):
            inputs.append((held, tolerance if held is p else 3e-4))
            inputs += [(np.ascontiguousarray(held[:, :1]), tolerance, given) for given in (0, 1)]
    for n in (5000, 9000):
        q = np.round(rng.random((n, 1)), 4).astype(np.float32)
        both = np.concatenate([1 - q, q], axis=1)
        wrong = both.copy()
        wrong[-1, 0] = 1.25
        inputs += [(both, 1e-3), (wrong, 1e-3), (both[:, ::-1].copy(), 1e-3), (q, 1e-3, 1), (1 + q, 1e-3, 0)]
    return inputs


def scored(rng: np.random.Generator) -> list[Arguments]:
    """Finite and other numbers of all sizes, zeros of both signs."""
    spread = rng.normal(size=40) * 10.0 ** rng.integers(-320, 300, 40)
    columns = [
        spread,
        np.abs(spread),
        -np.abs(spread),
        spread.reshape(20, 2),
        np.array([-0.0]),
        np.array([0.0, -0.0, 3]),
    ]
    odd = (np.nan, -np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1.7e308, -2.0, 2.0)
    return [(column,) for column in [*columns, *(np.append(spread, x) for x in odd), *(np.array([x]) for x in odd)]]


def arrays(rng: np.random.Generator) -> list[Arguments]:
    """What is taken at once, and what is not."""
    inputs: list[Arguments] = []
    for p, tolerance in checked(rng):
        n, k = p.shape
        y = np.resize(np.arange(k), n)
        inputs += [(y, p, 100, tolerance), (5 - 2 * y, p, 100, tolerance), (y, p, k - 1, tolerance)]
        inputs += [(y.astype(np.int32), p, 100, tolerance), (y[::-1], p, 100, tolerance), (y[1:], p, 100, tolerance)]
        inputs += [(y, np.asfortranarray(p), 100, tolerance), (y, p.astype(np.float32), 100, tolerance)]
        inputs += [(y.tolist(), p, 100, tolerance), (y, p[:, 0].copy(), 100, tolerance), (y[:0], p[:0], 100, tolerance)]
    return inputs


def batches(rng: np.random.Generator) -> list[Arguments]:
    """What is taken at once, and what is not."""
    inputs: list[Arguments] = []
    for shape in ((1,), (7,), (3, 5), (2, 3, 9)):
        y, p = rng.integers(0, 2, shape), rng.uniform(0.01, 0.99, shape)
        inputs += [
            (y, p),
            (y.astype(np.int32), p),
            (y, p.astype(np.float32)),
            (y.tolist(), p),
            (y.T, p.T),
            (y[:0], p[:0]),
        ]
        for bad in (0.0, 1.0, np.nan, -0.1, 1.1):
            inputs.append((y, np.where(np.arange(p.size).reshape(shape) == p.size - 1, bad, p)))
        inputs += [(y + 1, p), (y - 1, p), (y[..., :1], np.repeat(p, 2, axis=-1))]
    return inputs


def rows(rng: np.random.Generator) -> list[Arguments]:
    inputs = []
    for truth, p, weight in data(rng):
        k = p.shape[2]
        decided = rng.integers(0, k + 1, truth.shape).astype(np.int32)
        inputs += [(truth, p, None, weight, k, 1e-5), (truth, p, decided, weight, k + 1, 1e-5)]
        inputs += [(truth, p, None, weight, k, floor) for floor in (0.0, 1e-17, 0.3)]
        inputs += [(truth, p.astype(np.float32), given, weight, k + 1, 1e-5) for given in (None, decided)]
        if k == 2:
            for column in (p[:, :, 1:].copy(), p[:, :, :1].astype(np.float32)):
                inputs += [(truth, column, None, weight, 2, 1e-5, given) for given in (0, 1)]
    return inputs


def packing(p: Array) -> tuple[int, int] | None:
    """(base, bits), or None where score and class do not fit into one key."""
    bits = max(1, (p.shape[2] - 1).bit_length())
    base = int(np.float64(p[p > 0].min()).view(np.uint64)) - 1
    return None if (int(np.float64(p.max()).view(np.uint64)) - base) >> (64 - bits) else (base, bits)


def packs(rng: np.random.Generator) -> list[Arguments]:
    inputs = []
    for truth, p, _ in data(rng):
        if (how := packing(p)) is not None:
            k = p.shape[2]
            inputs += [(truth, p, first, last, *how) for first, last in ((0, k), (k // 2, k))]
    return inputs


def scans(rng: np.random.Generator) -> list[Arguments]:
    """Sorted keys as the walks make them: by the bits of the scores, and by rank for scores of any size and sign."""
    inputs: list[Arguments] = []
    for truth, p, weight in data(rng):
        n, k = p.shape[1:]
        size = max(1, n // 10)
        if (how := packing(p)) is not None:
            keys = pack(truth, p, 0, k, *how)
            order = np.argsort(keys, axis=-1, kind="stable")
            keys = np.take_along_axis(keys, order, axis=-1)
            w = None
            if weight is not None:
                w = np.take_along_axis(np.broadcast_to(weight[:, None], keys.shape), order, axis=-1)
            inputs.append((keys, 0, k, how[1], how[0], None, w, size))
        bits, j = max(1, (k - 1).bit_length()), k - 1
        for scores in (p, np.log(p + 1e-300), p - 0.5, 9 * p):
            order = np.argsort(scores[0, :, j], kind="stable")
            values, place = np.unique(scores[0, :, j], return_inverse=True)
            keys = place[order].astype(np.uint64) << np.uint64(bits) | truth[0, order].astype(np.uint64)
            w = None if weight is None else np.ascontiguousarray(weight[0, order])[None, None]
            inputs.append((keys[None, None], j, k, bits, 0, values, w, size))
    return inputs


def sorted_scans(rng: np.random.Generator) -> list[Arguments]:
    """Columns as they are; scores that spread too widely, and keys that can't be sorted as floats, are among them."""
    inputs: list[Arguments] = []
    for truth, p, weight in data(rng):
        n, k = p.shape[1:]
        low, high = float(p[p > 0].min()), float(p.max())
        inputs.append((truth, p, weight, 0, k, low, high, max(1, n // 10)))
        inputs.append((truth, p, weight, k // 2, k, min(low, 1e-300), 9.0, 1))
        if k == 2:
            inputs.append((truth, p, weight, 1, 2, low, high, max(1, n // 10), True))
        for signed in (p - 0.5, np.round(9 * p - 4), -p, np.log(p + 1e-9)):
            size = np.abs(signed)
            low, high = float(size[size > 0].min(initial=2.0)), float(size.max())
            inputs.append((truth, np.ascontiguousarray(signed), weight, 0, k, low, high, 1, False, True))
    return [*inputs, *narrow(rng), *(many for n in (300, 3000, 30_000) for many in unevenly_spread(rng, n))]


def extent_of(p: Array) -> tuple[float, float]:
    size = np.abs(p)
    return float(size[size > 0].min(initial=2.0)), float(size.max())


def narrow(rng: np.random.Generator) -> list[Arguments]:
    """Scores in float32: all columns, columns that mirror each other, and one alone."""
    inputs: list[Arguments] = []
    for truth, p, weight in data(rng):
        n, k = p.shape[1:]
        q, size = p.astype(np.float32), max(1, n // 10)
        inputs.append((truth, q, weight, 0, k, *extent_of(q), size))
        inputs.append((truth, -np.log(q + 1e-6), weight, 0, k, *extent_of(np.log(q + 1e-6)), 1, False, True))
        if k == 2:
            one = q[:, :, 1:] ** np.float32(rng.choice([1, 1, 40]))  # down to sizes that only 64 bits hold with a class
            both = np.concatenate([1 - one, one], axis=2)
            inputs += [(truth, both, weight, 1, 2, *extent_of(both), size, True, False, a, True) for a in (0.0, np.inf)]
            inputs += [(truth, q, weight, 1, 2, *extent_of(q), size, True, False, a, False) for a in (0.0, np.inf)]
            inputs += [(truth, one, weight, j, j + 1, *extent_of(one), size, True) for j in (0, 1)]
    return inputs


def unevenly_spread(rng: np.random.Generator, n: int) -> list[Arguments]:
    """So many scores that they are sorted by buckets, most of them close to each other, tied, or of all sizes."""
    truth = rng.integers(0, 2, (1, n)).astype(np.int32)
    u = rng.random((1, n, 1))
    columns = [u, 1e-3 * u + 0.5, np.round(u, 2), u**60, 1 - 1e-3 * np.round(9 * u), np.where(u < 0.6, 0.25, u)]
    columns += [np.where(u < 0.5, 0.0, u), np.full_like(u, 0.75), np.exp(-300 * u)]
    weights = (None, rng.integers(0, 3, (1, n)).astype(float))
    inputs: list[Arguments] = []
    for column in columns:
        for held in (column, column.astype(np.float32)):
            for weight in weights:
                inputs.append((truth, held, weight, 1, 2, *extent_of(held), n // 10, True))
        wide = np.concatenate([column, 1 - column, column / 2], axis=2)
        inputs.append((rng.integers(0, 3, (1, n)).astype(np.int32), wide, None, 0, 3, *extent_of(wide), n // 10))
    return inputs


def tables(rng: np.random.Generator, square: bool = False) -> list[Arguments]:
    inputs = []
    for k in range(1, 10):
        for l in (k,) if square else (max(1, k - 1), k, k + 1):
            for highest in (2, 30, 5000, 10**8):
                t = rng.integers(0, highest, (7, k, l)).astype(float)
                t[0], t[1, 0], t[2] = 0, 0, 0
                t[2, 0, 0] = 3  # nothing; an empty row; a single cell
                inputs += [(t,), (t / 7,)]
    return inputs


def ragged(rng: np.random.Generator) -> list[Arguments]:
    """Lists of tables of any sizes."""
    each = [one for (t,) in tables(rng) for one in t]
    kinds = ("int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")
    each += [rng.integers(0, 9, (k, 1 + k % 4)).astype(kind) for kind in kinds for k in (2, 5, 8, 9)]
    return [([each[i] for i in rng.integers(0, len(each), size)],) for size in (1, 2, 5, 40, 41, 300)]


def uneven(rng: np.random.Generator) -> list[Arguments]:
    """The same, and what is not taken as it is."""
    one = np.array([[1.0, 2.0], [np.nan, 4.0]])
    strange = [one.T, one[0], np.ones((2, 2), int), one.astype(np.float32), one.tolist(), one[:0], one[::-1], -one]
    return [*ragged(rng), *(([one, x],) for x in strange), ([],), ([np.full((2, 3), np.inf)],)]


def censuses(rng: np.random.Generator) -> list[Arguments]:
    """From the start, and from tables in between."""
    inputs: list[Arguments] = [(k, [0] * (k * k - 1) + [n], 200) for k in (2, 3, 4) for n in (1, 2, 5, 24, 150)]
    for k in (2, 3, 5):
        for _ in range(8):
            cells = rng.multinomial(rng.integers(1, 40), np.full(k * k, 1 / k / k)).tolist()
            inputs.append((k, [*cells[:-2], 0, cells[-2] + cells[-1]], 300))
    return inputs


def one_by_one(rng: np.random.Generator) -> list[Arguments]:
    """Truth, probabilities and weights of one evaluation; also scores below 0, and so far apart, or so near each other,
    that not all of their bits fit a key beside the number of the case."""
    inputs = [(y[0], p[0], None if w is None else w[0]) for y, p, w, *given in held(rng) if not given]
    y = rng.integers(0, 300, 2000).astype(np.int32)
    x = rng.normal(size=(2000, 5)) * 10.0 ** rng.integers(-300, 300, (2000, 5))
    near = rng.choice([0.0, 1e-300, 1.0], (2000, 5)) + rng.integers(0, 4, (2000, 5)) * 2.0**-52
    return [*inputs, (y, x, None), (y, near, None), (y, -near, rng.random(2000))]


def many_columns(rng: np.random.Generator) -> list[Arguments]:
    """With a class that has no cases, as the last."""
    inputs: list[Arguments] = []
    for y, p, w in one_by_one(rng):
        m = int(y.max()) + 2
        place = np.minimum(np.arange(p.shape[1]), m - 1).astype(np.int32)
        inputs += [(y, p, w, place, rng.random(m), max(1, len(y) // part)) for part in (10, 2)]
    return inputs


def many_rows(rng: np.random.Generator) -> list[Arguments]:
    """In the order of their classes; the weight of one is 0."""
    inputs: list[Arguments] = []
    for y, p, w in one_by_one(rng):
        y = y % p.shape[1]
        weight = class_weights(y[None], None if w is None else w[None], p.shape[1])[0]
        weight[y[0]] *= rng.random() < 0.8
        inputs.append((y, np.abs(p), w, np.argsort(y, kind="stable"), weight, 1e-5))
    return inputs


def pair_tables(rng: np.random.Generator) -> list[Arguments]:
    inputs: list[Arguments] = []
    for k in range(1, 10):
        weight = rng.integers(0, 4, (11, k)).astype(float)
        weight[:, 0] += 1
        inputs.append((rng.random((11, k, k)), weight))
    return inputs


def lists(rng: np.random.Generator) -> list[Arguments]:
    """Of one type, and of others, at the ends of what it holds, too."""
    whole, real = rng.integers(-9, 9, 50).tolist(), rng.random(50).tolist()
    ends = [2**63 - 1, -(2**63)]
    plain = [whole, real, whole[:1], real[:1], ends, [1e308, -0.0, math.inf, math.nan]]
    others = [
        [],
        [*whole, 0.5],
        [*real, 1],
        [*whole, True],
        [True, False],
        [*whole, 2**63],
        [2**64, 1],
        [None, 1],
        ["a"],
    ]
    return [
        (values,) for values in plain + others + [[*whole, None], [*real, "a"], [np.float64(1)], [*real, np.int64(1)]]
    ]


def steps(rng: np.random.Generator) -> list[Arguments]:
    """Every operation on every pair of numbers, also at the ends of what there is: more than the small room holds."""
    facts = np.array([0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-320, 3.0])
    constants = np.array([-0.0, 7.0])
    size = len(facts) + len(constants)
    rows = [(code, a, b, (a + b) % size) for code in range(len(OPERATIONS)) for a in range(size) for b in range(size)]
    many = np.array(rows, np.int32)
    few, last = many[rng.integers(0, len(many), 20)], np.array([[0, size + 3, 1, 0]], np.int32)
    return [
        (taken, constants, outputs[::-1].copy(), facts, tuple(map(str, outputs)), {})
        for taken in (many, few, np.concatenate([few, last]), few[:0], few[::2].copy(), many[few[:, 1]])
        for outputs in [np.arange(size + len(taken), dtype=np.int32)]
    ]


def held(rng: np.random.Generator) -> list[Arguments]:
    """Truth, probabilities in both precisions, all columns or one of two, and weights."""
    inputs: list[Arguments] = []
    for y, p, w in data(rng):
        inputs += [(y, p, w), (y, p.astype(np.float32), w)]
        if p.shape[2] == 2:
            inputs += [(y, np.ascontiguousarray(p[:, :, j : j + 1]), w, j) for j in (0, 1)]
    return inputs


def binned(rng: np.random.Generator) -> list[Arguments]:
    """Also at the edges of bins."""
    edges = [np.arange(1, bins) / bins for bins in (1, 7, 10)]
    return [(y, p, w, e, *given) for y, p, w, *given in held(rng) for e in edges]


def single_columns(rng: np.random.Generator) -> list[Arguments]:
    """Scores that are not negative, and whose they are; enough to be sorted in each way."""
    columns = [rng.random(n) for n in (0, 1, 2, 100, 5000, 40_000)]
    columns += [np.round(x, 2) for x in columns] + [x * 0 for x in columns] + [x * 1e-310 - 0.0 for x in columns]
    columns += [-(x * 0) for x in columns] + [np.array([-0.0, 0.0, 1.0, np.inf])]
    columns += [x.astype(np.float32) for x in columns]
    return [(x, rng.random(len(x)) < 0.4) for x in columns]


INPUTS: dict[str, Callable[[np.random.Generator], list[Arguments]]] = {
    "score_counts": single_columns,
    "confidence_bins": binned,
    "class_bins": binned,
    "probability_facts": lambda rng: [
        (y[0], p[0], *((None, None) if w is None else (w[0], w[0] ** 2)), *given) for y, p, w, *given in held(rng)
    ],
    "integer_classes": labels,
    "text_classes": texts,
    "sizes": scored,
    "inspect": inspected,
    "plain_list": lists,
    "plain_arrays": arrays,
    "plain_batch": batches,
    "row_sums": rows,
    "pack": packs,
    "scan": scans,
    "sorted_scan": sorted_scans,
    "class_columns": many_columns,
    "class_rows": many_rows,
    "table_sums": tables,
    "table_overlap": tables,
    "table_logs": tables,
    "table_diagonal": tables,
    "cell_weights": lambda rng: [
        (truth, rng.integers(0, l, truth.shape).astype(np.int32), weight, p.shape[2], l)
        for truth, p, weight in data(rng)
        for l in (p.shape[2], p.shape[2] + 1)
    ],
    "class_weights": lambda rng: [(truth, weight, p.shape[2]) for truth, p, weight in data(rng)],
    "ragged_extent": uneven,
    "ragged_facts": lambda rng: [
        (*given, *parts) for given in ragged(rng) for parts in product((False, True), repeat=3)
    ],
    "ragged_relative": ragged,
    "census": censuses,
    "census_tables": lambda rng: [(k, cells, 35) for k, cells, _ in censuses(rng) if sum(cells) > 4],
    "confusion": lambda rng: tables(rng, square=True),
    "facts": lambda rng: [(one,) for (t,) in tables(rng) for one in t],
    "one_against_rest": tables,
    "relative": lambda rng: [(t, t.sum(axis=2)) for (t,) in tables(rng)],
    "pair_sums": pair_tables,
    "class_sums": lambda rng: [(np.ascontiguousarray(matrix[:, 0]), weight) for matrix, weight in pair_tables(rng)],
    "row_facts": lambda rng: [
        (y, p, d, w, class_weights(y, w, 2 if how[1:] else p.shape[2])[0], l, *how)
        for y, p, d, w, l, *how in rows(rng)
        if len(y) == 1
    ],
    "column_facts": lambda rng: [
        (a[:1], a[1:2], np.ascontiguousarray(a[:4, :1]), weight[0]) for a, weight in pair_tables(rng)
    ],
    "follow": steps,
}


# --------------------------------------------------------------------------------------------------- the twins agree


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_has_a_twin_of_the_same_signature_and_is_compared(kernel: str) -> None:
    readable, compiled = (
        [(p.name, p.default) for p in inspect.signature(kernels.twin(kernel, kind)).parameters.values()]
        for kind in ("numpy", "native")
    )
    assert readable == compiled
    assert kernel in INPUTS or kernel in ELSEWHERE, f"{kernel} is not compared"


@pytest.mark.parametrize("chapter", kernels.CHAPTERS)
def test_a_chapter_holds_the_kernels_that_are_listed(chapter: str) -> None:
    module = importlib.import_module(f"karat.kernels.{chapter}")
    public = {
        name
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
    }
    assert public == set(kernels.CHAPTERS[chapter])
    source = Path(str(module.__file__)).with_suffix(".pxi").read_text(encoding="utf-8")
    assert public == set(re.findall(r"^(?:def|cpdef \w+) (\w+)\(", source, re.MULTILINE))


def test_the_twins_look_up_the_same_objects() -> None:
    for (array,) in values(np.random.default_rng(3)):
        readable, compiled = (kernels.twin("object_classes", kind)(array) for kind in ("numpy", "native"))
        assert (readable is None) == (compiled is None)
        if readable is not None and compiled is not None:
            assert [*map(id, readable[0])] == [*map(id, compiled[0])]
            assert readable[1].tolist() == compiled[1].tolist()
            assert readable[2] == compiled[2] == {type(x) for x in array.tolist()}


def test_the_twins_take_the_same_whole_numbers_for_floats() -> None:
    one = np.array([[1, 2], [0, 2**31 - 1]])
    tables: list[Any] = [
        one.astype(kind) for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">i4")
    ]
    tables += [one.T, one[0], one[::-1], one + 2**53, -one - 2**53, one - 2**53, one.tolist(), None, one[:0], one > 0]
    readable, compiled = (kernels.twin("ragged_floats", kind)(tables) for kind in ("numpy", "native"))
    for given, a, b in zip(tables, readable, compiled, strict=True):
        assert (a is given) == (b is given)
        assert a is given or (a.dtype == b.dtype == np.float64 and a.tolist() == b.tolist() == given.tolist())
    assert sum(a is not b for a, b in zip(tables, compiled, strict=True)) == 9


def test_kernels_of_another_karat_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(native, "scan")
    with pytest.raises(ImportError, match="build them again"):
        runpy.run_path(str(kernels.__file__))


def test_karat_uses_the_twins_that_it_names() -> None:
    assert all(getattr(kernels, kernel) is kernels.twin(kernel, kernels.name) for kernel in KERNELS)


def flat(result: Any) -> list[Array]:
    """The arrays of a result, however it is packed."""
    if isinstance(result, tuple) or (isinstance(result, list) and isinstance(result[0], np.ndarray)):
        return [array for part in result for array in flat(part)]
    return [np.asarray(math.nan if result is None else result, float)]


def outcome(name: str, kind: str, arguments: Arguments) -> list[Array]:
    """What a kernel gives; of formulas, what they put under their symbols as well."""
    given = flat(kernels.twin(name, kind)(*arguments))
    return [*given, *flat([*arguments[-1].values()])] if name == "follow" else given


@pytest.mark.parametrize("held", [np.float64, np.float32])
def test_a_zero_with_a_sign_hides_no_row_that_is_not_exact(held: Any) -> None:
    """The quick look at pairs gives way to the long one at -0.0; the rows are not all [1 - p, p] even so."""
    exact = np.array([[1.0, -0.0], [0.75, 0.25]], held)
    other = np.array([[1.0, -0.0], [0.75, 0.25 + 2.0**-20]], held)
    for kind in ("numpy", "native"):
        seen = [kernels.twin("inspect", kind)(rows, 1e-3) for rows in (exact, other)]
        assert [bool(one[5]) for one in seen] == [True, False]
        assert [one[0] for one in seen] == [0, 0]


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 200])
def test_formulas_of_many_evaluations_are_those_of_each(n: int) -> None:
    """Facts that are the same of all, or that nobody needs, among them; values beside others that stay as they are."""
    rng = np.random.default_rng(n)
    ends = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-320, 3.0, 1e300])
    for many, constants, *_ in steps(rng):
        taken = many[(many[:, 1:] != 5).all(axis=1)] if len(many) < 100 else many[many[:, 1:].min(axis=1) > 5]
        facts: list[Any] = [rng.choice(ends, n), rng.choice(ends, (n, 1)), 0.5, np.float64(3), rng.random(2 * n)[::2]]
        facts += [None, np.nan, rng.choice([True, False], n)]
        size = len(facts) + len(constants)
        outputs = np.array([i for i in range(size + len(taken)) if i != 5], np.int32)
        symbols = tuple(map(str, outputs))
        held = [0.0 if x is None else x for x in facts]
        for kind in ("numpy", "native"):
            room = np.full((len(outputs), n + 3), 9.0)
            kernels.twin("follow_many", kind)(taken, constants, outputs, facts, room[:, 1 : n + 1])
            assert (room[:, 0] == 9).all()
            assert (room[:, n + 1 :] == 9).all()
            for i in range(n):
                one = np.array([np.ravel(x)[i if np.size(x) > 1 else 0] for x in held], float)
                values: dict[str, float] = {}
                kernels.twin("follow", kind)(taken, constants, outputs, one, symbols, values)
                np.testing.assert_array_equal(room[:, i + 1], [*values.values()])


def test_facts_of_other_evaluations_are_refused() -> None:
    out = np.empty((1, 3))
    with pytest.raises(ValueError, match="neither one number nor one for each"):
        kernels.twin("follow_many", "native")(
            np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(1, np.int32), [np.ones(2)], out
        )


@pytest.mark.parametrize(("code", "function"), [(5, np.log), (6, np.exp)])
def test_logarithm_and_power_of_e_are_off_by_no_more_than_the_last_digit(code: int, function: Any) -> None:
    rng = np.random.default_rng(code)
    near, wide = 1 + rng.normal(size=2000) * 2.0 ** -rng.integers(0, 53, 2000), rng.normal(size=2000) * 300
    ends = np.array([0.0, 5e-324, 1e-310, 2.2e-308, 1.7e308, np.inf, np.nan, 709.7, 709.8, 710.5, 1e4, 745, 746])
    x = np.concatenate([near, wide, np.exp(wide / 2), -np.exp(wide / 2), np.arange(50.0), ends, -ends])
    step, out = np.array([[code, 0, 0, 0]], np.int32), np.empty((1, len(x)))
    kernels.twin("follow_many", "native")(step, np.zeros(0), np.ones(1, np.int32), [x], out)
    with np.errstate(all="ignore"):
        expected = function(x)
    np.testing.assert_array_equal(np.isnan(out[0]), np.isnan(expected))
    defined = ~np.isnan(expected)
    np.testing.assert_array_max_ulp(out[0][defined], expected[defined], 2)
    assert (out[0][x == (1 if code == 5 else 0)] == (0 if code == 5 else 1)).all()


def test_twins_take_negative_sums_of_scores_without_a_warning() -> None:
    """A class whose scores cancel its cases; the readable twin warned of a division by 0."""
    table = np.array([[[2.0, -1.0], [-3.0, 1.0]]])
    readable, compiled = (kernels.twin("table_overlap", kind)(table) for kind in ("numpy", "native"))
    np.testing.assert_array_equal(readable, compiled)


@pytest.mark.parametrize("name", INPUTS)
def test_twins_give_the_same_numbers(name: str) -> None:
    inputs = INPUTS[name](np.random.default_rng(20260101))
    wrong = []
    for i, arguments in enumerate(inputs):
        copies = arguments if name != "scan" else (arguments[0].copy(), *arguments[1:])  # compiled, it uses up its keys
        with np.errstate(all="ignore"):
            expected, compiled = outcome(name, "numpy", arguments), outcome(name, "native", copies)
        if name == "inspect" and expected[0]:  # a problem and its row; what was seen before it is not said
            expected, compiled = expected[:2], compiled[:2]
        assert len(expected) == len(compiled)
        for part, (a, b) in enumerate(zip(expected, compiled, strict=True)):
            scale = np.abs(a[np.isfinite(a)]).max(initial=1.0)
            if a.shape != b.shape or not np.allclose(b, a, rtol=1e-11, atol=1e-13 * scale, equal_nan=True):
                shapes = [np.shape(x) for x in arguments]
                wrong.append(f"input {i} {shapes}, part {part}: numpy {a.ravel()[:6]}, native {b.ravel()[:6]}")
    assert len(inputs) > 5
    assert not wrong, f"{len(wrong)} of {len(inputs)}:\n" + "\n".join(wrong[:10])


# ------------------------------------------------------------------------------- whole walks, against literal loops


def logistic(z: Array) -> Array:
    return 1 / (1 + np.exp(-z))


def hard_cases() -> dict[str, tuple[Array, Array, bool]]:
    """Truth, scores, and whether they are probabilities."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 90)
    y3 = rng.integers(0, 3, 90)
    z = rng.normal(size=90) + y
    cases: dict[str, tuple[Array, Array, bool]] = {}

    def two(name: str, p0: Array, p1: Array) -> None:
        cases[name] = (y, np.clip(np.column_stack([p0, p1]), 0, 1), True)

    far = 45 + 20 * rng.random(90)
    two("saturated: p1 is 1, p0 distinct and tiny", logistic(-far), logistic(far))
    two("saturated on both sides", logistic(-60 * (2 * z - 1)), logistic(60 * (2 * z - 1)))
    two("p0 is 1 - p1", 1 - logistic(z), logistic(z))
    two("p0 is 1 - p1, with ties", 1 - np.round(logistic(z), 1), np.round(logistic(z), 1))
    near = 0.5 + rng.integers(-3, 4, 90) * 2.0**-53
    two("near ties, p0 within rounding of 1 - p1", 1 - near + rng.integers(-1, 2, 90) * 2.0**-54, near)
    clusters = rng.choice([0.1, 0.3, 0.7], 90) * (1 + rng.integers(-2, 3, 90) * 2.0**-52)
    two("near ties in clusters", 1 - clusters, clusters)
    few = (np.arange(90) + 0.5) / 90
    two("sums within 1e-7, far apart", 1 - few + rng.uniform(-1e-7, 1e-7, 90), few)
    two("sums within 1e-7, near ties", 1 - np.round(few, 1) + rng.uniform(-1e-7, 1e-7, 90), np.round(few, 1))
    single = logistic(z).astype(np.float32)
    two("single precision", (1 - logistic(z)).astype(np.float32).astype(float), single.astype(float))
    tiny = 10.0 ** -rng.integers(0, 320, 90)
    two("down to 1e-319", 1 - tiny, tiny)
    for k in (3, 5):  # with five classes the keys of such scores do not fit
        many = rng.dirichlet(np.ones(k), 90)
        many[:, 1:] *= 10.0 ** -rng.integers(0, 309, (90, k - 1))
        many[:, 0] = 1 - many[:, 1:].sum(axis=1)
        cases[f"{k} classes, down to 1e-308"] = (rng.integers(0, k, 90), many, True)
    cases["three classes, certain"] = (y3, np.eye(3)[rng.integers(0, 3, 90)], True)
    cases["negative scores"] = (y3, np.round(rng.normal(size=(90, 3)) * 4) / 4, False)
    cases["scores above one"] = (y, 10.0 ** rng.uniform(-2, 9, (90, 2)), False)
    crowded = np.where(rng.random(90) < 0.1, rng.random(90), 0.5 + 1e-9 * rng.random(90))  # nearly all in one place
    cases["crowded around one half"] = (y, np.stack([1 - crowded, crowded], axis=1), True)
    rare = 10.0 ** rng.uniform(-12, 0, 90)
    cases["most of them tiny"] = (y, np.stack([1 - rare, rare], axis=1), True)
    cases["huge scores"] = (y, rng.normal(size=(90, 2)) * 1e300, False)
    cases["scores of both signs around zero"] = (y, rng.integers(-1, 2, (90, 2)) * 5e-324, False)
    return cases


HARD = hard_cases()


def won(y: Array, x: Array, j: int, c: int) -> float:
    """AUC(j, c) by a double loop."""
    own, other = x[y == j, j].tolist(), x[y == c, j].tolist()
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a in own for b in other) / (len(own) * len(other))


@pytest.mark.parametrize("twin", ["numpy", "native"])
@pytest.mark.parametrize("name", HARD)
def test_walks_are_exact_where_scores_are_hard(name: str, twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel in INPUTS:
        monkeypatch.setattr(kernels, kernel, kernels.twin(kernel, twin))
    y, x, probabilities = HARD[name]
    k = x.shape[1]
    e = karat.evaluate(y, labels=range(k), **{"y_proba" if probabilities else "y_score": x.copy()})
    pairs = e.pairs().columns
    for j in range(k):
        for c in range(k):
            if j != c:
                assert pairs[str(c)][j] == pytest.approx(won(y, x, j, c), rel=1e-13), f"AUC({j}, {c})"
    if probabilities:
        case = Case.of(y.tolist(), x.tolist(), k=k, l=k)
        for symbol in ("AU1U", "AUNP", "SAUC", "CalL", "CalB"):
            assert e[symbol] == pytest.approx(ORACLES[symbol](case), rel=1e-11, abs=1e-13), symbol


def test_hard_cases_are_what_they_say() -> None:
    """The two ways of sorting, and the two ways of two classes, are all taken."""

    def packed(name: str) -> bool:
        y, x, probabilities = HARD[name]
        extent = Predictions.of(y, labels=range(x.shape[1]), **{"y_proba" if probabilities else "y_score": x}).extent
        assert extent is not None
        return not extent.negative and packing(x[None]) is not None

    assert [name for name in HARD if not packed(name)] == [
        "5 classes, down to 1e-308",
        "negative scores",
        "huge scores",
        "scores of both signs around zero",
    ]
    _, x, _ = HARD["saturated: p1 is 1, p0 distinct and tiny"]
    assert len(np.unique(x[:, 1])) == 1
    assert len(np.unique(x[:, 0])) == 90
    assert columns(Predictions.of(HARD["p0 is 1 - p1"][0], x))[0][0].shape == (2, 2)


PROGRAM = """
import json, numpy as np, karat
values = []
for k, n, weighted in ((2, 200, False), (2, 7, True), (3, 150, False), (5, 90, True), (3, 1, False)):
    rng = np.random.default_rng(k * n)
    p = rng.dirichlet(np.full(k, .5), n)
    p = np.vstack([p[: n // 2], np.eye(k)[rng.integers(0, k, n - n // 2)]])
    weight = rng.random(n) if weighted else None
    e = karat.evaluate(rng.integers(0, k, n), p, labels=range(k), sample_weight=weight, positive=1)
    karat.evaluate(rng.integers(0, k, n), y_score=-3 * p, labels=range(k)).values()  # may not warn
    values.append(e.to_dict(list(karat.catalogue.measures)))
print(json.dumps({"kernels": karat.show_versions()["kernels"], "values": values}))
"""


def test_the_environment_chooses_and_nothing_else_changes() -> None:
    def run(**more: str) -> Any:
        environment = {k: v for k, v in os.environ.items() if k != "KARAT_KERNELS"} | more
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    fast, plain, portable = run(), run(KARAT_KERNELS="numpy"), run(KARAT_KERNELS="portable")
    assert (fast["kernels"], plain["kernels"]) == ("native", "numpy")
    assert json.dumps(fast) == json.dumps(portable)  # to the last bit, whatever the processor can do
    for a, b in zip(fast["values"], plain["values"], strict=True):
        values, others = a.pop("measures"), b.pop("measures")
        assert a == b
        assert values.keys() == others.keys()
        for symbol, value in values.items():
            same = value == others[symbol] or math.isclose(value, others[symbol], rel_tol=1e-12, abs_tol=1e-12)
            assert same, f"{symbol}: native {value}, numpy {others[symbol]}"


@pytest.mark.parametrize("twin", ["numpy", "native"])
@pytest.mark.parametrize("scale", [1.0, 0.125, 2.0**60])
def test_what_truth_and_decisions_share_is_exact_however_little_it_is(scale: float, twin: str) -> None:
    """From products of their margins to tables in which each says all of the other, by decimals of 50 digits."""
    tables = [
        many * np.outer(rows, columns) + more * np.eye(len(rows), len(columns))
        for rows, columns in (([3, 5], [4, 9]), ([2, 7, 1], [5, 3, 8]), ([1, 30], [40, 1]), ([1, 2], [3, 1, 2]))
        for many, more in ((1000, 0), (1000, 1), (100, 3), (10, 3), (10, 30), (1, 10), (1, 30), (1, 1000), (0, 7))
    ]
    _, logs, _ = kernels.twin("ragged_facts", twin)([scale * table for table in tables], False, True, False)
    with localcontext(prec=50):
        for table, found in zip(tables, logs[4], strict=True):
            x = [[Decimal(cell) for cell in row] for row in table.tolist()]
            t, u = [sum(row) for row in x], [sum(column) for column in zip(*x, strict=True)]
            cells = [(c, c * sum(t) / t[i] / u[j]) for i, row in enumerate(x) for j, c in enumerate(row) if c]
            assert found / scale == pytest.approx(float(sum(c * share.ln() for c, share in cells)), rel=1e-12, abs=0)


def test_windows_that_cut_ties_stay_within_their_room() -> None:
    """Nearly all cases of the class, and most of them tied: rounding may count more hits than a window has cases."""
    rng = np.random.default_rng(7)
    readable, compiled = (kernels.twin("sorted_scan", kind) for kind in ("numpy", "native"))
    for _ in range(400):
        n = int(rng.integers(2, 700))
        p = np.where(rng.random((1, n, 2)) < 0.9, 1.0, np.round(rng.random((1, n, 2)), 2) + 0.01)
        truth = np.ones((1, n), np.int32)
        truth[0, : int(rng.integers(0, 3))] = 0
        given = (truth, p, None, 0, 2, float(p.min()), float(p.max()), max(1, n // 10))
        for left, right in zip(readable(*given), compiled(*given), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("twin", ["numpy", "native"])
@pytest.mark.parametrize("pairs", [1, 90, 140])
@pytest.mark.parametrize("size", [0, 30])
@pytest.mark.parametrize("of_last", [1.0, 0.0, -1.0])
def test_scores_so_close_that_the_other_column_may_have_another_order(
    of_last: float, size: int, pairs: int, twin: str
) -> None:
    """Of pairs of neighbours in one column all are in reverse order in the other, but the last may be tied there, or in
    the same order. 140 pairs are more than are looked up."""
    rng = np.random.default_rng(pairs)
    n, step = 600, 2.0**-52
    p = rng.permutation(np.arange(1, n + 1)) / (n + 2)
    above = np.argsort(p)[-2 * pairs :].reshape(-1, 2)
    p[above[:, 1]] = p[above[:, 0]] + step
    q = 1 - p
    q[above[:, 1]] = q[above[:, 0]] - step
    q[above[-1, 1]] = q[above[-1, 0]] - step * of_last
    truth = rng.integers(0, 2, n)
    truth[above] = rng.permuted(np.tile([0, 1], (pairs, 1)), axis=1)
    scores = np.stack([q, p], axis=1)[None]
    given = (truth[None].astype(np.int32), scores, None, 1, 2, float(scores.min()), float(scores.max()), size)
    wins = kernels.twin("sorted_scan", twin)(*given, True, False, 1e-15, False)[0][0]
    for j, x in enumerate((q, p)):
        own, other = x[truth == j][:, None], x[truth != j]
        assert wins[j, 1 - j] == (own > other).sum() + (own == other).sum() / 2


def single_columns() -> dict[str, Array]:
    """Pairs of float32 that add up to one, but for rounding: many enough that one sort may serve both columns."""
    rng = np.random.default_rng(3)
    z = rng.normal(size=9000)
    q, single = logistic(z), np.float32
    one_by_one = np.stack([1 - q, q], axis=1).astype(single)
    far, above, ends = one_by_one.copy(), np.full((9000, 2), 0.5, single), one_by_one.copy()
    far[77, 0] -= single(1e-5)
    above[:, 1] = np.nextafter(single(0.5), single(1))
    above[::2, 0] = above[0, 1]
    ends[::3], ends[1::3] = [-0.0, 1.0], [1.0, 0.0]
    next_to = [np.nextafter(one_by_one, single(end)).clip(0, 1) for end in (0, 1)]
    wide = np.exp(-rng.random(9000) * 40)
    crowds = []
    for spread in (1e-4, 1e-6):
        rows = np.stack([0.7 - z * spread, 0.3 + z * spread], axis=1)
        rows = np.where(rng.random((9000, 1)) < 0.5, rows, rows[:, ::-1]).astype(single)
        lower = (rows > 0.5) & (rng.random((9000, 1)) < 0.3)
        crowds.append(np.where(lower, np.nextafter(rows, single(0)), rows))
    return {
        "each rounded alone": one_by_one,
        "either of them is off": np.where(rng.random((9000, 1)) < 0.5, one_by_one, next_to[1]),
        "all are below one": np.stack([one_by_one[:, 0], next_to[0][:, 1]], axis=1),
        "some are out of order": crowds[0],
        "most are out of order": crowds[1],
        "one row is too far off": far,
        "equal ones": np.round(one_by_one, 2),
        "zeros and ones": ends,
        "all next to one half": (0.5 + (one_by_one - 0.5) * single(1e-6)).astype(single),
        "some above one half": above,
        "all above one half": np.full((9000, 2), above[0, 1]),
        "nothing but zeros and ones": np.eye(2, dtype=single)[rng.integers(0, 2, 9000)],
        "close to one": np.stack([1 - wide**0.25 / 2000, wide**0.25 / 2000], axis=1).astype(single),
        "close to one, and off": np.stack([next_to[0][:, 0] ** single(1e-5), 1e-6 + wide / 1e6], 1).astype(single),
        "too wide for one key": np.stack([wide, 1 - wide], axis=1).astype(single),
    }


@pytest.mark.parametrize("size", [0, 900])
@pytest.mark.parametrize("name", single_columns())
def test_one_sort_of_two_columns_gives_what_two_give(name: str, size: int) -> None:
    """To the last bit."""
    p = single_columns()[name][None]
    truth = np.random.default_rng(4).integers(0, 2, (1, 9000)).astype(np.int32)
    ends = float(p[p > 0].min()), float(p.max())
    compiled = kernels.twin("sorted_scan", "native")
    once = compiled(truth, p, None, 1, 2, *ends, size, True, False, math.inf)
    apart = compiled(truth, p, None, 0, 2, *ends, size)
    for one, other in zip(once, apart, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("twin", ["numpy", "native"])
def test_a_negative_zero_is_found_among_scores_that_are_close(twin: str) -> None:
    """Two scores next to 0 whose complements are both 1: a tie in the other column."""
    p = np.array([-0.0, 1e-17, 0.3, 0.6, 0.9])
    truth = np.array([[0, 1, 0, 1, 1]], np.int32)
    scores = np.stack([1 - p, p], axis=1)[None]
    for _ in range(50):
        wins = kernels.twin("sorted_scan", twin)(truth, scores, None, 1, 2, 1e-17, 1.0, 1, True, False, 1e-15, False)[0]
        assert (wins[0, 0, 1], wins[0, 1, 0]) == (3 + 1 + 0.5, 6 - 1)


def heaps(rng: np.random.Generator, n: int, width: int) -> Any:
    """Wide keys in two heaps far apart, that differ in their lowest bits alone."""
    return rng.integers(0, 1 << width, n).astype(np.uint64) + (rng.integers(0, 2, n).astype(np.uint64) << np.uint64(60))


@pytest.mark.parametrize("twin", ["numpy", "native"])
@pytest.mark.parametrize("n", [1, 2, 64, 65, 700, 1024, 1025, 2500, 30_000])
def test_keys_are_sorted_whatever_they_are(n: int, twin: str) -> None:
    rng = np.random.default_rng(n)
    kinds = [rng.integers(0, 1 << 61, n).astype(np.uint64), rng.random(n).view(np.uint64), np.full(n, 6, np.uint64)]
    kinds += [np.round(rng.random(n), 2).view(np.uint64), heaps(rng, n, 3), heaps(rng, n, 30)]
    kinds += [np.full(n, 6, np.uint64) + np.append(rng.integers(0, 2, n - 1), 9).astype(np.uint64)]
    for keys in [*kinds, *((keys >> np.uint64(32)).astype(np.uint32) for keys in kinds)]:
        found = keys.copy()
        kernels.twin("sort_pairs", twin)(found)
        assert found.tolist() == sorted(keys.tolist())


@pytest.mark.parametrize("twin", ["numpy", "native"])
def test_very_many_narrow_keys_are_sorted(twin: str) -> None:
    """A digit at a time; one that all of them share is passed over."""
    rng = np.random.default_rng(11)
    n = 1_600_001
    for low, high in ((0, 1 << 32), (0, 1 << 9), (7 << 25, 8 << 25)):
        keys = rng.integers(low, high, n).astype(np.uint32)
        found = keys.copy()
        kernels.twin("sort_pairs", twin)(found)
        assert np.array_equal(found, np.sort(keys, kind="stable"))


def test_sums_over_very_many_windows_do_not_leave_their_bits() -> None:
    """Hits times places add up to 3e19 here, as with 20 million cases and windows of a tenth: CalB came out below 0."""
    n, size = 6_000_000, 3_000_000
    rng = np.random.default_rng(3)
    p = np.linspace(0.05, 0.45, n)
    truth = (rng.random(n) < 0.9).astype(np.int32)
    # every share of a window is above every score: the error is the share less the mean of the scores
    hits, scores = (np.append(0.0, np.cumsum(x)) for x in (truth, p))
    share, mean = (np.mean(x[size:] - x[:-size]) / size for x in (hits, scores))
    sums = kernels.sorted_scan(truth[None], p[None, :, None], None, 1, 2, 0.05, 0.45, size, True)[2]
    assert sums[2, 0, 1] == pytest.approx(share - mean, abs=1e-9)


def test_kernels_that_nobody_knows_are_not_chosen() -> None:
    surroundings = os.environ | {"KARAT_KERNELS": "fast"}
    words = [sys.executable, "-c", "import karat.kernels"]
    done = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=False)
    assert "KARAT_KERNELS is 'fast'; set it to numpy, native or portable" in done.stderr
