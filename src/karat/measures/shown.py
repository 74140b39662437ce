"""Values of measures as a terminal and a notebook show them."""

from __future__ import annotations

import html
from collections.abc import Mapping

from karat.core.measure import measures


def as_text(title: str, values: Mapping[str, float], undefined: Mapping[str, str]) -> str:
    """A line for each family, then what is undefined and why."""
    lines = [title]
    for family in dict.fromkeys(measures[symbol].family for symbol in values):
        found = [(s, v) for s, v in values.items() if measures[s].family == family and v == v]
        cells = [f"{symbol:>5} {_arrow(symbol)} {value:.4f}" for symbol, value in found]
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
            f"<tr><th scope='row' style='text-align:left'>{symbol}</th><td>{_arrow(symbol)}</td>"
            f"<td style='text-align:right'>{text}</td>"
            f"<td style='text-align:left'>{html.escape(measures[symbol].question)}</td></tr>"
        )
    return (
        f"<table><caption>{html.escape(title)}</caption><thead><tr><th scope='col'>measure</th>"
        "<th scope='col'>better</th><th scope='col'>value</th><th scope='col'>question</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _arrow(symbol: str) -> str:
    return ("↓", "·", "↑")[measures[symbol].orientation + 1]
