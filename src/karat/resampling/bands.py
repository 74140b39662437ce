"""How uncertain a curve is: bands from replicates of the cases.

Percentiles of plain replicates fail where the sample has run out of cases: below its lowest positive case every
replicate has the true positive rate 1, whatever the population has. So each replicate is looked at in a second way:
with half a case more on either side of each class, of which only that is known that it lies beyond all others (what
Jeffreys' prior is to a rate). Each end of the band is the farther one of the two ways. `benchmarks/band_coverage.py`
shows how often bands hold the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.data import Predictions
from karat.resampling.draws import FEWEST_GROUPS, Resampling, blocks, few_groups, stream
from karat.resampling.replicates import Replicates

UNSEEN = 0.5
"""Cases beyond the highest of a class, and beyond its lowest, that nobody has seen: as many as Jeffreys' prior has."""
MOST_POINTS = 1000
"""Points of a curve that is drawn again, at most: they are exact, and lie closer than a band can be read."""
OWN_STREAM = 1 << 23
"""The random numbers of the unseen cases."""
NO_WIDTH = 1e-12
"""A half width below this is rounding: there all replicates agree, and nothing is stretched."""


@dataclass(frozen=True, eq=False)
class Band:
    """Between which heights a curve lies at some places."""

    at: Array
    value: Array
    """the height of the curve itself"""
    low: Array
    high: Array
    level: float
    simultaneous: bool
    """does the level hold for the curve as a whole, not only for each place?"""
    undefined: float
    """share of the replicates without a case of one side, which are left out"""

    @property
    def words(self) -> str:
        """What it is, for a legend."""
        return f"{100 * self.level:g} % band, {'simultaneous' if self.simultaneous else 'pointwise'}"


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """The points of replicates of a curve, from the highest threshold down: what the heights of all curves are taken
    from."""

    fpr: Array
    """[R, m + 1]: of +inf, and of the scores from the highest down"""
    tpr: Array
    share: Array
    """[R]: how frequent the class is"""
    scores: Array
    """[m], ascending"""
    apart: int = 0
    """a threshold that has to be chosen is chosen in the replicate so many rows before: where one is chosen and judged
    on the same cases, it looks better than it is"""

    def at_thresholds(self, cuts: Array) -> tuple[Array, Array]:
        """(fpr, tpr)[R, places] of the cases at or above these scores."""
        at = len(self.scores) - np.searchsorted(self.scores, cuts, "left")
        return self.fpr[:, at], self.tpr[:, at]


Heights = Callable[[OperatingPoints, Array], Array]
"""The heights [R, places] of a curve at some places."""


def heights_between(x: Array, y: Array, at: Array, *, upper: bool = True) -> Array:
    """[R, places]: of curves [R, m] of straight pieces, whose x rise from 0 to 1, the height at some places; on a
    vertical step its upper end, or its lower one."""
    rows, points = x.shape
    aside = 2.0 * np.arange(rows)[:, None]  # one rising line of all curves, so that they are searched together
    line, wanted, height = (x + aside if rows > 1 else x).ravel(), (at + aside).ravel(), y.ravel()
    first = np.repeat(np.arange(rows) * points, len(at))
    last = first + points - 1
    if upper:
        before = np.clip(np.searchsorted(line, wanted, "right") - 1, first, last)
        after = np.minimum(before + 1, last)
    else:
        after = np.clip(np.searchsorted(line, wanted, "left"), first, last)
        before = np.maximum(after - 1, first)
    run = line[after] - line[before]
    part = np.divide(wanted - line[before], run, out=np.full(len(run), 0.0 if upper else 1.0), where=run > 0)
    return np.asarray(height[before] + part * (height[after] - height[before])).reshape(rows, -1)


def curve_band(
    p: Predictions,
    j: int,
    heights: Heights,
    at: Array,
    resampling: Resampling,
    *,
    simultaneous: bool = False,
    share: float | None = None,
    limits: tuple[Any, Any] = (0.0, 1.0),
    of_sides: bool = False,
) -> Band:
    """The band of a curve of class j against the rest; `share` is said of the class where it is not that of the data.
    `of_sides`: is it a curve of rates of each side, so that few groups of one of them matter?

    Cases keep their weights, and groups are drawn whole. Where the level holds for the curve as a whole, the pointwise
    band is stretched about the middle of the replicates, as far as so many of them need to lie in it altogether."""
    cluster = resampling.clusters(p.n)
    if cluster is not None and (groups := int(cluster.max()) + 1) < FEWEST_GROUPS:
        raise InputError(f"{few_groups(groups)}; leave {option('band')} out.")
    units = _units_of_sides(p, j, cluster)
    own, drawn, undefined = _points(p, j, resampling, cluster)
    cautious = _with_unseen_cases(drawn, own, units, stream(resampling.seed, OWN_STREAM))
    if share is not None:
        own, drawn, cautious = (replace(x, share=np.full(len(x.share), share)) for x in (own, drawn, cautious))
    value = heights(own, at)[0]
    ways = np.stack([heights(drawn, at), heights(cautious, at)])
    known_from = None if cluster is None else min(units) if of_sides else int(cluster.max()) + 1
    low, high = _ends(ways, resampling.level, simultaneous, known_from)
    low, high = np.clip(low, *limits), np.clip(high, *limits)
    ends = np.minimum(low, value), np.maximum(high, value)
    return Band(at, value, *ends, resampling.level, simultaneous, undefined)


def _units_of_sides(p: Predictions, j: int, cluster: Array | None) -> tuple[int, int]:
    """How many cases (or groups with cases) the rest and the class have: at least two, or others are not known."""
    counted = np.ones(p.n, bool) if p.weight is None else p.weight[0] > 0
    sides = [counted & (p.truth[0] != j), counted & (p.truth[0] == j)]
    sizes = [int(side.sum()) if cluster is None else len(np.unique(cluster[side])) for side in sides]
    for size, side in zip(sizes, ("negative", "positive"), strict=True):
        if size < 2:
            of = f"{side} case" if cluster is None else f"group with {side} cases"
            raise InputError(
                f"there is {'one' if size else 'no'} {of}, and a confidence band needs at least two; leave "
                f"{option('band')} out."
            )
    return sizes[0], sizes[1]


def _points(
    p: Predictions, j: int, resampling: Resampling, cluster: Array | None
) -> tuple[OperatingPoints, OperatingPoints, float]:
    """The points of the curve itself, those of its replicates, and which share of these has no case of one side."""
    replicates = Replicates(p)
    once, every = np.ones((1, p.n), np.uint8), replicates.scores_of_class(j)
    ends = np.searchsorted(every.scores, next(every.table(once).each()).joined(MOST_POINTS).scores)
    few = every.joined(np.append(0, ends[:-1] + 1))

    def rates_of(counts: Array) -> tuple[Array, Array, Array]:
        """The points are exact: of neighbouring scores that are joined, the lowest is a threshold."""
        tables = few.table(counts)
        return *tables.rates, tables.prevalence

    draws = replicates.draws(resampling, cluster)
    with np.errstate(invalid="ignore"):
        parts = [rates_of(draws.counts(part)) for part in blocks(draws.rows, draws.cases)]
    fpr, tpr, share = (np.concatenate(x) for x in zip(*parts, strict=True))
    there = np.isfinite(fpr[:, -1]) & np.isfinite(tpr[:, -1])
    if not there.any():
        raise InputError(
            "no replicate has both positive and negative cases, so there is no band; give more of the rarer ones."
        )
    own = OperatingPoints(*rates_of(once), few.scores)
    drawn = OperatingPoints(fpr[there], tpr[there], share[there], own.scores)
    return own, drawn, float(1 - there.mean())


def _with_unseen_cases(
    drawn: OperatingPoints, own: OperatingPoints, units: tuple[int, int], rng: np.random.Generator
) -> OperatingPoints:
    """The replicates with about half a case more beyond the highest and the lowest score of each side."""

    def with_ends(rates: Array) -> Array:
        none = np.zeros((len(rates), 1))
        return np.concatenate([none, rates, none + 1], axis=1)

    fpr = with_ends(_less_sure(drawn.fpr, own.fpr, units[0], rng))
    tpr = with_ends(_less_sure(drawn.tpr, own.tpr, units[1], rng))
    share = _less_sure(drawn.share[:, None], own.share[:, None], sum(units), rng)[:, 0]
    return OperatingPoints(fpr, tpr, share, np.concatenate([[-np.inf], own.scores, [np.inf]]), apart=1)


def _less_sure(rates: Array, own: Array, units: int, rng: np.random.Generator) -> Array:
    """Rates [R, m] with some unseen weight on either side. How much one case is of all follows from how much the rates
    vary, so that weights and groups need no formula of their own: p (1 - p) / n is the variance of a rate."""
    spread = float((own * (1 - own)).sum())
    one = float(rates.var(axis=0).sum()) / spread if spread > 0 else 1 / units
    yes, no = one * rng.standard_gamma(UNSEEN, (2, len(rates), 1))
    return np.asarray((rates + yes) / (1 + yes + no))


def _of_few_groups(groups: int, level: float, stretch: float) -> float:
    """How many times wider a band of few groups has to be: whole groups that are drawn again vary too little, and how
    much they vary is itself known from few (the quantile of Student's distribution against the normal one). That
    matters more the farther a band is stretched."""
    from scipy.special import ndtr, ndtri, stdtrit

    errors = stretch * float(ndtri((1 + level) / 2))
    return float(-stdtrit(groups - 1, ndtr(-errors)) / errors * np.sqrt(groups / (groups - 1)))


def _ends(ways: Array, level: float, simultaneous: bool, groups: int | None) -> tuple[Array, Array]:
    """Low and high [places] of replicates that are looked at in some ways [ways, R, places]: the farther ones."""
    lower, middle, upper = np.quantile(ways, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=1, method="weibull")
    ends, needs = [], []
    for sign, end in ((-1, lower), (1, upper)):
        way = (sign * end).argmax(axis=0)[None]
        about, width = (np.take_along_axis(x, way, 0)[0] for x in (middle, sign * (end - middle)))
        replicates = np.take_along_axis(ways, way[:, None], 0)[0]
        beyond = np.zeros_like(replicates)
        np.divide(sign * (replicates - about), width, out=beyond, where=width > NO_WIDTH)
        needs.append(beyond.max(axis=1))
        ends.append((about, width))
    stretch = max(1.0, float(np.quantile(np.maximum(*needs), level))) if simultaneous else 1.0
    wider = 1.0 if groups is None else _of_few_groups(groups, level, stretch)
    (low, down), (high, up) = ends
    return low - wider * stretch * down, high + wider * _in_proportion(high, up, stretch)


def _in_proportion(middle: Array, width: Array, stretch: float) -> Array:
    """So many times this width, upwards from heights that are never below 0. What few cases carry has a long tail: the
    higher it may be, the more it varies. So it is stretched in logarithms, which is the same where the width is small
    beside the height."""
    grown = np.divide(width, middle, out=np.zeros_like(width), where=middle > NO_WIDTH)
    return np.where(middle > NO_WIDTH, middle * np.expm1(stretch * np.log1p(grown)), stretch * width)
