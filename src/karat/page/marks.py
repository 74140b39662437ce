"""In the tables of a page: names of models, numbers, and marks of what is best and what does not differ from it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from karat.comparisons.comparison_marks import ALIKE, BEST, BETTER, OTHER, UNKNOWN, WORSE, legend, marks_of
from karat.core.measure import Measure
from karat.page.content import Content

SIGNS = {BEST: "best", ALIKE: "alike", UNKNOWN: "unknown", BETTER: "best", WORSE: "worse", OTHER: "other"}
"""Classes of marked cells."""
SPOKEN = {
    BEST: "best", ALIKE: "no significant difference from the best", UNKNOWN: "not tested against the best",
    BETTER: "significantly better than the baseline", WORSE: "significantly worse than the baseline",
    OTHER: "significantly different",
}  # fmt: skip
"""Marks for those who hear the page."""
LONG_NAME, KEPT_END = 16, 9
"""Letters of a name whose end is kept apart, and of that end: names.js has the same."""


def model_name(content: Content, name: str) -> str:
    """A model by its name; a script draws its line beside it."""
    at = content.names.index(name)
    return f'<span data-model="{at}">{yielding_name(name)}</span>'


def yielding_name(name: str) -> str:
    """A name that gives way to others beside it, but not at its end."""
    if len(name) <= LONG_NAME:
        return f'<bdi class="name" title="{escape(name)}">{escape(name)}</bdi>'
    halves = f"<span>{escape(name[:-KEPT_END])}</span><span>{escape(name[-KEPT_END:])}</span>"
    return f'<bdi class="name halved" title="{escape(name)}">{halves}</bdi>'


def in_cell(number: str) -> str:
    """A number with a minus sign that is as wide as a plus.

    >>> in_cell("-0.500")
    '−0.500'
    """
    return number.replace("-", "−")


def tested_marks(content: Content, m: Measure) -> dict[str, str]:
    """As the comparison judges them; none where it did not compare the measure."""
    c = content.comparison
    keys = [one.symbol for one in (m, *content.rows()[m])]
    key = next((key for key in keys if c is not None and key in c.measure_keys), None)
    return {} if c is None or key is None else marks_of(c, key)


def all_marks(content: Content, m: Measure) -> dict[str, str]:
    """As the comparison judges them, or by value where it did not compare the measure or the best model."""
    best = content.best(m) if len(content.models) > 1 else []
    tested = tested_marks(content, m)
    if not tested or not set(best) <= set(tested):
        return dict.fromkeys(best, BEST)
    return tested


def meaning(content: Content, marks: Mapping[Measure, Mapping[str, str]], none: str = "") -> str:
    """What the marks in the rows of measures mean, or what it means that there are none. That a value has none says
    nothing of a measure without a better direction."""
    c = content.comparison
    if c is None:
        return ""
    signs = {sign for m, of_row in marks.items() for sign in of_row.values() if sign or m.orientation}
    words = legend(c, signs, corrections=True).replace("of the row", "of the measure") or none
    return escape(f"{words[0].upper()}{words[1:]}.") if words else ""
