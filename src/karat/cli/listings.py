"""`karat measures`, `diagrams`, `comparisons`, `findings` and `studies` list what is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, own_measures
from karat.cli.output import print_json, say, show
from karat.core.errors import InputError
from karat.core.words import arrow, direction

if TYPE_CHECKING:
    from karat.core.measure import Measure


def _measure_facts(m: Measure) -> dict[str, Any]:
    from karat.core.measure import Invariance, Trait

    finite = [None if abs(x) == float("inf") else x for x in m.range]
    return _fields(m, "symbol", "name", "aliases", "family", "question", "formula") | {
        "range": finite if None in finite else list(m.range),
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


def _study_facts(s: Any) -> dict[str, Any]:
    options = {"options": [f.name for f in fields(s)], "size": s.size or None, "takes": s.takes or None}
    return _fields(s, "name", "aliases", "cite", "question") | options


def _finding_facts(c: Any) -> dict[str, Any]:
    about = {"about": "several models" if c.several else "one model", "measures": list(c.measures)}
    return _fields(c, "code", "name", "question") | about | {"diagram": c.diagram or None}


FACTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "measure": _measure_facts,
    "diagram": lambda d: _fields(d, "name", "aliases", "shows") | {"options": d.options(), "cite": d.cite},
    "comparison": lambda c: (
        _fields(c, "name", "aliases") | {"of": str(c.of), "question": c.question, "in Python": c.path, "cite": c.cite}
    ),
    "finding": _finding_facts,
    "study": _study_facts,
}
"""What can be listed and explained, and all that is declared of it, as plain data. A name that several kinds have is
that of the first."""


def _fields(thing: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(thing, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def registries() -> dict[str, Any]:
    """Kind to all that were declared."""
    from karat import catalogue

    declared = (catalogue.measures, catalogue.diagrams, catalogue.comparisons, catalogue.checks, catalogue.studies)
    return dict(zip(FACTS, declared, strict=True))


def _list(kind: str, heads: list[str], row: Callable[[Any], list[str]], as_json: bool, things: Any = None) -> None:
    """Declared things (all of the kind, unless they are given), one in a row; or all facts about them."""
    listed = registries()[kind].values() if things is None else things
    if as_json:
        print_json([FACTS[kind](thing) for thing in listed])
    else:
        show([heads, *map(row, listed)])


@command
@own_measures
def measures(
    family: Annotated[str | None, typer.Option(help="Only this family, for example ranking.")] = None,
    traits: Annotated[bool, typer.Option("--traits", help="What each is influenced by and invariant under.")] = False,
    as_json: AsJson = False,
) -> None:
    """List every measure: its symbol, which way is better, its family, and the question that it answers."""
    declared = list(registries()["measure"].values())
    families = list(dict.fromkeys(m.family for m in declared))
    if family is not None and family not in families:
        raise InputError(f"there is no family {family!r}; the families are {', '.join(families)}.")
    listed = [m for m in declared if family in (None, m.family)]
    if traits and not as_json:
        _show_traits(listed)
        return
    heads = ["symbol", "", "family", "question"]
    _list("measure", heads, lambda m: [m.symbol, arrow(m.orientation), m.family, m.question], as_json, listed)


def _show_traits(listed: list[Measure]) -> None:
    from karat.core.measure import Invariance, Trait
    from karat.studies.traits import table

    letters = table(listed)
    show([list(letters.columns), *letters.rows])
    for title, claims in (("influenced by", Trait), ("invariant under", Invariance)):
        say(f"\n{title}\n" + "\n".join(f"  {claim}  {claim.meaning}" for claim in claims))


@command
def diagrams(as_json: AsJson = False) -> None:
    """List every diagram and what it shows."""
    heads = ["diagram", "options (--set)", "what it shows"]
    _list("diagram", heads, lambda d: [d.name, " ".join(d.options()), d.shows], as_json)


@command
def comparisons(as_json: AsJson = False) -> None:
    """List every comparison: what it compares, and the question that it answers."""
    heads = ["comparison", "of", "cite", "question"]
    _list("comparison", heads, lambda c: [c.name, str(c.of), c.cite, c.question], as_json)


@command
def findings(as_json: AsJson = False) -> None:
    """List everything that is looked for in predictions: its code and its question."""
    heads = ["finding", "measures", "diagram", "question"]
    _list("finding", heads, lambda c: [c.code, " ".join(c.measures), c.diagram, c.question], as_json)


@command
def studies(as_json: AsJson = False) -> None:
    """List every study: its name and its question."""
    _list("study", ["study", "cite", "question"], lambda s: [s.name, s.cite, s.question], as_json)
