"""Tables into files; tables of results and confusion matrices out of files."""

from __future__ import annotations

import csv
import io
import math
import os
from collections import ChainMap, Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat.cli.output import note
from karat.core.documents import in_csv
from karat.core.errors import InputError
from karat.core.whole_files import write_whole

if TYPE_CHECKING:
    from karat.core.table import Table

TABLE_FILES, MATRIX_FILES = (".csv", ".parquet"), (".csv", ".json")


def check_written(out: Path | None) -> None:
    """See that a file can be written, before any work is done."""
    if out is None:
        return
    if out.suffix.lower() not in TABLE_FILES:
        raise InputError(f"{out} is not a CSV or Parquet file; name it .csv or .parquet.")
    folder = out.parent
    if out.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError(f"{out} can't be written; name a file in a folder that exists and can be written.")


def write_tables(tables: Mapping[str, Table], out: Path) -> None:
    """Write tables as CSV or Parquet: the first under the name that was given, the others with their own name added."""
    files = [out, *(out.with_name(f"{out.stem}-{name}{out.suffix}") for name in list(tables)[1:])]
    for file, table in zip(files, tables.values(), strict=True):
        write_whole(file, (_parquet if file.suffix.lower() == ".parquet" else _csv)(table), "name another file with -o")
    for file in files:
        note(str(file))


def _csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(in_csv, table.columns))
    writer.writerows(["" if v is None or v != v else in_csv(v) for v in row] for row in table.rows)
    return stream.getvalue()


def _parquet(table: Table) -> bytes:
    """Undefined is null; a column that mixes kinds, as cells of a reproduction do, becomes text."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {}
    for name, values in table.to_dict().items():
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns[name] = pa.array([None if v is None else str(v) for v in values])
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns), stream)
    return stream.getvalue()


def results_of(
    path: str, thing: str, columns: str, options: Mapping[str, Any], may_lack: Collection[str] = ()
) -> Mapping[str, Any]:
    """The columns of a table of results; predictions, which have columns of numbers too, are none. `thing` is made from
    `columns`; the options say what files of predictions call their columns, and the format. Of the columns that
    `may_lack` values, these are nan."""
    from karat.data.prediction_files import table_of

    table = table_of(path, options.get("format_"), options.get("limit"))
    truth, begin = options.get("truth", "y_true"), options.get("proba", "p_")
    proba = [name for name in table if begin and str(name).startswith(begin)]
    if truth in table or len(proba) > 1:
        seen = truth if truth in table else proba[0]
        raise InputError(f"{path} holds predictions (the column {seen}), and {thing} is made from results: {columns}.")
    lacking = {n: c for n, c in table.columns.items() if n in may_lack and getattr(c, "null_count", None)}
    filled = {n: [math.nan if v is None else v for v in c.to_pylist()] for n, c in lacking.items()}
    return ChainMap(filled, table) if filled else table  # type: ignore[arg-type]


def matrices_of(paths: list[str]) -> dict[str, Any]:
    """Name to confusion matrix: of JSON ({name: matrix}, or a list of {name, matrix}), matrix files, or folders."""
    from karat.data.prediction_files import read

    matrices: dict[str, Any] = {}
    for path in paths:
        more: dict[str, Any] = {}
        here = Path(path)
        if here.is_dir():
            inside = sorted((p for p in here.iterdir() if p.suffix.lower() in MATRIX_FILES), key=_natural)
            if not inside:
                raise InputError(f"the folder {path!r} holds no .csv or .json file of confusion matrices.")
            more = matrices_of([str(p) for p in inside])
        elif here.suffix.lower() == ".json":
            more = _from_json(here)
        else:
            for name, source in read(path).items():
                if source.table is None:
                    raise InputError(f"{path} holds predictions, not a confusion matrix; give matrices.")
                more[name] = source.table
        _refuse_twice([*matrices, *more], path)
        matrices |= more
    return matrices


def _refuse_twice(names: list[str], path: Path | str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(f"{path} holds a second confusion matrix named {twice[0]!r}; give each a name of its own.")


def _natural(path: Path) -> tuple[int, str]:
    """C_2 before C_10."""
    digits = "".join(c for c in path.stem if c.isdigit())
    return (int(digits) if digits else -1, path.name)


def _from_json(path: Path) -> dict[str, Any]:
    from karat.data.json_lines import json_of_file

    names: list[str] = []  # of the outermost object, which is read last

    def named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names[:] = [name for name, _ in pairs]
        return dict(pairs)

    try:
        held = json_of_file(path, named)
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}; give a JSON file of confusion matrices.") from None
    if isinstance(held, dict) and held and all(isinstance(m, list) for m in held.values()):
        _refuse_twice(names, path)
        return held
    if isinstance(held, list) and held and all(isinstance(m, dict) and {"name", "matrix"} <= set(m) for m in held):
        _refuse_twice([str(m["name"]) for m in held], path)
        return {str(m["name"]): m["matrix"] for m in held}
    raise InputError(f'{path} does not hold confusion matrices; write {{"name": [[...], ...], ...}}.')
