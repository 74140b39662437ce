"""Groups as the terminal shows them: a row for each group, the gaps between them, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.cli.output import say, show_table
from karat.core.words import counted, interval, listed

if TYPE_CHECKING:
    from karat.evaluation import Evaluation
    from karat.groups import ByGroup, Gap

MOST_GROUPS = 30
"""Of a column, that are shown without --all: the largest."""


@dataclass(frozen=True)
class GroupView:
    """What of groups shall be shown."""

    names: list[str] | None
    """measures; None: those that are looked at first"""
    intervals: bool
    everything: bool
    level: float
    seed: int

    def of(self, e: Evaluation, **which: Any) -> ShownGroups:
        """The groups of one model, by all columns that were read with it; `which` are options of `Evaluation.by`."""
        from karat.groups import ByGroup

        groups = e.by(level=self.level, **which)
        columns = {groups.name: groups} if isinstance(groups, ByGroup) else dict(groups)
        return ShownGroups(self, columns)


@dataclass(frozen=True)
class ShownGroups:
    """The groups of one model, by column."""

    view: GroupView
    columns: dict[str, ByGroup]

    def measures(self, g: ByGroup) -> list[str]:
        """The measures that are shown."""
        return [m.symbol for m in g.shown_measures()] if self.view.names is None else self.view.names

    def gaps(self) -> dict[str, list[Gap]]:
        """Column to the gap of each measure."""
        options: dict[str, Any] = {"level": self.view.level, "seed": self.view.seed}
        return {name: [g.gap(symbol, **options) for symbol in self.measures(g)] for name, g in self.columns.items()}

    def facts(self) -> dict[str, Any]:
        """Plain data, by column."""
        from karat.measures.lookup import find

        found, gaps = {}, self.gaps()
        for name, g in self.columns.items():
            names = self.measures(g)
            found[name] = g.to_dict(names) | {"gaps": {gap.measure: gap.to_dict() for gap in gaps[name]}}
            if self.view.intervals:
                found[name]["intervals"] = {find(name).symbol: _ends(g, name) for name in names}
        return found

    def show(self, head: str = "") -> None:
        """A table for each column of groups, and one of the gaps."""
        for g in self.columns.values():
            say("")
            say(f"{head}{counted(len(g.groups), 'group')} by {g.name}" + (f" ({g.note})" if g.note else ""))
            show_table(self._rows(g))
            hidden = len(g.groups) - MOST_GROUPS
            if hidden > 0 and not self.view.everything:
                say(f"The largest {MOST_GROUPS} of {len(g.groups):,} groups; --all shows all of them.")
        self._show_gaps()

    def _rows(self, g: ByGroup) -> Any:
        from karat.core.table import Table
        from karat.measures.lookup import find

        order = sorted(range(len(g.groups)), key=lambda i: -g.cases[i])
        order = sorted(order if self.view.everything else order[:MOST_GROUPS])
        columns: dict[str, list[Any]] = {g.name: [g.groups[i] for i in order], "cases": [g.cases[i] for i in order]}
        for symbol in self.measures(g):
            title = find(symbol).title
            if self.view.intervals:
                table = g[symbol]
                columns[title] = [_with_ends(table.value[i], table.low[i], table.high[i]) for i in order]
            else:
                values = g.values([symbol])[find(symbol).symbol]
                columns[title] = [values[i] for i in order]
        return Table(columns)

    def _show_gaps(self) -> None:
        from karat.core.table import Table
        from karat.groups.group_gaps import gaps_table

        gaps = self.gaps()
        say("\nLargest difference between groups (p-values by permutation, Holm's over all rows)")
        columns = gaps_table(gaps).columns
        notes, ends = columns.pop("note"), [columns.pop(name) for name in ("low", "high")]
        spans = [_with_ends(*row) for row in zip(columns["value"], *ends, strict=True)]
        show_table(Table({name: spans if name == "value" else column for name, column in columns.items()}))
        for note, titles in _by_note(notes, columns["measure"]).items():
            say(f"- {listed(titles, 3)}: {note}.")
        left_out = {label: why for of in gaps.values() for gap in of for label, why in gap.left_out.items()}
        for why, labels in _by_note(list(left_out.values()), list(left_out)).items():
            say(f"- Not compared: {listed(labels, 5)} ({why}).")


def _with_ends(value: float, low: float, high: float) -> str:
    from karat.core.table import shown

    if low == low and high == high:
        return interval(value, low, high)
    return f"{shown(value)} (no interval)" if value == value else "-"


def _by_note(notes: list[str], titles: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for note, title in zip(notes, titles, strict=True):
        if note and title not in found.setdefault(note, []):
            found[note].append(title)
    return found


def _ends(g: ByGroup, symbol: str) -> dict[str, list[Any]]:
    table = g[symbol].to_dict()
    return {name: table[name] for name in ("low", "high", "difference", "shrunken", "reason")}
