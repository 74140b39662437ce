"""`karat findings`: the catalogue of what can be found about predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import show_list

if TYPE_CHECKING:
    from karat.core.finding import Check


@command
def findings(as_json: AsJson = False) -> None:
    """List everything that is looked for in predictions: its code and its question."""
    from karat.catalogue import checks

    rows = ([c.code, " ".join(c.measures), c.diagram, c.question] for c in checks.values())
    show_list(["finding", "measures", "diagram", "question"], rows, map(finding_facts, checks.values()), as_json)


def finding_facts(c: Check) -> dict[str, Any]:
    """All that is declared of a finding, as plain data."""
    about = "several models" if c.several else "one model"
    return {
        "code": c.code,
        "name": c.name,
        "question": c.question,
        "about": about,
        "measures": list(c.measures),
        "diagram": c.diagram or None,
    }
