"""Named columns out of files: CSV, TSV, Parquet, Arrow, JSON lines, .npz; from disk, a pipe or stdin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError, option, quoted
from karat.core.validation import one_of
from karat.data.arrays import refuse_repeated
from karat.data.arrow_readers import OnDisk, csv_table, ipc_table, validated
from karat.data.file_content import beginning_of, content_of, whole_content
from karat.data.json_lines import records_table
from karat.data.limits import limit_of, refuse_wider
from karat.data.npz_files import arrays_of

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

    def __init__(self, columns: Mapping[str, Any], file: _File) -> None:
        self.columns, self.file, self.path, self.file_format = columns, file, file.title, file.file_format

    def __getitem__(self, name: str) -> Any:
        column = self.columns[name]
        with self.file.readable():
            return values_of(column, name, self.path)

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
    path: str | Path,
    file_format: str | None = None,
    texts: Callable[[list[str]], list[str]] = list,
    limit: Any = None,
) -> FileColumns:
    """The columns of any of the formats. `texts` says, of the names of the columns, which ones a CSV file holds texts
    in, whatever they look like: that 007 stays 007 is for who reads it to say. `limit`: bytes that may be read, such as
    "4GB"; by default an eighth of the memory."""
    title = "stdin" if str(path) == "-" else str(path)
    if file_format is not None:
        one_of("the format", file_format, dict.fromkeys(FORMATS.values()))
    most = limit_of(limit)
    source = content_of(path, title, most)
    file_format = file_format or ("csv" if str(path) == "-" else _format(Path(path)))
    begins = beginning_of(source)
    if not begins:
        raise InputError(f"{title} is empty; give a file of predictions.")
    file = _File(source, title, file_format, begins, most)
    columns = file.columns(texts)
    if not (columns.rows if isinstance(columns, OnDisk) else any(len(column) for column in columns.values())):
        raise InputError(f"{title} holds no cases; give a file with at least one row below its header.")
    return FileColumns(columns, file)


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


@dataclass(frozen=True)
class _File:
    """A file that is being read, and what it is meant to be."""

    source: str | bytes
    """its path, or its content"""
    title: str
    file_format: str
    begins: bytes
    limit: int

    def columns(self, texts: Callable[[list[str]], list[str]]) -> Mapping[str, Any]:
        """All columns by name."""
        if self.file_format == "npz":
            with self.readable():
                return arrays_of(self.source, self.title, self.limit)
        try:
            import pyarrow  # noqa: F401 - it is there
        except ImportError:
            raise InputError("reading files needs pyarrow, which is not installed; `pip install pyarrow`.") from None
        if self.file_format in SEPARATORS and self.begins.startswith(tuple(MAGIC)):
            raise InputError(
                f"{self.title} can't be read as {self.file_format}{_looks(self.begins, self.file_format)}."
            )
        with self.readable():
            table = self._table(texts)
            names = list(table) if isinstance(table, OnDisk) else list(table.schema.names)
        refuse_repeated(names, self.title)
        refuse_wider(len(names), self.title)
        if self.file_format in SEPARATORS and len(names) == 1 and (hint := _looks(names[0].encode(), self.file_format)):
            raise InputError(f"{self.title} has only one column, {quoted(names, widest=60)}{hint}.")
        return table if isinstance(table, OnDisk) else dict(zip(names, table.columns, strict=True))

    def _table(self, texts: Callable[[list[str]], list[str]]) -> Any:
        source, title, limit = self.source, self.title, self.limit
        if self.file_format == "parquet":
            return OnDisk(source, title, limit, self.readable)
        if self.file_format == "arrow":
            return ipc_table(source, title, limit)
        if self.file_format in SEPARATORS:
            return csv_table(source, SEPARATORS[self.file_format], texts, title, limit)
        return validated(records_table(whole_content(source, title, limit), title, limit))

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Refuses in one sentence whatever can't be read, whatever a reader throws: each has its own ways to fail."""
        title, file_format = self.title, self.file_format
        try:
            yield
        except InputError:
            raise
        except UnicodeDecodeError:
            raise InputError(
                f"{title} is not UTF-8 text; save it as UTF-8 (iconv -t UTF-8, or in the editor)."
            ) from None
        except MemoryError:
            raise InputError(f"{title} takes more memory than there is; give fewer rows or columns.") from None
        except Exception as trouble:
            why = first_line(trouble)
            hint = "; give every row as many values as there are names in the first" if "columns, got" in why else ""
            hint = "; give each column values of one type" if "changed from" in why else hint
            hint = _looks(self.begins, file_format) or hint or _other_format()
            if "Object arrays" in why:
                hint = "; it holds Python objects: save labels with .astype(str) or .astype(int)"
            raise InputError(f"{title} can't be read as {file_format} ({why}){hint}.") from None


def first_line(trouble: Exception) -> str:
    """What a reader says, short, and without the point at its end."""
    why = (str(trouble).splitlines() or [type(trouble).__name__])[0].rstrip(".")
    why = "".join(c if c.isprintable() else "?" for c in why)
    return why if len(why) <= 160 else f"{why[:157]}..."


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
        what = "lists" if pa.types.is_list(kind) else "{class: p}, or another kind of record"
        raise InputError(
            f"column {name!r} of {path} holds {what}; give one value for each case, in JSON one record; if these are "
            f"probabilities of the most probable classes, say with {option('rest')} what the others have."
        )
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
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, np.int64)


def as_written(column: Any) -> Any:
    """Times of an Arrow column as a clock shows them where they were written, without a time zone."""
    if column.type.tz is None:
        return column
    import pyarrow.compute as pc

    return pc.local_timestamp(column)


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
