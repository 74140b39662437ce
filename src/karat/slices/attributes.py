"""What is known of the cases beside their predictions, in cells: the values of a category, or a number cut at
quantiles; missing values are a cell of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option, quoted
from karat.core.validation import number_between, whole
from karat.core.words import short, shortest_cut
from karat.data.arrays import NUMBER_KINDS, is_missing, kind_of, named_columns, plain_values

NOWHERE = -1
"""The cell of values that are too rare to make a slice of."""
MOSTLY_DISTINCT = 0.5
"""A category with more different values than this share of the cases is an id, not an attribute."""
DENSE_IDS = 2.0
"""Whole numbers that are all different and fill their range at least by the inverse of this count the cases."""
LONGEST_VALUE = 40
"""Characters of a value that are shown."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One of them, as the cell of each case and the words for cells and runs of cells."""

    name: str
    cell: Array
    """[n], int64; NOWHERE: in none"""
    words: tuple[str, ...]
    """of each cell, of an unordered attribute"""
    cuts: tuple[str, ...] = ()
    """between ordered cells, in words; without missing values there is one cell more than there are cuts"""
    ordered: bool = False
    gaps: bool = False
    """are there missing values, which are then the last cell?"""

    @property
    def cells(self) -> int:
        """How many."""
        return (len(self.cuts) + 1 if self.ordered else len(self.words)) + self.gaps

    @property
    def runs(self) -> list[tuple[int, int]]:
        """(first, last) cells that a condition may hold: one cell, or of ordered cells any in a row, but not all."""
        known = self.cells - self.gaps
        runs = [(i, i) for i in range(known)]
        if self.ordered:
            runs = [(i, j) for i in range(known) for j in range(i, known) if j - i + 1 < known]
        return runs + ([(known, known)] if self.gaps else [])

    @property
    def covers(self) -> Array:
        """[runs, cells]: which cells does each run hold? 0 or 1"""
        at = np.arange(self.cells)
        return np.array([(at >= i) & (at <= j) for i, j in self.runs], float).reshape(-1, self.cells)

    def said(self, run: tuple[int, int]) -> str:
        """A condition in words: age > 70."""
        name, (first, last) = short(self.name, LONGEST_VALUE), run
        if self.gaps and first == self.cells - 1:
            return f"{name} missing"
        if not self.ordered:
            return f"{name} = {self.words[first]}"
        above = self.cuts[first - 1] if first else ""
        most = self.cuts[last] if last < len(self.cuts) else ""
        if above and most:
            return f"{above} < {name} <= {most}"
        return f"{name} > {above}" if above else f"{name} <= {most}"

    def holds(self, run: tuple[int, int]) -> Array:
        """[n]: which cases meet the condition?"""
        return np.asarray((self.cell >= run[0]) & (self.cell <= run[1]))


def quantiles_of(bins: Any) -> Array:
    """The quantiles at which numbers are cut: those of so many bins of equal size, or as they were given."""
    if isinstance(bins, Sequence) or hasattr(bins, "__array__"):
        given = [number_between("a quantile of bins", q, 0, 1, ends="()") for q in bins]
        if not given:
            raise InputError(f"{option('bins')} is empty; give a number of bins, or quantiles such as 0.25, 0.5, 0.75.")
        return np.unique(given)
    count = whole(option("bins"), bins, least=2)
    return np.arange(1, count) / count


def attributes_of(table: Any, n: int, bins: Any, fewest: int) -> list[Attribute]:
    """From a dict of columns or a data frame; a value of fewer than `fewest` cases makes no slice."""
    columns = named_columns(table, "attributes")
    if not columns:
        raise InputError("attributes holds no column; give {name: column}, one value for each case.")
    quantiles = quantiles_of(bins)
    made = [attribute_of(str(name), column, n, quantiles, fewest) for name, column in columns.items()]
    if not any(len(a.runs) for a in made):
        raise InputError(
            f"no attribute has two values of at least {fewest} cases each; give others, or a smaller "
            f"{option('smallest')}."
        )
    return made


def attribute_of(name: str, column: Any, n: int, quantiles: Array, fewest: int) -> Attribute:
    """One column: truth values and texts are categories, numbers are cut."""
    what = f"attribute {name!r}"
    values = plain_values(column, what, "one value for each case")
    if len(values) != n:
        raise ShapeError(f"{what} has {len(values)} values and there are {n} cases; give one for each case.")
    missing = np.array([is_missing(v) or (isinstance(v, str) and not v.strip()) for v in values], bool)
    known = [v for v, lost in zip(values, missing, strict=True) if not lost]
    kinds = {kind_of(t) for t in set(map(type, known))}
    if kinds and kinds <= NUMBER_KINDS - {"bool"}:
        return _cut(name, np.array(known, float), missing, quantiles, what)
    if len(kinds) > 1 or not kinds <= {"str", "bool"}:
        found = " and ".join(sorted(kinds))
        raise InputError(f"{what} holds {found}; give numbers, texts or truth values, all of one kind.")
    return _sorted_out(name, known, missing, fewest, what)


def _sorted_out(name: str, known: list[Any], missing: Array, fewest: int, what: str) -> Attribute:
    """A category: its frequent values, the most frequent first."""
    values, place, cases = np.unique(np.array(known, object), return_inverse=True, return_counts=True)
    if len(values) > max(MOSTLY_DISTINCT * len(missing), 1) and len(values) > fewest:
        raise InputError(
            f"{what} has {len(values):,} different values among {len(missing):,} cases, so that it is nearly an id; "
            "leave it out, or group its values."
        )
    order = [i for i in np.argsort(-cases, kind="stable").tolist() if cases[i] >= fewest]
    if len(values) < 2 and not missing.any():
        order = []  # all cases are the same
    to_cell = np.full(len(values), NOWHERE)
    to_cell[order] = np.arange(len(order))
    cell = np.full(len(missing), len(order) if missing.any() else NOWHERE)
    cell[~missing] = to_cell[place.ravel()] if len(known) else NOWHERE
    words = tuple(short(" ".join(str(values[i]).split()), LONGEST_VALUE) for i in order)
    return Attribute(name, cell, words, gaps=bool(missing.any()))


def _cut(name: str, known: Array, missing: Array, quantiles: Array, what: str) -> Attribute:
    """A number: at quantiles, each cut between two values that occur."""
    values = np.unique(known)
    span = float(values[-1] - values[0])
    if len(values) == len(known) > 20 and (known % 1 == 0).all() and span + 1 <= DENSE_IDS * len(known):
        raise InputError(
            f"{what} has {len(values):,} different whole numbers in {len(missing):,} cases, as row numbers and ids "
            "have; leave it out."
        )
    at = np.unique(np.quantile(known, quantiles, method="inverted_cdf"))
    below = at[at < values[-1]]
    above = values[np.searchsorted(values, below, side="right")]
    cuts = tuple(highest_cut(float(a), float(b)) for a, b in zip(below, above, strict=True))
    cell = np.full(len(missing), len(cuts) + 1)
    cell[~missing] = np.searchsorted(below, known, side="left")
    return Attribute(name, cell, (), cuts, True, bool(missing.any()))


def highest_cut(below: float, above: float) -> str:
    """A limit with the fewest digits such that `below` is at most it and `above` is more.

    >>> highest_cut(70, 71), highest_cut(0.5338291, 0.54), highest_cut(-3, 2)
    ('70', '0.534', '-3')
    """
    below, above = float(below), float(above)
    if not (np.isfinite(below) and np.isfinite(above)):
        return repr(below)
    text = shortest_cut(-below, -above)
    return text.removeprefix("-") if text.startswith("-") else "0" if float(text) == 0 else f"-{text}"


def refuse_other_columns(attributes: Any) -> None:
    """Something that is no table of columns."""
    if isinstance(attributes, str) or not (isinstance(attributes, Mapping) or hasattr(attributes, "columns")):
        raise InputError(
            f"attributes is {quoted([attributes])}; give {{name: column}} or a data frame, one row for each case."
        )
