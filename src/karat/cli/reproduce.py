"""`karat reproduce`: what a paper published, against ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.main import command
from karat.cli.options import AsJson
from karat.cli.output import print_json, say, show
from karat.cli.study import Data, FolderOption, Out, Scheduler, StudySeed, Workers, running
from karat.cli.table_files import check_written, matrices_of, write_tables

if TYPE_CHECKING:
    from karat.core.table import Table

SHORT_VERDICTS = {
    "reproduced after a documented correction": "corrected",
    "reproduced within what the paper leaves open": "left open",
}
"""Verdicts as they fit beside numbers; the line at the end has them in full."""


@command
def reproduce(
    paper: Annotated[
        str, typer.Argument(help="Key of the paper: ferri2009, jurman2012, prati2011, valverde2014, wang2013.")
    ],
    share: Annotated[float, typer.Option(help="Of the published number of repetitions.")] = 1.0,
    matrices: Annotated[
        Path | None, typer.Option(help="Confusion matrices of the paper that are not public: a folder, or JSON.")
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Folder of predictions files of the paper's models (prati2011).")
    ] = None,
    seed: StudySeed = 1,
    workers: Workers = None,
    folder: FolderOption = None,
    data: Data = None,
    scheduler: Scheduler = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Run again what a paper published: published against ours, cell by cell, with the verdict."""
    from karat.core.plain_data import plain
    from karat.reproductions import reproduce as cells_of

    check_written(out)
    given = None if matrices is None else matrices_of([str(matrices)])
    with running(folder, scheduler, workers) as place:
        cells = cells_of(paper, share=share, matrices=given, data=data, predictions=predictions, seed=seed, **place)
    if out is not None:
        write_tables({"cells": cells}, out)
    if as_json:
        print_json({"paper": paper, "summary": cells.title, "cells": plain(cells.columns)}, indent=None)
    elif out is None:
        _show(cells)


def _show(cells: Table) -> None:
    """A line for each cell, its note by number; then the notes."""
    notes = list(dict.fromkeys(text for text in cells.columns["note"] if text))
    lines = [["where", "what", "published", "ours", "error", "verdict"]]
    for where, what, published, ours, error, _, verdict, note in cells.rows:
        values = ["-" if v is None else f"{v:.7g}" if isinstance(v, float) else str(v) for v in (published, ours)]
        about = "-" if error is None else f"{error:.1g}"
        number = f" [{notes.index(note) + 1}]" if note else ""
        lines.append([where, what, *values, about, SHORT_VERDICTS.get(verdict, verdict) + number])
    show(lines, right=4)
    say("\n" + "\n".join(f"[{i}] {text}" for i, text in enumerate(notes, 1)))
    in_full = [f"{short}: {full}" for full, short in SHORT_VERDICTS.items() if full in cells.columns["verdict"]]
    say("\n" + "\n".join([*in_full, cells.title]))
