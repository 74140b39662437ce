"""Between which limits a measure of new cases lies, if nothing has changed since a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.data.predictions import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.draws import blocks
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Summary

FEWEST_DRAWS, MOST_DRAWS, DRAWN_CASES = 400, 2000, 4_000_000
"""Samples of the reference from which it is known how a measure of few cases is distributed: as many as take so many
cases, within these limits."""
FEWEST_DEGREES = 5.0
"""Of freedom: with fewer, limits would be wider than any measure."""
LARGE, SOME = 5000, 10_000
"""Cases of a period from which on it varies as the sum of what they add; and of the reference, to draw samples from."""


class ReferenceCases(NamedTuple):
    """What is known of the reference."""

    value: float
    influence: Array
    """what each case (or each of some of them) adds to the measure, times their number"""
    n: int
    """number of cases"""


class Shape(NamedTuple):
    """How a measure of some cases is distributed, as [sizes] or one number each."""

    bias: Array
    variance: Array
    skewness: Array
    kurtosis: Array
    """beyond that of a normal distribution"""


def drawn_limits(
    p: Predictions, m: MeasureOf, reference: ReferenceCases, cases: Array, chance: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Between which the measure of so many new cases lies with all but this chance: normal, corrected for bias,
    skewness and kurtosis (Cornish & Fisher 1938). These come from samples of the reference `p` that are as small: such
    a measure as ROC AUC is no sum of what the cases add. The reference is a sample, too."""
    x = reference.influence - reference.influence.mean()
    whole = float((x**2).sum()) / max(len(x) - 1, 1) / reference.n
    s = _shapes(p, m, x, cases, rng)
    total = s.variance + whole
    spread = float((x**2).mean())
    sure = 2 * reference.n / (float((x**4).mean()) / spread**2 - 1)  # degrees of freedom of a variance so estimated
    return _quantiles(reference.value, s, total, chance, max(sure, FEWEST_DEGREES))


def _quantiles(value: float, s: Shape, total: Array, chance: float, degrees: float) -> tuple[Array, Array]:
    """Both ends: cumulants of the period, in units of the standard deviation of its difference to the reference. That
    is an estimate, too: Student's t for normal."""
    from scipy.special import stdtrit

    part = s.variance / total
    g, k = s.skewness * part**1.5, s.kurtosis * part**2
    ends = []
    for z in (float(stdtrit(degrees, chance / 2)), float(stdtrit(degrees, 1 - chance / 2))):
        w = z + (z**2 - 1) * g / 6 + (z**3 - 3 * z) * k / 24 - (2 * z**3 - 5 * z) * g**2 / 36
        w = np.where(np.sign(z) * w < abs(z) / 2, z, w)  # where there are too few cases for the correction
        ends.append(value + s.bias + np.sqrt(total) * w)
    return ends[0], ends[1]


def _shapes(p: Predictions, m: MeasureOf, x: Array, cases: Array, rng: np.random.Generator) -> Shape:
    """Of measures of so many cases [sizes]: drawn for few, some and many, and interpolated between them, in the ways
    in which they vanish with the number of cases."""
    if p.n > SOME:
        some = rng.choice(p.n, SOME, replace=False)
        p, x = p.take(some), x[some] - x[some].mean()
    replicates, value = Replicates(p), m.value(Summary(p))
    sizes = np.unique([cases.min(), round(float(np.median(cases))), cases.max()])
    known = np.array([_shape(replicates, p, m, value, x, size, rng) for size in sizes.tolist()])
    scaled = known * sizes[:, None] ** np.array([1, 1, 0.5, 1])
    at = [np.interp(-1 / cases, -1 / sizes, column) for column in scaled.T]
    return Shape(*(y / cases**power for y, power in zip(at, (1, 1, 0.5, 1), strict=True)))


def _shape(
    replicates: Replicates, p: Predictions, m: MeasureOf, value: float, x: Array, size: int, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """What is known exactly of the sum of what the cases add, and what the same samples say that the measure differs
    from it by: the draws need not tell what is known."""
    moments = np.array([np.mean(x**power) for power in (2, 3, 4)])
    of_sum = _of_sum(moments, size)
    bias, more = 0.0, np.zeros(3)
    if size <= LARGE:
        redraws = Redraws.of(p.n, size, rng)
        drawn = values_in_replicates([m], replicates, redraws)[m.key]
        known = np.isfinite(drawn)
        if known.sum() <= 0.9 * len(drawn):
            return (np.nan,) * 4
        sums = (redraws.drawn[known] @ x[replicates.order].astype(np.float32)).astype(float) / size
        bias = float(drawn[known].mean()) - value - float(sums.mean())
        more = _central(drawn[known]) - _central(sums)
    second, third, fourth = (of_sum + more).tolist()
    if second <= 0:
        return (np.nan,) * 4
    return bias, second, third / second**1.5, fourth / second**2 - 3


def _of_sum(moments: Array, size: int) -> Array:
    """The second, third and fourth central moment of a mean of so many, from those of one."""
    second, third, fourth = moments.tolist()
    return np.array([second / size, third / size**2, (fourth / size + 3 * second**2 * (size - 1) / size) / size**2])


def _central(values: Array) -> Array:
    away = values - values.mean()
    return np.array([np.mean(away**power) for power in (2, 3, 4)])


@dataclass(frozen=True, eq=False)
class Redraws:
    """Samples of so many cases, with replacement: rows of counts."""

    drawn: Array
    """[rows, n], uint8"""

    @classmethod
    def of(cls, n: int, size: int, rng: np.random.Generator) -> Redraws:
        """Of `size` out of n."""
        times = min(max(DRAWN_CASES // n, FEWEST_DRAWS), MOST_DRAWS)
        drawn = np.empty((times, n), np.uint8)
        for part in blocks(times, max(n, size)):
            rows = part.stop - part.start
            place = rng.integers(0, n, (rows, size)) + n * np.arange(rows)[:, None]
            counts = np.bincount(place.ravel(), minlength=rows * n)
            drawn[part] = np.minimum(counts, 255).reshape(rows, n)
        return cls(drawn)

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.drawn)

    @property
    def cases(self) -> int:
        """Of how many cases."""
        return int(self.drawn.shape[1])

    def counts(self, part: slice) -> Array:
        """[rows, n]"""
        return np.ascontiguousarray(self.drawn[part])
