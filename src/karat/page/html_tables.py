"""The table of measures as plain HTML: readable without a script, sortable with one."""

from __future__ import annotations

import math
from html import escape

from karat.core.measure import Measure, measures
from karat.core.references import references
from karat.core.words import arrow, direction
from karat.intervals.interval import Interval
from karat.measures.display import DAGGER
from karat.page.content import Content
from karat.page.mathml import mathml

MOST_CLASSES = 50
"""Classes of a table of classes."""
MOST_COLUMNS = 6
"""Models that stand side by side in columns; more of them are rows, which can be sorted by a measure."""
FEW_MODELS = 3
"""Models beside which there is room for the questions."""


def measures_table(content: Content) -> str:
    """One row for each measure and a column for each model, or of many models the other way round."""
    return _by_measure(content) if len(content.models) <= MOST_COLUMNS else _by_model(content)


def _families(content: Content) -> dict[str, list[Measure]]:
    families: dict[str, list[Measure]] = {}
    for m in content.measures:
        families.setdefault(m.family, []).append(m)
    return families


def _by_measure(content: Content) -> str:
    names = "".join(_head(name, "number") for name in content.names)
    head = f"<tr>{_head('measure', 'text')}{names}</tr>"
    width = 1 + len(content.models)
    bodies = []
    for family, its in _families(content).items():
        title = escape(family.replace("_", " "))
        rows = [f'<tr class="family"><th colspan="{width}" scope="rowgroup">{title}</th></tr>']
        for m in its:
            best = content.best(m)
            cells = "".join(_cell(content, m, name, name in best) for name in content.names)
            rows.append(f'<tr><th scope="row" data-sort="{escape(m.symbol)}">{about(m)}</th>{cells}</tr>')
        bodies.append(f"<tbody>{''.join(rows)}</tbody>")
    dense = " dense" if len(content.models) > FEW_MODELS else ""
    return f'<table class="measures{dense}" data-sortable><thead>{head}</thead>{"".join(bodies)}</table>'


def _by_model(content: Content) -> str:
    families = _families(content)
    groups = "".join(
        f'<th colspan="{len(ms)}" scope="colgroup">{escape(family.replace("_", " "))}</th>'
        for family, ms in families.items()
    )
    ordered = [m for ms in families.values() for m in ms]
    heads = "".join(_head(f"{m.symbol} {arrow(m.orientation)}", "number", m.question) for m in ordered)
    best = {m.symbol: content.best(m) for m in ordered}
    rows = []
    for name in content.names:
        cells = "".join(_cell(content, m, name, name in best[m.symbol]) for m in ordered)
        title = f'<bdi class="name" title="{escape(name)}">{escape(name)}</bdi>'
        rows.append(f'<tr><th scope="row" data-sort="{escape(name)}">{title}</th>{cells}</tr>')
    explained = "".join(f"<li>{about(m)}</li>" for m in ordered)
    return (
        f'<table class="measures many" data-sortable><thead><tr><td></td>{groups}</tr>'
        f"<tr>{_head('model', 'text')}{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        '<details class="about-all"><summary>What the measures ask, and their formulas</summary>'
        f"<ul>{explained}</ul></details>"
    )


def notes(content: Content) -> str:
    """Why values are missing, and which are ones by convention, or tell less than it seems; then what to know about
    intervals, or why there are none; each reason once."""
    reasons: dict[tuple[str, str], dict[str, None]] = {}
    for e in content.models.values():
        for m in content.measures:
            if not math.isfinite(e.value_or_nan(m)):
                reasons.setdefault(("", e.why(m) or "it is infinite"), {})[m.symbol] = None
    for e in content.models.values():
        for symbol, sentence in (e.conventions(content.measures) | e.notes(content.measures)).items():
            reasons.setdefault((f"{DAGGER} ", sentence), {})[symbol] = None
    for name, intervals in content.intervals.items():
        for m in content.measures:
            if math.isfinite(content.models[name].value_or_nan(m)) and intervals[m.symbol].reason:
                reasons.setdefault(("* ", intervals[m.symbol].reason), {})[m.symbol] = None
    texts = (f"{mark}{escape(', '.join(symbols))}: {escape(why)}" for (mark, why), symbols in reasons.items())
    return "".join(f'<p class="quiet">{text}.</p>' for text in texts)


def classes_table(content: Content) -> str:
    """Each class against the rest, of each model; of more than two classes, where they can be shown."""
    classes = content.first.classes
    if not 2 < len(classes) <= MOST_CLASSES or len(content.models) > MOST_COLUMNS:
        return ""
    parts = []
    for name, e in content.models.items():
        table = e.per_class().columns
        asks = {s: measures[s].question if s in measures else "" for s in table}
        head = "".join(f'<th scope="col" title="{escape(asks[s])}">{escape(s)}</th>' for s in table)
        rows = []
        for row in zip(*table.values(), strict=True):
            cells = "".join(f"<td>{_written(v)}</td>" for v in row[1:])
            rows.append(f'<tr><th scope="row"><bdi class="name">{escape(str(row[0]))}</bdi></th>{cells}</tr>')
        head = f'<caption><bdi class="name">{escape(name)}</bdi></caption><thead><tr>{head}</tr></thead>'
        parts.append(f'<table class="plain">{head}<tbody>{"".join(rows)}</tbody></table>')
    return (
        '<details class="classes"><summary>Each class against the rest</summary>'
        f'<div class="wide row">{"".join(parts)}</div></details>'
    )


def _written(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else in_cell(value) if math.isfinite(value) else "–"


def _head(name: str, kind: str, title: str = "") -> str:
    hint = f' title="{escape(title)}"' if title else ""
    return f'<th scope="col" data-kind="{kind}"{hint}><bdi class="name">{escape(name)}</bdi></th>'


def _cell(content: Content, m: Measure, name: str, best: bool) -> str:
    e = content.models[name]
    value = e.value_or_nan(m)
    if not math.isfinite(value):
        why = escape(e.why(m) or "it is infinite")
        sign = "∞" if value > 0 else "−∞" if value < 0 else "–"
        return f'<td class="undefined" title="{why}">{sign}<span class="hidden"> undefined: {why}</span></td>'
    between = _between(content.intervals[name][m.symbol]) if name in content.intervals else ""
    mark = '<span class="hidden"> best</span>' if best and len(content.models) > 1 else ""
    kind = ' class="best"' if mark else ""
    if said := escape(e.why(m)):
        mark = f'<sup title="{said}">{DAGGER}</sup><span class="hidden">: {said}</span>{mark}'
    return f'<td{kind} data-sort="{value!r}"><span class="value">{in_cell(value)}</span>{mark}{between}</td>'


def _between(ends: Interval) -> str:
    """From where to where, marked if there is something to know about it; or that it is not known."""
    known = math.isfinite(ends.low) and math.isfinite(ends.high)
    if not known and not ends.reason:
        return ""
    title, sign, note = f"{100 * ends.level:g} % interval ({escape(ends.method or 'none')})", "", ""
    if ends.reason:
        title, sign = f"{title}: {escape(ends.reason)}", "*"
        note = f'<span class="hidden">: {escape(ends.reason)}</span>'
    text = f"{in_cell(ends.low)} to {in_cell(ends.high)}" if known else "not known"
    return f' <span class="interval" title="{title}">{text}{sign}{note}</span>'


def in_cell(x: float) -> str:
    """A value with sensible digits.

    >>> in_cell(0.93456), in_cell(-0.5), in_cell(12.345), in_cell(0.00012), in_cell(0)
    ('0.935', '−0.500', '12.3', '0.00012', '0.000')
    """
    if x != 0 and abs(x) < 0.001:
        text = f"{x:.2g}"
    else:
        text = f"{x:.3f}" if abs(x) < 10 else f"{x:.3g}" if abs(x) < 1000 else f"{x:,.0f}"
    return text.replace("-", "−")


def about(m: Measure) -> str:
    """A measure's question, and on demand its formula, range and source."""
    words = f"{direction(m.orientation)} is better" if m.orientation else "describes"
    low, high = (figure_of_range(x) for x in m.range)
    rows = [("question", escape(m.question)), ("formula", mathml(m.formula)), ("range", f"{low} to {high}")]
    if m.best is not None:
        rows.append(("best", f"{figure_of_range(m.best)} ({words})"))
    if m.chance is not None:
        rows.append(("by chance", figure_of_range(m.chance)))
    if m.undefined:
        rows.append(("undefined where", escape(m.undefined)))
    for title, convention in (("by convention", True), ("note", False)):
        rows += [(title, escape(r.words)) for r in m.remarks if r.convention is convention]
    if m.cite:
        rows.append(("source", escape(str(references()[m.cite]))))
    facts = "".join(f'<div class="{name.split()[0]}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value in rows)
    return (
        f'<details class="about"><summary><span class="symbol">{escape(m.symbol)}</span> '
        f'<span class="arrow" aria-hidden="true" title="{words}">{arrow(m.orientation)}</span>'
        f'<span class="hidden">, {words}.</span> <span class="question">{escape(m.question)}</span></summary>'
        f"<dl>{facts}</dl></details>"
    )


def figure_of_range(x: float) -> str:
    """An end of a range."""
    return ("∞" if x > 0 else "−∞") if math.isinf(x) else f"{x:g}".replace("-", "−")
