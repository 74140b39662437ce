"""Every point of every curve, from loops over cases and thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import BINARIES, Binary, loops, many
from karat.core.measure import measures
from karat.diagrams import (
    DET,
    ROI,
    BrierCurve,
    CostCurve,
    CostLines,
    CoverageRisk,
    DecisionCurve,
    Lift,
    LiftByDecile,
    PrecisionRecall,
    ROCCurve,
    ROCGraph,
    ThresholdCurve,
)
from karat.statistics import Binary as BinaryCounts
from karat.statistics import Counts
from karat.statistics.roc_hull import Condition, breaks, normalised_cost, slope_at, upper_hull

each = pytest.mark.parametrize("b", BINARIES, ids=repr)


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


@each
def test_rates_are_those_of_rocr(b: Binary) -> None:
    roc, pr = ROCCurve.from_predictions(**b.arguments), PrecisionRecall.from_predictions(**b.arguments)
    lift, det = Lift.from_predictions(**b.arguments), DET.from_predictions(**b.arguments)
    for d in (roc, pr, lift, det):
        assert d.thresholds.tolist() == loops.thresholds(b)
    assert [roc.fpr, roc.tpr] == [close(loops.rocr(b, m)) for m in ("fpr", "tpr")]
    assert [pr.recall, pr.precision] == [close(loops.rocr(b, m)) for m in ("rec", "prec")]
    assert [lift.reached, lift.tpr] == [close(loops.rocr(b, m)) for m in ("rpp", "tpr")]
    with np.errstate(invalid="ignore"):
        assert lift.tpr / lift.reached == close(loops.rocr(b, "lift"))
    assert [det.fpr, det.fnr] == [close(loops.rocr(b, m)) for m in ("fpr", "fnr")]
    assert roc.area == close(loops.mann_whitney(b))
    assert [roc.fpr[0], roc.tpr[0], roc.fpr[-1], roc.tpr[-1]] == [0, 0, 1, 1]


@each
def test_hull(b: Binary) -> None:
    roc = ROCCurve.from_predictions(**b.arguments)
    expected = loops.hull([(float(x), float(y)) for x, y in zip(roc.fpr, roc.tpr, strict=True)])
    found = [(float(roc.fpr[i]), float(roc.tpr[i])) for i in roc.hull]
    assert found == expected
    x, y = map(list, zip(*expected, strict=True))
    assert roc.hull_area == close(np.trapezoid(y, x))
    by_scan = upper_hull(roc.fpr, roc.tpr)
    assert [(roc.fpr[i], roc.tpr[i]) for i in by_scan] == expected


def test_points_on_one_line_are_no_vertices() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):  # groups of one frequency, in weights that no float holds exactly
        size = rng.integers(1, 10, 6) / 10
        y, p = np.tile([0, 1], 6), np.repeat(np.arange(6) / 6, 2)
        roc = ROCCurve.from_predictions(y, p, sample_weight=np.column_stack([size * 0.7, size * 0.3]).ravel())
        assert [(roc.fpr[i], roc.tpr[i]) for i in roc.hull] == [(0, 0), (1, 1)]


@each
def test_cost_curve(b: Binary) -> None:
    d = CostCurve.from_predictions(**b.arguments)
    grid = np.linspace(0, 1, 101)
    assert np.interp(grid, d.pc, d.cost) == close([loops.lowest_cost(b, pc) for pc in grid])
    assert d.cost == close([loops.lowest_cost(b, pc) for pc in d.pc])
    assert (np.diff(d.pc) >= 0).all()
    assert (d.pc[0], d.pc[-1]) == (0, 1)
    for left, right, threshold in zip(d.pc[:-1], d.pc[1:], d.thresholds, strict=True):
        tp, fp, fn, tn = loops.table(b, threshold)
        middle = (left + right) / 2
        assert fn / (tp + fn) * middle + fp / (fp + tn) * (1 - middle) == close(loops.lowest_cost(b, middle))
    low, high = d.useful
    for pc in (0.05, 0.2, 0.5, 0.8, 0.95):
        beats = loops.lowest_cost(b, pc) < min(pc, 1 - pc) - 1e-9
        assert beats == bool(low < pc < high)


@each
@pytest.mark.parametrize("prevalence", [None, 0.2, 0.5])
def test_brier_curve(b: Binary, prevalence: float | None) -> None:
    d = BrierCurve.from_predictions(**b.arguments, prevalence=prevalence)
    grid = [c for c in np.linspace(0.0037, 0.9963, 60) if c not in b.p]
    assert np.interp(grid, d.c, d.cost) == close([loops.brier_cost(b, c, prevalence) for c in grid])
    pi = float(np.average(b.y, weights=b.weight)) if prevalence is None else prevalence
    found = []
    for c in grid:
        cells = [loops.table(b, t) for t in loops.thresholds(b)]
        costs = [2 * (c * (1 - pi) * fp / (fp + tn) + (1 - c) * pi * fn / (tp + fn)) for tp, fp, fn, tn in cells]
        found.append(min(costs))
    assert np.interp(grid, d.best_c, d.best_cost) == close(found)


@each
def test_precision_recall_interpolation(b: Binary) -> None:
    """The drawn curve is Davis and Goadrich's everywhere, to what a pixel shows."""
    d = PrecisionRecall.from_predictions(**b.arguments)
    recall, precision = d.curve
    assert (np.diff(recall) >= 0).all()
    assert (recall[0], recall[-1]) == (0, close(1))
    jumps = d.recall
    for r in np.linspace(0.013, 0.987, 50):
        if np.abs(jumps - r).min() > 1e-9:
            assert np.interp(r, recall, precision) == close(loops.davis_goadrich(b, r), 2e-3)
    for r, value in zip(recall[1:], precision[1:], strict=True):  # the points of the curve themselves are exact
        if np.abs(jumps - r).min() > 1e-9:
            assert value == close(loops.davis_goadrich(b, r), 1e-9)
    assert np.trapezoid(precision, recall) == close(d.area, 2e-3)


@each
def test_lift_in_tenths(b: Binary) -> None:
    d = Lift.from_predictions(**b.arguments, parts=4)
    reached = []
    for edge in (0.25, 0.5, 0.75, 1.0):  # the share of the positives in the top, cases of a tie in mean order
        room, got = edge * b.weight.sum(), 0.0
        for t, above in zip(loops.thresholds(b)[1:], loops.thresholds(b), strict=False):
            tp, fp, *_ = np.subtract(loops.table(b, t), loops.table(b, above))
            taken = min(room, tp + fp)
            got += tp * taken / (tp + fp)
            room -= taken
        reached.append(got / b.weight[b.y == 1].sum())
    table = d.deciles.columns
    assert table["reached"] == close(reached)
    assert table["cumulative_lift"] == close(np.divide(reached, [0.25, 0.5, 0.75, 1]))
    assert table["lift"] == close(4 * np.diff(reached, prepend=0))
    assert LiftByDecile.from_predictions(**b.arguments, parts=4).deciles.columns == table


@each
def test_roi(b: Binary) -> None:
    gains = {"tp": 7.0, "fp": -2.0, "fn": -1.5, "tn": 0.25}
    d = ROI.from_predictions(**b.arguments, **gains)
    expected = [float(np.dot(loops.table(b, t), list(gains.values()))) for t in loops.thresholds(b)]
    assert d.profit == close(expected, 1e-9)
    assert d.contacted == close(loops.rocr(b, "rpp"))
    best = int(np.argmax(d.profit))
    assert (d.best_profit, d.best_threshold) == (close(max(expected), 1e-9), d.thresholds[best])
    assert d.everyone == close(expected[-1], 1e-9)
    other = ROI.from_predictions(**b.arguments, **gains, cases=1e6, prevalence=0.02)
    rates = [(loops.rocr(b, "tpr")[i], loops.rocr(b, "fpr")[i]) for i in range(len(expected))]
    per_case = [0.02 * (t * 7 - (1 - t) * 1.5) + 0.98 * (f * -2 + (1 - f) * 0.25) for t, f in rates]
    assert other.profit == close(1e6 * np.array(per_case), 1e-6)
    assert other.contacted == close([0.02 * t + 0.98 * f for t, f in rates])


@each
def test_decision_curve(b: Binary) -> None:
    d = DecisionCurve.from_predictions(**b.arguments, points=101)
    assert d.benefit == close([loops.net_benefit(b, t) for t in d.threshold], 1e-10)
    share = float(np.average(b.y, weights=b.weight))
    assert d.everyone == close([share - (1 - share) * t / (1 - t) for t in d.threshold], 1e-10)


@each
def test_det_equal_error(b: Binary) -> None:
    d = DET.from_predictions(**b.arguments)
    low, high = 0.0, len(d.fpr) - 1.0
    for _ in range(200):  # along the polygon the false positive rate rises and the false negative rate falls
        middle = (low + high) / 2
        x, y = (float(np.interp(middle, np.arange(len(d.fpr)), rate)) for rate in (d.fpr, d.fnr))
        low, high = (middle, high) if x < y else (low, middle)
    assert d.equal_error_rate == close((x + y) / 2, 1e-9)


DECISIONS = [m for m in measures.values() if m.statistic in (Counts, BinaryCounts)]


@pytest.mark.parametrize("b", [x for x in BINARIES if x.name in ("n25-ties", "n5", "n25-weights", "perfect")], ids=repr)
def test_threshold_curve_is_evaluate_of_thresholded_decisions(b: Binary) -> None:
    d = ThresholdCurve.from_predictions(**b.arguments, measures=DECISIONS)
    assert len(d.values) == len(DECISIONS) > 50
    for i, t in enumerate(d.thresholds):
        e = karat.evaluate(b.y, y_pred=(b.p >= t).astype(int), labels=[0, 1], sample_weight=b.w, positive=1)
        with np.errstate(all="ignore"):
            expected = e.values(DECISIONS)
        for symbol, value in expected.items():
            assert d.values[symbol][i] == close(value, 1e-9), (symbol, t)
    for symbol, (t, value) in d.best.items():
        worth = d.values[symbol] * measures[symbol].orientation
        assert value * measures[symbol].orientation == np.nanmax(worth)
        assert d.values[symbol][d.thresholds.tolist().index(t)] == value


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_coverage_and_risk(k: int, weighted: bool) -> None:
    y, p = many(k, 80)
    p = np.round(p * 20) / 20
    p[:, -1] = 1 - p[:, :-1].sum(axis=1)
    p = np.abs(p) / np.abs(p).sum(axis=1, keepdims=True)
    w = np.random.default_rng(1).random(80) + 0.1 if weighted else np.ones(80)
    d = CoverageRisk.from_predictions(y, p, labels=range(k), sample_weight=w if weighted else None)
    expected = [loops.coverage_and_risk(y, p, w, t) for t in d.thresholds]
    assert d.thresholds.tolist() == sorted({float(max(row)) for row in p}, reverse=True)
    assert [d.coverage, d.risk] == [close(list(values)) for values in zip(*expected, strict=True)]
    e = karat.evaluate(y, p, labels=range(k), sample_weight=w if weighted else None)
    assert d.error == close(e["EC"])


@pytest.mark.filterwarnings("ignore")
def test_coverage_without_weight_is_no_case() -> None:
    found = CoverageRisk.from_predictions([0, 1, 1, 0], [0.01, 0.9, 0.4, 0.2], sample_weight=[0, 1, 1, 1])
    expected = CoverageRisk.from_predictions([1, 1, 0], [0.9, 0.4, 0.2])
    assert found.to_dict() == expected.to_dict()


def test_operating_point() -> None:
    b = BINARIES[-1]
    for threshold in (0.0, 0.31, 0.5, 0.999, 1.0, 2.0, -1.0):
        point = ROCCurve.from_predictions(**b.arguments, threshold=threshold).operating
        tp, fp, fn, tn = loops.table(b, threshold)
        assert (point.fpr, point.tpr) == (fp / (fp + tn), tp / (tp + fn))
    for b in BINARIES:
        for cost_fp, cost_fn, share in ((1, 1, 0.5), (1, 20, 0.1), (3, 1, 0.5)):
            options = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": share}
            point = ROCCurve.from_predictions(**b.arguments, **options).operating
            pc = share * cost_fn / (share * cost_fn + (1 - share) * cost_fp)
            assert point.fpr * (1 - pc) + (1 - point.tpr) * pc == close(loops.lowest_cost(b, pc))
            assert point.condition.pc == close(pc)


def test_conditions() -> None:
    for c_fp, c_fn, pi in ((1, 1, 0.5), (2, 5, 0.1), (0, 1, 0.3), (1, 0, 0.3), (1, 1, 0), (1, 1, 1)):
        c = Condition(c_fp, c_fn, pi)
        assert c.pc == close(pi * c_fn / (pi * c_fn + (1 - pi) * c_fp))
        assert c.slope == (math.inf if pi * c_fn == 0 else close(c_fp * (1 - pi) / (c_fn * pi)))
    assert (slope_at(0), slope_at(1), slope_at(0.5)) == (math.inf, 0, 1)


def test_graph_and_lines_of_crisp_classifiers() -> None:
    rng = np.random.default_rng(11)
    for size in (1, 2, 5, 12):
        points = {f"m{i}": tuple(rng.integers(0, 11, 2) / 10) for i in range(size)}
        g = ROCGraph.from_points(points)
        assert list(zip(g.hull_fpr, g.hull_tpr, strict=True)) == loops.hull([(0.0, 0.0), (1.0, 1.0), *points.values()])
        known = {"always negative": (0, 0), "always positive": (1, 1)} | points
        for row in zip(*g.operating_ranges.columns.values(), strict=True):
            name, low, high, slope_low, slope_high = row
            for pc in np.linspace(low, high, 5):
                costs = {n: (1 - t) * pc + f * (1 - pc) for n, (f, t) in known.items()}
                assert costs[name] == close(min(costs.values()))
            assert [slope_at(high), slope_at(low)] == close([slope_low, slope_high])
        x, y = CostLines.from_points(points).envelope
        grid = np.linspace(0, 1, 41)
        lowest = [min((1 - t) * pc + f * (1 - pc) for f, t in known.values()) for pc in grid]
        assert np.interp(grid, x, y) == close(lowest)
        for name in g.never_optimal:
            assert name not in g.hull
        for pc in (0.05, 0.4, 0.7):
            best = ROCGraph.from_points(points, Condition(1, 1, pc)).best
            cost = normalised_cost(np.array([known[best][0]]), np.array([known[best][1]]), pc)[0]
            assert cost == close(min((1 - t) * pc + f * (1 - pc) for f, t in known.values()))


def test_graph_of_predictions() -> None:
    rng = np.random.default_rng(4)
    y, w = rng.integers(0, 2, 50), rng.random(50)
    said = {name: rng.integers(0, 2, 50) for name in "ab"}
    g = ROCGraph.from_predictions(y, y_pred=said, sample_weight=w, cost_fp=2, cost_fn=3)
    for i, name in enumerate("ab"):
        e = karat.evaluate(y, y_pred=said[name], sample_weight=w)
        assert (g.fpr[i], g.tpr[i]) == (close(e["FPR"]), close(e["TPR"]))
    assert g.condition.prevalence == close(np.average(y, weights=w))
    tables = {n: karat.evaluate(y, y_pred=s, sample_weight=w).statistics[Counts].table for n, s in said.items()}
    again = ROCGraph.from_matrices(tables, positive=1, labels=[0, 1])
    assert (again.fpr, again.tpr) == (close(g.fpr), close(g.tpr))
    other = ROCGraph.from_predictions(y, y_pred=said, sample_weight=w, positive=0)
    assert [other.fpr, other.tpr] == [close(1 - g.tpr), close(1 - g.fpr)]
    assert (g.positive, other.positive) == (1, 0)


def test_breaks_of_a_hull() -> None:
    x, y = np.array([0, 0, 0.2, 0.7, 1]), np.array([0, 0.5, 0.8, 0.95, 1])
    cuts = breaks(x, y)
    for i, cut in enumerate(cuts[1:-1]):
        assert normalised_cost(x[i], y[i], cut) == close(float(normalised_cost(x[i + 1], y[i + 1], cut)))
