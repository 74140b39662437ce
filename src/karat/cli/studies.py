"""`karat studies`: the catalogue of studies."""

from __future__ import annotations

from typing import Any

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import show_list


@command
def studies(as_json: AsJson = False) -> None:
    """List every study: its name and its question."""
    from karat.catalogue import studies as declared

    rows = ([s.name, s.cite, s.question] for s in declared.values())
    show_list(["study", "cite", "question"], rows, map(study_facts, declared.values()), as_json)


def study_facts(kind: Any) -> dict[str, Any]:
    """All that is declared of a study, as plain data."""
    from dataclasses import fields

    return {
        "name": kind.name,
        "aliases": list(kind.aliases),
        "cite": kind.cite,
        "question": kind.question,
        "options": [f.name for f in fields(kind)],
        "size": kind.size or None,
        "takes": kind.takes or None,
    }
