"""What every loader gives: cases, with nominal values as codes, missing values kept, and all that was declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError

NO_CLASS = -1
"""The code in `y` of a case whose class is missing."""


@dataclass(frozen=True, eq=False)
class DataSet:
    """Cases of a classification problem, one to a row.

    >>> from karat.datasets import load
    >>> iris = load("iris")
    >>> iris.name, iris.X.shape, iris.classes
    ('iris', (150, 4), ('setosa', 'versicolor', 'virginica'))
    """

    name: str
    X: Array
    """Float64 [cases, attributes]: a numeric value, or the place of a nominal value in `values`; nan is missing."""
    y: Array
    """The place of the case's class in `classes`; -1 if the class is missing."""
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...] | None, ...]
    """The declared values of each nominal attribute, None for a numeric one."""
    classes: tuple[str, ...]
    """All that were declared, also those without a case."""
    target: str = "class"
    source: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        X: Any,
        y: Any,
        attributes: Sequence[str],
        values: Sequence[Sequence[str] | None],
        classes: Sequence[str],
        target: str = "class",
        source: str = "",
    ) -> DataSet:
        """The record, with lengths and codes checked and arrays that can't be written to."""
        X, y = np.ascontiguousarray(X, float), np.ascontiguousarray(y, np.int64)
        if X.ndim != 2 or X.shape != (len(y), len(attributes)) or len(values) != len(attributes):
            raise InputError(
                f"X has the shape {X.shape}, y {len(y)} cases, and there are {len(attributes)} attributes and "
                f"{len(values)} entries of values; pass one row for each case, and one column, name and entry for each "
                "attribute."
            )
        declared = tuple(None if v is None else tuple(v) for v in values)
        for j, names in enumerate(declared):
            if names is not None:
                known = X[:, j][~np.isnan(X[:, j])]
                if not np.all((known == np.floor(known)) & (known >= 0) & (known < len(names))):
                    raise InputError(
                        f"the attribute {attributes[j]!r} has codes outside its {len(names)} values; number them "
                        "from 0."
                    )
        if len(y) and (y.min() < NO_CLASS or y.max() >= len(classes)):
            raise InputError(
                f"the class codes {y.min()} to {y.max()} do not fit {len(classes)} classes; number them from 0, with "
                f"{NO_CLASS} for a missing class."
            )
        X.setflags(write=False)
        y.setflags(write=False)
        return cls(name, X, y, tuple(attributes), declared, tuple(classes), target, source)

    @property
    def kinds(self) -> tuple[str, ...]:
        """ "numeric" or "nominal", for each attribute."""
        return tuple("numeric" if v is None else "nominal" for v in self.values)

    @property
    def nominal(self) -> dict[int, int]:
        """The number of declared values of each nominal column, as learners take it."""
        return {j: len(v) for j, v in enumerate(self.values) if v is not None}

    @property
    def labels(self) -> Array:
        """The class of each case by its name; None if it is missing."""
        return np.array([*self.classes, None], object)[self.y]

    @property
    def missing(self) -> int:
        """How many values of attributes are missing."""
        return int(np.isnan(self.X).sum())

    def labelled(self) -> DataSet:
        """The cases whose class is known."""
        return self.take(self.y != NO_CLASS)

    def take(self, rows: Any) -> DataSet:
        """Some of the cases, with all that was declared."""
        X, y = self.X[rows], self.y[rows]
        about = (self.classes, self.target, self.source)
        return DataSet.of(self.name, X, y, self.attributes, self.values, *about)

    def without(self, *names: str) -> DataSet:
        """All but these attributes."""
        unknown = sorted(set(names) - set(self.attributes))
        if unknown:
            raise InputError(f"{self.name} has no attribute {unknown[0]!r}; it has {', '.join(self.attributes)}.")
        kept = [j for j, attribute in enumerate(self.attributes) if attribute not in names]
        attributes, values = [self.attributes[j] for j in kept], [self.values[j] for j in kept]
        about = (self.classes, self.target, self.source)
        return DataSet.of(self.name, self.X[:, kept], self.y, attributes, values, *about)

    def __repr__(self) -> str:
        cases, attributes = self.X.shape
        return (
            f"DataSet({self.name!r}: {cases} cases, {len(self.nominal)} nominal and {attributes - len(self.nominal)} "
            f"numeric attributes, {self.missing} values missing, {len(self.classes)} classes)"
        )
