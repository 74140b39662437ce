"""What stands at a value in a table of a comparison: is it the best, and does it differ significantly?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from karat.measures.display import MeasureRow, measure_rows
from karat.measures.lookup import headline

if TYPE_CHECKING:
    from karat.comparisons.comparison_record import Comparison

BEST, ALIKE, UNKNOWN, BETTER, WORSE = "*", "~", "?", "+", "-"
"""Marks of values."""


def rows_of(c: Comparison, usual: bool = False) -> list[MeasureRow]:
    """A row for each measure, and class; several names of one number share one. `usual`: of the measures that
    evaluations show and the verdict speaks of."""
    whole = [m for m in c.measures if m.symbol in c.measure_keys]
    if usual:
        shown = {m.symbol for e in c.models.values() for m in headline(e.statistics)} | {*c.aspects.values()}
        whole = [m for m in whole if m.symbol in shown]
    rows = measure_rows(whole, [e.statistics for e in c.models.values()])
    for key in c.measure_keys:
        m = c.measure_of(key)
        if key != m.symbol:
            rows.append(MeasureRow(m, of_class=key[len(m.symbol) + 1 : -1]))
    return rows


def marks_of(c: Comparison, key: str) -> dict[str, str]:
    """Of each model: of two whether it is significantly better; of several whether it is the best, or does not differ
    significantly from that; with a baseline, how it stands to that."""
    marks = dict.fromkeys(c.models, "")
    way = c.measure_of(key).orientation
    values = {name: value for name, value in c.values_of(key).items() if value == value} if way else {}
    if len(c.pairs) == 1:
        better = next(iter(c.pairs.values())).differences[key].winner(c.level)
        return marks | ({better: BEST} if better is not None else {})
    if not values:
        return marks
    to = c.baseline or max(values, key=lambda name: values[name] * way)
    marks[to] = "" if c.baseline else BEST
    for name in (name for name in values if name != to):
        d = c[name, to].differences[key]
        better = d.winner(c.level)
        if better is None:
            marks[name] = ALIKE if d.p == d.p else UNKNOWN
        elif c.baseline:
            marks[name] = BETTER if better == name else WORSE
    return marks


def legend(c: Comparison, marks: Iterable[str]) -> str:
    """What these marks mean."""
    signs, to = set(marks), c.baseline or "the best"
    meanings = {
        BEST: "significantly better" if len(c.pairs) == 1 else "the best value of the row",
        BETTER: f"significantly better than {to}",
        WORSE: f"significantly worse than {to}",
        ALIKE: f"no significant difference from {to}",
        UNKNOWN: f"not tested against {to}",
    }
    words = [f"{mark} {meaning}" for mark, meaning in meanings.items() if mark in signs]
    if "" in signs and words and len(c.pairs) > 1 and not c.baseline:
        words.append("others are significantly worse")
    return f"{'; '.join(words)} ({_level(c)})" if words else ""


def _level(c: Comparison) -> str:
    """From which p-value on a difference is significant, and what was corrected."""
    pairs = f"corrected (Holm) over {c.pairs_in_all} pairs of models" if c.pairs_in_all > 1 else ""
    corrected = "" if pairs else "corrected (Holm) "
    verdict = f"those of the verdict {corrected}over its {c.claims} tests" if c.claims > c.pairs_in_all else ""
    return ", ".join(filter(None, (f"p ≤ {1 - c.level:.2g}", pairs, verdict)))
