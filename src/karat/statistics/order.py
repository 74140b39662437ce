"""What the order of the scores tells: pairs won, margins, groups of equal scores, windows of neighbours.

None of these adds up by itself (a case of one part is compared with those of another); the score tables they can be
taken from do.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.once import once
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.kernels.margins import rest_of
from karat.kernels.records import ClassSums, PairDigest, PairSums, SegmentDigest, WindowDigest
from karat.statistics import scans
from karat.statistics.probability_sums import class_sums


@dataclass(frozen=True, eq=False)
class PairTable(Statistic):
    """matrix[..., j, c]: a sum over the pairs (a case of class j, a case of class c), scored by column j; m[..., k]."""

    additive = False
    per_class = "axis"
    matrix: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Any:
        """Compare all pairs of cases (by one sort of each column)."""
        return cls.taken(scans.columns(predictions))

    @classmethod
    @abstractmethod
    def taken(cls, walked: scans.Columns) -> Any:
        """From the scans of the sorted columns."""

    @classmethod
    def known(cls, digest: PairDigest) -> Self:
        """From the digest of the columns: the property `sums` is not computed."""
        matrix, weight, sums = digest
        pairs = cls(matrix, weight)
        pairs.__dict__["sums"] = sums
        return pairs

    @once
    def sums(self) -> PairSums:
        """Sums over classes."""
        if self.weight.ndim == 1:
            return PairSums(*kernels.pair_sums(self.matrix[None], self.weight[None])[:, 0].tolist())
        k, lead = self.weight.shape[-1], self.weight.shape[:-1]
        rows = kernels.pair_sums(self.matrix.reshape(-1, k, k), self.weight.reshape(-1, k))
        return PairSums(*(row.reshape(lead) for row in rows))

    @once
    def against_each(self) -> Array:
        """[..., j, c]: the mean over the pairs of class j and class c; nan where there are none."""
        pairs = self.weight[..., :, None] * self.weight[..., None, :]
        mean: Array = np.divide(self.matrix, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
        k = self.weight.shape[-1]
        mean[..., np.arange(k), np.arange(k)] = np.nan
        return mean

    @once
    def against_rest(self) -> Array:
        """[..., j]: the mean over the pairs of class j and all others; nan where there are none."""
        pairs = self.weight * rest_of(self.weight)
        won: Array = np.divide(self.matrix.sum(axis=-1), pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
        return won


@dataclass(frozen=True, eq=False)
class Pairs(PairTable):
    """Pairs in which the case of class j has the higher score in column j; ties count one half."""

    needs = Needs.SCORES

    @classmethod
    def taken(cls, walked: scans.Columns) -> Pairs:
        """From the scans of the sorted columns."""
        return cls(walked.wins, walked.weight)


@dataclass(frozen=True, eq=False)
class Margins(PairTable):
    """The same pairs, weighted by how much higher the score is."""

    needs = Needs.PROBABILITIES

    @classmethod
    def taken(cls, walked: scans.Columns) -> Margins:
        """From the scans of the sorted columns."""
        return cls(walked.gains, walked.weight)


@dataclass(frozen=True, eq=False)
class Segments(Statistic):
    """Groups g of equal probabilities in column j, f_g the share of class j: sum w_g (p_g - f_g)^2 and
    sum w_g f_g (1 - f_g); weight; all [..., k]. `digits` rounds the probabilities first."""

    needs = Needs.PROBABILITIES
    additive = False
    per_class = "axis"
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
        return cls.taken(scans.columns(predictions))

    @classmethod
    def taken(cls, walked: scans.Columns) -> Segments:
        """From the scans of the sorted columns."""
        return cls(walked.deviation, walked.refinement, walked.weight)

    @classmethod
    def known(cls, digest: SegmentDigest) -> Segments:
        """From the digest of the columns: the property `sums` is not computed."""
        deviation, refinement, weight, sums = digest
        segments = cls(deviation, refinement, weight)
        segments.__dict__["sums"] = sums
        return segments

    @once
    def sums(self) -> ClassSums:
        """Of the deviations."""
        return class_sums(self.deviation, self.weight)


def rounded(p: Predictions, digits: int) -> Predictions:
    """The same predictions with their probabilities rounded."""
    from dataclasses import replace

    from karat.data.border import Extent

    assert p.scores is not None
    scores = np.ascontiguousarray(np.round(p.scores, digits))
    positive = scores[scores > 0]
    extent = Extent(float(positive.min(initial=2.0)), float(scores.max()), np.inf)
    return replace(p, scores=scores, extent=extent)


@dataclass(frozen=True, eq=False)
class Windows(Statistic):
    """All windows of `window(n)` neighbours in the order of column j: mean over windows of the mean distance of the
    probabilities from the share of class j; weight; both [..., k]. Cases are counted, so weights have no meaning."""

    needs = Needs.PROBABILITIES
    additive = False
    weighted = False
    per_class = "axis"
    error: Array
    weight: Array

    @classmethod
    def of(cls, predictions: Any, **parameters: Any) -> Windows:
        """Slide."""
        return cls.taken(scans.columns(predictions))

    @classmethod
    def taken(cls, walked: scans.Columns) -> Windows:
        """From the scans of the sorted columns."""
        return cls(walked.error, walked.weight)

    @classmethod
    def known(cls, digest: WindowDigest) -> Windows:
        """From the digest of the columns: the property `sums` is not computed."""
        error, weight, sums = digest
        windows = cls(error, weight)
        windows.__dict__["sums"] = sums
        return windows

    @once
    def sums(self) -> ClassSums:
        """Of the errors."""
        return class_sums(self.error, self.weight)


@dataclass(frozen=True, eq=False)
class Sequences(Statistic):
    """The sorted columns themselves: probabilities x[..., k, n], ascending, and hit[..., k, n]; weight[..., k]."""

    needs = Needs.PROBABILITIES
    additive = False
    weighted = False
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
        order = np.argsort(scores, axis=-1, kind="stable")
        k = len(p.classes)
        hit = p.truth[:, None, :] == np.arange(k)[:, None]
        shape = (*p.lead, k, p.n)
        return cls(
            np.take_along_axis(scores, order, -1).reshape(shape),
            np.take_along_axis(hit, order, -1).reshape(shape),
            p.class_weight,
        )
