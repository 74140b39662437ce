"""Diagrams that are made from a table of named columns: figures of many evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams.diagram import Diagram, options_of


@dataclass(frozen=True, eq=False, kw_only=True)
class TableDiagram(Diagram):
    """A diagram of a table."""

    made_from = "table"
    columns: ClassVar[str]
    """Which columns the table has, in words."""

    from_table: ClassVar[Callable[..., Any]]
    """From named columns, and options that are named."""

    @classmethod
    def options(cls) -> list[str]:
        """What `from_table` can be told."""
        return options_of(cls.from_table)


def columns_of(table: Mapping[str, Any], *names: str) -> list[list[Any]]:
    """These columns of a table, as lists."""
    missing = [name for name in names if name not in table]
    if missing:
        raise InputError(
            f"the table has no column {missing[0]!r}; it needs {', '.join(names)} and has {', '.join(table)}."
        )
    return [np.asarray(table[name]).tolist() for name in names]


def number_columns(table: Mapping[str, Any]) -> dict[str, Array]:
    """The columns that hold numbers."""
    arrays = {name: np.asarray(values) for name, values in table.items()}
    numbers = {name: values for name, values in arrays.items() if values.dtype.kind in "iuf"}
    if not numbers:
        raise InputError(f"the table has no column of numbers; its columns are {', '.join(table)}.")
    return numbers
