"""`karat diagrams`: the catalogue of diagrams."""

from __future__ import annotations

from typing import Any

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import show_list


@command
def diagrams(as_json: AsJson = False) -> None:
    """List every diagram and what it shows."""
    from karat.catalogue import diagrams as declared

    rows = ([d.name, " ".join(d.options()), d.shows] for d in declared.values())
    show_list(["diagram", "options (--set)", "what it shows"], rows, map(diagram_facts, declared.values()), as_json)


def diagram_facts(kind: Any) -> dict[str, Any]:
    """All that is declared of a diagram, as plain data."""
    return {
        "name": kind.name,
        "aliases": list(kind.aliases),
        "shows": kind.shows,
        "options": kind.options(),
        "cite": kind.cite,
    }
