"""Timing, and a row of the results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import process_time
from timeit import Timer
from typing import Any

LONG_ENOUGH = 0.1
"""Seconds that one timing should take at least, so that the clock's grain and a stray interrupt don't show."""


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of a program that was installed: its modules are compiled once, not whenever it starts."""


@dataclass(frozen=True)
class Row:
    """One result."""

    what: str
    karat: str
    peer: str
    ratio: float
    target: float | None
    at_least: bool = True
    """Is the target a lower bound (karat is so many times faster) or an upper one (karat needs at most so much)?"""

    @property
    def met(self) -> str:
        """Was the target reached?"""
        if self.target is None:
            return ""
        return "yes" if (self.ratio >= self.target if self.at_least else self.ratio <= self.target) else "no"

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
        target = "" if self.target is None else f"{'≥' if self.at_least else '≤'} {number(self.target)}"
        ratio = "" if math.isnan(self.ratio) else number(self.ratio)
        return self.what, self.karat, self.peer, ratio, target, self.met


def measured(what: str, rows: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    """The rows; where a peer is not installed, or does not agree with karat, one that says so: the others go on."""
    try:
        yield from rows()
    except (ModuleNotFoundError, AssertionError) as reason:
        yield Row(what, "", f"not measured: {reason}", math.nan, None)


def number(x: float) -> str:
    """Three digits, or all before the point."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def duration(seconds: float) -> str:
    """In the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-9)} ns"


def in_turns(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The least CPU seconds of each call, timed in turns so that all of them meet the machine in the same moods: more
    than that is what others do to them."""
    timers = [Timer(call, timer=process_time) for call in calls]
    repeats = [_repeats(timer) for timer in timers]
    taken = [[t.timeit(n) / n for t, n in zip(timers, repeats, strict=True)] for _ in range(rounds)]
    return [min(times) for times in zip(*taken, strict=True)]


def _repeats(timer: Timer) -> int:
    if timer.timeit(1) > 10 * LONG_ENOUGH:  # the first call also pays for imports and caches
        return 1
    return math.ceil(LONG_ENOUGH / max(timer.timeit(1), 1e-6))


def times_faster(
    what: str,
    karat: Callable[[], Any],
    peer: Callable[[], Any],
    peer_name: str,
    target: float | None,
    *,
    rounds: int,
    per: tuple[float, float] = (1, 1),
) -> Row:
    """The row for two calls; `per` says how many evaluations a call of karat and one of the peer hold."""
    ours, theirs = (t / n for t, n in zip(in_turns([karat, peer], rounds), per, strict=True))
    return Row(what, duration(ours), f"{peer_name} {duration(theirs)}", theirs / ours, target)


def insist_on_agreement(found: dict[str, float], expected: dict[str, float], tolerance: float = 1e-6) -> None:
    """A time counts only if both computed the same thing."""
    for symbol, value in expected.items():
        if not math.isclose(found[symbol], value, rel_tol=tolerance, abs_tol=tolerance):
            raise AssertionError(f"{symbol}: karat says {found[symbol]}, the peer {value}")
