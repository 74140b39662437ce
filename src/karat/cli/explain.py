"""`karat explain`: all that is declared of a measure, diagram, comparison, finding or study."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, own_measures
from karat.cli.output import print_json, say_named

INDENT = 20
"""Columns that the names of the facts take."""


def _names(incomplete: str) -> list[str]:
    """For the shell to complete."""
    from karat.catalogue import registries

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
    """Explain a measure (question, formula, range, traits, conventions, citation), diagram, comparison, finding or
    study.

    Examples
    --------
    karat explain MCC
    karat explain roc_auc
    karat explain 'macro(F1)'
    karat explain sensitivity --kind diagram
    """
    from karat.catalogue import explain as explained

    explanation = explained(name, kind)
    if as_json:
        print_json(explanation.to_dict())
        return
    for title, text in explanation.lines.items():
        say_named(title, text, INDENT)
    for other in explanation.others:
        say_named("also", f"a {other} has this name: pass --kind {other}", INDENT)
