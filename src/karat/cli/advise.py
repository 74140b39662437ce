"""`karat advise`: which measures and diagrams suit some predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, Reader, reading
from karat.cli.output import print_json_by_model, say, show

if TYPE_CHECKING:
    from karat.advice.advice import Advised


@command
@reading
def advise(
    models: Reader,
    decision: Annotated[
        str | None, typer.Option(help="What the predictions are for: classify, rank, probability or contact.")
    ] = None,
    costs: Annotated[bool | None, typer.Option(help="Are the costs of errors known?")] = None,
    as_json: AsJson = False,
) -> None:
    """Recommend measures and diagrams for these predictions.

    Each with the reason and the source.

    Examples
    --------
    karat advise forest.csv --positive malignant
    karat advise forest.csv --decision rank --no-costs
    karat advise forest.csv --as markdown
    """
    from karat.advice.advice import advise as advice_for

    by_model = {name: advice_for(e, decision=decision, costs=costs) for name, e in models.evaluations().items()}
    if as_json:
        print_json_by_model({name: advice.to_dict() for name, advice in by_model.items()})
        return
    for i, (name, advice) in enumerate(by_model.items()):
        task = advice.task
        about = [f"{task.classes} classes", task.outputs, *advice.circumstances]
        say(f"{chr(10) if i else ''}{name}: {'; '.join(about)}")
        kinds = {"use this measure": advice.measures, "use this diagram": advice.diagrams}
        for head, rows in (kinds | {"rather not": advice.against}).items():
            if rows:
                say("")
                show([["to", head, "because"], *_lines(rows)])


def _lines(rows: Iterable[Advised]) -> Iterator[list[str]]:
    """The goal once, measures by their titles."""
    from karat.measures.lookup import find

    before = ""
    for row in rows:
        name = find(row.name).label if row.kind == "measure" else row.name
        yield ["" if row.goal == before else row.goal, name, f"{row.why} [{row.source}]"]
        before = row.goal
