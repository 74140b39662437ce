"""Areas under ROC curves by their structural components (DeLong, DeLong & Clarke-Pearson 1988)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri, stdtr, stdtrit

from karat.core.arithmetic import Array
from karat.core.comparison import MODELS, comparison
from karat.core.errors import InputError, positive_missing
from karat.core.measure import PRIOR
from karat.core.record import Record
from karat.core.validation import checked_level
from karat.data import Predictions
from karat.measures.value import MeasureOf
from karat.statistics import Pairs, ScoreTable, Summary
from karat.statistics.order import PairPlacements, Placements
from karat.statistics.summary import paired, summary_of

FEW_CASES = "a class has fewer than two cases, so the variance is unknown"


def variance(area: Placements) -> float:
    """Of the area under the ROC curve: DeLong's."""
    return covariance(area, area)


def covariance(one: Placements, other: Placements) -> float:
    """Of two areas on the same cases, whose placements are in the order of the cases; nan with fewer than two cases
    of a side."""
    parts = ((one.own, other.own), (one.rest, other.rest))
    if min(len(a) for a, _ in parts) < 2:
        return math.nan
    return math.fsum(float(((a - a.mean()) * (b - b.mean())).sum()) / (len(a) - 1) / len(a) for a, b in parts)


def standard_error(m: MeasureOf, summary: Summary) -> tuple[float, str]:
    """(standard error, method) of a measure of pairs; nan where a class has a single case.

    Of the area of one class against the rest it is DeLong's. In general it is the jackknife's, leaving out each case in
    turn: within classes where the frequencies of the classes play no part (which is DeLong's, for it equals it term by
    term), over all cases where they do."""
    p = summary.source.cases
    if p is None:
        table = summary.table_of_class(1 if m.place is None else m.place)
        return math.sqrt(variance_in_table(table)), "delong"
    if m.measure.symbol == "AUC" and m.place is not None:
        return math.sqrt(variance(summary.placements_of_class(m.place))), "delong"
    if len(p.classes) == 2 and p.extent is not None and p.extent.given is not None:  # all areas are one
        return math.sqrt(variance(summary.placements_of_class(p.extent.given))), "delong"
    if PairPlacements not in summary.computed:
        summary.computed[PairPlacements] = PairPlacements.of(p)
    pairs = summary.computed[PairPlacements]
    sizes = pairs.pairs.weight
    if (sizes[sizes > 0] < 2).any():
        return math.nan, "jackknife"
    with np.errstate(all="ignore"):
        left_out = np.concatenate([m.values(part) for part in pairs.without_each()])
    if m.place is not None:
        strata = (pairs.label == m.place).astype(int)
    elif len(sizes) == 2 or PRIOR in m.measure.invariant:
        strata = pairs.label
    else:
        strata = np.zeros(len(left_out), int)
    method = "jackknife" if strata.max(initial=0) == 0 else "delong"
    return math.sqrt(
        math.fsum(_spread(left_out[strata == s]) for s in range(strata.max(initial=0) + 1) if (strata == s).any())
    ), method


def _spread(left_out: Array) -> float:
    n = len(left_out)
    return (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())


def has_pairs(m: MeasureOf, summary: Summary) -> bool:
    """Can the standard error be had: from the cases, or from the score table of one class?"""
    source = summary.source
    if source.added is None:
        return source.cases is not None
    return bool(source.added.grids) and (source.added.mirrored or (m.measure.symbol == "AUC" and m.place is not None))


def variance_in_table(t: ScoreTable) -> float:
    """DeLong's variance of the area from a score table whose weights count cases: those at one score have one
    placement. Of a grid, whose cells are taken for ties, it is as exact as the area."""
    return math.fsum(part for part, _ in _parts_in_table(t))


def freedom_in_table(t: ScoreTable) -> float:
    """Degrees of freedom of that variance, as far as one side makes most of it (Satterthwaite 1946)."""
    parts = _parts_in_table(t)
    return sum(part for part, _ in parts) ** 2 / sum(part**2 / free for part, free in parts)


def _parts_in_table(t: ScoreTable) -> list[tuple[float, float]]:
    """What each side adds to the variance, and its degrees of freedom; nan where a side has a single case."""
    own, rest = t.positive, t.negative
    m, n = float(own.sum()), float(rest.sum())
    if min(m, n) < 2:
        return [(math.nan, 1.0)]
    below = (np.cumsum(rest) - rest / 2) / n
    above = 1 - (np.cumsum(own) - own / 2) / m
    area = float(own @ below) / m
    sides = ((own, below, m), (rest, above, n))
    return [(float(w @ (x - area) ** 2) / (size - 1) / size, size - 1) for w, x, size in sides]


def logit_interval(value: float, error: float, level: float) -> tuple[float, float, str]:
    """(low, high, reason): the ends of the interval of an area between 0 and 1, made where it is nearly normal: on the
    scale of log(area / (1 - area)), so that no end leaves the range. An area of 0 or 1, or without a spread, has none:
    the ends are nan and the reason says why.

    >>> [round(end, 4) for end in logit_interval(0.9, 0.03, 0.95)[:2]]
    [0.824, 0.9453]
    """
    checked_level(level)
    if not (math.isfinite(value) and math.isfinite(error)):
        return math.nan, math.nan, "the area or its standard error is undefined"
    if not 0 < value < 1:
        return math.nan, math.nan, f"an area of {value:g} has no logit"
    if error <= 0:
        return math.nan, math.nan, "the standard error is 0"
    half = float(ndtri((1 + level) / 2)) * error / (value * (1 - value))
    middle = float(logit(value))
    return float(expit(middle - half)), float(expit(middle + half)), ""


def has_error(m: MeasureOf) -> bool:
    """Is it a measure of pairs, whose standard error is known?"""
    return m.kind is Pairs


def sides_of_area(m: MeasureOf, summary: Summary) -> tuple[float, float] | None:
    """The cases of each side of the one ROC curve that a measure is the area under; None if it is of several curves."""
    cases = np.asarray(summary.source.class_weight, float)
    if not has_error(m) or (len(cases) > 2 and m.place is None):
        return None
    own = float(cases[m.place or 0])
    return own, float(cases.sum()) - own


@dataclass(frozen=True, repr=False)
class AreaTest(Record):
    """DeLong's test of two areas under ROC curves.

    Attributes
    ----------
    areas, variances : tuple of float
        Of the first and the second model.
    covariance, difference, error, statistic : float
        Covariance of the areas, their difference (first minus second), its standard error, and their ratio: normal if
        paired, else Student's t.
    p, low, high : float
        p-value and interval of the difference.
    level : float
        Confidence of the interval.
    freedom : float or None
        Degrees of freedom of t.
    """

    areas: tuple[float, float]
    variances: tuple[float, float]
    covariance: float
    difference: float
    error: float
    statistic: float
    p: float
    low: float
    high: float
    level: float
    freedom: float | None = None

    def turned(self) -> AreaTest:
        """Second less first."""
        two = {"areas": self.areas[::-1], "variances": self.variances[::-1], "low": -self.high, "high": -self.low}
        return replace(self, difference=-self.difference, statistic=-self.statistic, **two)  # type: ignore[arg-type]


@comparison(of=MODELS, cite="delong1988", name="delong")
def delong_paired(one: Any, other: Any, place: int | None = None, level: float = 0.95) -> AreaTest:
    """Do the areas under the ROC curves of two models on the same cases differ?

    DeLong's test [delong1988].

    Parameters
    ----------
    one, other : Evaluation
        What `karat.evaluate` returns.
    place : int, optional
        The place of the class among the classes; by default that of the positive one.
    level : float, default 0.95
        Confidence of the interval.

    Returns
    -------
    AreaTest

    Examples
    --------
    >>> import karat
    >>> y = [0, 0, 1, 0, 1, 1]
    >>> a, b = karat.evaluate(y, [0.1, 0.2, 0.4, 0.3, 0.8, 0.9]), karat.evaluate(y, [0.1, 0.5, 0.4, 0.6, 0.5, 0.9])
    >>> round(delong_paired(a, b).difference, 3)
    0.389
    """
    one, other = paired({"the first model": summary_of(one), "the second model": summary_of(other)}).values()
    (first, j), (second, _) = _scores(one, place), _scores(other, place)
    if not np.array_equal(first.truth, second.truth):
        raise InputError(
            "the two models have different cases; give both the same, or use karat.intervals.delong_unpaired."
        )
    a, b = (Placements.of_class(p, j, in_order=True) for p in (first, second))
    return _tested(a, b, (variance(a), variance(b)), covariance(a, b), level, None)


def delong_unpaired(one: Any, other: Any, place: int | None = None, level: float = 0.95) -> AreaTest:
    """Do the areas under the ROC curves of two models on different cases differ? By Student's t, with Satterthwaite's
    degrees of freedom; otherwise as `delong_paired`."""
    (first, j), (second, l) = _scores(one, place), _scores(other, place)
    a, b = Placements.of_class(first, j), Placements.of_class(second, l)
    va, vb = variance(a), variance(b)
    below = va**2 / (first.n - 1) + vb**2 / (second.n - 1)
    freedom = (va + vb) ** 2 / below if below > 0 else math.nan
    return _tested(a, b, (va, vb), 0.0, level, freedom)


def _scores(model: Any, place: int | None) -> tuple[Predictions, int]:
    """The predictions of a model, and the place of the class in question."""
    source = summary_of(model).source
    p, j = source.cases, source.positive if place is None else place
    if j is None:
        raise InputError(f"{positive_missing(source.classes)}, or the place of the class.")
    if p is None or p.scores is None or p.weight is not None:
        raise InputError("DeLong's test needs scores or probabilities, and no weights; use karat.compare.")
    return p, j


def _tested(
    a: Placements, b: Placements, variances: tuple[float, float], both: float, level: float, freedom: float | None
) -> AreaTest:
    checked_level(level)
    difference, spread = a.area - b.area, sum(variances)
    error = math.sqrt(max(spread - 2 * both, 0.0)) if spread == spread else math.nan
    statistic = difference / error if error > 0 else math.nan
    if freedom is None:
        p, z = 2 * float(ndtr(-abs(statistic))), float(ndtri((1 + level) / 2))
    else:
        p, z = 2 * float(stdtr(freedom, -abs(statistic))), float(stdtrit(freedom, (1 + level) / 2))
    low, high = difference - z * error, difference + z * error
    return AreaTest((a.area, b.area), variances, both, difference, error, statistic, p, low, high, level, freedom)
