"""The law of differences after exchanges: when drawing ends early, and that it keeps the level nevertheless."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from karat.comparisons.exchange_law import FIRST, ExchangeLaw


@dataclass
class Tosses:
    """The mean of numbers whose signs are tossed: what exchanges do to a difference of means."""

    numbers: Any
    drawn: int = 0

    @property
    def units(self) -> int:
        return len(self.numbers)

    def values(self) -> tuple[float, float]:
        return float(self.numbers.mean()), 0.0

    def of_drawn(self, replicates: int, rng: np.random.Generator) -> Any:
        self.drawn += replicates
        signs = 2 * rng.integers(0, 2, (replicates, self.units)) - 1
        return np.stack([(signs * self.numbers).mean(axis=1), np.zeros(replicates)])


def test_a_large_p_value_ends_the_drawing_and_a_small_one_is_of_all() -> None:
    rng = np.random.default_rng(1)
    nothing, something = Tosses(np.tile([1.0, -1.0], 20)), Tosses(rng.normal(0.8, 1, 40))
    early = ExchangeLaw.of(nothing, 50_000, rng, exact=False)
    late = ExchangeLaw.of(something, 50_000, rng, exact=False)
    assert (nothing.drawn, something.drawn) == (FIRST, 50_000)
    assert early.p(0.0) > 0.9  # ties count half
    assert early.least == late.least == 1 / 50_001  # what could have come out
    assert late.p(something.values()[0]) < 0.001


@pytest.mark.parametrize("level", [0.01, 0.05])
def test_small_p_values_are_as_rare_as_they_should_be(level: float) -> None:
    rng = np.random.default_rng(2)
    p = []
    for _ in range(400):
        one = Tosses(rng.normal(size=14))
        p.append(ExchangeLaw.of(one, 3 * FIRST, rng, exact=False).p(one.values()[0]))
    error = np.sqrt(level * (1 - level) / len(p))
    assert np.mean(np.array(p) <= level) < level + 3 * error
    assert np.mean(p) == pytest.approx(0.5, abs=0.05)
