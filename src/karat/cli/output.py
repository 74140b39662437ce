"""Text, tables and JSON on stdout; what is being done, while it takes long, on stderr."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.text import Text

    from karat.core.finding import Finding
    from karat.core.table import Table

ROWS_PRINTED, ROWS_OF_A_LONG_TABLE = 60, 12
"""A table of more rows than the first is long; of a long one so many rows are printed."""

GAP = 2
"""Blanks between columns."""

HEADING_WIDTH, TEXT_WIDTH, WORD_WIDTH = 16, 24, 40
"""A heading above numbers, a text, and a word are not broken into lines shorter than these."""

LEAST_WIDTH, USUAL_WIDTH = 20, 80
"""A terminal that says it is narrower than the first is not believed, and taken for the second."""

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""What a name may hold and a terminal would obey."""


def print_json(facts: Any, indent: int | None = 2) -> None:
    """Plain data on stdout."""
    print(json.dumps(facts, indent=indent, allow_nan=False))


def print_json_by_model(facts: Mapping[str, Any]) -> None:
    """What is known of each model; of a single one without its name."""
    print_json(next(iter(facts.values())) if len(facts) == 1 else facts)


def show_table(table: Table) -> None:
    """A table on stdout."""
    from karat.core.table import shown

    numbers = [any(isinstance(v, int | float) for v in values) for values in table.columns.values()]
    show([list(table.columns), *([shown(v) for v in row] for row in table.rows)], numbers=numbers)


def beginning(table: Table) -> str:
    """A table as text; of a long one its beginning."""
    from karat.core.table import Table

    count = len(table.rows)
    if count <= ROWS_PRINTED:
        return repr(table)
    head = Table({name: column[:ROWS_OF_A_LONG_TABLE] for name, column in table.columns.items()}, table.title)
    return f"{head!r}\n... {count} rows in all: -o FILE.csv writes them"


def say_findings(findings: Iterable[Finding]) -> None:
    """What should be known."""
    for finding in findings:
        say(f"\n{finding}")


def draw_without_a_screen() -> None:
    """Into files only, whatever the machine has; without matplotlib `plot()` says what to install."""
    with suppress(ImportError):
        import matplotlib

        matplotlib.use("Agg")


def note(text: str) -> None:
    """A line on stderr."""
    import sys

    print(f"karat: {text}", file=sys.stderr)


def say(text: str) -> None:
    """Text on stdout, wrapped to the terminal."""
    _print(_console(), text)


def say_named(name: str, text: str, indent: int = 17) -> None:
    """A fact and its name, the lines below each other."""
    from textwrap import fill

    width = max(_console().width, indent + 20)
    _print(_console(), fill(f"{name + ':':<{indent}}{text}", width, subsequent_indent=" " * indent))


def show(lines: list[list[str]], right: int = 0, numbers: list[bool] | None = None) -> None:
    """A table on stdout, its head first; `right` is how many of the columns after the first two hold numbers (or
    `numbers` says it of each column). One that is wider than the terminal is cut into several, the first column of
    each being the same: nothing is left out."""
    from rich.cells import cell_len
    from rich.table import Table

    console = _console()
    lines = [[CONTROL.sub("\N{REPLACEMENT CHARACTER}", text) for text in line] for line in lines]
    of_numbers = numbers or [2 <= i < 1 + right for i in range(len(lines[0]))]
    for n, (places, widths) in enumerate(laid_out(lines, of_numbers, console.width)):
        if n and not any(line[i] for line in lines[1:] for i in places[1:]):
            continue
        if n:
            _print(console, "")
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for i, width in zip(places, widths, strict=True):
            whole = max(cell_len(line[i]) for line in lines) <= width and not any("\n" in line[i] for line in lines)
            justify: JustifyMethod = "right" if of_numbers[i] else "left"
            table.add_column(justify=justify, width=width, overflow="fold", no_wrap=whole)
        for i, column in zip(places, table.columns, strict=True):
            column.header = _literal(lines[0][i])
        for line in lines[1:]:
            table.add_row(*(_literal(line[i]) for i in places))
        _print(console, table)


def laid_out(lines: list[list[str]], numbers: list[bool], width: int) -> list[tuple[list[int], list[int]]]:
    """Which columns go into one table, and how wide they are."""
    from rich.cells import cell_len

    def longest(texts: list[str]) -> int:
        return max((cell_len(part) for text in texts for part in text.split("\n")), default=0)

    natural, least = [], []
    for i, number in enumerate(numbers):
        head, body = longest([lines[0][i]]), longest([line[i] for line in lines[1:]])
        natural.append(max(head, body, 1))
        word = min(longest([" ".join(line[i] for line in lines).replace(" ", "\n")]), WORD_WIDTH)
        least.append(max(body, min(head, HEADING_WIDTH), 1) if number else min(natural[-1], max(TEXT_WIDTH, word)))
    blocks: list[list[int]] = [[0]]
    for i in range(1, len(numbers)):
        if sum(least[j] + GAP for j in blocks[-1]) + least[i] > width and len(blocks[-1]) > 1:
            blocks.append([0])
        blocks[-1].append(i)
    return [(places, _widths(places, natural, least, width)) for places in blocks]


def _widths(places: list[int], natural: list[int], least: list[int], width: int) -> list[int]:
    """What is left over goes to the columns that need little to be whole, then to those that need much."""
    spare = width - sum(least[i] + GAP for i in places) + GAP
    wide = {i: least[i] for i in places}
    for n, i in enumerate(sorted(places, key=lambda i: natural[i] - least[i])):
        more = min(natural[i] - least[i], spare if natural[i] - least[i] <= spare else spare // (len(places) - n))
        wide[i] += max(more, 0)
        spare -= max(more, 0)
    for i in sorted(places, key=lambda i: least[i] - natural[i]):
        more = max(min(natural[i] - wide[i], spare), 0)
        wide[i] += more
        spare -= more
    over = sum(wide[i] + GAP for i in places) - GAP - width
    if over > 0 and len(places) > 1:  # a narrow terminal: texts are broken, names and numbers are not
        widest = max(places[1:], key=lambda i: wide[i])
        wide[widest] = max(wide[widest] - over, 1)
    return [min(wide[i], width) for i in places]


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if console.width < LEAST_WIDTH:
        console.width = USUAL_WIDTH
    return console


def _literal(text: str) -> Text:
    from rich.text import Text

    return Text(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))


def _print(console: Console, what: object) -> None:
    """Without blanks at the ends of lines."""
    with console.capture() as caught:
        console.print(_literal(what) if isinstance(what, str) else what)
    for line in caught.get().splitlines():
        console.file.write(f"{line.rstrip()}\n")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on stderr what is being done; nothing, if stderr is not a terminal."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{escape(what)} ..."):
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
