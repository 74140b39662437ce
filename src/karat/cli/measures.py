"""`karat measures`: the catalogue of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, own_measures
from karat.cli.output import say, show, show_list
from karat.core.errors import InputError
from karat.core.words import arrow, direction

if TYPE_CHECKING:
    from karat.core.measure import Measure


@command
@own_measures
def measures(
    family: Annotated[str | None, typer.Option(help="Only this family, for example ranking.")] = None,
    traits: Annotated[bool, typer.Option("--traits", help="What each is influenced by and invariant under.")] = False,
    as_json: AsJson = False,
) -> None:
    """List every measure: its symbol, which way is better, its family, and the question that it answers."""
    from karat.catalogue import measures as declared

    families = list(dict.fromkeys(m.family for m in declared.values()))
    if family is not None and family not in families:
        raise InputError(f"there is no family {family!r}; the families are {', '.join(families)}.")
    listed = [m for m in declared.values() if family in (None, m.family)]
    if traits and not as_json:
        _show_traits(listed)
        return
    rows = ([m.symbol, arrow(m.orientation), m.family, m.question] for m in listed)
    show_list(["symbol", "", "family", "question"], rows, map(measure_facts, listed), as_json)


def _show_traits(listed: list[Measure]) -> None:
    from karat.core.measure import Invariance, Trait
    from karat.studies.traits import table

    letters = table(listed)
    show([list(letters.columns), *letters.rows])
    for title, claims in (("influenced by", Trait), ("invariant under", Invariance)):
        say(f"\n{title}\n" + "\n".join(f"  {claim}  {claim.meaning}" for claim in claims))


def measure_facts(m: Measure) -> dict[str, Any]:
    """All that is declared of a measure, as plain data."""
    from karat.core.measure import Invariance, Trait

    finite = [None if abs(x) == float("inf") else x for x in m.range]
    return {
        "symbol": m.symbol,
        "name": m.name,
        "aliases": list(m.aliases),
        "family": m.family,
        "question": m.question,
        "formula": m.formula,
        "range": finite if None in finite else list(m.range),
        "better": direction(m.orientation) or None,
        "by chance": m.chance,
        "influenced by": [t.name.lower() for t in Trait if t in m.traits],
        "invariant under": [i.name.lower() for i in Invariance if i in m.invariant],
        "undefined where": m.undefined,
        "of one class": m.classwise,
        "cite": m.cite,
    }
