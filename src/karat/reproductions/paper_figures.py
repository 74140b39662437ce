"""The figures of a paper, drawn of what its reproduction computed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from karat.core.documents import in_line
from karat.core.errors import InputError, option
from karat.core.study import Tables
from karat.core.table import Table
from karat.core.whole_files import write_whole
from karat.diagrams import Diagram, Several

INDEX = "figures.md"
"""The file that says which figure is which."""


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper, by its number. `made` gets the tables of all studies and what it asks for of the paper's
    inputs (matrices, data, predictions); it gives a diagram, or several, or None if `needs` was not given."""

    number: int
    shows: str
    made: Callable[..., Diagram | Several | None]
    needs: str = ""


def side_by_side(members: Sequence[Diagram]) -> Diagram | Several:
    """Each on axes of its own; one stays as it is."""
    if len(members) == 1:
        return members[0]
    return Several.of(members).plot(layout="multiples")


def drawn_into(
    folder: Path, paper: str, figures: Sequence[PaperFigure], tables: Mapping[str, Tables], given: Mapping[str, Any],
    *, progress: bool = False,
) -> Table:  # fmt: skip
    """Draw what can be drawn, and write the index: a row for each figure, its file, and what it shows or needs."""
    rows = []
    for i, figure in enumerate(figures, 1):
        asked = {name: value for name, value in given.items() if name in signature(figure.made).parameters}
        picture = figure.made(tables, **asked)
        file = f"{paper}-figure_{figure.number:02d}.svg"
        if picture is None:
            rows.append({"figure": figure.number, "file": "", "shows": figure.shows, "needs": figure.needs})
            continue
        _save(picture, folder / file)
        rows.append({"figure": figure.number, "file": file, "shows": figure.shows, "needs": ""})
        if progress:
            print(in_line(f"karat: figure {i} of {len(figures)}: {folder / file}"), file=sys.stderr)
    table = Table.of(rows, f"figures of {paper}")
    write_whole(folder / INDEX, _index(table))
    return table


def folder_for(figures: str | Path) -> Path:
    """The folder, made before any work is done."""
    folder = Path(figures)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise InputError(f"the folder {str(folder)!r} can't be created ({trouble.strerror}); name another.") from None
    return folder


FINENESS = 150
"""Dots per inch of clouds of points, which are pictures in the drawing: a file of them stays below 150 kB."""


def _save(picture: Diagram | Several, file: Path) -> None:
    """Write it, and forget the figure; the same numbers make the same file."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"savefig.dpi": FINENESS, "svg.hashsalt": "karat"}):
        picture.save(file)
    plt.close(picture.figure_)


def _index(table: Table) -> str:
    lines = [f"# {table.title.capitalize()}", "", "| figure | file | what it shows |", "|---|---|---|"]
    for row in table.records:
        file = f"[{row['file']}]({row['file']})" if row["file"] else f"not drawn: it needs {option(row['needs'])}"
        lines.append(f"| {row['figure']} | {file} | {row['shows']} |")
    return "\n".join([*lines, ""])
