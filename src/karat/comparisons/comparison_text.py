"""A comparison as people read it: sentences of a verdict about many models, and a table with models as columns."""

from __future__ import annotations

import html
import re
import textwrap
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from karat.comparisons.comparison_marks import (
    cautions,
    footnotes,
    legend,
    marks_of,
    not_tested,
    p_head,
    remarks_of,
    rows_of,
    signs_of,
    without_interval,
)
from karat.comparisons.difference import Difference, alternative_in_words
from karat.comparisons.measure_names import free_name
from karat.core.table import Table, aligned, shown
from karat.core.words import PValue, difference_words, listed, number, p_value, short, within
from karat.measures.display import DAGGER

if TYPE_CHECKING:
    from karat.comparisons.comparison_record import Comparison
    from karat.measures.display import MeasureRow

WIDTH = 80
"""Characters in a line, unless more are allowed."""
MOST_NAMED = 4
"""Models that a clause names; of more, how many others there are."""
UNTESTED = "not tested against"
NARROWEST = 24
"""Characters that the names of measures need."""
SHORT_NAME = 9
"""Characters of a model's name where there is too little room."""


def standing(c: Comparison, key: str) -> str:
    """Which model is best on a measure, and which are not significantly worse; empty if there is no best."""
    m, name_of = c.measure_of(key), c.title_of(key)
    values = {name: value for name, value in c.values_of(key).items() if value == value}
    if len(values) < 2:
        return f"{name_of} could not be tested: {_why_untested(c, key)}."
    if not m.orientation:
        return f"{name_of}: {_differing(c, key)}."
    best = max(values, key=lambda name: values[name] * m.orientation)
    equal = [name for name in values if values[name] == values[best]]
    if len(equal) == len(values):
        have = "all" if len(values) == len(c.models) else listed(equal, MOST_NAMED)
        return f"{name_of}: no model is better, {have} have {number(values[best])}."
    parts: dict[str, list[str]] = {}
    for name in (name for name in values if name not in equal):
        if relation := _relation_to_all(c, key, equal, name):
            parts.setdefault(relation, []).append(name)
    rest = [f"{what} {listed(names, MOST_NAMED)}" for what, names in parts.items()]
    said = ", ".join(rest) if rest else "significantly better than all others"
    are = "are" if len(equal) > 1 else "is"
    return f"{name_of}: {listed(equal, MOST_NAMED)} {are} best ({number(values[best])}), {said}."


def _relation_to_all(c: Comparison, key: str, best: list[str], name: str) -> str:
    """How the best models stand to another that one of them does not significantly beat; empty if they all do."""
    met = [pair.differences[key] for one in best if (pair := c.get((one, name))) is not None]
    if not met:
        return UNTESTED
    return next((_relation(c, d) for d in met if d.winner(c.level) is None), "")


def _why_untested(c: Comparison, key: str) -> str:
    """Why a measure has no value of two models."""
    reasons = (pair.differences[key].reason for pair in c.pairs.values())
    return next(filter(None, reasons), "fewer than two models have a value")


def _differing(c: Comparison, key: str) -> str:
    """Which models differ significantly on a measure without a better direction: those that differ from most others
    first."""
    differences = {two: pair.differences[key] for two, pair in c.pairs.items()}
    left = [two for two, d in differences.items() if d.differs(c.level)]
    if not left:
        tested = all(d.p == d.p for d in differences.values())
        return "no significant differences" if tested else "no significant differences, as far as they were tested"
    clauses = []
    while left:
        name, _ = Counter(name for two in left for name in two).most_common(1)[0]
        others = [other for two in left for other in two if name in two and other != name]
        clauses.append(f"{name} differs significantly from {listed(others, MOST_NAMED)}")
        left = [two for two in left if name not in two]
    return "; ".join(clauses)


def _relation(c: Comparison, d: Difference) -> str:
    """How the best model stands to another that it does not significantly beat."""
    if d.p != d.p:
        return UNTESTED
    if d.equivalent:
        return f"equivalent within {within(d.margin)} ({p_value(d.p_equivalent)}) to"
    if d.margin is not None:
        return f"not significantly different from, nor shown to be equivalent within {within(d.margin)} to"
    if d.starved(c.claims, c.level):
        return "with too few replicates to test it against"
    return "no significant difference from"


def one_sided(c: Comparison, key: str) -> str:
    """What was shown of each model against those after it: the other side was not tested."""
    word, clauses = alternative_in_words(c.alternative), []
    if c.alternative in ("better", "worse") and not c.measure_of(key).orientation:
        return f"{c.title_of(key)}: {_differing(c, key)}."
    for name in c.models:
        parts: dict[str, list[str]] = {}
        for (first, second), pair in c.pairs.items():
            d = pair.differences[key]
            if first == name and d.difference == d.difference:
                parts.setdefault(_shown_of(d, word, c.level), []).append(second)
        texts = [f"{what} {listed(parts[what], MOST_NAMED)}" for what in sorted(parts, key=lambda x: x[:3] == "not")]
        clauses += [f"{name} is {', and '.join(texts)}"] if texts else []
    return f"{c.title_of(key)}: {'; '.join(clauses)}." if clauses else ""


def _shown_of(d: Difference, word: str, level: float) -> str:
    if d.p != d.p:
        return UNTESTED
    if d.differs(level):
        return f"significantly {word} than"
    return f"equivalent within {within(d.margin)} to" if d.equivalent else f"not significantly {word} than"


def table(c: Comparison, width: int | None = None) -> Table:
    """One row for each measure, models as columns, the best marked; of two models their difference and its p-value,
    too. In so many characters names are shortened, and the least ranked models are left out."""
    rows, names, most = rows_of(c), list(c.models), None
    while True:
        columns = _columns(c, rows, names, most)
        room = None if width is None else width - sum(max(map(len, (head, *cells))) + 2 for head, cells in columns)
        if room is None or room >= NARROWEST or (most and len(names) <= 2):
            break
        names, most = _without_worst(c, names) if most else names, SHORT_NAME
    labels = [_fitting(row, room) for row in rows]
    return Table({"measure": labels, **dict(columns)}, c.verdict, tuple(_notes(c)))


def _notes(c: Comparison) -> list[str]:
    """What stands below the table, wherever it is shown: what marks and single numbers mean, what was corrected, how
    cases were paired, and what was not tested. Of several models the table shows no intervals."""
    rows = rows_of(c)
    meaning = legend(c, signs_of(c, rows), corrections=False)
    one = len(c.pairs) == 1
    of_differences = [*cautions(c, rows, intervals=one), *(without_interval(c, rows, tested=True) if one else [])]
    tests = f"{c.corrections} Cases were paired {c.pairing}." if c.paired else c.corrections
    differing = any(d.differs(c.level) for pair in c.pairs.values() for d in pair.differences.values())
    of_margins = next(iter(c.pairs.values())).margins_in_words(c.measure_keys) if one else []
    return [
        *([] if differing and not meaning else [f"{meaning or 'No difference is significant'}."]),
        *footnotes(c, rows),
        *of_differences,
        *of_margins,
        tests,
        *not_tested(c),
    ]


def left_out(c: Comparison, shown_table: Table) -> int:
    """How many models such a table has no room for."""
    return len(c.models) - (len(shown_table.columns) - 1 if len(c.models) > 2 else 2)


def _columns(c: Comparison, rows: list[MeasureRow], names: list[str], most: int | None) -> list[tuple[str, list[str]]]:
    """Heads and cells; the names of models in at most so many characters, where that tells them apart."""
    keys, fixed = [row.key for row in rows], ("measure", "difference", "p", "corrected p")
    tried = [{name: short(name, most or len(name), end) for name in c.models} for end in (0, None)]
    heads = next((t for t in tried if len(set(t.values())) == len(t)), {name: name for name in c.models})
    marks = {key: marks_of(c, key) for key in keys}
    for key, of_key in remarks_of(c, rows).items():
        marks[key] |= {name: marks[key][name] + DAGGER for name in of_key}
    columns = []
    for name in names:
        numbers = aligned(shown(c.values_of(key)[name]) for key in keys)
        widest = max((len(marks[key][name]) for key in keys), default=0)
        cells = [f"{text} {marks[key][name]:<{max(widest, 1)}}" for text, key in zip(numbers, keys, strict=True)]
        columns.append((free_name(heads[name], fixed), _right(cells)))
    if len(c.pairs) == 1:
        (pair,) = c.pairs.values()
        differences = [pair.differences[key] for key in keys]
        columns.append((f"difference [{100 * c.level:g} %]", _right(_spans(differences))))
        columns.append((p_head(c), _right(aligned(PValue(d.deciding_p).words for d in differences))))
    return columns


def _spans(differences: Iterable[Difference]) -> list[str]:
    """Differences with their intervals, without those that could not be made."""
    texts = []
    for d in differences:
        if d.difference != d.difference:
            texts.append("-")
        elif d.low != d.low:
            texts.append(shown(d.difference))
        else:
            texts.append(difference_words(d.difference, d.low, d.high))
    return texts


def _without_worst(c: Comparison, names: list[str]) -> list[str]:
    """All but the model with the worst mean rank; the baseline stays."""
    rank = dict.fromkeys(names, 0.0)
    for key in c.measure_keys:
        orientation, values = c.measure_of(key).orientation, c.values_of(key)
        if orientation:
            for name in names:
                rank[name] += sum(values[other] * orientation > values[name] * orientation for other in names)
    worst = max((name for name in names if name != c.baseline), key=lambda name: rank[name])
    return [name for name in names if name != worst]


def _fitting(row: MeasureRow, room: int | None) -> str:
    """The name of a row: title and symbols, or as much of them as there is room for."""
    if room is None:
        return row.label
    fitting = [text for text in (row.label, row.title) if len(text) <= room]
    return fitting[0] if fitting else short(row.key, max(room, SHORT_NAME))


def _right(cells: list[str]) -> list[str]:
    """Of one width, so that they end below each other."""
    width = max(map(len, cells), default=0)
    return [cell.rjust(width) for cell in cells]


def summary(c: Comparison, width: int = WIDTH) -> str:
    """The verdict, the table, and what its numbers are."""
    shown_table = table(c, width)
    below = list(shown_table.notes)
    if lacking := left_out(c, shown_table):
        below.insert(1, f"{lacking} more model{'s' * (lacking > 1)}: see to_table().")
    return "\n".join([_wrapped(c.sentences, width), "", repr(Table(shown_table.columns)), "", _wrapped(below, width)])


def _wrapped(sentences: Iterable[str], width: int) -> str:
    """Each on lines of its own; intervals, p-values and percentages stay in one piece."""
    kept = (WHOLE.sub(lambda part: part[0].replace(" ", "\xa0"), sentence) for sentence in sentences)
    lines = [line for sentence in kept for line in textwrap.wrap(sentence, width, break_long_words=False)]
    return "\n".join(lines).replace("\xa0", " ")


WHOLE = re.compile(r"\[\S+, \S+\]|\bp [<=≥] |\d %")
"""What no line should break."""


def as_html(c: Comparison) -> str:
    """The same for a notebook."""
    words = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in c.sentences)
    below = table(c)
    return f"{words}{Table(below.columns)._repr_html_()}<p>{html.escape(' '.join(below.notes))}</p>"
