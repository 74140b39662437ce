"""Predictions out of files: CSV, Parquet, Arrow, JSON lines, .npz; a bare confusion matrix out of CSV.

A predictions file has a column `y_true` and one column `p_<class>` for each class (or one column for two classes: the
probability `p_<class>` of one of them, or a `score`), perhaps `y_pred`, `weight` and `model`. Other names are said by
`Names`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karat.data.errors import InputError, LabelError, some
from karat.data.matrices import Matrix
from karat.data.predictions import Predictions

KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".npz": "npz",
}
"""What a file is, by the end of its name."""


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
    OPTIONS = {  # noqa: RUF012
        "truth": "--truth", "score": "--score", "decided": "--pred", "weight": "--weight", "model": "--model-column",
    }  # fmt: skip


def read(
    path: str | Path,
    names: Names | None = None,
    *,
    kind: str | None = None,
    positive: Any = None,
    labels: list[Any] | None = None,
    normalise: bool = False,
    reject: Any = None,
) -> dict[str, Predictions | Matrix]:
    """The predictions of each model in a file; "-" is stdin (CSV, unless `kind` says otherwise)."""
    names = names or Names()
    table = table_of(path, kind)
    stem = "stdin" if str(path) == "-" else Path(path).name.removesuffix("".join(Path(path).suffixes[-1:]))
    matrix = None if names.truth in table else _matrix(table)
    if matrix is not None:
        cells, classes = matrix
        return {stem: Matrix.of(cells, labels or classes, _typed(positive, classes))}
    _check_names(table, names, str(path))
    which = _column(table, names, "model", str(path))
    if which is None:
        return {stem: _predictions(table, names, str(path), positive, labels, normalise, reject)}
    found: dict[str, Predictions | Matrix] = {}
    for model in dict.fromkeys(which.tolist()):
        rows = which == model
        part = {name: column[rows] for name, column in table.items()}
        found[str(model)] = _predictions(part, names, f"{path} ({model})", positive, labels, normalise, reject)
    return found


def table_of(path: str | Path, kind: str | None = None) -> dict[str, Any]:
    """Column name to values, of any of the formats."""
    if str(path) != "-" and not Path(path).is_file():
        raise InputError(f"there is no file {str(path)!r}; give the path of a predictions file.")
    what = kind or ("csv" if str(path) == "-" else _kind(Path(path)))
    source = sys.stdin.buffer if str(path) == "-" else str(path)
    if what == "npz":
        return _npz(source)
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError("reading files needs pyarrow, which is not installed; `pip install pyarrow`.") from None
    try:
        table = _arrow(source, what)
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError) as trouble:
        raise InputError(f"{path} can't be read as {what}: {str(trouble).splitlines()[0].rstrip('.')}.") from None
    if not table.num_rows:
        raise InputError(f"{path} holds no cases; give a file with at least one row below its header.")
    twice = [name for name in dict.fromkeys(table.column_names) if table.column_names.count(name) > 1]
    if twice:
        raise InputError(f"{path} has more than one column named {some(twice)}; name each column once.")
    return {name: _values(table[name], name, str(path)) for name in table.column_names}


def _kind(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    last = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else (suffixes or [""])[-1]
    if last not in KINDS:
        raise InputError(f"{path.name} has no ending that says its format; karat reads {', '.join(KINDS)}.")
    return KINDS[last]


def _arrow(source: Any, what: str) -> Any:
    if what in ("csv", "tsv"):
        from pyarrow import csv

        return csv.read_csv(source, parse_options=csv.ParseOptions(delimiter="\t" if what == "tsv" else ","))
    if what == "parquet":
        from pyarrow import BufferReader, parquet

        return parquet.read_table(source if isinstance(source, str) else BufferReader(source.read()))
    if what == "arrow":
        from pyarrow import BufferReader, feather

        return feather.read_table(source if isinstance(source, str) else BufferReader(source.read()))
    if what == "jsonl":
        from pyarrow import json

        return json.read_json(source)
    raise InputError(f"the format is {what!r}; it is one of {', '.join(dict.fromkeys(KINDS.values()))}.")


def _npz(source: Any) -> dict[str, Any]:
    """Arrays of one length; `y_proba` of shape (n, classes) goes with `labels`."""
    with np.load(source, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    proba = arrays.pop("y_proba", None)
    labels = arrays.pop("labels", None)
    if proba is not None and proba.ndim == 2:
        if labels is None or len(labels) != proba.shape[1]:
            raise InputError("the .npz file has y_proba with a column for each class; save their names as labels, too.")
        arrays |= {f"p_{label}": proba[:, j] for j, label in enumerate(labels.tolist())}
    elif proba is not None:
        arrays["p"] = proba
    return arrays


def _values(column: Any, name: str, path: str) -> Any:
    """A numpy array; texts stay texts, numbers numbers, truth values truth values."""
    if column.null_count:
        raise InputError(
            f"column {name!r} of {path} has {column.null_count} missing values; fill or remove those cases, karat "
            "drops nothing."
        )
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        out = np.empty(len(column), dtype=object)
        out[:] = column.to_pylist()
        return out
    return column.to_numpy()


def _matrix(table: dict[str, Any]) -> tuple[Any, list[Any]] | None:
    """A confusion matrix: class names in the first row and in the first column; None if the table is none."""
    header = list(table)
    if len(header) < 2:
        return None
    rows = table[header[0]].tolist()
    if [str(r) for r in rows] != header[1 : len(rows) + 1]:
        return None
    cells = [table[name] for name in header[1:]]
    if any(c.dtype.kind not in "iuf" for c in cells):
        return None
    return np.column_stack(cells).astype(float), rows


def _column(table: dict[str, Any], names: Names, role: str, path: str) -> Any:
    """The column for a role; None if it was not named and there is none of the default name."""
    said = getattr(names, role)
    name = said or Names.DEFAULTS.get(role, "")
    if said and said not in table:
        raise InputError(f"{path} has no column {said!r}; its columns are {some(table, 12)}.")
    return table.get(name)


def _check_names(table: dict[str, Any], names: Names, path: str) -> None:
    if names.truth not in table:
        raise InputError(
            f"{path} has no column {names.truth!r} for the true labels; its columns are {some(table, 12)}: say which "
            "it is with --truth."
        )


def _predictions(
    table: dict[str, Any], names: Names, path: str, positive: Any, labels: Any, normalise: bool, reject: Any
) -> Predictions:
    truth = table[names.truth]
    begins = names.proba
    columns = {name[len(begins) :]: name for name in table if name.startswith(begins) and name != begins}
    decided, score = _column(table, names, "decided", path), _column(table, names, "score", path)
    if not columns and decided is None and score is None:
        raise InputError(
            f"{path} has no probabilities, scores or decisions; its columns are {some(table, 12)}: name the columns "
            f"{begins}<class>, or say which they are with --proba, --score or --pred."
        )
    seen = list(dict.fromkeys(truth.tolist()))
    classes = [_typed(c, seen) for c in (labels if labels is not None else columns)]
    given: dict[str, Any] = {}
    if columns and len(columns) == 1 and labels is None:
        # the probability of one of two classes: its name says which
        (alone,) = classes
        if positive is not None and _typed(positive, seen) != alone:
            raise LabelError(
                f"{path} has the probability of {alone!r} only, and positive is {positive!r}; give the column of both "
                "classes, or take the class of the column as positive."
            )
        given |= {"y_proba": table[next(iter(columns.values()))], "positive": alone}
    elif columns:
        missing = [c for c in classes if str(c) not in columns]
        if missing:
            raise LabelError(f"{path} has no column {begins}{missing[0]}; its columns are {some(table, 12)}.")
        proba = np.column_stack([table[columns[str(c)]].astype(float) for c in classes])
        given |= {"y_proba": proba, "labels": classes, "positive": _typed(positive, classes)}
    else:
        given |= {"labels": classes or None, "positive": _typed(positive, classes or seen)}
        if score is not None:
            given["y_score"] = score.astype(float)
    return Predictions.of(
        truth,
        y_pred=decided,
        sample_weight=_column(table, names, "weight", path),
        normalise=normalise and "y_proba" in given,
        reject=None if reject is None else _typed(reject, seen),
        **given,
    )


def _typed(said: Any, like: list[Any]) -> Any:
    """A label that was typed, or stands in a column's name, in the type of the others."""
    if said is None or not like or not isinstance(said, str) or isinstance(like[0], str):
        return said if said is None or not like or not isinstance(like[0], str) else str(said)
    known = {str(label): label for label in like}
    if said in known:
        return known[said]
    kind = type(like[0])
    try:
        return {"True": True, "False": False, "true": True, "false": False}[said] if kind is bool else kind(said)
    except (KeyError, ValueError):
        return said
