"""How uncertain a ROC curve is: bands from the replicates of a score table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.validation import whole
from karat.resampling.draws import Draws, blocks
from karat.statistics.score_table import ScoreTable


@dataclass(frozen=True, eq=False)
class Band:
    """One coordinate of a curve at some places: its own value, and over the replicates mean, lower and upper end."""

    value: Array
    mean: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, value: Array, replicates: Array, level: float) -> Band:
        """Percentiles of the replicates [R, places], place by place."""
        ends = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
        return cls(value, replicates.mean(axis=0), *ends)


@dataclass(frozen=True, eq=False)
class RocBand:
    """Of a ROC curve, vertically: the tpr at given fpr."""

    at: Array
    """false positive rates"""
    tpr: Band
    level: float
    undefined: float
    """share of the replicates without a case of one side, which are left out"""


def height_at(fpr: Array, tpr: Array, grid: Array) -> Array:
    """[places]: the tpr of one curve at these fpr: on the line between two points, on a vertical step its upper end."""
    before = np.searchsorted(fpr, grid, side="right") - 1
    after = np.minimum(before + 1, len(fpr) - 1)
    run = fpr[after] - fpr[before]
    part = np.divide(grid - fpr[before], run, out=np.zeros(len(grid)), where=run > 0)
    return np.asarray(tpr[before] + part * (tpr[after] - tpr[before]))


def vertical_band(
    table: ScoreTable,
    grid: Any,
    *,
    replicates: int = 1000,
    rng: np.random.Generator,
    level: float = 0.95,
    stratified: bool = True,
) -> RocBand:
    """The tpr at given fpr, pointwise; replicates within each class, unless said otherwise."""
    places = np.asarray(grid, float)
    if places.ndim != 1 or not ((places >= 0) & (places <= 1)).all():
        raise InputError("the grid holds something else than false positive rates; give numbers from 0 to 1.")
    heights: list[Array] = []
    with np.errstate(invalid="ignore"):
        for tables in resamples(table, replicates, rng, stratified):
            fpr, tpr = tables.rates
            there = np.isfinite(fpr[:, -1]) & np.isfinite(tpr[:, -1])
            heights += [height_at(x, y, places) for x, y in zip(fpr[there], tpr[there], strict=True)]
        value = height_at(*table.rates, places)
    if not heights:
        raise InputError(
            "no replicate has cases of both sides, so there is no band; give cases of the class and others."
        )
    return RocBand(places, Band.of(value, np.stack(heights), level), level, 1 - len(heights) / replicates)


def resamples(
    table: ScoreTable, replicates: int, rng: np.random.Generator, stratified: bool = False
) -> Iterator[ScoreTable]:
    """The tables of so many bootstrap replicates: weight[some, c, m], as many at a time as a processor's cache can
    hold. Weights must be whole: they are numbers of cases, which are drawn with replacement, from each class alone if
    `stratified`."""
    replicates = whole("replicates", replicates)
    if table.weight.ndim != 2 or (table.weight != np.round(table.weight)).any():
        raise InputError("only one score table with whole weights can be resampled; draw cases, and then tabulate.")
    cells = np.repeat(np.arange(table.weight.size), table.weight.ravel().astype(np.int64))
    starts = np.searchsorted(cells, np.arange(table.weight.size))
    sizes = tuple(int(w) for w in table.weight.sum(axis=1)) if stratified else (len(cells),)
    keys = rng.integers(0, 1 << 64, (len(sizes), replicates), dtype=np.uint64, endpoint=False)
    draws = Draws(keys, sizes)
    for part in blocks(replicates, len(cells)):
        passed = np.cumsum(draws.counts(part), axis=1, dtype=np.int64)
        passed = np.concatenate([np.zeros((len(passed), 1), np.int64), passed], axis=1)
        weight = np.diff(passed[:, np.append(starts, len(cells))], axis=1)
        yield type(table)(table.scores, weight.reshape(-1, *table.weight.shape).astype(np.float64), table.own)
