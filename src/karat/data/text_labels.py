"""Labels out of texts: those of CSV, which has no types, and those that stand in options and in names of columns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.data.files import SEPARATORS, Columns, encoded

WHOLE = re.compile(r"-?(0|[1-9]\d*)")
REAL = re.compile(r"-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?")
TRUTH_VALUES = ({"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"})
MISSING = {"", "NA", "N/A", "#N/A", "nan", "NaN", "NAN", "null", "NULL", "None", "<NA>"}
"""How missing numbers are written; among texts, only the empty one is missing (NA may name a class)."""


def labels_of(table: Columns, name: str, other: str = "", reject: Any = None) -> list[Any]:
    """Columns of labels; None for one that is not there. The texts of CSV get the type that the first column shows, or
    stay texts where the second can't have it because of a label for rejected cases."""
    if table.file_format not in SEPARATORS:
        return [_typed_column(table, name), _typed_column(table, other)]
    columns = {n: encoded(table.columns[n]) for n in (name, other) if n in table}
    reader = other_reader = _reader(columns[name][0])
    if other in columns and reader is not str:
        other_reader = _reader(columns[other][0], reject)
        if other_reader is reader or (other_reader is int and reader is float):
            reader = str if reject is not None and _reader([reject]) is not reader else reader
            other_reader = reader
    readers = {name: reader, other: other_reader}
    return [_read(table, n, *columns[n], readers[n]) if n in columns else None for n in (name, other)]


def _typed_column(table: Columns, name: str) -> Any:
    """Labels of a file that knows their type; None if the column is not there."""
    column = table.get(name)
    if column is None:
        return None
    if column.ndim != 1:
        raise InputError(f"{name} of {table.path} has the shape {column.shape}; give one label for each case.")
    lost = column != column  # nan, which no other value is like
    if lost.any():
        raise InputError(_missing(name, table, int(lost.sum())))
    return column


def _read(table: Columns, name: str, texts: list[str], places: Any, reader: Any) -> Any:
    """Labels of one type, from the distinct texts and the place of each case's text among them."""
    lost = [i for i, text in enumerate(texts) if text == "" or (reader is not str and text in MISSING)]
    if lost:
        raise InputError(_missing(name, table, int(np.isin(places, lost).sum())))
    values = [reader(text) for text in texts]
    kind = object if reader is str or (reader is int and not _fits(values)) else None
    return np.array(values, dtype=kind)[places]


def _missing(name: str, table: Columns, count: int) -> str:
    return (
        f"column {name!r} of {table.path} has {count} missing values; fill or remove those cases, karat drops nothing."
    )


def _reader(texts: list[str], reject: Any = None) -> Any:
    """What turns all of these texts, but that of rejected cases, into labels: int, float, `_truth_value` or str."""
    labels = {*texts} - MISSING - {reject}
    if labels and all(map(WHOLE.fullmatch, labels)):
        return int
    if labels and all(map(REAL.fullmatch, labels)):
        return float
    return _truth_value if labels and any(labels <= spelled for spelled in TRUTH_VALUES) else str


def _truth_value(text: str) -> bool:
    return text.casefold() == "true"


def _fits(values: Any) -> bool:
    return all(-(2**63) <= v < 2**63 for v in values)


def typed(label: Any, like: list[Any]) -> Any:
    """A label that was typed, or stands in a column's name, in the type of the others."""
    if label is None or not like or not isinstance(label, str):
        return str(label) if label is not None and like and isinstance(like[0], str) else label
    kind = type(like[0])
    if kind is str:
        return label
    try:
        if kind is bool:
            return {"true": True, "false": False, "1": True, "0": False}[label.strip().casefold()]
        number = float(label)
        if kind is int:
            return int(label) if WHOLE.fullmatch(label.strip()) else int(number) if number.is_integer() else label
        return kind(number)
    except (KeyError, ValueError, TypeError, OverflowError):
        return label
