"""Files, patterns and folders as a dataset of Arrow, whose columns are read with the types that karat needs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError, quoted
from karat.data.arrow_readers import validated
from karat.data.files import FORMATS, SEPARATORS, first_line
from karat.data.json_lines import refuse_unreadable
from karat.data.limits import limit_of, refuse_wider
from karat.data.prediction_files import Names
from karat.data.top_rows import is_listing

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

MAGIC = frozenset("*?[")
"""What makes a path a pattern."""
LINES = 1 << 16
"""Lines of JSON that are read together, where Arrow does not read them."""
PART_BY_PART = ("parquet", "arrow", "jsonl", *SEPARATORS)
"""Formats that can be read so."""


def dataset_of(source: Any, filesystem: Any = None, names: Names | None = None, tolerant: bool = False) -> ds.Dataset:
    """The dataset that a path, a pattern, a folder or several files make; `tolerant`: some may be damaged."""
    try:
        import pyarrow.dataset as ds
    except ImportError:
        raise InputError("reading files needs pyarrow, which is not installed; `pip install pyarrow`.") from None
    if isinstance(source, ds.Dataset):
        return source
    paths, system = files_of(source, filesystem)
    kind = _kind(paths)
    if kind not in PART_BY_PART:
        raise InputError(f"{kind} files are read whole, not part by part; give Parquet, Arrow, CSV or JSON lines.")
    paths = [p for p in paths if _format(p) == kind] or paths
    sound, schema = _first_sound(paths, system, kind, tolerant)
    paths = [paths[sound], *paths[:sound], *paths[sound + 1 :]]  # Arrow takes the columns of the first
    typed = _arrow_format(kind, schema, names or Names())
    try:
        return ds.dataset(paths, format=typed, filesystem=system, partitioning="hive")
    except Exception as problem:
        raise InputError(f"{paths[0]} can't be read: {first_line(problem)}.") from None


def _first_sound(paths: list[str], system: Any, kind: str, tolerant: bool) -> tuple[int, pa.Schema]:
    """The first file that can be read, and its columns."""
    trouble = ""
    for i, path in enumerate(paths):
        try:
            if kind == "jsonl":
                _refuse_unreadable(path, system)
            schema = _arrow_format(kind).inspect(path, system)
            refuse_wider(len(schema.names), path)  # names that are no text can't be asked for
            return i, schema
        except InputError as problem:
            trouble = trouble or str(problem)
        except Exception as problem:  # each reader of Arrow has its own ways to fail
            trouble = trouble or f"{path} can't be read: {first_line(problem)}."
        if not tolerant:
            break
    raise InputError(trouble)


# ------------------------------------------------------------------------------------------------- paths


def files_of(source: Any, filesystem: Any = None) -> tuple[list[str], Any]:
    """The paths of all files, sorted, and the filesystem that they are in."""
    from pyarrow import fs

    given = [str(p) for p in source] if isinstance(source, list | tuple) else [str(source)]
    if not given:
        raise InputError("no file was given; give files, a folder, or a pattern such as 'preds/*.parquet'.")
    if filesystem is None and "://" in given[0]:
        pairs = [_located(path) for path in given]
        given, filesystem = [path for _, path in pairs], pairs[0][0]
    elif filesystem is None:
        filesystem = fs.LocalFileSystem()
        given = [Path(path).as_posix() for path in given]
    elif not isinstance(filesystem, fs.FileSystem):
        filesystem = fs.PyFileSystem(fs.FSSpecHandler(filesystem))
    found = [file for path in given for file in _files_at(path, filesystem)]
    return list(dict.fromkeys(found)), filesystem


def _located(path: str) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        system, inside = fs.FileSystem.from_uri(path)
    except (OSError, ValueError) as trouble:
        raise InputError(f"{path!r} can't be reached: {first_line(trouble)}.") from None
    return system, inside


def _files_at(path: str, system: Any) -> list[str]:
    """A file itself; those in a folder; those that a pattern matches."""
    from pyarrow import fs

    try:
        info = system.get_file_info(path)
        if info.type == fs.FileType.File:
            return [path]
        if info.type == fs.FileType.Directory:
            found = _inside(path, system)
        elif MAGIC & set(path):
            parts = PurePosixPath(path).parts
            base = PurePosixPath(*parts[: next(i for i, part in enumerate(parts) if MAGIC & set(part))])
            matching = _matching(str(base), path, system)
            found = [f for match, folder in matching for f in (_inside(match, system) if folder else [match])]
        else:
            raise InputError(
                f"there is no file {path!r}; give a file, a folder, or a pattern such as 'preds/*.parquet'."
            )
    except OSError as trouble:
        raise InputError(f"{path!r} can't be read: {first_line(trouble)}.") from None
    if not found:
        raise InputError(f"no file matches {path!r}." if MAGIC & set(path) else f"the folder {path!r} holds no files.")
    return found


def _inside(folder: str, system: Any) -> list[str]:
    """All files below a folder but hidden ones, as others have them (_SUCCESS, .crc)."""
    from pyarrow import fs

    infos = system.get_file_info(fs.FileSelector(folder, recursive=True))
    files = [i.path for i in infos if i.type == fs.FileType.File]
    depth = len(PurePosixPath(folder).parts)
    return sorted(f for f in files if not any(part[0] in "._" for part in PurePosixPath(f).parts[depth:]))


def _matching(base: str, pattern: str, system: Any) -> list[tuple[str, bool]]:
    """Paths that a pattern matches, and whether they are folders; ** stands for any number of folders."""
    from pyarrow import fs

    if system.get_file_info(base).type != fs.FileType.Directory:
        return []
    deep = "**" in pattern
    wanted = PurePosixPath(pattern).parts
    selector = fs.FileSelector(base, recursive=deep or len(wanted) > len(PurePosixPath(base).parts) + 1)
    found = []
    for info in system.get_file_info(selector):
        if _fits(PurePosixPath(info.path).parts, wanted) and not (deep and info.type == fs.FileType.Directory):
            found.append((info.path, info.type == fs.FileType.Directory))
    return sorted(found)


def _fits(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return _fits(parts, wanted[1:]) or (bool(parts) and _fits(parts[1:], wanted))
    return bool(parts) and fnmatch(parts[0], wanted[0]) and _fits(parts[1:], wanted[1:])


# ------------------------------------------------------------------------------------------------- formats


def _format(path: str) -> str | None:
    """By the end of the name, before a .gz."""
    name = PurePosixPath(path.lower().removesuffix(".gz"))
    return FORMATS.get(name.suffix)


def _kind(paths: list[str]) -> str:
    """The one format of the files; Parquet, if nothing tells."""
    kinds = {_format(p) for p in paths} - {None}
    if len(kinds) > 1:
        raise InputError(f"files of several formats were given ({quoted(sorted(map(str, kinds)))}); give one format.")
    return str(next(iter(kinds), "parquet"))


def _arrow_format(kind: str, schema: pa.Schema | None = None, names: Names | None = None) -> Any:
    """Arrow's reader. Formats without types are told: labels are texts (007 stays 007), probabilities and weights are
    real numbers, whatever their first rows look like."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    from pyarrow import csv

    if kind in ("parquet", "arrow"):
        return ds.ParquetFileFormat() if kind == "parquet" else ds.IpcFileFormat()
    columns: dict[str, Any] = {}
    if schema is not None and names is not None:
        real = [n for n in schema.names if n.startswith(names.proba) and n != names.proba]
        columns = dict.fromkeys([*real, names.called("weight")], pa.float64())
        columns |= dict.fromkeys([names.truth, names.called("decided"), *names.beside], pa.string())
    if kind in SEPARATORS:
        parse = csv.ParseOptions(delimiter=SEPARATORS[kind])
        return ds.CsvFileFormat(parse, convert_options=csv.ConvertOptions(column_types=columns))
    return _json_format(columns, schema)


def _json_format(columns: dict[str, Any], schema: pa.Schema | None) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds
    from pyarrow import json

    if schema is None:
        return ds.JsonFileFormat()
    there = [(n, t) for n, t in columns.items() if n in schema.names and t == pa.float64()]
    return ds.JsonFileFormat(parse_options=json.ParseOptions(explicit_schema=pa.schema(there)))


def is_ipc(fragment: Any) -> bool:
    """A file of Arrow's own, whose bytes are columns as they are."""
    import pyarrow.dataset as ds

    return isinstance(getattr(fragment, "format", None), ds.IpcFileFormat)


def ipc_batches(fragment: Any, partition: Mapping[str, Any], wanted: Any) -> Iterator[ds.Dataset]:
    """Batches of a file of Arrow's own, one at a time and validated before anything is computed from them: Arrow's way
    to read many at once ends the program where a file is damaged. `partition`: columns that the path tells, and their
    types; `wanted`: the columns that are read, if they are a list."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    told = ds.get_partition_keys(fragment.partition_expression)
    with fragment.filesystem.open_input_file(fragment.path) as file:
        schema = pa.ipc.open_file(file).schema
        places = [i for i, name in enumerate(schema.names) if name in wanted] if isinstance(wanted, list) else None
        reader = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(included_fields=places))
        for i in range(reader.num_record_batches):
            table = pa.Table.from_batches([validated(reader.get_batch(i))])
            for name, kind in partition.items():
                if name not in schema.names:
                    table = table.append_column(name, pa.repeat(pa.scalar(told[name], kind), table.num_rows))
            yield ds.dataset(table)


def lists_json(fragment: Any, columns: Any) -> bool:
    """A file of JSON, asked for a column of {class: p}. Arrow takes the classes of its first rows for all that there
    are, and leaves out others without a word; so it is not asked to read them."""
    import pyarrow.dataset as ds

    kinds = fragment.physical_schema if isinstance(getattr(fragment, "format", None), ds.JsonFileFormat) else None
    return kinds is not None and any(n in kinds.names and is_listing(kinds.field(n).type) for n in columns)


def json_batches(fragment: Any, columns: list[str]) -> Iterator[ds.Dataset]:
    """Lines of JSON, some at a time; objects in these columns as maps."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    wanted = dict.fromkeys([*columns, *fragment.physical_schema.names])
    with fragment.filesystem.open_input_stream(fragment.path) as stream, pa.PythonFile(stream, "r") as lines:
        text = io.TextIOWrapper(io.BufferedReader(lines), encoding="utf-8-sig")
        numbered = ((n, line) for n, line in enumerate(text, 1) if line.strip())
        while records := [_json_record(line, f"line {n:,} of {fragment.path}") for n, line in islice(numbered, LINES)]:
            arrays = {name: [record.get(name) for record in records] for name in wanted}
            made = {name: _json_column(values, name, fragment.path) for name, values in arrays.items()}
            yield ds.dataset(pa.table(made))


def _json_record(line: str, where: str) -> dict[str, Any]:
    import json

    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{where} is not a record of JSON; give one record, {{...}}, on each line.")
    return record


def _json_column(values: list[Any], name: str, path: str) -> Any:
    """Objects as maps; what is no column of one kind is refused."""
    import pyarrow as pa

    try:
        if not any(isinstance(value, dict) for value in values):
            return pa.array(values)
        rows = [None if v is None else [(of, p) for of, p in v.items() if p is not None] for v in values]
        return pa.array(rows, pa.map_(pa.string(), pa.float64()))
    except (AttributeError, pa.ArrowException, TypeError):
        raise InputError(
            f"column {name!r} of {path} holds values of several kinds; give one kind of value, or {{class: p}} with "
            "numbers, in every record."
        ) from None


def refuse_unreadable_json(fragment: Any, path: str) -> None:
    """Of JSON, what would end the program if Arrow read it; files of other formats pass."""
    import pyarrow.dataset as ds

    if isinstance(getattr(fragment, "format", None), ds.JsonFileFormat):
        _refuse_unreadable(path, fragment.filesystem)


def _refuse_unreadable(path: str, system: Any) -> None:
    with system.open_input_stream(path) as stream:  # unpacked, if its name says that it is packed
        refuse_unreadable(stream, path, limit_of())
