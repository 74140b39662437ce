"""Labels of any kind, turned into places in a class order that was given or is the sorted one; and labels out of texts:
those of CSV, which has no types, and those that stand in options and in names of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ShapeError, option, quoted, type_words
from karat.data.arrays import LARGEST_EXACT_WHOLE, PLAIN_KINDS, Coded, coded_column, column, kind_of, kinds_of, objects
from karat.data.files import SEPARATORS, FileColumns, encoded

WIDEST_LABEL_SPAN = 1 << 22
"""Integer labels that span less than this are counted, not sorted."""

EXPECTED = "give labels that are str, int or bool"


def distinct(data: Any, what: str) -> tuple[list[Any], Array, list[Any] | None]:
    """The distinct labels (ascending), the place of each case's label among them, and declared categories if any."""
    found, categories = coded_column(data, what)
    if isinstance(found, Coded):
        return (*_ascending(*found), categories)
    if found.size == 0:
        raise ShapeError(f"{what} is empty; give at least one case.")
    kind = found.dtype.kind
    if kind == "b":
        coded = kernels.integer_classes(np.ascontiguousarray(found).view(np.uint8), WIDEST_LABEL_SPAN)
        assert coded is not None
        return [bool(v) for v in coded[0]], coded[1], categories
    if kind in "iu":
        return (*_of_integers(found), categories)
    if kind in "UT" and not hasattr(found.dtype, "na_object"):
        return (*_of_texts(found), categories)
    array = found.astype(object) if kind == "T" else found
    if kind in "OT":
        return (*_of_objects(array, what), categories)
    _check_kind(array, what)
    return (*_of_whole_floats(array), categories)


def _of_integers(array: Array) -> tuple[list[Any], Array]:
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        if array.max() < 2**63:
            array = array.astype(np.int64)
    elif not array.dtype.isnative:
        array = array.astype(np.int64)
    if array.dtype != np.uint64:
        coded = kernels.integer_classes(np.ascontiguousarray(array), WIDEST_LABEL_SPAN)
        if coded is not None:
            return coded
    return _by_dictionary(array.astype(object))


def _of_whole_floats(array: Array) -> tuple[list[Any], Array]:
    if float(np.abs(array).max()) < LARGEST_EXACT_WHOLE:
        coded = kernels.integer_classes(array.astype(np.int64), WIDEST_LABEL_SPAN)
        if coded is not None:
            return [float(v) for v in coded[0]], coded[1]
    return _by_dictionary(array)


WIDEST_TEXT = 64
"""Characters of texts that are given the same width."""


def _of_texts(array: Array) -> tuple[list[Any], Array]:
    """Numpy's texts, of a fixed width or of its own kind."""
    if array.dtype.kind == "T":
        width = int(np.strings.str_len(array).max())
        array = array.astype(f"U{max(1, width)}" if width <= WIDEST_TEXT else object)
    if array.dtype == object:
        return _by_dictionary(array)
    firsts, codes = kernels.text_classes(np.ascontiguousarray(array))
    return _ascending(array[firsts].tolist(), codes)


def _of_objects(array: Array, what: str) -> tuple[list[Any], Array]:
    """Python's own values, which are looked at once each."""
    coded = kernels.object_classes(np.ascontiguousarray(array))
    if coded is None:  # some can't be labels: say which
        _check_kind(array, what)
        return _by_dictionary(array)
    values, codes, types = coded
    kinds = {kind_of(t) for t in types}
    if kinds == {"Decimal"}:
        values = _from_decimals(values, array, what)
    else:
        _check_kind(array if len(types) > 1 or "float" in kinds else objects(values), what)
    return _ascending([v.item() if isinstance(v, np.generic) else v for v in values], codes)


def _ascending(values: list[Any], codes: Array) -> tuple[list[Any], Array]:
    """Codes into `values` (of which some may not occur, or occur twice) turned into codes into those that occur, in
    their order."""
    occur = np.bincount(codes, minlength=len(values)) > 0
    listed = sorted({v for v, here in zip(values, occur.tolist(), strict=True) if here})
    place = {value: i for i, value in enumerate(listed)}
    return listed, np.array([place.get(v, 0) for v in values], np.int32).take(codes)


def _check_kind(array: Array, what: str) -> None:
    """Refuse what does not name classes."""
    kind = array.dtype.kind
    if kind == "f":
        if not np.isfinite(array).all():
            bad = int(np.flatnonzero(~np.isfinite(array))[0])
            raise LabelError(f"{what} holds {array[bad]} at case {bad}; fill or remove cases without a label first.")
        if (array != np.floor(array)).any():
            bad = int(np.flatnonzero(array != np.floor(array))[0])
            raise LabelError(_real_number(array[bad], bad, what))
    elif kind == "O":
        kinds = kinds_of(array)
        if kinds & {"NoneType", "NAType", "NaTType"} or ("float" in kinds and any(v != v for v in array.tolist())):
            raise LabelError(f"{what} has missing labels (None or NaN); fill or remove those cases first.")
        if len(kinds) > 1:
            raise LabelError(
                f"{what} mixes {' and '.join(sorted(kinds))}; give labels of one type, for example all str."
            )
        if not kinds <= PLAIN_KINDS:
            raise LabelError(f"{what} holds values of the type {kinds.pop()}; {EXPECTED}.")
        if kinds == {"float"}:
            _check_kind(array.astype(np.float64), what)
    elif kind != "U":
        raise LabelError(f"{what} holds {array.dtype}; {EXPECTED}.")


def _real_number(value: Any, case: int, what: str) -> str:
    return (
        f"{what} holds the real number {value} at case {case}, and labels name classes; pass labels as {what}, and "
        f"probabilities as {option('y_proba')}."
    )


def _from_decimals(values: list[Any], array: Array, what: str) -> list[int]:
    """Whole numbers, as databases give them."""
    for value in values:
        if not (value.is_finite() and value == int(value)):
            raise LabelError(_real_number(value, array.tolist().index(value), what))
    return [int(value) for value in values]


def _by_dictionary(array: Array) -> tuple[list[Any], Array]:
    listed = [v.item() if isinstance(v, np.generic) else v for v in array.tolist()]
    values = sorted(set(listed))
    place = {value: i for i, value in enumerate(values)}
    return values, np.fromiter(map(place.__getitem__, listed), np.int32, len(listed))


def one_label(value: Any, name: str) -> Any:
    """A single label that was said as an option."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str | int | float):
        raise LabelError(f"{option(name)} is {type_words(value)}; name one class, as str, int or bool.")
    return value


def positive_place(positive: Any, classes: list[Any]) -> int | None:
    """Where the positive class stands: as it was said; of 0 and 1 it is 1; of any others it is nobody's guess."""
    if positive is not None:
        positive = one_label(positive, "positive")
        if positive not in classes:
            words = option("positive", positive)
            raise LabelError(f"{words} is not one of the classes {quoted(classes)}; name one of them.")
        return classes.index(positive)
    if len(classes) == 2 and 0 in classes and 1 in classes:
        return classes.index(1)
    return None


def class_order(labels: Any, what: str = "") -> list[Any]:
    """The class order as the user said it."""
    what = what or option("labels")
    array, _ = column(labels, what, "the classes in their order")
    if array.dtype.kind not in "biufUTO" or (array.dtype == object and kinds_of(array) - PLAIN_KINDS - {"NoneType"}):
        raise LabelError(f"{what} holds {quoted(array.tolist())}; name each class by one str, int or bool.")
    order = [v.item() if isinstance(v, np.generic) else v for v in array.tolist()]
    if not order:
        raise LabelError(f"{what} is empty; name at least one class, or leave it out to take the labels that occur.")
    if any(v != v or v is None for v in order):
        raise LabelError(f"{what} holds nan or None, which name no class; leave them out.")
    if array.dtype == object and len(kinds_of(array)) > 1:
        raise LabelError(f"{what} mixes {' and '.join(sorted(kinds_of(array)))}; give labels of one type.")
    if len(set(order)) < len(order):
        twice = [v for v in dict.fromkeys(order) if order.count(v) > 1]
        raise LabelError(
            f"{what} names {quoted(twice)} more than once; name each class once, in the order of the columns."
        )
    return order


def placed(values: list[Any], codes: Array, order: list[Any], what: str) -> Array:
    """Codes into `values` turned into codes into `order`; a label that is not in it is an error."""
    if values is order or (values == order and [*map(type, values)] == [*map(type, order)]):
        return codes
    place = {value: i for i, value in enumerate(order)}
    unknown = [v for v in values if v not in place]
    if unknown:
        kinds = f" (those are {type(order[0]).__name__}, {what} holds {type(unknown[0]).__name__})"
        differ = kinds if type(order[0]) is not type(unknown[0]) else ""
        raise LabelError(
            f"{what} holds {quoted(unknown)}, which is not among the classes {quoted(order)}{differ}; add it to "
            f"{option('labels')} or correct the data."
        )
    return np.array([place[v] for v in values], np.int32)[codes]


WHOLE = re.compile(r"-?(0|[1-9]\d*)")
REAL = re.compile(r"-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?")
NUMBER = re.compile(r"[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
TRUTH_VALUES = ({"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"})
MISSING = {"", "NA", "N/A", "#N/A", "nan", "NaN", "NAN", "null", "NULL", "None", "<NA>"}
"""How missing numbers are written; among texts, only the empty one is missing (NA may name a class)."""


def labels_of(table: FileColumns, name: str, other: str | None = None, reject: Any = None) -> list[Any]:
    """Columns of labels; None for one that is not there. The texts of CSV get the type that the first column shows, or
    stay texts where the second can't have it because of a label for rejected cases."""
    if table.file_format not in SEPARATORS:
        return [_typed_column(table, name), _typed_column(table, other)]
    columns = {n: encoded(table.columns[n]) for n in table if n in (name, other)}
    reader = other_reader = label_reader(columns[name][0])
    if other is not None and other in columns and reader is not str:
        other_reader = label_reader(columns[other][0], reject)
        if other_reader is reader or (other_reader is int and reader is float):
            reader = str if reject is not None and label_reader([reject]) is not reader else reader
            other_reader = reader
    readers = {name: reader, other: other_reader}
    return [_read(table, n, *columns[n], readers[n]) if n in columns else None for n in (name, other)]


def _typed_column(table: FileColumns, name: str | None) -> Any:
    """Labels of a file that knows their type; None if the column is not there."""
    column = None if name is None else table.get(name)
    if name is None or column is None:
        return None
    if column.ndim != 1:
        raise InputError(f"{name} of {table.path} has the shape {column.shape}; give one label for each case.")
    lost = column != column  # nan, which no other value is like
    if lost.any():
        raise InputError(_missing(name, table, int(lost.sum())))
    return column


def _read(table: FileColumns, name: str, texts: list[str], places: Any, reader: Any) -> Any:
    """Labels of one type, from the distinct texts and the place of each case's text among them."""
    lost = [i for i, text in enumerate(texts) if text == "" or (reader is not str and text in MISSING)]
    if lost:
        raise InputError(_missing(name, table, int(np.isin(places, lost).sum())))
    values = [reader(text) for text in texts]
    kind = object if reader is str or (reader is int and not _fits(values)) else None
    return np.array(values, dtype=kind)[places]


def seen_labels(column: Any) -> list[Any]:
    """The distinct labels of a column: whole numbers ascending, others as they come."""
    if column.dtype.kind == "i" and column.dtype.isnative:
        coded = kernels.integer_classes(np.ascontiguousarray(column), WIDEST_LABEL_SPAN)
        if coded is not None:
            return coded[0]
    return list(dict.fromkeys(column.tolist()))


def _missing(name: str, table: FileColumns, count: int) -> str:
    return f"column {name!r} of {table.path} has {count} missing values; fill or remove those cases first."


def label_reader(texts: list[str], reject: Any = None) -> Any:
    """What turns all of these texts, but that of rejected cases, into labels: int, float, `_truth_value` or str."""
    labels = {*texts} - MISSING - {reject}
    if labels and all(map(WHOLE.fullmatch, labels)):
        return int
    if labels and all(map(REAL.fullmatch, labels)):
        return float
    return _truth_value if labels and any(labels <= spelled for spelled in TRUTH_VALUES) else str


def attribute_reader(texts: Iterable[str | None]) -> Callable[[str | None], Any]:
    """What turns all of these texts, which say something about cases, into values: as `label_reader`, but numbers may
    be written in any way (.5, +3) that is no code (007), and what is missing is None."""
    there = [text for text in texts if text is not None]
    numbers = {*there} - MISSING
    reader = label_reader(there)
    if reader is str and numbers and all(map(NUMBER.fullmatch, numbers)):
        reader = float
    absent = {""} if reader is str else MISSING
    return lambda text: None if text is None or text in absent else reader(text)


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
