"""Equivalence: two one-sided tests."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import karat
from karat.comparisons.equivalence import equivalence
from levels import keeps_its_level


def test_equivalence_agrees_with_statsmodels() -> None:
    peer = pytest.importorskip("statsmodels.stats.weightstats")
    d = np.random.default_rng(9).normal(0.02, 0.1, 25)
    p, below, above = peer.DescrStatsW(d).ttost_mean(-0.05, 0.08)
    found = equivalence(float(d.mean()), float(stats.sem(d)), (-0.05, 0.08), df=24)
    assert (found.p, found.p_below, found.p_above) == pytest.approx((p, below[1], above[1]), abs=1e-12)
    low, high = peer.DescrStatsW(d).tconfint_mean(alpha=0.1)
    assert found.interval == pytest.approx((low, high), abs=1e-12)
    assert found.equivalent == (found.interval[0] > -0.05 and found.interval[1] < 0.08)


def test_equivalence_keeps_its_level_at_the_margin() -> None:
    rng = np.random.default_rng(10)
    data = rng.normal(0.5, 1, (2000, 40))  # the true difference is the margin: not equivalent
    errors = data.std(axis=1, ddof=1) / math.sqrt(40)
    found = [equivalence(m, e, 0.5, df=39).equivalent for m, e in zip(data.mean(axis=1), errors, strict=True)]
    assert keeps_its_level(found, 0.05)


def test_equivalence_in_words() -> None:
    found = equivalence(0.001, 0.01, 0.03)
    assert found.verdict == "A and B are equivalent (difference 0.0010 [-0.0154, 0.0174], margin 0.03; p = 0.002)."
    beyond = equivalence(0.5, 0.01, 0.1, names=("new", "old"))
    assert "not equivalent: new exceeds old by more than the margin (difference 0.500 [" in beyond.verdict
    assert equivalence(0.05, 0.1, 0.1).verdict.startswith("Equivalence of A and B is not shown (")
    json.dumps(found.to_dict())
    assert dict(zip(*found.to_table().columns.values(), strict=True))["margin above"] == 0.03
    for bad in [(0.1, 0.1, 0), (0.1, 0, 0.1), (math.nan, 1, 0.1), (0.1, 0.1, (0.1, 0.2))]:
        with pytest.raises(karat.InputError):
            equivalence(*bad)
