"""Corrections for many tests."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from karat.statistics.p_values import CORRECTIONS, bonferroni, correction, hochberg, holm
from levels import keeps_its_level


@pytest.mark.parametrize(
    ("name", "theirs"), [("holm", "holm"), ("hochberg", "simes-hochberg"), ("bonferroni", "bonferroni")]
)
def test_corrections_agree_with_statsmodels(name: str, theirs: str) -> None:
    peer = pytest.importorskip("statsmodels.stats.multitest").multipletests
    rng = np.random.default_rng(11)
    for size in (1, 2, 7, 30):
        p = rng.random(size) ** 2
        assert CORRECTIONS[name](p) == pytest.approx(peer(p, method=theirs)[1], abs=1e-12)


def test_corrections_keep_the_level_of_the_family() -> None:
    rng = np.random.default_rng(12)
    p = rng.random((2000, 8))
    for adjust in (holm, hochberg, bonferroni):
        any_alarm = [(adjust(row) <= 0.05).any() for row in p]
        assert keeps_its_level(any_alarm, 0.05)


def test_corrections_of_odd_input() -> None:
    assert holm([0.01, math.nan, 0.04]).tolist() == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)
    assert holm([]).tolist() == []
    for bad in ([0.1, 1.2], [[0.1]], ["a"]):
        with pytest.raises(karat.InputError):
            holm(bad)
    with pytest.raises(karat.InputError, match="holm"):
        correction("sidak")
