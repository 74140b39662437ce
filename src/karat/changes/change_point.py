"""Did a measure change at some time, and when? The largest step over all times, held against the same cases in random
order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.data.predictions import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.draws import Deletions
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates

UNITS = 1000
"""So many handfuls of cases are left out in turn, at most."""
HANDFUL = 5
"""Cases of one, from which on they are left out together."""
FEWEST = 10
"""Cases before and after a change."""
MANY = 100_000
"""Cases from which on their sums in random order are taken for normal."""


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
    group = _handfuls(p)
    rows = int(group.max()) + 1
    times = None if p.weight is None else p.weight[0]
    size = np.bincount(group, times)
    n = float(size.sum())
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
    influences: dict[str, Array],
    place: Array,
    periods: int,
    draws: int,
    rng: np.random.Generator,
    times: Array | None = None,
) -> dict[str, Step]:
    """key: the largest step of each measure between two periods; `times`: how many cases each entry stands for."""
    if times is not None and times.sum() <= MANY:
        influences = {name: np.repeat(x, times) for name, x in influences.items()}
        place, times = np.repeat(place, times), None
    names = list(influences)
    t = np.ones(len(place), np.int64) if times is None else times
    n = int(t.sum())
    x = np.stack([influences[name] - influences[name] @ t / n for name in names])  # [measures, entries]
    cases = np.bincount(place, t, periods).astype(np.int64)
    before = np.cumsum(cases)[:-1]
    open_ = (before >= FEWEST) & (n - before >= FEWEST)
    spread = np.sqrt(x**2 @ t / n)
    if not open_.any():
        return {}
    scale = np.sqrt(before * (n - before) / n)[None] * np.where(spread > 0, spread, np.inf)[:, None]
    sums = np.stack([np.bincount(place, row * t, periods) for row in x])
    seen = np.abs(np.cumsum(sums, axis=1)[:, :-1]) / scale * open_
    drawn = _in_random_order(x, cases, draws, rng) if n <= MANY else _as_normal((x * t) @ x.T / n, cases, draws, rng)
    largest = np.array([_highest(part, scale, open_) for part in drawn])
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
    for _ in range(draws):
        mixed = x[:, rng.permutation(n)]
        sums = np.zeros((measures, len(cases)))
        sums[:, filled] = np.add.reduceat(mixed, starts[filled], axis=1)
        yield sums


def _as_normal(covariance: Array, cases: Array, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """The same of very many cases, whose sums are normal."""
    measures = len(covariance)
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(measures) * (np.diag(covariance).max() + 1e-300))
    for _ in range(draws):
        sums = root @ rng.normal(size=(measures, len(cases))) * np.sqrt(cases)
        yield sums - cases / cases.sum() * sums.sum(axis=1, keepdims=True)
