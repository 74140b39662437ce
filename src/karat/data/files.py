"""Named columns out of files: CSV, TSV, Parquet, Arrow, JSON lines, .npz; from disk, a pipe or stdin."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError, option, quoted
from karat.core.validation import one_of
from karat.data.arrays import refuse_repeated

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".npz": "npz",
}
"""What a file is, by the end of its name (before a .gz)."""
SEPARATORS = {"csv": ",", "tsv": "\t"}
COLUMNS_SHOWN = 12
"""Columns that a message shows."""
MAGIC = {
    b"PAR1": ("Parquet", "parquet", ""),
    b"ARROW1": ("Arrow", "arrow", ""),
    b"PK\x03\x04": ("a zip archive, as .npz and .xlsx are", "npz", "save the sheet as CSV"),
    b"\x1f\x8b": ("gzip", "", "name it .gz"),
    b"\xff\xfe": ("UTF-16 text", "", "save it as UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "", "save it as UTF-8"),
    b"\x93NUMPY": ("a bare .npy array", "", "save y_true and y_proba together with numpy.savez"),
    b"{": ("JSON", "jsonl", ""),
    b"<": ("HTML or XML", "", "save the table as CSV"),
}
"""What a file is, by how it begins; the format to name, if it is one; and what else to do."""


class FileColumns(Mapping[str, Any]):
    """The columns of a file by name, as numpy arrays; a column is looked at when it is asked for, not before."""

    def __init__(self, columns: Mapping[str, Any], path: str, file_format: str) -> None:
        self.columns, self.path, self.file_format = columns, path, file_format

    def __getitem__(self, name: str) -> Any:
        return values_of(self.columns[name], name, self.path)

    def __contains__(self, name: object) -> bool:
        return name in self.columns  # without a look at its values

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def listed(self) -> str:
        """The names, for a message."""
        return quoted(self.columns, COLUMNS_SHOWN)


def columns_of_file(
    path: str | Path, file_format: str | None = None, texts: Callable[[list[str]], list[str]] = list
) -> FileColumns:
    """The columns of any of the formats. `texts` says, of the names of the columns, which ones a CSV file holds texts
    in, whatever they look like: that 007 stays 007 is for who reads it to say."""
    title = "stdin" if str(path) == "-" else str(path)
    if file_format is not None:
        one_of("the format", file_format, dict.fromkeys(FORMATS.values()))
    source = _source(path, title)
    file_format = file_format or ("csv" if str(path) == "-" else _format(Path(path)))
    begins = source[:64] if isinstance(source, bytes) else _beginning(source, title)
    if not begins:
        raise InputError(f"{title} is empty; give a file of predictions.")
    if file_format == "npz":
        columns: Mapping[str, Any] = _npz(source, title, begins)
    else:
        columns = _table(source, file_format, title, begins, texts)
    if not (columns.rows if isinstance(columns, OnDisk) else any(len(column) for column in columns.values())):
        raise InputError(f"{title} holds no cases; give a file with at least one row below its header.")
    return FileColumns(columns, title, file_format)


def _format(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    last = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else (suffixes or [""])[-1]
    if last not in FORMATS:
        raise InputError(
            f"{str(path)!r} has no ending that shows its format; rename it to end in {', '.join(FORMATS)}, or "
            f"pass {option('format')}."
        )
    return FORMATS[last]


def name_of(path: str | Path) -> str:
    """What a file calls its model: its name without folder and endings."""
    if str(path) == "-":
        return "stdin"
    name = Path(path).name
    name = name[:-3] if name.lower().endswith(".gz") else name
    stem, dot, ending = name.rpartition(".")
    return stem if stem and f"{dot}{ending}".lower() in FORMATS else name


def _source(path: str | Path, title: str) -> str | bytes:
    """The path of a file; the content of stdin or a pipe, which can be read only once."""
    if str(path) == "-":
        return _unzipped(sys.stdin.buffer.read(), title)
    title = quoted([title], widest=200)
    try:
        there, folder, whole = Path(path).exists(), Path(path).is_dir(), Path(path).is_file()
        if there and not folder:
            with Path(path).open("rb") as file:
                return str(path) if whole else _unzipped(file.read(), title)
    except (OSError, ValueError) as trouble:
        why = getattr(trouble, "strerror", None) or str(trouble)
        raise InputError(f"{title} can't be opened ({why}); give a file that can be read.") from None
    if folder:
        raise InputError(f"{title} is a folder; give the path of a predictions file in it.")
    raise InputError(f"there is no file {title}; give the path of a predictions file.")


def _unzipped(content: bytes, title: str) -> bytes:
    try:
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError):
        raise InputError(f"{title} begins like gzip and can't be unpacked; give the whole of it.") from None


def _beginning(path: str, title: str) -> bytes:
    try:
        with gzip.open(path) if path.lower().endswith(".gz") else Path(path).open("rb") as file:
            return bytes(file.read(64))
    except (OSError, EOFError) as trouble:
        raise InputError(f"{title} can't be unpacked ({trouble}); give a file that gzip made, or drop .gz.") from None


def _table(
    source: str | bytes, file_format: str, title: str, begins: bytes, texts: Callable[[list[str]], list[str]]
) -> Mapping[str, Any]:
    try:
        import pyarrow  # noqa: F401 - it is there
    except ImportError:
        raise InputError("reading files needs pyarrow, which is not installed; `pip install pyarrow`.") from None
    if file_format in SEPARATORS and begins.startswith(tuple(MAGIC)):
        raise InputError(f"{title} can't be read as {file_format}{_looks(begins, file_format)}.")
    with _readable(file_format, title, begins):
        table = _parquet(source) if file_format == "parquet" else _arrow(source, file_format, texts)
        names = list((table.schema_arrow if file_format == "parquet" else table.schema).names)
    refuse_repeated(names, title)
    if file_format in SEPARATORS and len(names) == 1 and (hint := _looks(names[0].encode(), file_format)):
        raise InputError(f"{title} has only one column, {quoted(names, widest=60)}{hint}.")
    if file_format == "parquet":
        return OnDisk(table, names, lambda: _readable(file_format, title, begins))
    return dict(zip(names, table.columns, strict=True))


class OnDisk(Mapping[str, Any]):
    """The columns of a Parquet file, read when they are asked for: those that nobody needs are left where they are."""

    def __init__(self, file: Any, names: list[str], readable: Callable[[], AbstractContextManager[None]]) -> None:
        self.file, self.names, self.readable = file, names, readable
        self.known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.known:
            if name not in self.names:
                raise KeyError(name)
            with self.readable():
                self.known[name] = self.file.read(columns=[name]).column(name)
        return self.known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.file.metadata.num_rows)


@contextmanager
def _readable(file_format: str, title: str, begins: bytes) -> Iterator[None]:
    """Refuses what Arrow can't read in one sentence."""
    import pyarrow as pa

    try:
        yield
    except UnicodeDecodeError:
        raise InputError(f"{title} is not UTF-8 text; save it as UTF-8 (iconv -t UTF-8, or in the editor).") from None
    except (pa.ArrowException, OSError, ValueError) as trouble:
        why = (str(trouble).splitlines() or [type(trouble).__name__])[0]
        why = "".join(c if c.isprintable() else "?" for c in why)
        why = why if len(why) <= 160 else f"{why[:157]}..."
        hint = "; give every row as many values as there are names in the first" if "columns, got" in why else ""
        hint = "; give each column values of one type" if "changed from" in why else hint
        hint = _looks(begins, file_format) or hint or _other_format()
        raise InputError(f"{title} can't be read as {file_format} ({why}){hint}.") from None


def _other_format() -> str:
    return f"; give a whole file of that format, or name another with {option('format')}"


def _looks(begins: bytes, file_format: str) -> str:
    """What a file that can't be read as it was meant seems to be, and what to do; empty if nobody can tell."""
    for magic, (name, actual, remedy) in MAGIC.items():
        if begins.startswith(magic) and file_format != "jsonl":
            if actual == file_format:
                return "; it seems to be cut short: write it again"
            remedies = (f"pass {option('format', actual)}" if actual else "", remedy)
            return f"; it looks like {name}: {', or '.join(filter(None, remedies))}"
    try:
        begins[:60].decode()
        text = b"\0" not in begins
    except UnicodeDecodeError as trouble:
        text = trouble.end >= 57 and b"\0" not in begins
    if file_format not in SEPARATORS:
        commas = text and b"," in begins and file_format != "jsonl"
        return f"; it looks like CSV: pass {option('format', 'csv')}" if commas else ""
    if not text:
        return f"; it is not UTF-8 text: save it as UTF-8, or name its format with {option('format')}"
    return _looks_separated((begins.splitlines() or [b""])[0], file_format)


def _looks_separated(line: bytes, file_format: str) -> str:
    """The same of the first line of a text."""
    if b"\t" in line and file_format == "csv":
        return f"; it looks separated by tabs: pass {option('format', 'tsv')}"
    if b"," in line and file_format == "tsv":
        return f"; it looks separated by commas: pass {option('format', 'csv')}"
    return "; it looks separated by semicolons: save it with commas, and decimals with points" if b";" in line else ""


def _parquet(source: str | bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.ParquetFile(source if isinstance(source, str) else pa.BufferReader(source))


def _arrow(source: str | bytes, file_format: str, texts: Callable[[list[str]], list[str]]) -> Any:
    import pyarrow as pa

    opened: Any = source if isinstance(source, str) else pa.BufferReader(source)
    if file_format in SEPARATORS:
        return _csv(source, SEPARATORS[file_format], texts)
    if file_format == "arrow":
        content = pa.memory_map(source) if isinstance(source, str) else opened
        try:
            return pa.ipc.open_file(content).read_all()
        except pa.ArrowInvalid:
            content.seek(0)
        try:
            return pa.ipc.open_stream(content).read_all()
        except pa.ArrowInvalid:
            from pyarrow import feather

            return feather.read_table(opened)  # the first version of Feather, or neither
    return _json(source)


def _csv(source: str | bytes, separator: str, texts: Callable[[list[str]], list[str]]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=separator)

    def opened() -> Any:
        return source if isinstance(source, str) else pa.BufferReader(source)

    with csv.open_csv(opened(), parse_options=parse) as reader:
        names = list(reader.schema.names)
    coded = pa.dictionary(pa.int32(), pa.string())
    kept = csv.ConvertOptions(column_types=dict.fromkeys(texts(names), coded))
    return csv.read_csv(opened(), parse_options=parse, convert_options=kept)


def _json(source: str | bytes) -> Any:
    """A record on each line; or one array of records."""
    import pyarrow as pa
    from pyarrow import json as lines

    content = source
    if isinstance(source, str):
        with gzip.open(source) if source.lower().endswith(".gz") else Path(source).open("rb") as file:
            begins = file.read(4096).lstrip()
            content = begins + file.read() if begins.startswith(b"[") else source
    if isinstance(content, str):
        return lines.read_json(content)
    if not content.lstrip().startswith(b"["):
        return lines.read_json(pa.BufferReader(content))
    records = json.loads(content)
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("the array holds something else than records {...}")
    names = dict.fromkeys(name for record in records for name in record)
    return pa.table({name: [record.get(name) for record in records] for name in names})


def _npz(source: str | bytes, title: str, begins: bytes) -> dict[str, Any]:
    """Arrays by name, each with one row for each case; `labels` may have another length."""
    import zipfile

    try:
        loaded = np.load(source if isinstance(source, str) else io.BytesIO(source), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            raise ValueError
        with loaded as file:
            return {name: file[name] for name in file.files if file[name].ndim}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as trouble:
        hint = _looks(begins, "npz") or _other_format()
        if "Object arrays" in str(trouble):
            hint = "; it holds Python objects: save labels with .astype(str) or .astype(int)"
        raise InputError(f"{title} can't be read as npz{hint}.") from None


def values_of(column: Any, name: str, path: str) -> Any:
    """A numpy array; texts stay texts, numbers numbers, truth values truth values."""
    if isinstance(column, np.ndarray):
        return np.char.decode(column, "utf-8") if column.dtype.kind == "S" else column
    import pyarrow as pa

    if column.null_count:
        raise InputError(
            f"column {name!r} of {path} has {column.null_count} missing values; fill or remove those cases first."
        )
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind):
        raise InputError(f"column {name!r} of {path} holds {kind}; give one value for each case, in JSON one record.")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            column, kind = column.cast(pa.string()), pa.string()
        except pa.ArrowInvalid:
            raise InputError(f"column {name!r} of {path} is not UTF-8 text; save the file as UTF-8.") from None
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        distinct, places = encoded(column)
        out = np.empty(len(distinct), dtype=object)
        out[:] = distinct
        return out[places]
    if pa.types.is_dictionary(column.type):
        column = column.cast(kind)
    return plain_numbers(column)


def plain_numbers(column: Any) -> Any:
    """An Arrow column, of which nothing is missing, as a numpy array. Arrow's own way there imports pandas, if it is
    installed, which takes longer than to evaluate most files: numbers go round it."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)
    parts = [np.from_dlpack(part) for part in getattr(column, "chunks", [column]) if len(part)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)


def encoded(column: Any) -> tuple[list[Any], Any]:
    """The distinct values of an Arrow column, and the place of each row's value among them."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    whole = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.unify_dictionaries().combine_chunks()
        whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    return whole.dictionary.to_pylist(), plain_numbers(whole.indices)
