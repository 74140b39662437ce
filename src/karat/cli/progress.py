"""What is being done, while it takes long, on stderr: a bar in a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from karat.core.documents import in_line

EVERY = 10.0
"""Seconds between two lines, where stderr is no terminal."""

_quiet = [False]


@contextmanager
def quietly(quiet: bool) -> Iterator[None]:
    """Nothing is said inside, if so."""
    _quiet.append(quiet)
    try:
        yield
    finally:
        _quiet.pop()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on stderr what is being done, and for how long."""
    with steps() as step:
        step(what)
        yield


@contextmanager
def steps(total: int | None = None) -> Iterator[Callable[[str], None]]:
    """Says on stderr what is being done, one step after the other (of `total`, if that is known), and for how long."""
    if _quiet[-1]:
        yield lambda what: None
    elif sys.stderr.isatty():
        with _bar(total) as step:
            yield step
    else:
        with _lines(total) as step:
            yield step


@contextmanager
def _bar(total: int | None) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    counted = (BarColumn(bar_width=20), MofNCompleteColumn()) if total else (SpinnerColumn(),)
    columns = (*counted, TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("...", total=total)
        begun = [0]

        def step(what: str) -> None:
            progress.update(task, description=f"{in_line(what)} ...", completed=begun[0])
            begun[0] += 1

        yield step


@contextmanager
def _lines(total: int | None) -> Iterator[Callable[[str], None]]:
    """A thread that speaks up while the work goes on."""
    now, begun, done, start = [""], [0], threading.Event(), time.monotonic()

    def step(what: str) -> None:
        now[0] = what
        begun[0] += 1

    def watch() -> None:
        while not done.wait(EVERY):
            if now[0]:
                place = f"{begun[0]} of {total}, " if total and total > 1 else ""
                print(f"karat: {in_line(now[0])}: {place}{time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield step
    finally:
        done.set()
        thread.join()
