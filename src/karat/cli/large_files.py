"""Patterns, folders and files of very many rows: read part by part, and evaluated from what they add up to."""

from __future__ import annotations

import csv
import inspect
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli.options import Reader, _with_parameters
from karat.cli.progress import steps
from karat.core.errors import InputError
from karat.core.words import size_words

if TYPE_CHECKING:
    from karat.accumulation import Accumulator
    from karat.statistics.added import AddedStatistics

MANY_ROWS = 10_000_000
"""More than this are added up, not kept."""
SECONDS_TO_CONNECT = 10
LEAST_ROWS = 10
"""Rows for each byte that no file has more of: smaller files are not looked into."""
PARTS: dict[str, tuple[Any, Any]] = {
    "exact": (
        Annotated[bool, typer.Option("--exact", help="Keep the rows of large files: all measures exactly.")],
        False,
    ),
    "where": (
        Annotated[
            str | None,
            typer.Option(metavar="CONDITION", help="Only these rows: \"site = 'north' and age > 60\"."),
        ],
        None,
    ),
    "workers": (
        Annotated[int | None, typer.Option(metavar="N", help="Reading threads.  [default: one for each core]")],
        None,
    ),
    "memory": (
        Annotated[str | None, typer.Option(metavar="SIZE", help="Memory for rows.  [default: 1GB]")],
        None,
    ),
    "checkpoint": (
        Annotated[
            Path | None,
            typer.Option(metavar="FOLDER", help="What was read is kept there: the same command resumes."),
        ],
        None,
    ),
    "scheduler": (
        Annotated[
            str | None,
            typer.Option(
                metavar="ADDRESS", help="Read on a dask cluster: the address of its scheduler, tcp://host:8786."
            ),
        ],
        None,
    ),
    "rest": (
        Annotated[
            str | None,
            typer.Option(
                metavar="even|scaled",
                help="--proba names a column of {class: p}, or two of lists, classes and probabilities: classes that "
                "are not listed share what is left of 1, or have 0 (listed ones are scaled).",
            ),
        ],
        None,
    ),
    "on_error": (
        Annotated[
            str | None,
            typer.Option(metavar="stop|count", help="Rows that can't be read: stop, or count them and leave them out."),
        ],
        None,
    ),
}
"""Options about files that are read part by part, and their defaults."""
WHOLE = {
    "score": "--score",
    "id_": "--id",
    "reject": "--reject",
    "model_column": "--model-column",
    "groups": "--groups",
    "normalise": "--normalise",
    "format_": "--format",
    "limit": "--limit",
}
"""Options of files that are read as a whole."""


def part_by_part(function: Callable[..., None]) -> Callable[..., None]:
    """A command that reads large files, too: its parameter `large` is made from the options about them."""
    own = [p for p in inspect.signature(function, eval_str=True).parameters.values() if p.name != "large"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [inspect.Parameter(n, keyword, annotation=a, default=d) for n, (a, d) in PARTS.items()]

    def call(**options: Any) -> None:
        asked = {name: options.pop(name) for name in PARTS}
        function(large=LargeFiles(**asked), **options)

    return _with_parameters(function, call, [*own, *shared])  # type: ignore[no-any-return]


class LargeFiles:
    """How files are read part by part."""

    def __init__(self, exact: bool = False, **asked: Any) -> None:
        self.exact = exact
        self.asked = {name: value for name, value in asked.items() if value is not None}

    def accumulators(self, models: Reader, paired: bool | None = None) -> dict[str, Accumulator]:
        """Model to what its files add up to; none, if all files are such as are read as a whole. `paired`: so that they
        can be compared."""
        whole = WHOLE | ({"beside": "--by"} if paired else {})
        if not (self.asked or any(_is_pattern(f) or _is_large(f, models.options, whole) for f in models.files)):
            return {}
        wrong = [words for name, words in whole.items() if models.options.get(name) and not (paired and name == "id_")]
        if wrong:
            raise InputError(f"{wrong[0]} needs a file as a whole, and these are read part by part; leave it out.")
        found: dict[str, Accumulator] = {}
        for file in models.files:
            name = _name(file)
            found[name if name not in found else file] = self._accumulator(file, models.options, paired)
        return found

    def _accumulator(self, file: str, options: dict[str, Any], paired: bool | None) -> Accumulator:
        from karat.accumulation import accumulate

        if file == "-":
            raise InputError("stdin (-) can't be read part by part; give files, a folder or a pattern.")
        labels = next(csv.reader([options["labels"]], skipinitialspace=True)) if options["labels"] else None
        named = {name: options[name] for name in ("truth", "proba", "pred", "weight", "positive")}
        exact: Any = True if self.exact else False if _rows(file) > MANY_ROWS else "auto"
        named |= {"ids": options["id_"] if paired else None, "paired": paired, "exact": exact}
        named["by"] = list(options.get("beside", ())) or None
        asked = {name: value for name, value in self.asked.items() if name != "scheduler"}
        with _telling(_name(file)) as progress, _cluster(self.asked.get("scheduler")) as client:
            return accumulate(file, labels=labels, progress=progress, executor=client, **named, **asked)


def facts_of(accumulator: Accumulator) -> dict[str, Any]:
    """What was read, for JSON."""
    files, skipped = accumulator.files, accumulator.skipped
    facts: dict[str, Any] = {"rows": accumulator.rows}
    if files is not None:
        facts |= {"files": files.files, "bytes_read": files.bytes, "parts": files.parts, "resumed": files.resumed}
    return facts | {"skipped": {"rows": skipped.rows, "parts": skipped.parts, "first": skipped.first}}


def words_of(accumulator: Accumulator, added: AddedStatistics | None) -> str:
    """What was read, in one line, and how; `added`: what is left of it, if rows were not kept."""
    files = accumulator.files
    assert files is not None
    read = f"{files.files:,} file{'s' * (files.files != 1)}, {size_words(files.bytes)} read"
    resumed = f" ({files.resumed:,} of {files.parts:,} parts from the checkpoint)" if files.resumed else ""
    kept = "" if added is None else "; rows were added up, not kept (--exact keeps them)"
    if added is not None and added.top:
        kept = f"; {added.kind}"
    first = f"\nLeft out, the first of them: {accumulator.skipped.first.rstrip('.')}." if accumulator.skipped else ""
    return f"{read}{resumed}{kept}.{first}"


@contextmanager
def _cluster(address: str | None) -> Iterator[Any]:
    """A client of the cluster at this address; None, if there is none."""
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise InputError("--scheduler needs dask.distributed; `pip install karat[cluster]`.") from None
    try:
        client: Any = Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as trouble:
        words = (str(trouble).splitlines() or [type(trouble).__name__])[0].rstrip(".")
        raise InputError(f"no scheduler answers at {address!r}: {words}.") from None
    with client:
        yield client


# ------------------------------------------------------------------------------------------------- which files


def _is_pattern(file: str) -> bool:
    """Several files: a pattern, a folder, or something that is not on this disk."""
    path = Path(file)
    return file != "-" and ("://" in file or path.is_dir() or (bool(set("*?[") & set(file)) and not path.exists()))


def _is_large(file: str, options: dict[str, Any], whole: Collection[str]) -> bool:
    """A file of very many rows that can be read part by part."""
    if any(options.get(name) for name in whole) or _rows(file) <= MANY_ROWS:
        return False
    from karat.accumulation.dataset_files import dataset_of

    there = dataset_of(file).schema.names
    judged = any(n.startswith(options["proba"]) for n in there) or (options["pred"] or "y_pred") in there
    return options["truth"] in there and judged and "model" not in there


def _rows(file: str) -> int:
    """As many as Parquet and Arrow files say that they have; 0, if they don't say."""
    from karat.data.files import FORMATS

    path = Path(file)
    kind = None if _is_pattern(file) else FORMATS.get(path.suffix.lower(), "")
    if kind is not None and not (kind in ("parquet", "arrow") and path.is_file()):
        return 0
    if kind is not None and path.stat().st_size < MANY_ROWS // LEAST_ROWS:
        return 0
    from pyarrow import ArrowException

    if kind == "parquet":  # its end says so; Arrow's datasets, which take long to import, are left alone
        with suppress(ArrowException, OSError):
            from pyarrow import parquet

            return int(parquet.read_metadata(path).num_rows)
        return 0

    from karat.accumulation.dataset_files import dataset_of, files_of

    try:
        if {FORMATS.get(Path(f).suffix.lower()) for f in files_of(file)[0]} & {"csv", "tsv", "jsonl", "npz"}:
            return 0
        fragments = list(dataset_of(file, tolerant=True).get_fragments())
    except (ArrowException, InputError, OSError):
        return 0  # what is wrong is said when it is read
    rows = 0
    for fragment in fragments:
        with suppress(ArrowException, OSError):
            rows += fragment.count_rows()
    return rows


def _name(file: str) -> str:
    """What a model is called: its file, its folder, or the folder of a pattern."""
    from karat.data.files import name_of

    if not _is_pattern(file):
        return name_of(file)
    parts = [part for part in PurePosixPath(file).parts if not set("*?[") & set(part)]
    return name_of(parts[-1]) if parts and parts[-1] not in ("/", ".", "..") else file


# ------------------------------------------------------------------------------------------------- progress


@contextmanager
def _telling(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Says on stderr how far it is, how fast, and how long it will take."""
    start = time.monotonic()
    with steps() as step:
        step(f"reading {name}")

        def progress(rows: int, total: int | None) -> None:
            step(f"{name}: {progress_words(rows, total, time.monotonic() - start)}")

        yield progress


def progress_words(rows: int, total: int | None, seconds: float) -> str:
    """How far it is.

    >>> progress_words(2_000_000, 10_000_000, 4.0)
    '2,000,000 of 10,000,000 rows, 500,000 rows/s, 16 s left'
    """
    pace = rows / max(seconds, 1e-9)
    of = f" of {total:,}" if total else ""
    left = f", {max(total - rows, 0) / pace:.0f} s left" if total and pace else ""
    return f"{rows:,}{of} rows, {float(f'{pace:.2g}'):,.0f} rows/s{left}"
