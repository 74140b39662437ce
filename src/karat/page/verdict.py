"""The words at the top of a report: which model is better, how significantly, and findings."""

from __future__ import annotations

from html import escape

from karat.comparisons.difference import ASPECTS, NAMED, Difference
from karat.comparisons.judgement import UNDEFINED
from karat.comparisons.model_comparison import Comparison
from karat.core.comparison import MODELS, comparisons
from karat.core.measure import Measure
from karat.core.references import references
from karat.core.statistic import Needs
from karat.core.words import interval, listed, number, p_value, short
from karat.evaluation import Evaluation
from karat.page.content import PRICED, TOO_LONG, Content
from karat.statistics import Counts

CALLED = {"decisions": "class predictions"}
"""Aspects of a comparison by the words of the page."""
MOST_ALIKE = 3
"""Findings of one kind that are all shown."""


def title_of(content: Content) -> str:
    """What the page is called."""
    names = [short(name) for name in content.names]
    if content.title:
        return content.title
    if len(names) == 1:
        return f"Evaluation of {names[0]}"
    return " and ".join(names) if len(names) <= 2 else f"{', '.join(names[:2])} and {len(names) - 2} more"


def named(name: str) -> str:
    """A name in HTML: its direction of writing is its own."""
    return f'<bdi class="name" title="{escape(name)}">{escape(short(name))}</bdi>'


def subject(content: Content) -> str:
    """What the numbers are about."""

    def class_name(label: object) -> str:
        return f"<bdi>{escape(short(str(label), 30))}</bdi>"

    if len(content.models) == 1:
        return content.first.subject(class_name)
    counts = [f"{named(name)} {e.rejected:,}" for name, e in content.models.items() if e.rejected]
    rejected = f" (rejected by {', '.join(counts)})" if counts else ""
    return f"{len(content.models)} models on {content.first.subject(class_name, rejected)}"


def verdict(content: Content) -> str:
    """Which model is better, and how significantly: one line for each aspect."""
    c = content.comparison
    if c is not None:
        rows = (
            [_aspect(content, c, aspect, key) for aspect, key in c.aspects.items()] if len(c.aspects) <= NAMED else []
        )
        aspects = "".join(row for row in rows if row)
        if not aspects:
            return f"<p>{escape(c.verdict)}</p>{_between(content)}"
        return f'<dl class="verdict">{aspects}{_conditions(content)}</dl>{_between(content)}'
    symbols = [m.symbol for m in content.measures]
    spoken = {a: symbol for a, symbol in ASPECTS.items() if symbol in symbols} or {s: s for s in symbols[:NAMED]}
    rows = [_standing(content, aspect, symbol) for aspect, symbol in spoken.items()]
    why = f'<p class="quiet">The differences were not tested: {escape(content.not_compared)}.</p>'
    return f'<dl class="verdict">{"".join(rows)}{_conditions(content)}</dl>{why if len(content.models) > 1 else ""}'


def _term(aspect: str, symbol: str, label: str) -> str:
    """What a line is about: an aspect, or a measure that was named."""
    return f"<dt>{escape(label) if aspect == symbol else CALLED.get(aspect, aspect).capitalize()}</dt>"


def _label(content: Content, m: Measure, key: str) -> str:
    """The title of the row that shows a measure; that of one class names the class."""
    return f"{content.row_of(m).title}{key.removeprefix(m.symbol)}"


def _aspect(content: Content, c: Comparison, aspect: str, key: str) -> str:
    m = c.measure_of(key)
    values = {name: v for name, v in c.values_of(key).items() if v == v}
    if not m.orientation or len(values) < 2:
        return ""
    best = max(values, key=lambda name: values[name] * m.orientation)
    others = {name: d for name in values if name != best and (d := _difference(c, best, name, key)) is not None}
    if not others:
        return ""
    next_best = max(others, key=lambda name: values[name] * m.orientation)
    alike = [name for name, d in others.items() if d.winner(c.level) is None]
    label = _label(content, m, key)
    value = number(values[best]) if aspect == key else f"{escape(label)} {number(values[best])}"
    words = f"<strong>{named(best)} is significantly better</strong> ({value})"
    if alike:
        words = f"{named(best)} is best ({value}), with <strong>no significant difference</strong> from {_names(alike)}"
    ahead = _ahead(others[next_best], m.orientation)
    row = f"{_term(aspect, key, label)}<dd>{words}; ahead of the next by {ahead}.</dd>"
    return f'<div class="{"open" if alike else "won"}">{row}</div>'


def _difference(c: Comparison, first: str, second: str, key: str) -> Difference | None:
    """Of two models that were compared, in whatever order."""
    if (first, second) not in c.pairs and (second, first) not in c.pairs:
        return None
    return c[first, second].differences[key]


def _ahead(d: Difference, orientation: int) -> str:
    """By how much one model is better than another, with its interval and p-value; or why they were not tested."""
    size = number(orientation * d.difference)
    if d.p != d.p:
        return f"{size} (not tested: {escape(d.reason)})"
    p = escape(p_value(d.familywise if d.familywise == d.familywise else d.adjusted))
    if d.low != d.low:
        return f"{size}, {p} ({escape(d.reason)})"
    low, high = sorted((orientation * d.low, orientation * d.high))
    return f"{interval(orientation * d.difference, low, high)}, {p}"


def _conditions(content: Content) -> str:
    """Which model to use when, with intervals of the borders."""
    dominance = content.dominance
    if dominance is None:
        return ""
    ends = {b.pc: b for b in dominance.borders}
    regions: list[str] = []
    for _, end, best in dominance.regions:
        who = " or ".join(named(name) if name in dominance.models else escape(name) for name in best[:3])
        border = ends.get(end)
        if border is None:
            regions.append(f"{who} above that" if regions else f"{who} under all conditions")
        else:
            known = border.low == border.low
            at = interval(end, border.low, border.high) if known else number(end)
            regions.append(f"{who} up to PC {at}")
    lost = f" Never: {_names(list(dominance.nowhere))}." if dominance.nowhere else ""
    return (
        f"<div><dt>Costs</dt><dd>Lowest expected cost at the best threshold: {', '.join(regions)}.{lost} "
        '<span class="quiet">PC (probability cost) is the prevalence if both errors cost the same.</span></dd></div>'
    )


def _names(names: list[str], most: int = 4) -> str:
    return listed([*map(named, names[:most]), *([f"{len(names) - most} more"] if len(names) > most else [])])


def _standing(content: Content, aspect: str, symbol: str) -> str:
    """Without a test: the best value and its interval."""
    m = next((m for m in content.measures if m.symbol == symbol), None)
    if m is None:
        return ""
    best, label = content.best(m), _label(content, m, symbol)
    if not best:
        why = escape(content.first.undefined_because(m))
        return f'<div>{_term(aspect, symbol, label)}<dd class="quiet">{escape(label)}: {why}.</dd></div>'
    name = best[0]
    e = content.models[name]
    ends = content.intervals[name].get(symbol) if name in content.intervals else None
    value = number(e[m])
    if ends is not None and ends.low == ends.low:
        value = interval(e[m], ends.low, ends.high)
    who = f"{named(name)}: " if len(content.models) > 1 else ""
    return (
        f"<div>{_term(aspect, symbol, label)}<dd>{who}<strong>{escape(label)}</strong> {value}. "
        f'<span class="quiet">{escape(content.row_of(m).question)}</span></dd></div>'
    )


def _between(content: Content) -> str:
    c = content.comparison
    assert c is not None
    count = len(c.models)
    few = f" for {count} models: the best two of each aspect, and those with the best mean rank"
    tests = f"{_tests(c)}{few if count < len(content.models) else ''}"
    return f'<p class="quiet">{tests}. {escape(c.corrections)} Cases were paired {c.pairing}.</p>{_other_comparisons()}'


def _other_comparisons() -> str:
    """What else can be asked about models on the same cases, as declared."""
    items = [
        f"<li><code>{escape(c.path)}</code>: {escape(c.question)} "
        f'<span class="quiet">{escape(str(references().get(c.cite, "")))}</span></li>'
        for c in comparisons.values()
        if c.of is MODELS
    ]
    return f"<details><summary>Other ways to compare these models</summary><ul>{''.join(items)}</ul></details>"


def _tests(c: Comparison) -> str:
    """What the models were compared by."""
    methods = {name: keys for name, keys in c.methods.items() if name != UNDEFINED}
    if len(methods) < 2:
        return f"Compared by {next(iter(methods), 'no test')}"
    first, *others = sorted(methods.items(), key=lambda item: -len(item[1]))
    rest = [f"{name} for {listed(keys)}" for name, keys in others]
    return f"Compared by {first[0]}{f' for {listed(first[1])}' if len(first[1]) <= NAMED else ''}, {', '.join(rest)}"


def findings(content: Content) -> str:
    """Findings, the most severe first; those about several models stand together."""
    groups: dict[str, list[str]] = {}
    for who, f in content.remarks():
        about = f'<span class="who">{escape(short(who))}</span> ' if who else ""
        item = (
            f'<p><span class="severity">{f.severity}</span> {about}'
            f"<strong>{escape(f.title)}.</strong> {escape(f.words)}</p>"
        )
        groups.setdefault(f"{f.severity} {f.code}", []).append(item)
    if not groups:
        return "<p>No findings: no check found a problem with these predictions.</p>"
    items = []
    for key, group in groups.items():
        first, rest = (group, []) if len(group) <= MOST_ALIKE else (group[:1], group[1:])
        more = f"<details><summary>the same finding for {len(rest)} more models</summary>{''.join(rest)}</details>"
        items.append(f'<li class="{key.split()[0]}">{"".join(first)}{more if rest else ""}</li>')
    return f'<ul class="findings">{"".join(items)}</ul>'


def left_out(content: Content) -> list[str]:
    """Why panels are not available: one sentence each."""
    evaluations = list(content.models.values())
    sentences = []
    if all(e.statistics.source.lacks(Needs.SCORES) for e in evaluations):
        sentences.append(
            f"There are no curves because {_given(evaluations[0])}: each model is a single point in the diagrams, and "
            "no threshold can be chosen."
        )
    if all(e.statistics.source.lacks(Needs.PROBABILITIES) for e in evaluations):
        curves = "Reliability, attributes, discrimination and Brier curves"
        sentences.append(f"{curves} need probabilities; {_given(evaluations[0])}.")
    if all(e.statistics.lacks(Counts) for e in evaluations):
        sentences.append("Confusion matrices and entropy triangles need class predictions; only scores were given.")
    if len(evaluations[0].classes) > PRICED:
        sentences.append(f"A cost matrix can be entered for up to {PRICED} classes.")
    return sentences


def _given(e: Evaluation) -> str:
    source = e.statistics.source
    given = "confusion matrices" if source.table is not None else source.kind.replace("decisions", "class predictions")
    return f"only {given} were given"


def method(content: Content) -> str:
    """How the intervals were made."""
    if not content.intervals:
        return f"There are no intervals: {TOO_LONG}." if not content.replicates else "Without intervals."
    used = dict.fromkeys(i.method for intervals in content.intervals.values() for i in intervals.values() if i.method)
    words = f"In brackets: {100 * content.level:g} % confidence intervals ({', '.join(used) or 'none available'})."
    if content.grouped:
        words += " Cases of one group are not taken for independent."
    if content.comparison is not None and content.replicates < content.wanted:
        words += f" With so many cases, some measures were resampled only {content.replicates:,} times."
    return words
