"""Many evaluations at once: of one size (`evaluate_batch`), or of matrices of any sizes (`evaluate_matrices`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, type_words
from karat.core.keywords import understand
from karat.core.words import listed
from karat.data import Matrix, Predictions
from karat.data.arrays import LARGEST_EXACT_WHOLE
from karat.data.containers import readable
from karat.measures.lookup import Named, measures_named
from karat.measures.value import MeasureOf, values_of_many
from karat.measures.written_formulas import written_of
from karat.statistics import Counts, OneShapeError, RaggedCounts, RaggedLot, Summary

NO_LABELS = "pass the confusion matrices of predicted labels to karat.evaluate_matrices"
NUMBERED = "classes are the numbers 0 to k - 1 here, and 1 is the positive of two"
UNWEIGHTED = "use karat.evaluate for cases with weights"
"""What people try on a batch, and what to do instead."""


@understand(y_pred=NO_LABELS, labels=NUMBERED, positive=NUMBERED, sample_weight=UNWEIGHTED)
def evaluate_batch(y_true: Any, y_proba: Any, measures: Named | None = None) -> dict[str, Array]:
    """Evaluate many sets of predictions of one size at once.

    Parameters
    ----------
    y_true : array-like of int, shape (..., n)
        The true class of each case, as a number 0 to k - 1. One row of cases may serve all evaluations.
    y_proba : array-like of float, shape (..., n, k) or (..., n)
        The probabilities of the k classes; without the last axis, those of class 1 of two classes. Rows sum to 1 within
        1e-6 (float32: 3.5e-4, float16: 0.031).
    measures : str or sequence of str, optional
        Names, symbols or aliases of measures of all classes. The default is "papers", the 27 of the papers.

    Returns
    -------
    dict of str to ndarray
        The symbol of each measure, and its values in the shape (...); nan where a measure is undefined.

    Raises
    ------
    InputError
        If shapes do not fit, labels are not the numbers of classes, or probabilities are not probabilities.

    See Also
    --------
    karat.evaluate : one set of predictions.
    karat.evaluate_matrices : many confusion matrices.

    Examples
    --------
    >>> values = evaluate_batch([[0, 1, 1], [1, 0, 1]], [[0.2, 0.7, 0.4], [0.9, 0.3, 0.8]], ["Acc", "AUNU"])
    >>> [round(float(x), 3) for x in values["Acc"]]
    [0.667, 1.0]
    """
    wanted = [MeasureOf(m) for m in measures_named(measures)]
    for m in wanted:
        if m.measure.classwise:
            raise InputError(
                f"{m.measure.symbol} is a measure of one class; name measures of all classes, such as "
                f"macro({m.measure.symbol})."
            )
        if m.of_score_tables:
            raise InputError(
                f"{m.measure.symbol} needs a score table of each class, which batches do not make; use karat.evaluate "
                "on one set of predictions at a time."
            )
    blocks = isinstance(y_true, np.ndarray) and isinstance(y_proba, np.ndarray) and y_true.ndim > 1
    if not (blocks and y_true.shape == y_proba.shape[: y_true.ndim] and len(y_true) > BLOCK):
        return _batch(y_true, y_proba, wanted)
    symbols = list(dict.fromkeys(m.measure.symbol for m in wanted))
    room = np.empty((len(symbols), *y_true.shape[:-1]))  # one for all values, which the system gives in large pages
    values = dict(zip(symbols, room, strict=True))
    for b in range(0, len(y_true), BLOCK):
        for symbol, part in _batch(y_true[b : b + BLOCK], y_proba[b : b + BLOCK], wanted).items():
            values[symbol][b : b + BLOCK] = part
    return values


BLOCK, TABLES, CELLS = 8192, 8192, 1 << 16
"""Evaluations of a batch, matrices, and cells of matrices of one shape, done at a time: they should stay in the
processor's cache."""


def _batch(truth: Any, proba: Any, wanted: list[MeasureOf]) -> dict[str, Array]:
    predictions = Predictions.batch(truth, proba)
    summary = Summary(predictions)
    summary.asked = {m.kind for m in wanted}
    with np.errstate(all="ignore"):
        return values_of_many(tuple(m.measure for m in wanted), summary.get, predictions.lead)


@understand
def evaluate_matrices(matrices: Iterable[Any], measures: Named | None = None) -> dict[str, Array]:
    """Evaluate many confusion matrices, of any sizes, at once.

    Parameters
    ----------
    matrices : iterable of array-like, each of shape (k, l)
        Counts, true classes in rows and predicted classes in columns; or one array of shape (matrices, k, l).
    measures : str or sequence of str, optional
        Names, symbols or aliases of measures that a confusion matrix defines for all classes. The default is those
        among the 27 of the papers.

    Returns
    -------
    dict of str to ndarray
        The symbol of each measure, and its values in the order of the matrices; nan where a measure is undefined.

    Raises
    ------
    InputError
        If something is no matrix of counts, or a measure is not defined by a matrix.

    See Also
    --------
    karat.evaluate_matrix : one confusion matrix.
    karat.evaluate_batch : many sets of predictions.

    Examples
    --------
    >>> values = evaluate_matrices([[[3, 1], [2, 4]], [[3, 0, 0], [0, 1, 2], [2, 1, 3]]], ["MCC", "CEN"])
    >>> [round(float(x), 4) for x in values["CEN"]]
    [0.7944, 0.4638]
    """
    named = measures_named(measures)
    wrong = [m.symbol for m in named if m.statistic is not Counts or m.classwise]
    if wrong and measures is not None:
        raise InputError(
            f"{listed(wrong)} {'is' if len(wrong) == 1 else 'are'} not available from a confusion matrix; name "
            "measures of predicted labels, of all classes."
        )
    wanted = {m.symbol: MeasureOf(m) for m in named if m.symbol not in wrong}
    given = _listed_matrices(matrices)
    room = np.empty((len(wanted), len(given)))  # one for all: a large one lies on large pages
    formulas = written_of(tuple(m.measure for m in wanted.values()))
    values = dict(zip(sorted(wanted, key=lambda symbol: symbol not in formulas.symbols), room, strict=True))
    by_shape: dict[str, MeasureOf] = {}
    parts = range(0, len(given), TABLES)
    lot = RaggedLot(min(len(given), TABLES))
    with np.errstate(all="ignore"):
        for i in parts:
            counts = RaggedCounts(*Matrix.many(given[i : i + TABLES]), lot)
            formulas.of_many({Counts: counts}.__getitem__, room[: len(formulas.symbols), i : i + TABLES])
            for symbol, m in wanted.items():
                if symbol not in by_shape and symbol not in formulas.symbols:
                    try:
                        values[symbol][i : i + TABLES] = m.values(counts)
                    except OneShapeError:
                        by_shape[symbol] = m
        if by_shape:
            tables = [table for i in parts for table in Matrix.many(given[i : i + TABLES])[0]]
            values |= _of_each_shape(by_shape, tables)
    return {symbol: values[symbol] for symbol in wanted}


def _listed_matrices(matrices: Any) -> list[Any]:
    expected = "a list of confusion matrices, or an array of shape (matrices, k, l)"
    given = matrices if isinstance(matrices, list | tuple) else readable(matrices, "matrices", expected)
    if isinstance(given, np.ndarray):
        several = given.ndim == 3
    else:
        rows = given[0] if isinstance(given, list | tuple) and given else ()
        several = isinstance(given, list | tuple) and not (isinstance(rows, list | tuple) and _is_plain_row(rows))
    if not several:
        raise InputError(
            f"matrices is {type_words(matrices)}, but not of matrices; give {expected}, or pass one matrix to "
            "karat.evaluate_matrix."
        )
    if isinstance(given, np.ndarray):
        whole = given.dtype.kind in "biu" and given.size > 0 and int(given.max()) <= LARGEST_EXACT_WHOLE
        return list(np.ascontiguousarray(given, dtype=np.float64 if whole else None))  # all at once
    return given if isinstance(given, list) else list(given)


def _is_plain_row(row: Any) -> bool:
    return len(row) > 0 and not any(hasattr(cell, "__len__") for cell in row)


def _of_each_shape(wanted: dict[str, MeasureOf], tables: list[Array]) -> dict[str, Array]:
    """The measures of tables of any sizes, those of one shape together."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for i, table in enumerate(tables):
        shapes.setdefault(table.shape, []).append(i)
    out = {symbol: np.empty(len(tables)) for symbol in wanted}
    for shape, places in shapes.items():
        at_once = max(1, CELLS // math.prod(shape))
        for part in (places[i : i + at_once] for i in range(0, len(places), at_once)):
            counts = Counts(np.stack([tables[i] for i in part]).astype(np.float64, copy=False))
            for symbol, m in wanted.items():
                out[symbol][part] = m.values(counts)
    return out
