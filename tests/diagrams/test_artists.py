"""What is on the axes is what is in the record; a million cases need few points, and none is seen to be missing."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from karat.data import Predictions
from karat.diagrams import (
    DET,
    ROI,
    Attributes,
    BrierCurve,
    CostCurve,
    CostLines,
    CoverageRisk,
    DecisionCurve,
    Diagram,
    Discrimination,
    Lift,
    LiftByDecile,
    PrecisionRecall,
    Reliability,
    ROCCurve,
    ROCGraph,
    ThresholdCurve,
    drawing,
)
from karat.statistics import Summary

PIXEL = 1 / 2000


def predictions(n: int) -> Summary:
    rng = np.random.default_rng(1)
    y = (rng.random(n) < 0.2).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=n) + 1.2 * y - 1.5)))
    return Summary(Predictions.of(y, p))


SMALL, LARGE, HUGE = predictions(150), predictions(150_000), predictions(1_000_000)


def series(d: Any) -> Any:
    """The lines that show data."""
    return [line for line in d.ax_.lines if line.get_gid() == "series"]


def full(d: Any) -> tuple[Any, Any]:
    """The curve as the record has it."""
    if isinstance(d, ROI):
        return d.contacted, d.profit
    if isinstance(d, LiftByDecile):
        return np.array(d.deciles.columns["part"]), np.array(d.deciles.columns["lift"])
    if isinstance(d, DecisionCurve):
        return d.threshold, d.benefit
    if isinstance(d, Reliability):
        return d.forecast, d.observed
    x, y = d.xy
    return x, y


LINES = [ROCCurve, PrecisionRecall, Lift, LiftByDecile, ROI, CostCurve, BrierCurve, CoverageRisk, DecisionCurve]
GROUPED = [Reliability, Attributes]


@pytest.mark.parametrize("kind", LINES + GROUPED)
def test_lines_are_the_record(kind: type[Diagram]) -> None:
    options = {"grouping": "width"} if kind in GROUPED else {}
    d = kind.of(SMALL, **options).plot()  # type: ignore[attr-defined]
    (line,) = series(d)
    assert np.array_equal(line.get_data(), full(d))


def test_det_is_drawn_by_normal_deviates() -> None:
    from scipy.stats import norm

    d = DET.of(SMALL).plot()
    (line,) = series(d)
    inside = (d.fpr > 0) & (d.fpr < 1) & (d.fnr > 0) & (d.fnr < 1)
    assert norm.cdf(line.get_data()) == pytest.approx(np.array([d.fpr[inside], d.fnr[inside]]), abs=1e-12)


def test_threshold_lines_are_steps_that_hold_up_to_each_score() -> None:
    d = ThresholdCurve.of(SMALL, measures=["TPR", "Acc"]).plot()
    for line, values in zip(series(d), d.values.values(), strict=True):
        assert line.get_drawstyle() == "steps-pre"  # the value between two scores is that of the higher one
        x, y = line.get_data()
        assert np.array_equal(x[:-1], d.thresholds[:0:-1])
        assert np.array_equal(y, values[::-1])


def test_histogram_bars_are_the_likelihoods() -> None:
    from matplotlib.patches import StepPatch

    d = Discrimination.of(SMALL).plot()
    drawn = [p.get_data() for p in d.ax_.patches if isinstance(p, StepPatch)]
    assert [np.array_equal(v.values, d.rest) and np.array_equal(v.edges, d.edges) for v in drawn] == [
        True,
        True,
        False,
        False,
    ]
    assert np.array_equal(drawn[2].values, d.own)


def test_points_and_lines_of_crisp_classifiers() -> None:
    points = {"A": (0.1, 0.5), "B": (0.4, 0.87), "C": (0.3, 0.4)}
    g = ROCGraph.from_points(points).plot()
    offsets = [tuple(c.get_offsets()[0]) for c in g.ax_.collections if len(c.get_offsets()) == 1]
    assert set(points.values()) <= {(float(x), float(y)) for x, y in offsets}
    lines = CostLines.from_points(points).plot()
    drawn = [line.get_xydata().tolist() for line in series(lines)]
    assert drawn == [[[0, fpr], [1, pytest.approx(1 - tpr)]] for fpr, tpr in points.values()]
    assert g.ax_.get_ylabel() == "True positive rate (recall)"  # rates came without a class
    assert lines.ax_.get_xlabel() == "Probability cost $PC$"


def deviation(x: Any, y: Any, shown: tuple[Any, Any], width: float, height: float) -> float:
    """How far the curve is from the line that is shown, as a share of the axes: every point of it from the pieces of
    the line around its place along the curve."""
    u, v = np.asarray(shown[0]) / width, np.asarray(shown[1]) / height
    a, b = x / width, y / height
    point, wanted = x + 1j * y, np.asarray(shown[0]) + 1j * np.asarray(shown[1])
    candidates = np.flatnonzero(np.isin(point, wanted))
    places, i = [], -1
    for z in wanted:
        i = next(j for j in range(i + 1, len(candidates)) if point[candidates[j]] == z)
        places.append(candidates[i])
    here = np.searchsorted(places, np.arange(len(x)), "right") - 1
    nearest = np.full(len(x), np.inf)
    for beside in (0, -1, 1, -2, 2, -3, 3):
        at = np.clip(here + beside, 0, len(u) - 2)
        du, dv = u[at + 1] - u[at], v[at + 1] - v[at]
        t = np.clip(((a - u[at]) * du + (b - v[at]) * dv) / np.maximum(du**2 + dv**2, 1e-300), 0, 1)
        nearest = np.minimum(nearest, np.hypot(a - u[at] - t * du, b - v[at] - t * dv))
    return float(nearest.max())


@pytest.mark.parametrize("kind", [ROCCurve, PrecisionRecall, Lift, ROI, BrierCurve, CoverageRisk])
def test_many_cases_need_few_points(kind: type[Any]) -> None:
    d = kind.of(HUGE if kind in (ROCCurve, PrecisionRecall) else LARGE).plot()
    x, y = full(d)
    (line,) = series(d)
    shown = line.get_data()
    assert len(x) > 100_000
    assert len(shown[0]) < 10_000
    assert (shown[0][0], shown[1][0], shown[0][-1], shown[1][-1]) == (x[0], y[0], x[-1], y[-1])
    width, height = np.ptp(d.ax_.get_xlim()), np.ptp(d.ax_.get_ylim())
    assert deviation(x, y, shown, float(width), float(height)) <= PIXEL
    file = io.StringIO()
    d.figure_.savefig(file, format="svg")
    assert len(file.getvalue()) < 300_000


def test_the_hull_of_a_million_cases_is_kept() -> None:
    d = ROCCurve.of(HUGE).plot()
    (line,) = series(d)
    shown = set(map(tuple, line.get_xydata().tolist()))
    assert {(float(d.fpr[i]), float(d.tpr[i])) for i in d.hull} <= shown


def test_simplified_keeps_peaks_and_short_curves() -> None:
    x = np.linspace(0, 1, 3000)
    y = np.random.default_rng(0).random(3000)
    assert all(a is b for a, b in zip(drawing.simplified(x, y), (x, y), strict=True))
    x, y = np.linspace(0, 1, 200_000), np.zeros(200_000)
    y[123_456], y[7] = 1.0, -1.0
    u, v = drawing.simplified(x, y)
    assert (v.max(), v.min()) == (1, -1)
    assert u[v.argmax()] == x[123_456]
    assert (np.diff(u) > 0).all()


def test_threshold_curves_of_many_scores() -> None:
    d = ThresholdCurve.of(LARGE).plot()  # precision is undefined where nothing is decided positive
    assert all(len(line.get_xdata()) < 20_000 for line in series(d))


def test_identical_forecasts_of_many_cases_need_few_points() -> None:
    d = Reliability.of(LARGE, grouping="identical").plot()
    assert sum(len(line.get_xdata()) for line in series(d)) < 20_000


def test_extras_are_drawn_on_request() -> None:
    plain, more = ROCCurve.of(SMALL).plot(), ROCCurve.of(SMALL, threshold=0.3).plot(hull=True)
    assert len(more.ax_.lines) == len(plain.ax_.lines) + 3  # the hull, what it is called, and the point
    assert "convex hull" in more.ax_.get_legend_handles_labels()[1]
    point = next(line for line in more.ax_.lines if line.get_marker() == "o")
    assert point.get_xydata().tolist() == [[more.operating.fpr, more.operating.tpr]]
    assert len(CostCurve.of(SMALL).plot(lines=True).ax_.lines) > 100
    assert not Reliability.of(SMALL).plot(refinement=False).ax_.collections
    band = Reliability.of(SMALL, band=0.9, seed=4).plot()
    assert (band.band[0] <= band.band[1]).all()
    assert len(PrecisionRecall.of(SMALL).plot(iso_f=False).ax_.texts) == 0
    thick = ROCCurve.of(SMALL).plot(linewidth=7, color="#123456")
    assert (series(thick)[0].get_linewidth(), series(thick)[0].get_color()) == (7, "#123456")


def test_lines_of_equal_f() -> None:
    d = PrecisionRecall.of(SMALL).plot()
    iso = [line for line in d.ax_.lines if line.get_gid() == "iso F"]
    for f, line in zip((0.2, 0.4, 0.6, 0.8), iso, strict=True):
        r, p = line.get_data()
        assert 2 * r * p / (r + p) == pytest.approx(np.full(len(r), f), abs=1e-9)


def test_region_of_skill_is_between_the_right_lines() -> None:
    d = Attributes.of(SMALL, grouping="width").plot()
    p = d.prevalence
    regions = [c.get_paths()[0] for c in d.ax_.collections if c.get_paths() and len(c.get_facecolor())]
    for f in np.linspace(0.03, 0.97, 20):
        for o in np.linspace(0.03, 0.97, 20):
            inside = any(path.contains_point((f, o)) for path in regions if len(path.vertices) > 4)
            has_skill = (o - p) ** 2 > (f - o) ** 2
            if abs(o - (f + p) / 2) > 0.02 and abs(f - p) > 0.02:
                assert inside == has_skill
    slope = next(line for line in d.ax_.lines if line.get_label() == "no skill")
    (x0, y0), (x1, y1) = slope.get_xydata()
    assert ((y1 - y0) / (x1 - x0), y0) == (pytest.approx(0.5), pytest.approx(p / 2))


def test_consistency_band_has_its_level() -> None:
    rng = np.random.default_rng(10)
    for grouping in ("identical", "width", "corp"):
        inside = []
        for seed in range(30):
            p = rng.integers(1, 10, 150) / 10
            y = (rng.random(150) < p).astype(int)  # calibrated
            d = Reliability.from_predictions(y, p, grouping=grouping, band=0.9, replicates=100, seed=seed)
            inside += ((d.band[0] - 1e-9 <= d.curve[1]) & (d.curve[1] <= d.band[1] + 1e-9)).tolist()
        assert 0.84 < np.mean(inside) <= 1.0
    first, again = (Reliability.from_predictions(y, p, band=0.9, seed=5, replicates=50) for _ in range(2))
    assert np.array_equal(first.band, again.band)


def test_band_of_the_roc_curve_has_its_level() -> None:
    from scipy.special import ndtr, ndtri

    rng = np.random.default_rng(16)
    y = np.repeat([0, 1], 80)
    inside = []
    for seed in range(40):
        d = ROCCurve.from_predictions(y, y_score=rng.normal(size=160) + 1.2 * y, band=0.9, replicates=150, seed=seed)
        at, low, high = d.band.at, d.band.low, d.band.high
        middle = (at > 0.1) & (at < 0.9)
        true = ndtr(ndtri(at[middle]) + 1.2)
        inside.append(((low[middle] <= true) & (true <= high[middle])).mean())
        assert (low <= high).all()
    assert 0.84 < np.mean(inside) < 0.96
    d.plot()
    assert [c.get_label() for c in d.ax_.collections if c.get_gid() != "band"] == ["90 % band, pointwise"]
    (drawn,) = [c for c in d.ax_.collections if c.get_gid() == "band"]
    heights = drawn.get_paths()[0].vertices
    assert {tuple(x) for x in zip(at, low, strict=True)} <= {tuple(x) for x in heights}
    assert {tuple(x) for x in zip(at, high, strict=True)} <= {tuple(x) for x in heights}
    again = ROCCurve.from_predictions(y, y_score=rng.normal(size=160), band=0.9, replicates=20, seed=1)
    assert again.to_dict()["band"]["level"] == 0.9


@pytest.mark.parametrize("kind", [ROCCurve, PrecisionRecall, Lift, CostCurve, BrierCurve], ids=lambda kind: kind.name)
def test_bands_are_drawn_in_the_colours_of_their_curves_and_explained_once(kind: Any) -> None:
    from matplotlib.colors import to_hex

    models = {"a": SMALL, "b": SMALL}
    several = kind.of_models(models, band=0.95, replicates=50, simultaneous=True).plot()
    areas = [c for c in several.ax_.collections if c.get_gid() == "band"]
    assert [to_hex(c.get_facecolor()[0]).upper() for c in areas] == list(drawing.COLOURS[:2])
    words = [t.get_text() for legend in (*several.figure_.legends, several.ax_.get_legend()) if legend
             for t in legend.get_texts()]  # fmt: skip
    assert words.count("95 % band, simultaneous") == 1
    assert not [c for c in kind.of(SMALL).plot().ax_.collections if c.get_gid() == "band"]


def test_of_very_many_curves_only_those_that_are_named_show_their_bands() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(600) % 15
    p = rng.dirichlet(np.ones(15), 600) + 0.2 * np.eye(15)[y]
    several = ROCCurve.for_each_class(y, p / p.sum(axis=1, keepdims=True), band=0.9, replicates=20).plot()
    areas = [c for c in several.ax_.collections if c.get_gid() == "band"]
    assert len(areas) == 15
    shown = {tuple(c.get_facecolor()[0][:3]) for c in areas if c.get_visible()}
    named = [line for line in several.ax_.lines if line.get_gid() == "series"]
    from matplotlib.colors import to_rgb

    assert shown == {to_rgb(line.get_color()) for line in named}
    assert sum(c.get_visible() for c in areas) == len(named) == 6


def test_band_of_isotonic_regression_reaches_as_far_as_its_curve() -> None:
    d = Reliability.of(SMALL, band=0.9, replicates=50).plot()
    (line,) = series(d)
    (band,) = [c for c in d.ax_.collections if len(c.get_paths()) == 1 and len(c.get_paths()[0].vertices) > 6]
    x = band.get_paths()[0].vertices[:, 0]
    assert (x.min(), x.max()) == (line.get_xdata().min(), line.get_xdata().max())
