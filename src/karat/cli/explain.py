"""`karat explain`: all that is declared of a measure, diagram, comparison, finding or study."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from karat.cli.listings import FACTS, registries
from karat.cli.main import command
from karat.cli.options import AsJson, own_measures
from karat.cli.output import print_json, say_named
from karat.core.errors import InputError


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    return [name for registry in registries().values() for name in registry if name.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        help="Symbol, name or alias of a measure; or a diagram, comparison, finding or study.", autocompletion=_names
    ),
]


@command
@own_measures
def explain(
    name: Name,
    kind: Annotated[
        str | None, typer.Option(help="Of this kind, if several have the name: measure, diagram, ...")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say all that is known of a measure (question, formula, range, traits, citation), diagram, comparison, finding or
    study."""
    from karat.core.references import references

    if kind is not None and kind not in FACTS:
        raise InputError(f"--kind is {kind!r}; say {', '.join(FACTS)}.")
    things = _things(name, kind)
    first, *others = things
    facts = FACTS[first](things[first])
    if as_json:
        print_json(facts)
        return
    cite = facts.pop("cite", "")
    facts["citation"] = str(references()[cite]) if cite in references() else cite
    facts["also"] = [f"a {other} has this name: say --kind {other}" for other in others]
    for title, value in facts.items():
        if value not in ("", None, []):
            say_named(title, ", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _things(name: str, kind: str | None) -> dict[str, Any]:
    """Kind to what has this name; anything else is an error that suggests what was meant."""
    from karat.measures.lookup import find

    declared = {k: registry for k, registry in registries().items() if kind in (None, k)}
    things = {k: registry[name] for k, registry in declared.items() if name in registry}
    if things:
        return things
    if kind not in (None, "measure"):
        return {kind: declared[kind][name]}
    near = {k: symbols for k, registry in declared.items() if (symbols := registry.near(name))}
    if "(" in name or not near.keys() - {"measure"}:  # macro(F1) is a measure, and in no registry
        return {"measure": find(name)}
    meant = " or ".join(dict.fromkeys(symbol for symbols in near.values() for symbol in symbols))
    raise InputError(f"nothing in the catalogue is called {name!r}. Did you mean {meant}?")
