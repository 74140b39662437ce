"""`karat study`: run a study of measures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.main import command
from karat.cli.options import AsJson, measure_names, own_measures, setting, settings
from karat.cli.output import draw_without_a_screen, note, print_json, say, show_table
from karat.cli.table_files import check_written, matrices_of, results_of, write_tables
from karat.core.errors import InputError, speaking

if TYPE_CHECKING:
    from karat.core.study import Study, Tables
    from karat.core.table import Table

StudySeed = Annotated[int, typer.Option(help="Seed; the same one gives the same results on any number of workers.")]
Workers = Annotated[int | None, typer.Option(help="Units that run at the same time.  [default: one for each core]")]
FolderOption = Annotated[
    Path | None, typer.Option("--folder", help="Keep finished units here; the same command resumes an interrupted run.")
]
Out = Annotated[
    Path | None, typer.Option("-o", "--out", help="Write the tables to FILE.csv (or .parquet), FILE-<table>.csv, ...")
]
Data = Annotated[
    Path | None, typer.Option(help="Folder of ARFF or CSV data sets.  [default: KARAT_DATA, or scikit-learn's]")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Run on the workers of a dask.distributed cluster: tcp://HOST:PORT.")
]
OWN_OPTIONS = ("measures", "data", "seed")
"""Fields of studies that have options of their own; --set gives the others."""
ROWS_PRINTED, ROWS_OF_A_LONG_TABLE = 60, 12
"""A table of more rows than the first is long; of a long one so many rows are printed."""


def _help(context: typer.Context, wanted: bool) -> None:
    """The help of all studies, or of the one that was named."""
    if wanted:
        from karat.cli.study_help import help_of_all, help_of_one

        name = context.params.get("name")
        print(help_of_all(context) if name is None else help_of_one(context, name))
        raise typer.Exit


Help = Annotated[
    bool, typer.Option("--help", callback=_help, help="Show this message, or that of the study named, and exit.")
]


@command
@own_measures
def study(
    name: Annotated[str | None, typer.Argument(is_eager=True, help="Name of the study.")] = None,
    files: Annotated[
        list[str] | None, typer.Argument(help="Files, for studies of confusion matrices or of a table of results.")
    ] = None,
    measures: Annotated[str | None, typer.Option(help="Measures by symbol or name, separated by commas.")] = None,
    size: Annotated[
        int | None, typer.Option("--size", "--repetitions", help="How large: repetitions, matrices, cases or draws.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="An option of the study as name=value; repeatable. `karat study NAME --help` lists them."
        ),
    ] = None,
    seed: StudySeed = 1,
    workers: Workers = None,
    folder: FolderOption = None,
    data: Data = None,
    scheduler: Scheduler = None,
    out: Out = None,
    figures: Annotated[Path | None, typer.Option(help="Draw the figures into this folder, as SVG.")] = None,
    as_json: AsJson = False,
    help_: Help = False,
) -> None:
    """Run a study: an experiment that answers a question about measures.

    `karat study NAME --help` shows the options of a study. With --folder an interrupted run can be resumed.

    Examples
    --------
    karat study sensitivity --help
    karat study sensitivity --size 200 --set kinds=labels,ranking --measures Acc,MCC,LogL
    karat study census --size 8 -o census.csv
    """
    from karat.catalogue import studies
    from karat.core.plain_data import plain

    if name is None:
        raise InputError(f"the name of the study is missing; it is one of {', '.join(studies)}.")
    kind = studies[name]
    with speaking(setting({f.name for f in fields(kind)} - {*OWN_OPTIONS})):
        arguments = _arguments(kind, files or [], measures, size, option, data)
        experiment: Study = kind(**arguments, seed=seed)
        check_written(out)
        if figures is not None:
            _check_figures(experiment, figures)
        with running(folder, scheduler, workers) as place:
            tables = experiment.run(**place)
    if out is not None:  # files first: who reads what is printed may leave before its end
        write_tables(tables, out)
    if figures is not None:
        _draw(experiment, tables, figures)
    if as_json:
        columns = {key: plain(table.columns) for key, table in tables.items()}
        print_json({"study": kind.name, "arguments": experiment.arguments(), "tables": columns}, indent=None)
    elif out is None:
        for table in tables.values():
            _show(table)


def _arguments(
    kind: type[Study], files: list[str], measures: str | None, size: int | None, option: list[str] | None,
    data: Path | None,
) -> dict[str, Any]:  # fmt: skip
    """What the study is told, by the names of its fields."""
    known = [f.name for f in fields(kind) if f.name not in ("seed", kind.takes)]
    arguments = settings(option)
    for key in arguments:
        if key not in known:
            raise InputError(f"{kind.name} has no option {key!r}; it has {', '.join(known)}.")
    if measures is not None:
        arguments["measures"] = measure_names(measures)
    if size is not None:
        if not kind.size:
            raise InputError(f"{kind.name} has no size, which is that of its files; leave --size out.")
        arguments[kind.size] = size
    if data is not None:
        if "data" not in known:
            raise InputError(f"{kind.name} makes its own data and takes no data sets; leave --data out.")
        arguments["data"] = str(data)
    if not files:
        return arguments
    if not kind.takes:
        raise InputError(f"{kind.name} makes its own data and takes no files; leave {files[0]!r} out.")
    if kind.takes == "matrices":
        return arguments | {"matrices": matrices_of(files)}
    if len(files) != 1:
        raise InputError(f"{kind.name} takes one file, a table of results; {len(files)} files were given.")
    columns = "a column for each measure, a row for each evaluation"
    return arguments | {"values": results_of(files[0], kind.name, columns, {})}


@contextmanager
def running(folder: Path | None, scheduler: str | None, workers: int | None) -> Iterator[dict[str, Any]]:
    """Where the units run (here, or on a cluster), and what is kept. An interrupt is not an error: it says how to go
    on."""
    try:
        with nullcontext() if scheduler is None else _cluster(scheduler) as place:
            executor, threads = place or (None, None)
            watched = {"folder": folder, "progress": True}
            yield watched | {"executor": executor, "workers": threads if workers is None else workers}
    except KeyboardInterrupt:
        again = "with --folder a run can be resumed" if folder is None else "the same command resumes it"
        note(f"interrupted; {again}.")
        raise SystemExit(130) from None


def _cluster(scheduler: str) -> Any:
    from karat.adapters.dask import cluster

    return cluster(scheduler)


def _show(table: Table) -> None:
    """A table on stdout; of a long one its beginning."""
    from karat.core.table import Table

    count = len(table.rows)
    most = ROWS_PRINTED if count <= ROWS_PRINTED else ROWS_OF_A_LONG_TABLE
    say(f"{table.title}\n")
    show_table(_titled(Table({name: column[:most] for name, column in table.columns.items()})))
    say(f"{most} of {count} rows; -o FILE.csv writes all of them.\n" if count > most else "")


def _titled(table: Table) -> Table:
    """With measures by their titles, in a column of measures; pairs of them keep their symbols, which are narrow."""
    from karat.catalogue import measures
    from karat.core.table import Table

    if "measure" not in table.columns:
        return table
    labels = [measures[m].label if m in measures else m for m in table.columns["measure"]]
    return Table(table.columns | {"measure": labels})


def _check_figures(experiment: Study, folder: Path) -> None:
    """See that there are figures and a folder for them, before any work is done."""
    if not experiment.has_figures:
        raise InputError(f"{experiment.name} has no figures; leave --figures out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise InputError(f"the folder {str(folder)!r} can't be created ({trouble.strerror}); name another.") from None


def _draw(experiment: Study, tables: Tables, folder: Path) -> None:
    draw_without_a_screen()
    for key, diagram in experiment.figures(tables).items():
        file = folder / f"{experiment.name}-{key}.svg"
        diagram.plot().save(file)
        note(str(file))
