"""Many classes, cross-validation, and what scikit-learn's displays say."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import karat
from diagrams import CURVES, legible, many
from karat.diagrams import (
    DET,
    ROI,
    BrierCurve,
    ConfusionMatrix,
    CoverageRisk,
    DecisionCurve,
    EntropyTriangle,
    LiftByDecile,
    PrecisionRecall,
    Reliability,
    ROCCurve,
    ROCGraph,
    Several,
)

pytest.importorskip("sklearn")
from sklearn import calibration, datasets, linear_model, metrics, model_selection, naive_bayes, svm


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


@pytest.mark.parametrize("kind", CURVES, ids=[k.name for k in CURVES])
@pytest.mark.parametrize("k", [3, 5])
def test_each_class_is_a_problem_of_two(kind: type[Any], k: int) -> None:
    y, p = many(k, 40)
    names = np.array(["ash", "beech", "cedar", "dogwood", "elm"])[:k]
    several = kind.for_each_class(names[y], p, labels=names)
    assert isinstance(several, Several)
    assert [m.positive for m in several] == list(names)
    for c in range(k):
        alone = kind.from_predictions((y == c).astype(int), p[:, c], positive=1)
        same = kind.from_predictions(names[y], p, labels=names, positive=str(names[c]))
        for other in (same, several[str(names[c])]):
            for key, value in alone.to_dict().items():
                if key not in ("model", "positive"):
                    assert_same(other.to_dict()[key], value)
    json.dumps(several.to_dict(), allow_nan=False)


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, dict):
        assert set(a) == set(b)
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, list) and all(x is None or isinstance(x, float) for x in a):
        assert np.allclose(np.array(a, float), np.array(b, float), rtol=0, atol=1e-9, equal_nan=True)
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    elif isinstance(a, float):
        assert a == close(b, 1e-9)
    else:
        assert a == b


def test_absent_classes_have_no_curve() -> None:
    y, p = many(4, 40)
    y[y == 2] = 1
    several = ROCCurve.for_each_class(y, p, labels=range(4), averages=("macro", "weighted"))
    assert [m.positive for m in several] == [0, 1, 3]
    assert several.means[0].area == close(np.mean([m.area for m in several]))
    assert several.means[1].area == close(np.average([m.area for m in several], weights=np.bincount(y)[[0, 1, 3]]))
    with pytest.raises(karat.InputError, match="nothing to draw"):
        ROCCurve.for_each_class([1, 1], np.eye(4)[:2], labels=range(4))
    with pytest.raises(karat.InputError, match="no positive case"):
        ROCCurve.from_predictions(y, p, labels=range(4), positive=2)


def test_weights_of_zero_make_a_class_absent() -> None:
    y, p = many(3, 40)
    several = ROCCurve.for_each_class(y, p, sample_weight=(y != 1).astype(float))
    assert [m.positive for m in several] == [0, 2]


def test_overlaid_and_multiples() -> None:
    y, p = many(5)
    several = ROCCurve.for_each_class(y, p, averages=("macro", "weighted")).plot()
    lines = [x for x in several.ax_.lines if x.get_gid() == "series"]
    assert len(lines) == 5
    for line, m in zip(lines, several, strict=True):
        assert np.array_equal(line.get_data(), m.xy)
    legend = " ".join(legible.entries(several.ax_))
    assert "macro average" in legend
    assert "weighted average" in legend
    grid = several.plot(layout="multiples")
    assert grid.ax_.shape == (2, 3)
    assert [a.get_visible() for a in grid.ax_.ravel()] == [True] * 5 + [False]
    titles = [a.get_title(loc="left") or a.get_title() for a in grid.ax_.ravel()[:5]]
    assert [t.split()[0] for t in titles] == ["0", "1", "2", "3", "4"]


def test_the_axis_of_several_classes_does_not_name_one_of_them() -> None:
    y, p = many(5)
    ax = ROCCurve.for_each_class(np.array(list("abcde"))[y], p).plot().ax_
    assert "positive: e" not in ax.get_ylabel() + ax.get_xlabel()


def test_averages_can_be_told_apart() -> None:
    y, p = many(5)
    ax = ROCCurve.for_each_class(y, p, averages=("macro", "weighted")).plot().ax_
    looks = {(x.get_color(), str(x._unscaled_dash_pattern)) for x in ax.lines if "average" in str(x.get_label())}
    assert len(looks) == 2


def test_decision_curves_of_rare_and_frequent_classes_are_visible() -> None:
    y, p = many(5)
    ax = DecisionCurve.for_each_class(4 - y, p[:, ::-1]).plot().ax_  # the last class is the rarest
    highest = max(line.get_ydata().max() for line in ax.lines if line.get_gid() == "series")
    assert highest <= ax.get_ylim()[1]


def test_lift_by_decile_has_no_average_of_another_curve() -> None:
    y, p = many(4)
    several = LiftByDecile.for_each_class(y, p)
    for mean in several.means:
        tables = [m.deciles.columns["lift"] for m in several]
        assert np.asarray(mean.y)[-1] == close(np.mean(tables, axis=0)[-1])


def fitted() -> tuple[Any, Any, Any]:
    data = datasets.load_breast_cancer()
    X, y = data.data[:, :4], data.target
    return naive_bayes.GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2]


def unique_rows(x: Any, y: Any) -> set[tuple[float, float]]:
    return {(round(float(a), 10), round(float(b), 10)) for a, b in zip(x, y, strict=True)}


def test_scikit_learn_displays() -> None:
    model, X, y = fitted()
    roc = ROCCurve.from_estimator(model, X, y)
    theirs = metrics.RocCurveDisplay.from_estimator(model, X, y, drop_intermediate=False)
    assert [roc.fpr, roc.tpr, roc.area] == [close(theirs.fpr), close(theirs.tpr), close(theirs.roc_auc)]
    assert roc.model == theirs.name == "GaussianNB"
    pr = PrecisionRecall.from_estimator(model, X, y)
    theirs = metrics.PrecisionRecallDisplay.from_estimator(model, X, y)
    assert [pr.recall[1:], pr.precision[1:]] == [close(theirs.recall[-2::-1]), close(theirs.precision[-2::-1])]
    assert pr.average_precision == close(theirs.average_precision)
    det = DET.from_estimator(model, X, y)
    theirs = metrics.DetCurveDisplay.from_estimator(model, X, y)
    assert unique_rows(theirs.fpr, theirs.fnr) <= unique_rows(det.fpr, det.fnr)
    for grouping, strategy in (("width", "uniform"), ("mass", "quantile")):
        found = Reliability.from_estimator(model, X, y, grouping=grouping, bins=5)
        theirs = calibration.CalibrationDisplay.from_estimator(model, X, y, n_bins=5, strategy=strategy)
        wide = 1e-12 if grouping == "width" else 0.02  # quantiles of 284 cases in 5 groups: a case more or less
        assert found.forecast == close(theirs.prob_pred, wide)
        assert found.observed == close(theirs.prob_true, wide)
    cm = ConfusionMatrix.from_estimator(model, X, y)
    assert cm.counts.tolist() == metrics.confusion_matrix(y, model.predict(X)).tolist()


def test_estimators_that_only_score_or_decide() -> None:
    _, X, y = fitted()
    for model in (svm.LinearSVC(max_iter=20000).fit(X / 100, y), linear_model.RidgeClassifier().fit(X, y)):
        scale = 100 if isinstance(model, svm.LinearSVC) else 1
        for positive in (0, 1):
            roc = ROCCurve.from_estimator(model, X / scale, y, positive=positive)
            theirs = metrics.roc_curve(y, model.decision_function(X / scale) * (2 * positive - 1), pos_label=positive)
            assert roc.area == close(metrics.auc(theirs[0], theirs[1]))
        with pytest.raises(karat.InputError, match="needs probabilities"):
            BrierCurve.from_estimator(model, X / scale, y)

    class Decides:
        classes_ = np.array([0, 1])

        def predict(self, X: Any) -> Any:
            return (X[:, 0] > 14).astype(int)

    with pytest.raises(karat.InputError, match="only predicted labels were given"):
        ROCCurve.from_estimator(Decides(), X, y)
    assert ConfusionMatrix.from_estimator(Decides(), X, y).counts.sum() == len(y)
    g = ROCGraph.from_estimator({"a": Decides(), "b": Decides()}, X, y)
    assert g.models == ("a", "b")
    assert EntropyTriangle.from_estimator({"a": Decides()}, X, y).models == ("a",)


@pytest.mark.parametrize("kind", [ROCCurve, PrecisionRecall, DET, Reliability, ROI, CoverageRisk, ConfusionMatrix])
def test_cross_validation(kind: type[Any]) -> None:
    pd = pytest.importorskip("pandas")
    data = datasets.load_breast_cancer(as_frame=True)
    X, y = data.data.iloc[:, :4], pd.Series(np.array(["no", "yes"])[data.target], index=data.data.index * 3)
    options = {} if kind in (CoverageRisk, ConfusionMatrix) else {"positive": "yes"}
    cv = model_selection.cross_validate(
        naive_bayes.GaussianNB(), X, y, cv=4, return_estimator=True, return_indices=True
    )
    several = kind.from_cv_results(cv, X, y, **options)
    assert [m.model for m in several] == ["fold 1", "fold 2", "fold 3", "fold 4"]
    for member, model, test in zip(several, cv["estimator"], cv["indices"]["test"], strict=True):
        truth, p = y.iloc[test], model.predict_proba(X.iloc[test])
        alone = kind.from_predictions(truth, p, labels=["no", "yes"], **options)
        assert_same(alone.to_dict() | {"model": member.model}, member.to_dict())
        if kind is ROCCurve:
            assert member.area == close(metrics.roc_auc_score(truth == "yes", p[:, 1]))
    if kind.averages:
        assert [m.model for m in several.means] == ["mean over 4 folds"]


def test_scikit_learn_cv_display_has_the_same_curves() -> None:
    if not hasattr(metrics.RocCurveDisplay, "from_cv_results"):
        pytest.skip("this scikit-learn has no from_cv_results")
    _, X, y = fitted()
    cv = model_selection.cross_validate(
        naive_bayes.GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True
    )
    theirs = metrics.RocCurveDisplay.from_cv_results(cv, X, y, drop_intermediate=False)
    ours = ROCCurve.from_cv_results(cv, X, y)
    for a, fpr, tpr in zip(ours, theirs.fpr, theirs.tpr, strict=True):
        assert [a.fpr, a.tpr] == [close(fpr), close(tpr)]


def test_of_sixty_classes_the_ends_are_named() -> None:
    rng = np.random.default_rng(3)
    k = 60
    y = np.arange(1200) % k
    z = rng.normal(size=(1200, k))
    z[np.arange(1200), y] += np.linspace(0, 3, k)[y]
    names = [f"class {i}" for i in range(k)]
    p = np.exp(z)
    several = ROCCurve.for_each_class([names[i] for i in y], p / p.sum(axis=1, keepdims=True), labels=names).plot()
    by_area = sorted(several, key=lambda d: d.area)  # type: ignore[attr-defined]
    entries = legible.entries(several.ax_)
    for d in (*by_area[:3], *by_area[-3:]):
        assert sum(entry.startswith(f"{d.model} (") for entry in entries) == 1
    assert len(entries) == 6 + 3
    assert "54 others" in entries
    assert any(entry.startswith("macro average") for entry in entries)
    several.figure_.canvas.draw()
    assert legible.clipped(several.figure_) == []
    assert len({line.get_color() for line in several.ax_.lines if line.get_gid() == "series"}) == 6


@pytest.mark.parametrize("grouping", ["identical", "width", "corp", "mass"])
@pytest.mark.parametrize("distinct", [6, 50, 51])
def test_how_often_each_probability_is_forecast(grouping: str, distinct: int) -> None:
    """By counting: up to 50 groups of equal or neighbouring forecasts as they are, else 20 bins of equal width."""
    p = np.tile((np.arange(distinct) + 0.37) / distinct, 12)
    y = (np.random.default_rng(4).random(len(p)) < p).astype(int)
    d: Any = karat.evaluate(y, p, positive=1).diagram("reliability", grouping=grouping)
    at, share = d.refinement
    if grouping == "width" or (grouping == "identical" and distinct <= 50):
        expected = (d.forecast, d.share)
    else:
        expected = ((np.arange(20) + 0.5) / 20, np.histogram(p, np.linspace(0, 1, 21))[0] / len(p))
    assert at == pytest.approx(expected[0])
    assert share == pytest.approx(expected[1])
    assert share.sum() == pytest.approx(1)
