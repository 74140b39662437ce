"""Probabilities of the few most probable of very many classes: {class: p} for each case, in whatever form they come."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, option, quoted
from karat.core.validation import one_of
from karat.data.arrays import is_missing
from karat.data.border import SUM_TOLERANCE
from karat.data.files import encoded
from karat.data.labels import EXPECTED, typed

EVEN, SCALED = "even", "scaled"
RESTS = (EVEN, SCALED)
"""What is supposed of classes that are not listed: they share what is left of 1 evenly; they have 0, and those that are
listed are scaled to sum to 1."""
RowFault = tuple[Array, Callable[[int], str]]
"""Which rows, and what is wrong with one of them."""


class TopRows(NamedTuple):
    """Listed probabilities, one after another, and where the rows of them begin."""

    starts: Array
    names: Sequence[Any] | None
    """distinct classes; None: `codes` are the places of the classes themselves"""
    codes: Array
    """the place of each class among the names"""
    values: Array

    def places(self, classes: Sequence[Any]) -> Array:
        """The place of each class that is listed; -1 where it is none. Keys of JSON are texts, whatever classes are."""
        if self.names is None:
            return np.where((self.codes >= 0) & (self.codes < len(classes)), self.codes, -1)
        at = {label: i for i, label in enumerate(classes)}
        like = list(classes[:1])
        known = [at.get(name, at.get(typed(name, like), -1)) for name in self.names]
        return np.array(known, np.int64)[self.codes] if known else np.empty(0, np.int64)

    def label(self, at: int) -> str:
        """The class that is listed at a place, in words."""
        code = int(self.codes[at])
        return f"the class at place {code}" if self.names is None else repr(self.names[code])


# ------------------------------------------------------------------------------------------------- forms


def are_top(y_proba: Any) -> bool:
    """Are these {class: p} for each case, a column of such maps, or places and probabilities of classes?"""
    if type(y_proba) is np.ndarray and y_proba.dtype.kind != "O":
        return False
    if _are_pair(y_proba):
        return True
    if _is_arrow(y_proba):
        return is_listing(y_proba.type)
    if isinstance(y_proba, list | tuple) or str(getattr(y_proba, "dtype", "")).startswith(("object", "Struct")):
        first = next(iter(y_proba), None) if getattr(y_proba, "ndim", 1) == 1 else None
        return isinstance(first, Mapping)
    return False


def is_listing(kind: Any) -> bool:
    """A type of Arrow that lists classes and their probabilities: a map, or a record with a field for each class."""
    import pyarrow as pa

    return bool(pa.types.is_map(kind) or pa.types.is_struct(kind))


def is_list(kind: Any) -> bool:
    """A type of Arrow: lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_real_list(kind: Any) -> bool:
    """A type of Arrow: lists of real numbers."""
    import pyarrow as pa

    return is_list(kind) and bool(pa.types.is_floating(kind.value_type) or pa.types.is_decimal(kind.value_type))


def _is_arrow(x: Any) -> bool:
    return type(x).__module__.partition(".")[0] == "pyarrow" and hasattr(x, "type")


def _are_pair(y_proba: Any) -> bool:
    """A tuple of two: the places of the classes and their probabilities, in any order, as arrays of one shape (n, m) or
    columns of lists of Arrow."""
    if not (isinstance(y_proba, tuple) and len(y_proba) == 2):
        return False
    return all(getattr(x, "ndim", 0) == 2 or (_is_arrow(x) and is_list(x.type)) for x in y_proba)


def rows_of(y_proba: Any) -> TopRows:
    """As one sequence."""
    if _are_pair(y_proba):
        return _of_pair(y_proba)
    if _is_arrow(y_proba):
        return _of_arrow(y_proba)
    for name in ("to_list", "tolist"):
        y_proba = getattr(y_proba, name)() if hasattr(y_proba, name) else y_proba
    if not all(isinstance(row, Mapping) for row in y_proba):
        raise InputError("a row of y_proba is no {class: p}; give one for each case.")
    listed = [(label, p) for row in y_proba for label, p in row.items() if p is not None]
    sizes = [sum(p is not None for p in row.values()) for row in y_proba]
    code = {label: i for i, label in enumerate(dict.fromkeys(label for label, _ in listed))}
    codes = np.array([code[label] for label, _ in listed], np.int64)
    return TopRows(_starts(sizes), list(code), codes, _reals([p for _, p in listed]))


def rows_of_lists(labels: Any, values: Any) -> TopRows:
    """Of two columns of lists of Arrow: classes, and their probabilities."""
    (starts, names), (other, p) = (_lists(x) for x in (labels, values))
    if not np.array_equal(starts, other):
        raise InputError("a list of classes is longer or shorter than that of their probabilities.")
    distinct, codes = encoded(names)
    return TopRows(starts, distinct, codes.astype(np.int64), _reals(p))


def _of_pair(pair: tuple[Any, Any]) -> TopRows:
    shapes, flat = [], []
    for x in pair:
        if _is_arrow(x):
            starts, values = _lists(x)
        else:
            array = np.asarray(x)
            starts, values = np.arange(len(array) + 1) * array.shape[1], array.ravel()
        shapes.append(starts)
        flat.append(np.asarray(values))
    kinds = [x.dtype.kind in "iu" for x in flat]
    if not np.array_equal(shapes[0], shapes[1]) or sum(kinds) != 1:
        raise InputError(
            "a pair for y_proba is the places of classes, whole numbers, and their probabilities, in one shape (n, m)."
        )
    places, values = (flat[0], flat[1]) if kinds[0] else (flat[1], flat[0])
    return TopRows(shapes[0], None, places.astype(np.int64), _reals(values))


def _lists(column: Any) -> tuple[Array, Any]:
    """Where the lists of a column begin, and their values one after another."""
    column = _whole(column)
    sizes = np.asarray(column.value_lengths(), np.int64)
    return _starts(sizes), column.flatten()


def _of_arrow(column: Any) -> TopRows:
    import pyarrow as pa

    column = _whole(column)
    if not pa.types.is_map(column.type):
        return _of_records(column)
    offsets = np.asarray(column.offsets, np.int64)
    keys, items = (x[int(offsets[0]) : int(offsets[-1])] for x in (column.keys, column.items))
    names, codes = encoded(keys)
    return TopRows(offsets - offsets[0], names, codes.astype(np.int64), _reals(items))


def _of_records(column: Any) -> TopRows:
    """A field for each class; one that is missing is not listed."""
    names = [column.type.field(j).name for j in range(column.type.num_fields)]
    fields = column.flatten()
    if not fields:
        raise InputError("the records of probabilities have no field; give one for each class, {class: p}.")
    there = np.column_stack([np.asarray(f.is_valid()) for f in fields])
    values = np.column_stack([_reals(f.fill_null(0) if f.null_count < len(f) else np.zeros(len(f))) for f in fields])
    row, codes = np.nonzero(there)
    return TopRows(_starts(np.bincount(row, minlength=len(column))), names, codes, values[row, codes])


def _whole(column: Any) -> Any:
    column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    column = column.chunk(0) if hasattr(column, "chunk") else column
    if column.null_count:
        raise InputError("a row of probabilities is missing; fill or remove those cases first.")
    return column


def _starts(sizes: Any) -> Array:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))])


def _reals(values: Any) -> Array:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError("the probabilities of listed classes are no numbers; give floats between 0 and 1.") from None


# ------------------------------------------------------------------------------------------------- what may be wrong


def classes_of(truth: Sequence[Any], top: TopRows) -> list[Any]:
    """All classes that are true or listed somewhere, sorted."""
    if top.names is None:
        raise InputError(f"places of classes don't tell which classes there are; name all with {option('labels')}.")
    seen = {*truth}
    like = list(seen)[:1]
    return sorted(seen | {typed(name, like) for name in top.names}, key=lambda label: (str(type(label)), label))


def truth_of(y_true: Any) -> list[Any]:
    """True labels as a list."""
    for name in ("to_pylist", "to_list", "tolist"):
        y_true = getattr(y_true, name)() if hasattr(y_true, name) else y_true
    truth = list(y_true)
    odd = next((label for label in truth if not isinstance(label, Hashable)), None)
    if odd is not None:
        raise LabelError(f"y_true holds values of the type {type(odd).__name__}; {EXPECTED}.")
    missing = [row for row, label in enumerate(truth) if is_missing(label)]
    if missing:
        raise LabelError(f"y_true has a missing value at case {missing[0]}; fill or remove such cases first.")
    return truth


def places_of(truth: Sequence[Any], classes: Sequence[Any]) -> Array:
    """The place of each true label among the classes."""
    at = {label: i for i, label in enumerate(classes)}
    try:
        return np.array([at[label] for label in truth], np.int64)
    except KeyError as unknown:
        raise LabelError(f"{unknown.args[0]!r} is not among the classes {quoted(list(classes))}.") from None


class CheckedTop(NamedTuple):
    """Listed probabilities that nothing is wrong with; rows sum to 1 with what is left for the other classes."""

    row: Array
    place: Array
    p: Array
    left: Array
    """[n]: for each class that is not listed"""
    size: Array
    """[n]: how many are"""
    supposed: str | None
    """what was said of the rest, if something was left somewhere"""


def checked_top(top: TopRows, classes: Sequence[Any], rest: str | None) -> CheckedTop:
    """Refuses what can't be; the first such row is named."""
    place = top.places(classes)
    for mask, words in faults_of_top(top, place, classes, rest):
        if mask.any():
            at = int(np.argmax(mask))
            raise InputError(f"y_proba, row {at:,} (the first is 0): {words(at)}.")
    k, n = len(classes), len(top.starts) - 1
    size, total = np.diff(top.starts), _totals(top)
    row = np.repeat(np.arange(n), size)
    used = None
    if ((1 - total > SUM_TOLERANCE) & (size < k)).any():
        if rest is None:
            raise InputError(
                f"the listed probabilities of a case sum to {total.min():.6g}; choose {option('rest', EVEN)} (the "
                f"other classes share what is left) or {option('rest', SCALED)} (they have 0)."
            )
        used = one_of(option("rest"), rest, RESTS)
    p = top.values if used == EVEN else top.values / total[row]
    return CheckedTop(row, place, p, _left(total, size, k) if used == EVEN else np.zeros(n), size, used)


def faults_of_top(top: TopRows, place: Array, classes: Sequence[Any], rest: str | None) -> Iterator[RowFault]:
    """All that may be wrong with rows."""
    size = np.diff(top.starts)
    n, k, p = len(size), len(classes), top.values
    row = np.repeat(np.arange(n), size)

    def some(mask: Array) -> Array:
        return np.bincount(row[mask], minlength=n) > 0

    def first(mask: Array, at: int) -> int:
        span = slice(int(top.starts[at]), int(top.starts[at + 1]))
        return span.start + int(np.argmax(mask[span]))

    yield size == 0, lambda at: "no class is listed, and every case needs probabilities of one class or more"
    unknown = place < 0
    among = f", which have the places 0 to {k - 1}" if top.names is None else f" {quoted(list(classes))}"
    yield some(unknown), lambda at: f"{top.label(first(unknown, at))} is not among the classes{among}"
    outside = ~(np.isfinite(p) & (p >= 0) & (p <= 1))
    yield some(outside), lambda at: f"{p[first(outside, at)]} is no probability between 0 and 1"
    cell, times = np.unique(row * (k + 1) + place + 1, return_counts=True)
    yield np.bincount(cell[times > 1] // (k + 1), minlength=n) > 0, lambda at: "a class is listed twice; list each once"
    total = _totals(top)
    with np.errstate(invalid="ignore"):
        beyond = (total > 1 + SUM_TOLERANCE) | ((total == 0) & (size > 0))
    short = (size == k) & (total < 1 - SUM_TOLERANCE) & (total > 0)
    yield short, lambda at: f"all classes are listed, and their probabilities sum to {total[at]:.6g}, not to 1"
    yield beyond, lambda at: f"the listed probabilities sum to {total[at]:.6g}; give more than 0, and 1 at most"
    if rest == EVEN:
        best = np.zeros(n)
        np.fmax.at(best, row, p)
        yield (
            _left(total, size, k) > best,
            lambda at: "a class that is not listed would be more probable than all that are; list the most probable",
        )


def _totals(top: TopRows) -> Array:
    """[n]: what the listed probabilities of each row sum to."""
    n = len(top.starts) - 1
    return np.bincount(np.repeat(np.arange(n), np.diff(top.starts)), top.values, n)


def _left(total: Array, size: Array, k: int) -> Array:
    """[n]: the share of each class that is not listed."""
    return np.asarray(np.maximum((1 - total) / np.maximum(k - size, 1), 0) * (size < k))
