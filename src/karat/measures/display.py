"""Values of measures, and tables of classes, as a terminal, a notebook and a document show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from karat.core.measure import Measure
from karat.core.table import Table
from karat.core.words import arrow, at_one_precision, listed

DAGGER = "†"
"""Stands at a measure whose value there is something to know about."""


def table_of_values(
    title: str,
    measures: Iterable[Measure],
    values: Mapping[str, float],
    undefined: Mapping[str, str],
    said: Mapping[str, str],
    intervals: Any = None,
) -> Table:
    """A row for each measure; below them why some have no value, and what should be known of others."""
    rows = list(measures)
    marks = [f" {DAGGER}" if m.symbol in said else "" for m in rows]
    columns: dict[str, list[Any]] = {
        "measure": [f"{m.label}{mark}" for m, mark in zip(rows, marks, strict=True)],
        "better": [arrow(m.orientation) for m in rows],
        "value": [values[m.symbol] for m in rows],
    }
    notes = [f"{DAGGER} {listed(s)}: {sentence}." for sentence, s in by_sentence(said).items()]
    notes += [f"undefined: {listed(s)}: {reason}." for reason, s in by_sentence(undefined).items()]
    if intervals is not None:
        columns[f"{100 * intervals.level:g} % interval"] = [between(intervals[m.symbol]) for m in rows]
        notes += [f"no interval: {listed(s)}: {reason}." for reason, s in intervals.remarks().items()]
    return Table(columns, title, tuple(notes))


def between(interval: Any) -> str:
    """The ends of an interval, with as many digits as its estimate; empty if neither is known.

    >>> from types import SimpleNamespace
    >>> between(SimpleNamespace(value=0.921, low=0.8821, high=0.95))
    '[0.882, 0.950]'
    """
    if interval.low != interval.low or interval.high != interval.high:
        return ""
    _, low, high = at_one_precision((interval.value, interval.low, interval.high))
    return f"[{low}, {high}]"


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
