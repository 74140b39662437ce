"""What the end of a Parquet file states of its columns, looked at before Arrow is asked for it: where a column chunk
contradicts the schema, Arrow raises an exception of C++ that nobody can catch, and the process ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAGIC = b"PAR1"
LONGEST = 1 << 28
"""Bytes that an end may have: those of two million column chunks. A million of them takes a quarter of a second."""
SCHEMA, ROW_GROUPS, CHUNKS = 2, 4, 1
"""Fields of the end, and of a row group."""
BYTE_ARRAY = 6
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
"""Types of Thrift's compact protocol; those between are whole numbers."""


class Thrift:
    """Reads Thrift's compact protocol: records as {number of a field: value}."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        """A whole number of any length, without a sign."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def value(self, kind: int, listed: bool = False) -> Any:
        """A value of a type; in lists truth takes a byte."""
        if kind == STRUCT:
            return self.record()
        if kind in (LIST, SET):
            return self.list()
        if kind == BINARY:
            size = self.number()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind in (TRUE, FALSE, BYTE):
            self.at += kind == BYTE or listed
            return kind == TRUE
        if kind == DOUBLE:
            self.at += 8
            return None
        if kind == MAP:
            raise ValueError("Parquet has no maps there")
        coded = self.number()
        return (coded >> 1) ^ -(coded & 1)

    def size_and_kind(self) -> tuple[int, int]:
        """Of the values of a list, which follow."""
        head = self.data[self.at]
        self.at += 1
        size = head >> 4 if head >> 4 < 15 else self.number()
        if size > len(self.data):
            raise ValueError("a list is longer than the file")
        return size, head & 15

    def list(self) -> list[Any]:
        size, kind = self.size_and_kind()
        return [self.value(kind, True) for _ in range(size)]

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and type of each field of a record; whoever asks reads its value before the next."""
        field = 0
        while head := self.data[self.at]:
            self.at += 1
            field = field + (head >> 4) if head >> 4 else self.value(5)
            yield field, head & 15
        self.at += 1

    def record(self) -> dict[int, Any]:
        return {field: self.value(kind) for field, kind in self.fields()}


def refuse_contradictions(file: Any) -> None:
    """ValueError if a column chunk is not what the schema says of its column. Of what the end states of row groups no
    more than a column chunk is held at a time."""
    size = file.size()
    file.seek(max(size - 8, 0))
    last = file.read(8)
    length = int.from_bytes(last[:4], "little")
    if last[4:] != MAGIC or not 0 < length <= size - 12:
        return  # encrypted, or not Parquet: as Arrow will find
    if length > LONGEST:
        raise ValueError(f"its end has more than {LONGEST >> 20} MiB; write it in fewer row groups")
    file.seek(size - 8 - length)
    about = Thrift(file.read(length))
    columns: list[tuple[int, int, int]] | None = None
    for field, kind in about.fields():
        if field == SCHEMA and columns is None:
            columns = leaves(about.value(kind))
        elif field == ROW_GROUPS:
            if columns is None:
                raise ValueError("row groups come before the schema")
            for _ in range(about.size_and_kind()[0]):
                _refuse_group(about, columns)
        else:
            about.value(kind)


def _refuse_group(about: Thrift, columns: list[tuple[int, int, int]]) -> None:
    """Read the next row group."""
    chunks = 0
    for field, kind in about.fields():
        if field != CHUNKS:
            about.value(kind)
            continue
        chunks, _ = about.size_and_kind()
        if chunks != len(columns):
            break
        for column in columns:
            _refuse_contradiction(about.record().get(3, {}), *column)
    if chunks != len(columns):
        raise ValueError("a row group has more or fewer columns than the schema")


def _refuse_contradiction(stated: dict[int, Any], kind: int, defined: int, repeated: int) -> None:
    sizes = stated.get(16, {})
    if stated.get(1) != kind:
        raise ValueError("a column has another type than in the schema")
    if 1 in sizes and kind != BYTE_ARRAY:
        raise ValueError("sizes of texts are stated of a column that has none")
    for field, deepest in ((2, repeated), (3, defined)):
        if len(sizes.get(field, ())) not in (0, deepest + 1):
            raise ValueError("sizes are stated of other levels than a column has")


def leaves(schema: list[dict[int, Any]]) -> list[tuple[int, int, int]]:
    """Of each column its type, and how deep it may be missing and repeated; the schema is a tree, written in order."""
    found: list[tuple[int, int, int]] = []
    open_nodes = [[schema[0].get(5, 0), 0, 0]]
    for element in schema[1:]:
        while open_nodes and not open_nodes[-1][0]:
            open_nodes.pop()
        if not open_nodes:
            raise ValueError("the schema has more elements than it says")
        open_nodes[-1][0] -= 1
        way = element.get(3, REQUIRED)
        if way not in (REQUIRED, OPTIONAL, REPEATED):
            raise ValueError("a column is neither required nor optional nor repeated")
        defined, repeated = open_nodes[-1][1] + (way != REQUIRED), open_nodes[-1][2] + (way == REPEATED)
        if element.get(5):
            open_nodes.append([element[5], defined, repeated])
        else:
            found.append((element.get(1, -1), defined, repeated))
    return found
