"""Measures over time on the command line: `karat evaluate --by date --every week`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.output import print_json_by_model, say, show_table, working
from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.cli.large_files import LargeFiles
    from karat.cli.options import Reader

Every = Annotated[
    str | None,
    typer.Option(help="The column of --by holds dates: measures by hour, day, week, month, quarter or year."),
]


def show_courses(
    models: Reader,
    large: LargeFiles,
    by: list[str] | None,
    every: str,
    names: list[str] | None,
    options: dict[str, Any],
    as_json: bool,
) -> None:
    """The course of each model."""
    if by is None or len(by) != 1:
        raise InputError(f"--every {every} needs one column of dates; add --by COLUMN once.")
    read = large.accumulators(models)
    evaluations = {name: a.evaluation() for name, a in read.items()} or models.evaluations()
    with working(f"{every}s of {len(evaluations)} models"):
        courses = {model: e.over(by[0], every=every, measures=names, **options) for model, e in evaluations.items()}
    if as_json:
        print_json_by_model({model: c.to_dict() for model, c in courses.items()})
        return
    for model, c in courses.items():
        say(f"{model}: {c.verdict}\n")
        show_table(c.to_table())
        say("")
