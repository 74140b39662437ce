"""Results as plain data: what JSON can hold, and nothing else. The one place where that is decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Lists, dictionaries, texts and finite numbers instead of arrays, tuples, enumerations and records; what is
    undefined or infinite is None, because JSON has no word for it.

    >>> plain({1: (0.5, float("nan")), "rows": [float("inf"), True, None]})
    {'1': [0.5, None], 'rows': [None, True, None]}
    """
    if value is None or (isinstance(value, bool | int) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(v) for key, v in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, list | tuple | Set):
        return [plain(v) for v in value]
    return value
