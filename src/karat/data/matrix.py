"""A bare confusion matrix: rows are the true classes, columns the predicted ones (more columns than rows: a reject
option)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ShapeError, option, quoted
from karat.core.statistic import Needs
from karat.data.arrays import numbers
from karat.data.containers import readable
from karat.data.labels import class_order, positive_place

SMALLEST_COUNT, LARGEST_COUNT = 1e-70, 1e70
"""Between these, the products of four counts that formulas take neither vanish nor overflow."""


EXPECTED_TABLE = "counts, true classes in rows and predicted classes in columns"


@dataclass(frozen=True, eq=False)
class Matrix:
    """Counts of true and predicted classes, checked."""

    classes: tuple[Any, ...]
    outputs: tuple[Any, ...]
    table: NDArray[np.float64]
    positive: int | None = None
    probabilities: bool = False
    weight: None = None
    cases: None = None
    decided: None = None
    decreed: bool = False
    kind = "a confusion matrix"
    added = None

    @property
    def n(self) -> int | float:
        """Number of cases (a float if the counts are not whole)."""
        return _count(self.table)

    @property
    def class_weight(self) -> Array:
        """[k]: the number of cases of each class."""
        return np.asarray(self.table.sum(axis=1))

    @property
    def rejected(self) -> int | float:
        """Number of rejected cases: no class was predicted."""
        return _count(self.table[:, len(self.classes) :])

    @property
    def whole(self) -> bool:
        """Does it hold a number of cases, not of shares?"""
        return bool((self.table == np.round(self.table)).all())

    def with_classes_times(self, factor: Array) -> Matrix:
        """The same with the number of cases of each class times a factor [k]."""
        return replace(self, table=self.table * factor[:, None], decreed=True)

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this is not available; empty if it is."""
        if needs is Needs.DECISIONS:
            return ""
        return f"it needs {needs.name.lower()}, and only a confusion matrix was given"

    @classmethod
    def many(cls, matrices: list[Any]) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
        """Tables of any sizes, checked together, and what `kernels.ragged_extent` saw of them."""
        extent = kernels.ragged_extent(matrices)
        if extent is None:
            matrices = kernels.ragged_floats([_array(m) if isinstance(m, list) else m for m in matrices])
            extent = kernels.ragged_extent(matrices)
        if extent is None:
            plain = [type(m) is np.ndarray and m.dtype == np.float64 and m.ndim == 2 for m in matrices]
            matrices = [
                np.ascontiguousarray(m) if is_plain else cls.of(m).table
                for m, is_plain in zip(matrices, plain, strict=True)
            ]
            extent = kernels.ragged_extent(matrices)
            assert extent is not None
        rows, columns, lowest, highest = extent
        if not (rows.all() and columns.all()):
            shape = next(m.shape for m in matrices if m.size == 0)
            raise ShapeError(f"a matrix has the shape {shape}; give {EXPECTED_TABLE}.")
        if not (lowest.min() >= 0 and highest.min() > SMALLEST_COUNT and highest.max() < LARGEST_COUNT):
            raise InputError(
                "a matrix holds a negative or infinite count, or only zeros; give counts of at least 0 whose fourth "
                "powers are finite."
            )
        return matrices, extent

    @classmethod
    def of(cls, matrix: Any, labels: Any = None, positive: Any = None) -> Matrix:
        """Check a k x l table of counts. A table with named rows is read by name: by a pandas index, or a first column
        that is called "truth" or holds text."""
        rows, matrix = _row_names(readable(matrix, "the matrix", EXPECTED_TABLE))
        table, names = numbers(matrix, "the matrix", EXPECTED_TABLE)
        _refuse_no_counts(table)
        order = class_order(labels) if labels is not None else None
        if rows is not None and names is not None:
            table, names = _by_row_names(table, rows, names, order)
        elif names is not None and [str(name) for name in names] != [str(i) for i in range(len(names))]:
            raise LabelError(
                f"the columns of the matrix are named {quoted(names)} and its rows are not; name the rows too (by an "
                f"index, or a first column called truth), or pass a bare array and {option('labels')}."
            )
        k, l = table.shape
        if order is not None:
            classes = order
            if len(classes) not in (k, max(k, l)):
                raise LabelError(
                    f"{option('labels')} names {len(classes)} classes and the matrix has {k} rows and {l} columns; "
                    "name each row once."
                )
        else:
            classes = list(names) if names is not None and len(names) >= k else list(range(max(k, l)))
        outputs = [*classes, *(f"output {j + 1}" for j in range(len(classes), l))][:l]
        classes = classes[:k]
        return cls(tuple(classes), tuple(outputs), table, positive_place(positive, classes))


def _array(rows: list[Any]) -> Any:
    """Rows of plain numbers as an array; all else as it is."""
    try:
        table = np.array(rows)
    except ValueError:  # rows of different lengths: said where each matrix is looked at
        return rows
    return table if table.ndim == 2 and table.dtype.kind in "if" else rows


def _refuse_no_counts(table: Array) -> None:
    if table.ndim == 1:
        raise ShapeError(
            f"the matrix has the shape {table.shape}; give {EXPECTED_TABLE} (karat.evaluate(y_true, y_pred=y_pred) "
            "takes labels)."
        )
    if table.ndim != 2 or table.size == 0:
        raise ShapeError(f"the matrix has the shape {table.shape}; give {EXPECTED_TABLE}.")
    if not np.isfinite(table).all():
        raise InputError("the matrix holds a value that is not finite; give counts.")
    if (table < 0).any():
        raise InputError(f"the matrix holds the negative count {table.min():.6g}; counts are at least 0.")
    if not table.any():
        raise InputError("the matrix is all zero; give at least one case.")
    least = table.min(where=table > 0, initial=np.inf)
    for count in (least, table.max()):
        if not SMALLEST_COUNT < count < LARGEST_COUNT:
            raise InputError(f"the matrix holds {count:.3g}, too far from 1 to be squared; rescale the counts.")


def _count(cells: Array) -> int | float:
    total = float(cells.sum())
    return int(total) if total.is_integer() else total


def _row_names(matrix: Any) -> tuple[list[Any] | None, Any]:
    """The names of the rows, if the table has them, and the rest of the table."""
    columns = getattr(matrix, "columns", None) if hasattr(matrix, "shape") else None  # a lazy table has no shape
    if columns is None or len(matrix.shape) != 2 or not matrix.shape[1]:
        return None, matrix
    if hasattr(matrix, "iloc"):
        head = matrix.iloc[:, 0]
        if matrix.shape[1] > 1 and (columns[0] == "truth" or head.dtype.kind not in "biuf"):
            return head.tolist(), matrix.iloc[:, 1:]
        default = type(matrix.index).__name__ == "RangeIndex" and matrix.index.name is None
        return (None if default else list(matrix.index)), matrix
    import narwhals.stable.v1 as nw

    view = nw.from_native(matrix, eager_only=True, pass_through=True)
    if isinstance(view, nw.DataFrame):
        head = view[view.columns[0]]
        if matrix.shape[1] > 1 and (view.columns[0] == "truth" or not head.dtype.is_numeric()):
            return head.to_list(), view.drop(view.columns[0]).to_native()
    return None, matrix


def _by_row_names(
    table: NDArray[Any], rows: list[Any], names: list[Any], order: list[Any] | None
) -> tuple[NDArray[Any], list[Any]]:
    """Rows and columns in the order of the classes (zeros for one never predicted), then columns that name no row."""
    named = [str(row) for row in rows]
    if len(set(named)) < len(named):
        raise LabelError(f"the rows of the matrix are named {quoted(rows)}, some of them twice; name each class once.")
    place = {str(name): i for i, name in enumerate(names)}
    spare = [name for name in names if str(name) not in named]
    if len(spare) == len(names):
        raise LabelError(
            f"the rows of the matrix are named {quoted(rows)} and its columns {quoted(names)}; name both by the "
            "classes."
        )
    if order is not None:
        if sorted(map(str, order)) != sorted(named):
            raise LabelError(
                f"{option('labels')} names {quoted(order)} and the rows of the matrix are {quoted(rows)}; name the "
                "same classes."
            )
        at = [named.index(str(label)) for label in order]
        table, rows = table[at], order
    wanted = [place.get(str(row)) for row in rows] + [place[str(name)] for name in spare]
    columns = [np.zeros(len(table)) if i is None else table[:, i] for i in wanted]
    return np.ascontiguousarray(np.column_stack(columns)), [*rows, *spare]
