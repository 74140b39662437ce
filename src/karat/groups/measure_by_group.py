"""One measure in every group: values, intervals, differences to the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from karat.core.errors import UnknownNameError, quoted
from karat.core.record import Record
from karat.core.table import Table
from karat.core.words import interval as between
from karat.core.words import listed
from karat.intervals.interval import Interval


@dataclass(frozen=True, eq=False, repr=False)
class MeasureByGroup(Record):
    """One measure in every group: what `e.by(site)["recall"]` returns.

    Attributes
    ----------
    measure, title : str
        Its symbol, and what most of the field calls it.
    by : str
        The column of groups.
    groups : tuple of str
    cases : tuple of int
    classes : tuple of int
        How many classes the cases of each group are of.
    value, low, high : tuple of float
        nan where there is none; `reason` says why.
    difference : tuple of float
        The value less that of all other cases.
    shrunken : tuple of float
        Empirical Bayes estimates: each value moved towards the mean of all groups by as much of its variance as
        sampling makes. For ranking small groups; not what was observed.
    reason : tuple of str
    level : float
    note : str
        How numbers were cut into groups, and how many cases were left out.
    """

    measure: str
    title: str
    by: str
    groups: tuple[str, ...]
    cases: tuple[int, ...]
    classes: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    difference: tuple[float, ...]
    shrunken: tuple[float, ...]
    reason: tuple[str, ...]
    level: float
    note: str = ""
    overall: float = math.nan
    """of all cases"""

    def __getitem__(self, group: str) -> Interval:
        """The value and the interval of one group."""
        if group not in self.groups:
            raise UnknownNameError(f"{self.by} has no group {group!r}; its groups are {quoted(self.groups)}.")
        i = self.groups.index(group)
        return Interval(self.value[i], self.low[i], self.high[i], self.level, "", self.reason[i])

    def plot(self, ax: Any = None, **look: Any) -> Any:
        """A dot and an interval for each group, those of few cases faded; a line for all cases.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw it; by default a figure of its own.
        **look : of the drawing, such as `color`.

        Returns
        -------
        GroupDots
            The record that was drawn.
        """
        from karat.diagrams.dots_by_group import GroupDots

        numbers = (self.groups, self.value, self.low, self.high, self.cases)
        return GroupDots.of(*numbers, overall=self.overall, axis=f"{self.title} by {self.by}").plot(ax, **look)

    def to_table(self) -> Table:
        """One row for each group."""
        names = ("cases", "classes", "value", "low", "high", "difference", "shrunken", "reason")
        columns = {name: list(getattr(self, name)) for name in names}
        return Table({self.by: list(self.groups), **columns}, f"{self.title} by {self.by}")

    def displayed(self) -> Table:
        """The table as people read it."""
        ends = [
            between(v, a, b).split(" ", 1)[1] if a == a else ""
            for v, a, b in zip(self.value, self.low, self.high, strict=True)
        ]
        columns: dict[str, list[Any]] = {
            self.by: list(self.groups), "cases": list(self.cases), "classes": list(self.classes),
            "value": list(self.value), f"{100 * self.level:g} % interval": ends,
            "minus the rest": list(self.difference), "shrunken": list(self.shrunken),
        }  # fmt: skip
        if all(math.isnan(x) for x in self.shrunken):
            del columns["shrunken"]
        by_reason: dict[str, list[str]] = {}
        for group, reason in zip(self.groups, self.reason, strict=True):
            if reason:
                by_reason.setdefault(reason, []).append(group)
        notes = [f"{listed(groups, 3)}: {reason}." for reason, groups in by_reason.items()]
        notes += [f"{self.note}."] if self.note else []
        return Table(columns, f"{self.title} by {self.by}", tuple(notes))

    def __repr__(self) -> str:
        return repr(self.displayed())
