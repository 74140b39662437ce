"""The table of measures as plain HTML: readable without a script, sortable with one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from karat.core.measure import Measure, measures
from karat.core.references import references
from karat.core.table import shown
from karat.core.words import arrow, at_one_precision, direction, listed, short
from karat.intervals.interval import Interval
from karat.measures.display import DAGGER
from karat.page.content import FAMILIAR, Content
from karat.page.headline_table import ordered_names
from karat.page.marks import SIGNS, SPOKEN, all_marks, in_cell, meaning, model_name
from karat.page.mathml import mathml

MOST_CLASSES = 50
"""Classes of a table of classes."""
MOST_COLUMNS = 6
"""Models that stand side by side in columns; more of them are rows, which can be sorted by a measure."""
MOST_NOTES = 3
"""Notes on values and intervals that are not folded."""
DOUBLE_DAGGER = "‡"
"""An interval that something should be known about."""
FEW_MODELS = 3
"""Models beside which there is room for the questions."""


Rows = Mapping[Measure, list[Measure]]
"""Measures that have a row, and those that share it."""


def measures_table(content: Content) -> str:
    """One row for each measure and a column for each model, or of many models the other way round."""
    return _framed(content, _rows(content, first=True), families=False)


def more_measures(content: Content) -> str:
    """The measures behind the fold, by family; empty if there are none."""
    rows = _rows(content, first=False)
    if not rows:
        return ""
    table = _framed(content, rows, families=True)
    return f'<details class="more"><summary>{len(rows)} more measures, from the papers</summary>{table}</details>'


def _rows(content: Content, first: bool) -> Rows:
    """Those of the headline, or the others."""
    top = content.measures[: content.headline]
    return {m: others for m, others in content.rows().items() if (m in top) is first}


def _framed(content: Content, rows: Rows, families: bool) -> str:
    groups: dict[str, list[Measure]] = {}
    for m in rows:
        groups.setdefault(m.family.replace("_", " ") if families else "", []).append(m)
    draw = _by_measure if len(content.models) <= MOST_COLUMNS else _by_model
    table = draw(content, rows, groups)
    said = meaning(content, {m: all_marks(content, m) for m in rows})
    told = f'<p class="quiet legend">{said}</p>' if said else ""
    label = "more measures" if families else "table of measures"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{label}">{table}</div>{told}'


def _by_measure(content: Content, shared: Rows, groups: Mapping[str, list[Measure]]) -> str:
    names = "".join(f'<th scope="col" data-kind="number">{model_name(content, name)}</th>' for name in content.names)
    head = f"<tr>{_head('measure', 'text')}{names}</tr>"
    width = 1 + len(content.models)
    bodies = []
    for group, its in groups.items():
        title = f'<tr class="family"><th colspan="{width}" scope="rowgroup">{escape(group)}</th></tr>'
        rows = [title] if group else []
        for m in its:
            marks = all_marks(content, m)
            cells = "".join(_cell(content, m, name, marks.get(name, "")) for name in content.names)
            told = about(m, shared[m])
            way = f' data-better="{direction(m.orientation)}"' if m.orientation else ""
            rows.append(f'<tr><th scope="row" data-sort="{escape(m.title)}"{way}>{told}</th>{cells}</tr>')
        bodies.append(f"<tbody>{''.join(rows)}</tbody>")
    dense = " dense" if len(content.models) > FEW_MODELS else ""
    return f'<table class="measures{dense}" data-sortable><thead>{head}</thead>{"".join(bodies)}</table>'


def _by_model(content: Content, shared: Rows, groups: Mapping[str, list[Measure]]) -> str:
    over = "".join(
        f'<th colspan="{len(its)}" scope="colgroup">{escape(group)}</th>' for group, its in groups.items() if group
    )
    ordered = [m for its in groups.values() for m in its]
    heads = "".join(_head(f"{m.label} {arrow(m.orientation)}", "number", m.question, m.orientation) for m in ordered)
    marks = {m.symbol: all_marks(content, m) for m in ordered}
    rows = []
    for name in ordered_names(content):
        cells = "".join(_cell(content, m, name, marks[m.symbol].get(name, "")) for m in ordered)
        rows.append(f'<tr><th scope="row" data-sort="{escape(name)}">{model_name(content, name)}</th>{cells}</tr>')
    explained = "".join(f"<li>{about(m, shared[m])}</li>" for m in ordered)
    return (
        f'<table class="measures many" data-sortable><thead>{f"<tr><td></td>{over}</tr>" if over else ""}'
        f"<tr>{_head('model', 'text')}{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f'<details class="about-all"><summary>Definitions and formulas</summary><ul>{explained}</ul></details>'
    )


def notes(content: Content) -> str:
    """Why values are undefined, which are defined by convention, what to know about intervals; each reason once, with
    the models it is about where these are not all. Many of them are folded."""
    about: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for name, mark, title, why in _reasons(content):
        titles, models = about.setdefault((mark, why), ({}, {}))
        titles[title] = models[name] = None
    texts = []
    for (mark, why), (titles, models) in about.items():
        who = "" if len(models) == len(content.models) else f" ({listed([short(name) for name in models], most=4)})"
        text = f"{mark}{'; '.join(titles)}{who}: {why}."
        texts.append(f'<p class="quiet">{escape(text)}</p>')
    if len(texts) <= MOST_NOTES:
        return "".join(texts)
    said = f"{len(texts)} notes on values and intervals"
    return f'<details class="notes"><summary>{said}</summary>{"".join(texts)}</details>'


def _reasons(content: Content) -> Iterator[tuple[str, str, str, str]]:
    """Of each model and measure what should be known: the model, a mark, the title of the measure, and why."""
    titles = {m.symbol: m.title for m in content.measures}
    undefined = [
        (name, m)
        for name, e in content.models.items()
        for m in content.measures
        if not math.isfinite(e.value_or_nan(m))
    ]
    for name, m in undefined:
        yield name, "", m.title, content.models[name].why(m) or "it is infinite"
    for name, e in content.models.items():
        for symbol, sentence in (e.conventions(content.measures) | e.notes(content.measures)).items():
            yield name, f"{DAGGER} ", titles[symbol], sentence
    for name, intervals in content.intervals.items():
        for m in content.measures:
            if (name, m) not in undefined and intervals[m.symbol].reason:
                yield name, f"{DOUBLE_DAGGER} ", m.title, intervals[m.symbol].reason


def classes_table(content: Content) -> str:
    """Each class against the rest, of each model; of more than two classes, where they can be shown."""
    classes = content.first.classes
    if not 2 < len(classes) <= MOST_CLASSES or len(content.models) > MOST_COLUMNS:
        return ""
    parts = []
    for name, e in content.models.items():
        table = e.per_class().columns
        head = _head("class", "text") + "".join(_class_head(symbol) for symbol in list(table)[1:])
        rows = []
        for row in zip(*table.values(), strict=True):
            cells = "".join(f'<td data-sort="{v!r}">{_written(v)}</td>' if v == v else "<td>–</td>" for v in row[1:])
            named = f'<bdi class="name">{escape(str(row[0]))}</bdi>'
            rows.append(f'<tr><th scope="row" data-sort="{escape(str(row[0]))}">{named}</th>{cells}</tr>')
        head = f"<caption>{model_name(content, name)}</caption><thead><tr>{head}</tr></thead>"
        parts.append(f'<table class="plain" data-sortable>{head}<tbody>{"".join(rows)}</tbody></table>')
    return (
        '<details class="classes"><summary>Each class against the rest</summary>'
        f'<div class="wide row">{"".join(parts)}</div></details>'
    )


def _class_head(symbol: str) -> str:
    m = measures.get(symbol)
    if m is None:
        return _head(symbol, "number")
    return _head(FAMILIAR.get(symbol, m.title), "number", m.question, m.orientation)


def _written(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else in_cell(shown(value)) if math.isfinite(value) else "–"


def _head(name: str, kind: str, title: str = "", orientation: int = 0) -> str:
    hint = f' title="{escape(title)}"' if title else ""
    hint += f' data-better="{direction(orientation)}"' if orientation else ""
    return f'<th scope="col" data-kind="{kind}"{hint}><bdi class="name">{escape(name)}</bdi></th>'


def _cell(content: Content, m: Measure, name: str, mark: str) -> str:
    e = content.models[name]
    value = e.value_or_nan(m)
    if not math.isfinite(value):
        why = escape(e.why(m) or "it is infinite")
        sign = "∞" if value > 0 else "−∞" if value < 0 else "–"
        return f'<td class="undefined" title="{why}">{sign}<span class="hidden"> undefined: {why}</span></td>'
    ends = content.intervals[name][m.symbol] if name in content.intervals else None
    text, between = in_cell(shown(value)), ""
    if ends is not None:
        known = math.isfinite(ends.low) and math.isfinite(ends.high)
        text, *texts = map(in_cell, at_one_precision((value, ends.low, ends.high)) if known else [shown(value)])
        between = _between(ends, f"[{', '.join(texts)}]" if known else "")
    kind = f' class="{SIGNS[mark]}"' if mark else ""
    sign = (
        f'<span class="mark" aria-hidden="true">{mark}</span><span class="hidden"> {SPOKEN[mark]}</span>'
        if mark
        else ""
    )
    if said := escape(e.why(m)):
        sign = f'<sup title="{said}">{DAGGER}</sup><span class="hidden">: {said}</span>{sign}'
    return f'<td{kind} data-sort="{value!r}"><span class="value">{text}</span>{sign}{between}</td>'


def _between(ends: Interval, text: str) -> str:
    """From where to where, marked if there is something to know about it; or that it is not available."""
    if not text and not ends.reason:
        return ""
    by = escape(ends.method or "none")
    if not ends.reason:  # what it is called is added by the script: hundreds of these would be long
        return f' <span class="interval" data-by="{by}">{text}</span>'
    title = f"{100 * ends.level:g} % confidence interval ({by}): {escape(ends.reason)}"
    note = f'{DOUBLE_DAGGER}<span class="hidden">: {escape(ends.reason)}</span>'
    return f' <span class="interval" title="{title}">{text or "not available"}{note}</span>'


def about(m: Measure, others: Iterable[Measure] = ()) -> str:
    """A measure by its title and symbol (and those of others that are the same number), and on demand its question,
    formula, range and source."""
    words = f"{direction(m.orientation)} is better" if m.orientation else "descriptive"
    symbols = " = ".join([*([] if m.label == m.title else [m.symbol]), *(other.symbol for other in others)])
    symbol = f' <span class="code">{escape(symbols)}</span>' if symbols else ""
    low, high = (figure_of_range(x) for x in m.range)
    rows = [("question", escape(m.question)), ("formula", mathml(m.formula)), ("range", f"{low} to {high}")]
    if m.best is not None:
        rows.append(("best", f"{figure_of_range(m.best)} ({words})"))
    if m.chance is not None:
        rows.append(("chance level", figure_of_range(m.chance)))
    if m.undefined:
        rows.append(("undefined where", escape(m.undefined)))
    for title, convention in (("by convention", True), ("note", False)):
        rows += [(title, escape(r.words)) for r in m.remarks if r.convention is convention]
    if m.cite:
        rows.append(("source", escape(str(references()[m.cite]))))
    facts = "".join(f'<div class="{name.split()[0]}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value in rows)
    return (
        f'<details class="about"><summary><span class="symbol">{escape(m.title)}</span>{symbol} '
        f'<span class="arrow" aria-hidden="true" title="{words}">{arrow(m.orientation)}</span>'
        f'<span class="hidden">, {words}.</span> <span class="question">{escape(m.question)}</span></summary>'
        f"<dl>{facts}</dl></details>"
    )


def figure_of_range(x: float) -> str:
    """An end of a range."""
    return ("∞" if x > 0 else "−∞") if math.isinf(x) else f"{x:g}".replace("-", "−")
