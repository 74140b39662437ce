"""Predictions out of files: CSV, TSV, Parquet, Arrow, JSON lines, .npz; a bare confusion matrix out of CSV.

A predictions file has a column `y_true` and one column `p_<class>` for each class (or one column for two classes: the
probability `p_<class>` of one of them, or a `score`), perhaps `y_pred`, `weight` and `model`. Other names are said by
`Names`. An .npz file has arrays of these names, or of those that `karat.evaluate` takes: `y_proba` with `labels`,
`y_score`, `sample_weight`.

Labels keep their type: in CSV, which has no types, they are whole numbers if all are, truth values if all are True or
False, and texts otherwise (007 is a text).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.errors import InputError, LabelError, ProbabilityError, quoted
from karat.data.files import Columns, columns_of_file, name_of
from karat.data.matrix import Matrix
from karat.data.predictions import Predictions
from karat.data.source import Source
from karat.data.text_labels import labels_of, typed

TRUTHS = ("y", "label", "labels", "target", "truth", "true", "true_label", "actual", "class", "gold", "ground_truth")
SCORES = ("y_score", "scores", "decision_function", "logit", "margin", "proba", "probability", "prob")
DECISIONS = ("pred", "prediction", "predicted", "predictions", "y_hat", "yhat", "decision", "predicted_label")
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

    DEFAULTS = {"score": "score", "decided": "y_pred", "weight": "weight", "model": "model"}  # noqa: RUF012

    def called(self, role: str) -> str:
        """The name of the column for a role."""
        return getattr(self, role) or Names.DEFAULTS[role]


def read(
    path: str | Path,
    names: Names | None = None,
    *,
    kind: str | None = None,
    positive: Any = None,
    labels: list[Any] | None = None,
    normalise: bool = False,
    reject: Any = None,
) -> dict[str, Source]:
    """The predictions of each model in a file; "-" is stdin (CSV, unless `kind` says otherwise)."""
    names = names or Names()
    labelled = (names.truth, names.called("decided"), names.called("model"))

    def texts(found: list[str]) -> list[str]:
        return [name for name in labelled if name in found] if names.truth in found else found[:1]

    table = columns_of_file(path, kind, texts)
    if names.truth not in table:
        matrix = _matrix(table, positive, labels)
        if matrix is not None:
            return {name_of(path): matrix}
        raise InputError(_no_truth(table, names))
    said = _Said(names, positive, labels, normalise, reject)
    parts = said.columns(table)
    if parts.models is None:
        return {name_of(path): said.predictions(parts, table)}
    if not parts.proba and labels is None:  # a class that one model never names is one of the classes all the same
        said = replace(said, labels=_named(parts, reject))
    found: dict[str, Source] = {}
    for model in dict.fromkeys(parts.models.tolist()):
        part = parts.of_rows(parts.models == model)
        found[str(model)] = said.predictions(part, table, f" ({model})")
    return found


def _named(parts: _Parts, reject: Any) -> list[Any]:
    """All labels of a file, sorted."""
    told = {*parts.truth.tolist()} | ({*parts.decided.tolist()} if parts.decided is not None else set())
    return sorted(told - {typed(reject, list(told))}, key=lambda label: (str(type(label)), label))


def table_of(path: str | Path, kind: str | None = None) -> Mapping[str, Any]:
    """Column name to values, of any of the formats."""
    return columns_of_file(path, kind, lambda names: [])


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

    def of_rows(self, rows: Any) -> _Parts:
        taken = {role: None if c is None else c[rows] for role, c in vars(self).items() if role not in ("proba",)}
        return _Parts(**taken | {"proba": {label: c[rows] for label, c in self.proba.items()}})


@dataclass(frozen=True)
class _Said:
    """What was said about how to read a file."""

    names: Names
    positive: Any
    labels: list[Any] | None
    normalise: bool
    reject: Any

    def columns(self, table: Columns) -> _Parts:
        """Find every column, and say what would help if one is not there."""
        names = self.names
        for role, option in (("score", "score"), ("decided", "pred"), ("weight", "weight"), ("model", "model-column")):
            if getattr(names, role) and getattr(names, role) not in table:
                raise InputError(
                    f"{table.path} has no column {getattr(names, role)!r}, which --{option} names; its columns are "
                    f"{table.shown}."
                )
        truth, decided = labels_of(table, names.truth, names.called("decided"), self.reject)
        columns = self._probabilities(table, truth) if names.score is None else {}
        score = table.get(names.called("score"))
        if table.kind == "npz":
            score = score if score is not None else table.get("y_score")
        if not columns and decided is None and score is None:
            raise InputError(_nothing_said(table, names, truth))
        weight = table.get(names.called("weight"))
        if table.kind == "npz" and weight is None:
            weight = table.get("sample_weight")
        _same_lengths(
            table, {"y_true": truth, **dict(columns.values()), "y_pred": decided, "score": score, "weight": weight}
        )
        return _Parts(
            truth,
            {label: _numbers(column, name, table) for label, (name, column) in columns.items()},
            None if score is None or columns else _numbers(score, names.called("score"), table),
            decided,
            None if weight is None else _numbers(weight, names.called("weight"), table),
            None if names.called("model") not in table else _models(table, names.called("model")),
        )

    def _probabilities(self, table: Columns, truth: Any) -> dict[Any, tuple[str, Any]]:
        """Class to the name and the values of its column."""
        begins, seen = self.names.proba, list(dict.fromkeys(truth.tolist()))
        if table.kind == "npz" and "y_proba" in table:
            return self._stacked(table, seen)
        others = {self.names.truth, *(self.names.called(role) for role in Names.DEFAULTS)}
        named = {n[len(begins) :]: n for n in table if n.startswith(begins) and n != begins and n not in others}
        if not begins:
            named = {text: name for text, name in named.items() if typed(text, seen) in seen}
        wanted = None if self.labels is None else [typed(label, seen) for label in self.labels]
        found: dict[Any, tuple[str, Any]] = {}
        for text, name in named.items():
            label = typed(text, seen)
            if wanted is not None and label not in wanted:
                continue
            if label in found:
                raise LabelError(f"{table.path} has two columns for the class {label!r}, {name} and {found[label][0]}.")
            if seen and type(label) is not type(seen[0]):
                raise LabelError(
                    f"{table.path} has the column {name!r}, but {self.names.truth} holds {quoted(seen)}: rename the "
                    "column if it is no probability of a class, or name the classes with --labels."
                )
            found[label] = (name, table[name])
        if not found:
            return {}
        lacking = [c for c in (seen if wanted is None else wanted) if c not in found]
        if lacking and not (len(found) == 1 and (len({*seen, *found}) == 2 or len(wanted or ()) == 2)):
            cases = int(sum(np.sum(truth == c) for c in lacking))
            raise LabelError(
                f"{table.path} has no column {quoted([f'{begins}{c}' for c in lacking])} ({cases} cases of "
                f"{len(truth)}); its columns are {table.shown}: add a column for each class."
            )
        return {c: found[c] for c in (sorted(found) if wanted is None else wanted) if c in found}  # as karat.evaluate

    def _stacked(self, table: Columns, seen: list[Any]) -> dict[Any, tuple[str, Any]]:
        """An array of probabilities in an .npz file: a column for each class, or one for the positive of two."""
        proba = table["y_proba"]
        if proba.ndim == 1 or (proba.ndim == 2 and proba.shape[1] == 1):
            positive = typed(self.positive, seen) if self.positive is not None else 1 if {*seen} <= {0, 1} else None
            if positive is None:
                raise LabelError(
                    f"{table.path} has one column y_proba, and whether it is of {quoted(seen)} was not said; say it "
                    "with --positive."
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
                "class of each column as the array labels, or name them with --labels."
            )
        return {typed(label, seen): ("y_proba", proba[:, j]) for j, label in enumerate(labels)}

    def predictions(self, parts: _Parts, table: Columns, which: str = "") -> Predictions:
        """Checked by the border, whose message then begins with the file."""
        seen = sorted(dict.fromkeys(parts.truth.tolist()), key=str)
        proba = list(parts.proba)
        classes: list[Any] | None = None if self.labels is None else [typed(c, seen) for c in self.labels]
        positive = typed(self.positive, proba or classes or seen)
        given: dict[str, Any] = {}
        if len(proba) == 1:
            (alone,) = proba
            if positive not in (None, alone):
                raise LabelError(
                    f"{table.path} has the probability of {alone!r} only, and --positive is {positive!r}; add its "
                    f"column, or take {alone!r} as positive."
                )
            if classes is None and len({*seen, alone}) == 2:
                classes = sorted({*seen, alone})
            given, positive = {"y_proba": parts.proba[alone]}, alone
        elif proba:
            classes = proba
            given = {"y_proba": np.column_stack([parts.proba[c] for c in proba])}
        elif parts.score is not None:
            given = {"y_score": parts.score}
        try:
            return Predictions.of(
                parts.truth,
                y_pred=parts.decided,
                labels=classes,
                positive=positive,
                sample_weight=parts.weight,
                normalise=self.normalise,
                reject=None if self.reject is None else typed(self.reject, seen),
                **given,
            )
        except InputError as problem:
            idle = [c for c in proba if c not in seen]
            hint = ""
            if isinstance(problem, ProbabilityError) and idle and self.labels is None:
                hint = f" No case is of {quoted(idle)}: if that is no class, name the classes with --labels."
            if isinstance(problem, LabelError) and "y_pred holds" in str(problem) and self.reject is None:
                hint = " If it stands for no decision, say so with --reject."
            raise type(problem)(f"{table.path}{which}: {problem}{hint}") from None


def _matrix(table: Columns, positive: Any, labels: list[Any] | None) -> Matrix | None:
    """A confusion matrix: class names in the first row and in the first column; None if the table is none."""
    first, *columns = table
    if table.kind == "npz" or not columns:
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


def _totals(cells: Any) -> bool:
    """Are the last row and the last column the sums of the others?"""
    square = cells.shape[0] == cells.shape[1] and cells.any()
    return bool(
        square and (cells[-1] == cells[:-1].sum(axis=0)).all() and (cells[:, -1] == cells[:, :-1].sum(axis=1)).all()
    )


def _models(table: Columns, name: str) -> Any:
    models = table[name]
    if models.dtype.kind == "O" and "" in models:
        raise InputError(f"column {name!r} of {table.path} has empty names; name the model of each row.")
    return models


def _numbers(column: Any, name: str, table: Columns) -> Any:
    """Floats; what is no number is shown."""
    if column.dtype.kind in "iufb" or table.kind == "npz":
        if column.ndim != 1 or column.dtype.kind not in "iufb":
            raise InputError(f"{name} of {table.path} has the shape {column.shape} and holds {column.dtype}; give one "
                             "number for each case.")  # fmt: skip
        return column.astype(float)
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
                f"column {name!r} of {table.path} holds {quoted([text])} in row {row}, which is no number; {hint}."
            ) from None
    return column.astype(float)


def _same_lengths(table: Columns, columns: dict[str, Any]) -> None:
    """Arrays of an .npz file can differ."""
    lengths = {name: len(c) for name, c in columns.items() if c is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in list(lengths.items())[:6])
        raise InputError(f"the arrays of {table.path} have different lengths ({told}); give one value for each case.")


def _no_truth(table: Columns, names: Names) -> str:
    known = [name for name in table if name.casefold() in (*TRUTHS, "y_true")]
    hint = f"--truth {known[0]}" if known else "--truth"
    return (
        f"{table.path} has no column {names.truth!r} for the true labels; its columns are {table.shown}: say which it "
        f"is with {hint} (a confusion matrix has the class names in its first row and its first column)."
    )


def _nothing_said(table: Columns, names: Names, truth: Any) -> str:
    """No probabilities, scores or decisions: which option would find some?"""
    seen = [str(label) for label in dict.fromkeys(truth.tolist())]
    ends = [{name[: -len(c)] for name in table if name.endswith(c)} for c in seen if c]
    begins = sorted(set.intersection(*ends)) if ends else []
    hint = f"name the columns {names.proba}<class>, or say which they are with --proba, --score or --pred"
    if begins:
        hint = f"to read {begins[0]}{seen[0]} as the probability of {seen[0]} say --proba '{begins[0]}'"
    for option, usual in (("pred", DECISIONS), ("score", SCORES)):
        known = [name for name in table if name.casefold() in usual]
        if known and not begins:
            hint = f"if {known[0]} holds them, say --{option} {known[0]}"
    return f"{table.path} has no probabilities, scores or decisions; its columns are {table.shown}: {hint}."
