"""`karat report`: one page about some models, with everything in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import (
    By,
    Groups,
    Level,
    Measures,
    Reader,
    Replicates,
    Seed,
    measure_names,
    own_measures,
    reading,
)
from karat.cli.output import steps
from karat.core.documents import in_line
from karat.core.errors import InputError

Out = Annotated[Path, typer.Option("-o", "--out", metavar="FILE.html", help="Where the report is written.")]


@command
@own_measures
@reading
def report(
    models: Reader,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE.html", help="Where it is written.")] = Path(
        "report.html"
    ),
    title: Annotated[str, typer.Option(help="Title of the page.")] = "",
    fragment: Annotated[
        bool,
        typer.Option(
            "--fragment",
            help="Write a piece of HTML to put into another page: one element whose styles stay its own.",
        ),
    ] = False,
    measures: Measures = None,
    intervals: Annotated[bool, typer.Option(help="A confidence interval for each measure.")] = True,
    by: By = None,
    groups: Groups = None,
    level: Level = 0.95,
    replicates: Replicates = 1000,
    seed: Seed = 0,
) -> None:
    """Write an HTML report about one or several models.

    One self-contained page: a verdict, measures with intervals, findings, and diagrams that follow costs and class
    frequencies.

    Examples
    --------
    karat report forest.csv boosting.csv bayes.csv --positive malignant -o report.html
    karat report forest.csv --title "Breast tumours" --no-intervals
    karat report forest.csv boosting.csv --groups patient
    karat report forest.csv --by site --by age
    karat report forest.csv --fragment -o piece.html
    """
    from karat.measures.lookup import one_word
    from karat.page.report import check_path

    check_path(out)
    if replicates < 1:
        raise InputError(f"replicates is {replicates}; give a whole number of at least 1, or pass --no-intervals.")
    of_page = {"title": title, "measures": measure_names(measures), "intervals": intervals, "fragment": fragment}
    models.options |= {"groups": groups, "beside": by or ()}
    chosen = None if one_word((measures or "").strip().lower()) else of_page["measures"]
    write_report(models, out, chosen, **of_page, level=level, replicates=replicates, seed=seed)
    print(in_line(f"Wrote the {'fragment' if fragment else 'report'} {out.absolute()}"))


def write_report(models: Reader, out: Path, chosen: Any = None, **options: Any) -> None:
    """Write it; says what is being done while it takes long. Of measures that were chosen one by one none may need a
    choice that was not made."""
    with steps() as step:
        step("reading")
        evaluations = models.evaluations()
        models.refuse_other_rows()
        for e in evaluations.values() if chosen is not None else ():
            e.values(chosen)
        step("preparing")
        from karat.page.report import report as page
        from karat.page.report import steps_of
    with steps(steps_of(len(evaluations), options.get("intervals", True))) as step:
        page(evaluations, out, told=step, groups=models.common_groups(), **options)
