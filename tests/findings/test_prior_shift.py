"""Class frequencies in training: told from enough cases only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

RATIO = "multiply each probability by the ratio of new to old class frequency"


def tilted(few: int, others: int, turned: bool) -> Any:
    """Probabilities that are calibrated but for a prior of one half, and so many cases of the rarer class."""
    rng = np.random.default_rng(1)
    y = np.r_[np.ones(few, int), np.zeros(others, int)]
    x = rng.normal(1.5 * y)
    p = 1 / (1 + np.exp(-(1.5 * x - 1.5**2 / 2)))
    e = karat.evaluate(1 - y if turned else y, 1 - p if turned else p, positive=1)
    return next(f for f in e.findings() if f.code == "tilted-probabilities")


@pytest.mark.parametrize("turned", [False, True])
def test_a_correction_does_not_rest_on_a_few_cases(turned: bool) -> None:
    for few, others in ((1, 60), (9, 300)):
        one = tilted(few, others, turned)
        assert one.evidence["in training"] is None
        assert RATIO not in one.words
        assert f"only {few} case{'s' if few > 1 else ''} " in one.words
    many = tilted(40, 800, turned)
    assert RATIO in many.words
    assert many.evidence["in training"] == pytest.approx([0.5, 0.5], abs=0.15)
