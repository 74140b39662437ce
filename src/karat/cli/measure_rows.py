"""A table with one row for each measure: how it is called, which way is better, and what stands in its row."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from karat.cli.layout import Lines, broken, width_of
from karat.cli.output import Form, form, room, say, show_fitting
from karat.core.words import apart_from_0, arrow, at_one_precision, listed

if TYPE_CHECKING:
    from karat.measures.display import MeasureRow

MOST_NAMED = 8
"""Measures that are named before a sentence; of more, how many others there are."""

HEADING_WIDTHS, LEAST_HEADING = (30, 16, 12, 9), 6
"""To which the names of models are broken above their columns, if there is not more room."""

NARROW = 60
"""In a terminal of less, measures may have to be called by their symbols."""


# ------------------------------------------------------------------------------------------------- cells


def numbers_below(values: Iterable[float], marks: Iterable[str] = ()) -> list[str]:
    """Numbers of one column, their points below each other; a mark stands behind each, if one has any."""
    from karat.core.table import aligned, shown

    texts, signs = aligned([shown(float(v)) for v in values]), list(marks)
    width = max(map(len, signs), default=0)
    return [f"{text}{sign:<{width}}" for text, sign in zip(texts, signs, strict=True)] if width else texts


def between(value: float, low: float, high: float, difference: bool = False) -> tuple[str, str]:
    """A value (or a difference) and its interval, with the same digits after the point; of an interval without ends
    nothing."""
    known = [isfinite(end) for end in (low, high)]
    if not any(known) or not isfinite(value):
        from karat.core.table import shown

        return shown(value), ""
    one, *ends = apart_from_0(value, low, high) if difference else at_one_precision((value, low, high))
    texts = [end if there else none for end, there, none in zip(ends, known, ("-∞", "∞"), strict=True)]
    return one, f"[{texts[0]}, {texts[1]}]"


def named(rows: Iterable[MeasureRow], symbols: Iterable[str]) -> str:
    """The measures of these symbols as a sentence names them: by titles."""
    titles = {m.symbol: m.title for row in rows for m in (row.measure, *row.others)}
    return listed(dict.fromkeys(titles.get(symbol, symbol) for symbol in symbols), MOST_NAMED)


def by_sentence(rows: Sequence[MeasureRow], sentences: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each sentence once, with the measures that it is about; `sentences` are by symbol."""
    from karat.measures.display import by_sentence as symbols_of

    for sentence, symbols in symbols_of(sentences).items():
        yield named(rows, symbols), sentence


# ------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class ValueColumn:
    """A column beside the measures."""

    head: str
    cells: list[str]
    number: bool = True
    model: bool = False
    """is its head the name of a model, which may be broken?"""


def table_of(
    rows: Sequence[MeasureRow], columns: Sequence[ValueColumn], width: int, name: str = "label"
) -> tuple[Lines, list[bool]]:
    """Lines, and which columns hold numbers; headings are broken to this width, rows called by label, title or
    key."""
    lines = [["measure", "", *(broken(c.head, width) if c.model else c.head for c in columns)]]
    cells = zip(*(c.cells for c in columns), strict=True) if columns else ((),) * len(rows)
    for row, texts in zip(rows, cells, strict=True):
        lines.append([getattr(row, name), arrow(row.measure.orientation), *texts])
    return lines, [False, False, *(c.number for c in columns)]


def tables_of(
    rows: Sequence[MeasureRow], columns: Sequence[ValueColumn], fewer: Sequence[ValueColumn] | None = None
) -> Iterator[tuple[Lines, list[bool]]]:
    """The same table, ever narrower: symbols left out, or in the place of long titles, names of models broken; then
    with fewer columns; in a narrow terminal with symbols alone."""
    if form() is not Form.TABLE:
        yield table_of(rows, columns, sys.maxsize)
        return
    for some in (columns, *((fewer,) if fewer is not None else ())):
        least = max((len(cell) for c in some if c.number for cell in c.cells), default=1)
        for width in HEADING_WIDTHS:
            for name in ("label", "title", "brief"):  # rather than to break the names of models
                yield table_of(rows, some, width, name)
        yield table_of(rows, some, max(least, LEAST_HEADING), "title")
    if room() < NARROW:
        yield table_of(rows, some, max(least, LEAST_HEADING), "key")


# ------------------------------------------------------------------------------------------------- models

LONGEST_HEADING, KEPT_OF_A_NAME = 32, 20
"""A name above a column that is longer is cut to the second, and written out below the table."""


def heads_of(models: Iterable[str]) -> dict[str, str]:
    """How each model is called above its column: long names are cut and numbered."""
    from rich.cells import cell_len, chop_cells

    if form() is not Form.TABLE:
        return {name: name for name in models}
    return {
        name: name if cell_len(name) <= LONGEST_HEADING else f"[{i}] {chop_cells(name, KEPT_OF_A_NAME)[0]}…"
        for i, name in enumerate(models, 1)
    }


def say_long_names(heads: Mapping[str, str]) -> None:
    """Those that were cut, in full."""
    for name, head in heads.items():
        if head != name:
            say(f"{head.partition(' ')[0]} {name}")


ALL_BESIDE = 6
"""So many models stand beside each other however narrow the terminal is, if they fit at all; of more the best."""


def show_models(
    rows: Sequence[MeasureRow],
    models: Iterable[str],
    order: Sequence[str],
    column: Callable[[str], ValueColumn],
    *,
    everything: bool,
    first: str | None = None,
) -> list[str]:
    """Models as columns: as they were given, if all fit beside each other; otherwise the best, or, if `everything` is
    wanted, all in several tables. `order` has the best first, and `first` is shown in any case."""
    names = _fitting(rows, order, column, first)
    size = len(names)
    if size == len(order):
        names = sorted(models, key=lambda name: name != first)
    elif everything:
        names = sorted(order, key=lambda name: name != first)
    for i in range(0, len(names), size):
        if i:
            say("")
        show_fitting(tables_of(rows, [column(name) for name in names[i : i + size]]))
    return names


def _fitting(
    rows: Sequence[MeasureRow], order: Sequence[str], column: Callable[[str], ValueColumn], first: str | None
) -> list[str]:
    least, others = [first] if first else [], [name for name in order if name != first]
    for count in range(len(others), 0, -1):
        names = [*least, *others[:count]]
        columns = [column(name) for name in names]
        ways = tables_of(rows, columns) if len(names) <= ALL_BESIDE else _with_readable_names(rows, columns)
        if any(width_of(lines) <= room() for lines, _ in ways):
            return names
    return [*least, *others[:1]]


def _with_readable_names(
    rows: Sequence[MeasureRow], columns: Sequence[ValueColumn]
) -> Iterator[tuple[Lines, list[bool]]]:
    yield table_of(rows, columns, HEADING_WIDTHS[-1], "title")


def best_first(values: Mapping[str, Mapping[str, float]], orientation: Mapping[str, int]) -> list[str]:
    """Models by how many others are better, over all measures: `values` are by model, then by measure; an undefined
    value is worse than any other."""

    def merit(model: str, key: str) -> float:
        value = values[model][key] * orientation[key]
        return value if value == value else float("-inf")

    def beaten(model: str) -> int:
        keys = [key for key, way in orientation.items() if way]
        return sum(merit(other, key) > merit(model, key) for key in keys for other in values)

    return sorted(values, key=beaten)
