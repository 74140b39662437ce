"""The table at the top of a report: familiar measures of the models, each with a dot and a whisker for its interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from karat.comparisons.comparison_marks import ALIKE, BEST, BETTER, UNKNOWN, WORSE, legend, marks_of
from karat.core.measure import Measure
from karat.core.table import shown
from karat.core.words import arrow, at_one_precision, direction, short
from karat.page.content import Content

ROWS, COLUMNS = 11, 4
"""Measures of the table, and models that stand side by side; more of them stand below each other."""
MOST_MODELS, MOST_ACROSS = 8, 8
"""Models that stand below each other, and measures beside them."""
UNFAMILIAR = {"EMA", "NIT", "pCEN"}
"""Measures that evaluations show, and that the first look can do without."""
WIDTH, HEIGHT, MARGIN = 92, 14, 5
"""Of a dot and its whisker, in pixels."""
SIGNS = {BEST: "best", ALIKE: "alike", UNKNOWN: "unknown", BETTER: "best", WORSE: "worse"}
"""Classes of marked cells."""
SPOKEN = {
    BEST: "best", ALIKE: "no significant difference from the best", UNKNOWN: "not tested against the best",
    BETTER: "significantly better than the baseline", WORSE: "significantly worse than the baseline",
}  # fmt: skip
"""Marks for those who hear the page."""


def headline_table(content: Content) -> str:
    """Measures below each other and models side by side; of many models the other way round, and the first of them."""
    names = _names(content)
    across = len(names) <= COLUMNS
    rows = _familiar(content)[: ROWS if across else MOST_ACROSS]
    marks = {m: _marks(content, m) for m in rows}
    cells = {m: _cells(content, m, names, marks[m]) for m in rows}
    if across:
        head = "".join(f'<th scope="col">{_model(content, name)}</th>' for name in names)
        body = "".join(f'<tr><th scope="row">{_measure(m)}</th>{"".join(cells[m].values())}</tr>' for m in rows)
    else:
        head = "".join(f'<th scope="col">{_measure(m)}</th>' for m in rows)
        body = "".join(
            f'<tr><th scope="row">{_model(content, name)}</th>{"".join(cells[m][name] for m in rows)}</tr>'
            for name in names
        )
    kind = "headline" + ("" if across else " tall") + (" alone" if len(names) == 1 else "")
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


def _names(content: Content) -> list[str]:
    """The models that are shown: those that were tested, or the cheapest of many."""
    if len(content.models) <= MOST_MODELS:
        return content.names
    if content.comparison is not None:
        return list(content.comparison.models)[:MOST_MODELS]
    return content.names[:MOST_MODELS]


def _marks(content: Content, m: Measure) -> dict[str, str]:
    """As the comparison judges them; none where it did not compare the measure."""
    c = content.comparison
    keys = [one.symbol for one in (m, *content.rows()[m])]
    key = next((key for key in keys if c is not None and key in c.measure_keys), None)
    return {} if c is None or key is None else marks_of(c, key)


def _legend(content: Content, names: list[str], marks: dict[Measure, dict[str, str]]) -> str:
    """What dots, whiskers and marks mean, and what is not shown."""
    parts = []
    if content.intervals:
        parts.append(f"Whiskers: {100 * content.level:g} % confidence intervals, one scale per measure.")
    c = content.comparison
    if c is not None:
        signs = {mark for of_row in marks.values() for mark in of_row.values()}
        words = (
            legend(c, signs).replace("of the row", "of the measure")
            or f"no significant difference in any of these measures (p > {1 - c.level:.2g})"
        )
        parts.append(escape(f"{words[0].upper()}{words[1:]}."))
    if len(names) < len(content.models):
        parts.append(f'{len(names)} of {len(content.models)} models; <a href="#measures">all of them</a>.')
    return " ".join(parts)


def _model(content: Content, name: str) -> str:
    at = content.names.index(name)
    return f'<span data-model="{at}"><bdi class="name" title="{escape(name)}">{escape(short(name, 40))}</bdi></span>'


def _measure(m: Measure) -> str:
    words = f"{m.question} {direction(m.orientation).capitalize()} is better." if m.orientation else m.question
    sign = f'<span class="arrow" aria-hidden="true">{arrow(m.orientation)}</span>'
    return f'<span title="{escape(words)}">{escape(m.title)}&nbsp;{sign}</span>'


def _cells(content: Content, m: Measure, names: list[str], marks: dict[str, str]) -> dict[str, str]:
    """Of each model, drawn to one scale."""
    values = {name: content.models[name].value_or_nan(m) for name in names}
    ends = {name: _ends(content, m, name, value) for name, value in values.items()}
    seen = [x for name, value in values.items() for x in (value, *ends[name]) if math.isfinite(x)]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    if len(names) == 1 and all(map(math.isfinite, m.range)):
        low, high = m.range  # one model alone is seen against all that could be
    return {name: _cell(content, value, ends[name], (low, high), marks.get(name, "")) for name, value in values.items()}


def _ends(content: Content, m: Measure, name: str, value: float) -> tuple[float, float]:
    if name not in content.intervals or not math.isfinite(value):
        return math.nan, math.nan
    found = content.intervals[name][m.symbol]
    return found.low, found.high


def _cell(content: Content, value: float, ends: tuple[float, float], scale: tuple[float, float], mark: str) -> str:
    if not math.isfinite(value):
        return '<td class="undefined"><span title="undefined: see the notes of the measures">–</span></td>'
    sign = f'<span class="mark" aria-hidden="true">{mark}</span>'
    told = f'<span class="hidden">, {SPOKEN[mark]}</span>' if mark else ""
    number = shown(value).replace("-", "−")
    words = _interval(value, ends, content.level)
    picture = whisker(value, ends, scale, words)
    kind = f' class="{SIGNS[mark]}"' if mark else ""
    return f'<td{kind} title="{words}"><span class="value">{number}</span>{sign}{told}{picture}</td>'


def _interval(value: float, ends: tuple[float, float], level: float) -> str:
    known = all(map(math.isfinite, ends))
    return f"{100 * level:g} % interval {' to '.join(_written((value, *ends))[1:])}" if known else "no interval"


def whisker(value: float, ends: tuple[float, float], scale: tuple[float, float], words: str) -> str:
    """A dot at a value and a line over its interval, if it has one; and in words."""
    low, high = scale
    room = WIDTH - 2 * MARGIN

    def place(x: float) -> float:
        return round(MARGIN + room * ((x - low) / (high - low) if high > low else 0.5), 1)

    middle = HEIGHT / 2
    line = f'<path d="M{place(ends[0])} {middle}H{place(ends[1])}"/>' if all(map(math.isfinite, ends)) else ""
    return (
        f'<svg class="whisker" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f'{line}<circle cx="{place(value)}" cy="{middle}" r="3.2"/></svg>'
    )


def _written(numbers: Iterable[float]) -> list[str]:
    return [text.replace("-", "−") for text in at_one_precision(numbers)]
