"""What Arrow reads: every table is validated as a whole before anybody touches it, for Arrow itself believes the
offsets and lengths that a file states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from karat.core.errors import InputError
from karat.data.file_content import beginning_of
from karat.data.limits import CELL, LINE, refuse_larger, refuse_wider

BLOCK = 1 << 20
"""Bytes of text that Arrow parses at a time, if lines are not longer."""
LINES_OF_A_BLOCK = 8


def validated(content: Any) -> Any:
    """A table, a batch or a column that came from outside; what it states of itself is true."""
    content.validate(full=True)
    return content


def _opened(source: str | bytes) -> Any:
    """Not mapped into memory: a file that somebody shortens meanwhile would end the program."""
    import pyarrow as pa

    return pa.OSFile(source) if isinstance(source, str) else pa.BufferReader(source)


# ------------------------------------------------------------------------------------------------- Parquet


class OnDisk(Mapping[str, Any]):
    """The columns of a Parquet file, read when they are asked for: those that nobody needs are left where they are."""

    def __init__(
        self, source: str | bytes, title: str, limit: int, readable: Callable[[], AbstractContextManager[None]]
    ) -> None:
        from pyarrow import parquet

        self.title, self.limit, self.readable = title, limit, readable
        plain = parquet.ParquetFile(_opened(source))
        refuse_wider(plain.metadata.num_columns, title)
        self.names = list(plain.schema_arrow.names)
        texts = [field.name for field in plain.schema_arrow if _is_text(field.type)]
        # texts stay coded: a text of a million letters for each of a billion rows is a small file
        self.file = parquet.ParquetFile(_opened(source), read_dictionary=texts) if texts else plain
        self.known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.known:
            if name not in self.names:
                raise KeyError(name)
            refuse_larger((len(self.known) + 1) * self.rows * CELL, self.limit, self.title, " of values")
            with self.readable():
                column = validated(self.file.read(columns=[name]).column(name))
                if len(column) != self.rows:
                    raise InputError(
                        f"{self.title} is damaged: column {name!r} has {len(column):,} of {self.rows:,} rows; write it "
                        "again."
                    )
                self.known[name] = column
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


def stated_ends(about: Any, group: int, name: str) -> tuple[Any, Any]:
    """The least and the greatest value of a column, as the end of a Parquet file states them of a row group: None if it
    does not; AttributeError if it states nothing at all."""
    place = next(j for j in range(about.num_columns) if about.schema.column(j).path == name)
    stated = about.row_group(group).column(place).statistics
    return stated.min, stated.max


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


# ------------------------------------------------------------------------------------------------- Arrow


def ipc_table(source: str | bytes, title: str, limit: int) -> Any:
    """A file or a stream of batches, which are counted as they come."""
    import pyarrow as pa

    try:
        reader = pa.ipc.open_file(_opened(source))
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
    except pa.ArrowInvalid:
        if beginning_of(source, 4) == b"FEA1":
            raise InputError(f"{title} is in Feather version 1; write it in version 2, or as Parquet.") from None
        reader = batches = pa.ipc.open_stream(_opened(source))
    refuse_wider(len(reader.schema), title)
    known, size = [], 0
    for batch in batches:
        size += validated(batch).get_total_buffer_size()
        refuse_larger(size, limit, title)
        known.append(batch)
    return validated(pa.Table.from_batches(known, reader.schema))


# ------------------------------------------------------------------------------------------------- CSV


def csv_table(
    source: str | bytes, separator: str, texts: Callable[[list[str]], list[str]], title: str, limit: int
) -> Any:
    """A table of text, of which some columns stay texts."""
    import pyarrow as pa
    from pyarrow import csv

    if isinstance(source, str):
        refuse_larger(Path(source).stat().st_size, limit, title)
    else:
        refuse_larger((source.count(separator.encode()) + source.count(b"\n")) * CELL, limit, title, " of values")
    head = beginning_of(source, LINE).split(b"\n", 1)[0]
    if len(head) == LINE:
        raise InputError(f"{title} has a line of more than {LINE // 2**20} MiB; give a table with shorter lines.")
    refuse_wider(head.count(separator.encode()) + 1, title)
    read = csv.ReadOptions(block_size=min(max(BLOCK, LINES_OF_A_BLOCK * len(head)), 2 * LINE))
    parse = csv.ParseOptions(delimiter=separator)
    with csv.open_csv(_opened(source), read, parse) as reader:
        names = list(reader.schema.names)
    coded = pa.dictionary(pa.int32(), pa.string())
    kept = csv.ConvertOptions(column_types=dict.fromkeys(texts(names), coded))
    return validated(csv.read_csv(_opened(source), read, parse, kept))
