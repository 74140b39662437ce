"""Values of measures, and tables of classes, as a terminal and a notebook show them."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from karat.core.measure import measures
from karat.core.words import arrow

DAGGER = "†"
"""Stands at a value that there is something to know about."""


def as_text(title: str, values: Mapping[str, float], undefined: Mapping[str, str], said: Mapping[str, str]) -> str:
    """A line for each family, then what is undefined and why, then what should be known of values."""
    lines = [title]
    for family in dict.fromkeys(measures[symbol].family for symbol in values):
        members = {s: v for s, v in values.items() if measures[s].family == family and v == v}
        cells = [f"{s:>5} {arrow(measures[s].orientation)} {value:.4f}" for s, value in members.items()]
        for i in range(0, len(cells), 5):
            label = family.replace("_", " ") if i == 0 else ""
            lines.append(f"  {label:<18}" + "  ".join(f"{cell:<15}" for cell in cells[i : i + 5]).rstrip())
    lines += [f"  undefined: {' '.join(symbols)}: {reason}" for reason, symbols in by_sentence(undefined).items()]
    lines += [f"  note: {' '.join(symbols)}: {sentence}" for sentence, symbols in by_sentence(said).items()]
    return "\n".join(lines)


def by_sentence(said: Mapping[str, str]) -> dict[str, list[str]]:
    """Sentence to symbols: what is said of several measures is said once.

    >>> by_sentence({"MCC": "so it is", "CEN": "not so", "tMCC": "so it is"})
    {'so it is': ['MCC', 'tMCC'], 'not so': ['CEN']}
    """
    symbols: dict[str, list[str]] = {}
    for symbol, sentence in said.items():
        symbols.setdefault(sentence, []).append(symbol)
    return symbols


def as_html(title: str, values: Mapping[str, float], undefined: Mapping[str, str], said: Mapping[str, str]) -> str:
    """A table: measure, which direction is better, value or reason, question; what should be known of a value is under
    its mark."""
    rows = []
    for symbol, value in values.items():
        text = f"{value:.4f}" if value == value else f"<em>undefined: {html.escape(undefined[symbol])}</em>"
        if symbol in said:
            text += f"<sup title='{html.escape(said[symbol])}'>{DAGGER}</sup>"
        rows.append(
            f"<tr><th scope='row' style='text-align:left'>{symbol}</th><td>{arrow(measures[symbol].orientation)}</td>"
            f"<td style='text-align:right'>{text}</td>"
            f"<td style='text-align:left'>{html.escape(measures[symbol].question)}</td></tr>"
        )
    feet = [
        f"<p>{DAGGER} {html.escape(' '.join(symbols))}: {html.escape(sentence)}</p>"
        for sentence, symbols in by_sentence(said).items()
    ]
    return (
        f"<table><caption>{html.escape(title)}</caption><thead><tr><th scope='col'>measure</th>"
        "<th scope='col'>better</th><th scope='col'>value</th><th scope='col'>question</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>{''.join(feet)}"
    )


def crossed(corner: str, rows: tuple[Any, ...], columns: tuple[Any, ...], cells: list[Any]) -> dict[str, list[Any]]:
    """Named rows and columns; the column of the row names is called `corner`, or a name that no class has."""
    names = [str(name) for name in columns]
    while corner in names:
        corner += "_"
    return {corner: list(rows), **dict(zip(names, cells, strict=True))}
