"""The index of pandas columns: those of the same cases must not have different ones, unless they are to be put in one
order by it. What has no index (numpy, lists, polars, Arrow) belongs together row by row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from karat.core.errors import InputError, option, quoted, type_words
from karat.core.validation import one_of
from karat.data.containers import readable, refuse_evaluation

ALIGNMENTS = ("row", "index")
"""Rows belong together as they stand, and what labels they have must agree; or by their labels."""


EXPECTED = {
    "y_true": "one label for each case",
    "y_proba": "a number for each case and class",
    "y_pred": "one label for each case",
    "y_score": "a number for each case and class",
    "sample_weight": "one number for each case",
    "ids": "one str or int for each case",
}
"""What an argument is."""


def matched_rows(columns: dict[str, Any], align: str) -> dict[str, Any]:
    """Columns by name (None: not given) whose rows are of the same cases; the order of the first is that of all."""
    others = [name for name, column in columns.items() if column is not None and type(column) is not np.ndarray]
    for name in others:
        columns[name] = readable(columns[name], name, EXPECTED[name])
    if align is not ALIGNMENTS[0] and one_of("align", align, ALIGNMENTS) == "index":  # the default is not looked at
        return _by_label(columns)
    first = None
    for name in others:
        column = columns[name]
        if row_labels_of(column) is None:
            continue
        if first is None:
            first = name
        elif len(column) == len(columns[first]) and not columns[first].index.equals(column.index):
            raise InputError(_difference(first, list(columns[first].index), name, list(column.index)))
    return columns


def row_labels_of(column: Any) -> Any:
    """The index of a pandas column; None for all else."""
    return column.index if hasattr(column, "iloc") else None


def refuse_other_labels(wanted: Any, column: Any, name: str, first: str = "y_true") -> None:
    """A column that is given later must have the index that `y_true` (or what else was `first`) had; None: none."""
    labels = row_labels_of(column)
    if _differ(wanted, labels):
        raise InputError(_difference(first, list(wanted), name, list(labels), f"{name}.reindex({first}.index)"))


def refuse_unlike_rows(columns: Iterable[tuple[str, Any]]) -> None:
    """Columns of the same cases, by name, where rows can't be matched by their labels: they must not differ."""
    labelled = [(n, c) for n, c in columns if row_labels_of(refuse_evaluation(c, n)) is not None]
    for name, column in labelled[1:]:
        refuse_other_labels(row_labels_of(labelled[0][1]), column, name, labelled[0][0])


def refuse_unlike_models(first: str, wanted: Any, name: str, labels: Any) -> None:
    """The same of two models that were evaluated one by one: what their `y_true` had as index (None: it had none)."""
    if _differ(wanted, labels):
        by_label, by_row = "ids=y_true.index to karat.evaluate", "evaluate both with y_true.to_numpy()"
        raise InputError(_difference(first, list(wanted), name, list(labels), by_label, by_row))


def _differ(wanted: Any, labels: Any) -> bool:
    known = wanted is not None and labels is not None and len(wanted) == len(labels)
    return known and not wanted.equals(labels)


def _difference(
    first: str, wanted: list[Any], name: str, labels: list[Any], by_label: str = "", by_row: str = ""
) -> str:
    """Where two indexes differ, and what to do; `by_label` is what to pass to pair rows by label, `by_row` what to do
    to pair them as they stand."""
    differ = [i for i, (a, b) in enumerate(zip(wanted, labels, strict=True)) if a != b]
    there, here = (quoted([index[i] for i in differ]) for index in (wanted, labels))
    words = f"the pandas indexes of {first} and {name} differ, the first time in row {differ[0] if differ else 0}"
    by_row = by_row or f"pass {name}.to_numpy(), or .reset_index(drop=True) of both"
    by_row = f"if rows belong together as they stand, {by_row}"
    if len(set(wanted)) == len(wanted) and set(wanted) == set(labels):
        words += " (the same labels in another order)"
        by_row = f"pass {by_label or option('align', 'index')} to pair rows by label; {by_row}"
    return f"{words}: {there} against {here}; {by_row}."


def _by_label(columns: dict[str, Any]) -> dict[str, Any]:
    """All columns in the order of the first."""
    words = option("align", "index")
    for name, column in columns.items():
        if column is not None and not hasattr(column, "iloc"):
            raise InputError(
                f"{words} needs a pandas index on every argument, and {name} is {type_words(column)}; pass pandas "
                "columns, or leave it out to pair by row."
            )
        if column is not None and not column.index.is_unique:
            doubled = column.index[column.index.duplicated()].unique()
            raise InputError(
                f"{words} needs an index of unique labels, and that of {name} has {quoted(doubled)} more than once; "
                "give each case a label of its own, or pair by row."
            )
    (first, truth), *others = columns.items()
    matched = {first: truth}
    for name, column in others:
        matched[name] = column
        if column is None or truth.index.equals(column.index):
            continue
        lacking = truth.index.difference(column.index, sort=False)
        foreign = column.index.difference(truth.index, sort=False)
        if len(lacking) or len(foreign):
            parts = [f"{name} lacks the labels {quoted(lacking)} of {first}"] if len(lacking) else []
            parts += [f"{name} has the labels {quoted(foreign)}, which {first} lacks"] if len(foreign) else []
            raise InputError(f"{words}: {'; '.join(parts)}; give both for the same cases.")
        matched[name] = column.iloc[column.index.get_indexer(truth.index)]
    return matched
