"""Which group each case is in: one value for each case, numbers cut into stated bins, missing values a group of their
own; and combinations of several such columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.validation import one_of, whole
from karat.core.words import counted
from karat.data.arrays import is_missing, numbers, objects
from karat.data.coded_values import GROUPS_EXPECTED, CodedValues, held_numbers
from karat.data.labels import distinct

BINS = 4
"""Quartiles, unless others are asked for."""
MOST_WHOLE = 20
"""Whole numbers with more distinct values than this are cut, too: they count or measure something."""
FEWEST_OF_KIND = 10
"""Cases for each kind of real numbers, from which on they are groups and not cut."""
FEW = 20
"""So many groups are never taken for ids."""
MISSING = "(missing)"
WAYS_WITH_MISSING = ("group", "drop")


class NoNumberError(InputError):
    """A column that can't be cut into bins."""


@dataclass(frozen=True, eq=False)
class GroupColumn:
    """A column of groups.

    Attributes
    ----------
    name : str
    labels : tuple of str
        The groups, in their order.
    codes : array of shape (n,)
        The place of each case's group among them; -1: the case is left out.
    note : str
        How numbers were cut, and how many cases were left out; empty if there is nothing to say.
    times : array of shape (n,), optional
        How many cases each entry stands for, where cases were added up; by default one.
    """

    name: str
    labels: tuple[str, ...]
    codes: Array
    note: str = ""
    times: Array | None = None

    @property
    def left_out(self) -> int:
        """How many cases are in no group."""
        return int(((self.codes < 0) * (1 if self.times is None else self.times)).sum())

    @classmethod
    def of(
        cls, name: str, data: Any, n: int, *, bins: Any = None, missing: str = "group", times: Array | None = None
    ) -> GroupColumn:
        """From one value for each of n cases: str, int, bool, number or None.

        `bins` is the number of quantile bins, or their inner edges, that numbers are cut into; False: every number is
        a group. `missing`: "group" makes missing values a group, "drop" leaves their cases out. `times`: how many cases
        each value stands for.
        """
        one_of("missing", missing, WAYS_WITH_MISSING)
        values = _values(name, data, n)
        if not isinstance(values, CodedValues):
            return cls._of_values(name, values, bins, missing, times)
        once = cls._of_values(name, objects(values.values), bins, missing, values.times(times))
        return replace(once, codes=once.codes[values.places], times=times)

    @classmethod
    def _of_values(cls, name: str, values: Array, bins: Any, missing: str, times: Array | None) -> GroupColumn:
        """From values of which each stands for so many cases (None: one)."""
        each = np.ones(len(values), np.int64) if times is None else times
        lost = _missing(values)
        if lost.all():
            raise InputError(f"{name} has no value in any of the {int(each.sum()):,} cases; pass another column.")
        present = values[~lost]
        if present.dtype == object:
            present = _of_one_type(present)
        labels, codes, note = _coded(name, present, bins, each[~lost])
        places = np.full(len(values), -1, np.int32)
        places[~lost] = codes
        if lost.any() and missing == "group":
            word = MISSING if MISSING not in labels else f"{MISSING[:-1]} value)"
            places[lost] = len(labels)
            labels = (*labels, word)
        elif lost.any():
            left = f"{counted(int(each[lost].sum()))} without {name} left out"
            note = f"{note}; {left}" if note else left
        return cls(name, labels, places, note, times)


def group_columns(
    given: Mapping[str, Any],
    n: int,
    *,
    bins: Any = None,
    missing: str = "group",
    cross: bool = False,
    times: Array | None = None,
) -> dict[str, GroupColumn]:
    """Name to column, of {name: values}; `cross`: their combinations instead. Bins that are given for several columns
    at once are those of the columns of numbers. `times`: how many cases each value stands for."""
    own = bins if isinstance(bins, Mapping) else dict.fromkeys(given, bins)
    columns = {}
    for name, data in given.items():
        try:
            columns[name] = GroupColumn.of(name, data, n, bins=own.get(name), missing=missing, times=times)
        except NoNumberError:
            if isinstance(bins, Mapping) or len(given) == 1:
                raise
            columns[name] = GroupColumn.of(name, data, n, missing=missing, times=times)
    if not cross or len(columns) < 2:
        return columns
    both = crossed_columns(list(columns.values()))
    return {both.name: both}


def crossed_columns(columns: Iterable[GroupColumn]) -> GroupColumn:
    """The combinations that occur of several columns, as one column."""
    first, *others = columns
    name, labels, codes = first.name, list(first.labels), first.codes
    for other in others:
        name = f"{name} and {other.name}"
        width = len(other.labels)
        both = np.where((codes < 0) | (other.codes < 0), -1, codes.astype(np.int64) * width + other.codes)
        found, places = np.unique(both, return_inverse=True)
        labels = [f"{labels[c // width]}, {other.labels[c % width]}" for c in found[found >= 0].tolist()]
        codes = (places - int(found[0] < 0)).astype(np.int32)
    notes = "; ".join(column.note for column in (first, *others) if column.note)
    _refuse_ids(name, len(labels), len(codes) if first.times is None else int(first.times.sum()))
    return GroupColumn(name, tuple(labels), codes, notes, first.times)


def values_by_case(name: str, data: Any) -> Array | CodedValues:
    """Numbers as they are; all else coded, as each kind of value is looked at once."""
    plain = held_numbers(data)
    return CodedValues.of(data, name, GROUPS_EXPECTED) if plain is None else plain


def _values(name: str, data: Any, n: int) -> Array | CodedValues:
    values = values_by_case(name, data)
    if len(values) != n:
        raise ShapeError(f"{name} has {len(values):,} values and there are {n:,} cases; give {GROUPS_EXPECTED}.")
    return values


def _missing(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype == object:
        return np.fromiter((is_missing(v) or (isinstance(v, str) and not v) for v in values), bool, len(values))
    return np.zeros(len(values), bool)


def _of_one_type(values: Array) -> Array:
    """Python's values as numpy has them, if they are numbers; dates and the like as texts."""
    kinds = {type(v) for v in values.tolist()}
    if kinds <= {int, float} and float in kinds:
        return values.astype(float)
    if kinds <= {str, int, bool}:
        return values
    return objects([str(v) for v in values.tolist()])


def _coded(name: str, values: Array, bins: Any, times: Array) -> tuple[tuple[str, ...], Array, str]:
    """(groups, the place of each case's, how numbers were cut)."""
    real = values.dtype.kind == "f"
    if real and not np.isfinite(values).all():
        raise InputError(f"{name} holds an infinite number; give finite ones, or a group for each case.")
    if bins is not None and bins is not False:
        return _cut(name, _as_numbers(name, values), bins, times)
    if real and bins is None and (values != np.floor(values)).any() and not _of_few_kinds(values, times):
        return _cut(name, values, BINS, times)
    if real:
        if (values == np.floor(values)).all():
            values = values.astype(np.int64)
        else:
            kinds, codes = np.unique(values, return_inverse=True)
            _refuse_ids(name, len(kinds), int(times.sum()))
            return tuple(_words(kinds.tolist())), codes.astype(np.int32), ""
    found, codes, _ = distinct(values, name)
    count = len(found)
    if bins is None and isinstance(found[0], int) and not isinstance(found[0], bool) and count > MOST_WHOLE:
        _refuse_ids(name, count, int(times.sum()), f", or cut its numbers with {option('bins')}{BINS}")
        return _cut(name, _as_numbers(name, values), BINS, times)
    _refuse_ids(name, count, int(times.sum()))
    return tuple(map(str, found)), np.asarray(codes), ""


def _of_few_kinds(values: Array, times: Array) -> bool:
    """Real numbers that are names of groups, such as doses: few kinds of them, which come again and again."""
    kinds = len(np.unique(values))
    return kinds <= MOST_WHOLE and kinds * FEWEST_OF_KIND <= int(times.sum())


def _refuse_ids(name: str, groups: int, n: int, instead: str = "") -> None:
    if groups > max(FEW, n / 2):
        raise InputError(
            f"{name} has {groups:,} distinct values in {n:,} cases, nearly one for each, as an id has; pass a column "
            f"of groups that hold several cases each{instead}."
        )


def _as_numbers(name: str, values: Array) -> Array:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        example = next(v for v in values.tolist() if not isinstance(v, int | float))
        raise NoNumberError(
            f"{name} holds {quoted([example])}, which is not a number and can't be cut into bins; leave out "
            f"{option('bins')} for it."
        ) from None


def _cut(name: str, values: Array, bins: Any, times: Array) -> tuple[tuple[str, ...], Array, str]:
    if np.ndim(bins):
        inner = np.unique(numbers(bins, option("bins").rstrip("="), "the edges")[0])
        how = f"{name} was cut at"
    else:
        count = whole(option("bins").rstrip("="), bins, least=2)
        inner = np.unique(_quantiles(values, times, np.arange(1, count) / count))
        how = f"{name} was cut into {count} quantile bins, at"
    low, high = float(values.min()), float(values.max())
    inner = inner[(inner > low) & (inner <= high)]
    codes = np.searchsorted(inner, values, side="right")
    ends = _words([low, *inner.tolist(), high])
    labels = [f"[{a}, {b})" for a, b in pairwise(ends[:-1])] + [f"[{ends[-2]}, {ends[-1]}]"]
    note = f"{how} {', '.join(ends[1:-1])}" if len(inner) else ""
    return tuple(labels), codes.astype(np.int32), note


def _quantiles(values: Array, times: Array, shares: Array) -> Array:
    """The first value at or above which these shares of the cases are: numpy's method "higher"."""
    place = np.ceil(shares * (times.sum() - 1)).astype(np.int64)
    if (times == 1).all():
        return np.asarray(np.partition(values, place)[place])
    order = np.argsort(values, kind="stable")
    return np.asarray(values[order][np.searchsorted(np.cumsum(times[order]), place, side="right")])


def _words(ends: list[float]) -> list[str]:
    """With as many digits as it takes to tell them apart."""
    for digits in (4, 6, 9, 12):
        words = [f"{x:.{digits}g}" for x in ends]
        if len(set(words)) == len(set(ends)):
            return words
    return [repr(x) for x in ends]
