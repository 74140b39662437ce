"""What a display must not do, and what a statistic must be able to: add up, have other prevalences, leading axes."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import BINARIES, Binary, loops
from karat.diagrams import CostCurve, CoverageRisk, Discrimination, PrecisionRecall, ROCCurve, drawing
from karat.statistics import ScoreTable

plt = pytest.importorskip("matplotlib.pyplot")


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


def table(b: Binary) -> ScoreTable:
    return karat.evaluate(**b.columns).statistics.table_of_class(1)


def test_numbers_need_no_matplotlib() -> None:
    code = (
        "import sys, karat.catalogue as c\n"
        "d = c.diagrams['roc_curve'].from_predictions([0, 1, 1], [.1, .2, .3])\n"
        "assert d.area == 1 and d.to_dict()\n"
        "heavy = {'matplotlib', 'pandas', 'sklearn', 'scipy.stats'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_matplotlib_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    d = ROCCurve.from_predictions([0, 1, 1], [0.1, 0.2, 0.3])
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(karat.InputError, match=r"pip install matplotlib"):
        d.plot()


def test_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(*_: Any, **__: Any) -> None:
        raise AssertionError("a window was opened")

    for name in ("show", "pause", "draw", "ion"):
        monkeypatch.setattr(plt, name, shown)
    ROCCurve.from_predictions([0, 1, 1], [0.1, 0.2, 0.3]).plot()


def test_settings_survive_an_error() -> None:
    before = dict(plt.rcParams)
    with pytest.raises(karat.InputError, match="can't be drawn with no_such_property=1"):
        ROCCurve.from_predictions([0, 1, 1], [0.1, 0.2, 0.3]).plot(no_such_property=1)
    with pytest.raises(karat.InputError):
        ROCCurve.for_each_class([0, 1, 2], np.eye(3)).plot(plt.subplots()[1], layout="multiples")
    assert dict(plt.rcParams) == before


def test_series_follow_what_others_drew() -> None:
    _, ax = plt.subplots()
    ax.plot([0, 1], [1, 0])  # not ours
    for _ in range(12):
        ROCCurve.from_predictions([0, 1, 1], [0.1, 0.2, 0.3]).plot(ax, name="a")
    ours = [line for line in ax.lines if line.get_gid() == "series"]
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in ours}) == 12
    assert sum(line.get_label() == "chance" for line in ax.lines) == 1


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_colours_can_be_seen_on_white() -> None:
    for colour in drawing.COLOURS:
        assert (1.05) / (luminance(colour) + 0.05) > 2.2
    assert len(set(drawing.COLOURS)) == 7
    assert math.gcd(len(drawing.COLOURS), len(drawing.DASHES)) == 1  # so that pairs repeat as late as they can


def test_numbers_in_legends() -> None:
    shown = {
        0.9344: "0.934",
        1.0: "1",
        0.0: "0",
        -0.25: "\N{MINUS SIGN}0.250",
        -1.5: "\N{MINUS SIGN}1.50",
        10.06: "10.1",
    }
    assert {value: drawing.number(value) for value in shown} == shown
    assert drawing.number(math.nan) == "undefined"
    assert drawing.number(0.9999) == "0.9999"
    legend = ROCCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).plot().ax_.get_legend()
    assert "ROC AUC 0.750" in [text.get_text() for text in legend.get_texts()]


def test_tables_of_parts_add_up_to_the_curve_of_all() -> None:
    for b in BINARIES:
        whole = table(b)
        half = len(b.y) // 2
        parts = [
            karat.evaluate(
                b.y[s], b.columns["y_proba"][s], labels=[0, 1], sample_weight=b.weight[s]
            ).statistics.table_of_class(1)
            for s in (slice(None, half), slice(half, None))
            if b.weight[s].sum() > 0
        ]
        added = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        for kind in (ROCCurve, PrecisionRecall, CostCurve):
            assert kind.compute(added).area == close(kind.compute(whole).area)
        assert added.thresholds.tolist() == whole.thresholds.tolist()


def test_leading_axes() -> None:
    rng = np.random.default_rng(12)
    weight = rng.integers(1, 9, (3, 2, 2, 6)).astype(float)
    scores = np.arange(6) / 6
    many = ScoreTable(scores, weight)
    moved = many.at_prevalence(0.25)
    for i in range(3):
        for j in range(2):
            one = ScoreTable(scores, weight[i, j])
            assert [many.rates[0][i, j], many.rates[1][i, j]] == [close(one.rates[0]), close(one.rates[1])]
            assert many.counts.table[i, j] == close(one.counts.table)
            assert many.prevalence[i, j] == close(float(one.prevalence))
            assert moved.counts.table[i, j] == close(one.at_prevalence(0.25).counts.table)
    assert moved.prevalence == close(np.full((3, 2), 0.25))


def test_counts_of_each_threshold() -> None:
    for b in BINARIES:
        for found, t in zip(table(b).counts.table, loops.thresholds(b), strict=True):
            tp, fp, fn, tn = loops.table(b, t)
            assert found == close(np.array([[tn, fp], [fn, tp]]), 1e-9)


def test_crossings_of_cost_curves() -> None:
    rng = np.random.default_rng(13)
    grid = np.linspace(0, 1, 20_001)
    crossed = 0
    for _ in range(40):
        y = np.append([0, 1], rng.integers(0, 2, 20))
        a, b = (CostCurve.from_predictions(y, np.round(rng.random(22) / 2 + y * rng.random(22) / 2, 1)) for _ in "ab")
        gap = np.round(np.interp(grid, a.pc, a.cost) - np.interp(grid, b.pc, b.cost), 11)
        told = np.flatnonzero(gap)
        changes = [(grid[i], grid[j]) for i, j in itertools.pairwise(told) if gap[i] * gap[j] < 0]
        found = a.crossings(b)
        assert len(found) == len(changes)
        for one, (low, high) in zip(found, changes, strict=True):
            assert low - 1e-4 <= one["pc"] <= high + 1e-4
            assert one["cost"] == close(float(np.interp(one["pc"], b.pc, b.cost)), 1e-9)
        assert len(b.crossings(a)) == len(found)
        crossed += len(found)
    assert crossed > 10


def test_density_is_a_density() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(14)
    y = rng.integers(0, 2, 900)
    p = rng.beta(2 + 2 * y, 3)
    d = Discrimination.from_predictions(y, p, shape="density")
    for found, side in ((d.own, 1), (d.rest, 0)):
        estimate = stats.gaussian_kde(p[y == side])
        assert found == close(estimate(d.x) + estimate(-d.x) + estimate(2 - d.x), 0.01)
        assert np.trapezoid(found, d.x) == close(1, 1e-3)
    assert 0 < d.drawn_overlap < 1


def test_density_of_rounded_forecasts() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(15)
    y = np.arange(4000) % 2
    p = np.round(rng.beta(2 + 2 * y, 3), 2)
    d = Discrimination.from_predictions(y, p, shape="density")
    estimate = stats.gaussian_kde(p[y == 1])
    assert d.own == close(estimate(d.x) + estimate(-d.x) + estimate(2 - d.x), 0.05)


def test_area_under_coverage_and_risk() -> None:
    d = CoverageRisk.from_predictions([1] * 9 + [0] + [1] * 5 + [0] * 5, [0.9] * 10 + [0.6] * 10)
    assert d.area == close(0.05 + 0.25 - 0.2 * math.log(2))  # wrong(c) / c, where wrong(c) rises evenly in a tie
