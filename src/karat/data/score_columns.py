"""Which column of scores belongs to which class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import LabelError, ShapeError, option, positive_missing, quoted
from karat.data.labels import class_order, positive_place


class Scores(NamedTuple):
    """Probabilities or real scores, as they were given."""

    values: Array
    """[n, columns], or [n] for one of two classes"""
    names: list[Any] | None
    """of the columns of a table"""
    what: str
    """y_proba or y_score"""
    real: bool
    """are they any real numbers, not probabilities?"""
    tolerance: float = 0.0
    """how far a row of probabilities may be from summing to one"""


def one_column(scores: Scores, classes: list[Any], positive: Any, ordered: bool) -> Scores:
    """Scores [n, 1] as [n]: those of the positive class, unless the column is named like another. Of a single class
    they stay what they are."""
    values, names, what, *_ = scores
    if len(classes) == 1 and (ordered or (values == 1).all()):
        return scores
    named = [c for c in classes if names and str(names[0]) in (str(c), f"p_{c}")]
    if named and len(classes) == 2:
        place = positive_place(positive, classes)
        if place is None or classes[place] != named[0]:
            raise LabelError(
                f"{what} has one column, of the class {quoted(named)}; pass {option('positive', named[0])} if that is "
                "the positive class, or one column for each class."
            )
    return scores._replace(values=np.ascontiguousarray(values[:, 0]), names=named or None)


def check_one_column(scores: Scores, classes: list[Any], place: int | None, ordered: bool) -> None:
    """One column does for two classes, if it is known which is positive; `ordered`: somebody said which classes there
    are."""
    values, what = scores.values, scores.what
    if len(classes) != 2:
        if len(classes) == 1 and not ordered:
            raise LabelError(
                f"{what} has one column, for two classes, and y_true holds only {quoted(classes)}; name both classes "
                f"with {option('labels')}."
            )
        raise ShapeError(
            f"{what} has the shape {values.shape} and there are {len(classes)} classes; give one column for each class."
        )
    if place is None:
        raise LabelError(f"{what} is one column, for the positive class, and {positive_missing(classes)}.")


def mismatch(width: int, classes: list[Any], ordered: bool, what: str) -> str:
    """What to say if there are more or fewer columns than classes."""
    if ordered:
        return (
            f"{what} has {width} columns and there are {len(classes)} classes ({quoted(classes)}); give one column for "
            "each class, in that order."
        )
    return (
        f"{what} has {width} columns and the data hold {len(classes)} labels ({quoted(classes)}), so columns and "
        f"labels can't be matched; name the class of each column with {option('labels')}."
    )


def by_name(
    scores: Scores, columns: Mapping[Any, Any] | None, order: list[Any] | None, seen: list[Any]
) -> tuple[list[Any], Scores]:
    """The class order (sorted unless given) and the scores in it, matched by the names of the columns."""
    values, names, what, *_ = scores
    assert names is not None
    if columns is not None:
        order, wanted = _wanted(columns, order, names, what)
    else:
        order = order if order is not None else sorted(_classes_named(names, seen, what))
        wanted = _matched(order, names, what)
    if wanted == names:
        return order, scores
    return order, scores._replace(values=np.ascontiguousarray(values[:, [names.index(name) for name in wanted]]))


def _wanted(columns: Any, order: list[Any] | None, names: list[Any], what: str) -> tuple[list[Any], list[Any]]:
    """The classes, and the name of the column of each, as given."""
    word = option("columns")
    columns = dict(zip(class_order(list(columns), word), columns.values(), strict=True))
    order = order if order is not None else sorted(columns)
    missing = [label for label in order if label not in columns]
    if missing:
        raise LabelError(f"{word} has no column for {quoted(missing)}; name one for each class.")
    wanted = [columns[label] for label in order]
    absent = [name for name in wanted if name not in names]
    if absent:
        raise LabelError(
            f"{what} has no column {quoted(absent)}, which {word} names; its columns are {quoted(names, 8)}."
        )
    if len(set(wanted)) < len(wanted):
        raise LabelError(f"{word} gives the column {quoted(wanted)} to more than one class; give each its own.")
    return order, wanted


def _matched(order: list[Any], names: list[Any], what: str) -> list[Any]:
    """The name of the column of each class: like the class, or p_<class>."""
    wanted = []
    for label in order:
        matches = [name for name in names if name == label or str(name) in (str(label), f"p_{label}")]
        if len(matches) != 1:
            trouble = "no column" if not matches else f"{len(matches)} columns"
            raise LabelError(
                f"{what} has {trouble} for the class {quoted([label])}; its columns are {quoted(names, 8)}: name them "
                f"like the classes (or p_<class>), or pass {option('columns')}{{class: column}}."
            )
        wanted.append(matches[0])
    spare = [name for name in names if name not in wanted]
    if spare:
        raise LabelError(
            f"{what} has the column {quoted(spare)}, which is not a class; leave it out or add it to "
            f"{option('labels')}."
        )
    return wanted


def _classes_named(names: list[Any], seen: list[Any], what: str) -> list[Any]:
    """The classes that the column names name, in the type of the labels. A column `p_<class>` says that it is one; any
    other must be named like a label that is known."""
    prefixed = all(isinstance(n, str) and n.startswith("p_") for n in names)
    bare = [n[2:] for n in names] if prefixed else list(names)
    classes: list[Any]
    try:
        if isinstance(seen[0], bool):
            classes = [{"True": True, "False": False}[str(b)] for b in bare]
        elif isinstance(seen[0], int | float):
            classes = [type(seen[0])(b) for b in bare]
        else:
            classes = bare
    except (KeyError, ValueError, TypeError):
        classes = bare
    if any(v not in classes for v in seen):
        raise LabelError(
            f"the columns of {what} are named {quoted(names, 8)} and the labels are {quoted(seen)}, so they can't be "
            f"matched; name the columns like the classes, or pass {option('columns')}{{class: column}}."
        )
    unknown = [name for name, label in zip(names, classes, strict=True) if label not in seen]
    if unknown and not prefixed:
        raise LabelError(
            f"{what} has the column {quoted(unknown)}, and no case has that label; leave it out, or name all classes "
            f"with {option('labels')}."
        )
    return classes
