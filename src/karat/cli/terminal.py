"""Text and tables on stdout; what is being done, while it takes long, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


def say(text: str) -> None:
    """Text on stdout, wrapped to the terminal."""
    from rich.console import Console

    Console(highlight=False, markup=False, soft_wrap=False).print(text)


def show(lines: list[list[str]], right: int = 0, numbers: list[bool] | None = None) -> None:
    """A table on stdout, its head first; `right` is how many of the columns after the first two hold numbers (or
    `numbers` says it of each column)."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(lines[0]):
        number = numbers[i] if numbers is not None else 2 <= i < 1 + right
        short = max((len(line[i]) for line in lines), default=0) <= SHORT
        last = i == len(lines[0]) - 1
        table.add_column(name, justify="right" if number else "left", no_wrap=short and not last, overflow="fold")
    for line in lines[1:]:
        table.add_row(*line)
    Console(highlight=False, markup=False).print(table)


SHORT = 40
"""A column with longer texts is wrapped."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on stderr what is being done; nothing, if stderr is not a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{what} ..."):
        yield


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Says on stderr what is being done, one step after the other, and for how long; nothing, if stderr is not a
    terminal."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda what: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("...", total=None)
        yield lambda what: progress.update(task, description=f"{what} ...")
