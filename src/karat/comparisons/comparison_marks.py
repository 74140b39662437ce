"""What stands at a value in a table of a comparison: is it the best, and does it differ significantly?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from karat.core.words import listed
from karat.measures.display import DAGGER, MeasureRow, measure_rows
from karat.measures.lookup import headline
from karat.measures.value import MeasureOf

if TYPE_CHECKING:
    from karat.comparisons.comparison_record import Comparison
    from karat.comparisons.difference import Difference
    from karat.evaluation import Evaluation

BEST, ALIKE, UNKNOWN, BETTER, WORSE, OTHER = "*", "~", "?", "+", "-", "≠"
"""Marks of values."""
MOST_NAMED = 4
"""Models that a footnote names; of more, how many others there are."""
MOST_REASONS = 3
"""Reasons for measures without a test that stand below a table."""


def rows_of(c: Comparison, usual: bool = False) -> list[MeasureRow]:
    """A row for each measure, and class; several names of one number share one. `usual`: of the measures that
    evaluations show and the verdict speaks of."""
    whole = [m for m in c.measures if m.symbol in c.measure_keys]
    if usual:
        shown = {m.symbol for e in c.models.values() for m in headline(e.statistics)} | {*c.aspects.values()}
        whole = [m for m in whole if m.symbol in shown]
    rows = measure_rows(whole, [e.statistics for e in c.models.values()], lambda symbol: _beside(c, symbol))
    for key in c.measure_keys:
        m = c.measure_of(key)
        if key != m.symbol:
            rows.append(MeasureRow(m, of_class=key[len(m.symbol) + 1 : -1]))
    return rows


def _beside(c: Comparison, symbol: str) -> tuple[str, str]:
    """The interval that stands beside a measure of two models, and what is said of it; of more models none does."""
    if len(c.pairs) > 1:
        return "", ""
    (pair,) = c.pairs.values()
    return pair.differences[symbol].span, pair.differences[symbol].reason


def marks_of(c: Comparison, key: str) -> dict[str, str]:
    """Of each model: of two whether it is significantly better; of several whether it is the best, or does not differ
    significantly from that; with a baseline, how it stands to that."""
    marks = dict.fromkeys(c.models, "")
    way = c.measure_of(key).orientation
    if len(c.pairs) == 1:
        d = next(iter(c.pairs.values())).differences[key]
        return {name: mark_of(c, d, name) for name in c.models}
    if not way:
        return marks | _other(c, key)
    values = {name: value for name, value in c.values_of(key).items() if value == value}
    if not values:
        return marks
    to = c.baseline or max(values, key=lambda name: values[name] * way)
    best = {to} if c.baseline else {name for name in values if values[name] == values[to]}
    marks |= dict.fromkeys(best, "" if c.baseline or len(best) == len(values) else BEST)
    for name in (name for name in values if name not in best):
        met = [c[name, one].differences[key] for one in best]
        d = next((d for d in met if d.winner(c.level) is None), met[0])  # of equal ones that it does not differ from
        better = d.winner(c.level)
        if better is None:
            marks[name] = ALIKE if d.p == d.p else UNKNOWN
        elif c.baseline:
            marks[name] = BETTER if better == name else WORSE
    untested = {name for name, mark in marks.items() if mark == UNKNOWN}
    if not c.baseline and untested and untested == {*values} - best:  # the best of values that tell nothing is none
        marks |= dict.fromkeys(best, UNKNOWN)
    return marks


def mark_of(c: Comparison, d: Difference, name: str) -> str:
    """Of one of two models: is it significantly better, or on a measure without a better direction different?"""
    if not c.measure_of(d.measure).orientation:
        return OTHER if d.differs(c.level) and name != c.baseline else ""
    return BEST if d.winner(c.level) == name else ""


def signs_of(c: Comparison, rows: Iterable[MeasureRow]) -> set[str]:
    """The marks in these rows, and "" where a value has none; of a measure without a better direction that says
    nothing."""
    by_row = {row.key: set(marks_of(c, row.key).values()) for row in rows}
    return {sign for key, signs in by_row.items() for sign in signs if sign or c.measure_of(key).orientation}


def _other(c: Comparison, key: str) -> dict[str, str]:
    """Of a measure without a better direction: which models differ significantly from the other, the baseline, or all
    others."""
    met = {name: [pair for names, pair in c.pairs.items() if name in names] for name in c.models if name != c.baseline}
    return {
        name: OTHER for name, pairs in met.items() if pairs and all(p.differences[key].differs(c.level) for p in pairs)
    }


def remarks_of(c: Comparison, rows: Iterable[MeasureRow]) -> dict[str, dict[str, str]]:
    """Of each row and model what should be known of the value, such as that it is one by convention; without those of
    which there is nothing to say."""
    said = {row.key: {name: _remark(e, row) for name, e in c.models.items()} for row in rows if row.measure.remarks}
    return {key: {name: words for name, words in of_key.items() if words} for key, of_key in said.items()}


def _remark(e: Evaluation, row: MeasureRow) -> str:
    if not row.of_class:
        return "" if e.undefined_because(row.measure) else e.why(row.measure)
    m = MeasureOf(row.measure, [str(name) for name in e.classes].index(row.of_class))
    with np.errstate(all="ignore"):
        known = not m.why_not(e.statistics) and math.isfinite(m.value(e.statistics))
        return "; ".join(map(str, m.remarks(e.statistics))) if known else ""


def footnotes(c: Comparison, rows: Iterable[MeasureRow]) -> list[str]:
    """Each remark once, with the measures it is about, and the models where these are not all."""
    shown = list(rows)
    titles = {row.key: row.title for row in shown}
    about: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for key, of_key in remarks_of(c, shown).items():
        by_words: dict[str, list[str]] = {}
        for name, words in of_key.items():
            by_words.setdefault(words, []).append(name)
        for words, names in by_words.items():
            about.setdefault((words, tuple(names)), []).append(titles[key])
    return [
        f"{DAGGER} {listed(keys)}{'' if len(names) == len(c.models) else f' ({listed(names, MOST_NAMED)})'}: {words}."
        for (words, names), keys in about.items()
    ]


def cautions(c: Comparison, rows: Iterable[MeasureRow], intervals: bool) -> list[str]:
    """Why intervals leave out their own differences (where they are shown), and other things to know of differences: a
    sentence for each reason, with the measures (and models)."""
    about: dict[str, list[str]] = {}
    shown = list(rows)
    for names, pair in c.pairs.items():
        of_pair = "" if len(c.pairs) == 1 else f" ({listed(names)})"
        for row in shown:
            d = pair.differences[row.key]
            if d.caution and (intervals or not d.missed):
                about.setdefault(d.caution, []).append(f"{row.title}{of_pair}")
    return [f"{listed(titles, MOST_NAMED)}: {reason}." for reason, titles in about.items()]


def without_interval(c: Comparison, rows: Iterable[MeasureRow], tested: bool = False) -> list[str]:
    """Why differences of two models have no interval: a sentence for each reason, with the measures. `tested`: of those
    alone that have a p-value."""
    about: dict[str, list[str]] = {}
    (pair,) = c.pairs.values()
    for row in rows:
        d = pair.differences[row.key]
        known = d.p == d.p if tested else d.difference == d.difference
        if known and d.low != d.low and d.reason:
            about.setdefault(d.reason, []).append(row.title)
    return [f"{listed(titles, MOST_NAMED)}: no interval: {reason}." for reason, titles in about.items()]


def not_tested(c: Comparison) -> list[str]:
    """Why measures have no value, or no test, for all pairs alike: a sentence each. What footnotes say is not said
    again."""
    footnoted = {words for of_key in remarks_of(c, rows_of(c)).values() for words in of_key.values()}
    by_reason: dict[str, dict[str, None]] = {}
    for pair in c.pairs.values():
        for d in pair.differences.values():
            if d.p != d.p and d.reason:
                known = any(d.reason.endswith(words) for words in footnoted)
                by_reason.setdefault(f"see {DAGGER}" if known else d.reason, {})[d.measure] = None
    kept, more = list(by_reason.items())[:MOST_REASONS], list(by_reason.values())[MOST_REASONS:]
    others = list(dict.fromkeys(key for keys in more for key in keys))
    return [
        *(f"Not tested: {listed(keys, MOST_NAMED)} ({reason})." for reason, keys in kept),
        *([f"Not tested for other reasons: {listed(others)}."] if others else []),
    ]


def legend(c: Comparison, marks: Iterable[str], corrections: bool) -> str:
    """What these marks mean, and what was corrected, unless that is said elsewhere (`Comparison.corrections`)."""
    signs, to = set(marks), c.baseline or "the best"
    meanings = {
        BEST: "significantly better" if len(c.pairs) == 1 else "the best value of the row",
        BETTER: f"significantly better than {to}",
        WORSE: f"significantly worse than {to}",
        ALIKE: f"no significant difference from {to}",
        UNKNOWN: f"not tested against {to}",
        "": "others are significantly worse",
        OTHER: "significantly different" + ("" if len(c.pairs) == 1 else f" from {c.baseline or 'all others'}"),
    }
    if len(c.pairs) == 1 or c.baseline or not signs & {BEST, ALIKE}:
        signs -= {""}
    words = [f"{mark} {meaning}".strip() for mark, meaning in meanings.items() if mark in signs]
    tested = any(d.p == d.p for pair in c.pairs.values() for d in pair.differences.values())
    if not tested:
        return "; ".join(words)
    said = ", ".join(filter(None, (f"significant: p ≤ {1 - c.level:.2g}", _corrected(c) if corrections else "")))
    return f"{'; '.join(words)} ({said})" if words else ""


def p_head(c: Comparison) -> str:
    """What stands above p-values: that all of them are corrected, beside intervals that are not."""
    return "corrected p" if c.claims > 1 and c.all_corrected else "p"


def _corrected(c: Comparison) -> str:
    if c.all_corrected and c.claims > c.pairs_in_all:
        return f"corrected (Holm) for {c.claims} tests"
    pairs = f"corrected (Holm) over {c.pairs_in_all} pairs of models" if c.pairs_in_all > 1 else ""
    corrected = "" if pairs else "corrected (Holm) "
    verdict = (
        f"those of the verdict's measures {corrected}over its {c.claims} tests" if c.claims > c.pairs_in_all else ""
    )
    return ", ".join(filter(None, (pairs, verdict)))
