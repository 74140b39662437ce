"""Did a measure change at some time, and when? The largest step over all times, held against the same cases in random
order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.data.predictions import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.draws import Deletions
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Summary

UNITS = 1000
"""So many handfuls of cases are left out in turn, at most."""
HANDFUL = 5
"""Cases of one, from which on they are left out together."""
FEWEST = 10
"""Cases before and after a change."""
MANY = 100_000
"""Cases from which on their sums in random order are taken for normal."""
REDRAWN = 400
"""Samples of the reference from which it is known how much a measure of few cases varies."""
LARGE, SOME = 5000, 10_000
"""Cases of a period from which on it varies as the sum of what they add; and of the reference, to draw samples from."""


class Step(NamedTuple):
    """The largest step of a measure."""

    place: int
    """the first period after it"""
    size: float
    """in standard errors"""
    p: float
    """the chance that any of the measures steps as far at any time, were the cases in random order"""


def case_influences(p: Predictions, wanted: list[MeasureOf], values: dict[str, float]) -> dict[str, Array]:
    """key: [n]: how much each case moves a measure of all of them, times their number. Cases are left out by handfuls
    of the same class, prediction and nearly the same score."""
    n, group = p.n, _handfuls(p)
    rows = int(group.max()) + 1
    size = np.bincount(group)
    replicates = Replicates(p)
    out = Deletions(group[replicates.order], np.zeros(rows, np.int64))
    left = values_in_replicates(wanted, replicates, out)
    return {m.key: ((values[m.key] - left[m.key]) * (n - size) / size)[group] for m in wanted}


def _handfuls(p: Predictions) -> Array:
    """[n]: cases of one class and prediction, neighbours by score."""
    n, k = p.n, len(p.classes)
    decided = p.decisions[0].astype(np.int64) if p.decides else np.zeros(n, np.int64)
    kind = p.truth[0].astype(np.int64) * (k + 1) + decided
    score = np.zeros(n)
    if p.held is not None:
        place = p.truth[0] if k > 2 else np.ones(n, np.int64)
        assert p.scores is not None
        score = p.scores[0][np.arange(n), place]
    order = np.lexsort((score, kind))
    each = 1 if n < UNITS else max(HANDFUL, -(-n // UNITS))
    of_kind = kind[order]
    begins = np.flatnonzero(np.r_[True, of_kind[1:] != of_kind[:-1]])
    rank = np.arange(n) - np.repeat(begins, np.diff(np.r_[begins, n]))
    fresh = (rank % each == 0).cumsum() - 1
    group = np.empty(n, np.int64)
    group[order] = fresh
    return group


def steps(
    influences: dict[str, Array], place: Array, periods: int, draws: int, rng: np.random.Generator
) -> dict[str, Step]:
    """key: the largest step of each measure between two periods."""
    names = list(influences)
    x = np.stack([influences[name] - influences[name].mean() for name in names])  # [measures, n]
    cases = np.bincount(place, minlength=periods)
    before = np.cumsum(cases)[:-1]
    n = len(place)
    open_ = (before >= FEWEST) & (n - before >= FEWEST)
    spread = x.std(axis=1)
    if not open_.any():
        return {}
    scale = np.sqrt(before * (n - before) / n)[None] * np.where(spread > 0, spread, np.inf)[:, None]
    sums = np.stack([np.bincount(place, row, periods) for row in x])
    seen = np.abs(np.cumsum(sums, axis=1)[:, :-1]) / scale * open_
    largest = np.array([_highest(part, scale, open_) for part in _in_random_order(x, cases, draws, rng)])
    out = {}
    for name, row in zip(names, seen, strict=True):
        at = int(row.argmax())
        p = (1 + int((largest >= row[at] * (1 - 1e-12)).sum())) / (1 + len(largest))
        out[name] = Step(at + 1, float(row[at]), p if row[at] > 0 else 1.0)
    return out


def _highest(sums: Array, scale: Array, open_: Array) -> float:
    """The largest step of any measure at any time."""
    return float((np.abs(np.cumsum(sums, axis=1)[:, :-1]) / scale * open_).max())


def _in_random_order(x: Array, cases: Array, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Sums of each period [measures, periods], for each draw."""
    measures, n = x.shape
    starts = np.r_[0, np.cumsum(cases)[:-1]]
    filled = np.flatnonzero(cases)
    if n > MANY:
        root = np.linalg.cholesky(x @ x.T / n + 1e-12 * np.eye(measures) * (x.var(axis=1).max() + 1e-300))
        for _ in range(draws):
            sums = root @ rng.normal(size=(measures, len(cases))) * np.sqrt(cases)
            yield sums - cases / n * sums.sum(axis=1, keepdims=True)
        return
    for _ in range(draws):
        mixed = x[:, rng.permutation(n)]
        sums = np.zeros((measures, len(cases)))
        sums[:, filled] = np.add.reduceat(mixed, starts[filled], axis=1)
        yield sums


def limits(
    value: float, influence: Array, cases: Array, chance: float, wider: Array | float = 1.0
) -> tuple[Array, Array]:
    """Between which the measure of so many new cases lies with all but this chance, from what each case of the
    reference adds to it: normal, corrected for skewness and kurtosis (Cornish & Fisher 1938). `wider` is how many times
    as much it varies in so few cases as the sum of what they add."""
    from scipy.special import ndtri

    n = len(influence)
    x = influence - influence.mean()
    spread = np.sqrt(float((x**2).sum()) / max(n - 1, 1))
    if not spread > 0:
        return np.full(len(cases), np.nan), np.full(len(cases), np.nan)
    skew, heavy = float((x**3).mean()) / spread**3, float((x**4).mean()) / spread**4 - 3
    own = np.asarray(wider) ** 2 / np.maximum(cases, 1)
    total = own + 1 / n
    g, k = skew * own**2 / total**1.5, heavy * own**3 / total**2
    ends = []
    for z in (float(ndtri(chance / 2)), float(ndtri(1 - chance / 2))):
        w = z + (z**2 - 1) * g / 6 + (z**3 - 3 * z) * k / 24 - (2 * z**3 - 5 * z) * g**2 / 36
        w = np.where(np.sign(z) * w < abs(z) / 2, z, w)  # where there are too few cases for the correction
        ends.append(value + spread * np.sqrt(total) * w)
    return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class Redraws:
    """Samples of so many cases, with replacement: rows of counts."""

    drawn: Array
    """[rows, n], uint8"""

    @classmethod
    def of(cls, n: int, size: int, rng: np.random.Generator) -> Redraws:
        """Of `size` out of n."""
        rows = (np.bincount(rng.integers(0, n, size), minlength=n) for _ in range(REDRAWN))
        return cls(np.stack([np.minimum(row, 255).astype(np.uint8) for row in rows]))

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


def varies_more(
    p: Predictions, m: MeasureOf, influence: Array, cases: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """How many times as much a measure varies in so many of the cases, drawn again, as the sum of what they add; and
    how much it is on average above its value of all. It is drawn for few, some and many cases, and interpolated between
    them: what is more than a sum vanishes with the inverse of their number."""
    if p.n > SOME:
        some = rng.choice(p.n, SOME, replace=False)
        p, influence = p.take(some), influence[some]
    replicates, value = Replicates(p), m.value(Summary(p))
    sizes = np.unique([cases.min(), round(float(np.median(cases))), cases.max()])
    ratios, biases = [], []
    for size in sizes.tolist():
        if size > LARGE:
            ratios.append(1.0)
            biases.append(0.0)
            continue
        drawn = values_in_replicates([m], replicates, Redraws.of(p.n, size, rng))[m.key]
        known = drawn[np.isfinite(drawn)]
        enough = len(known) > 0.9 * REDRAWN
        ratios.append(float(known.std(ddof=1)) * np.sqrt(size) / float(influence.std()) if enough else np.nan)
        biases.append(float(known.mean()) - value if enough else np.nan)
    return np.interp(-1 / cases, -1 / sizes, ratios), np.interp(-1 / cases, -1 / sizes, biases)
