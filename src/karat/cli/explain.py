"""`karat explain`: what is known of a measure, a diagram, a comparison, a finding or a study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from karat.cli.comparisons import comparison_facts
from karat.cli.diagrams import diagram_facts
from karat.cli.findings import finding_facts
from karat.cli.main import command
from karat.cli.measures import measure_facts
from karat.cli.options import AsJson, own_measures
from karat.cli.output import print_json, say_named
from karat.cli.studies import study_facts
from karat.core.errors import InputError

FACTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "measure": measure_facts,
    "diagram": diagram_facts,
    "comparison": comparison_facts,
    "finding": finding_facts,
    "study": study_facts,
}
"""What can be explained. A name that several kinds have is that of the first."""


def _registries() -> dict[str, Any]:
    from karat import catalogue

    registries = (catalogue.measures, catalogue.diagrams, catalogue.comparisons, catalogue.checks, catalogue.studies)
    return dict(zip(FACTS, registries, strict=True))


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    return [name for registry in _registries().values() for name in registry if name.startswith(incomplete)]


@command
@own_measures
def explain(
    name: Annotated[
        str,
        typer.Argument(
            help="Symbol, name or alias of a measure; or a diagram, comparison, finding or study.",
            autocompletion=_names,
        ),
    ],
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

    registries = {k: registry for k, registry in _registries().items() if kind in (None, k)}
    things = {k: registry[name] for k, registry in registries.items() if name in registry}
    if things:
        return things
    if kind not in (None, "measure"):
        return {kind: registries[kind][name]}
    near = {k: symbols for k, registry in registries.items() if (symbols := registry.near(name))}
    if "(" in name or not near.keys() - {"measure"}:  # macro(F1) is a measure, and in no registry
        return {"measure": find(name)}
    meant = " or ".join(dict.fromkeys(symbol for symbols in near.values() for symbol in symbols))
    raise InputError(f"nothing in the catalogue is called {name!r}. Did you mean {meant}?")
