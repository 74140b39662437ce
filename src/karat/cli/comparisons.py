"""`karat comparisons`: the catalogue of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import show_list

if TYPE_CHECKING:
    from karat.core.comparison import DeclaredComparison


@command
def comparisons(as_json: AsJson = False) -> None:
    """List every comparison: what it compares, and the question that it answers."""
    from karat.catalogue import comparisons as declared

    rows = ([c.name, str(c.of), c.cite, c.question] for c in declared.values())
    show_list(["comparison", "of", "cite", "question"], rows, map(comparison_facts, declared.values()), as_json)


def comparison_facts(c: DeclaredComparison) -> dict[str, Any]:
    """All that is declared of a comparison, as plain data."""
    facts = {"name": c.name, "aliases": list(c.aliases), "of": str(c.of), "question": c.question}
    return facts | {"in Python": c.path, "cite": c.cite}
