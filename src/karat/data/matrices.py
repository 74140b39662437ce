"""A bare confusion matrix: rows are the truth, columns the decisions (more columns than rows: a reject option)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.core.statistic import Needs
from karat.data.errors import InputError, LabelError, ShapeError, some
from karat.data.frames import numbers
from karat.data.labels import class_order, positive_place


@dataclass(frozen=True, eq=False)
class Matrix:
    """Counts of truth and decision, checked."""

    classes: tuple[Any, ...]
    outputs: tuple[Any, ...]
    table: NDArray[np.float64]
    positive: int | None = None
    probabilities: bool = False
    weight: None = None

    @property
    def n(self) -> int | float:
        """Number of cases (a float if the counts are not whole)."""
        total = float(self.table.sum())
        return int(total) if total.is_integer() else total

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this can't be had; empty if it can."""
        if needs is Needs.DECISIONS:
            return ""
        return f"it needs {needs.name.lower()}, and only a confusion matrix was given"

    @staticmethod
    def stacked(tables: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Many tables of one shape, checked together."""
        stack = np.array(tables)
        if stack.ndim != 3 or stack.size == 0:
            raise ShapeError(f"a matrix has the shape {stack.shape[1:]}; give truth in rows and decisions in columns.")
        if not ((stack >= 0) & (stack < 1e100)).all() or not stack.any(axis=(1, 2)).all():
            raise InputError("a matrix holds a negative or infinite count, or only zeros; give counts of at least 0.")
        return stack

    @classmethod
    def of(cls, matrix: Any, labels: Any = None, positive: Any = None) -> Matrix:
        """Check a k x l table of counts. A table with named rows is read by name: by a pandas index, or a first column
        that is called "truth" or holds text."""
        rows, matrix = _row_names(matrix)
        table, names = numbers(matrix, "the matrix", "counts, truth in rows and decisions in columns")
        if table.ndim != 2 or table.size == 0:
            raise ShapeError(f"the matrix has the shape {table.shape}; give truth in rows and decisions in columns.")
        if not np.isfinite(table).all():
            raise InputError("the matrix holds a value that is not finite; give counts.")
        if (table < 0).any():
            raise InputError(f"the matrix holds the negative count {table.min()}; counts are at least 0.")
        if not table.any():
            raise InputError("the matrix is all zero; give at least one case.")
        if not 1e-100 < table.max() < 1e100:
            raise InputError(f"the matrix holds {table.max():.3g}, too far from 1 to be squared; rescale the counts.")
        if rows is not None and names is not None:
            table, names = _by_row_names(table, rows, names)
        k, l = table.shape
        if labels is not None:
            classes = class_order(labels)
            if len(classes) not in (k, max(k, l)):
                raise LabelError(
                    f"labels names {len(classes)} classes and the matrix has {k} rows and {l} columns; "
                    "name each row once."
                )
        else:
            classes = list(names) if names is not None and len(names) >= k else list(range(max(k, l)))
        outputs = [*classes, *(f"output {j + 1}" for j in range(len(classes), l))][:l]
        classes = classes[:k]
        return cls(tuple(classes), tuple(outputs), table, positive_place(positive, classes))


def _row_names(matrix: Any) -> tuple[list[Any] | None, Any]:
    """The names of the rows, if the table has them, and the rest of the table."""
    columns = getattr(matrix, "columns", None)
    if columns is None or not hasattr(matrix, "shape") or len(matrix.shape) != 2 or matrix.shape[1] < 2:
        return None, matrix
    if hasattr(matrix, "iloc"):
        head = matrix.iloc[:, 0]
        if columns[0] == "truth" or head.dtype.kind not in "biuf":
            return head.tolist(), matrix.iloc[:, 1:]
        default = list(matrix.index) == list(range(len(matrix)))
        return (None if default else list(matrix.index)), matrix
    import narwhals.stable.v1 as nw

    view = nw.from_native(matrix, eager_only=True, pass_through=True)
    if isinstance(view, nw.DataFrame):
        head = view[view.columns[0]]
        if view.columns[0] == "truth" or not head.dtype.is_numeric():
            return head.to_list(), view.drop(view.columns[0]).to_native()
    return None, matrix


def _by_row_names(table: NDArray[Any], rows: list[Any], names: list[Any]) -> tuple[NDArray[Any], list[Any]]:
    """The columns in the order of the rows (zeros for a class never decided), then those that name no row."""
    if len(set(map(str, rows))) < len(rows):
        raise LabelError(f"the rows of the matrix are named {some(rows)}, some of them twice; name each class once.")
    place = {str(name): i for i, name in enumerate(names)}
    spare = [name for name in names if str(name) not in set(map(str, rows))]
    if len(spare) == len(names):
        raise LabelError(
            f"the rows of the matrix are named {some(rows)} and its columns {some(names)}; name both by the classes."
        )
    wanted = [place.get(str(row)) for row in rows] + [place[str(name)] for name in spare]
    columns = [np.zeros(len(table)) if i is None else table[:, i] for i in wanted]
    return np.ascontiguousarray(np.column_stack(columns)), [*rows, *spare]
