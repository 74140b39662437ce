"""Curves of the folds of a cross-validation: their mean, and how much they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from diagrams import legible
from karat.diagrams import PrecisionRecall, Reliability, ROCCurve
from karat.diagrams.several import Several

pytest.importorskip("matplotlib.pyplot")
AT = np.linspace(0.013, 0.987, 60)
"""Places between the corners of the curves."""


def cross_validated() -> tuple[Any, Any, Any]:
    datasets = pytest.importorskip("sklearn.datasets")
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB

    X, y = datasets.make_classification(203, 5, flip_y=0.3, random_state=1)
    return cross_validate(GaussianNB(), X, y, cv=4, return_estimator=True, return_indices=True), X, y


def test_mean_and_band_are_those_of_scikit_learns_curves() -> None:
    cv, X, y = cross_validated()
    from sklearn.metrics import roc_auc_score, roc_curve

    several = ROCCurve.from_cv_results(cv, X, y)
    curves, areas = [], []
    for model, test in zip(cv["estimator"], cv["indices"]["test"], strict=True):
        score = model.predict_proba(X[test])[:, 1]
        fpr, tpr, _ = roc_curve(y[test], score, drop_intermediate=False)
        curves.append(np.interp(AT, fpr, tpr))
        areas.append(roc_auc_score(y[test], score))
    (mean,) = several.means
    assert np.interp(AT, mean.x, mean.y) == pytest.approx(np.mean(curves, axis=0), abs=1e-12)
    sd = np.std(curves, axis=0, ddof=1)
    low, high = (np.interp(AT, mean.x, side) for side in mean.band)
    # between corners the deviation bends, and the band is straight there
    assert low == pytest.approx(np.clip(np.mean(curves, axis=0) - sd, 0, 1), abs=0.02)
    assert high == pytest.approx(np.clip(np.mean(curves, axis=0) + sd, 0, 1), abs=0.02)
    assert (mean.area, mean.area_sd) == pytest.approx((np.mean(areas), np.std(areas, ddof=1)), abs=1e-12)


def test_the_band_where_all_is_known() -> None:
    """At a false positive rate of 0 the curves are 0.2, 0.4 and 0.9 high."""
    y, members = np.array([1] * 10 + [0] * 2), []
    for ones in (2, 4, 9):
        p = np.array([0.9] * ones + [0.5] * (12 - ones))
        members.append(ROCCurve.from_predictions(y, p))
    mean = Several.of_folds(members, 2.0).means[0]
    at_zero = np.flatnonzero(mean.x == 0)[-1]
    assert mean.y[at_zero] == pytest.approx(0.5)
    sd = np.sqrt((0.3**2 + 0.1**2 + 0.4**2) / 2)
    assert mean.band[0][at_zero] == 0  # 0.5 - 2 * 0.36 is below what a rate can be
    assert mean.band[1][at_zero] == pytest.approx(min(1, 0.5 + 2 * sd))


def test_the_legend_says_what_the_band_is() -> None:
    cv, X, y = cross_validated()
    d = ROCCurve.from_cv_results(cv, X, y).plot()
    entries = legible.entries(d.ax_)
    mean = d.means[0]
    assert f"mean over 4 folds (ROC AUC {mean.area:.3f} ± {mean.area_sd:.2g})" in entries
    assert "± 1 standard deviation over 4 folds" in entries
    assert "± 2 standard deviations over 4 folds" in legible.entries(
        PrecisionRecall.from_cv_results(cv, X, y, spread=2).plot().ax_
    )
    bare = ROCCurve.from_cv_results(cv, X, y, spread=None).plot()
    assert not any("standard deviation" in entry for entry in legible.entries(bare.ax_))
    assert bare.means[0].band is None
    with pytest.raises(karat.InputError, match="spread is -1"):
        ROCCurve.from_cv_results(cv, X, y, spread=-1)


def test_one_fold_has_no_band() -> None:
    one = ROCCurve.from_predictions([0, 1, 1], [0.1, 0.2, 0.9])
    mean = Several.of_folds([one], 1.0).means[0]
    assert (mean.model, mean.band, mean.area_sd) == ("mean over 1 fold", None, None)


def test_folds_of_a_model_that_karat_trained() -> None:
    _, X, y = cross_validated()
    from sklearn.naive_bayes import GaussianNB

    e = karat.evaluate_estimator(GaussianNB(), X, y, cv=5)
    several = karat.diagrams.roc_curve(e, each_fold=True)
    known = e.by_fold("AUC").columns["AUC"]
    assert [m.area for m in several] == pytest.approx(known, abs=1e-12)
    assert several.means[0].area == pytest.approx(np.mean(known), abs=1e-12)
    assert several.means[0].band is not None
    assert len(karat.diagrams.reliability(e, each_fold=True)) == 5
    with pytest.raises(karat.InputError, match="trained in folds"):
        karat.diagrams.roc_curve([0, 1], [0.1, 0.9], each_fold=True)
    with pytest.raises(karat.InputError, match="each_class and each_fold"):
        karat.diagrams.roc_curve(e, each_fold=True, each_class=True)
    with pytest.raises(karat.InputError, match="no mean over folds"):
        karat.diagrams.reliability(e, each_fold=True, spread=2)
    with pytest.raises(karat.InputError, match="pass each_fold=True"):
        karat.diagrams.roc_curve(e, spread=2)
    assert Reliability.averages is False
