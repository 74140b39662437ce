"""Values of measures, and tables of classes, as a terminal and a notebook show them."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from karat.core.measure import measures
from karat.core.words import arrow


def as_text(title: str, values: Mapping[str, float], undefined: Mapping[str, str]) -> str:
    """A line for each family, then what is undefined and why."""
    lines = [title]
    for family in dict.fromkeys(measures[symbol].family for symbol in values):
        members = {s: v for s, v in values.items() if measures[s].family == family and v == v}
        cells = [f"{s:>5} {arrow(measures[s].orientation)} {value:.4f}" for s, value in members.items()]
        for i in range(0, len(cells), 5):
            label = family.replace("_", " ") if i == 0 else ""
            lines.append(f"  {label:<18}" + "  ".join(f"{cell:<15}" for cell in cells[i : i + 5]).rstrip())
    for reason in dict.fromkeys(undefined.values()):
        symbols = " ".join(s for s in undefined if undefined[s] == reason)
        lines.append(f"  undefined: {symbols}: {reason}")
    return "\n".join(lines)


def as_html(title: str, values: Mapping[str, float], undefined: Mapping[str, str]) -> str:
    """A table: measure, which direction is better, value or reason, question."""
    rows = []
    for symbol, value in values.items():
        text = f"{value:.4f}" if value == value else f"<em>undefined: {html.escape(undefined[symbol])}</em>"
        rows.append(
            f"<tr><th scope='row' style='text-align:left'>{symbol}</th><td>{arrow(measures[symbol].orientation)}</td>"
            f"<td style='text-align:right'>{text}</td>"
            f"<td style='text-align:left'>{html.escape(measures[symbol].question)}</td></tr>"
        )
    return (
        f"<table><caption>{html.escape(title)}</caption><thead><tr><th scope='col'>measure</th>"
        "<th scope='col'>better</th><th scope='col'>value</th><th scope='col'>question</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def crossed(corner: str, rows: tuple[Any, ...], columns: tuple[Any, ...], cells: list[Any]) -> dict[str, list[Any]]:
    """Named rows and columns; the column of the row names is called `corner`, or a name that no class has."""
    names = [str(name) for name in columns]
    while corner in names:
        corner += "_"
    return {corner: list(rows), **dict(zip(names, cells, strict=True))}
