"""What differences two interchangeable models would show: the law of a difference when their predictions are exchanged
case by case, or group by group, as by the toss of a coin."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.validation import false_alarms
from karat.resampling.block_values import BlockExchanges
from karat.resampling.exchanges import Exchanges

FIRST = 2000
"""Exchanges after which a large p-value ends the drawing."""
LARGE = 0.25


@dataclass(frozen=True, eq=False)
class ExchangeLaw:
    """Differences after exchanges."""

    units: int
    """cases, or groups, on which the models say different things"""
    differences: Array
    """ascending, two-sided: absolute; one that is undefined counts as infinite"""
    exact: bool
    """were all exchanges tried?"""
    offered: int = 0
    """exchanges that would have been drawn, had the first of them not shown that there is nothing to see"""

    @classmethod
    def of(cls, exchanges: Exchanges | BlockExchanges, replicates: int, rng: Any, exact: bool) -> ExchangeLaw:
        """By trying all exchanges, or so many drawn at random. Where very many would be drawn, for the sake of many
        tests, the first of them tell whether to go on: a p-value that is large after these is not made small by more,
        and small ones are of all (so that none is small more often than it may be)."""
        if exact:
            return cls(exchanges.units, np.sort(_apart(*exchanges.of_all())), True)
        first = _apart(*exchanges.of_drawn(min(replicates, FIRST), rng))
        law = cls(exchanges.units, np.sort(first), False, replicates)
        if replicates <= FIRST or law.as_large(float(_apart(*exchanges.values()))) > LARGE * FIRST:
            return law
        more = _apart(*exchanges.of_drawn(replicates - FIRST, rng))
        return cls(exchanges.units, np.sort(np.concatenate([first, more])), False)

    @property
    def undefined(self) -> int:
        """Exchanges after which the measure has no value."""
        return int(np.isinf(self.differences).sum())

    @property
    def idle(self) -> bool:
        """Do exchanges change nothing?"""
        return bool(self.differences[-1] <= TOLERANCE)

    @property
    def least(self) -> float:
        """The smallest p-value that could have come out."""
        of_all = min(2.0 ** (1 - self.units), 1.0)
        return of_all if self.exact else max(1 / (1 + max(len(self.differences), self.offered)), of_all)

    @property
    def by_draws(self) -> bool:
        """Could more exchanges have given a smaller one?"""
        return not self.idle and self.least > 2.0 ** (1 - self.units)

    def p(self, difference: float, sides: int = 2) -> float:
        """How often exchanges make the difference as large; on one side, half as often where it is above 0."""
        both = self._both_sides(abs(difference))
        if sides == 2:
            return both
        return both / 2 if difference > 0 else 1 - both / 2

    def _both_sides(self, difference: float) -> float:
        """Exchanges that make it as large count half beyond the data themselves and their mirror image, so that ties do
        not make the test blunt (Lancaster 1961), and no p-value is smaller than there are exchanges for. If none makes
        it larger they count in full: they may be the same one, but for cases that do not move the measure."""
        n, as_large = len(self.differences), self.as_large(difference)
        larger = n - int(self.differences.searchsorted(difference + _slack(difference), "right"))
        equal = as_large - larger
        if larger == 0:
            return min(1.0, max(equal / n if self.exact else (1 + equal) / (1 + n), self.least))
        p = (larger + (equal + 2) / 2) / n if self.exact else (1 + larger + equal / 2) / (1 + n)
        return min(1.0, max(p, self.least))

    def as_large(self, difference: float) -> int:
        """How many exchanges make the difference at least so large, but for rounding."""
        return len(self.differences) - int(self.differences.searchsorted(difference - _slack(difference), "left"))

    def reach(self, level: float, sides: int = 2, seen: float = 0.0) -> float:
        """How large a difference may be without being a surprise at this level; infinite if none would be one. Many
        that were drawn may be as large as the largest; what was `seen` may be larger still, and a surprise."""
        tolerated = false_alarms(level) * (1 if sides == 2 else 2)
        largest = float(self.differences[-1])
        if self._both_sides(largest) > tolerated:
            beyond = largest + 2 * _slack(largest)
            return beyond if abs(seen) > beyond and self._both_sides(beyond) <= tolerated else math.inf
        values = np.unique(self.differences).tolist()  # the p-value falls with the difference
        surprising = bisect_left(values, True, key=lambda x: self._both_sides(x) <= tolerated)
        before = values[surprising] - 2 * _slack(values[surprising])  # what was seen may lie between those drawn
        if surprising == 0 or self._both_sides(before) > tolerated:
            return float(before)
        return float(values[surprising - 1] + 2 * _slack(values[surprising - 1]))


def exchanges_needed(tests: int, level: float) -> int:
    """So many must be drawn that one of so many tests could show something, after correction."""
    return math.ceil(2 * tests / false_alarms(level))


def _apart(first: Any, second: Any) -> Array:
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(first, second))
    return np.where(np.isfinite(apart), apart, np.inf)


def _slack(difference: float) -> float:
    return TOLERANCE * max(1.0, difference)
