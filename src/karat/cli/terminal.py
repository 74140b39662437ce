"""Text and tables on stdout."""

from __future__ import annotations


def say(text: str) -> None:
    """Text on stdout, wrapped to the terminal."""
    from rich.console import Console

    Console(highlight=False, markup=False, soft_wrap=False).print(text)


def show(lines: list[list[str]], right: int = 0) -> None:
    """A table on stdout; `right` is how many of the columns after the first two hold numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, name in enumerate(lines[0]):
        number = 2 <= i < 1 + right
        last = i == len(lines[0]) - 1
        table.add_column(name, justify="right" if number else "left", no_wrap=not last, overflow="fold")
    for line in lines[1:]:
        table.add_row(*line)
    Console(highlight=False, markup=False).print(table)
