"""What the order of the scores tells: pairs won, margins, groups of equal scores, windows of neighbours,
and what each case contributes to the pairs it is part of.

None of these adds up by itself (a case of one part is compared with those of another); the score tables they can be
taken from do.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.data.border import Extent
from karat.kernels.margins import rest_of
from karat.kernels.records import CLASS_FACTS, PAIR_FACTS, ClassSums, PairSums
from karat.statistics import scans
from karat.statistics.probability_sums import class_sums


@dataclass(eq=False)
class PairTable(Statistic):
    """matrix[..., j, c]: a sum over the pairs (a case of class j, a case of class c), scored by column j; m[..., k]."""

    additive = False
    per_class = "axis"
    facts = PAIR_FACTS
    matrix: Array
    weight: Array

    @classmethod
    @abstractmethod
    def of(cls, predictions: Any, **parameters: Any) -> Any:
        """Compare all pairs of cases (by one sort of each column)."""

    @cached
    def sums(self) -> PairSums:
        """Sums over classes."""
        if self.weight.ndim == 1:
            return PairSums(*kernels.pair_sums(self.matrix[None], self.weight[None])[:, 0].tolist())
        k, lead = self.weight.shape[-1], self.weight.shape[:-1]
        rows = kernels.pair_sums(self.matrix.reshape(-1, k, k), self.weight.reshape(-1, k))
        return PairSums(*(row.reshape(lead) for row in rows))

    @cached
    def against_each(self) -> Array:
        """[..., j, c]: the mean over the pairs of class j and class c; nan where there are none."""
        pairs = self.weight[..., :, None] * self.weight[..., None, :]
        mean: Array = np.divide(self.matrix, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
        k = self.weight.shape[-1]
        mean[..., np.arange(k), np.arange(k)] = np.nan
        return mean

    @cached
    def against_rest(self) -> Array:
        """[..., j]: the mean over the pairs of class j and all others; nan where there are none."""
        pairs = self.weight * rest_of(self.weight)
        won: Array = np.divide(self.matrix.sum(axis=-1), pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
        return won


@dataclass(eq=False)
class Pairs(PairTable):
    """Pairs in which the case of class j has the higher score in column j; ties count one half."""

    needs = Needs.SCORES

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Pairs:
        """Compare all pairs of cases (by one sort of each column)."""
        return cls(*scans.pairs(predictions))


@dataclass(eq=False)
class Margins(PairTable):
    """The same pairs, weighted by how much higher the score is."""

    needs = Needs.PROBABILITIES

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Margins:
        """Compare all pairs of cases (by one sort of each column)."""
        return cls(*scans.columns(predictions)[1])


@dataclass(eq=False)
class Segments(Statistic):
    """Groups g of equal probabilities in column j, f_g the share of class j: sum w_g (p_g - f_g)^2 and
    sum w_g f_g (1 - f_g); weight; all [..., k]. `digits` rounds the probabilities first."""

    needs = Needs.PROBABILITIES
    additive = False
    per_class = "axis"
    facts = CLASS_FACTS
    parameters = {"digits": None}  # noqa: RUF012
    deviation: Array
    refinement: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, digits: int | None = None, **parameters: Any) -> Segments:
        """Group."""
        if digits is not None:
            if isinstance(digits, bool) or not isinstance(digits, int) or digits < 0:
                raise InputError(f"digits is {digits!r}; give a whole number of at least 0, or None not to round.")
            predictions = rounded(predictions, digits)
        return cls(*scans.columns(predictions)[2])

    @cached
    def sums(self) -> ClassSums:
        """Of the deviations."""
        return class_sums(self.deviation, self.weight)


def rounded(p: Predictions, digits: int) -> Predictions:
    """The same predictions with their probabilities rounded."""
    assert p.scores is not None
    scores = np.ascontiguousarray(np.round(p.scores, digits))
    positive = scores[scores > 0]
    extent = Extent(float(positive.min(initial=2.0)), float(scores.max()), np.inf)
    return replace(p, held=scores, extent=extent)


OVERLAPPING = "its windows overlap and change with every case; use ECE, whose bins are fixed"
"""Why nothing is known of how sure a measure of windows is."""


@dataclass(eq=False)
class Windows(Statistic):
    """All windows of `window(n)` neighbours in the order of column j: mean over windows of the mean distance of the
    probabilities from the share of class j, cases of equal probability counting with the share of class j among them;
    weight; both [..., k]. Cases are counted, so weights have no meaning."""

    needs = Needs.PROBABILITIES
    additive = False
    weighted = False
    bends = True
    unsupported = OVERLAPPING
    per_class = "axis"
    facts = CLASS_FACTS
    error: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Windows:
        """Slide."""
        return cls(*scans.columns(predictions)[3])

    @cached
    def sums(self) -> ClassSums:
        """Of the errors."""
        return class_sums(self.error, self.weight)


@dataclass(eq=False)
class Sequences(Statistic):
    """The sorted columns themselves: probabilities x[..., k, n], ascending; hit[..., k, n], the share of class j among
    the cases of equal probability; weight[..., k]."""

    needs = Needs.PROBABILITIES
    additive = False
    weighted = False
    bends = True
    unsupported = OVERLAPPING
    per_class = "axis"
    x: Array
    hit: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Sequences:
        """Sort."""
        p: Predictions = predictions
        assert p.scores is not None
        scores = np.moveaxis(p.scores, 1, 2)
        order = np.argsort(scores, axis=-1)
        k = len(p.classes)
        hit = p.truth[:, None, :] == np.arange(k)[:, None]
        shape = (*p.lead, k, p.n)
        ascending, hits = (np.take_along_axis(x, order, -1).reshape(shape) for x in (scores, hit))
        return cls.of_ascending(ascending, hits, p.class_weight)

    @classmethod
    def of_ascending(cls, x: Array, hit: Array, weight: Array) -> Sequences:
        """From ascending probabilities and whether each case is of the class."""
        new = np.concatenate([np.ones((*x.shape[:-1], 1), bool), x[..., 1:] != x[..., :-1]], axis=-1)
        tie = np.cumsum(new.ravel()) - 1
        share = np.bincount(tie, hit.ravel()) / np.bincount(tie)
        return cls(x, share[tie].reshape(x.shape), weight)


@dataclass(eq=False)
class Placements:
    """One class against the rest: of each case of the class the share of the rest below it, of each of the rest the
    share of the class above it; ties one half. Their means are the area; in the order of the cases if asked for."""

    own: Array
    rest: Array
    won: float
    """number of pairs in which the case of the class is above"""

    @classmethod
    def of_class(cls, p: Predictions, j: int, in_order: bool = False) -> Placements:
        """By the score of class j."""
        x = p.ordering(j)
        sides = [x[np.flatnonzero(side)] for side in (p.truth[0] == j, p.truth[0] != j)]
        if not in_order:
            return cls(*_shares(*map(_ascending, sides)))
        orders = [np.argsort(side) for side in sides]
        own, rest, won = _shares(*(side[order] for side, order in zip(sides, orders, strict=True)))
        shares = [np.empty(len(order)) for order in orders]
        for back, order, share in zip(shares, orders, (own, rest), strict=True):
            back[order] = share
        return cls(shares[0], shares[1], won)

    @property
    def area(self) -> float:
        """The area under the ROC curve."""
        pairs = len(self.own) * len(self.rest)
        return self.won / pairs if pairs else np.nan


def _ascending(x: Array) -> Array:
    """Sorted, in place; the bits of floats that are not negative sort as they do, and by karat's own sort."""
    if len(x) == 0 or x.min() < 0:
        return np.sort(x)
    x += 0.0  # no -0.0
    kernels.sort_pairs(x.view(np.uint64))
    return x


def _shares(own: Array, rest: Array) -> tuple[Array, Array, float]:
    """From the sorted scores of both sides."""
    below, upto, under, until = kernels.ranks(own, rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        passed = _halfway(below, upto) / len(rest)
        above = 1 - _halfway(under, until) / len(own)
    return passed, above, float(below.sum(dtype=np.int64) + upto.sum(dtype=np.int64)) / 2


def _halfway(below: Array, upto: Array) -> Array:
    """The number below, and half of those that tie."""
    return below if below is upto else below + (upto - below) / 2  # the sum of two int32 may be none


def pairs_without(pairs: Pairs, label: Array, passed: Array, beaten: Array) -> Pairs:
    """[..., cases, k, k]: without one case of class `label`, for each of these in turn (see `PairPlacements`)."""
    matrix = np.repeat(pairs.matrix[..., None, :, :], len(label), axis=-3)
    weight = np.repeat(pairs.weight[..., None, :], len(label), axis=-2)
    rows = np.arange(len(label))
    matrix[..., rows, label, :] -= passed
    matrix[..., rows, :, label] -= np.moveaxis(beaten, -2, 0)  # numpy puts indices that are apart in front
    weight[..., rows, label] -= 1
    return Pairs(matrix, weight)


@dataclass(eq=False)
class PairPlacements:
    """All classes: for a case of class y, passed[i, c] of class c below it by the score of y, and beaten[i, j] of class
    j above it by the score of j. Cases in the order `order`, by class."""

    order: Array
    label: Array
    passed: Array
    beaten: Array
    pairs: Pairs

    @classmethod
    def of(cls, p: Predictions) -> PairPlacements:
        """Sort each class by each score."""
        assert p.scores is not None
        k, n = len(p.classes), p.n
        order = np.argsort(p.truth[0], kind="stable")
        label = p.truth[0, order]
        starts = np.searchsorted(label, np.arange(k + 1))
        parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        passed, beaten = np.zeros((n, k)), np.zeros((n, k))
        for j in range(k):
            x = p.ordering(j)[order]
            by_score = [part.start + np.argsort(x[part]) for part in parts]
            for c in range(k):
                if c != j:
                    own, other = by_score[j], by_score[c]
                    below, upto, under, until = kernels.ranks(x[own], x[other])
                    passed[own, c] = _halfway(below, upto)
                    beaten[other, j] = len(own) - _halfway(under, until)
        weight = np.diff(starts).astype(float)
        matrix = np.stack([passed[part].sum(axis=0) for part in parts])
        return cls(order, label, passed, beaten, Pairs(matrix, weight))

    def without_each(self, at_once: int = 1 << 20) -> Iterator[Pairs]:
        """The pairs without one case, for each case in turn, some at a time along a leading axis."""
        k = len(self.pairs.weight)
        step = max(1, at_once // (k * k))
        for at in range(0, len(self.label), step):
            part = slice(at, at + step)
            yield pairs_without(self.pairs, self.label[part], self.passed[part], self.beaten[part])
