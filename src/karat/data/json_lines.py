"""Records of JSON: one on each line, or all in one array. How deep they are nested and how many columns they make is
known before anybody reads them: a parser that calls itself for each bracket ends the program at some depth."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.data.file_content import content_of, whole_content
from karat.data.limits import CELL, DEPTH, limit_of, refuse_larger, refuse_wider

KEY = re.compile(rb'"((?:[^"\\\n]|\\.)*)"\s*:')
FEW = 16
"""Names of columns that are counted one by one."""
TEXT_OF_AN_ARRAY = 16
"""An array is held as Python's objects, which take so many times the room of their text."""
BLOCK = 1 << 22
"""Bytes that are looked at together."""


def records_table(content: bytes, title: str, limit: int) -> Any:
    """The records as an Arrow table."""
    import pyarrow as pa
    from pyarrow import json as lines

    nesting = Nesting()
    if not _is_flat(content):
        for start in range(0, len(content), BLOCK):
            nesting.add(content[start : start + BLOCK])
        nesting.refuse(title)
    if content.lstrip()[:1] != b"[":
        nesting.refuse_null(title)
        refuse_sparse(content, title, limit)
        return lines.read_json(pa.BufferReader(content))
    refuse_larger(len(content) * TEXT_OF_AN_ARRAY, limit, title, " in memory as one array of JSON")
    records = json.loads(content)
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("the array holds something else than records {...}")
    names = list(dict.fromkeys(name for record in records for name in record))
    refuse_wider(len(names), title)
    refuse_larger(len(names) * len(records) * CELL, limit, title, " of values")
    return pa.table({name: [record.get(name) for record in records] for name in names})


def json_of_file(path: Path, pairs: Callable[[list[tuple[str, Any]]], Any] = dict) -> Any:
    """A document of JSON, of any form; `pairs` makes something of what stands in {}. FileNotFoundError if there is no
    such file, and InputError for whatever else is wrong with it."""
    title, limit = str(path), limit_of() // TEXT_OF_AN_ARRAY
    if not path.exists():
        raise FileNotFoundError(title)
    content = whole_content(content_of(path, title, limit), title, limit)
    nesting = Nesting()
    nesting.add(content)
    nesting.refuse(title)
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=pairs)
    except (ValueError, RecursionError, MemoryError) as trouble:
        raise InputError(f"{title} can't be read as JSON: {str(trouble).splitlines()[0]}.") from None


def refuse_unreadable(stream: Any, title: str, limit: int) -> None:
    """Looks through a stream that somebody else will read part by part."""
    nesting = Nesting()
    while piece := stream.read(BLOCK):
        nesting.add(bytes(piece))
        nesting.refuse(title)
        nesting.refuse_null(title)
        refuse_sparse(bytes(piece), title, limit)


def refuse_sparse(content: bytes, title: str, limit: int) -> None:
    """Records that have each a name of their own make a table of which nearly all is empty."""
    names = keys_of(content)
    refuse_wider(names, title)
    refuse_larger(names * (content.count(b"\n") + 1) * CELL, limit, title, " of values")


class Nesting:
    """How deep brackets are nested in a text that comes in pieces, wherever a parser may begin.

    >>> nesting = Nesting()
    >>> nesting.add(b'{"a": [1, "[[[')
    >>> nesting.add(b'[[["]}')
    >>> nesting.deepest
    2
    """

    def __init__(self) -> None:
        self.deepest = self.level = self.lowest = self.inside = 0
        self.held = b""
        self.begins, self.null = True, False

    def add(self, piece: bytes) -> None:
        """The next piece."""
        piece = self.held + piece
        body = piece.rstrip(b"\\")  # what a backslash escapes belongs to it
        self.held = piece[len(body) :]
        signs, outside = _signs(body, self.inside)
        if not len(signs):
            return
        levels = np.concatenate([[self.level], self.level + np.cumsum(np.where(outside, STEP[signs], 0))])
        lows = np.minimum.accumulate(np.minimum(levels, self.lowest))
        self.deepest = max(self.deepest, int((levels - lows).max()))
        first = np.concatenate([[self.begins], signs[:-1] == NEWLINE])
        self.null |= bool((outside & (signs == NULL) & (first | (levels == lows)[1:])).any())
        self.begins, self.inside = bool(signs[-1] == NEWLINE), int(not outside[-1])
        self.level, self.lowest = int(levels[-1]), int(lows[-1])

    def refuse(self, title: str) -> None:
        """Deeper than any record is."""
        if self.deepest > DEPTH:
            raise InputError(f"{title} is JSON nested more than {DEPTH} deep; give records, as {{...}} on a line each.")

    def refuse_null(self, title: str) -> None:
        """Instead of a record, or where a line begins: Arrow ends the program if it meets one before any record. A
        record may go on for several lines, but not with null at the beginning of one."""
        if self.null:
            where = "has null, or another word, where a record should be or a line begins"
            raise InputError(f"{title} can't be read as jsonl: it {where}; give records, as {{...}} on a line each.")


STEP = np.zeros(256, np.int64)
STEP[[ord("["), ord("{")]], STEP[[ord("]"), ord("}")]] = 1, -1
NEWLINE, NULL = ord("\n"), ord("n")
MEANS = STEP != 0
MEANS[[ord('"'), NEWLINE, NULL]] = True


def _signs(block: bytes, inside: int) -> tuple[Any, Any]:
    """Brackets, quotes, ends of lines and the beginnings of null; and which of them are in no text. Texts end with
    their line; the quote that ends one is outside, that which begins it is not."""
    plain = block.replace(rb"\\", b"__").replace(rb"\"", b"__").replace(b"\r", b"\n")
    signs = np.frombuffer(plain, np.uint8)
    signs = signs[MEANS[signs]]
    quotes = np.cumsum(signs == ord('"')) + inside
    of_line = (quotes - np.maximum.accumulate(np.where(signs == NEWLINE, quotes, 0))) & 1
    return signs, of_line == 0


def _is_flat(content: bytes) -> bool:
    """Every record but the first begins on the line after another ended, and nothing in it has brackets, or is null:
    what almost every file is, and is seen at once."""
    ends = content.count(b"}\n{") + content.count(b"}\r\n{")
    return b"[" not in content and b"null" not in content and content.count(b"{") <= ends + 1


def keys_of(content: bytes) -> int:
    """How many names records have, or a bound of it.

    >>> keys_of(b'{"a": 1, "b": 2}\\n{"a": 1, "c": "d"}'), keys_of(b'{"a": 1}\\n{"a": 2}')
    (3, 1)
    """
    first = {match[1] for match in KEY.finditer(content[: content.find(b"\n") + 1 or len(content)])}
    if len(first) <= FEW and rb"\"" not in content:
        others = content.count(b":") - sum(content.count(b'"%b":' % name) for name in first)
        if not others:  # no colon is left for another name
            return len(first)
    return len(first | {match[1] for match in KEY.finditer(content)})
