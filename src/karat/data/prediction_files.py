"""Predictions out of files: CSV, TSV, Parquet, Arrow, JSON lines, .npz; a bare confusion matrix out of CSV.

A predictions file has a column `y_true` and one column `p_<class>` for each class (or one column for two classes: the
probability `p_<class>` of one of them, or a `score`), perhaps `y_pred`, `weight` and `model`. Other names are said by
`Names`, as is the column of ids, which is read only if it is named. An .npz file has arrays of these names, or of those
that `karat.evaluate` takes: `y_proba` with `labels`, `y_score`, `sample_weight`.

Labels keep their type: in CSV, which has no types, they are whole numbers if all are, truth values if all are True or
False, and texts otherwise (007 is a text).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError, LabelError, ProbabilityError, option, quoted
from karat.data.arrays import is_missing, objects
from karat.data.files import FileColumns, columns_of_file, name_of
from karat.data.labels import labels_of, seen_labels, typed
from karat.data.matrix import Matrix
from karat.data.predictions import Predictions
from karat.data.source import Source

TRUTH_NAMES = ("y_true", "y", "label", "labels", "target", "truth", "true", "true_label", "actual", "class", "gold",
               "ground_truth")  # fmt: skip
SCORE_NAMES = ("y_score", "scores", "decision_function", "logit", "margin", "proba", "probability", "prob")
DECISION_NAMES = ("pred", "prediction", "predicted", "predictions", "y_hat", "yhat", "decision", "predicted_label")
"""Names that others give; karat asks, it does not guess."""


@dataclass(frozen=True)
class Names:
    """What the columns are called; None: by the default name, if there is such a column."""

    truth: str = "y_true"
    proba: str = "p_"
    """what the names of the columns of probabilities begin with"""
    score: str | None = None
    decided: str | None = None
    weight: str | None = None
    model: str | None = None
    ids: str | None = None
    """whose case each is; None: not read, whatever columns there are"""
    groups: str | None = None
    """which cases belong together; None: not read, either"""
    beside: tuple[str, ...] = ()
    """what else is to be read of each case: attributes, dates"""

    DEFAULTS = {"score": "score", "decided": "y_pred", "weight": "weight", "model": "model"}  # noqa: RUF012

    def called(self, role: str) -> str:
        """The name of the column for a role."""
        return getattr(self, role) or Names.DEFAULTS[role]


class FileModels(dict[str, Source]):
    """The models of a file, what columns it has (none, if it is a confusion matrix), and for each model the group of
    each case, if a column of groups was named, and the other columns that were to be read beside its predictions."""

    def __init__(
        self,
        models: Mapping[str, Source],
        columns: tuple[str, ...] = (),
        groups: Mapping[str, Any] | None = None,
        beside: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(models)
        self.columns = columns
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
    labelled = (names.truth, names.called("decided"), names.called("model"), names.ids, names.groups)

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
    reader = _Reader(table, names, positive, labels, normalise, reject)
    parts = reader.parts()
    if parts.models is None:
        name = name_of(path)
        return FileModels(
            {name: reader.predictions(parts)}, tuple(table), _of_models({name: parts}), {name: parts.beside}
        )
    if not parts.proba and labels is None:  # a class that one model never names is one of the classes all the same
        reader = replace(reader, labels=_all_labels(parts, reject))
    of_model = {str(m): parts.of_rows(parts.models == m) for m in dict.fromkeys(parts.models.tolist())}
    models = {name: reader.predictions(own, f" ({name})") for name, own in of_model.items()}
    beside = {name: own.beside for name, own in of_model.items()}
    return FileModels(models, tuple(table), _of_models(of_model), beside)


def _of_models(parts: Mapping[str, _Parts]) -> dict[str, Any]:
    """Model to the group of each of its cases, if they were said."""
    return {name: own.groups for name, own in parts.items() if own.groups is not None}


def table_of(path: str | Path, file_format: str | None = None, limit: Any = None) -> Mapping[str, Any]:
    """Column name to values, of any of the formats."""
    return columns_of_file(path, file_format, lambda names: [], limit)


@dataclass(frozen=True)
class _Parts:
    """The columns of a file by what they are for."""

    truth: Any
    proba: dict[Any, Any]
    """class to its probabilities"""
    score: Any = None
    decided: Any = None
    weight: Any = None
    models: Any = None
    ids: Any = None
    groups: Any = None
    beside: dict[str, Any] = field(default_factory=dict)
    """other columns by name, in which values may be missing (None)"""

    def of_rows(self, rows: Any) -> _Parts:
        named: dict[str, Any] = {
            role: {name: c[rows] for name, c in getattr(self, role).items()} for role in ("proba", "beside")
        }
        columns: dict[str, Any] = {
            role: c if c is None else c[rows] for role, c in vars(self).items() if role not in named
        }
        return _Parts(**columns, **named)


def _all_labels(parts: _Parts, reject: Any) -> list[Any]:
    """All labels of a file, sorted."""
    labels = {*parts.truth.tolist()} | ({*parts.decided.tolist()} if parts.decided is not None else set())
    return sorted(labels - {typed(reject, list(labels))}, key=lambda label: (str(type(label)), label))


NamedColumns = dict[Any, tuple[str, Any]]
"""Class to the name and the values of its column of probabilities."""


@dataclass(frozen=True)
class _Reader:
    """The columns of a file, and what was said about how to read them."""

    table: FileColumns
    names: Names
    positive: Any
    labels: list[Any] | None
    normalise: bool
    reject: Any

    def parts(self) -> _Parts:
        """Find every column, and say what would help if one is not there."""
        table, names = self.table, self.names
        self._refuse_absent()
        truth, decided = labels_of(table, names.truth, names.called("decided"), self.reject)
        columns = self._probabilities(truth) if names.score is None else {}
        score = self._column("score", "y_score")
        weight = self._column("weight", "sample_weight")
        if not columns and decided is None and score is None:
            raise InputError(_nothing_to_judge(table, names, truth))
        ids = None if names.ids is None else _ids(table, names.ids)
        groups = None if names.groups is None else _groups(table, names.groups)
        beside = {name: _beside(table, name) for name in names.beside}
        more = {"y_pred": decided, "score": score, "weight": weight, "ids": ids, "groups": groups}
        _same_lengths(table, {"y_true": truth, **dict(columns.values()), **more, **beside})
        return _Parts(
            truth,
            {label: _numbers(column, name, table) for label, (name, column) in columns.items()},
            None if score is None or columns else _numbers(score, names.called("score"), table),
            decided,
            None if weight is None else _numbers(weight, names.called("weight"), table),
            None if names.called("model") not in table else _models(table, names.called("model")),
            ids,
            groups,
            beside,
        )

    def _refuse_absent(self) -> None:
        """A column that was named must be there."""
        words = {"score": "score", "decided": "pred", "weight": "weight", "model": "model_column"}
        words |= {"ids": "ids", "groups": "groups"}
        for role, word in words.items():
            name = getattr(self.names, role)
            if name and name not in self.table:
                raise InputError(
                    f"{self.table.path} has no column {name!r}, which {option(word)} names; its columns are "
                    f"{self.table.listed}."
                )
        absent = [name for name in self.names.beside if name not in self.table]
        if absent:
            raise InputError(f"{self.table.path} has no column {quoted(absent)}; its columns are {self.table.listed}.")

    def _column(self, role: str, array: str) -> Any:
        """A column by what it is for; in an .npz file also by the name that karat.evaluate gives it."""
        column = self.table.get(self.names.called(role))
        return self.table.get(array) if column is None and self.table.file_format == "npz" else column

    def _probabilities(self, truth: Any) -> NamedColumns:
        """The columns of probabilities, in the order of the classes; empty if there are none."""
        seen = seen_labels(truth)
        if self.table.file_format == "npz" and "y_proba" in self.table:
            return self._stacked(seen)
        wanted = None if self.labels is None else [typed(label, seen) for label in self.labels]
        columns = self._named_like_classes(seen, wanted)
        if not columns:
            return {}
        self._refuse_lacking(columns, truth, seen, wanted)
        order = sorted(columns) if wanted is None else wanted  # as karat.evaluate
        return {label: columns[label] for label in order if label in columns}

    def _named_like_classes(self, seen: list[Any], wanted: list[Any] | None) -> NamedColumns:
        """The columns whose names are those of classes, behind their common beginning."""
        table, begins = self.table, self.names.proba
        others = {
            self.names.truth,
            self.names.ids,
            self.names.groups,
            *self.names.beside,
            *(self.names.called(role) for role in Names.DEFAULTS),
        }
        columns: NamedColumns = {}
        for name in table:
            if not name.startswith(begins) or name == begins or name in others:
                continue
            label = typed(name[len(begins) :], seen)
            if (not begins and label not in seen) or (wanted is not None and label not in wanted):
                continue
            if label in columns:
                raise LabelError(
                    f"{table.path} has two columns for the class {label!r}, {name} and {columns[label][0]}; leave one "
                    "out."
                )
            if seen and type(label) is not type(seen[0]):
                raise LabelError(
                    f"{table.path} has the column {name!r}, but {self.names.truth} holds {quoted(seen)}: rename the "
                    f"column if it is not a probability of a class, or name the classes with {option('labels')}."
                )
            columns[label] = (name, table[name])
        return columns

    def _refuse_lacking(self, columns: NamedColumns, truth: Any, seen: list[Any], wanted: list[Any] | None) -> None:
        """Every class needs its column, but for one of two."""
        lacking = [label for label in (seen if wanted is None else wanted) if label not in columns]
        two = len({*seen, *columns}) == 2 or len(wanted or ()) == 2
        if lacking and not (len(columns) == 1 and two):
            cases = int(sum(np.sum(truth == label) for label in lacking))
            raise LabelError(
                f"{self.table.path} has no column {quoted([f'{self.names.proba}{label}' for label in lacking])} "
                f"({cases} cases of {len(truth)}); its columns are {self.table.listed}: add a column for each class."
            )

    def _stacked(self, seen: list[Any]) -> NamedColumns:
        """An array of probabilities in an .npz file: a column for each class, or one for the positive of two."""
        table, proba = self.table, self.table["y_proba"]
        if proba.ndim == 1 or (proba.ndim == 2 and proba.shape[1] == 1):
            positive = typed(self.positive, seen) if self.positive is not None else 1 if {*seen} <= {0, 1} else None
            if positive is None:
                raise LabelError(
                    f"{table.path} has one column y_proba for the labels {quoted(seen)}, and the positive class was "
                    f"not given; pass {option('positive')}."
                )
            return {positive: ("y_proba", proba.reshape(-1))}
        labels: Any = self.labels
        if "labels" in table:
            labels = table["labels"].tolist()
        elif labels is None and len(seen) == proba.shape[1]:
            labels = sorted(seen)  # as in karat.evaluate
        if labels is None or len(labels) != proba.shape[-1] or proba.ndim != 2:
            raise LabelError(
                f"{table.path} has y_proba of shape {proba.shape} and the classes {quoted(labels or seen)}; save the "
                f"class of each column as the array labels, or name them with {option('labels')}."
            )
        return {typed(label, seen): ("y_proba", proba[:, j]) for j, label in enumerate(labels)}

    def predictions(self, parts: _Parts, which: str = "") -> Predictions:
        """Checked by the border, whose message then begins with the file."""
        seen = sorted(seen_labels(parts.truth), key=str)
        proba = list(parts.proba)
        classes: list[Any] | None = None if self.labels is None else [typed(c, seen) for c in self.labels]
        positive = typed(self.positive, proba or classes or seen)
        scores: dict[str, Any] = {}
        if len(proba) == 1:
            (alone,) = proba
            self._refuse_other_positive(alone, positive)
            if classes is None and len({*seen, alone}) == 2:
                classes = sorted({*seen, alone})
            column = parts.proba[alone]
            if classes and len(classes) == 2 and _are_certain(column):  # named as probabilities
                column = np.column_stack([column if c == alone else 1 - column for c in classes])
            scores, positive = {"y_proba": column}, alone
        elif proba:
            classes = proba
            scores = {"y_proba": np.column_stack([parts.proba[c] for c in proba])}
        elif parts.score is not None:
            scores = {"y_score": parts.score}
        try:
            return Predictions.of(
                parts.truth,
                y_pred=parts.decided,
                labels=classes,
                positive=positive,
                sample_weight=parts.weight,
                normalise=self.normalise,
                reject=None if self.reject is None else typed(self.reject, seen),
                ids=parts.ids,
                **scores,
            )
        except InputError as problem:
            hint = self._hint(problem, [c for c in proba if c not in seen])
            raise type(problem)(f"{self.table.path}{which}: {problem}{hint}") from None

    def _refuse_other_positive(self, alone: Any, positive: Any) -> None:
        if positive not in (None, alone):
            raise LabelError(
                f"{self.table.path} has the probability of {alone!r} only, and {option('positive')} is {positive!r}; "
                f"add its column, or pass {option('positive', alone)}."
            )

    def _hint(self, problem: InputError, idle: list[Any]) -> str:
        """What may be behind a refusal of the border; `idle` are columns of which there is no case."""
        if isinstance(problem, ProbabilityError) and idle and self.labels is None:
            return f" No case is of {quoted(idle)}: if that is not a class, name the classes with {option('labels')}."
        if isinstance(problem, LabelError) and "y_pred holds" in str(problem) and self.reject is None:
            return f" If it marks rejected cases, pass {option('reject')}."
        return ""


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

    cells = {name: _numbers(table[name], name, table) for name in columns}
    table_of_cells = np.column_stack(list(cells.values()))
    if len(named) > 2 and named[-1] == columns[-1] and _totals(table_of_cells):
        raise InputError(f"{table.path} has totals in the row and column {named[-1]!r}; leave them out.")
    order = None if labels is None else [typed(label, rows.tolist()) for label in labels]
    try:
        return Matrix.of(pa.table({"truth": rows.tolist(), **cells}), order, typed(positive, rows.tolist()))
    except InputError as problem:
        raise type(problem)(f"{table.path}: {problem}") from None


def _are_certain(column: Any) -> bool:
    """Are all of them 0 or 1? The first ones mostly tell that they are not."""
    return all(((x == 0) | (x == 1)).all() for x in (column[:1000], column))


def _totals(cells: Any) -> bool:
    """Are the last row and the last column the sums of the others?"""
    square = cells.shape[0] == cells.shape[1] and cells.any()
    return bool(
        square and (cells[-1] == cells[:-1].sum(axis=0)).all() and (cells[:, -1] == cells[:, :-1].sum(axis=1)).all()
    )


def _models(table: FileColumns, name: str) -> Any:
    models = table[name]
    if models.dtype.kind == "O" and "" in models:
        raise InputError(f"column {name!r} of {table.path} has empty names; name the model of each row.")
    return models


def _ids(table: FileColumns, name: str) -> Any:
    """As texts, so that 7 in one format is the 7 of another (and 007 another case); None where one is missing."""
    column = table.columns[name]
    if getattr(column, "ndim", 1) != 1:
        raise InputError(f"{name} of {table.path} has the shape {column.shape}; give one id for each case.")
    values = column.to_pylist() if hasattr(column, "to_pylist") else table[name].tolist()
    return objects([None if is_missing(value) or value == "" else _id_text(value) for value in values])


def _beside(table: FileColumns, name: str) -> Any:
    """Values as they are; None where one is missing."""
    column = table.columns[name]
    if getattr(column, "ndim", 1) != 1:
        raise InputError(f"{name} of {table.path} has the shape {column.shape}; give one value for each case.")
    if not hasattr(column, "to_pylist") or not column.null_count:
        return table[name]
    return objects(column.to_pylist())


def _groups(table: FileColumns, name: str) -> Any:
    """As ids; every case has a group."""
    groups = _ids(table, name)
    missing = [row for row, group in enumerate(groups.tolist()) if group is None]
    if missing:
        raise InputError(
            f"column {name!r} of {table.path} has no group in row {missing[0]}; name the group of each case."
        )
    return groups


def _id_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numbers(column: Any, name: str, table: FileColumns) -> Any:
    """Floats; what is no number is shown."""
    if column.dtype.kind in "iufb" or table.file_format == "npz":
        if column.ndim != 1 or column.dtype.kind not in "iufb":
            raise InputError(f"{name} of {table.path} has the shape {column.shape} and holds {column.dtype}; give one "
                             "number for each case.")  # fmt: skip
        return column if column.dtype in (np.float16, np.float32) else column.astype(float)
    for row, value in enumerate(column.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            text = str(value)
            hint = "give numbers only"
            if text.rstrip().endswith("%"):
                hint = "divide by 100 and leave the % out"
            elif re.fullmatch(r"-?\d+,\d+", text.strip()):
                hint = "write decimals with a point"
            raise InputError(
                f"column {name!r} of {table.path} holds {quoted([text])} in row {row}, which is not a number; {hint}."
            ) from None
    return column.astype(float)


def _same_lengths(table: FileColumns, columns: dict[str, Any]) -> None:
    """Arrays of an .npz file can differ."""
    lengths = {name: len(c) for name, c in columns.items() if c is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in list(lengths.items())[:6])
        raise InputError(f"the arrays of {table.path} have different lengths ({listed}); give one value for each case.")


def _no_truth(table: FileColumns, names: Names) -> str:
    known = [name for name in table if name.casefold() in TRUTH_NAMES]
    return (
        f"{table.path} has no column {names.truth!r} for the true labels; its columns are {table.listed}: name it "
        f"with {option('truth', *known[:1])} (a confusion matrix has the class names in its first row and its first "
        "column)."
    )


def _nothing_to_judge(table: FileColumns, names: Names, truth: Any) -> str:
    """No probabilities, scores or predicted labels: which option would find some?"""
    seen = [str(label) for label in dict.fromkeys(truth.tolist())]
    ends = [{name[: -len(c)] for name in table if name.endswith(c)} for c in seen if c]
    begins = sorted(set.intersection(*ends)) if ends else []
    words = f"{option('proba')}, {option('score')} or {option('pred')}"
    hint = f"rename them to {names.proba}<class>, or name them with {words}"
    if begins:
        word = option("proba", begins[0])
        hint = f"to read {begins[0]}{seen[0]} as the probability of {seen[0]}, pass {word}"
    for role, usual in (("pred", DECISION_NAMES), ("score", SCORE_NAMES)):
        known = [name for name in table if name.casefold() in usual]
        if known and not begins:
            hint = f"if {known[0]} holds them, pass {option(role, known[0])}"
    return f"{table.path} has no probabilities, scores or predicted labels; its columns are {table.listed}: {hint}."
