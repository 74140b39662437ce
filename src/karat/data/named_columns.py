"""Columns that come beside predictions, by name: groups of cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.core.errors import InputError, UnknownNameError, option, quoted

UNNAMED = "group"
"""What a column is called that has no name of its own."""


def named_columns(given: Any, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Name to column: of {name: column}, a data frame, one column, or names of `known` ones; None: all of these."""
    known = known or {}
    if given is None:
        if not known:
            raise InputError(f"no column of groups was given; pass one, or {option('by')} to karat.evaluate.")
        return dict(known)
    if isinstance(given, str):
        given = [given]
        if not known:
            raise InputError(f"{given[0]!r} is a name and no column; pass the group of each case.")
    names = isinstance(given, list | tuple) and bool(known) and len(given) <= len(known)
    if names and all(isinstance(name, str) for name in given):
        if unknown := [name for name in given if name not in known]:
            raise UnknownNameError(f"there is no column {quoted(unknown)}; there are {quoted(known)}.")
        return {name: known[name] for name in given}
    if isinstance(given, Mapping):
        columns = {str(name): column for name, column in given.items()}
        if not columns:
            raise InputError(f"{option('by')} names no column; give at least one, as {{name: column}}.")
        return columns
    listed = getattr(given, "columns", None)
    if listed is not None and not callable(listed):
        return {str(name): given[name] for name in listed}
    own = getattr(given, "name", None)
    return {own if isinstance(own, str) and own else UNNAMED: given}
