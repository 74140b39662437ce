"""Areas under ROC curves by their structural components (DeLong, DeLong & Clarke-Pearson 1988)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from karat.core.arithmetic import Array
from karat.core.errors import InputError, positive_missing
from karat.core.measure import PRIOR
from karat.core.validation import checked_level
from karat.data import Predictions
from karat.measures.value import Target
from karat.statistics import Pairs, Summary
from karat.statistics.pair_components import PairPlacements, Placements

FEW = "a class has fewer than two cases, so that their spread can't be told"


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


def standard_error(target: Target, summary: Summary) -> tuple[float, str]:
    """(standard error, method) of a measure of pairs; nan where a class has a single case.

    Of the area of one class against the rest it is DeLong's. In general it is the jackknife's, leaving out each case in
    turn: within classes where the frequencies of the classes play no part (which is DeLong's, for it equals it term by
    term), over all cases where they do."""
    p = summary.source.cases
    assert p is not None
    if target.measure.symbol == "AUC" and target.place is not None:
        return math.sqrt(variance(summary.placements_of_class(target.place))), "delong"
    pairs = PairPlacements.of(p)
    sizes = pairs.pairs.weight
    if (sizes[sizes > 0] < 2).any():
        return math.nan, "jackknife"
    with np.errstate(all="ignore"):
        left_out = np.concatenate([target.over(some) for some in pairs.without_each()])
    if target.place is not None:
        strata = (pairs.label == target.place).astype(int)
    elif len(sizes) == 2 or PRIOR in target.measure.invariant:
        strata = pairs.label
    else:
        strata = np.zeros(len(left_out), int)
    method = "jackknife" if strata.max(initial=0) == 0 else "delong"
    return math.sqrt(math.fsum(_spread(left_out[strata == s]) for s in np.unique(strata))), method


def _spread(left_out: Array) -> float:
    n = len(left_out)
    return (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())


def has_error(target: Target) -> bool:
    """Is it a measure of pairs, whose standard error is known?"""
    return target.statistic is Pairs


@dataclass(frozen=True)
class AreaTest:
    """Do two areas under ROC curves differ?"""

    areas: tuple[float, float]
    variances: tuple[float, float]
    covariance: float
    difference: float
    error: float
    """standard error of the difference"""
    statistic: float
    """difference over error: normal if paired, else Student's t"""
    p: float
    low: float
    high: float
    level: float
    freedom: float | None = None
    """degrees of freedom of t"""

    def turned(self) -> AreaTest:
        """Second less first."""
        two = {"areas": self.areas[::-1], "variances": self.variances[::-1], "low": -self.high, "high": -self.low}
        return replace(self, difference=-self.difference, statistic=-self.statistic, **two)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def delong_paired(one: Predictions, other: Predictions, place: int | None = None, level: float = 0.95) -> AreaTest:
    """Two models on the same cases: DeLong's test of the areas of a class (the positive one unless said)."""
    j = _place(one, place)
    if not np.array_equal(one.truth, other.truth):
        raise InputError("the two models were given other cases; give both the same, or use delong_unpaired.")
    a, b = (Placements.of_class(p, j, in_order=True) for p in (one, other))
    both = covariance(a, b)
    return _tested(a, b, variance(a), variance(b), both, level, None)


def delong_unpaired(one: Predictions, other: Predictions, place: int | None = None, level: float = 0.95) -> AreaTest:
    """Two models on different cases: by Student's t, with Satterthwaite's degrees of freedom."""
    a, b = (Placements.of_class(p, _place(p, place)) for p in (one, other))
    va, vb = variance(a), variance(b)
    below = va**2 / (one.n - 1) + vb**2 / (other.n - 1)
    freedom = (va + vb) ** 2 / below if below > 0 else math.nan
    return _tested(a, b, va, vb, 0.0, level, freedom)


def _place(p: Predictions, place: int | None) -> int:
    j = p.positive if place is None else place
    if j is None:
        raise InputError(f"{positive_missing(p.classes)}, or the place of the class.")
    if p.scores is None or p.weight is not None:
        raise InputError("DeLong's test needs scores, and cases without weights; use the bootstrap.")
    return j


def _tested(
    a: Placements, b: Placements, va: float, vb: float, both: float, level: float, freedom: float | None
) -> AreaTest:
    checked_level(level)
    difference = a.area - b.area
    error = math.sqrt(max(va + vb - 2 * both, 0.0)) if va + vb == va + vb else math.nan
    statistic = difference / error if error > 0 else math.nan
    if freedom is None:
        p, z = 2 * float(ndtr(-abs(statistic))), float(ndtri((1 + level) / 2))
    else:
        p, z = 2 * float(stdtr(freedom, -abs(statistic))), float(stdtrit(freedom, (1 + level) / 2))
    return AreaTest(
        (a.area, b.area),
        (va, vb),
        both,
        difference,
        error,
        statistic,
        p,
        difference - z * error,
        difference + z * error,
        level,
        freedom,
    )
