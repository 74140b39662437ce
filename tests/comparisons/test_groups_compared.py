"""Models compared on groups of unequal size: a few large ones carry the difference."""

from __future__ import annotations

from typing import Any

import numpy as np

import karat

SYMBOLS = ["LogL", "MSE"]


def unlike_models(rng: Any, sizes: list[int]) -> tuple[Any, dict[str, Any], Any]:
    """Two models whose scores are as spread in the population: one errs by group, the other by case."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.integers(0, 2, len(group))
    by_group = 1.4 * rng.normal(size=len(sizes))[group] + 0.6 * rng.normal(size=len(group))
    by_case = np.hypot(1.4, 0.6) * rng.normal(size=len(group))
    two = {"one": by_group, "two": by_case}
    return y, {name: 1 / (1 + np.exp(-1.2 * (2 * y - 1) - x)) for name, x in two.items()}, group


def compared(rng: Any, sizes: list[int], **options: Any) -> Any:
    y, models, group = unlike_models(rng, sizes)
    return karat.compare(models, y, measures=SYMBOLS, groups=group, positive=1, workers=1, **options)


def test_one_large_group_keeps_its_level() -> None:
    """Of one group of 300 cases and 60 of ten equal models were called different in 0.09."""
    rng = np.random.default_rng(3)
    samples = [compared(rng, [300, *[10] * 60])["one", "two"] for _ in range(150)]
    found = {m: float(np.mean([not pair[m].low <= 0 <= pair[m].high for pair in samples])) for m in SYMBOLS}
    assert max(found.values()) < 0.075, found


def test_groups_that_tell_too_little_are_no_verdict() -> None:
    """One group of 1,000 cases and 60 of ten: equal models were called different in 0.25 to 0.29."""
    sizes = [1000, *[10] * 60]
    c = compared(np.random.default_rng(2), sizes)
    for m in SYMBOLS:
        one = c["one", "two"][m]
        assert one.p != one.p
        assert one.low != one.low
        assert "no more than 2.5 equal ones" in one.reason
    assert c.verdict.startswith("one and two can't be compared: the groups are so unequal in size")


def test_exchanges_of_whole_groups_need_not_know_their_sizes() -> None:
    c = compared(np.random.default_rng(2), [1000, *[10] * 60], method="exchange")
    assert all(0 < c["one", "two"][m].p <= 1 for m in SYMBOLS)
