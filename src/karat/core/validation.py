"""What an option may be: anything else is refused in one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from numbers import Real
from typing import Any

from karat.core.errors import InputError, option, quoted


def whole(what: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much.

    >>> whole("bins", 10), whole("seed", 0, least=0)
    (10, 0)
    """
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = least - 1
    if not _is_number(value) or number != value or number < least:
        raise InputError(f"{what} is {quoted([value])}; give a whole number of at least {least}.")
    return number


def finite(what: str, value: Any) -> float:
    """A finite number.

    >>> finite("threshold", 2)
    2.0
    """
    try:
        known = _is_number(value) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all others
        known = False
    if not known:
        raise InputError(f"{what} is {quoted([value])}; give a finite number.")
    return float(value)


def number_between(what: str, value: Any, low: float, high: float, *, ends: str = "[]") -> float:
    """A number between two others; `ends` says with brackets whether each of them is allowed.

    >>> number_between("pc", 0.5, 0, 1)
    0.5
    """
    inside = _is_number(value) and low <= value <= high
    if not inside or (value == low and ends[0] == "(") or (value == high and ends[1] == ")"):
        raise InputError(f"{what} is {quoted([value])}; give a number in {ends[0]}{low:g}, {high:g}{ends[1]}.")
    return float(value)


def one_of(what: str, value: Any, known: Iterable[str]) -> str:
    """A word that is one of these."""
    words = tuple(known)
    if not isinstance(value, str) or value not in words:
        raise InputError(f"{what} is {quoted([value])}; it is one of {', '.join(words)}.")
    return str(value)


def two_names(value: Any) -> tuple[str, str]:
    """What two things are called.

    >>> two_names(["forest", "tree"])
    ('forest', 'tree')
    """
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(isinstance(name, str) for name in value):
        raise InputError(f"names is {quoted([value])}; give two, such as ('forest', 'tree').")
    return value[0], value[1]


def listed_words(value: Any) -> list[Any]:
    """A list, or the words of a text that commas part.

    >>> listed_words("Acc, MCC,"), listed_words(("Acc",))
    (['Acc', 'MCC'], ['Acc'])
    """
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    if not isinstance(value, Iterable):
        raise InputError(f"{quoted([value])} is not a list of names; give a str, or a list of them.")
    return list(value)


UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?B)\s*", re.IGNORECASE | re.ASCII)


def size_in_bytes(what: str, value: Any) -> int:
    """Bytes of "1GB".

    >>> size_in_bytes("memory", "1.5GB"), size_in_bytes("memory", 2000)
    (1500000000, 2000)
    """
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    match = SIZE.fullmatch(str(value))
    if match is None or float(match[1]) == 0:
        raise InputError(f"{what} is {quoted([value])}; give a size such as '500MB' or '4GB', or a number of bytes.")
    return int(float(match[1]) * UNITS[match[2].upper()])


def checked_level(level: Any) -> float:
    """The level of an interval, or of a test: how often it is right, not how often it is wrong."""
    if not (_is_number(level) and 0 < level < 1):
        raise InputError(f"level is {quoted([level])}; give a number from 0.5 to below 1, for example 0.95.")
    if level < 0.5:
        raise InputError(
            f"level is {float(level):.6g}; it is a confidence such as 0.95, at least 0.5 (in earlier versions tests "
            f"took a significance level such as 0.05): give {option('level', float(f'{1 - level:.6g}'))}."
        )
    return float(level)


def false_alarms(level: float) -> float:
    """The significance level of a test of this confidence, without the rounding of a difference: 0.1 of 0.9.

    >>> false_alarms(0.95), false_alarms(0.9), 1 - 0.9
    (0.05, 0.1, 0.09999999999999998)
    """
    return round(1 - float(level), 15)


def too_few(replicates: int, level: float) -> str:
    """What to say if so many replicates can't show the tails of such an interval; empty if they can."""
    least = math.ceil(round(2 / false_alarms(level), 9))
    if replicates >= least:
        return ""
    return f"{replicates} replicates are too few for {100 * level:g} %: {least} or more are needed"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
