"""Calibration errors of two models, compared by how surprising each would be in populations of other errors.

Exchanging predictions asks whether models are interchangeable: two calibrated models, one of which is surer, are not,
and were called different in every fourth sample. Here it is asked whether some error could be that of both: each is so
many standard errors away from what was seen of it (by draws of outcomes, see `intervals/calibrated_bins.py`), and the
error that both are nearest to decides, as in a test of likelihoods. The ends are the differences that it does not
reject."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from karat.comparisons.judgement import Judgement
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.intervals.calibrated_bins import ErrorScores
from karat.statistics.p_values import never_0

OUTCOMES = "draws of outcomes"
"""The method: where p-value and interval come from."""
MOST_CORRELATED = 0.95
HALVINGS = 40


@dataclass(frozen=True, eq=False)
class TwoErrors:
    """Of two models, on the same cases if their errors are correlated."""

    first: ErrorScores
    second: ErrorScores
    correlation: float = 0.0

    def distance(self, shift: float) -> float:
        """How far what was seen is from all populations in which the first error is larger by so much: the square of
        standard errors."""
        second = np.union1d(self.second.errors, self.first.errors - shift)
        second = np.union1d(second, (second[1:] + second[:-1]) / 2)
        second = np.append(second[(second >= 0) & (second + shift >= 0)], max(0.0, -shift))
        a, b = self.first.at(second + shift), self.second.at(second)
        r = self.correlation
        return float(((a * a - 2 * r * a * b + b * b) / (1 - r * r)).min())

    @cached
    def likeliest(self) -> float:
        """The difference of the errors that would be no surprise at all."""
        return self.first.likeliest - self.second.likeliest

    def root(self, shift: float) -> float:
        """In standard errors."""
        return math.sqrt(self.distance(shift))

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
