"""What karat answers with: frozen records that give plain data, a table and, where something was tested, a sentence."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from karat.core.documents import in_terminal
from karat.core.plain_data import plain
from karat.core.table import Table, Tabular
from karat.core.words import PValue

WORD_OR_NUMBER = bool | int | float | str


@dataclass(frozen=True, eq=False, repr=False)
class Record(Tabular):
    """The fields are the data."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def to_table(self) -> Table:
        """One row for each number or word; of an interval and the like, for both of its ends."""
        values = {f.name.replace("_", " "): getattr(self, f.name) for f in fields(self)}
        rows = {name: value for name, value in values.items() if isinstance(value, WORD_OR_NUMBER)}
        for name, value in values.items():
            if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], WORD_OR_NUMBER):
                rows |= {f"{name} ({end})": x for end, x in zip(("first", "second"), value, strict=True)}
        rows |= {name: PValue(rows[name]) for name in rows if "p" in name.split() and isinstance(rows[name], float)}
        return Table({"what": list(rows), "value": list(rows.values())}, self._title)

    @property
    def _title(self) -> str:
        """What stands above its table."""
        return ""

    def __repr__(self) -> str:
        return repr(self.to_table())


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Record):
    """A record that can be said in a sentence."""

    @property
    def verdict(self) -> str:
        """What the data say, in one sentence."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict."""
        return super().to_dict() | {"verdict": self.verdict}

    @property
    def _title(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {in_terminal(self.verdict)}>"
