"""Values of options. typer has every one checked by pydantic, whose import takes a third of a cold start, and whose
words are not ours: numbers and choices are read here."""

from __future__ import annotations

import re
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from typer.core import TyperCommand, TyperGroup

from karat.core.errors import InputError

NUMBERS = {int: "a whole number", float: "a number"}


def read_value(option: str, text: str, kind: Any) -> Any:
    """The number or the choice that a text is; None if it is to be neither.

    >>> read_value("--seed", "7", int), read_value("--size", "7", int | None), read_value("--truth", "y", str)
    (7, 7, None)
    """
    kinds = [k for k in (get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)) if k is not NoneType]
    kind = kinds[0] if len(kinds) == 1 else None
    try:
        if kind in NUMBERS or (isinstance(kind, type) and issubclass(kind, Enum)):
            return kind(text)
    except ValueError:
        raise InputError(not_this(option, text, NUMBERS.get(kind) or [c.value for c in kind])) from None
    return None


def not_this(option: str, text: str, expected: str | list[str]) -> str:
    """What is said of a value that is not a number, or none of the choices.

    >>> not_this("--seed", "x", "a whole number")
    "--seed is 'x'; give a whole number."
    """
    wanted = f"give {expected}" if isinstance(expected, str) else f"it is one of {', '.join(expected)}"
    return f"{option} is {text!r}; {wanted}."


WORDS_ELSEWHERE = {"not a valid integer": "a whole number", "not a valid float": "a number"}


def of_older_typer(message: str) -> str:
    """The same of what versions of typer say that check values themselves; empty if they say something else.

    >>> of_older_typer("Invalid value for '--as': 'md' is not one of 'table', 'json'.")
    "--as is 'md'; it is one of table, json."
    """
    said = re.fullmatch(r"Invalid value for '(--[^']+)'(?: / '[^']+')*: '(.*)' is (.*?)\.?", message.strip(), re.DOTALL)
    if said is None:
        return ""
    option, text, what = said.groups()
    choices = re.findall(r"'([^']*)'", what) if what.startswith("not one of ") else []
    expected = choices or WORDS_ELSEWHERE.get(what.split("range")[0].strip())
    return not_this(option, text, expected) if expected else ""


class _Plain:
    """Stands in for typer's check of a parameter: a default, and text where text is asked, are what they should be."""

    def __init__(self, parameter: Any) -> None:
        described = parameter.type_descriptor
        self.kind = None if described.is_path else described.annotation
        self.check = parameter.get_runtime_param

    def __call__(self) -> _Plain:
        """What typer asks a parameter for."""
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, checked by typer unless it is plain."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if type(value) is self.kind:
            return value
        name = next((word for word in param.opts if word.startswith("--")), param.opts[0])
        own = read_value(name, value, self.kind) if isinstance(value, str) else None
        if own is not None:
            return own
        if self.kind == list[str] and isinstance(value, list | tuple) and all(type(text) is str for text in value):
            return list(value)
        return self.check().coerce(value, param=param, ctx=ctx)


class _WithPlainValues:
    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, with `--help`."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            check = getattr(parameter, "get_runtime_param", None)  # versions of typer without it don't need pydantic
            if check is not None and not isinstance(check, _Plain):
                parameter.get_runtime_param = _Plain(parameter)
        return parameters


class PlainCommand(_WithPlainValues, TyperCommand):
    """A command of typer."""


class PlainGroup(_WithPlainValues, TyperGroup):
    """All commands of an application of typer."""
