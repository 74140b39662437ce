"""Calibration errors of two models, compared by how surprising each would be in populations of other errors.

Exchanging predictions asks whether models are interchangeable: two calibrated models, one of which is surer, are not,
and were called different in every fourth sample. Here it is asked whether some error could be that of both: each is so
many standard errors away from what was seen of it (by draws of outcomes, see `intervals/calibrated_bins.py`), and the
error that both are nearest to decides, as in a test of likelihoods, whose spread is drawn as well. The ends are the
differences that it does not reject."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from karat.comparisons.judgement import Judgement
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.intervals.calibrated_bins import ErrorScores
from karat.resampling.draws import stream
from karat.statistics.p_values import never_0

OUTCOMES = "draws of outcomes"
"""The method: where p-value and interval come from."""
MOST_CORRELATED = 0.95
HALVINGS = 40
SAMPLES, COMMON, LEAST_UNIT = 250, 0.95, 0.4
"""Of two models of equal error: how many pairs of samples are drawn (and taken either way round), what share of them is
no surprise, and the least that counts as a standard error."""


@dataclass(frozen=True, eq=False)
class TwoErrors:
    """Of two models, on the same cases if their errors are correlated."""

    first: ErrorScores
    second: ErrorScores
    seed: int
    correlation: float = 0.0

    @cached
    def _seen(self) -> tuple[Array, Array]:
        """[1, populations]: how surprising what was seen is, of each model."""
        first, second = (one.scores(np.array([one.seen])) for one in (self.first, self.second))
        return first, second

    def _nearest(self, seen: tuple[Array, Array], shift: float) -> tuple[Array, Array]:
        """[seen]: how far it is from all populations in which the first error is larger by so much, as the square of
        standard errors; and the second error in the population that it is nearest to."""
        second = np.union1d(self.second.errors, self.first.errors - shift)
        second = np.union1d(second, (second[1:] + second[:-1]) / 2)
        second = np.append(second[(second >= 0) & (second + shift >= 0)], max(0.0, -shift))
        a, b = self.first.at(second + shift, seen[0]), self.second.at(second, seen[1])
        r = self.correlation
        squares = (a * a - 2 * r * a * b + b * b) / (1 - r * r)
        return squares.min(axis=1), second[squares.argmin(axis=1)]

    @cached
    def unit(self) -> float:
        """The root of such a square that one sample in twenty exceeds, if both have the error that is nearest to what
        was seen, in standard errors of a normal distribution. It is below 1 where errors are so small that samples
        can't be much too good: taken for 1, equal models of 50 cases were called different in 1 % of samples."""
        _, (error, *_) = self._nearest(self._seen, 0.0)
        r, (one, other) = self.correlation, stream(self.seed, 1 << 23).normal(size=(2, SAMPLES))
        other = r * one + math.sqrt(1 - r * r) * other
        shares = ndtr(np.append(one, other)), ndtr(np.append(other, one))  # neither model is the first
        both = (self.first, self.second)
        drawn = [x.scores(x.samples(float(error), share)) for x, share in zip(both, shares, strict=True)]
        squares, _ = self._nearest((drawn[0], drawn[1]), 0.0)
        return max(math.sqrt(float(np.quantile(squares, COMMON))) / float(ndtri((1 + COMMON) / 2)), LEAST_UNIT)

    @cached
    def likeliest(self) -> float:
        """The difference of the errors that would be no surprise at all."""
        return self.first.likeliest - self.second.likeliest

    def root(self, shift: float) -> float:
        """How far what was seen is from populations in which the first error is larger by so much, in standard
        errors."""
        return math.sqrt(float(self._nearest(self._seen, shift)[0][0])) / self.unit

    def end(self, side: int, errors: float) -> float:
        """Where a difference becomes a surprise of so many standard errors; 1 or -1 if none is."""
        inside, outside = self.likeliest, float(side)
        if self.root(outside) <= errors:
            return outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.root(middle) <= errors else (inside, middle)
        return inside


def by_outcomes(two: TwoErrors, level: float, side: int) -> Judgement:
    """The p-value, and the differences that are not rejected."""

    def tail(shift: float, side: int) -> float:
        above = side * (two.likeliest - shift) > 0
        return never_0(float(ndtr(-two.root(shift) if above else two.root(shift))))

    errors = float(ndtri(level if side else (1 + level) / 2))
    return Judgement.of((two.end(-1, errors), two.end(1, errors)), tail, side, OUTCOMES)


def correlation(first: ErrorScores, second: ErrorScores, of_units: list[tuple[Array, Array]]) -> float:
    """Of two errors on the same cases, from the gaps of each unit in each bin. A bin whose gap could be chance counts
    the less, since the sign of what a case adds to it is not known."""
    apart = [gaps - scores.gap * weight for scores, (gaps, weight) in zip((first, second), of_units, strict=True)]
    one, other = (x @ scores.slope for x, scores in zip(apart, (first, second), strict=True))
    spread = math.sqrt(math.prod(float((x * x).sum()) for x in apart))
    return min(max(float(one @ other) / spread, -MOST_CORRELATED), MOST_CORRELATED) if spread > 0 else 0.0
