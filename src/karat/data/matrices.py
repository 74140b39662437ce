"""A bare confusion matrix: rows are the truth, columns the decisions (more columns than rows: a reject option)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.core.statistic import Needs
from karat.data.errors import InputError, LabelError, ShapeError
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

    @classmethod
    def of(cls, matrix: Any, labels: Any = None, positive: Any = None) -> Matrix:
        """Check a k x l table of counts."""
        table, names = numbers(matrix, "the matrix")
        if table.ndim != 2 or table.size == 0:
            raise ShapeError(f"the matrix has the shape {table.shape}; give truth in rows and decisions in columns.")
        if not np.isfinite(table).all():
            raise InputError("the matrix holds a value that is not finite; give counts.")
        if (table < 0).any():
            raise InputError(f"the matrix holds the negative count {table.min()}; counts are at least 0.")
        if not table.sum() > 0:
            raise InputError("the matrix is all zero; give at least one case.")
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
