"""`karat study`, `karat studies` and `karat reproduce`: the laboratory of measures."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.app import AsJson, app
from karat.cli.tables import check_written, matrices_of, printed, results_of, written
from karat.cli.terminal import say, show

if TYPE_CHECKING:
    from karat.core.study import Study, Tables
    from karat.core.table import Table

Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers, whatever the number of workers.")]
Workers = Annotated[int | None, typer.Option(help="Units done at a time [default: one for each core].")]
FolderOption = Annotated[
    Path | None, typer.Option("--folder", help="Keep finished units there; the same command goes on where it was.")
]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Write the tables: FILE.csv (or .parquet), others FILE-<table>.csv.")
]
Data = Annotated[
    Path | None, typer.Option(help="Folder of ARFF or CSV data sets [default: KARAT_DATA, or scikit-learn's].")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Run on the workers of a dask.distributed cluster: tcp://HOST:PORT.")
]


@app.command()
def studies(as_json: AsJson = False) -> None:
    """List every study: its name and its question."""
    from karat.catalogue import studies as declared

    if as_json:
        print(json.dumps([_facts(s) for s in declared.values()], indent=2))
        return
    show([["study", "cite", "question"], *([s.name, s.cite, s.question] for s in declared.values())])


@app.command()
def study(
    name: Annotated[str, typer.Argument(help="Name of the study; `karat studies` lists them.")],
    files: Annotated[
        list[str] | None, typer.Argument(help="What it is about, if it needs that: matrices, or a table of values.")
    ] = None,
    measures: Annotated[str | None, typer.Option(help="Measures by symbol or name, separated by commas.")] = None,
    size: Annotated[
        int | None, typer.Option("--size", "--repetitions", help="How much: repetitions, matrices, cases or draws.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Another option of the study, as name=value; several can be set.")
    ] = None,
    seed: Seed = 1,
    workers: Workers = None,
    folder: FolderOption = None,
    data: Data = None,
    scheduler: Scheduler = None,
    out: Out = None,
    figures: Annotated[Path | None, typer.Option(help="Draw the figures into this folder, as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study of measures; it can be stopped and goes on where it was if it has a folder."""
    from karat.catalogue import studies as declared

    kind = declared[name]
    told = _told(kind, files or [], measures, size, option or []) | _folder_of_data(kind, data)
    chosen = kind(**told, seed=seed)
    check_written(out)
    if figures is not None:
        _check_figures(chosen, figures)
    found = _run(chosen, workers, folder, scheduler)
    if as_json:
        from karat.core.plain_data import plain

        tables = {key: plain(table.columns) for key, table in found.items()}
        print(json.dumps({"study": kind.name, "arguments": chosen.arguments(), "tables": tables}, allow_nan=False))
    elif out is None:
        for table in found.values():
            print(printed(table), end="\n\n")
    if out is not None:
        for file in written(found, out):
            print(f"karat: {file}", file=sys.stderr)
    if figures is not None:
        _draw(chosen, found, figures)


@app.command()
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
    seed: Seed = 1,
    workers: Workers = None,
    folder: FolderOption = None,
    data: Data = None,
    scheduler: Scheduler = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Run again what a paper published: published against ours, cell by cell, with the verdict."""
    from karat.reproductions import reproduce as again

    check_written(out)
    given = None if matrices is None else matrices_of([str(matrices)])
    own: dict[str, Any] = {"matrices": given, "data": data, "predictions": predictions}
    with _stopping(folder), _where(scheduler, workers) as where:
        found = again(paper, share=share, **own, seed=seed, folder=folder, progress=_watched(), **where)
    if out is not None:
        for file in written({"cells": found}, out):
            print(f"karat: {file}", file=sys.stderr)
    if as_json:
        from karat.core.plain_data import plain

        cells = plain(found.columns)
        print(json.dumps({"paper": paper, "summary": found.title, "cells": cells}, allow_nan=False))
    elif out is None:
        _show_cells(found)


BRIEF = {
    "reproduced after a documented correction": "corrected",
    "reproduced within what the paper leaves open": "left open",
}
"""Verdicts as they fit beside numbers; the line at the end has them in full."""


def _show_cells(found: Table) -> None:
    """A line for each cell, its note by number; then the notes."""
    notes = list(dict.fromkeys(text for text in found.columns["note"] if text))
    lines = [["where", "what", "published", "ours", "error", "verdict"]]
    for where, what, published, ours, error, _, verdict, note in found.rows:
        cells = ["-" if v is None else f"{v:.7g}" if isinstance(v, float) else str(v) for v in (published, ours)]
        about = "-" if error is None else f"{error:.1g}"
        number = f" [{notes.index(note) + 1}]" if note else ""
        lines.append([where, what, *cells, about, BRIEF.get(verdict, verdict) + number])
    show(lines, right=4)
    say("\n" + "\n".join(f"[{i}] {text}" for i, text in enumerate(notes, 1)))
    said = [f"{short}: {full}" for full, short in BRIEF.items() if full in found.columns["verdict"]]
    say("\n" + "\n".join([*said, found.title]))


def _facts(kind: Any) -> dict[str, Any]:
    from dataclasses import fields

    told = [f.name for f in fields(kind)]
    return {
        "name": kind.name,
        "aliases": list(kind.aliases),
        "cite": kind.cite,
        "question": kind.question,
        "options": told,
        "size": kind.size or None,
        "takes": kind.takes or None,
    }


def _told(kind: Any, files: list[str], measures: str | None, size: int | None, options: list[str]) -> dict[str, Any]:
    """What the study is told, by the names of its fields."""
    from dataclasses import fields

    from karat.cli.plot import typed_option
    from karat.core.errors import InputError
    from karat.core.validation import listed_words

    known = [f.name for f in fields(kind)]
    told: dict[str, Any] = {}
    for key, value in (typed_option(text) for text in options):
        if key not in known or key in ("seed", kind.takes):
            rest = [n for n in known if n not in ("seed", kind.takes)]
            raise InputError(f"{kind.name} has no option {key!r}; it has {', '.join(rest)}.")
        told[key] = value
    if measures is not None:
        told["measures"] = listed_words(measures)
    if size is not None:
        if not kind.size:
            raise InputError(f"{kind.name} has no size: what it is about says how large it is; leave --size out.")
        told[kind.size] = size
    if files and not kind.takes:
        raise InputError(f"{kind.name} makes its own data and takes no files; leave {files[0]!r} out.")
    if files and kind.takes == "matrices":
        told["matrices"] = matrices_of(files)
    elif files:
        if len(files) != 1:
            raise InputError(f"{kind.name} is about one table; {len(files)} files were given.")
        told["values"] = results_of(files[0], kind.name, "a column for each measure, a row for each evaluation", {})
    return told


def _watched() -> bool:
    """Is somebody there to see how far it is?"""
    return sys.stderr.isatty()


def _folder_of_data(kind: Any, data: Path | None) -> dict[str, Any]:
    """The folder, for a study that learns from data sets."""
    from dataclasses import fields

    from karat.core.errors import InputError

    if data is not None and not any(f.name == "data" for f in fields(kind)):
        raise InputError(f"{kind.name} makes its own data and takes no data sets; leave --data out.")
    return {} if data is None else {"data": str(data)}


@contextmanager
def _where(scheduler: str | None, workers: int | None) -> Iterator[dict[str, Any]]:
    """Where the units run: here, or on a cluster."""
    if scheduler is None:
        yield {"workers": workers}
        return
    from karat.adapters.dask import cluster

    with cluster(scheduler) as (executor, threads):
        yield {"executor": executor, "workers": threads if workers is None else workers}


def _run(chosen: Study, workers: int | None, folder: Path | None, scheduler: str | None = None) -> Tables:
    with _stopping(folder), _where(scheduler, workers) as where:
        return chosen.run(folder=folder, progress=_watched(), **where)


class _stopping:  # noqa: N801 - used like a function
    """An interrupt is not an error: it says how to go on."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if kind is KeyboardInterrupt:
            how = "give --folder to be able to go on" if self.folder is None else "the same command goes on from here"
            print(f"karat: stopped; {how}.", file=sys.stderr)
            raise SystemExit(130) from None


def _check_figures(chosen: Study, folder: Path) -> None:
    """See that there are figures and a folder for them, before any work is done."""
    from karat.core.errors import InputError

    if not chosen.has_figures:
        raise InputError(f"{chosen.name} has no figures; leave --figures out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise InputError(f"the folder {str(folder)!r} can't be made ({trouble.strerror}); name another.") from None


def _draw(chosen: Study, found: Tables, folder: Path) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
    except ImportError:
        pass  # plot() says what to install
    for key, made in chosen.figures(found).items():
        made.plot()
        made.figure_.savefig(folder / f"{chosen.name}-{key}.svg")
        print(f"karat: {folder / f'{chosen.name}-{key}.svg'}", file=sys.stderr)
