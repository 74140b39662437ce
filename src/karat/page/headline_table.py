"""The table at the top of a report: familiar measures of the models, each with a dot and a whisker for its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from karat.comparisons.comparison_marks import UNKNOWN
from karat.core.measure import Measure
from karat.core.table import shown
from karat.core.words import arrow, at_one_precision, direction
from karat.page.content import Content
from karat.page.marks import SIGNS, SPOKEN, in_cell, meaning, model_name, tested_marks

ROWS, COLUMNS = 11, 4
"""Measures of the table, and models that stand side by side; more of them stand below each other."""
MOST_MODELS, MOST_ACROSS = 8, 7
"""Models that stand below each other, and measures beside them."""
SUMMED_UP = ("BrierLoss", "MAvA", "Recall", "Precision", "macro(Recall)", "macro(Precision)")
"""Where there is no room for all, the measures that can be done without: others say much the same."""
UNFAMILIAR = {"EMA", "NIT", "pCEN"}
"""Measures that evaluations show, and that the first look can do without."""
WIDTHS, NARROW, HEIGHT, MARGIN = {1: 240, 2: 240, 3: 150, 4: 92}, 44, 14, 5
"""Of a dot and its whisker, in pixels: by the number of models, and narrow where measures stand side by side."""
KINDS = {1: "headline alone few", 2: "headline few", 3: "headline three", 4: "headline"}
"""Classes of a table of so many models."""

Ends = tuple[float, float]
"""From where to where."""


def headline_table(content: Content) -> str:
    """Measures below each other and models side by side; of many models the other way round, the first of them shown
    and the others hidden until they are chosen."""
    names = _names(content)
    across = len(names) <= COLUMNS
    rows = _fitting(_familiar(content), ROWS if across else MOST_ACROSS)
    marks = {m: _marks(content, m) for m in rows}
    cells = {m: _cells(content, m, names, marks[m], WIDTHS[len(names)] if across else NARROW) for m in rows}
    if across:
        head = "".join(f'<th scope="col">{model_name(content, name)}</th>' for name in names)
        body = "".join(f'<tr><th scope="row">{_measure(m)}</th>{"".join(cells[m].values())}</tr>' for m in rows)
    else:
        head = "".join(f'<th scope="col" data-measure="{escape(m.symbol)}">{_measure(m)}</th>' for m in rows)
        body = "".join(
            f'<tr{"" if name in names else " hidden"}><th scope="row">{model_name(content, name)}</th>'
            f"{''.join(cells[m][name] for m in rows)}</tr>"
            for name in ordered_names(content)
        )
    kind = KINDS[len(names)] if across else "headline tall"
    table = (
        f'<table class="{kind}"><caption class="hidden">Measures and their '
        f"{100 * content.level:g} % confidence intervals</caption><thead><tr>"
        f'<th scope="col">{"measure" if across else "model"}</th>{head}</tr></thead><tbody>{body}</tbody></table>'
    )
    frame = f'<div class="wide" tabindex="0" role="region" aria-label="familiar measures">{table}</div>'
    return f'{frame}<p class="quiet legend">{_legend(content, names, marks)}</p>'


def _familiar(content: Content) -> list[Measure]:
    """What evaluations show, without what few know; all of that if nothing else was asked for."""
    first = [m for m in content.rows() if m in content.measures[: content.headline]]
    return [m for m in first if m.symbol not in UNFAMILIAR] or first


def _fitting(rows: list[Measure], most: int) -> list[Measure]:
    """As many as there is room for."""
    spare = [m for symbol in SUMMED_UP for m in rows if m.symbol == symbol]
    dropped = spare[: max(len(rows) - most, 0)]
    return [m for m in rows if m not in dropped][:most]


def ordered_names(content: Content) -> list[str]:
    """All models in the order of the table: those that are shown at first, then the others."""
    names = _names(content)
    return [*names, *(name for name in content.names if name not in names)]


def _names(content: Content) -> list[str]:
    """The models that are shown: all, or of many those that were tested; below each other the cheapest first."""
    names = content.names if content.comparison is None else list(content.comparison.models)
    kept = content.names if len(content.models) <= MOST_MODELS else names[:MOST_MODELS]
    if len(kept) <= COLUMNS or content.recommendation is None:
        return kept
    cheapest = [course.name for course in content.recommendation.courses]
    return sorted(kept, key=lambda name: cheapest.index(name) if name in cheapest else len(cheapest))


def _marks(content: Content, m: Measure) -> dict[str, str]:
    """As the comparison judges them; models that were not tested beside those that were are marked as such."""
    tested = tested_marks(content, m)
    return dict.fromkeys(content.names, UNKNOWN) | tested if tested else {}


def _legend(content: Content, names: list[str], marks: dict[Measure, dict[str, str]]) -> str:
    """What dots, whiskers and marks mean, and what is not shown."""
    parts = []
    if content.intervals:
        parts.append(f"Whiskers: {100 * content.level:g} % confidence intervals, one scale per measure.")
    c = content.comparison
    if c is not None:
        none = f"no significant difference in any of these measures (p > {1 - c.level:.2g})"
        parts.append(meaning(content, marks, none))
    if len(names) < len(content.models):
        shown_now = f'<span id="of-models">{len(names)} of {len(content.models)} models</span>'
        parts.append(f'{shown_now}; <a href="#measures">all of them</a>.')
    return " ".join(parts)


def _measure(m: Measure) -> str:
    words = f"{m.question} {direction(m.orientation).capitalize()} is better." if m.orientation else m.question
    sign = f'<span class="arrow" aria-hidden="true">{arrow(m.orientation)}</span>'
    return f'<span title="{escape(words)}">{escape(m.title)}&nbsp;{sign}</span>'


def _cells(content: Content, m: Measure, names: list[str], marks: dict[str, str], width: int) -> dict[str, str]:
    """Of each model, drawn to one scale: that of those that are shown."""
    values = {name: e.value_or_nan(m) for name, e in content.models.items()}
    ends = {name: _ends(content, m, name, value) for name, value in values.items()}
    seen = [x for name in names for x in (values[name], *ends[name]) if math.isfinite(x)]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    if len(names) == 1 and all(map(math.isfinite, m.range)):
        low, high = m.range  # one model alone is seen against all that could be
    return {
        name: _cell(content, value, ends[name], (low, high), marks.get(name, ""), width)
        for name, value in values.items()
    }


def _ends(content: Content, m: Measure, name: str, value: float) -> Ends:
    if name not in content.intervals or not math.isfinite(value):
        return math.nan, math.nan
    found = content.intervals[name][m.symbol]
    return found.low, found.high


def _cell(content: Content, value: float, ends: Ends, scale: Ends, mark: str, width: int) -> str:
    if not math.isfinite(value):
        return '<td class="undefined"><span title="undefined: see the notes of the measures">–</span></td>'
    sign = f'<span class="mark" aria-hidden="true">{mark}</span>'
    told = f'<span class="hidden">, {SPOKEN[mark]}</span>' if mark else ""
    number = in_cell(shown(value))
    words = _interval(value, ends, content.level)
    picture = whisker(value, ends, scale, words, width)
    if len(content.models) == 1 and all(map(math.isfinite, ends)):  # there is room for numbers
        picture += f' <span class="quiet" aria-hidden="true">[{", ".join(_written((value, *ends))[1:])}]</span>'
    kind = f' class="{SIGNS[mark]}"' if mark else ""
    return f'<td{kind} title="{words}"><span class="value">{number}</span>{sign}{told}{picture}</td>'


def _interval(value: float, ends: Ends, level: float) -> str:
    known = all(map(math.isfinite, ends))
    return f"{100 * level:g} % interval {' to '.join(_written((value, *ends))[1:])}" if known else "no interval"


def whisker(value: float, ends: Ends, scale: Ends, words: str, width: int) -> str:
    """A dot at a value and a line over its interval, if it has one; and in words."""
    low, high = scale
    room = width - 2 * MARGIN

    def place(x: float) -> float:
        return round(MARGIN + room * ((x - low) / (high - low) if high > low else 0.5), 1)

    middle = HEIGHT / 2
    line = f'<path d="M{place(ends[0])} {middle}H{place(ends[1])}"/>' if all(map(math.isfinite, ends)) else ""
    return (
        f'<svg class="whisker" viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{words}">'
        f'{line}<circle cx="{place(value)}" cy="{middle}" r="{2.4 if width == NARROW else 3.2}"/></svg>'
    )


def _written(numbers: Iterable[float]) -> list[str]:
    return [in_cell(text) for text in at_one_precision(numbers)]
