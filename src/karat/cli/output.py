"""Text and tables on stdout, in the form that was asked for; JSON; lines on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from karat.cli.layout import GAP, Lines, broken, laid_out, longest, width_of
from karat.cli.progress import steps, working
from karat.core.documents import in_json, in_line, in_markdown, in_terminal, latex_table, markdown_table, unobeyed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from karat.core.finding import Finding
    from karat.core.table import Table

__all__ = [
    "Form", "beginning", "draw_without_a_screen", "form", "note", "print_json", "print_json_by_model", "room", "say",
    "say_findings", "say_named", "show", "show_fitting", "show_table", "steps", "working", "written_as",
]  # fmt: skip

ROWS_PRINTED, ROWS_OF_A_LONG_TABLE = 60, 12
"""A table of more rows than the first is long; of a long one so many rows are printed."""

LEAST_WIDTH, USUAL_WIDTH = 20, 80
"""A terminal that says it is narrower than the first is not believed, and taken for the second."""


class Form(StrEnum):
    """What tables on stdout are written as."""

    TABLE = "table"
    MARKDOWN = "markdown"
    LATEX = "latex"
    JSON = "json"


_forms = [Form.TABLE]


@contextmanager
def written_as(asked: Form) -> Iterator[None]:
    """Inside, tables and text have this form."""
    _forms.append(asked)
    try:
        yield
    finally:
        _forms.pop()


def form() -> Form:
    """The form that was asked for."""
    return _forms[-1]


# ------------------------------------------------------------------------------------------------- JSON


def print_json(facts: Any, indent: int | None = 2) -> None:
    """Plain data on stdout; what is undefined or infinite is null."""
    from karat.core.plain_data import plain

    print(in_json(json.dumps(plain(facts), indent=indent, allow_nan=False, default=str)))


def print_json_by_model(facts: Mapping[str, Any]) -> None:
    """What is known of each model; of a single one without its name."""
    print_json(next(iter(facts.values())) if len(facts) == 1 else facts)


# ------------------------------------------------------------------------------------------------- text


def note(text: str) -> None:
    """A line on stderr."""
    import sys

    print(f"karat: {in_line(text)}", file=sys.stderr)


def say(text: str) -> None:
    """Text on stdout, wrapped to the terminal; a comment in LaTeX."""
    if form() is Form.MARKDOWN:
        print(in_markdown(in_terminal(text), lines=True))
    elif form() is Form.LATEX:
        print("\n".join(f"% {line}".rstrip() if line else "" for line in in_terminal(text).split("\n")))
    else:
        _print(_console(), text)


def say_no_positive(models: Mapping[str, Any], before: str = "\n") -> None:
    """How to see measures of one of two classes, where none was named positive."""
    e = next(iter(models.values()))
    if form() is Form.TABLE and len(e.classes) == 2 and e.positive is None:
        say(f"{before}No positive class was given: --positive CLASS shows precision, recall, F1 and ROC AUC of it.")


def say_named(name: str, text: str, indent: int = 17) -> None:
    """A fact and its name, the lines below each other."""
    from textwrap import fill

    if form() is not Form.TABLE:
        say(f"- {name}: {text}")
        return
    width = max(_console().width, indent + 20)
    _print(_console(), fill(f"{name + ':':<{indent}}{text}", width, subsequent_indent=" " * indent))


def say_findings(findings: Iterable[Finding]) -> None:
    """Each in a paragraph."""
    for finding in findings:
        say(f"\n{finding}")


# ------------------------------------------------------------------------------------------------- tables


def room() -> float:
    """How many cells a line of a table may have."""
    return _console().width if form() is Form.TABLE else float("inf")


def show_fitting(tables: Iterable[tuple[Lines, list[bool]]]) -> None:
    """The first of these tables (lines, and which columns hold numbers) that fits; if none does, the last."""
    for lines, numbers in tables:  # noqa: B007 - the last one is wanted
        if width_of(lines) <= room():
            break
    show(lines, numbers=numbers)


def show_table(table: Table) -> None:
    """A table on stdout."""
    from karat.core.table import aligned, shown

    texts = [[shown(v) for v in values] for values in table.columns.values()]
    columns = [aligned(column) if number else column for column, number in zip(texts, table.numeric, strict=True)]
    show([list(table.columns), *map(list, zip(*columns, strict=True))], numbers=table.numeric)
    for note in table.notes:
        say(note)


def beginning(table: Table) -> str:
    """A table as text; of a long one its beginning."""
    from karat.core.table import Table

    count = len(table.rows)
    if count <= ROWS_PRINTED:
        return repr(table)
    head = Table({name: column[:ROWS_OF_A_LONG_TABLE] for name, column in table.columns.items()}, table.title)
    return f"{head!r}\n... {count} rows in all: -o FILE.csv writes them"


def show(lines: Lines, right: int = 0, numbers: list[bool] | None = None) -> None:
    """A table on stdout, its head first; `right` is how many of the columns after the first two hold numbers (or
    `numbers` says it of each column). One that is wider than the terminal is cut into several, the first column of
    each being the same: nothing is left out."""
    lines = [[in_terminal(text) for text in line] for line in lines]
    of_numbers = numbers or [2 <= i < 1 + right for i in range(len(lines[0]))]
    if form() is Form.MARKDOWN:
        print(f"\n{markdown_table(lines, of_numbers)}\n")  # text beside a table would be taken for a row of it
    elif form() is Form.LATEX:
        print(latex_table(lines, of_numbers))
    else:
        _show_in_terminal(lines, of_numbers)


def _show_in_terminal(lines: Lines, numbers: list[bool]) -> None:
    from rich.table import Table

    console = _console()
    for n, (places, widths) in enumerate(laid_out(lines, numbers, console.width)):
        if n and not any(line[i] for line in lines[1:] for i in places[1:]):
            continue
        if n:
            _print(console, "")
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for i, width in zip(places, widths, strict=True):
            whole = longest(line[i] for line in lines) <= width and not any("\n" in line[i] for line in lines)
            table.add_column(width=width, overflow="fold", no_wrap=whole)
        heads = [broken(lines[0][i], w) if numbers[i] else lines[0][i] for i, w in zip(places, widths, strict=True)]
        height = max(head.count("\n") for head in heads)
        for i, head, column in zip(places, heads, table.columns, strict=True):
            column.header = _cell("\n" * (height - head.count("\n")) + head, numbers[i], column.width or 0)
        for line in lines[1:]:
            table.add_row(*(_cell(line[i], numbers[i], width) for i, width in zip(places, widths, strict=True)))
        _print(console, table)


def _cell(text: str, number: bool, width: int) -> Text:
    """Numbers end at the right, with the blanks behind them, which a console that justifies would take away."""
    from rich.cells import cell_len

    if number:
        text = "\n".join(" " * (width - cell_len(line)) + line for line in text.split("\n"))
    return _literal(text)


# ------------------------------------------------------------------------------------------------- terminal


def draw_without_a_screen() -> None:
    """Into files only, whatever the machine has; without matplotlib `plot()` says what to install."""
    with suppress(ImportError):
        import matplotlib

        matplotlib.use("Agg")


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if console.width < LEAST_WIDTH:
        console.width = USUAL_WIDTH
    return console


def _literal(text: str) -> Text:
    from rich.text import Text

    return Text(in_terminal(text))


def _print(console: Console, what: object) -> None:
    """Without blanks at the ends of lines."""
    with console.capture() as caught:
        console.print(_literal(what) if isinstance(what, str) else what)
    for line in caught.get().splitlines():
        console.file.write(f"{unobeyed(line.rstrip())}\n")
