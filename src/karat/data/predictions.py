"""Truth, probabilities, decisions, weights and class names: checked here once, then trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError, option
from karat.core.statistic import Needs
from karat.data.arrays import from_plain_list
from karat.data.border import SUM_TOLERANCE, Extent, fields_of, fields_of_batch, refuse_too_many
from karat.data.labels import WIDEST_LABEL_SPAN, positive_place
from karat.data.pairing import checked_ids
from karat.data.row_labels import matched_rows, row_labels_of


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier said about n cases, beside the truth. Arrays have one batch axis in front (`lead` says which
    leading axes the user's arrays had: none, for one evaluation)."""

    classes: tuple[Any, ...]
    truth: Array
    """[B, n] places in `classes`, int32"""
    held: Array | None = None
    """[B, n, k] probabilities, or real scores where `probabilities` is False, as they were given: in float64 or
    float32; [B, n, 1] where one column was given for two classes. See `scores`."""
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
    ids: Array | None = None
    """[n]: whose case each is, if it was said"""
    row_labels: Any = None
    """the pandas index that y_true had, if it had one: what is given later must not have another"""
    shuffled: bool = False
    """are the cases in another order than they were given? Then nothing can be put beside them case by case"""
    decreed: bool = False
    """were the class frequencies said, not seen? (by weights of the classes)"""

    table = None
    added = None
    whole = True

    @property
    def n(self) -> int:
        """Number of cases (of each evaluation)."""
        return int(self.truth.shape[1])

    @property
    def cases(self) -> Predictions:
        """These: they are known case by case."""
        return self

    @cached
    def scores(self) -> Array | None:
        """[B, n, k] in float64: all columns, made when first asked for."""
        if self.held is None:
            return None
        if self.alone >= 0:
            both = np.empty((*self.held.shape[:2], 2))
            np.add(self.held[:, :, 0], 0.0, out=both[:, :, self.alone], dtype=np.float64)  # no -0.0: its bits differ
            np.subtract(1.0 if self.probabilities else 0.0, both[:, :, self.alone], out=both[:, :, 1 - self.alone])
            return both
        return self.held.astype(np.float64, copy=False)

    @property
    def alone(self) -> int:
        """The one column of two classes that is held; -1: all are."""
        one = self.held is not None and self.held.shape[2] == 1 != len(self.classes)
        return self.extent.given if one and self.extent is not None and self.extent.given is not None else -1

    @property
    def kind(self) -> str:
        """What was given, in words."""
        if self.held is None:
            return "predicted labels"
        return "probabilities" if self.probabilities else "scores"

    @property
    def rejected(self) -> int:
        """Number of rejected cases: no class was predicted."""
        return 0 if self.decided is None else int((self.decided >= len(self.classes)).sum())

    @cached
    def right(self) -> Array:
        """[B, n]: which predictions are correct?"""
        return np.asarray(self.decisions == self.truth)

    @cached
    def class_weight(self) -> Array:
        """[..., k]: the weight of the cases of each class."""
        weights = kernels.class_weights(self.truth, self.weight, len(self.classes))
        return weights.reshape(*self.lead, -1) if self.lead else weights[0]

    @cached
    def decisions(self) -> Array:
        """[B, n], int32: as given, else the class with the highest score, the first of equals."""
        if not self.decides:
            raise InputError(
                f"scores without a threshold predict no class; pass {option('y_pred')}, or scores of every class."
            )
        if self.decided is not None:
            return self.decided
        assert self.held is not None
        if self.alone >= 0:  # the first of equals
            above = self.held[:, :, 0].astype(np.float64, copy=False)
            return np.asarray(above > 1 - above if self.alone else above < 1 - above, np.int32)
        return np.asarray(self.held.argmax(axis=2), np.int32)

    def mirrors(self, j: int) -> bool:
        """Was column j not given, but made as 1 - p from the one of the other of two classes? (The mirror image of a
        score is exact, and needs no care.)"""
        return self.probabilities and self.extent is not None and self.extent.given == 1 - j and len(self.classes) == 2

    def ordering(self, j: int) -> Array:
        """[n], of one evaluation: numbers in the order of the scores of class j. Of a column that mirrors another they
        are that one's, turned round: no two scores that were given apart may be equal, whatever 1 - p rounds to."""
        if self.mirrors(j):
            return -self.column(1 - j)
        return self.column(j)

    def column(self, j: int) -> Array:
        """[n], of one evaluation: the scores of class j, in float64."""
        assert self.held is not None
        if self.alone < 0 or self.alone != j:
            assert self.scores is not None
            return np.asarray(self.scores[0, :, j])
        return self.held[0, :, 0] + np.float64(0.0)

    def held_column(self, j: int) -> Array:
        """The same as it is held, if it is: of millions of single precision a copy would take longer than a look."""
        assert self.held is not None
        there = {-1: j, j: 0}.get(self.alone)
        return self.column(j) if there is None else self.held[0, :, there]

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this is not available; empty if it is."""
        if needs is Needs.DECISIONS:
            if self.decides:
                return ""
            return f"it needs predicted labels, and scores without a threshold give none: pass {option('y_pred')}"
        if self.held is None:
            return f"it needs {needs.name.lower()}, and only predicted labels were given"
        if needs is Needs.PROBABILITIES and not self.probabilities:
            return "it needs probabilities, and only scores were given"
        return ""

    def take(self, at: Array) -> Predictions:
        """The cases at these places, as often as they are named."""
        return self._with_arrays(
            lambda x: x[0].take(at, axis=0)[None], ids=None if self.ids is None else self.ids[at], row_labels=None
        )

    def part(self, rows: slice) -> Predictions:
        """Consecutive cases, without copying them."""
        ids = None if self.ids is None else self.ids[rows]
        return self._with_arrays(lambda x: x[:, rows], ids=ids, row_labels=None)

    def each_alone(self, at: Array) -> Predictions:
        """Each of the cases at these places as an evaluation of its own."""
        return self._with_arrays(lambda x: x[0].take(at, axis=0)[:, None], lead=(len(at),), ids=None, row_labels=None)

    def one(self, i: int) -> Predictions:
        """One evaluation out of many."""
        return self._with_arrays(lambda x: x[i : i + 1], lead=())

    def reweighted(self, weight: Array | None) -> Predictions:
        """The same cases with other weights [B, n]."""
        return replace(self, weight=weight)

    def with_truths(self, truth: Array) -> Predictions:
        """The same predictions of cases of other classes [B, n]."""
        return replace(self, truth=truth)

    def with_classes_times(self, factor: Array) -> Predictions:
        """The same with the weight of the cases of each class times a factor [k]."""
        weight = factor[self.truth]
        return replace(self, weight=weight if self.weight is None else weight * self.weight, decreed=True)

    def identified(self, ids: Any) -> Predictions:
        """The same cases, with the id of each."""
        return replace(self, ids=checked_ids(ids, self.n))

    def _with_arrays(self, part: Callable[[Array], Array], **fields: Any) -> Predictions:
        """A part of each of the arrays."""
        for name in ("truth", "held", "decided", "weight"):
            array = getattr(self, name)
            fields[name] = None if array is None else part(array)
        return replace(self, **fields)

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
        ids: Any = None,
        align: str = "row",
        certain: bool = False,
    ) -> Predictions:
        """Check everything, guess nothing. `certain`: one column of floats that are 0 or 1 may be probabilities."""
        refuse_too_many(y_true)
        usual = normalise is False and type(align) is str and align == "row"
        if usual and y_pred is y_score is labels is positive is sample_weight is columns is reject is ids is None:
            labelled, proba = from_plain_list(y_true), from_plain_list(y_proba)
            plain = kernels.plain_arrays(labelled, proba, WIDEST_LABEL_SPAN, SUM_TOLERANCE)
            if plain is not None:
                return cls._plain(*plain)
        by_case = {"y_true": y_true, "y_proba": y_proba, "y_pred": y_pred, "y_score": y_score}
        by_case |= {"sample_weight": sample_weight, "ids": ids}
        by_case = matched_rows(by_case, align)
        ids = by_case.pop("ids")
        given = {"labels": labels, "positive": positive, "normalise": normalise, "columns": columns, "reject": reject}
        predictions = cls(**fields_of(**by_case, **given, certain=certain), row_labels=row_labels_of(by_case["y_true"]))
        return predictions if ids is None else predictions.identified(ids)

    @classmethod
    def _plain(
        cls,
        labels: list[int],
        truth: Array,
        weights: Array,
        scores: Array,
        seen: tuple[float, float, float, bool, int | None, bool],
    ) -> Predictions:
        """What `kernels.plain_arrays` found nothing to object to."""
        classes = tuple(labels)
        plain = cls.__new__(cls)
        plain.__dict__.update(  # the constructor of a frozen class costs more than the sums over a thousand cases
            classes=classes,
            truth=truth,
            held=scores,
            outputs=classes,
            positive=positive_place(None, labels),
            extent=Extent._make(seen),
            class_weight=weights,  # counted already
        )
        return plain

    @classmethod
    def batch(cls, truth: Any, y_proba: Any) -> Predictions:
        """Many evaluations of one size at once: truth [..., n] as places 0..k-1, probabilities [..., n, k], or [..., n]
        for the second of two classes."""
        if isinstance(truth, np.ndarray) and truth.ndim:
            refuse_too_many(truth.T)
        plain = kernels.plain_batch(truth, y_proba)
        if plain is not None:
            places, scores, low, high = plain
            extent = Extent(min(low, 1 - high), max(high, 1 - low), 0.0, given=1)
            lead = y_proba.shape[:-1]
            return cls((0, 1), places, scores, outputs=(0, 1), positive=1, extent=extent, lead=lead)
        return cls(**fields_of_batch(truth, y_proba))
