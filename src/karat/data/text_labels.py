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
    if table.kind not in SEPARATORS:
        out = [table.get(name), table.get(other)]
        for n, column in zip((name, other), out, strict=True):
            if column is not None and column.ndim != 1:
                raise InputError(f"{n} of {table.path} has the shape {column.shape}; give one label for each case.")
            if column is not None and (column != column).any():  # nan, which no other value is like
                raise InputError(_missing(n, table, int((column != column).sum())))
        return out
    found = {n: encoded(table.columns[n]) for n in (name, other) if n in table}
    read = _reader(found[name][0], [])
    if other in found and read is not str:
        theirs = _reader(found[other][0], [reject])
        fits = theirs is read or (theirs is int and read is float)
        read = str if fits and reject is not None and _reader([reject], []) is not read else read
        other_read = read if fits else theirs
    else:
        other_read = str
    out = []
    for n, reader in ((name, read), (other, other_read)):
        if n not in found:
            out.append(None)
            continue
        texts, places = found[n]
        lost = [i for i, text in enumerate(texts) if text == "" or (reader is not str and text in MISSING)]
        if lost:
            raise InputError(_missing(n, table, int(np.isin(places, lost).sum())))
        values = [reader(text) for text in texts]
        kind = object if reader is str or (reader is int and not _fits(values)) else None
        out.append(np.array(values, dtype=kind)[places])
    return out


def _missing(name: str, table: Columns, count: int) -> str:
    return (
        f"column {name!r} of {table.path} has {count} missing values; fill or remove those cases, karat drops nothing."
    )


def _reader(texts: list[str], besides: list[Any]) -> Any:
    """What turns all of these texts into labels: int, float, `_truth_value` or str."""
    told = {*texts} - MISSING - {*besides}
    if told and all(map(WHOLE.fullmatch, told)):
        return int
    if told and all(map(REAL.fullmatch, told)):
        return float
    return _truth_value if told and any(told <= spelled for spelled in TRUTH_VALUES) else str


def _truth_value(text: str) -> bool:
    return text.casefold() == "true"


def _fits(values: Any) -> bool:
    return all(-(2**63) <= v < 2**63 for v in values)


def typed(said: Any, like: list[Any]) -> Any:
    """A label that was typed, or stands in a column's name, in the type of the others."""
    if said is None or not like or not isinstance(said, str):
        return str(said) if said is not None and like and isinstance(like[0], str) else said
    kind = type(like[0])
    if kind is str:
        return said
    try:
        if kind is bool:
            return {"true": True, "false": False, "1": True, "0": False}[said.strip().casefold()]
        number = float(said)
        if kind is int:
            return int(said) if WHOLE.fullmatch(said.strip()) else int(number) if number.is_integer() else said
        return kind(number)
    except (KeyError, ValueError, TypeError, OverflowError):
        return said
