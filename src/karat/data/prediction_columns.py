"""Which columns of a file are true labels, probabilities, scores, predicted labels, weights, ids: by their names, or by
what was said of them. karat asks, it does not guess."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from karat.core.errors import InputError, LabelError, ProbabilityError, option, quoted
from karat.core.words import listed
from karat.data.arrays import is_missing, objects, of_one_kind
from karat.data.files import SEPARATORS, FileColumns, as_written, encoded
from karat.data.labels import attribute_reader, labels_of, seen_labels, typed
from karat.data.predictions import Predictions

SCORE_NAMES = ("y_score", "scores", "decision_function", "logit", "margin", "proba", "probability", "prob")
DECISION_NAMES = ("pred", "prediction", "predicted", "predictions", "y_hat", "yhat", "decision", "predicted_label")
"""Names that others give."""


@dataclass(frozen=True)
class Names:
    """What the columns are called; None: by the default name, if there is such a column."""

    truth: str = "y_true"
    proba: str = "p_"
    """what the names of the columns of probabilities begin with; or columns themselves, separated by commas"""
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


@dataclass(frozen=True)
class ColumnRoles:
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

    def of_rows(self, rows: Any) -> ColumnRoles:
        named: dict[str, Any] = {
            role: {name: c[rows] for name, c in getattr(self, role).items()} for role in ("proba", "beside")
        }
        columns: dict[str, Any] = {
            role: c if c is None else c[rows] for role, c in vars(self).items() if role not in named
        }
        return ColumnRoles(**columns, **named)


NamedColumns = dict[Any, tuple[str, Any]]
"""Class to the name and the values of its column of probabilities."""


@dataclass(frozen=True)
class RolesReader:
    """The columns of a file, and what was said about how to read them."""

    table: FileColumns
    names: Names
    positive: Any
    labels: list[Any] | None
    normalise: bool
    reject: Any

    def parts(self) -> ColumnRoles:
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
        return ColumnRoles(
            truth,
            {label: numbers_in(column, name, table) for label, (name, column) in columns.items()},
            None if score is None or columns else numbers_in(score, names.called("score"), table),
            decided,
            None if weight is None else numbers_in(weight, names.called("weight"), table),
            None if names.called("model") not in table else _models(table, names.called("model")),
            ids,
            groups,
            beside,
        )

    @cached_property
    def of_positive(self) -> list[str]:
        """The columns that are themselves named as probabilities, each of the positive class by one model; none, if
        a common beginning of names was given."""
        given = next(csv.reader([self.names.proba], skipinitialspace=True), [])
        begins = len(given) == 1 and any(name.startswith(given[0]) and name != given[0] for name in self.table)
        if begins or not any(name in self.table for name in given):
            return []
        absent = [name for name in given if name not in self.table]
        if absent:
            raise InputError(
                f"{self.table.path} has no column {quoted(absent)}, which {option('proba')} names; its columns are "
                f"{self.table.listed}."
            )
        return list(dict.fromkeys(given))

    def by_column(self, parts: ColumnRoles) -> dict[str, ColumnRoles]:
        """Model to its columns, where each has one of probabilities and is called like it."""
        for role, column in (("pred", parts.decided), ("model_column", parts.models)):
            if column is not None:
                name = self.names.called({"pred": "decided"}.get(role, "model"))
                raise InputError(
                    f"{self.table.path} has the column {name!r} beside the probabilities of {len(self.of_positive)} "
                    f"models ({quoted(self.of_positive, 4)}); leave it out, or name one of them with "
                    f"{option('proba')}."
                )
        (positive,) = parts.proba
        return {
            name: replace(parts, proba={positive: numbers_in(self.table[name], name, self.table)})
            for name in self.of_positive
        }

    def _seen(self, truth: Any) -> list[Any]:
        """The distinct labels of a column; of that of all cases they are looked for once."""
        if not any(column is truth for column, _ in self._known):
            self._known.append((truth, seen_labels(truth)))
        return next(labels for column, labels in self._known if column is truth)

    @cached_property
    def _known(self) -> list[tuple[Any, list[Any]]]:
        return []

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
        seen = self._seen(truth)
        if self.table.file_format == "npz" and "y_proba" in self.table:
            return self._stacked(seen)
        if self.of_positive:
            name = self.of_positive[0]
            column = self.table[name]  # refused first, if it holds lists
            return {positive_of_one(name, self.positive, seen, f"{self.table.path} has"): (name, column)}
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
            return {
                positive_of_one("y_proba", self.positive, seen, f"{table.path} has"): ("y_proba", proba.reshape(-1))
            }
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

    def predictions(self, parts: ColumnRoles, which: str = "") -> Predictions:
        """Checked by the border, whose message then begins with the file."""
        seen = sorted(self._seen(parts.truth), key=str)
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


def positive_of_one(column: str, positive: Any, seen: list[Any], there: str = "there is") -> Any:
    """The class that one column of probabilities is about."""
    if positive is None and not {*seen} <= {0, 1}:
        raise LabelError(
            f"{there} one column {column} for the labels {quoted(seen)}, and the positive class was not given; pass "
            f"{option('positive')}."
        )
    return 1 if positive is None else typed(positive, seen)


def _are_shares(column: Any) -> bool:
    """Could they be probabilities?"""
    return column.dtype.kind == "f" and column.ndim == 1 and bool(((column >= 0) & (column <= 1)).all())


def _are_certain(column: Any) -> bool:
    """Are all of them 0 or 1? The first ones mostly tell that they are not."""
    return all(((x == 0) | (x == 1)).all() for x in (column[:1000], column))


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
    if table.file_format in SEPARATORS:
        texts, places = encoded(column)
        reader = attribute_reader(texts)
        return of_one_kind([reader(text) for text in texts])[places]
    if hasattr(column, "to_pylist") and getattr(column.type, "tz", None) is not None:
        return objects(as_written(column).to_pylist())
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


def numbers_in(column: Any, name: str, table: FileColumns) -> Any:
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
    shares = [name for name in table if name != names.truth and _are_shares(table[name])]
    if shares and not begins and len(seen) == 2:
        each = f"{listed(shares, 4)} hold{'s' * (len(shares) == 1)} probabilities of one class"
        hint = f"if {each}, pass {option('proba', ','.join(shares))} and {option('positive')}"
    return f"{table.path} has no probabilities, scores or predicted labels; its columns are {table.listed}: {hint}."
