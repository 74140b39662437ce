"""The worst confusions of so many classes that a table of all of them would be too large."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.diagrams import ConfusionMatrix
from karat.page.json_numbers import table_rows
from karat.statistics import Counts, Summary
from karat.statistics.counts import DENSE, SparseCounts


def too_many(s: Summary) -> bool:
    """Is the table of all classes kept as its cells that are not empty?"""
    return len(s.source.classes) * len(s.source.outputs) > DENSE


def worst_confusions(models: Mapping[str, Summary], top: int) -> list[dict[str, Any]]:
    """The maps of the classes that the models mix up most."""
    tables = {i: cells_of(s[Counts]) for i, s in enumerate(models.values()) if not s.lacks(Counts)}
    if not tables:
        return []
    rows = mixed_up(reduce(add, tables.values()), top)
    maps = []
    for i, s in enumerate(models.values()):
        if i in tables:
            outputs = s.source.outputs
            columns = [*rows, *range(len(s.source.classes), len(outputs))]
            axes = {"rows": rows, "columns": columns, "outputs": [str(outputs[j]) for j in columns]}
            shown = {"cells": table_rows(part_of(tables[i], rows, columns), None), "top": top}
            maps.append({"model": i, "diagram": ConfusionMatrix.name, **axes, **shown})
    return maps


def cells_of(counts: Counts) -> SparseCounts:
    """The cells that are not empty."""
    if isinstance(counts, SparseCounts):
        return counts
    rows, columns = np.nonzero(counts.table)
    return SparseCounts(rows, columns, counts.table[rows, columns], counts.table.shape)


def mixed_up(counts: SparseCounts, number: int) -> list[int]:
    """The classes of the most frequent confusions, until there are enough; then the first ones."""
    k = counts.size[0]
    wrong = (counts.rows != counts.columns) & (counts.columns < k)
    rows, columns = counts.rows[wrong], counts.columns[wrong]
    worst: dict[int, None] = {}
    for at in np.argsort(-counts.values[wrong], kind="stable").tolist():
        if len(worst) >= number:
            break
        worst |= dict.fromkeys((int(rows[at]), int(columns[at])))
    for j in range(min(number, k)):
        if len(worst) < number:
            worst.setdefault(j)
    return sorted([*worst][:number])


def part_of(counts: SparseCounts, rows: list[int], columns: list[int]) -> Array:
    """Some rows and columns of the table."""
    there = np.isin(counts.rows, rows) & np.isin(counts.columns, columns)
    table = np.zeros((len(rows), len(columns)))
    down, across = ({place: i for i, place in enumerate(places)} for places in (rows, columns))
    for row, column, value in zip(counts.rows[there], counts.columns[there], counts.values[there], strict=True):
        table[down[int(row)], across[int(column)]] = value
    return table
