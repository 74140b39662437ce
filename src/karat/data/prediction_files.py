"""Predictions out of files: CSV, TSV, Parquet, Arrow, JSON lines, .npz; a bare confusion matrix out of CSV.

A predictions file has a column `y_true` and one column `p_<class>` for each class (or one column for two classes: the
probability `p_<class>` of one of them, or a `score`), perhaps `y_pred`, `weight` and `model`. Other names are said by
`Names`, as is the column of ids, which is read only if it is named. Where columns themselves are named as probabilities
(`lgbm,logit`), each holds those of the positive class by one model. An .npz file has arrays of these names, or of those
that `karat.evaluate` takes: `y_proba` with `labels`, `y_score`, `sample_weight`.

Labels keep their type: in CSV, which has no types, they are whole numbers if all are, truth values if all are True or
False, and texts otherwise (007 is a text).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError, option
from karat.data.files import FileColumns, columns_of_file, name_of
from karat.data.labels import labels_of, typed
from karat.data.matrix import Matrix
from karat.data.prediction_columns import ColumnRoles, Names, RolesReader, numbers_in
from karat.data.source import Source

__all__ = ["FileModels", "Names", "read", "table_of"]

TRUTH_NAMES = ("y_true", "y", "label", "labels", "target", "truth", "true", "true_label", "actual", "class", "gold",
               "ground_truth")  # fmt: skip
"""Names that others give."""


class FileModels(dict[str, Source]):
    """The models of a file, what columns it has (none, if it is a confusion matrix), and for each model the group of
    each case, if a column of groups was named, and the other columns that were to be read beside its predictions."""

    def __init__(
        self,
        models: Mapping[str, Source],
        columns: Mapping[str, Any] | None = None,
        groups: Mapping[str, Any] | None = None,
        beside: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(models)
        self.columns = columns or {}
        self.groups = groups or {}
        self.beside = beside or {}


def read(
    path: str | Path,
    names: Names | None = None,
    *,
    file_format: str | None = None,
    positive: Any = None,
    labels: list[Any] | None = None,
    normalise: bool = False,
    reject: Any = None,
    limit: Any = None,
) -> FileModels:
    """The predictions of each model in a file; "-" is stdin (CSV, unless `file_format` says otherwise). `limit`: bytes
    that may be read of it, such as "4GB"."""
    names = names or Names()
    labelled = (names.truth, names.called("decided"), names.called("model"), names.ids, names.groups, *names.beside)

    def texts(columns: list[str]) -> list[str]:
        return [name for name in labelled if name in columns] if names.truth in columns else columns[:1]

    table = columns_of_file(path, file_format, texts, limit)
    if names.truth not in table:
        matrix = _matrix(table, positive, labels)
        if matrix is not None:
            for role, name in (("ids", names.ids), ("groups", names.groups), ("attributes", names.beside)):
                if name:
                    raise InputError(
                        f"{table.path} is a confusion matrix, whose cases have no {role}; leave {option(role)} out, or "
                        "give a file of predictions."
                    )
            return FileModels({name_of(path): matrix})
        raise InputError(_no_truth(table, names))
    reader = RolesReader(table, names, positive, labels, normalise, reject)
    parts = reader.parts()
    if len(reader.of_positive) > 1:
        of_model = reader.by_column(parts)
    elif parts.models is None:
        of_model = {name_of(path): parts}
    else:
        of_model = {str(m): parts.of_rows(parts.models == m) for m in dict.fromkeys(parts.models.tolist())}
    if not parts.proba and parts.models is not None and labels is None:
        reader = replace(reader, labels=_all_labels(parts, reject))  # one that a model never names is a class, too
    which = {name: f" ({name})" if len(of_model) > 1 or parts.models is not None else "" for name in of_model}
    return FileModels(
        {name: reader.predictions(own, which[name]) for name, own in of_model.items()},
        table.columns,
        {name: own.groups for name, own in of_model.items() if own.groups is not None},
        {name: own.beside for name, own in of_model.items()},
    )


def table_of(path: str | Path, file_format: str | None = None, limit: Any = None) -> FileColumns:
    """Column name to values, of any of the formats."""
    return columns_of_file(path, file_format, lambda names: [], limit)


def _all_labels(parts: ColumnRoles, reject: Any) -> list[Any]:
    """All labels of a file, sorted."""
    labels = {*parts.truth.tolist()} | ({*parts.decided.tolist()} if parts.decided is not None else set())
    return sorted(labels - {typed(reject, list(labels))}, key=lambda label: (str(type(label)), label))


def _matrix(table: FileColumns, positive: Any, labels: list[Any] | None) -> Matrix | None:
    """A confusion matrix: class names in the first row and in the first column; None if the table is none."""
    first, *columns = table
    if table.file_format == "npz" or not columns:
        return None
    rows, _ = labels_of(table, first)
    named = [str(row) for row in rows.tolist()]
    if not {*named} & {*columns}:
        return None
    import pyarrow as pa

    cells = {name: numbers_in(table[name], name, table) for name in columns}
    table_of_cells = np.column_stack(list(cells.values()))
    if len(named) > 2 and named[-1] == columns[-1] and _totals(table_of_cells):
        raise InputError(f"{table.path} has totals in the row and column {named[-1]!r}; leave them out.")
    order = None if labels is None else [typed(label, rows.tolist()) for label in labels]
    try:
        return Matrix.of(pa.table({"truth": rows.tolist(), **cells}), order, typed(positive, rows.tolist()))
    except InputError as problem:
        raise type(problem)(f"{table.path}: {problem}") from None


def _totals(cells: Any) -> bool:
    """Are the last row and the last column the sums of the others?"""
    square = cells.shape[0] == cells.shape[1] and cells.any()
    return bool(
        square and (cells[-1] == cells[:-1].sum(axis=0)).all() and (cells[:, -1] == cells[:, :-1].sum(axis=1)).all()
    )


def _no_truth(table: FileColumns, names: Names) -> str:
    known = [name for name in table if name.casefold() in TRUTH_NAMES]
    return (
        f"{table.path} has no column {names.truth!r} for the true labels; its columns are {table.listed}: name it "
        f"with {option('truth', *known[:1])} (a confusion matrix has the class names in its first row and its first "
        "column)."
    )
