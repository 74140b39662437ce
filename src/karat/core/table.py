"""A small table that shows itself: in a terminal, in a notebook, as a dictionary, as a data frame."""

from __future__ import annotations

import csv
import html
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from karat.core.words import PValue

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Whose data frames a table can become; the first that is found unless one is named."""


def shown(value: Any, digits: int = 4) -> str:
    """A value as people read it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, PValue):
        return value.words
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "-∞"
        return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.{digits}g}"
    return str(value)


@dataclass(frozen=True)
class Table:
    """Named columns of equal length."""

    columns: dict[str, list[Any]]
    title: str = ""

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]], title: str = "") -> Table:
        """From rows that all have the same names."""
        rows = list(records)
        return cls({name: [row[name] for row in rows] for name in (rows[0] if rows else ())}, title)

    def to_dict(self) -> dict[str, list[Any]]:
        """Column name to values; undefined is None."""
        return {name: [None if _undefined(v) else v for v in values] for name, values in self.columns.items()}

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame of the first library found: pandas, polars or pyarrow; or of the one that is named."""
        import importlib.util

        import narwhals.stable.v1 as nw

        if backend is None:
            backend = next((b for b in LIBRARIES if importlib.util.find_spec(b)), None)
        if backend is None:
            raise ImportError("a data frame needs pandas, polars or pyarrow; install one of them, or use to_dict().")
        if backend in LIBRARIES and importlib.util.find_spec(backend) is None:
            raise ImportError(f"{backend} is not installed; `pip install {backend}`, or name another backend.")
        return nw.from_dict(dict(self.columns), backend=backend).to_native()  # type: ignore[arg-type]

    @property
    def rows(self) -> list[list[Any]]:
        """The rows."""
        return [list(row) for row in zip(*self.columns.values(), strict=True)]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows, by the names of the columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def __repr__(self) -> str:
        cells = [list(self.columns), *([shown(v) for v in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        right = [any(isinstance(v, int | float) for v in values) for values in self.columns.values()]
        lines = [
            "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join(([self.title] if self.title else []) + lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{html.escape(str(name))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td{_align(v)}>{html.escape(shown(v))}</td>" for v in row) + "</tr>" for row in self.rows
        )
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@cache
def packaged_rows(package: str, name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file that comes with a package."""
    with (resources.files(package) / f"{name}.csv").open(encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))


def _undefined(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _align(value: Any) -> str:
    return " style='text-align:right'" if isinstance(value, int | float) else ""
