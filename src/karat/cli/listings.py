"""`karat measures`, `diagrams`, `comparisons`, `findings` and `studies` list what is declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.layout import width_of
from karat.cli.main import command
from karat.cli.options import AsJson, own_measures
from karat.cli.output import print_json, room, say, show, show_fitting
from karat.core.errors import InputError
from karat.core.words import arrow, counted, direction

if TYPE_CHECKING:
    from karat.core.measure import Measure


def _measure_facts(m: Measure) -> dict[str, Any]:
    from karat.core.measure import Invariance, Trait

    finite = [None if abs(x) == float("inf") else x for x in m.range]
    return _fields(m, "symbol", "title", "name", "aliases", "family", "question", "formula") | {
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


def _list(kind: str, heads: list[str], row: Callable[[Any], list[str]], as_json: bool, most: int) -> None:
    """All declared things of a kind, one in a row, with the first `most` columns and as many more as fit; or all facts
    about them."""
    things = list(registries()[kind].values())
    if as_json:
        print_json([FACTS[kind](thing) for thing in things])
        return
    lines = [heads, *map(row, things)]
    show_fitting(([line[:n] for line in lines], [False] * n) for n in range(len(heads), most - 1, -1))
    say(f"\n`karat explain NAME` explains a {kind}.")


@command
@own_measures
def measures(
    words: Annotated[
        list[str] | None, typer.Argument(help="Only measures whose title, name, alias or question has all these words.")
    ] = None,
    family: Annotated[str | None, typer.Option(help="Only this family, for example ranking.")] = None,
    traits: Annotated[bool, typer.Option("--traits", help="What each is influenced by and invariant under.")] = False,
    as_json: AsJson = False,
) -> None:
    """List all measures, by family, or search them.

    Each with its title, its symbol, which way is better, and its name in Python (karat.measures.NAME).

    Examples
    --------
    karat measures
    karat measures --family ranking
    karat measures recall
    karat measures calibration error --json
    """
    declared = list(registries()["measure"].values())
    families = list(dict.fromkeys(m.family for m in declared))
    if family is not None and family not in families:
        raise InputError(f"there is no family {family!r}; the families are {', '.join(families)}.")
    asked = [m for m in declared if family in (None, m.family) and _has(m, words or [])]
    if not asked:
        raise InputError(f"no measure has the words {' '.join(words or [])!r}; `karat measures` lists all.")
    if as_json:
        print_json([_measure_facts(m) for m in asked])
    elif traits:
        _show_traits(asked)
    else:
        _show_measures(asked)


def _has(m: Measure, words: list[str]) -> bool:
    """Does anything that it is called by, or its question, hold all of these words?"""
    text = " ".join((m.symbol, m.title, m.name, *m.aliases, m.question)).casefold()
    return all(word.casefold() in text for word in words)


def _show_measures(listed: list[Measure]) -> None:
    """A table for each family, the columns of all equally wide; the questions where there is room."""
    rows = {m.symbol: [m.title, m.symbol, arrow(m.orientation), m.name, m.question] for m in listed}
    heads = ["measure", "symbol", "", "in Python", "question"]
    columns = len(heads)
    while columns > 3 and width_of([line[:columns] for line in (heads, *rows.values())]) > room():
        columns -= 1
    widths = [max(map(len, column)) for column in zip(*([heads, *rows.values()]), strict=True)]
    for i, family in enumerate(dict.fromkeys(m.family for m in listed)):
        say(f"{chr(10) if i else ''}{family.replace('_', ' ').capitalize()} (--family {family})")
        lines = [heads, *(rows[m.symbol] for m in listed if m.family == family)]
        show([[f"{text:<{width}}" for text, width in zip(line, widths, strict=True)][:columns] for line in lines])
    say(f"\n{counted(len(listed), 'measure')}. `karat explain SYMBOL` explains one of them.")


def _show_traits(listed: list[Measure]) -> None:
    from karat.core.measure import Invariance, Trait
    from karat.studies.traits import table

    letters = table(listed)
    show([list(letters.columns), *letters.rows])
    for title, claims in (("influenced by", Trait), ("invariant under", Invariance)):
        say(f"\n{title}\n" + "\n".join(f"  {claim}  {claim.meaning}" for claim in claims))


@command
def diagrams(as_json: AsJson = False) -> None:
    """List all diagrams.

    Examples
    --------
    karat diagrams
    """
    heads = ["diagram", "what it shows", "options (--set)"]
    _list("diagram", heads, lambda d: [d.name, d.shows, " ".join(d.options())], as_json, 2)


@command
def comparisons(as_json: AsJson = False) -> None:
    """List all statistical tests and comparisons.

    Examples
    --------
    karat comparisons
    """
    heads = ["comparison", "question", "of", "cite"]
    _list("comparison", heads, lambda c: [c.name, c.question, str(c.of), c.cite], as_json, 2)


@command
def findings(as_json: AsJson = False) -> None:
    """List all findings: what predictions are checked for.

    Examples
    --------
    karat findings
    """
    heads = ["finding", "question", "measures", "diagram"]
    _list("finding", heads, lambda c: [c.code, c.question, " ".join(c.measures), c.diagram], as_json, 2)


@command
def studies(as_json: AsJson = False) -> None:
    """List all studies of measures.

    Examples
    --------
    karat studies
    """
    _list("study", ["study", "question", "cite"], lambda s: [s.name, s.question, s.cite], as_json, 2)
