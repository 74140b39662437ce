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
from karat.data import columns as columned
from karat.data import labels as named
from karat.data.errors import InputError, LabelError, ProbabilityError, ShapeError, WeightError, some
from karat.data.frames import numbers
from karat.data.matrices import LARGEST, SMALLEST

Array = NDArray[Any]

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a case may be from summing to one."""

MOST = 2**31 - 1
"""Cases of one evaluation: places among them are kept as int32."""


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
    given: int | None = None
    """the one column that was given for two classes, the other being made from it; None: all were given"""


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
        weights = kernels.class_weights(self.truth, self.weight, len(self.classes))
        return weights.reshape(*self.lead, -1) if self.lead else weights[0]

    @once
    def decisions(self) -> Array:
        """[B, n], int32: as given, else the class with the highest score, the first of equals."""
        if not self.decides:
            raise InputError("scores without a threshold give no decisions; give y_pred, or scores of every class.")
        if self.decided is not None:
            return self.decided
        assert self.scores is not None
        return np.asarray(self.scores.argmax(axis=2), np.int32)

    def mirrors(self, j: int) -> bool:
        """Was column j not given, but made from the one of the other of two classes?"""
        return self.extent is not None and self.extent.given == 1 - j and len(self.classes) == 2

    def ordering(self, j: int) -> Array:
        """[n], of one evaluation: numbers in the order of the scores of class j. Of a column that mirrors another they
        are that one's, turned round: no two scores that were given apart may be equal, whatever 1 - p rounds to."""
        assert self.scores is not None
        return np.asarray(-self.scores[0, :, 1 - j] if self.mirrors(j) else self.scores[0, :, j])

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
        """Check everything, guess nothing."""
        _refuse_too_many(y_true)
        if y_pred is y_score is labels is positive is sample_weight is columns is reject is None and not normalise:
            plain = kernels.plain_arrays(y_true, y_proba, named.WIDEST, SUM_TOLERANCE)
            if plain is not None:
                return cls._plain(*plain)
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
        if y_pred is None and reject is not None:
            raise InputError("reject= names a decision, and no decisions were given; give y_pred, or leave it out.")
        if normalise and y_proba is None:
            raise InputError("normalise=True goes with y_proba; all else is taken as it is: leave it out.")
        wanted = list(columns.values()) if isinstance(columns, Mapping) else None
        scores, names = (None, None) if given is None else numbers(given, what, only=wanted)
        if scores is not None:
            if scores.ndim == 1 and y_score is None and _looks_decided(given):
                raise InputError(
                    "y_proba holds only the integers 0 and 1, which look like decisions; pass decisions as y_pred, and "
                    "probabilities as floats."
                )
            if scores.ndim not in (1, 2):
                raise ShapeError(f"{what} has the shape {scores.shape}; give (n, classes), or (n,) for two classes.")
            _same_length(len(scores), what, len(truth))
        if columns is not None and (scores is None or names is None):
            raise LabelError(
                "columns= names the columns of a table, but a bare array was given; give a table, or labels=."
            )

        order = named.class_order(labels) if labels is not None else None
        if scores is not None and scores.ndim == 2 and names is not None:
            order, scores = columned.by_name(scores, names, columns, order, categories or truth_values, what)
        elif order is None and categories is not None:
            if scores is not None and scores.ndim == 2 and categories != sorted(categories):
                raise LabelError(
                    f"y_true declares the classes {some(categories)}, not in sorted order, and {what} is a bare array; "
                    "say the class of each column with labels=."
                )
            order = categories
        if reject is not None:
            reject = named.one_label(reject, "reject=")
        seen = truth_values if decided_values is None else _union(truth_values, decided_values, reject)
        classes = order if order is not None else seen
        truth = named.placed(truth_values, truth, classes, "y_true")
        if reject is not None and reject in classes:
            raise LabelError(
                f"reject={reject!r} is one of the classes {some(classes)}; name a label that is not a class."
            )
        outputs = classes if reject is None or decided_values is None else [*classes, reject]
        if decided_values is not None and decided is not None:
            decided = named.placed(decided_values, decided, outputs, "y_pred")

        place = named.positive_place(positive, classes)
        extent, decides, shown = None, True, scores
        if scores is not None:
            alone = place if scores.ndim == 1 else None
            if scores.ndim == 1:
                if alone == 0 and decided is None and y_score is None and (scores == 0.5).any():
                    decided = np.where(scores > 0.5, 0, 1).astype(np.int32)  # positive only above one half
                scores = columned.two_columns(scores, classes, place, order is not None, what, y_score is not None)
                decides = decided is not None or y_score is None
            elif scores.shape[1] != len(classes):
                raise LabelError(columned.mismatch(scores.shape[1], classes, order is not None, what))
            if normalise and alone is None:
                scores = shown = _normalised(scores)
            if y_score is not None:
                scores = scores + 0.0  # a copy without -0.0, which would differ from 0.0 in its bits
                extent = _finite(scores, shown, what)
            else:
                extent = _inspected(scores, shown, what, ", or say normalise=True to divide each row by its sum", alone)
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
    def _plain(
        cls, labels: list[int], truth: Array, weights: Array, scores: Array, extent: tuple[float, float, float]
    ) -> Predictions:
        """What `kernels.plain_arrays` found nothing to object to."""
        classes = tuple(labels)
        place = named.positive_place(None, labels)
        plain = cls(classes, truth, scores, None, None, classes, place, True, True, Extent(*extent))
        plain.__dict__["class_weight"] = weights  # counted already
        return plain

    @classmethod
    def batch(cls, truth: Any, y_proba: Any) -> Predictions:
        """Many evaluations of one size at once: truth [..., n] as places 0..k-1, probabilities [..., n, k], or [..., n]
        for the second of two classes."""
        if isinstance(truth, np.ndarray) and truth.ndim:
            _refuse_too_many(truth.T)
        plain = kernels.plain_batch(truth, y_proba)
        if plain is not None:
            places, scores, low, high = plain
            extent = Extent(min(low, 1 - high), max(high, 1 - low), 0.0, given=1)
            lead = y_proba.shape[:-1]
            return cls((0, 1), places, scores, outputs=(0, 1), positive=1, extent=extent, lead=lead)
        proba, _ = numbers(y_proba, "y_proba")
        codes = _any_shape(truth, "y_true")
        mirrored = codes.ndim == proba.ndim
        if mirrored and codes.shape != proba.shape:
            raise ShapeError(
                f"y_true has the shape {codes.shape} and y_proba {proba.shape}; give both (..., cases), or a last "
                "axis of y_proba over the classes."
            )
        if mirrored and proba.size:
            both = np.empty((*proba.shape, 2))
            np.subtract(1, proba, out=both[..., 0])
            both[..., 1] = proba
            proba = both
        if proba.ndim < 2 or proba.size == 0:
            raise ShapeError(f"y_proba has the shape {proba.shape}; give (..., cases, classes), not empty.")
        *axes, n, k = proba.shape
        if codes.dtype.kind not in "biu" or codes.size == 0:
            raise LabelError(f"y_true holds {codes.dtype}; give the places 0 to {k - 1} of the classes, as integers.")
        if codes.min() < 0 or codes.max() >= k:
            bad = codes.min() if codes.min() < 0 else codes.max()
            raise LabelError(f"y_true holds the place {bad}; give the places 0 to {k - 1} of the classes, as integers.")
        try:
            codes = np.broadcast_to(codes, (*axes, n))
        except ValueError:
            raise ShapeError(f"y_true of shape {codes.shape} does not fit y_proba of shape {proba.shape}.") from None
        proba = np.ascontiguousarray(proba)
        flat = proba.reshape(-1, k)
        given = flat[:, 1] if mirrored else flat
        extent = _inspected(flat, given, "y_proba", "", 1 if mirrored else None)
        return cls(
            classes=tuple(range(k)),
            truth=np.ascontiguousarray(codes, dtype=np.int32).reshape(-1, n),
            scores=proba.reshape(-1, n, k),
            outputs=tuple(range(k)),
            positive=1 if k == 2 else None,
            extent=extent,
            lead=tuple(axes),
        )


def _refuse_too_many(cases: Any) -> None:
    try:
        n = len(cases)
    except TypeError:  # what is no column is refused where it is read
        return
    if n > MOST:
        raise ShapeError(
            f"there are {n:,} cases; give at most {MOST:,} at once: evaluate them in parts, whose statistics add up."
        )


def _any_shape(data: Any, what: str) -> Array:
    try:
        array = np.asarray(data)
    except ValueError:
        raise ShapeError(f"{what} is ragged; give an array of shape (..., cases).") from None
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise InputError(f"{what} has masked values; fill or remove those cases, karat drops nothing.")
    return array


def _looks_decided(given: Any) -> bool:
    """Is this a column of the integers 0 and 1 (or of truth values)?"""
    array = np.asarray(given)
    return array.dtype.kind in "biu" and array.size > 0 and bool(((array == 0) | (array == 1)).all())


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


def _normalised(scores: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        sums = scores.sum(axis=1, keepdims=True)
    if not (np.isfinite(sums).all() and (scores >= 0).all() and (sums > 0).all()):
        raise ProbabilityError(
            "normalise=True needs finite values of at least 0 with a positive sum in every row; correct y_proba first."
        )
    return np.ascontiguousarray(scores / sums)


def _finite(scores: Array, given: Array | None, what: str) -> Extent:
    """The extent of real scores, which may be anything but nan or infinite; `given` is what the user gave."""
    if not np.isfinite(scores).all():
        row, *j = map(int, np.argwhere(~np.isfinite(given))[0])  # type: ignore[arg-type]
        raise ProbabilityError(f"{what} holds {given[row, *j]} in row {row}; every score must be finite.")  # type: ignore[index]
    positive = scores[scores > 0]
    return Extent(float(positive.min(initial=2.0)), float(scores.max()), np.inf, bool((scores < 0).any()))


def _inspected(scores: Array, given: Array | None, what: str, remedy: str, alone: int | None) -> Extent:
    """The extent of probabilities; `given` is what the user gave, for the message."""
    problem, row, low, high, uneven = kernels.inspect(scores, SUM_TOLERANCE)
    if problem:
        line = some(np.atleast_1d((scores if given is None else given)[row]).tolist(), 4)
        if problem == 1:
            raise ProbabilityError(f"{what} holds [{line}] in row {row}; every probability must be a finite number.")
        if problem == 2:
            highest = np.max(scores if given is None else given)
            remedy = "divide percentages by 100" if 1.5 < highest <= 100 else "correct it"
            raise ProbabilityError(
                f"{what} holds [{line}] in row {row}; probabilities lie in [0, 1]: {remedy}, or pass scores as "
                "y_score (ranking measures only)."
            )
        total = float(scores[row].sum())
        raise ProbabilityError(
            f"{what} holds [{line}] in row {row}, which sums to {total:.9g} instead of 1; correct it{remedy}."
        )
    return Extent(low, high, uneven, given=alone)


def _weights(sample_weight: Any, n: int) -> Array | None:
    weight, _ = numbers(sample_weight, "sample_weight", "one number for each case")
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
    if not SMALLEST < total < LARGEST:
        raise WeightError(
            f"sample_weight sums to {total:.3g}, too far from 1 to be squared; multiply all weights by a constant."
        )
    return None if (weight == 1).all() else weight
