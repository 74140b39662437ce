"""What checks of probabilities look at: against loops over the cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.findings.probability_checks import _band, _is_wide, _may_be_regular
from karat.findings.seen_cases import sample_of


def predictions(k: int, weighted: bool) -> tuple[list[int], Any, Any]:
    """Cases with ties, zeros and ones, and a case without weight."""
    rng = np.random.default_rng(k)
    y = rng.integers(0, k, 60)
    p = rng.dirichlet(np.ones(k), 60)
    p[:5], p[5:9], p[9:12] = np.eye(k)[0], np.eye(k)[1], np.append([0.5, 0.5], np.zeros(k - 2))
    return y.tolist(), p, np.append(0.0, rng.integers(1, 4, 59)) if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 4])
def test_facts_are_sums_over_the_cases(k: int, weighted: bool) -> None:
    y, p, weight = predictions(k, weighted)
    s = karat.evaluate(y, p, sample_weight=weight, labels=range(k)).statistics
    sample = sample_of(s)
    assert sample is not None
    w = sample.weight.tolist()
    rows = p.tolist()
    top = [row.index(max(row)) for row in rows]
    facts = sample.facts
    assert facts.weight == pytest.approx(math.fsum(w))
    assert facts.stated == pytest.approx(math.fsum(v * max(row) for v, row in zip(w, rows, strict=True)))
    assert facts.right == pytest.approx(math.fsum(v for v, d, t in zip(w, top, y, strict=True) if d == t))
    assert facts.excess == pytest.approx(facts.right - facts.stated)
    assert facts.variance == pytest.approx(
        math.fsum(v * v * max(row) * (1 - max(row)) for v, row in zip(w, rows, strict=True))
    )
    assert facts.certain == pytest.approx(math.fsum(v for v, row in zip(w, rows, strict=True) if max(row) == 1))
    assert facts.tied == sum(row.count(max(row)) > 1 and v > 0 for v, row in zip(w, rows, strict=True)) == 3
    assert facts.impossible == sum(row[t] == 0 and v > 0 for v, row, t in zip(w, rows, y, strict=True)) > 0
    for j in range(k):
        promised = math.fsum(v * row[j] for v, row in zip(w, rows, strict=True))
        own = math.fsum(v for v, t in zip(w, y, strict=True) if t == j)
        spread = math.fsum(v * v * row[j] * (1 - row[j]) for v, row in zip(w, rows, strict=True))
        assert facts.columns[j].tolist() == pytest.approx([own - promised, spread, promised])


def test_bins_never_call_a_band_wide_that_is_not() -> None:
    rng = np.random.default_rng(0)
    told = 0
    for n in (5, 20, 21, 100, 101, 1000):
        for spread in (0.02, 0.1, 0.2, 0.3, 0.6):
            p = np.clip(rng.normal(rng.random(), spread, n), 0, 1)
            s = karat.evaluate([0, 1] * (n // 2) + [0] * (n % 2), p).statistics
            low, high = _band(s)
            assert not _is_wide(s) or (high - low).max() >= 0.25
            told += _is_wide(s)
    assert told > 5


def test_regular_scores_are_looked_at() -> None:
    rng = np.random.default_rng(1)
    ranks = rng.permutation(1000)
    stretched = rng.random(1000) ** 3
    stretched = (stretched - stretched.min()) / np.ptp(stretched)
    assert _may_be_regular((ranks + 1) / 1001)
    assert _may_be_regular(0.3 + ranks / 5000)
    assert _may_be_regular(stretched)
    assert not _may_be_regular(rng.random(1000) ** 3)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_findings_of_one_column_make_no_copy_of_it(kind: type) -> None:
    """Two columns of doubles are five times as large as one of single precision."""
    rng = np.random.default_rng(3)
    p = rng.random(3_000).astype(kind)
    e = karat.evaluate((rng.random(3_000) < p).astype(int), p)
    e.findings()
    assert "scores" not in vars(e.statistics.source.cases)
