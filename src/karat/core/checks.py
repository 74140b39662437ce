"""What an option may be: refused in one sentence, wherever it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karat.core.errors import InputError


def whole(what: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much.

    >>> whole("bins", 10), whole("seed", 0, least=0)
    (10, 0)
    """
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = least - 1
    if isinstance(value, bool) or number != value or number < least:
        raise InputError(f"{what} is {value!r}; give a whole number of at least {least}.")
    return number


def one_of(what: str, value: Any, known: Iterable[str]) -> str:
    """A word that is one of these."""
    words = tuple(known)
    if value not in words:
        raise InputError(f"{what} is {value!r}; it is one of {', '.join(words)}.")
    return str(value)
