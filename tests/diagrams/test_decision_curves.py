"""Decision curves of a range of thresholds, and smoothed ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from diagrams import legible

pytest.importorskip("matplotlib.pyplot")


def cases(n: int = 150) -> tuple[Any, Any]:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, n)
    return y, np.round(1 / (1 + np.exp(-rng.normal(size=n) - (2 * y - 1))), 2)


def test_a_range_of_thresholds() -> None:
    y, p = cases()
    d = karat.diagrams.decision_curve(y, p, threshold_range=(0.05, 0.35), points=31).plot()
    assert d.threshold.tolist() == [round(0.05 + 0.01 * i, 2) for i in range(31)]
    for t, benefit, everyone in zip(d.threshold, d.benefit, d.everyone, strict=True):
        acted = p >= t
        hits, alarms = np.sum(acted & (y == 1)), np.sum(acted & (y == 0))
        assert benefit == pytest.approx(hits / len(y) - alarms / len(y) * t / (1 - t), abs=1e-12)
        assert everyone == pytest.approx(y.mean() - (1 - y.mean()) * t / (1 - t), abs=1e-12)
    low, high = d.ax_.get_xlim()
    assert 0.04 < low < 0.05
    assert 0.35 < high < 0.36
    bottom, top = d.ax_.get_ylim()
    assert bottom < 0 < d.benefit.max() < top
    for line in d.ax_.lines:
        assert set(np.round(line.get_xdata(), 2)) <= set(d.threshold.tolist())


def test_all_thresholds_by_default() -> None:
    y, p = cases()
    d = karat.diagrams.decision_curve(y, p)
    assert (len(d.threshold), d.threshold[0], d.threshold[-1]) == (1000, 0, 0.999)
    assert karat.diagrams.decision_curve(y, p, threshold_range=0.5).threshold[-1] == 0.5


@pytest.mark.parametrize(("share", "points"), [(0.2, 101), (0.35, 60), (1.0, 40)])
def test_smoothing_is_lowess(share: float, points: int) -> None:
    smoothers = pytest.importorskip("statsmodels.nonparametric.smoothers_lowess")
    y, p = cases()
    d = karat.diagrams.decision_curve(y, p, threshold_range=(0.1, 0.8), points=points, smooth=share)
    theirs = smoothers.lowess(d.benefit, d.threshold, frac=share, it=0, return_sorted=False)
    assert d.smoothed == pytest.approx(theirs, abs=1e-3)


def test_a_straight_line_stays_as_it_is() -> None:
    from karat.diagrams.measures_by_threshold import locally_linear

    x = np.arange(50) / 50
    assert locally_linear(x, 3 - 2 * x, 0.2) == pytest.approx(3 - 2 * x, abs=1e-12)
    assert locally_linear(x[:2], x[:2], 0.2) == pytest.approx(x[:2], abs=1e-12)
    assert locally_linear(x[:1], x[:1], 0.2).tolist() == [0]


def test_the_figure_says_that_it_is_smoothed() -> None:
    y, p = cases()
    d = karat.diagrams.decision_curve(y, p, smooth=True, name="forest").plot()
    entries = legible.entries(d.ax_)
    assert "as observed; thick: smoothed over 20 % of the thresholds" in entries
    (line,) = [x for x in d.ax_.lines if x.get_gid() == "series"]
    assert np.array_equal(line.get_ydata(), d.smoothed)
    plain = karat.diagrams.decision_curve(y, p, name="forest").plot()
    assert not any("smoothed" in entry for entry in legible.entries(plain.ax_))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"smooth": 0}, "smooth is 0"),
        ({"smooth": 1.5}, "smooth is 1.5"),
        ({"threshold_range": (0.5, 0.5)}, "lower number first"),
        ({"threshold_range": (0.5, 2)}, "threshold_range is 2"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(karat.InputError, match=words):
        karat.diagrams.decision_curve(*cases(), **options)
