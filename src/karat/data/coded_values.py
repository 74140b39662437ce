"""A column of any kind, one value for each case, as values that are held once and the place of each case's among them.
Missing values are values, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import ShapeError
from karat.data.arrays import coded_texts, objects, plain_values
from karat.data.containers import readable

PYTHONS_UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us")
"""Of numpy's times that Python has; it would make whole numbers of finer ones."""

GROUPS_EXPECTED = "the group of each case"
"""What a column of groups is."""

MOST_COUNTED = 1 << 20
"""Places that are counted, not sorted, however few cases there are."""


@dataclass(frozen=True, eq=False)
class CodedValues:
    """The values as Python has them, and where each case has which.

    Attributes
    ----------
    values : list
        All of them occur; one may be there twice, and several may be missing values (None, nan).
    places : array of shape (n,)
    """

    values: list[Any]
    places: Array

    def __len__(self) -> int:
        return len(self.places)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return objects(self.values)[self.places].astype(dtype or object)

    def times(self, each: Array | None = None) -> Array:
        """[values]: how many cases have each, of which an entry stands for so many."""
        return np.bincount(self.places, each, len(self.values)).astype(np.int64)

    @classmethod
    def of(cls, data: Any, what: str, expected: str) -> CodedValues:
        """From an array, a list, or a column of any library."""
        if isinstance(data, CodedValues):
            return data
        data = readable(data, what, expected)
        if (texts := coded_texts(data, what)) is not None:
            return cls._occurring(*texts)
        if isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind in "biufM":
            found, places = np.unique(data, return_inverse=True)
            fine = data.dtype.kind == "M" and np.datetime_data(data.dtype)[0] not in PYTHONS_UNITS
            return cls((found.astype("datetime64[us]") if fine else found).tolist(), places)
        return cls._of_objects(_as_objects(data, what, expected))

    @classmethod
    def _occurring(cls, values: list[Any], places: Array) -> CodedValues:
        there, places = occurring(places, len(values))
        return cls([values[i] for i in there.tolist()], places)

    @classmethod
    def _of_objects(cls, values: Array) -> CodedValues:
        coded = kernels.object_classes(np.ascontiguousarray(values))
        if coded is None:  # such as lists, which have no hash
            return cls._of_objects(objects([str(v) for v in values.tolist()]))
        found, places, types = coded
        if bool in types and len(types) > 1:  # True and 1 are not the same group
            pairs: dict[Any, int] = {}
            places = np.array([pairs.setdefault((type(v), v), len(pairs)) for v in values.tolist()], np.int32)
            found = [value for _, value in pairs]
        return cls([v.item() if isinstance(v, np.generic) else v for v in found], places)


def occurring(places: Array, count: int) -> tuple[Array, Array]:
    """The places, below `count`, that occur, ascending; and where each is among them."""
    if count > max(MOST_COUNTED, len(places)):
        there, among = np.unique(places, return_inverse=True)
        return there, among
    occur = np.bincount(places, minlength=count) > 0
    if occur.all():
        return np.arange(count), places
    return np.flatnonzero(occur), (np.cumsum(occur, dtype=np.int32) - 1)[places]


def _as_objects(data: Any, what: str, expected: str) -> Array:
    if not (isinstance(data, np.ndarray) and data.dtype == object):
        return objects(plain_values(data, what, expected))
    if data.ndim != 1:
        raise ShapeError(f"{what} has the shape {data.shape}; give {expected}, of shape (n,).")
    return data


def held_numbers(data: Any) -> Array | None:
    """A column of numbers or truth values as numpy has it, none missing but as nan; None of anything else."""
    dtype = getattr(data, "dtype", None)
    if hasattr(data, "iloc") and getattr(data, "ndim", 0) == 1 and isinstance(dtype, np.dtype):
        data = data.to_numpy()
    plain = isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype.kind in "biuf"
    return data if plain else None
