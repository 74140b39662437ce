"""What a comparison found: a frozen record that gives plain data, a table and one sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from karat.core.table import Table
from karat.core.words import PValue


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """The fields are the data."""

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)} | {"verdict": self.verdict}

    def to_table(self) -> Table:
        """One row for each number or word that was found; of an interval and the like, for both of its ends."""
        found = {f.name.replace("_", " "): getattr(self, f.name) for f in fields(self)}
        rows = {name: value for name, value in found.items() if isinstance(value, bool | int | float | str)}
        for name, value in found.items():
            if isinstance(value, tuple) and len(value) == 2:
                rows |= {f"{name} ({end})": x for end, x in zip(("first", "second"), value, strict=True)}
        rows |= {name: PValue(rows[name]) for name in rows if "p" in name.split() and isinstance(rows[name], float)}
        return Table({"what": list(rows), "value": list(rows.values())}, self.verdict)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.verdict}>"


def plain(value: Any) -> Any:
    """Lists, dictionaries, strings and numbers instead of tuples, arrays and records."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
