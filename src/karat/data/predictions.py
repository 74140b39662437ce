"""Truth, probabilities, decisions, weights and class names: checked here once, then trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat import kernels
from karat.core.once import once
from karat.core.statistic import Needs
from karat.data import labels as named
from karat.data.errors import InputError, LabelError, ProbabilityError, ShapeError, WeightError, some
from karat.data.frames import column, numbers

Array = NDArray[Any]

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a case may be from summing to one."""


class Extent(NamedTuple):
    """What the check of the scores saw: it is what makes them sortable by their bits."""

    low: float
    """the smallest positive score"""
    high: float
    """the largest"""
    uneven: float
    """how far a row's sum is from one, at most"""
    negative: bool = False
    """is any score below zero?"""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier said about n cases, beside the truth. Arrays have one batch axis in front (`lead` says which
    leading axes the user's arrays had: none, for one evaluation)."""

    classes: tuple[Any, ...]
    truth: Array
    """[B, n] places in `classes`, int32"""
    scores: Array | None = None
    """[B, n, k] probabilities, or real scores where `probabilities` is False"""
    decided: Array | None = None
    """[B, n] decisions, int32; None: the class with the highest score, the first of equals"""
    weight: Array | None = None
    """[B, n]; None: all ones"""
    outputs: tuple[Any, ...] = ()
    """the decision columns: the classes, and perhaps one for rejected cases"""
    positive: int | None = None
    probabilities: bool = True
    decides: bool = True
    """are there decisions at all? (not with bare scores for two classes)"""
    extent: Extent | None = None
    lead: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """Number of cases (of each evaluation)."""
        return int(self.truth.shape[1])

    @once
    def class_weight(self) -> Array:
        """[..., k]: the weight of the cases of each class."""
        B, k = len(self.truth), len(self.classes)
        cell = self.truth if B == 1 else np.arange(B)[:, None] * k + self.truth
        sums = np.bincount(cell.ravel(), None if self.weight is None else self.weight.ravel(), B * k)
        return sums.astype(np.float64).reshape(*self.lead, k)

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this can't be had; empty if it can."""
        if needs is Needs.DECISIONS:
            return "" if self.decides else "it needs decisions, and scores without a threshold give none: give y_pred"
        if self.scores is None:
            return f"it needs {needs.name.lower()}, and only decisions were given"
        if needs is Needs.PROBABILITIES and not self.probabilities:
            return "it needs probabilities, and what was given are scores"
        return ""

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        labels: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
        normalise: bool = False,
        columns: Mapping[Any, Any] | None = None,
        reject: Any = None,
    ) -> Predictions:
        """Check everything, guess nothing. `y_score` takes real scores, for which only ranking measures are defined."""
        if y_proba is not None and y_score is not None:
            raise InputError("both y_proba and y_score were given; give probabilities or scores, not both.")
        given, what = (y_score, "y_score") if y_score is not None else (y_proba, "y_proba")
        if given is None and y_pred is None:
            raise InputError(
                "only y_true was given; give y_proba (probabilities), y_score (scores) or y_pred (decisions)."
            )

        truth_values, truth, categories = named.distinct(y_true, "y_true")
        decided_values, decided = None, None
        if y_pred is not None:
            decided_values, decided, _ = named.distinct(y_pred, "y_pred")
            _same_length(len(decided), "y_pred", len(truth))
        scores, names = (None, None) if given is None else numbers(given, what)
        if scores is not None:
            if scores.ndim not in (1, 2):
                raise ShapeError(f"{what} has the shape {scores.shape}; give (n, classes), or (n,) for two classes.")
            _same_length(len(scores), what, len(truth))

        order = named.class_order(labels) if labels is not None else None
        if order is None and categories is not None:
            order = categories
        if scores is not None and scores.ndim == 2 and (names is not None or columns is not None):
            order, scores = _by_name(scores, names, columns, order, truth_values, what)
        seen = truth_values if decided_values is None else _union(truth_values, decided_values, reject)
        classes = order if order is not None else seen
        truth = named.placed(truth_values, truth, classes, "y_true")
        outputs = classes if reject is None else [*classes, reject]
        if reject is not None and reject in classes:
            raise LabelError(
                f"reject={reject!r} is one of the classes {some(classes)}; name a label that is not a class."
            )
        if decided_values is not None and decided is not None:
            decided = named.placed(decided_values, decided, outputs, "y_pred")

        place = named.positive_place(positive, classes)
        extent, decides = None, True
        if scores is not None:
            if scores.ndim == 1:
                scores = _two_columns(scores, classes, place, order is not None, what, y_score is not None)
                decides = decided is not None or y_score is None
            elif scores.shape[1] != len(classes):
                raise LabelError(_mismatch(scores.shape[1], classes, order is not None, what))
            if normalise and y_score is None:
                scores = _normalised(scores)
            extent = _inspected(scores, what, y_score is not None)
        weight = None if sample_weight is None else _weights(sample_weight, len(truth))
        return cls(
            classes=tuple(classes),
            truth=truth[None],
            scores=None if scores is None else scores[None],
            decided=None if decided is None else decided[None],
            weight=None if weight is None else weight[None],
            outputs=tuple(outputs),
            positive=place,
            probabilities=y_score is None,
            decides=decides,
            extent=extent,
        )

    @classmethod
    def batch(cls, truth: Any, y_proba: Any, *, classes: int | None = None) -> Predictions:
        """Many evaluations of one size at once: truth [..., n] as places 0..k-1, probabilities [..., n, k], or [..., n]
        for the second of two classes."""
        proba = np.asarray(y_proba, dtype=np.float64)
        codes = np.asarray(truth)
        if codes.ndim == proba.ndim or (codes.ndim == 1 and classes == 2 and proba.ndim > 1 and proba.shape[-1] != 2):
            proba = np.stack([1 - proba, proba], axis=-1)
        if proba.ndim < 2 or proba.size == 0:
            raise ShapeError(f"y_proba has the shape {proba.shape}; give (..., cases, classes), not empty.")
        *lead, n, k = proba.shape
        if codes.dtype.kind not in "biu" or codes.size == 0 or codes.min() < 0 or codes.max() >= (classes or k):
            raise LabelError(f"truth must hold the places 0 to {(classes or k) - 1} of the classes, as integers.")
        if classes is not None and classes != k:
            raise ShapeError(f"y_proba has {k} columns, but {classes} classes were said.")
        try:
            codes = np.broadcast_to(codes, (*lead, n))
        except ValueError:
            raise ShapeError(f"truth of shape {codes.shape} does not fit y_proba of shape {proba.shape}.") from None
        proba = np.ascontiguousarray(proba).reshape(-1, n, k)
        extent = _inspected(proba.reshape(-1, k), "y_proba", False)
        return cls(
            classes=tuple(range(k)),
            truth=np.ascontiguousarray(codes, dtype=np.int32).reshape(-1, n),
            scores=proba,
            outputs=tuple(range(k)),
            positive=1 if k == 2 else None,
            extent=extent,
            lead=tuple(lead),
        )


def _same_length(length: int, what: str, n: int) -> None:
    if length != n:
        raise ShapeError(f"{what} has {length} cases and y_true has {n}; give one for each case of y_true.")


def _union(truth: list[Any], decided: list[Any], reject: Any) -> list[Any]:
    extra = [v for v in decided if v not in set(truth) and v != reject]
    try:
        return sorted([*truth, *extra])
    except TypeError:
        raise LabelError(
            f"y_true holds {type(truth[0]).__name__} labels and y_pred holds {type(extra[0]).__name__} labels; "
            "give both in one type."
        ) from None


def _two_columns(scores: Array, classes: list[Any], place: int | None, said: bool, what: str, real: bool) -> Array:
    if len(classes) != 2:
        if len(classes) == 1 and not said:
            raise LabelError(
                f"{what} has one column, for two classes, but y_true holds only {classes[0]!r}; name both with labels=."
            )
        raise ShapeError(
            f"{what} has the shape {scores.shape} and there are {len(classes)} classes; give one column for each class."
        )
    if place is None:
        raise LabelError(
            f"{what} is one column of scores for the positive class, but which of {some(classes)} is positive was not "
            "said (only 0 and 1 speak for themselves); say positive=."
        )
    both = np.empty((len(scores), 2))
    both[:, place] = scores
    both[:, 1 - place] = -scores if real else 1 - scores
    return both


def _mismatch(width: int, classes: list[Any], said: bool, what: str) -> str:
    if width == 1:
        return f"{what} has the shape (n, 1); give (n,) for the positive of two classes, or one column for each class."
    if said:
        return (
            f"{what} has {width} columns and there are {len(classes)} classes ({some(classes)}); give one column for "
            "each class, in that order."
        )
    return (
        f"{what} has {width} columns and the data hold {len(classes)} labels ({some(classes)}), so columns and labels "
        "can't be matched; name the class of each column with labels=."
    )


def _by_name(
    scores: Array,
    names: list[Any] | None,
    columns: Mapping[Any, Any] | None,
    order: list[Any] | None,
    seen: list[Any],
    what: str,
) -> tuple[list[Any], Array]:
    """The class order and the score columns in it, matched by the names of the columns."""
    if names is None:
        raise LabelError(f"columns= names the columns of {what}, but {what} is a bare array; give a table, or labels=.")
    if columns is not None:
        order = order if order is not None else list(columns)
        missing = [label for label in order if label not in columns]
        if missing:
            raise LabelError(f"columns= says no column for {some(missing)}; say one for each class.")
        wanted = [columns[label] for label in order]
        absent = [name for name in wanted if name not in names]
        if absent:
            raise LabelError(f"{what} has no column {some(absent)}; it has {some(names, 8)}.")
    else:
        order = order if order is not None else _classes_named(names, seen, what)
        wanted = []
        for label in order:
            found = [name for name in names if name == label or str(name) in (str(label), f"p_{label}")]
            if len(found) != 1:
                trouble = "no column" if not found else f"{len(found)} columns"
                raise LabelError(
                    f"{what} has {trouble} for the class {label!r}; its columns are {some(names, 8)}: name them like "
                    "the classes (or p_<class>), or say columns={class: column}."
                )
            wanted.append(found[0])
        spare = [name for name in names if name not in wanted]
        if spare:
            raise LabelError(
                f"{what} has the column {some(spare)}, which is no class; leave it out or add it to labels."
            )
    if wanted == names:
        return order, scores
    return order, np.ascontiguousarray(scores[:, [names.index(name) for name in wanted]])


def _classes_named(names: list[Any], seen: list[Any], what: str) -> list[Any]:
    """The classes that the column names name, in the type of the labels."""
    bare = [n[2:] if isinstance(n, str) and n.startswith("p_") else n for n in names]
    if not all(isinstance(n, str) and n.startswith("p_") for n in names):
        bare = list(names)
    classes: list[Any]
    try:
        if isinstance(seen[0], bool):
            classes = [{"True": True, "False": False}[str(b)] for b in bare]
        elif isinstance(seen[0], int):
            classes = [int(b) for b in bare]
        elif isinstance(seen[0], float):
            classes = [float(b) for b in bare]
        else:
            classes = bare
    except (KeyError, ValueError):
        classes = bare
    if any(v not in classes for v in seen):
        raise LabelError(
            f"the columns of {what} are named {some(names, 8)} and the labels are {some(seen)}, so they can't be "
            "matched; name the columns like the classes, or say columns={class: column}."
        )
    return classes


def _normalised(scores: Array) -> Array:
    sums = scores.sum(axis=1, keepdims=True)
    if not (np.isfinite(sums).all() and (scores >= 0).all() and (sums > 0).all()):
        raise ProbabilityError(
            "normalise=True needs finite values of at least 0 with a positive sum in every row; correct y_proba first."
        )
    return np.ascontiguousarray(scores / sums)


def _inspected(scores: Array, what: str, real: bool) -> Extent:
    if real:
        finite = np.isfinite(scores)
        if not finite.all():
            row = int(np.flatnonzero(~finite.all(axis=1))[0])
            raise ProbabilityError(f"{what} holds {scores[row].tolist()} in row {row}; every score must be finite.")
        np.add(scores, 0.0, out=scores, where=scores == 0)
        lowest = float(scores.min())
        positive = scores[scores > 0]
        return Extent(float(positive.min(initial=2.0)), float(scores.max()), np.inf, lowest < 0)
    problem, row, low, high, uneven = kernels.inspect(scores, SUM_TOLERANCE)
    if problem:
        line = some(scores[row].tolist(), 4)
        if problem == 1:
            raise ProbabilityError(f"{what} holds [{line}] in row {row}; every probability must be a finite number.")
        if problem == 2:
            raise ProbabilityError(
                f"{what} holds [{line}] in row {row}; probabilities lie in [0, 1]: correct it, or pass scores as "
                "y_score (ranking measures only)."
            )
        raise ProbabilityError(
            f"{what} holds [{line}] in row {row}, which sums to {float(scores[row].sum()):.9g} instead of 1; correct "
            "it, or say normalise=True to divide each row by its sum."
        )
    return Extent(low, high, uneven)


def _weights(sample_weight: Any, n: int) -> Array | None:
    weight, _ = column(sample_weight, "sample_weight")
    if weight.dtype.kind not in "biuf":
        raise WeightError(f"sample_weight holds {weight.dtype}; give one number for each case.")
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    _same_length(len(weight), "sample_weight", n)
    for bad, why in ((~np.isfinite(weight), "not finite"), (weight < 0, "negative")):
        if bad.any():
            at = int(np.argmax(bad))
            raise WeightError(f"sample_weight is {why} ({weight[at]}) at case {at}; weights are finite and at least 0.")
    if not weight.sum() > 0:
        raise WeightError("sample_weight sums to 0; give at least one case a positive weight.")
    return None if (weight == 1).all() else weight
