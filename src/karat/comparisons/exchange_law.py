"""What differences two interchangeable models would show: the law of a difference when their predictions are exchanged
case by case, or group by group, as by the toss of a coin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.validation import false_alarms
from karat.data import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.draws import stream
from karat.resampling.exchanges import Exchanges

TRIED = 12
"""So many units can be exchanged in all ways; more of them at random."""


@dataclass(frozen=True, eq=False)
class ExchangeLaw:
    """Differences after exchanges."""

    units: int
    """cases, or groups, on which the models say different things"""
    differences: Array
    """ascending, two-sided: absolute; one that is undefined counts as infinite"""
    exact: bool
    """were all exchanges tried?"""

    @classmethod
    def of(
        cls,
        m: MeasureOf,
        models: tuple[Predictions, Predictions],
        replicates: int,
        seed: int,
        cluster: Array | None = None,
    ) -> ExchangeLaw:
        """By trying all exchanges, or so many drawn at random."""
        exchanges = Exchanges(*models, m, cluster)
        exact = exchanges.units <= TRIED and 1 << exchanges.units <= max(replicates, 1 << 8)
        first, second = exchanges.of_all() if exact else exchanges.of_drawn(replicates, stream(seed, 1 << 24))
        with np.errstate(invalid="ignore"):
            apart = np.abs(first - second)
        return cls(exchanges.units, np.sort(np.where(np.isfinite(apart), apart, np.inf)), exact)

    @property
    def least(self) -> float:
        """The smallest p-value that could have come out."""
        return max(2.0 ** (1 - self.units), 0.0) if self.exact else 1 / (1 + len(self.differences))

    def p(self, difference: float, sides: int = 2) -> float:
        """How often exchanges make the difference as large; on one side, half as often where it is above 0."""
        both = self._both_sides(abs(difference))
        if sides == 2:
            return both
        return both / 2 if difference > 0 else 1 - both / 2

    def _both_sides(self, difference: float) -> float:
        """Exchanges that make it as large count half beyond the data themselves and their mirror image, so that ties do
        not make the test blunt (Lancaster 1961), and no p-value is smaller than there are exchanges for."""
        slack = TOLERANCE * max(1.0, difference)
        x, n = self.differences, len(self.differences)
        larger = n - int(x.searchsorted(difference + slack, "right"))
        equal = n - int(x.searchsorted(difference - slack, "left")) - larger
        if self.exact:
            return min(1.0, (larger + (equal + 2) / 2) / n)
        return min(1.0, (1 + larger + equal / 2) / (1 + n))

    def reach(self, level: float, sides: int = 2) -> float:
        """The largest difference that is no surprise at this level; infinite if none would be."""
        tolerated = false_alarms(level) * (1 if sides == 2 else 2)
        if self._both_sides(float(self.differences[-1])) > tolerated:
            return math.inf
        values = np.unique(self.differences)
        low, high = 0, len(values) - 1  # the p-value falls with the difference: the last that is no surprise
        while low < high:
            middle = (low + high + 1) // 2
            if self._both_sides(float(values[middle])) > tolerated:
                low = middle
            else:
                high = middle - 1
        return float(values[low])
