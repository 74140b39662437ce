"""What a function computes, as a short text: another formula has another one."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import CellType, CodeType, FunctionType
from typing import Any


def digest(function: Any) -> str:
    """Twelve letters that change with the code, its constants, its defaults and what it holds of where it was made; not
    with where it is written.

    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1), digest(lambda x: x + 1) == digest(lambda x: x + 2)
    (True, False)
    """
    return hashlib.sha256(repr(_said(function, ())).encode()).hexdigest()[:12]


def _said(value: Any, around: tuple[int, ...]) -> Any:
    """Nested lists of plain data; `around` are those that hold this value, for a function may hold itself."""
    if id(value) in around:
        return "itself"
    inside = (*around, id(value))

    def each(values: Any) -> list[Any]:
        return [_said(v, inside) for v in values]

    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, each(value.co_consts)]
    if isinstance(value, FunctionType):
        held = each(value.__closure__ or ())
        return [_said(value.__code__, inside), each(value.__defaults__ or ()), each([value.__kwdefaults__]), held]
    if isinstance(value, CellType):
        try:
            return _said(value.cell_contents, inside)
        except ValueError:  # not filled yet
            return "empty"
    if isinstance(value, functools.partial):
        return each([value.func, value.args, value.keywords])
    if hasattr(value, "__wrapped__"):
        return _said(value.__wrapped__, inside)
    if hasattr(value, "function"):  # a measure
        return each([value.function, value.parameters])
    if is_dataclass(value) and callable(value) and not isinstance(value, type):  # an average: a formula with fields
        return each([type(value).__call__, *(getattr(value, f.name) for f in fields(value))])
    if hasattr(value, "tolist"):
        return _said(value.tolist(), inside)
    if isinstance(value, Mapping):
        return [[str(k), _said(v, inside)] for k, v in value.items()]
    if isinstance(value, list | tuple):
        return each(value)
    if isinstance(value, set | frozenset):
        return sorted(map(repr, each(value)))
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)  # its repr may be where it lies in memory
