"""Whatever users have, checked and turned into the fields of `Predictions`: everything is checked, nothing guessed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ProbabilityError, ShapeError, WeightError, option, quoted
from karat.core.words import counted
from karat.data.arrays import EPSILON, numbers, numbers_as_held
from karat.data.containers import readable
from karat.data.labels import class_order, distinct, one_label, placed, positive_place
from karat.data.matrix import LARGEST_COUNT, SMALLEST_COUNT
from karat.data.score_columns import Scores, by_name, check_one_column, mismatch, one_column

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a case may be from summing to one. Of those that were held in float32 or float16 it is
the square root of the type's epsilon (3.5e-4, 0.031), as scikit-learn has it."""

MOST_CASES = 2**31 - 1
"""Cases of one evaluation: places among them are kept as int32."""


class Extent(NamedTuple):
    """What the check of the scores saw: it is what makes them sortable by their bits."""

    low: float
    """the smallest size of a score that is not 0"""
    high: float
    """the largest size"""
    uneven: float
    """how far a row's sum is from one, at most"""
    negative: bool = False
    """is any score below zero?"""
    given: int | None = None
    """the one column that was given for two classes, the other being made from it; None: all were given"""
    exact: bool = False
    """is the first of two columns 1 - p in every row, in the type that holds both?"""

    @classmethod
    def of(cls, low: float, high: float, uneven: float, exact: bool, given: int | None = None) -> Extent:
        """Of probabilities."""
        return cls(low, high, uneven, False, given, exact)


class Labels(NamedTuple):
    """A column of labels."""

    values: list[Any]
    """the distinct ones, ascending"""
    codes: Array
    """[n] places in `values`, int32"""
    categories: list[Any] | None
    """all that the column declares, if it does"""


def fields_of(
    y_true: Any,
    y_proba: Any,
    y_pred: Any,
    y_score: Any,
    labels: Any,
    positive: Any,
    sample_weight: Any,
    normalise: bool,
    columns: Mapping[Any, Any] | None,
    reject: Any,
    certain: bool = False,
) -> dict[str, Any]:
    """The fields of one evaluation; `certain`: one column of floats that are 0 or 1 may be probabilities."""
    _refuse_contradictions(y_proba, y_pred, y_score, normalise, reject)
    try:
        truth = Labels(*distinct(y_true, "y_true"))
    except InputError:
        _refuse_swapped(y_true, {"y_proba": y_proba, "y_pred": y_pred, "y_score": y_score})
        raise
    n = len(truth.codes)
    decided = None if y_pred is None else Labels(*distinct(y_pred, "y_pred"))
    if decided is not None:
        _same_length(len(decided.codes), "y_pred", n)
    order = None if labels is None else class_order(labels)
    scores = _scores(y_proba, y_score, columns, n)
    if scores is not None and scores.values.ndim == 2 and scores.values.shape[1] == 1 and columns is None:
        scores = one_column(scores, order or truth.categories or truth.values, positive, order is not None)
    asked = decided is None and not (certain and np.asarray(y_proba).dtype.kind == "f")
    if asked and scores is not None and scores.values.ndim == 1 and not scores.real and scores.names is None:
        _refuse_predictions(scores.values, order or truth.values)
    order, scores = _class_order(order, columns, truth, scores)
    classes, outputs = _classes(order, truth, decided, reject)
    fields: dict[str, Any] = {
        "classes": tuple(classes),
        "outputs": tuple(outputs),
        "truth": placed(truth.values, truth.codes, classes, "y_true")[None],
        "positive": positive_place(positive, classes),
    }
    if decided is not None:
        fields["decided"] = placed(decided.values, decided.codes, outputs, "y_pred")[None]
    if scores is not None:
        fields = _score_fields(scores, classes, fields["positive"], order is not None, normalise) | fields
        fields["decides"] = "decided" in fields or not (scores.real and scores.values.ndim == 1)
    weight = None if sample_weight is None else weights_of(sample_weight, n)
    return fields if weight is None else fields | {"weight": weight[None]}


def refuse_too_many(cases: Any) -> None:
    """Places of cases are kept in 32 bits."""
    try:
        n = len(cases)
    except Exception:  # what is no column is refused where it is read
        return
    if n > MOST_CASES:
        raise ShapeError(
            f"there are {n:,} cases; give at most {MOST_CASES:,} at once: evaluate them in parts, whose statistics add "
            "up."
        )


def _refuse_contradictions(y_proba: Any, y_pred: Any, y_score: Any, normalise: Any, reject: Any) -> None:
    if y_proba is not None and y_score is not None:
        raise InputError(
            f"both {option('y_proba')} and {option('y_score')} were given; pass probabilities or scores, not both."
        )
    if y_proba is None and y_score is None and y_pred is None:
        raise InputError(
            f"only {option('y_true')} was given; pass {option('y_proba')} (probabilities), {option('y_score')} "
            f"(scores) or {option('y_pred')} (predicted labels) too; a confusion matrix goes to karat.evaluate_matrix."
        )
    if y_pred is None and reject is not None:
        raise InputError(
            f"{option('reject')} names a predicted label, and there are none; pass {option('y_pred')}, or leave it out."
        )
    if normalise is not False and not isinstance(normalise, bool | np.bool_):
        raise InputError(f"normalise is {quoted([normalise])}; pass True or False.")
    if normalise and y_proba is None:
        raise InputError(
            f"{option('normalise')} is for {option('y_proba')}; labels and scores are taken as they are: leave it out."
        )


def _refuse_swapped(y_true: Any, others: Mapping[str, Any]) -> None:
    """Probabilities where the labels belong, and labels where the probabilities do."""
    for what, other in others.items():
        try:
            held, _ = numbers(y_true, "y_true")
            if other is None or (held == np.floor(held)).all() or not ((held >= 0) & (held <= 1)).all():
                continue
            distinct(other, what)
        except InputError:
            continue
        raise InputError(
            f"y_true holds probabilities and {what} holds labels; pass them in the other order, the true labels first."
        )


def _refuse_predictions(column: Array, labels: list[Any]) -> None:
    """One column of nothing but labels: of 0 and 1, or of the numbers that y_true holds."""
    if len(column) < 2 or len(labels) < 2 or not float(column[0]).is_integer():  # most columns are done with here
        return
    if ((column == 0) | (column == 1)).all():
        raise InputError(
            f"y_proba holds nothing but 0 and 1, like predicted labels; pass them as {option('y_pred')}, or, if they "
            "are probabilities of the positive class, both columns: y_proba=np.column_stack([1 - p, p])."
        )
    if isinstance(labels[0], int | float) and np.isin(column, labels).all():
        raise InputError(f"y_proba holds nothing but labels of y_true; pass predicted labels as {option('y_pred')}.")


def _scores(y_proba: Any, y_score: Any, columns: Mapping[Any, Any] | None, n: int) -> Scores | None:
    """Probabilities or scores; None if only predicted labels were given."""
    real = y_score is not None
    data, what = (y_score, "y_score") if real else (y_proba, "y_proba")
    if columns is not None and not (
        isinstance(columns, Mapping) and columns and all(isinstance(c, str | int | tuple) for c in columns.values())
    ):
        raise LabelError(f"{option('columns')} must be {{class: name of its column}} with an entry for each class.")
    if data is None:
        if columns is not None:
            raise LabelError(f"{option('columns')} is for a table of probabilities or scores; leave it out.")
        return None
    values, names, epsilon = numbers_as_held(data, what, only=None if columns is None else [*columns.values()])
    if columns is not None and names is None:
        raise LabelError(
            f"{option('columns')} names the columns of a table, and {what} is a bare array; pass a table, or "
            f"{option('labels')} instead."
        )
    if values.ndim not in (1, 2):
        raise ShapeError(_no_column_of_scores(values, what))
    _same_length(len(values), what, n)
    return Scores(values, names, what, real, _tolerance(epsilon))


def _tolerance(epsilon: float) -> float:
    """Of the sum of a row, by the precision of the type that held it."""
    return SUM_TOLERANCE if epsilon == EPSILON else max(SUM_TOLERANCE, math.sqrt(epsilon))


def _no_column_of_scores(values: Array, what: str) -> str:
    if values.ndim == 0:
        return f"{what} is a single number; give (n, classes), or (n,) for two classes."
    return f"{what} has the shape {values.shape}; give (n, classes), or (n,) for two classes."


def _class_order(
    order: list[Any] | None, columns: Mapping[Any, Any] | None, truth: Labels, scores: Scores | None
) -> tuple[list[Any] | None, Scores | None]:
    """The order of the classes, None if nothing says it; and the scores in it, if their columns have names."""
    wide = scores is not None and scores.values.ndim == 2
    if scores is not None and wide and scores.names is not None:
        return by_name(scores, columns, order, truth.categories or truth.values)
    if order is not None or truth.categories is None:
        return order, scores
    if scores is not None and wide and truth.categories != sorted(truth.categories):
        raise LabelError(
            f"y_true declares the classes {quoted(truth.categories)}, not in sorted order, and {scores.what} is a bare "
            f"array; name the class of each column with {option('labels')}."
        )
    return truth.categories, scores


def _classes(
    order: list[Any] | None, truth: Labels, decided: Labels | None, reject: Any
) -> tuple[list[Any], list[Any]]:
    """The classes and the decisions: those that are seen, unless an order was said."""
    if reject is not None:
        reject = one_label(reject, "reject")
    seen = truth.values if decided is None else union(truth.values, decided.values, reject)
    classes = seen if order is None else order
    if reject is not None and reject in classes:
        raise LabelError(
            f"{option('reject', reject)} is one of the classes {quoted(classes)}; name a label that is not a class."
        )
    return classes, classes if reject is None else [*classes, reject]


def union(
    one: list[Any], other: list[Any], reject: Any = None, names: tuple[str, str] = ("y_true", "y_pred")
) -> list[Any]:
    """The labels of two columns with these names, sorted."""
    known = {*one, reject}
    extra = [label for label in other if label not in known]
    try:
        return sorted([*one, *extra])
    except TypeError:
        raise LabelError(
            f"{names[0]} holds {type(one[0]).__name__} labels and {names[1]} holds {type(extra[0]).__name__} labels; "
            "give both in one type."
        ) from None


def _score_fields(
    scores: Scores, classes: list[Any], place: int | None, ordered: bool, normalise: bool
) -> dict[str, Any]:
    """A column of scores for each class, their extent, and decisions where the first of equals is not the one."""
    values, what = scores.values, scores.what
    fields: dict[str, Any] = {"probabilities": not scores.real}
    if values.ndim == 1:
        check_one_column(scores, classes, place, ordered)
        columns = values[:, None]
        if place == 0 and not scores.real and (values == 0.5).any():
            fields["decided"] = np.where(values > 0.5, 0, 1).astype(np.int32)[None]  # positive only above one half
    elif values.shape[1] != len(classes):
        raise LabelError(mismatch(values.shape[1], classes, ordered, what))
    else:
        values = columns = _normalised(values.astype(np.float64, copy=False)) if normalise else values
    alone = place if values.ndim == 1 else None
    if scores.real:
        columns = columns if alone is not None else columns + 0.0  # no -0.0, which would differ from 0.0 in its bits
        fields["extent"] = _finite(values, what, alone)
    else:
        fields["extent"] = _inspected(columns, values, what, alone, scores.tolerance)
    return fields | {"held": columns[None]}


def _same_length(length: int, what: str, n: int) -> None:
    if length != n:
        raise ShapeError(f"{what} has {counted(length)} and y_true has {n}; give one for each case of y_true.")


def _normalised(scores: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        sums = scores.sum(axis=1, keepdims=True)
    if not (np.isfinite(sums).all() and (scores >= 0).all() and (sums > 0).all()):
        raise ProbabilityError(
            f"{option('normalise')} needs finite values of at least 0 with a positive sum in every row; correct "
            "y_proba first."
        )
    return np.ascontiguousarray(scores / sums)


def _finite(given: Array, what: str, alone: int | None) -> Extent:
    """The extent of real scores, which may be anything but nan or infinite; of one column, with its mirror image."""
    finite, low, high, negative = kernels.sizes(given)
    if not finite:
        row, *j = map(int, np.argwhere(~np.isfinite(given))[0])
        raise ProbabilityError(f"{what} holds {given[row, *j]} in row {row}; every score must be a finite number.")
    return Extent(low, high, np.inf, negative or (alone is not None and high > 0), alone)


def _inspected(
    scores: Array,
    given: Array,
    what: str,
    alone: int | None,
    tolerance: float = SUM_TOLERANCE,
    normalising: bool = True,
) -> Extent:
    """The extent of probabilities; `given` is what the user gave, for the message; `normalising`: there is an option
    for it."""
    problem, row, low, high, uneven, exact = kernels.inspect(scores, tolerance, -1 if alone is None else alone)
    if not problem:
        return Extent.of(low, high, uneven, exact, alone)
    holds = f"{what} holds [{quoted(np.atleast_1d(given[row]).tolist(), 4)}] in row {row}"
    if problem == 1:
        raise ProbabilityError(f"{holds}; every probability must be a finite number.")
    if problem == 2:
        raise ProbabilityError(f"{holds}; {_outside(given, what, tolerance)}.")
    remedy = f", or pass {option('normalise')} to divide each row by its sum" if normalising else ""
    raise ProbabilityError(f"{holds}, which sums to {float(scores[row].sum()):.9g} instead of 1; correct it{remedy}.")


def _outside(given: Array, what: str, tolerance: float) -> str:
    """What to do with probabilities that are not in [0, 1]."""
    low, high = np.min(given), np.max(given)
    if -tolerance <= low and high <= 1 + tolerance:
        return f"probabilities are in [0, 1]: if this is rounding, pass np.clip({what}, 0, 1)"
    correction = "divide percentages by 100" if low >= 0 and 1.5 < high <= 100 else "correct it"
    return f"probabilities are in [0, 1]: {correction}, or pass scores as {option('y_score')} (ranking measures only)"


def weights_of(sample_weight: Any, n: int) -> Array | None:
    """[n]: finite numbers of at least 0; None if all are 1."""
    weight, _ = numbers(sample_weight, "sample_weight", "one number for each case")
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = np.ascontiguousarray(weight[:, 0])
    if weight.ndim != 1:
        raise WeightError(f"sample_weight has the shape {weight.shape}; give one number for each case, of shape (n,).")
    _same_length(len(weight), "sample_weight", n)
    for bad, why in ((~np.isfinite(weight), "not finite"), (weight < 0, "negative")):
        if bad.any():
            at = int(np.argmax(bad))
            raise WeightError(f"sample_weight is {why} ({weight[at]}) at case {at}; weights are finite and at least 0.")
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if not total > 0:
        raise WeightError("sample_weight sums to 0; give at least one case a positive weight.")
    if not SMALLEST_COUNT < total < LARGEST_COUNT:
        raise WeightError(
            f"sample_weight sums to {total:.3g}, too far from 1 to be squared; multiply all weights by a constant."
        )
    tiny = (weight > 0) & (weight < SMALLEST_COUNT)
    if tiny.any():
        at = int(np.argmax(tiny))
        raise WeightError(
            f"sample_weight is {weight[at]:.3g} at case {at}, too small to be squared; give 0, or at least "
            f"{SMALLEST_COUNT:g}."
        )
    return None if (weight == 1).all() else weight


def fields_of_batch(truth: Any, y_proba: Any) -> dict[str, Any]:
    """The fields of many evaluations of one size: truth [..., n] as places 0..k-1, probabilities [..., n, k], or
    [..., n] for the second of two classes."""
    proba, _, epsilon = numbers_as_held(y_proba, "y_proba")
    codes = _any_shape(truth, "y_true")
    if proba.ndim > 1 and proba.shape[:-1] == codes.shape and proba.shape[-1] == 1 and (proba != 1).any():
        proba = proba[..., 0]
    mirrored = codes.ndim == proba.ndim
    if mirrored:
        proba = _one_column(proba, codes)
    if proba.ndim < 2 or proba.size == 0:
        raise ShapeError(f"y_proba has the shape {proba.shape}; give (..., cases, classes), not empty.")
    *axes, n, held = proba.shape
    k = 2 if mirrored else held
    codes = _places(codes, (*axes, n, k))
    proba = np.ascontiguousarray(proba)
    flat = proba.reshape(-1, held)
    alone = 1 if mirrored else None
    tolerance = _tolerance(epsilon)
    extent = _inspected(flat, flat[:, 0] if mirrored else flat, "y_proba", alone, tolerance, normalising=False)
    return {
        "classes": tuple(range(k)),
        "truth": np.ascontiguousarray(codes, dtype=np.int32).reshape(-1, n),
        "held": proba.reshape(-1, n, held),
        "outputs": tuple(range(k)),
        "positive": 1 if k == 2 else None,
        "extent": extent,
        "lead": tuple(axes),
    }


def _any_shape(data: Any, what: str) -> Array:
    data = readable(data, what, "an array of shape (..., cases)")
    try:
        return np.asarray(data)
    except ValueError:
        raise ShapeError(f"{what} is ragged; give an array of shape (..., cases).") from None


def _one_column(proba: Array, codes: Array) -> Array:
    """[..., n, 1]: the probabilities of the second class."""
    if codes.shape != proba.shape:
        raise ShapeError(
            f"y_true has the shape {codes.shape} and y_proba {proba.shape}; give both (..., cases), or a last axis of "
            "y_proba over the classes."
        )
    return proba[..., None] if proba.size else proba


def _places(codes: Array, shape: tuple[int, ...]) -> Array:
    """[..., n]: places of classes, the same for all evaluations or of each."""
    expected = f"give the numbers 0 to {shape[-1] - 1} of the classes, as integers"
    if codes.dtype.kind not in "biu" or codes.size == 0:
        raise LabelError(f"y_true holds {codes.dtype if codes.size else 'nothing'}; {expected}.")
    low, high = codes.min(), codes.max()
    if low < 0 or high >= shape[-1]:
        raise LabelError(f"y_true holds the class {low if low < 0 else high}; {expected}.")
    try:
        return np.broadcast_to(codes, shape[:-1])
    except ValueError:
        raise ShapeError(
            f"y_true of shape {codes.shape} does not fit y_proba of shape {shape}; give one label for each case."
        ) from None
