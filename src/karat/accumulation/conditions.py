"""Conditions on rows, as text: `site = 'north' and age > 60`. Nothing of them is executed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError, option, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc

TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<quoted>"[^"]+")|(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<sign><=|>=|!=|<>|==|=|<|>|\(|\)|,)|(?P<word>[^\W\d]\w*))"""
)
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "==": operator.eq, "!=": operator.ne, "<>": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
EXAMPLE = "write for example \"site = 'north' and age > 60\""
RESERVED = {"and", "or", "not", "in", "is", "null", "true", "false"}


def condition(where: Any, schema: pa.Schema) -> pc.Expression | None:
    """A condition as Arrow has it, tried on no rows: it names columns that are there, and fits their types."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if where is None:
        return None
    if not isinstance(where, str | pc.Expression):
        raise InputError(f"{option('where')} is {type(where).__name__}; {EXAMPLE}, or pass a pyarrow expression.")
    made = _Condition(where, schema.names).whole() if isinstance(where, str) else where
    try:
        schema.empty_table().filter(made)
    except (pa.ArrowException, TypeError) as trouble:
        why = (str(trouble).splitlines() or [""])[0].rstrip(".")
        raise InputError(f"{option('where')} {str(where)!r} does not fit the columns: {why}.") from None
    return made


class _Condition:
    """Reads a text from left to right: `or` binds least, then `and`, then `not`."""

    def __init__(self, text: str, names: list[str]) -> None:
        self.text, self.names = text, names
        self.tokens: list[tuple[str, str]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = TOKEN.match(text, at)
            if match is None:
                raise self._wrong(f"{text[at:].strip()[:20]!r} can't be understood")
            self.tokens.append((str(match.lastgroup), str(match[str(match.lastgroup)])))
            at = match.end()
        self.tokens.append(("end", "the end"))

    def whole(self) -> pc.Expression:
        made = self._either()
        if self.tokens[0][0] != "end":
            raise self._wrong(f"{self.tokens[0][1]!r} is not expected")
        return made

    def _either(self) -> pc.Expression:
        made = self._both()
        while self._is("or"):
            made = made | self._both()
        return made

    def _both(self) -> pc.Expression:
        made = self._one()
        while self._is("and"):
            made = made & self._one()
        return made

    def _one(self) -> pc.Expression:
        if self._is("not"):
            return ~self._one()
        if self._is("("):
            made = self._either()
            self._expect(")")
            return made
        column = self._column()
        kind, sign = self.tokens[0]
        if kind == "sign" and sign in COMPARISONS:
            self.tokens.pop(0)
            return COMPARISONS[sign](column, self._literal())
        if self._is("is"):
            absent = not self._is("not")
            self._expect("null")
            return column.is_null() if absent else column.is_valid()
        negated = self._is("not")
        if self._is("in"):
            made = column.isin(self._listed())
            return ~made if negated else made
        raise self._wrong(f"{sign!r} stands where a comparison is expected")

    def _listed(self) -> list[Any]:
        self._expect("(")
        values = [self._literal()]
        while self._is(","):
            values.append(self._literal())
        self._expect(")")
        return values

    def _column(self) -> pc.Expression:
        import pyarrow.compute as pc

        kind, text = self.tokens.pop(0)
        name = text[1:-1] if kind == "quoted" else text
        if kind not in ("quoted", "word") or (kind == "word" and text.lower() in RESERVED):
            raise self._wrong(f"{text!r} stands where a column is expected")
        if name not in self.names:
            raise InputError(
                f"{option('where')} names the column {name!r}, and the columns are {quoted(self.names, 12)}."
            )
        return pc.field(name)

    def _literal(self) -> Any:
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        if kind == "word" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise self._wrong(f"{text!r} stands where a value is expected (texts stand in single quotes)")

    def _is(self, word: str) -> bool:
        found = self.tokens[0][0] in ("word", "sign") and self.tokens[0][1].lower() == word
        if found:
            self.tokens.pop(0)
        return found

    def _expect(self, word: str) -> None:
        if not self._is(word):
            raise self._wrong(f"{self.tokens[0][1]!r} stands where {word!r} is expected")

    def _wrong(self, why: str) -> InputError:
        return InputError(f"{option('where')} {self.text!r} is not a condition: {why}; {EXAMPLE}.")
