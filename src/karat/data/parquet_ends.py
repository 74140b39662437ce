"""What the end of a Parquet file states of its columns, looked at before Arrow is asked for it: where a column chunk
contradicts the schema, Arrow raises an exception of C++ that nobody can catch, and the process ends."""

from __future__ import annotations

from typing import Any

MAGIC = b"PAR1"
LONGEST = 1 << 18
"""Bytes of an end that are looked at; they take a second for each million. Files of thousands of columns have more."""
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

    def list(self) -> list[Any]:
        head = self.data[self.at]
        self.at += 1
        size = head >> 4 if head >> 4 < 15 else self.number()
        if size > len(self.data):
            raise ValueError("a list is longer than the file")
        return [self.value(head & 15, True) for _ in range(size)]

    def record(self) -> dict[int, Any]:
        found, field = {}, 0
        while head := self.data[self.at]:
            self.at += 1
            field = field + (head >> 4) if head >> 4 else self.value(5)
            found[field] = self.value(head & 15)
        self.at += 1
        return found


def refuse_contradictions(file: Any) -> None:
    """ValueError if a column chunk is not what the schema says of its column; a long end is not looked at."""
    size = file.size()
    file.seek(max(size - 8, 0))
    last = file.read(8)
    length = int.from_bytes(last[:4], "little")
    if last[4:] != MAGIC or not 0 < length <= min(size - 12, LONGEST):
        return  # encrypted, too long, or not Parquet: as Arrow will find
    file.seek(size - 8 - length)
    about = Thrift(file.read(length)).record()
    columns = leaves(about[2])
    for group in about.get(4, ()):
        chunks = group.get(1, ())
        if len(chunks) != len(columns):
            raise ValueError("a row group has more or fewer columns than the schema")
        for chunk, column in zip(chunks, columns, strict=True):
            _refuse_contradiction(chunk.get(3, {}), *column)


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
