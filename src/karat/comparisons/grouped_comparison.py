"""Models compared within each group of the cases: where one is better, and where another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.comparisons.model_comparison import compare
from karat.core.table import Table
from karat.core.words import PValue, counted, difference_words, listed, number
from karat.evaluation import Evaluation, evaluations_in_one_order
from karat.groups import GroupColumn
from karat.groups.group_tables import SMALLEST
from karat.measures.lookup import measures_named
from karat.statistics.p_values import holm


def compare_by_group(
    models: Mapping[str, Evaluation], columns: Mapping[str, GroupColumn], measures: Any, **options: Any
) -> Table:
    """One row for each group, measure and pair of models: both values, their difference with its interval, and its
    p-value, corrected over all rows by Holm's method. Groups with fewer than 10 cases are named below it. The columns
    are in the order of the cases of the first model; `options` are those of `compare`."""
    rows: list[dict[str, Any]] = []
    small: list[str] = []
    for column in columns.values():
        for place, label in enumerate(column.labels):
            cases = np.flatnonzero(column.codes == place)
            if len(cases) < SMALLEST:
                small.append(label)
            else:
                rows += _rows(column.name, label, _taken(models, cases), measures, options)
    corrected = holm([row["p"] for row in rows]).tolist() if rows else []
    table = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    if rows:
        notes_of_rows = table.pop("note")
        table["p"], table["p (Holm)"] = ([PValue(p) for p in ps] for ps in (table["p"], corrected))
        table |= {"note": notes_of_rows} if any(notes_of_rows) else {}
    notes = (f"Not compared: {listed(small, 5)} (fewer than {counted(SMALLEST)}).",) if small else ()
    return Table(table, "Differences within groups", notes)


def tables_by_measure(within: Table) -> list[Table]:
    """The same as people read it: a table for each measure, with a row for each group and pair of models."""
    rows = [dict(zip(within.columns, row, strict=True)) for row in zip(*within.columns.values(), strict=True)]
    of_measure = {
        title: [row for row in rows if row["measure"] == title] for title in within.columns.get("measure", ())
    }
    several = len({row["by"] for row in rows}) > 1
    pairs = len({(row["first"], row["second"]) for row in rows}) > 1
    return [Table(_displayed(some, several, pairs), title) for title, some in of_measure.items()]


def _displayed(rows: list[dict[str, Any]], several: bool, pairs: bool) -> dict[str, list[Any]]:
    """Columns that fit side by side: which group, how many cases, which models, the difference and its interval, p."""
    columns: dict[str, list[Any]] = {
        rows[0]["by"] if not several else "group": [
            f"{r['by']} = {r['group']}" if several else r["group"] for r in rows
        ],
        "cases": [r["cases"] for r in rows],
    }
    if pairs:
        columns["models"] = [f"{r['first']} - {r['second']}" for r in rows]
    columns |= {
        "difference": [
            difference_words(r["difference"], r["low"], r["high"]) if r["low"] == r["low"] else number(r["difference"])
            for r in rows
        ],
        "p (Holm)": [r["p (Holm)"] for r in rows],
    }
    noted = [r.get("note", "") for r in rows]
    return columns | ({"note": noted} if any(noted) else {})


def _taken(models: Mapping[str, Evaluation], cases: Any) -> dict[str, Evaluation]:
    """The cases at these places of every model, in the order of the first."""
    taken = {}
    for name, e in evaluations_in_one_order(models).items():
        predictions = e.statistics.source.cases
        assert predictions is not None
        taken[name] = Evaluation(predictions.take(cases))
    return taken


def _rows(by: str, label: str, models: Mapping[str, Evaluation], measures: Any, options: Any) -> list[dict[str, Any]]:
    first = next(iter(models.values()))
    named = measures_named(measures, first.statistics)
    compared = compare(models, measures=named, **options)
    return [
        {
            "by": by, "group": label, "cases": int(first.n), "measure": pair[m.symbol].title or m.symbol,
            "first": one, "second": other, "difference": pair[m.symbol].difference, "low": pair[m.symbol].low,
            "high": pair[m.symbol].high, "p": pair[m.symbol].p, "note": pair[m.symbol].reason,
        }
        for m in named
        for (one, other), pair in compared.items()
    ]  # fmt: skip
