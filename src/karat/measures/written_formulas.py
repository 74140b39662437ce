"""Formulas written down as steps, so that a kernel takes those of one evaluation at once.

A formula is a function of numbers that a statistic has, and serves arrays of them as well as one: what it does to each
number does not depend on the number. So it is called once with numbers that are not there yet and only note what is
done to them. Its declaration stays the one place where it is written; one that does anything else (looks at cells, or
branches) can't be written down and is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Statistic
from karat.kernels.records import OPERATIONS

CODES = {name: code for code, (name, _) in enumerate(OPERATIONS)}


class WrittenFormulas(NamedTuple):
    """Steps to the values of some measures, from the facts of the statistics of a scan."""

    symbols: tuple[str, ...]
    steps: Array
    constants: Array
    outputs: Array

    def values(self, facts: Array) -> tuple[list[float], bool]:
        """In the order of the symbols; and is none of them nan?"""
        return kernels.follow(self.steps, self.constants, self.outputs, facts)


class Noted(NDArrayOperatorsMixin):
    """A number that is not there yet: numpy's functions of it are noted as steps."""

    __slots__ = ("notes", "place")

    def __init__(self, notes: Notes, place: tuple[str, Any]) -> None:
        self.notes, self.place = notes, place

    def __array_ufunc__(self, ufunc: Any, method: str, *numbers: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc.__name__ not in CODES:
            return NotImplemented
        return self.notes.step(ufunc.__name__, numbers)

    def __array_function__(self, function: Any, types: Any, numbers: Any, options: Any) -> Any:
        return self.notes.step("where", numbers) if function is np.where and len(numbers) == 3 else NotImplemented

    def __bool__(self) -> bool:
        raise TypeError("a formula that branches on a number can't be written down")


class _Part:
    """What a formula sees in place of a statistic, or of a part of it: its facts alone."""


class Notes:
    """What formulas of one scan do to its facts; a step that two of them take is taken once."""

    def __init__(self) -> None:
        self.given = 0
        self.constants: dict[str, int] = {}
        self.steps: dict[tuple[Any, ...], int] = {}

    def statistic(self, kind: type[Statistic]) -> Any:
        """The statistic that comes next in the facts."""
        seen = _Part()
        for name in kind.facts:
            *parts, last = name.split(".")
            part = seen
            for word in parts:
                part = part.__dict__.setdefault(word, _Part())
            part.__dict__[last] = Noted(self, ("fact", self.given))
            self.given += 1
        return seen

    def step(self, name: str, numbers: Iterable[Any]) -> Noted:
        """A function of numbers."""
        key = (name, *(self._place(x) for x in numbers))
        return Noted(self, ("step", self.steps.setdefault(key, len(self.steps))))

    def _place(self, x: Any) -> tuple[str, Any]:
        if isinstance(x, Noted):
            return x.place
        x = float(x).hex()  # by its digits: a nan equals no other, and 0 equals -0; an array has none
        return "constant", self.constants.setdefault(x, len(self.constants))

    def written(self, values: dict[str, Noted]) -> WrittenFormulas:
        """The steps in the order in which they were taken, by which each finds what it needs."""
        first = {"fact": 0, "constant": self.given, "step": self.given + len(self.constants)}

        def number(place: tuple[str, Any]) -> int:
            return first[place[0]] + place[1]  # type: ignore[no-any-return]

        steps = np.zeros((len(self.steps), 4), np.int32)
        for row, (name, *places) in zip(steps, self.steps, strict=True):
            row[0] = CODES[name]
            row[1 : 1 + len(places)] = [number(place) for place in places]
        constants = np.array([float.fromhex(x) for x in self.constants])
        outputs = np.array([number(value.place) for value in values.values()], np.int32)
        return WrittenFormulas(tuple(values), steps, constants, outputs)


def written(
    together: tuple[type[Statistic], ...], formulas: Iterable[tuple[type[Statistic], str, Callable[..., Any]]]
) -> WrittenFormulas:
    """Those of these formulas (of a statistic, by symbol) that can be written down, for the facts of a scan."""
    notes = Notes()
    seen = {kind: notes.statistic(kind) for kind in together}
    values: dict[str, Noted] = {}
    for kind, symbol, formula in formulas:
        try:
            value = formula(seen[kind])
        except Exception:  # a formula may be anybody's, and do anything with a statistic that is none
            continue
        if isinstance(value, Noted):
            values[symbol] = value
    return notes.written(values)
