"""What is enough to know of the data. Two statistics add up, except where the order of all cases matters."""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum
from typing import Any, ClassVar, Self


class Needs(IntEnum):
    """What a statistic must be given, from least to most. Probabilities are also scores, and give decisions."""

    DECISIONS = 1
    SCORES = 2
    PROBABILITIES = 3


class Statistic:
    """A small record of arrays with any leading axes (a batch, thresholds, bootstrap replicates), float64.

    `S.of(a ++ b) == S.of(a) + S.of(b)`, in any order and grouping, wherever `additive` says so. Nobody assigns to one;
    yet those that every evaluation makes are no frozen dataclasses, whose constructors cost some microseconds more.
    """

    needs: ClassVar[Needs] = Needs.DECISIONS
    additive: ClassVar[bool] = True
    weighted: ClassVar[bool] = True
    """Has the statistic a meaning for cases with weights?"""
    per_class: ClassVar[str] = ""
    """How it serves one class against the rest: "" not at all, "axis" by a last axis over classes, "each" by one record
    for each class."""
    bends: ClassVar[bool] = False
    """Are its measures sums of gaps, whose bend at 0 makes standard errors too small?"""
    unsupported: ClassVar[str] = ""
    """Why no interval and no test of its measures is known that holds; empty if there are."""
    one_pot: ClassVar[bool] = False
    """Can all classes be put into one pot (`pooled`)?"""
    facts: ClassVar[tuple[str, ...]] = ()
    """Numbers that formulas ask of it (see `measures/written_formulas.py`); of one evaluation a kernel finds most of
    them on its way."""
    parameters: ClassVar[dict[str, Any]] = {}
    """Names and defaults of what `of` can be told (for example the number of bins)."""

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Self:
        """The statistic of these predictions."""
        raise TypeError(f"{cls.__name__} can't be made from predictions")

    def __add__(self, other: Self) -> Self:
        """Field by field, unless a statistic says otherwise."""
        if not self.additive:
            raise TypeError(f"{type(self).__name__} does not add up: it has to be taken from all the cases at once")
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return type(self)(*(one + another for one, another in pairs))
