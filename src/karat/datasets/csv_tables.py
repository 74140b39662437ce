"""Data sets from CSV files, whose types of columns have to be inferred or named."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.datasets.arff import text_of_file
from karat.datasets.data_set import NO_CLASS, DataSet

MISSING = frozenset({"", "?", "NA", "NaN", "nan"})


def read_csv(
    path: str | Path, *, target: str | None = None, nominal: Collection[str] = (), delimiter: str = ","
) -> DataSet:
    """The data set of a CSV file (also gzipped) with a header; the class is the last column unless `target` names it.

    A column is numeric if all its known values are numbers and `nominal` does not name it. The values of a nominal
    column, and the classes, are those found, in sorted order (numbers by size): a CSV file declares nothing.
    """
    path = Path(path)
    name, text = path.name.split(".csv")[0], text_of_file(path, "a CSV")
    return parse_csv(text, name=name, target=target, nominal=nominal, delimiter=delimiter, source=str(path))


def parse_csv(
    text: str,
    *,
    name: str = "",
    target: str | None = None,
    nominal: Collection[str] = (),
    delimiter: str = ",",
    source: str = "",
) -> DataSet:
    """The data set of a CSV text.

    >>> parse_csv("height,colour,kind\\n1.5,red,a\\n?,blue,b\\n2,red,a").values
    (None, ('blue', 'red'))
    """
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    if not rows:
        raise InputError("the CSV text is empty; it needs a header and one line for each case.")
    head, cases = rows[0], rows[1:]
    for number, row in enumerate(cases, 2):
        if len(row) != len(head):
            raise InputError(f"line {number} has {len(row)} cells, but the header has {len(head)}.")
    if len(set(head)) < len(head):
        raise InputError(f"the header has a column twice ({', '.join(head)}); rename one of them.")
    target = head[-1] if target is None else target
    strange = sorted({target, *nominal} - set(head))
    if strange:
        raise InputError(f"there is no column {strange[0]!r}; the columns are {', '.join(head)}.")
    cells = dict(zip(head, zip(*cases, strict=True) if cases else [()] * len(head), strict=True))
    attributes = [column for column in head if column != target]
    coded = [_column(cells[column], column in nominal) for column in attributes]
    y, classes = _column(cells[target], True)
    X = np.array([values for values, _ in coded]).reshape(len(coded), len(cases)).T
    y = np.where(np.isnan(y), NO_CLASS, y)
    return DataSet.of(name, X, y, attributes, [values for _, values in coded], classes or (), target, source)


def _column(cells: Sequence[str], nominal: bool) -> tuple[Any, tuple[str, ...] | None]:
    """Numbers and None, or codes and the values that they stand for."""
    distinct = {cell for cell in cells if cell not in MISSING}
    numbers = {cell: x for cell in distinct if (x := _number(cell)) is not None}
    if not nominal and len(numbers) == len(distinct):
        return np.array([numbers.get(cell, np.nan) for cell in cells], float), None
    by_size = len(numbers) == len(distinct)
    values = sorted(distinct, key=lambda cell: (numbers[cell], cell) if by_size else (0.0, cell))
    code = {value: i for i, value in enumerate(values)}
    return np.array([code.get(cell, np.nan) for cell in cells], float), tuple(values)


def _number(cell: str) -> float | None:
    try:
        x = float(cell)
    except ValueError:
        return None
    return x if np.isfinite(x) else None
