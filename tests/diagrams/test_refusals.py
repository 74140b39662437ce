"""Bad input: one sentence that helps, or a figure that is right."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import CURVES
from karat.diagrams import (
    DET,
    ROI,
    Attributes,
    BrierCurve,
    ConfusionMatrix,
    CostCurve,
    CostLines,
    CoverageRisk,
    CriticalDifferenceFigure,
    DecisionCurve,
    Dendrogram,
    Discrimination,
    EntropyTriangle,
    InformationChain,
    Lift,
    PrecisionRecall,
    Ranks,
    Reliability,
    ROCCurve,
    ROCGraph,
    SensitivityFigure,
    ThresholdCurve,
    WinLossEqualFigure,
)
from karat.statistics.roc_hull import Condition, slope_at

plt = pytest.importorskip("matplotlib.pyplot")

RNG = np.random.default_rng(6)
Y = np.append([0, 1], RNG.integers(0, 2, 40))
P = np.round(RNG.random(42), 2)
FORECASTS = [k for k in CURVES if k.statistic.__name__ == "ForecastTable"]
BOTH_SIDES = [ROCCurve, CostCurve, BrierCurve, Discrimination, DET, ROI]


def refused(call: Any, words: str) -> None:
    with pytest.raises(karat.InputError, match=words) as raised:
        call()
    sentence = str(raised.value)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


def test_every_curve_needs_its_scores() -> None:
    for kind in [*CURVES, CoverageRisk]:
        refused(lambda kind=kind: kind.from_predictions(Y, y_pred=Y), "is not available: .*predicted labels")
        refused(lambda kind=kind: kind.from_matrix([[4, 1], [2, 5]]), "is not available: .*matrix")
        refused(lambda kind=kind: kind.from_predictions(Y), "only y_true")
        bad = P.copy()
        bad[3] = np.nan
        refused(lambda kind=kind, bad=bad: kind.from_predictions(Y, bad), "finite")
        refused(lambda kind=kind: kind.from_predictions(Y, P, twice=True), f"{kind.name} has no option 'twice'; it has")
        refused(lambda kind=kind: kind.from_predictions(Y[:-1], P), "41|42")
        refused(lambda kind=kind: kind.from_predictions(Y, P, sample_weight=np.zeros(42)), "sums to 0")
    for kind in CURVES:
        refused(lambda kind=kind: kind.from_predictions(Y, P, positive="leaves"), "leaves")
        three = (np.array([0, 1, 2, 1]), np.full((4, 3), 1 / 3))
        refused(lambda kind=kind, three=three: kind.from_predictions(*three), "pass positive=, or use for_each_class")
        refused(lambda kind=kind: kind.from_predictions(np.array(["n", "y"])[Y], P), "positive")


@pytest.mark.parametrize("kind", FORECASTS, ids=[k.name for k in FORECASTS])
def test_scores_are_no_forecasts(kind: type[Any]) -> None:
    assert {Reliability, Attributes, BrierCurve, Discrimination, DecisionCurve} == set(FORECASTS)
    refused(lambda: kind.from_predictions(Y, y_score=P), "needs probabilities")


@pytest.mark.parametrize("kind", BOTH_SIDES, ids=[k.name for k in BOTH_SIDES])
def test_one_side_only(kind: type[Any]) -> None:
    refused(lambda: kind.from_predictions([1, 1, 1], [0.2, 0.4, 0.5], labels=[0, 1]), "no negative case")
    refused(lambda: kind.from_predictions([0, 0, 0], [0.2, 0.4, 0.5], labels=[0, 1]), "no positive case")
    refused(lambda: kind.from_predictions([1], [0.2], labels=[0, 1]), "no negative case")
    refused(lambda: kind.from_predictions(Y, P, sample_weight=Y * 1.0), "no negative case")
    refused(lambda: kind.from_predictions(Y, P, sample_weight=1.0 - Y), "no positive case")


@pytest.mark.parametrize("kind", [Lift, PrecisionRecall])
def test_nothing_to_find(kind: type[Any]) -> None:
    refused(lambda: kind.from_predictions([0, 0, 0], [0.2, 0.4, 0.5], labels=[0, 1]), "no positive case")
    d = kind.from_predictions([1, 1, 1], [0.2, 0.4, 0.5], labels=[0, 1]).plot()
    assert d.area == pytest.approx(0.5 if kind is Lift else 1)


@pytest.mark.parametrize("kind", [Reliability, Attributes, ThresholdCurve, DecisionCurve, CoverageRisk])
@pytest.mark.parametrize("side", [0, 1])
def test_degenerate_figures_are_drawn(kind: type[Any], side: int) -> None:
    figure, ax = plt.subplots()
    for p in ([0.4], [0.4, 0.4, 0.4], [0.1, 0.5, 1.0]):
        d = kind.from_predictions([side] * len(p), p, labels=[0, 1]).plot(ax)
        json.dumps(d.to_dict(), allow_nan=False)
    figure.canvas.draw()


@pytest.mark.parametrize("kind", [*CURVES, CoverageRisk], ids=[k.name for k in [*CURVES, CoverageRisk]])
def test_one_score_and_extreme_forecasts_are_drawn(kind: type[Any]) -> None:
    figure, ax = plt.subplots()
    for p in ([0.5] * 4, [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0], [0.0] * 4):
        d = kind.from_predictions([0, 1, 0, 1], p).plot(ax)
        json.dumps(d.to_dict(), allow_nan=False)
    figure.canvas.draw()


def test_options() -> None:
    for bad in (0, -3, 2.5, "ten"):
        refused(lambda bad=bad: Reliability.from_predictions(Y, P, grouping="width", bins=bad), "bins is")
        refused(lambda bad=bad: Reliability.from_predictions(Y, P, grouping="mass", bins=bad), "bins is")
        refused(lambda bad=bad: Lift.from_predictions(Y, P, parts=bad), "parts is")
        refused(lambda bad=bad: DecisionCurve.from_predictions(Y, P, points=bad), "points is")
        if bad is not None:
            refused(lambda bad=bad: ConfusionMatrix.from_predictions(Y, P, top=bad), "top is")
    for bad in (0, 1, -0.5, 2, np.nan):
        for kind in (Lift, PrecisionRecall, ROI, DecisionCurve, BrierCurve):
            refused(lambda kind=kind, bad=bad: kind.from_predictions(Y, P, prevalence=bad), "prevalence is")
        refused(lambda bad=bad: Reliability.from_predictions(Y, P, band=bad), "band is")
    for bad in (-0.5, 2, np.nan):
        for kind in (ROCCurve, ROCGraph, CostLines):
            refused(lambda kind=kind, bad=bad: kind.from_predictions(Y, P, prevalence=bad), "prevalence is")
    for bad in (-1, np.nan, np.inf):
        refused(lambda bad=bad: ROCCurve.from_predictions(Y, P, cost_fn=bad), "cost_fn is")
        refused(lambda bad=bad: ROI.from_predictions(Y, P, cases=bad), "cases is")
    refused(lambda: ROCCurve.from_predictions(Y, P, cost_fn=0, cost_fp=0), "no error costs anything")
    refused(lambda: ROCCurve.from_predictions(Y, P, cost_fn=1, threshold=0.5), "both a threshold and costs")
    refused(lambda: ROI.from_predictions(Y, P, tp=np.inf), "finite")
    refused(lambda: Reliability.from_predictions(Y, P, grouping="deciles"), "grouping is 'deciles'; it is one of")
    refused(lambda: Discrimination.from_predictions(Y, P, shape="violin"), "shape is 'violin'; it is one of")
    refused(lambda: ConfusionMatrix.from_predictions(Y, P, view="rows"), "view is 'rows'; it is one of")
    refused(lambda: ConfusionMatrix.from_predictions(Y, P, order="size"), "order is 'size'; it is one of")
    refused(lambda: ThresholdCurve.from_predictions(Y, P, measures="AUC"), "not a measure of predicted labels")
    refused(lambda: ThresholdCurve.from_predictions(Y, P, measures="F11"), "no measure 'F11'")
    half = np.full(42, 0.5)
    refused(lambda: Reliability.from_predictions(Y, P, band=0.9, sample_weight=half), "needs whole-number weights")
    assert Reliability.from_predictions(Y, P, band=0.9, sample_weight=half * 4).band is not None
    refused(lambda: EntropyTriangle.from_predictions(Y, P, colour="F1"), "can't colour")
    refused(lambda: EntropyTriangle.from_predictions(Y, P, cloud=5, prior=-1), "prior holds a value below 0")
    refused(lambda: EntropyTriangle.from_predictions(Y, P, cloud=5, seed=-1), "seed is -1")
    refused(lambda: EntropyTriangle.from_predictions([1, 1], y_pred=[1, 1]), "two classes")
    refused(lambda: ROCCurve.for_each_class(Y, P).plot(layout="grid"), "layout is 'grid'")
    refused(lambda: ROCCurve.for_each_class(Y, P, averages=["micro"]), "averages holds 'micro'")
    refused(lambda: ConfusionMatrix.for_each_class(Y, P), "all classes together")
    refused(lambda: ROCCurve.from_cv_results({"estimator": []}, P, Y), "return_estimator=True and return_indices=True")
    refused(lambda: karat.catalogue.diagrams["roc_curvé"], "Did you mean roc_curve")
    refused(lambda: ROCGraph.of_models({}), "no model")
    refused(lambda: ROCGraph.from_points({"a": (0.1, 1.2)}), "outside the unit square")
    refused(lambda: Condition(prevalence=3), "prevalence is")
    refused(lambda: slope_at(-0.1), "pc is")
    refused(lambda: CriticalDifferenceFigure.of({"a": 1}, 1), "at least two")
    refused(lambda: CriticalDifferenceFigure.of({"a": 1, "b": np.nan}, 1), "not finite")
    refused(lambda: WinLossEqualFigure.of({"a": (0.7, 0.7)}), "not sum to more than 1")
    refused(lambda: Ranks.of({"a": [1, np.nan]}), "not finite")
    refused(lambda: SensitivityFigure.of([0, 1], {"a": [1]}), "1 values for 2 levels")
    refused(lambda: Dendrogram.of(np.eye(3), ["a", "b"]), "square")
    refused(lambda: Dendrogram.of_values({"a": [1, 1, 1], "b": [1, 2, 3]}), "a is the same for all")


WRONG = {
    "threshold nan": lambda: ROCCurve.from_predictions(Y, P, threshold=np.nan),
    "threshold inf": lambda: ROCCurve.from_predictions(Y, P, threshold=np.inf),
    "threshold text": lambda: ROCCurve.from_predictions(Y, P, threshold="high"),
    "no bins": lambda: Discrimination.from_predictions(Y, P, bins=0),
    "bins text": lambda: Discrimination.from_predictions(Y, P, bins="ten"),
    "no replicates": lambda: Reliability.from_predictions(Y, P, band=0.9, replicates=0),
    "negative seed of points": lambda: Reliability.from_predictions(Y, P, band=0.9, seed=-1),
    "negative seed of curves": lambda: ROCCurve.from_predictions(Y, P, band=0.9, seed=-1),
    "negative cloud": lambda: EntropyTriangle.from_predictions(Y, P, cloud=-1),
    "prevalence text": lambda: Lift.from_predictions(Y, P, prevalence="high"),
    "positive of each": lambda: ROCCurve.for_each_class(Y, P, positive=1),
    "polar axes": lambda: ROCCurve.from_predictions(Y, P).plot(plt.figure().add_subplot(projection="polar")),
    "no axes": lambda: ROCCurve.from_predictions(Y, P).plot(3),
    "decisions from one score": lambda: CoverageRisk.from_predictions(Y, y_score=P),
    "rejected cases covered": lambda: CoverageRisk.from_predictions(Y, P, np.append(Y[1:], 2), reject=2),
    "wins nan": lambda: WinLossEqualFigure.of({"a": (np.nan, 0.1)}),
    "negative difference": lambda: CriticalDifferenceFigure.of({"a": 1, "b": 2}, -1),
    "uneven ranks": lambda: Ranks.of({"a": [1, 2], "b": [1]}),
    "uneven values": lambda: Dendrogram.of_values({"a": [1, 2, 3], "b": [1, 2]}),
    "no points": lambda: CostLines.from_points({}).plot(),
    "no levels": lambda: SensitivityFigure.of([], {}).plot(),
    "no estimator": lambda: ROCCurve.from_estimator(object(), [[1.0]], [1]),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused_with_a_sentence(name: str) -> None:
    refused(WRONG[name], " ")


def test_wrong_projection() -> None:
    pytest.importorskip("mpltern")
    _, ax = plt.subplots()
    refused(lambda: EntropyTriangle.from_predictions(Y, P).plot(ax), "drawn on ternary axes")


def test_thresholds_beyond_the_scores() -> None:
    for threshold, corner in ((7.0, (0, 0)), (-7.0, (1, 1))):
        d = ROCCurve.from_predictions(Y, P, threshold=threshold)
        assert (d.operating.fpr, d.operating.tpr) == corner
        json.dumps(d.to_dict(), allow_nan=False)


def test_losses_only() -> None:
    d = ROI.from_predictions(Y, P, tp=-1, fp=-2).plot()
    assert (d.best_profit, d.best_share, d.best_threshold) == (0, 0, np.inf)
    assert d.to_dict()["best_threshold"] is None


def test_information_of_one_class() -> None:
    d = InformationChain.from_predictions([1, 1, 1], y_pred=[1, 0, 1]).plot()
    assert d.bits["truth"]["MI"] == 0
    json.dumps(d.to_dict(), allow_nan=False)


def test_bins_are_for_groupings_that_have_them() -> None:
    for grouping in ("corp", "identical"):
        refused(lambda grouping=grouping: Reliability.from_predictions(Y, P, grouping=grouping, bins=5), "goes with")


def test_decisions_beside_probabilities_are_those_that_were_given() -> None:
    """Four false alarms of the 20 and all of the 10 found, whatever the probabilities would decide."""
    y = np.array([0] * 20 + [1] * 10)
    decided = np.array([1] * 4 + [0] * 16 + [1] * 10)
    p = np.full(30, 0.1)
    found = ROCGraph.from_predictions(y, p, decided)
    assert (found.fpr.tolist(), found.tpr.tolist()) == ([0.2], [1.0])
    both = ROCGraph.from_predictions(y, {"a": p, "b": p}, {"a": decided, "c": y})
    assert both.models == ("a", "b", "c")
    assert (both.fpr.tolist(), both.tpr.tolist()) == ([0.2, 0.0, 0.0], [1.0, 0.0, 1.0])
    refused(lambda: ROCGraph.from_predictions(y, {"a": p}, decided), "by model")


@pytest.mark.parametrize("kind", [ROCCurve, EntropyTriangle])
def test_an_estimator_that_was_not_fitted_is_refused_in_a_sentence(kind: Any) -> None:
    unfitted = type("Unfitted", (), {"predict": lambda self, X: X})()
    refused(lambda: kind.from_estimator(unfitted, [[0], [1]], [0, 1]), "Unfitted has no classes_; give a classifier")


@pytest.mark.parametrize("name", ["figure_", "ax_"])
def test_what_was_not_drawn_has_no_figure_yet(name: str) -> None:
    d = ROCCurve.from_predictions(Y, P)
    assert not hasattr(d, name)
    with pytest.raises(AttributeError, match=r"call plot\(\) first"):
        getattr(d, name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (5, "name is an int; name one diagram"),
        (["roc_curve"], "name is a list; name one diagram, and draw several by several calls"),
        ("MCC", r"MCC is a measure, not a diagram; e\['MCC'\] is its value"),
        ("critical_difference", "is made from a table of results; call karat.diagrams.critical_difference"),
        ("roc_curf", "there is no diagram 'roc_curf'. Did you mean roc_curve"),
    ],
)
def test_what_is_no_diagram_of_predictions_is_refused(name: Any, says: str) -> None:
    with pytest.raises(karat.InputError, match=says):
        karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4]).plot(name)


def test_where_nothing_can_be_drawn_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.diagrams.overview._picture", lambda *_: None)
    with pytest.raises(karat.InputError, match="nothing can be drawn of these predictions; name a diagram"):
        karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4]).plot()
