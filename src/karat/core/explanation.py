"""All that is declared of a measure, diagram, comparison, finding or study, as plain data and as people read it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from karat.core.elsewhere import known_elsewhere
from karat.core.measure import Invariance, Measure, Trait
from karat.core.references import references
from karat.core.table import Table, Tabular
from karat.core.words import direction, number

WIDTH = 100
"""Columns of a terminal that a text is wrapped to."""


def _facts_of_measure(m: Measure) -> dict[str, Any]:
    return _fields(m, "title", "symbol", "name", "aliases") | {
        "known elsewhere as": known_elsewhere(m.symbol),
        **_fields(m, "family", "question", "formula"),
        "range": [x if math.isfinite(x) else None for x in m.range],
        "best": m.best if m.best is None or math.isfinite(m.best) else None,
        "better": direction(m.orientation) or None,
        "by chance": m.chance,
        "influenced by": [t.name.lower() for t in Trait if t in m.traits],
        "invariant under": [i.name.lower() for i in Invariance if i in m.invariant],
        "undefined where": m.undefined,
        "by convention": [r.words for r in m.remarks if r.convention],
        "note": [r.words for r in m.remarks if not r.convention],
        "of one class": m.classwise,
        "same for both": m.either_class,
        "cite": m.cite,
    }


def _facts_of_study(s: Any) -> dict[str, Any]:
    options = {"options": [f.name for f in fields(s)], "size": s.size or None, "takes": s.takes or None}
    return _fields(s, "name", "aliases", "cite", "question") | options


def _facts_of_finding(c: Any) -> dict[str, Any]:
    about = {"about": "several models" if c.several else "one model", "measures": list(c.measures)}
    return _fields(c, "code", "name", "question") | about | {"diagram": c.diagram or None}


FACTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "measure": _facts_of_measure,
    "diagram": lambda d: _fields(d, "name", "aliases", "shows") | {"options": d.options(), "cite": d.cite},
    "comparison": lambda c: (
        _fields(c, "name", "aliases") | {"of": str(c.of), "question": c.question, "in Python": c.path, "cite": c.cite}
    ),
    "finding": _facts_of_finding,
    "study": _facts_of_study,
}
"""What can be explained, and all that is declared of it, as plain data. A name that several kinds have is that of the
first."""


IN_WORDS = {"of one class": "value per class"}
"""What a fact is called where people read it."""


def _fields(thing: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(thing, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Tabular):
    """What is declared of one thing of the catalogue: `print` it, or take `to_dict()`."""

    kind: str
    facts: dict[str, Any]
    others: tuple[str, ...] = ()
    """other kinds that have the name, too"""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; infinite is None."""
        return dict(self.facts)

    @property
    def lines(self) -> dict[str, str]:
        """What is said of it, as text; what is empty is left out, an alias that another library has is named once, and
        the citation is written out."""
        facts = dict(self.facts)
        elsewhere = {name.split(" ")[0] for name in facts.get("known elsewhere as", ())}
        facts["aliases"] = [alias for alias in facts.get("aliases", ()) if alias not in elsewhere]
        cite = facts.pop("cite", "")
        facts["citation"] = str(references()[cite]) if cite in references() else cite
        if "range" in facts:
            low, high = (
                number(x) if x is not None else sign for x, sign in zip(facts["range"], ("-∞", "∞"), strict=True)
            )
            facts["range"] = f"{low} to {high}"
        facts = {IN_WORDS.get(name, name): value for name, value in facts.items() if value is not False}
        return {name: _said(value) for name, value in facts.items() if value not in ("", None, [])}

    def to_table(self) -> Table:
        """One row for each fact."""
        return Table({"what": list(self.lines), "is": list(self.lines.values())})

    def __repr__(self) -> str:
        lines = [
            textwrap.fill(f"{name}: {text}", WIDTH, subsequent_indent="    ", break_long_words=False)
            for name, text in self.lines.items()
        ]
        return "\n".join(lines)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return number(value) if isinstance(value, float) else str(value)
