"""Values of measures, and tables of classes, as a terminal, a notebook and a document show them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from karat.core.measure import Measure
from karat.core.table import Table
from karat.core.words import Fixed, arrow, at_one_precision, common_decimals, listed
from karat.measures.same_number import same_number
from karat.statistics import Summary

LONGEST_BRIEF = 24
"""Letters of a title, beyond which a narrow table has the symbol."""
DAGGER = "†"
"""Stands at a measure whose value there is something to know about."""


@dataclass(frozen=True)
class MeasureRow:
    """What a row is about: a measure, others that are the same number here, perhaps one class."""

    measure: Measure
    others: tuple[Measure, ...] = ()
    of_class: str = ""

    @property
    def label(self) -> str:
        """Its title and symbols."""
        if self.others:
            return f"{self.measure.title} ({', '.join(m.symbol for m in (self.measure, *self.others))})"
        return self._with_class(self.measure.label)

    @property
    def title(self) -> str:
        """Its title alone."""
        return self._with_class(self.measure.title)

    @property
    def brief(self) -> str:
        """Its title, or instead of a long one its symbol."""
        return self.title if len(self.title) <= LONGEST_BRIEF else self.key

    @property
    def key(self) -> str:
        """Its symbol, and class, as evaluations and comparisons have them."""
        return f"{self.symbol}[{self.of_class}]" if self.of_class else self.symbol

    @property
    def symbol(self) -> str:
        """The symbol of its measure."""
        return self.measure.symbol

    def _with_class(self, text: str) -> str:
        return f"{text} of {self.of_class}" if self.of_class else text


def measure_rows(
    measures: Iterable[Measure], summaries: Iterable[Summary], beside: Callable[[str], Hashable] = lambda symbol: ""
) -> list[MeasureRow]:
    """A row for each measure; one for those that are the same number on the data of every model, and have the same
    `beside` it: what else their row shows, by symbol."""
    chosen = list(dict.fromkeys(measures))
    alike = [{m.symbol: together[0].symbol for together in same_number(chosen, s) for m in together} for s in summaries]
    rows: dict[Hashable, list[Measure]] = {}
    for m in chosen:
        rows.setdefault((*(first[m.symbol] for first in alike), beside(m.symbol)), []).append(m)
    return [MeasureRow(first, tuple(others)) for first, *others in rows.values()]


def interval_beside(intervals: Mapping[str, Any] | None) -> Callable[[str], Hashable]:
    """The interval of a measure, and what is said of it, as a row shows them; nothing where there are none."""

    def beside(symbol: str) -> Hashable:
        one = None if intervals is None else intervals.get(symbol)
        return "" if one is None else (between(one), one.reason)

    return beside


def table_of_values(
    title: str,
    rows: Iterable[MeasureRow],
    values: Mapping[str, float],
    undefined: Mapping[str, str],
    said: Mapping[str, str],
    intervals: Any = None,
) -> Table:
    """Below the rows is why some have no value, and what should be known of others."""
    shown = list(rows)
    titles = {m.symbol: row.title for row in shown for m in (row.measure, *row.others)}
    columns: dict[str, list[Any]] = {
        "measure": [f"{row.label} {DAGGER}" if row.symbol in said else row.label for row in shown],
        "better": [arrow(row.measure.orientation) for row in shown],
        "value": [values[row.symbol] for row in shown],
    }
    notes = [f"{DAGGER} {about}: {sentence}." for about, sentence in _told(said, titles)]
    notes += [f"Undefined: {about}: {reason}." for about, reason in _told(undefined, titles)]
    if intervals is not None:
        ends = [intervals[row.symbol] for row in shown]
        columns["value"] = [Fixed(e.value, common_decimals((e.value, *_known(e)))) for e in ends]
        columns[f"{100 * intervals.level:g} % interval"] = [between(e) for e in ends]
        reasons = {e: intervals[e].reason for e in titles if intervals[e].reason and e not in undefined}
        notes += [f"Interval of {about}: {reason}." for about, reason in _told(reasons, titles)]
    return Table(columns, title, tuple(notes))


def _told(said: Mapping[str, str], titles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each sentence once, with the titles that it is about."""
    for sentence, symbols in by_sentence({s: text for s, text in said.items() if s in titles}).items():
        yield listed(dict.fromkeys(titles[symbol] for symbol in symbols)), sentence


def between(interval: Any) -> str:
    """The ends of an interval, with as many digits as its estimate; empty if neither is known.

    >>> from types import SimpleNamespace
    >>> between(SimpleNamespace(value=0.921, low=0.8821, high=0.95))
    '[0.882, 0.950]'
    """
    if not _known(interval):
        return ""
    _, low, high = at_one_precision((interval.value, interval.low, interval.high))
    return f"[{low}, {high}]"


def _known(interval: Any) -> tuple[float, ...]:
    """Both ends; none, if there is no interval."""
    return () if interval.low != interval.low or interval.high != interval.high else (interval.low, interval.high)


def by_sentence(said: Mapping[str, str]) -> dict[str, list[str]]:
    """Sentence to symbols: what is said of several measures is said once.

    >>> by_sentence({"MCC": "so it is", "CEN": "not so", "tMCC": "so it is"})
    {'so it is': ['MCC', 'tMCC'], 'not so': ['CEN']}
    """
    symbols: dict[str, list[str]] = {}
    for symbol, sentence in said.items():
        symbols.setdefault(sentence, []).append(symbol)
    return symbols


def crossed(corner: str, rows: tuple[Any, ...], columns: tuple[Any, ...], cells: list[Any]) -> dict[str, list[Any]]:
    """Named rows and columns; the column of the row names is called `corner`, or a name that no class has."""
    names = [str(name) for name in columns]
    while corner in names:
        corner += "_"
    return {corner: list(rows), **dict(zip(names, cells, strict=True))}
