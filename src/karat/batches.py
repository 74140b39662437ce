"""Many evaluations at once: of one size (`evaluate_batch`), or of matrices of any sizes (`evaluate_matrices`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.data import Matrix, Predictions
from karat.measures.lookup import Named, measures_named
from karat.measures.value import MeasureOf
from karat.statistics import Counts, OneShapeError, RaggedCounts, Summary


def evaluate_batch(y_true: Any, y_proba: Any, measures: Named | None = None) -> dict[str, Array]:
    """The measures of many evaluations of one size at once, as arrays.

    `y_true` holds places 0..k-1 of shape (..., n); `y_proba` has the shape (..., n, k), or (..., n) for two classes.
    All headline measures unless others are named; nan where undefined.

    >>> values = evaluate_batch([[0, 1, 1], [1, 0, 1]], [[0.2, 0.7, 0.4], [0.9, 0.3, 0.8]], ["Acc", "AUNU"])
    >>> [round(float(x), 3) for x in values["Acc"]]
    [0.667, 1.0]
    """
    wanted = [MeasureOf(m) for m in measures_named(measures)]
    for m in wanted:
        if m.measure.classwise:
            raise InputError(f"{m.measure.symbol} is a measure of one class; a batch takes measures of all classes.")
        if m.of_score_tables:
            raise InputError(
                f"{m.measure.symbol} needs a score table of each class; evaluate one set of predictions at a time."
            )
    blocks = isinstance(y_true, np.ndarray) and isinstance(y_proba, np.ndarray) and y_true.ndim > 1
    if not (blocks and y_true.shape == y_proba.shape[: y_true.ndim] and len(y_true) > BLOCK):
        return _batch(y_true, y_proba, wanted)
    parts = [_batch(y_true[b : b + BLOCK], y_proba[b : b + BLOCK], wanted) for b in range(0, len(y_true), BLOCK)]
    return {symbol: np.concatenate([part[symbol] for part in parts]) for symbol in parts[0]}


BLOCK, TABLES, CELLS = 8192, 256, 1 << 16
"""Evaluations of a batch, matrices, and cells of matrices of one shape, done at a time: they should stay in the
processor's cache."""


def _batch(truth: Any, proba: Any, wanted: list[MeasureOf]) -> dict[str, Array]:
    summary = Summary(Predictions.batch(truth, proba))
    with np.errstate(all="ignore"):
        return {m.measure.symbol: m.values(m.statistic(summary)) for m in wanted}


def evaluate_matrices(matrices: Iterable[Any], measures: Named | None = None) -> dict[str, Array]:
    """The measures of many confusion matrices, of any sizes, as arrays in the order of the matrices.

    All headline measures of decisions unless others are named; nan where undefined.

    >>> values = evaluate_matrices([[[3, 1], [2, 4]], [[3, 0, 0], [0, 1, 2], [2, 1, 3]]], ["MCC", "CEN"])
    >>> [round(float(x), 4) for x in values["CEN"]]
    [0.7944, 0.4638]
    """
    named = measures_named(measures)
    wrong = [m.symbol for m in named if m.statistic is not Counts or m.classwise]
    if wrong and measures is not None:
        raise InputError(f"{' '.join(wrong)} can't be had of a bare matrix; name measures of decisions of all classes.")
    wanted = {m.symbol: MeasureOf(m) for m in named if m.symbol not in wrong}
    given = matrices if isinstance(matrices, list) else list(matrices)
    parts: dict[str, list[Array]] = {symbol: [] for symbol in wanted}
    by_shape: dict[str, MeasureOf] = {}
    tables: list[Array] = []
    with np.errstate(all="ignore"):
        for i in range(0, len(given), TABLES):
            counts = RaggedCounts(*Matrix.many(given[i : i + TABLES]))
            tables += counts.tables
            for symbol, m in wanted.items():
                if symbol not in by_shape:
                    try:
                        parts[symbol].append(m.values(counts))
                    except OneShapeError:
                        by_shape[symbol] = m
        if by_shape:
            parts |= {symbol: [values] for symbol, values in _of_each_shape(by_shape, tables).items()}
    return {symbol: np.concatenate(values) if values else np.empty(0) for symbol, values in parts.items()}


def _of_each_shape(wanted: dict[str, MeasureOf], tables: list[Array]) -> dict[str, Array]:
    """The measures of tables of any sizes, those of one shape together."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(tables):
        shapes.setdefault(table.shape, []).append(i)
    out = {symbol: np.empty(len(tables)) for symbol in wanted}
    for shape, places in shapes.items():
        at_once = max(1, CELLS // math.prod(shape))
        for part in (places[i : i + at_once] for i in range(0, len(places), at_once)):
            counts = Counts(np.stack([tables[i] for i in part]))
            for symbol, m in wanted.items():
                out[symbol][part] = m.values(counts)
    return out
