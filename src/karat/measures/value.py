"""What an interval is asked for: a measure, of all classes or of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, quoted
from karat.core.measure import Measure
from karat.core.statistic import Statistic
from karat.statistics import Binary, Counts, ScoreTable, Summary

NOT_SAID = "which class is positive was not said: say positive=, or classes= for an interval of each"
NO_VALUE = "its formula has no value here"


@dataclass(frozen=True, eq=False)
class Target:
    """A measure and, if it is one of a single class, which."""

    key: str
    measure: Measure
    place: int | None = None

    @property
    def statistic(self) -> type[Statistic]:
        """What it is a formula of."""
        return self.measure.statistic

    @property
    def tables(self) -> bool:
        """Is it a formula of score tables, one for each class?"""
        return issubclass(self.statistic, ScoreTable)

    @property
    def counted(self) -> bool:
        """Is a confusion table enough?"""
        return self.statistic in (Counts, Binary)

    def classes(self, k: int) -> Iterable[int]:
        """The classes whose score tables it needs."""
        return range(k) if self.place is None else (self.place,)

    def over(self, statistic: Any, alone: bool = False) -> Array:
        """Its values over the leading axes of the statistic (of score tables: the one of its class, or all in a list;
        `alone`: of a statistic that holds no other class). To be called where numpy's warnings are off."""
        values = np.asarray(self.measure.function(statistic, **self.measure.formula_parameters), float)
        if self.place is None or self.tables:
            return values
        return values[..., 0 if alone else self.place]

    def of(self, summary: Summary) -> float:
        """Its value."""
        if self.tables:
            made = [summary.table_of_class(j) for j in self.classes(len(summary.source.classes))]
            return float(self.over(made if self.place is None else made[0]))
        return float(self.over(summary.get(self.statistic, **self.measure.statistic_parameters)))

    def why_undefined(self, summary: Summary) -> str:
        """Why it can't be had of this data, whatever its formula says; empty if it can."""
        if lacking := summary.lacks(self.statistic):
            return lacking
        return NOT_SAID if self.measure.classwise and self.place is None else ""

    def range(self, k: int) -> tuple[float, float]:
        """Its range."""
        return self.measure.range_for(k)


def targets(measures: Iterable[Measure], classes: Any, summary: Summary) -> list[Target]:
    """A target for each measure; for each class that is said of those of one class: None the positive one."""
    names = summary.source.classes
    if isinstance(classes, str) and classes == "all" and classes not in names:
        places: list[int] | None = list(range(len(names)))
    elif classes is None:
        places = None
    else:
        said = [classes] if isinstance(classes, str) or not isinstance(classes, Iterable) else list(classes)
        for name in said:
            if name not in names:
                raise InputError(
                    f"classes= holds {name!r}, which is none of {quoted(names)}; name classes, or say 'all'."
                )
        places = [names.index(name) for name in said]
    made: list[Target] = []
    for m in measures:
        if not m.classwise:
            made.append(Target(m.symbol, m))
        elif places is None:
            made.append(Target(m.symbol, m, summary.source.positive))
        else:
            made += [Target(f"{m.symbol}[{names[j]}]", m, j) for j in places]
    return list({t.key: t for t in made}.values())
