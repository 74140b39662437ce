"""typer has every value checked by pydantic, whose import takes a third of a cold start: here only what needs it is."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


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
