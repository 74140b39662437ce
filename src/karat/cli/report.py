"""`karat report`: one page about some models, with everything in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.app import app
from karat.cli.evaluate import Level, Measures, Replicates, Seed, named
from karat.cli.files import Reader, reading
from karat.cli.terminal import steps
from karat.core.errors import InputError


@app.command()
@reading
def report(
    models: Reader,
    out: Annotated[Path, typer.Option("-o", "--out", help="Where to.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Title of the page.")] = "",
    measures: Measures = None,
    intervals: Annotated[bool, typer.Option(help="With an interval for each measure.")] = True,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
) -> None:
    """Write one page about the models: a verdict, every measure, and diagrams that follow the operating conditions."""
    from karat.page.report import check_path

    check_path(out)
    if replicates < 1:
        raise InputError(f"replicates is {replicates}; give a whole number of at least 1, or say --no-intervals.")
    how = {"measures": named(measures), "intervals": intervals, "level": level, "replicates": replicates, "seed": seed}
    write(models, out, title=title, **how)
    print(f"The report is in {out.absolute()}")


def write(models: Any, out: Path, **how: Any) -> None:
    """Write it; says what is being done while it takes long."""
    with steps() as told:
        told("reading")
        evaluations = models.evaluations() if isinstance(models, Reader) else models
        told("preparing")
        from karat.page.report import report as made

        made(evaluations, out, told=told, **how)
