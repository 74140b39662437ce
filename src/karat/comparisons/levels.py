"""Levels: how sure an interval should be, and how often a test may see what is not there."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from karat.core.errors import InputError


def checked_level(level: Any) -> float:
    """The level of an interval."""
    if not (_number(level) and 0 < level < 1):
        raise InputError(f"level is {level!r}; give a number between 0 and 1, for example 0.95.")
    return float(level)


def checked_false_alarms(level: Any) -> float:
    """The level of a test: the rate of false alarms that is accepted."""
    if not (_number(level) and 0 < level <= 0.5):
        raise InputError(
            f"level is {level!r}; a test's level is the rate of false alarms, above 0 and at most one half, for "
            "example 0.05 (only intervals take level=0.95)."
        )
    return float(level)


def too_few(replicates: int, level: float) -> str:
    """What to say if so many replicates can't show the tails of such an interval; empty if they can."""
    least = math.ceil(round(2 / (1 - level), 9))
    if replicates >= least:
        return ""
    return f"{replicates} replicates are too few for {100 * level:g} %: {least} or more are needed"


def _number(level: Any) -> bool:
    return isinstance(level, Real) and not isinstance(level, bool)
