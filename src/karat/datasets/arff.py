"""Attribute-relation files (ARFF), read as they are found: any case of keywords, quotes, comments, `?` for missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.data.file_content import content_of, whole_content
from karat.data.limits import limit_of
from karat.datasets.data_set import NO_CLASS, DataSet

NUMERIC = {"numeric", "real", "integer"}
REFUSED = {
    "string": "text attributes are not supported: leave it out, or declare its values in braces",
    "date": "dates are not supported: convert it to a number",
    "relational": "relational attributes are not supported: flatten the table first",
}
QUOTES = "'\""
BEFORE_QUOTE = " \t,{"
"""Elsewhere a quote is an apostrophe: don't."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
LINE_END = re.compile(r"\r\n|\n|\r")  # str.splitlines knows more, which may stand within quotes
COMMENT = re.compile(r"(^|[\s,])%")
Column = tuple[str, tuple[str, ...] | None]
"""Name, and declared values if it is nominal."""


def read_arff(path: str | Path, *, target: str | None = None) -> DataSet:
    """The data set of a file (also gzipped); the class is the last attribute unless `target` names it."""
    path = Path(path)
    return parse_arff(text_of_file(path, "an ARFF"), name=path.name.split(".arff")[0], target=target, source=str(path))


def text_of_file(path: Path, kind: str) -> str:
    """The text of a file, gzipped or not."""
    try:
        limit = limit_of()
        return text_of(whole_content(content_of(path, str(path), limit), str(path), limit))
    except (OSError, InputError) as problem:
        why = getattr(problem, "strerror", None) or str(problem).rstrip(".")
        raise InputError(f"{path} can't be read ({why}); pass the path of {kind} file.") from None


def text_of(raw: bytes) -> str:
    """UTF-8, or Latin-1 where it isn't."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def parse_arff(text: str, *, name: str = "", target: str | None = None, source: str = "") -> DataSet:
    """The data set of an ARFF text.

    >>> parse_arff("@RELATION 'a b'\\n@Attribute x Real\\n@attribute y {no, 'yes, sir'}\\n@data\\n1,no\\n?,'yes, sir'")
    DataSet('a b': 2 cases, 0 nominal and 1 numeric attributes, 1 values missing, 2 classes)
    """
    lines = enumerate(LINE_END.split(text), 1)
    relation, columns = _head(lines)
    names = [column for column, _ in columns]
    twice = [column for i, column in enumerate(names) if column in names[:i]]
    if twice:
        raise InputError(f"the attribute {twice[0]!r} is declared twice; rename one of them.")
    target = names[-1] if target is None else target
    if target not in names:
        raise InputError(f"there is no attribute {target!r}; the attributes are {', '.join(names)}.")
    at = names.index(target)
    classes = columns[at][1]
    if classes is None:
        raise InputError(
            f"the class attribute {target!r} is numeric, but a class needs declared values; name another with target=."
        )
    table = _table(list(_rows(lines, len(columns))), columns)
    y = table[:, at]
    rest = [j for j in range(len(columns)) if j != at]
    y = np.where(np.isnan(y), NO_CLASS, y)
    attributes, values = [names[j] for j in rest], [columns[j][1] for j in rest]
    return DataSet.of(name or relation, table[:, rest], y, attributes, values, classes, target, source)


def _head(lines: Iterator[tuple[int, str]]) -> tuple[str, list[Column]]:
    """The relation's name and the attributes, up to the line that says that data follow."""
    relation, columns = "", []
    for number, line in lines:
        line = _without_comment(line).strip()
        if not line:
            continue
        keyword, _, rest = line.replace("\t", " ").partition(" ")
        match keyword.lower():
            case "@relation":
                relation = _first(rest.strip(), number)[0]
            case "@attribute":
                columns.append(_attribute(rest.strip(), number))
            case "@data":
                if not columns:
                    raise InputError(f"line {number} is @data, but no @attribute was declared before it.")
                return relation, columns
            case "@end":
                raise InputError(f"line {number} ends a relational attribute; {REFUSED['relational']}.")
            case _:
                raise InputError(
                    f"line {number} begins with {keyword[:24]!r}; before @data an ARFF file has only @relation, "
                    "@attribute and comments (%)."
                )
    raise InputError("there is no @data line, so this is not a complete ARFF file.")


def _attribute(text: str, number: int) -> Column:
    name, kind = _first(text, number)
    kind = kind.strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise InputError(
                f"the values of {name!r} in line {number} have no closing brace; it must be on the same line."
            )
        values = tuple(value for value in _fields(kind[1:-1], number) if value is not None)
        if len(set(values)) < len(values):
            twice = next(value for i, value in enumerate(values) if value in values[:i])
            raise InputError(f"the attribute {name!r} declares the value {twice!r} twice (line {number}); remove one.")
        return name, values
    word = kind.split()[0].lower() if kind else ""
    if word in NUMERIC:
        return name, None
    if word in REFUSED:
        raise InputError(f"the attribute {name!r} in line {number} has the type {word}; {REFUSED[word]}.")
    raise InputError(
        f"the attribute {name!r} in line {number} has the type {word!r}; expected numeric, or values in braces."
    )


def _rows(lines: Iterator[tuple[int, str]], width: int) -> Iterator[tuple[int, list[str | None]]]:
    for number, line in lines:
        line = _without_comment(line).strip()
        if not line:
            continue
        if line.startswith("{"):
            raise InputError(
                f"line {number} is sparse ({line[:24]!r}), which is not supported; convert the file to dense rows."
            )
        if line.endswith("}"):
            raise InputError(f"line {number} ends with a weight in braces, which is not supported; remove the weights.")
        row = _fields(line, number)
        if len(row) != width:
            raise InputError(f"line {number} has {len(row)} values, but {width} attributes are declared.")
        yield number, row


def _table(rows: list[tuple[int, list[str | None]]], columns: list[Column]) -> Array:
    """Numbers, with nominal values as their places."""
    table = np.empty((len(rows), len(columns)))
    for j, (name, values) in enumerate(columns):
        code = {value: float(i) for i, value in enumerate(values or ())}
        for i, (number, row) in enumerate(rows):
            cell = row[j]
            try:
                table[i, j] = np.nan if cell is None else float(cell) if values is None else code[cell]
            except (ValueError, KeyError):
                wanted = "a number" if values is None else f"one of {', '.join(map(repr, values[:6]))}"
                words = f"line {number} has {cell!r} for {name!r}; expected {wanted}, or ? for a missing value."
                raise InputError(words) from None
    return table


def _without_comment(line: str) -> str:
    """The line up to a % that begins it or follows a blank or comma outside quotes."""
    if "%" not in line:
        return line
    for sign in COMMENT.finditer(line):
        before = line[: sign.end() - 1]
        if not _open_quote(before):
            return before
    return line


def _open_quote(text: str) -> bool:
    quote, skip = "", False
    for before, character in zip(" " + text, text, strict=False):
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in QUOTES and before in BEFORE_QUOTE:
            quote = character
    return bool(quote)


def _first(text: str, number: int) -> tuple[str, str]:
    """The first word, in quotes or not, and what follows it."""
    if text[:1] and text[0] in QUOTES:
        word, end = _quoted(text, 0, number)
        return word, text[end:]
    match = re.match(r"[^\s{]+", text)
    if match is None:
        raise InputError(f"line {number} lacks a name.")
    return match.group(), text[match.end() :]


def _quoted(text: str, start: int, number: int) -> tuple[str, int]:
    """What stands in quotes from here, and the place behind them."""
    quote, word, i = text[start], [], start + 1
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            word.append(ESCAPES.get(text[i + 1], text[i + 1]))
            i += 2
        elif text[i] == quote:
            return "".join(word), i + 1
        else:
            word.append(text[i])
            i += 1
    raise InputError(f"line {number} has a quote ({quote}) that is never closed: {text[start : start + 24]!r}.")


def _fields(text: str, number: int) -> list[str | None]:
    """The values of a row or of a declaration, parted by commas (by blanks if there are none); None is missing."""
    if "'" not in text and '"' not in text and "\\" not in text:
        cells: Iterable[str] = (cell.strip() for cell in text.split(",")) if "," in text else text.split()
        return [None if cell == "?" else cell for cell in cells]
    fields: list[str | None] = []
    i, blanks = 0, _blank_separated(text, number)
    while True:
        while i < len(text) and text[i].isspace():
            i += 1
        if i < len(text) and text[i] in QUOTES:
            word, i = _quoted(text, i, number)
            fields.append(word)
            while i < len(text) and text[i].isspace():
                i += 1
        else:
            end = i
            while end < len(text) and text[end] != "," and not (blanks and text[end].isspace()):
                end += 2 if text[end] == "\\" else 1
            plain = re.sub(r"\\(.)", r"\1", text[i:end].strip())
            fields.append(None if plain == "?" else plain)
            i = end
        while blanks and i < len(text) and text[i].isspace():
            i += 1
        if i >= len(text):
            return fields
        if text[i] == ",":
            i += 1
        elif not blanks:
            raise InputError(f"line {number} has {text[i : i + 12]!r} after a closing quote; expected a comma.")


def _blank_separated(text: str, number: int) -> bool:
    """Is there no comma outside quotes?"""
    i = 0
    while i < len(text):
        if text[i] in QUOTES and (i == 0 or text[i - 1] in BEFORE_QUOTE):
            i = _quoted(text, i, number)[1]
        elif text[i] == ",":
            return False
        else:
            i += 2 if text[i] == "\\" else 1
    return True
