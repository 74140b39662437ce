"""`karat advise`: which measures and diagrams suit some predictions."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, Reader, reading
from karat.cli.output import print_json_by_model, say, show


@command
@reading
def advise(
    models: Reader,
    decision: Annotated[
        str | None, typer.Option(help="What it is for: classify, rank, probability, contact, ...")
    ] = None,
    costs: Annotated[bool | None, typer.Option(help="Are the costs of errors known?")] = None,
    as_json: AsJson = False,
) -> None:
    """Which measures and diagrams suit these predictions, with the reason and the source."""
    from karat.advice.advice import advise as advice_for

    by_model = {name: advice_for(e, decision=decision, costs=costs) for name, e in models.evaluations().items()}
    if as_json:
        print_json_by_model({name: advice.to_dict() for name, advice in by_model.items()})
        return
    for i, (name, advice) in enumerate(by_model.items()):
        task = advice.task
        about = [f"{task.classes} classes", task.outputs, *advice.circumstances]
        say(f"{chr(10) if i else ''}{name}: {'; '.join(about)}")
        for kind, rows in (("measure", advice.measures), ("diagram", advice.diagrams), ("rather not", advice.against)):
            if rows:
                say("")
                show([["to", kind, "because"], *([r.goal, r.name, f"{r.why} [{r.source}]"] for r in rows)])
