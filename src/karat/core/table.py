"""A small table that shows itself: in a terminal, in a notebook, as a dictionary, as a data frame."""

from __future__ import annotations

import csv
import html
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from karat.core.documents import in_line, in_markdown, in_terminal, latex_table, markdown_table
from karat.core.other_names import missing
from karat.core.plain_data import plain
from karat.core.words import DIGITS, Fixed, PValue, decimal, decimals_of, number

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Whose data frames a table can become; the first that is found unless one is named."""


def shown(value: Any, digits: int = DIGITS) -> str:
    """A value as people read it.

    >>> [shown(x) for x in (0.92134, 1.0, 0.0, 12.0, 3, None, "forest")]
    ['0.921', '1.000', '0.000', '12.0', '3', '-', 'forest']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, PValue | Fixed):
        return value.words
    if isinstance(value, float):
        whole = math.isfinite(value) and value == int(value) and abs(value) < 10**digits
        return decimal(value, decimals_of(value, digits)) if whole else number(value, digits)
    return str(value)


def aligned(texts: Iterable[str]) -> list[str]:
    """Numbers with blanks behind them, so that their points stand below each other when they end in one column.

    >>> aligned(["0.921", "12.5", "-", "3", "word"])
    ['0.921', '12.5  ', '-    ', '3    ', 'word']
    """
    cells = list(texts)
    behind = [len(text) - f"{text}.".find(".") if NUMBER.fullmatch(text) or text == "-" else -1 for text in cells]
    most = max(behind, default=0)
    return [text + " " * (most - n) if n >= 0 else text for text, n in zip(cells, behind, strict=True)]


NUMBER = re.compile(r"\D{0,2}-?\d+(\.\d+)?(e-?\d+)?")
"""With a mark before it, or none."""


class Tabular:
    """What can be shown as a table can be written as one: Markdown, LaTeX, HTML, JSON, a data frame."""

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers are to complain of what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property that failed: its own error
            raise self._no_attribute(name)

    def _no_attribute(self, name: str) -> AttributeError:
        """What to say of an attribute that is not there."""
        return missing(self, name)

    def to_table(self) -> Table:
        """The table.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_table().columns["truth"]
        [0, 1]
        """
        raise NotImplementedError

    def to_dict(self) -> Any:
        """Plain data, ready for JSON.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_dict()
        {'truth': [0, 1], '0': [50, 8], '1': [3, 20]}
        """
        raise NotImplementedError

    def to_frame(self, backend: str | None = None) -> Any:
        """`to_table` as a data frame (pandas, polars or pyarrow).

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_frame("pyarrow").column_names
        ['truth', '0', '1']
        """
        return self.to_table().to_frame(backend)

    def displayed(self) -> Table:
        """The table as people read it: `to_table`, unless that has columns that only programs want.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().displayed().title
        'rows: true class, columns: predicted class'
        """
        return self.to_table()

    def to_markdown(self) -> str:
        """The table for a pull request or a notebook, with its title above it.

        Examples
        --------
        >>> import karat
        >>> print(karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_markdown().partition("\\n\\n")[2])
        | truth | 0 | 1 |
        | --: | --: | --: |
        | 0 | 50 | 3 |
        | 1 | 8 | 20 |
        """
        return self.displayed().to_markdown()

    def to_latex(self) -> str:
        r"""The table for a paper; it needs `\usepackage{booktabs}`.

        Examples
        --------
        >>> import karat
        >>> print(karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_latex())
        % rows: true class, columns: predicted class
        \begin{tabular}{rrr}
        \toprule
        truth & 0 & 1 \\
        \midrule
        0 & 50 & 3 \\
        1 & 8 & 20 \\
        \bottomrule
        \end{tabular}
        """
        return self.displayed().to_latex()

    def to_html(self) -> str:
        """The table as a notebook shows it.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).to_html().startswith("<table>")
        True
        """
        return self._repr_html_()

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict` as JSON.

        Examples
        --------
        >>> import karat
        >>> karat.evaluate_matrix([[50, 3], [8, 20]]).matrix().to_json()
        '{"truth": [0, 1], "0": [50, 8], "1": [3, 20]}'
        """
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def _repr_html_(self) -> str:
        return self.displayed()._repr_html_()


@dataclass(frozen=True)
class Table(Tabular):
    """Named columns of equal length."""

    columns: dict[str, list[Any]]
    title: str = ""
    notes: tuple[str, ...] = ()
    """sentences below it"""

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]], title: str = "") -> Table:
        """From rows that all have the same names."""
        rows = list(records)
        return cls({name: [row[name] for row in rows] for name in (rows[0] if rows else ())}, title)

    def to_table(self) -> Table:
        """Itself."""
        return self

    def to_dict(self) -> dict[str, list[Any]]:
        """Column name to values; undefined or infinite is None."""
        return {name: [plain(v) for v in values] for name, values in self.columns.items()}

    @property
    def cells(self) -> list[list[str]]:
        """The rows as people read them, without the head."""
        return [[shown(v) for v in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Of each column: does it hold numbers?"""
        return [any(isinstance(v, int | float) for v in values) for values in self.columns.values()]

    def to_markdown(self) -> str:
        """A table for a pull request or a notebook, with its title above it."""
        table = markdown_table([list(self.columns), *self.cells], self.numeric)
        return "\n\n".join([*([in_markdown(self.title)] if self.title else []), table, *map(in_markdown, self.notes)])

    def to_latex(self) -> str:
        r"""A table for a paper; it needs `\usepackage{booktabs}`."""
        said = [f"% {' '.join(text.split())}" for text in (self.title, *self.notes)]
        table = latex_table([list(self.columns), *self.cells], self.numeric)
        return "\n".join([*said[: bool(self.title)], table, *said[1:]])

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
        columns = [[_on_one_line(shown(v)) for v in values] for values in self.columns.values()]
        columns = [aligned(column) if n else column for column, n in zip(columns, self.numeric, strict=True)]
        columns = [[_on_one_line(name), *column] for name, column in zip(self.columns, columns, strict=True)]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(
                c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, self.numeric, strict=True)
            ).rstrip()
            for row in zip(*columns, strict=True)
        ]
        return "\n".join([*([in_terminal(self.title)] if self.title else []), *lines, *map(in_terminal, self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{html.escape(str(name))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td{_align(v)}>{html.escape(shown(v))}</td>" for v in row) + "</tr>" for row in self.rows
        )
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        below = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


@cache
def packaged_rows(package: str, name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file that comes with a package."""
    with (resources.files(package) / f"{name}.csv").open(encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))


def _on_one_line(text: str) -> str:
    """Names of groups and classes come from outside: a row stays one, and a terminal obeys none of it."""
    return text if text.isprintable() else in_line(text)


def _align(value: Any) -> str:
    return f" style='text-align:{'right' if isinstance(value, int | float) else 'left'}'"
