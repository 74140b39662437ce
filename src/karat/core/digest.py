"""What a function computes, as a short text: another formula has another one."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import CellType, CodeType, FunctionType
from typing import Any


def digest(function: Any) -> str:
    """Twelve letters that change with the code, its constants, its defaults and what it holds of where it was made; not
    with where it is written.

    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1), digest(lambda x: x + 1) == digest(lambda x: x + 2)
    (True, False)
    """
    return hashlib.sha256(repr(_content(function, ())).encode()).hexdigest()[:12]


def _content(value: Any, around: tuple[int, ...]) -> Any:
    """Nested lists of plain data; `around` are those that hold this value, for a function may hold itself."""
    if id(value) in around:
        return "itself"
    inside = (*around, id(value))
    parts = _parts(value)
    if parts is not None:
        return [_content(part, inside) for part in parts]
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, _content(value.co_consts, inside)]
    if isinstance(value, CellType):
        try:
            return _content(value.cell_contents, inside)
        except ValueError:  # not filled yet
            return "empty"
    if hasattr(value, "__wrapped__"):
        return _content(value.__wrapped__, inside)
    if hasattr(value, "tolist"):
        return _content(value.tolist(), inside)
    if isinstance(value, Mapping):
        return [[str(k), _content(v, inside)] for k, v in value.items()]
    if isinstance(value, set | frozenset):
        return sorted(repr(_content(v, inside)) for v in value)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)  # its repr may be where it lies in memory


def _parts(value: Any) -> Iterable[Any] | None:
    """What a value is made of, if it is a formula or a list; None for all else."""
    if isinstance(value, FunctionType):
        return [value.__code__, value.__defaults__ or (), [value.__kwdefaults__], value.__closure__ or ()]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if hasattr(value, "__wrapped__"):
        return None
    if hasattr(value, "function"):  # a measure
        return [value.function, value.parameters]
    if is_dataclass(value) and callable(value) and not isinstance(value, type):  # an average: a formula with fields
        return [type(value).__call__, *(getattr(value, f.name) for f in fields(value))]
    return value if isinstance(value, list | tuple) else None
