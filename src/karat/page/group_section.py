"""Groups on the page: a table of the gaps that needs no script, and the numbers that its script shows by group."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.table import Table, shown
from karat.core.words import counted, interval, short
from karat.groups import ByColumn, ByGroup
from karat.groups.group_gaps import gaps_table
from karat.page.content import Content
from karat.page.json_numbers import exact_numbers, short_numbers
from karat.page.marks import model_name
from karat.statistics import ClassBins, ScoreTable, Summary

MOST_MODELS = 8
"""Models whose groups are shown."""
MOST_GROUPS = 1000
"""Groups of a column: of more, the largest."""
POINTS, FEWEST_POINTS, MOST_POINTS = 20_000, 12, 60
"""Points of all ROC curves together, and of one of them."""
LONGEST_NAME = 60
"""Of a group, in the table of gaps."""
PERMUTATIONS = 999
"""Of the tests of gaps."""


def group_tables(content: Content) -> dict[str, dict[str, ByGroup]]:
    """Model to its groups, by column."""
    found = {}
    for name, e in list(content.grouped_models.items())[:MOST_MODELS]:
        groups: Any = e.by(level=content.level)
        found[name] = dict(groups) if isinstance(groups, ByColumn) else {groups.name: groups}
    return found


def group_section(content: Content) -> tuple[str, list[dict[str, Any]]]:
    """The section as HTML, and its data; both empty where no columns of groups were given."""
    tables = group_tables(content)
    if not tables:
        return "", []
    parts, data = [], []
    size = sum(len(g.groups) for of_model in tables.values() for g in of_model.values())
    points = min(max(POINTS // size, FEWEST_POINTS), MOST_POINTS)
    for name, by_column in tables.items():
        place = content.names.index(name)
        gaps = {
            column: [g.gap(m, level=content.level, replicates=PERMUTATIONS) for m in g.shown_measures()]
            for column, g in by_column.items()
        }
        head = f"<h3>{model_name(content, name)}</h3>" if len(content.models) > 1 else ""
        parts.append(head + _gaps_html(gaps_table(gaps)))
        data += [_group_data(place, g, points) for g in by_column.values()]
    more = len(content.grouped_models) - len(tables)
    left = f'<p class="quiet">{counted(more, "more model")} not shown by group.</p>' if more else ""
    said = (
        "Largest difference between groups, its p-value by permuting the group labels, and the same after Holm's "
        "correction over the rows of a table. Groups with few cases are not compared."
    )
    html = (
        '<section id="groups" aria-labelledby="groups-title"><h2 id="groups-title">Groups</h2>'
        '<div class="only-script" id="groups-live"></div><h3>Gaps</h3>'
        f'<p class="quiet">{said}</p>{"".join(parts)}{left}'
        "</section>"
    )
    return html, data


def _gaps_html(table: Table) -> str:
    columns = dict(table.columns)
    notes, low, high = (columns.pop(name) for name in ("note", "low", "high"))
    ends = [
        interval(v, a, b) if a == a and b == b else shown(v)
        for v, a, b in zip(columns["value"], low, high, strict=True)
    ]
    columns = {"difference" if k == "value" else k: ends if k == "value" else v for k, v in columns.items()}
    columns |= {"note": notes} if any(notes) else {}
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td><bdi>{escape(short(shown(v), LONGEST_NAME))}</bdi></td>" for v in row) + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="gaps between groups"><table class="gaps"><thead><tr>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _group_data(model: int, g: ByGroup, points: int) -> dict[str, Any]:
    """Everything that is shown of one column of one model."""
    kept = g.largest(MOST_GROUPS)
    at = [g.groups.index(group) for group in kept]
    rows = [_of_measure(g, m.symbol, at) for m in g.shown_measures()]
    return {
        "model": model,
        "by": g.name,
        "note": g.note,
        "left": len(g.groups) - len(kept),
        "groups": kept,
        "cases": [g.cases[i] for i in at],
        "measures": rows,
        "curves": [_curves(g.parts[i], points) for i in at],
        "all": _curves(g.whole, MOST_POINTS),
    }


def _of_measure(g: ByGroup, symbol: str, at: list[int]) -> dict[str, Any]:
    table = g[symbol]
    numbers = {
        name: short_numbers([getattr(table, name)[i] for i in at]) for name in ("value", "low", "high", "difference")
    }
    why = {str(place): table.reason[i] for place, i in enumerate(at) if table.reason[i]}
    return {"symbol": symbol, "title": table.title, "overall": short_numbers([table.overall])[0], "why": why, **numbers}


def _curves(part: Summary, points: int) -> dict[str, Any]:
    """The ROC curve, thinned, and the reliability in ten bins, of the positive of two classes; none where there is no
    score, or a single class."""
    source = part.source
    if len(source.classes) != 2 or source.positive is None or part.lacks(ScoreTable):
        return {}
    curves: dict[str, Any] = {}
    table = part.table_of_class(source.positive)
    hits, alarms = table.true_positives, table.false_positives
    if hits[-1] > 0 and alarms[-1] > 0:
        x, y = alarms / alarms[-1], hits / hits[-1]
        along = np.linspace(0, 2, points)
        kept = np.unique(np.append(np.searchsorted(x + y, along, side="left").clip(0, len(x) - 1), [0, len(x) - 1]))
        curves["roc"] = [short_numbers(x[kept], 3), short_numbers(y[kept], 3)]
    if not part.lacks(ClassBins):
        try:
            bins = part.get(ClassBins)
        except InputError:
            return curves
        weight, forecast, share = (
            np.asarray(part_of)[source.positive] for part_of in (bins.weight, bins.forecast, bins.hits)
        )
        there = weight > 0
        curves["bins"] = [
            short_numbers(forecast[there] / weight[there], 3),
            short_numbers(share[there] / weight[there], 3),
            exact_numbers(weight[there]),
        ]
    return curves
