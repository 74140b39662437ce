"""Measures over time on the command line: `karat evaluate --by date --every week`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.output import draw_without_a_screen, note, print_json_by_model, say, show_table, working
from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.changes import TimeCourse
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
    out: Path | None = None,
) -> None:
    """The course of each model; drawn into a file, if one is named."""
    if by is None or len(by) != 1:
        raise InputError(f"--every {every} needs one column of dates; add --by COLUMN once.")
    read = large.accumulators(models)
    evaluations = {name: a.evaluation() for name, a in read.items()} or models.evaluations()
    with working(f"{every}s of {len(evaluations)} models"):
        courses = {model: e.over(by[0], every=every, measures=names, **options) for model, e in evaluations.items()}
    if out is not None:
        _draw(courses, out)
    if as_json:
        print_json_by_model({model: c.to_dict() for model, c in courses.items()})
        return
    for model, c in courses.items():
        say(f"{model}: {c.verdict}\n")
        for table in c.tables():
            say(table.title)
            show_table(table)
            say("")


def _draw(courses: dict[str, TimeCourse], out: Path) -> None:
    """The measure that was asked for, or whose change has the smallest p-value."""
    if len(courses) > 1:
        raise InputError(f"--figure draws the course of one model, and there are {len(courses)}; give one.")
    if not out.parent.is_dir():
        raise InputError(f"there is no folder {str(out.parent)!r} to write {out.name} to; make it first.")
    draw_without_a_screen()
    chart = next(iter(courses.values())).chart()
    chart.plot()
    chart.save(out)
    sys.modules["matplotlib.pyplot"].close(chart.figure_)
    note(f"wrote {out}")
