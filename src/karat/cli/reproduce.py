"""`karat reproduce`: what a paper published, beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import draw_without_a_screen, print_json, say, show
from karat.cli.study import Data, FolderOption, Out, Scheduler, StudySeed, Workers, running
from karat.cli.table_files import check_written, matrices_of, write_tables

if TYPE_CHECKING:
    from karat.core.table import Table

SHORT_VERDICTS = {
    "reproduced after a documented correction": "corrected",
    "reproduced within what the paper leaves open": "left open",
    "consistent (from values fitted to what is printed)": "fitted",
    "not printed in the paper": "not printed",
}
"""Verdicts as they fit beside numbers; the line at the end has them in full."""


def _help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from karat.cli.study_help import help_of_papers

        print(help_of_papers(context))
        raise typer.Exit


@command
def reproduce(
    paper: Annotated[str, typer.Argument(help="Key of the paper; see below.")],
    share: Annotated[
        float, typer.Option(help="Share of the published number of repetitions; less is faster and less precise.")
    ] = 1.0,
    matrices: Annotated[
        Path | None,
        typer.Option(help="Confusion matrices of the paper: a folder, or JSON (valverde2014)."),
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Folder of prediction files of the paper's models (prati2011).")
    ] = None,
    seed: StudySeed = 1,
    workers: Workers = None,
    folder: FolderOption = None,
    data: Data = None,
    scheduler: Scheduler = None,
    out: Out = None,
    figures: Annotated[
        Path | None, typer.Option(help="Draw the figures of the paper into this folder, as SVG; figures.md lists them.")
    ] = None,
    as_json: AsJson = False,
    help_: Annotated[
        bool, typer.Option("--help", is_eager=True, callback=_help, help="Show this message and exit.")
    ] = False,
) -> None:
    """Run the experiments of a paper again, and compare each published number with ours.

    Examples
    --------
    karat reproduce jurman2012 --share 0.01
    karat reproduce valverde2014 --share 0.5 -o cells.csv
    karat reproduce ferri2009 --share 0.1 --folder run --data DATASETS
    karat reproduce ferri2009 --share 0.02 --figures figures
    """
    from karat.core.plain_data import plain
    from karat.reproductions import reproduce as cells_of

    check_written(out)
    if figures is not None:
        draw_without_a_screen()
    given = None if matrices is None else matrices_of([str(matrices)])
    with running(folder, scheduler, workers) as place:
        told: dict[str, Any] = {"matrices": given, "data": data, "predictions": predictions, "figures": figures}
        cells = cells_of(paper, share=share, seed=seed, **told, **place)
    if out is not None:
        write_tables({"cells": cells}, out)
    if as_json:
        print_json({"paper": paper, "summary": cells.title, "cells": plain(cells.columns)}, indent=None)
    elif out is None:
        _show(cells)


def _show(cells: Table) -> None:
    """A line for each cell, its note by number; then the notes."""
    notes = list(dict.fromkeys(text for text in cells.columns["note"] if text))
    lines = [["what", "published", "ours", "verdict"]]
    for where, what, published, ours, error, _, verdict, note in cells.rows:
        number = f" [{notes.index(note) + 1}]" if note else ""
        spread = "" if error is None else f" ± {_digits(error, 1)}"
        values = [_digits(published), _digits(ours) + spread]
        lines.append([f"{where}: {what}", *values, SHORT_VERDICTS.get(verdict, verdict) + number])
    show(lines, numbers=[False, True, True, False])
    say("\n" + "\n".join(f"[{i}] {text}" for i, text in enumerate(notes, 1)))
    in_full = [f"{short}: {full}" for full, short in SHORT_VERDICTS.items() if full in cells.columns["verdict"]]
    say("\n" + "\n".join([*in_full, cells.title]))


def _digits(value: float | str | None, digits: int = 7) -> str:
    """What a paper printed is compared digit by digit, so that more of them are shown than elsewhere."""
    return "-" if value is None else f"{value:.{digits}g}" if isinstance(value, float) else str(value)
