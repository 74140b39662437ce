"""Intervals of calibration errors in bins. A sum of absolute gaps is too large wherever a gap is near 0, the more the
fewer cases there are; resampling the cases makes it larger once more. So the interval holds the errors at which what
was seen would be no surprise: of populations whose gaps are so many standard errors smaller than those seen (but not
below 0: bins whose gap could be chance become calibrated first) or larger, outcomes are drawn again (Broecker & Smith
2007, Vaicenavicius et al. 2019), and each draw is as much too large as the sample was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.validation import too_few
from karat.intervals.bounds import REASON, REASON_OF_UPPER
from karat.intervals.interval_ends import Ends
from karat.intervals.rate_interval import most_unseen
from karat.measures.value import MeasureOf
from karat.resampling.draws import Resampling, stream

FARTHEST = 6.0
"""Standard errors by which gaps are made smaller or larger at most."""
HALVINGS = 10
"""Of that range: to a hundredth of a standard error."""


@dataclass(frozen=True, eq=False)
class _Populations:
    """Some whose gaps between what was stated and what came true are like those seen, but smaller or larger."""

    m: MeasureOf
    kind: Any
    seed: int
    weight: Array
    stated: Array
    gap: Array
    """[bins]: its size"""
    side: Array
    error: Array
    cases: Array
    """[replicates, bins]: how many cases of a sample are in each"""

    @classmethod
    def of(cls, m: MeasureOf, bins: Any, resampling: Resampling) -> _Populations:
        weight, forecast, hits = (np.asarray(x, float) for x in (bins.weight, bins.forecast, bins.hits))
        smooth = (hits + 0.5) / (weight + 1)  # a bin whose cases are all right still has some spread
        with np.errstate(divide="ignore", invalid="ignore"):
            stated = np.where(weight > 0, forecast / weight, 0.0)
            gap = np.where(weight > 0, hits / weight - stated, 0.0)
            error = np.where(weight > 0, np.sqrt(smooth * (1 - smooth) / weight), 0.0)
        side = np.where(gap == 0, np.where(stated < 0.5, 1.0, -1.0), np.sign(gap))
        total = round(float(weight.sum()))
        cases = stream(resampling.seed, 1 << 26).multinomial(total, weight / weight.sum(), resampling.replicates)
        return cls(m, type(bins), resampling.seed, weight, stated, np.abs(gap), side, error, cases)

    @property
    def calibrated(self) -> float:
        """So many standard errors smaller, no gap is left."""
        return -float(np.max(self.gap / np.maximum(self.error, TOLERANCE)))

    def likely(self, errors: float) -> Array:
        """[bins]: the share that comes true where gaps are so many standard errors larger."""
        apart = self.side * np.maximum(self.gap + errors * self.error, 0.0)
        return np.asarray(np.clip(self.stated + apart, 0.0, 1.0))

    def value(self, errors: float) -> float:
        """Of the measure in that population."""
        weight = self.weight
        return float(self.m.values(self.kind(weight, weight * self.stated, weight * self.likely(errors))))

    def drawn(self, errors: float) -> Array:
        """[replicates]: of the measure in samples of it; the same toss for all populations, as far as that goes."""
        hits = stream(self.seed, (1 << 26) + 1).binomial(self.cases, self.likely(errors))
        return self.m.values(self.kind(self.cases.astype(float), self.cases * self.stated, hits.astype(float)))


def of_bins(m: MeasureOf, bins: Any, value: float, resampling: Resampling, extremes: tuple[float, float]) -> Ends:
    """The interval of a measure of bins (weight, forecast, hits: of the cases in each)."""
    populations, tail = _Populations.of(m, bins, resampling), (1 - resampling.level) / 2

    def seldom_as_large(errors: float) -> bool:
        return float((populations.drawn(errors) >= value - TOLERANCE).mean()) <= tail

    def seldom_as_small(errors: float) -> bool:
        return float((populations.drawn(errors) <= value + TOLERANCE).mean()) <= tail

    calibrated = populations.calibrated
    low = populations.value(_border(seldom_as_large) if seldom_as_large(calibrated) else calibrated)
    high = max(populations.value(_border(seldom_as_small, below=False)), low)
    weight, hits = (np.asarray(x, float) for x in (bins.weight, bins.hits))
    reasons = [too_few(resampling.replicates, resampling.level)]
    unseen = _with_unseen(m, bins, resampling.level) if ((hits == weight) | (hits == 0)).all() else 0.0
    if unseen > high or (unseen > 0 and value <= TOLERANCE):  # without any error seen the bound is exact
        at_value = abs(low - value) <= TOLERANCE
        high, reasons = unseen, [*reasons, REASON if at_value else REASON_OF_UPPER]
    low, high = (min(max(x, extremes[0]), extremes[1]) for x in (low, high))
    return Ends(low, high, "consistency", "; ".join(filter(None, [*reasons, _told(value, low, high)])))


TRIED = 25
"""Populations that are tried for a whole curve of them."""
FEWEST_DRAWS = 500
"""Of a population, however few replicates were asked for: a test of 100 draws had half the p-value of one of 5,000."""


@dataclass(frozen=True, eq=False)
class ErrorScores:
    """How surprising the error that was seen would be in populations of larger and smaller errors."""

    seen: float
    errors: Array
    """[populations], ascending: the error of each"""
    drawn: Array
    """[populations, replicates], ascending: errors of samples of it"""
    gap: Array
    """[bins]: hits less what was stated, of each case"""
    slope: Array
    """[bins]: how the error goes with that gap; between -1 and 1, and near 0 where its sign could be chance"""

    @classmethod
    def of(cls, m: MeasureOf, bins: Any, value: float, resampling: Resampling) -> ErrorScores:
        """By drawing outcomes from each population."""
        enough = replace(resampling, replicates=max(resampling.replicates, FEWEST_DRAWS))
        populations = _Populations.of(m, bins, enough)
        steps = np.linspace(-FARTHEST, FARTHEST, TRIED)
        calibrated = max(populations.calibrated, -FARTHEST)
        tried = [calibrated, *steps[steps > calibrated].tolist()]
        drawn = np.sort([populations.drawn(errors) for errors in tried], axis=1)
        in_errors = populations.gap / np.maximum(populations.error, TOLERANCE)
        slope = populations.side * (2 * ndtr(in_errors) - 1)
        values = np.array([populations.value(errors) for errors in tried])
        return cls(value, values, drawn, populations.side * populations.gap, slope)

    def scores(self, seen: Array) -> Array:
        """[seen, populations]: how many standard errors each is above what a population shows, if that were normal;
        descending. That a sample looks better than a calibrated model speaks for no other error, and counts half: in
        full, equal models were called different too often; not counted at all, too seldom."""
        below, up_to = (
            np.stack([x.searchsorted(seen + edge, side) for x in self.drawn], axis=1)
            for edge, side in ((-TOLERANCE, "left"), (TOLERANCE, "right"))
        )
        share = ((below + up_to) / 2 + 0.5) / (self.drawn.shape[1] + 1)
        scores: Array = np.minimum.accumulate(ndtri(share), axis=1)
        scores[:, 0] = np.where(scores[:, 0] < 0, scores[:, 0] / 2, scores[:, 0])
        return np.minimum.accumulate(scores, axis=1)

    def at(self, errors: Array, scores: Array) -> Array:
        """[seen, errors]: the scores in populations of these errors, from those in the populations that were tried."""
        place, part = self._between(errors)
        return np.asarray(scores[:, place] * (1 - part) + scores[:, place + 1] * part)

    def samples(self, error: float, share: Array) -> Array:
        """[share]: the error that this share of all samples of a population of that error is below."""
        place, part = self._between(np.array([error]))
        low, high = (np.quantile(self.drawn[int(place[0]) + i], share) for i in (0, 1))
        return np.asarray(low * (1 - part) + high * part)

    def _between(self, errors: Array) -> tuple[Array, Array]:
        """Which population each is just above, and how far on the way to the next one."""
        place = np.clip(self.errors.searchsorted(errors) - 1, 0, len(self.errors) - 2)
        width = np.maximum(self.errors[place + 1] - self.errors[place], TOLERANCE)
        return place, np.clip((errors - self.errors[place]) / width, 0.0, 1.0)

    @property
    def likeliest(self) -> float:
        """The error of the population in which what was seen would be the middle."""
        return float(np.interp(0.0, -self.scores(np.array([self.seen]))[0], self.errors))


def _border(holds: Callable[[float], bool], below: bool = True) -> float:
    """Where a condition that holds of smaller gaps alone (or of larger ones alone) begins to fail."""
    inside, outside = (-FARTHEST, FARTHEST) if below else (FARTHEST, -FARTHEST)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return outside


def _with_unseen(m: MeasureOf, bins: Any, level: float) -> float:
    """The error of bins whose cases all went one way, if the largest share that so many cases need not show went the
    other: in all bins, or in one of them."""
    weight, forecast, hits = (np.asarray(x, float) for x in (bins.weight, bins.forecast, bins.hits))
    shares = [np.full(len(weight), most_unseen(float(weight.sum()), level))]
    for place in np.flatnonzero(weight > 0).tolist():
        shares.append(np.where(np.arange(len(weight)) == place, most_unseen(float(weight[place]), level), 0.0))
    off = (type(bins)(weight, forecast, hits + share * (weight - 2 * hits)) for share in shares)
    return max(float(m.values(b)) for b in off)


def _told(value: float, low: float, high: float) -> str:
    if low <= value <= high:
        return ""
    return "the interval is corrected for the part of the error that sampling noise alone explains"
