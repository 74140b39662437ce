"""Formulas written down as steps, so that a kernel takes those of one evaluation at once, or of many.

A formula is a function of numbers that a statistic has, and serves arrays of them as well as one: what it does to each
number does not depend on the number. So it is called once with numbers that are not there yet and only note what is
done to them. Its declaration stays the one place where it is written; one that does anything else (looks at cells, or
branches) can't be written down and is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.measure import Measure
from karat.core.statistic import Statistic
from karat.kernels.records import OPERATIONS

CODES = {name: code for code, (name, _) in enumerate(OPERATIONS)}


class WrittenFormulas(NamedTuple):
    """Steps to the values of some measures, from the facts of the statistics of a scan."""

    symbols: tuple[str, ...]
    steps: Array
    constants: Array
    outputs: Array
    facts: tuple[tuple[type[Statistic], Callable[[Any], Any]] | None, ...]
    """whose they are, and how they are asked for; None: no step needs it"""

    def put_values(self, facts: Array, values: dict[str, float]) -> bool:
        """Under their symbols; is none of them nan?"""
        return kernels.follow(self.steps, self.constants, self.outputs, facts, self.symbols, values)

    def of_many(self, statistic_of: Callable[[Any], Any], out: Array) -> None:
        """The values of all evaluations along the leading axes of statistics: out[symbols, evaluations]."""
        facts = [None if fact is None else fact[1](statistic_of(fact[0])) for fact in self.facts]
        kernels.follow_many(self.steps, self.constants, self.outputs, facts, out)


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

    def within(self, low: Any, high: Any) -> Noted:
        """See `arithmetic.within`."""
        return self.notes.step("within", (self, low, high))

    def __bool__(self) -> bool:
        raise TypeError("a formula that branches on a number can't be written down")


class _Part:
    """What a formula sees in place of a statistic, or of a part of it: its facts alone."""


class Notes:
    """What formulas of one scan do to its facts; a step that two of them take is taken once."""

    def __init__(self) -> None:
        self.given: list[tuple[type[Statistic], Callable[[Any], Any]]] = []
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
            part.__dict__[last] = Noted(self, ("fact", len(self.given)))
            self.given.append((kind, attrgetter(name)))
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
        """The steps to these values, in the order in which they were taken, by which each finds what it needs. (Of a
        formula that could not be written down to its end, some were noted that nobody needs.)"""
        needed = {value.place for value in values.values()}
        for step, i in reversed(self.steps.items()):
            if ("step", i) in needed:
                needed.update(step[1:])
        taken = [(step, i) for step, i in self.steps.items() if ("step", i) in needed]
        first = len(self.given) + len(self.constants)
        number = {("step", i): first + at for at, (_, i) in enumerate(taken)}
        number |= {("fact", i): i for i in range(len(self.given))}
        number |= {("constant", i): len(self.given) + i for i in range(len(self.constants))}

        steps = np.zeros((len(taken), 4), np.int32)
        for row, ((name, *places), _) in zip(steps, taken, strict=True):
            row[0] = CODES[name]
            row[1 : 1 + len(places)] = [number[place] for place in places]
        constants = np.array([float.fromhex(x) for x in self.constants])
        outputs = np.array([number[value.place] for value in values.values()], np.int32)
        facts = tuple(fact if ("fact", i) in needed else None for i, fact in enumerate(self.given))
        return WrittenFormulas(tuple(values), steps, constants, outputs, facts)


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


def is_own(measure: Measure) -> bool:
    """Does karat declare it? People's own may ask for something that changes from one call to the next."""
    return str(measure.function.__module__).startswith("karat.")


@lru_cache(maxsize=256)
def written_of(measures: tuple[Measure, ...]) -> WrittenFormulas:
    """Those of karat's own measures that can be written down, for the facts of their statistics."""
    own = [m for m in measures if is_own(m) and not m.statistic_parameters]
    kinds = tuple(dict.fromkeys(m.statistic for m in own))
    return written(kinds, ((m.statistic, m.symbol, partial(m.value_of, **m.formula_parameters)) for m in own))
