"""A change of class frequencies is told from a change of the model; without labels the truth is found where the
assumptions hold; bad input is refused in a sentence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import karat
from karat.changes.label_shift import mixture, p_of_label_shift
from karat.changes.recalibration import recalibration
from levels import keeps_its_level

APART = 2.0


def binormal(seed: int, n: int, share: float, noise: float = 0.0) -> tuple[Any, Any]:
    """Calibrated where a fifth is positive; `noise` blurs the scores."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    x = rng.normal(size=n) + APART * (y - 0.5) + noise * rng.normal(size=n)
    return y, 1 / (1 + np.exp(-(APART * x + math.log(0.25))))


REFERENCE = karat.evaluate(*binormal(1, 8000, 0.2))
MEASURES = ["Acc", "Precision", "F1", "MCC", "AP", "LogLoss", "BrierLoss"]


def test_a_change_of_frequencies_is_explained_by_them() -> None:
    s = karat.shift(REFERENCE, karat.evaluate(*binormal(2, 8000, 0.5)))
    for name in ("Acc", "Precision", "F1", "AP", "LogLoss", "BrierLoss", "calibration intercept"):
        row = s[name]
        assert row.change == pytest.approx(row.current - row.reference)
        assert row.change == pytest.approx(row.by_frequencies + row.remaining)
        assert abs(row.remaining) < 0.12 * abs(row.change), name
        assert row.low < row.change < row.high
        assert row.low > 0 or row.high < 0
        assert row.p_remaining > 0.001
    assert s["AUC"].by_frequencies == 0
    assert s.p_frequencies < 1e-6
    assert s.frequencies[1][1] == pytest.approx(0.5, abs=0.03)
    assert s.verdict.startswith("Class frequencies changed: 5")
    assert "No significant change beyond class frequencies in" in s.verdict


def test_a_change_of_the_scores_is_not() -> None:
    s = karat.shift(REFERENCE, karat.evaluate(*binormal(3, 8000, 0.2, noise=1.0)))
    for name in (*MEASURES, "AUC", "calibration slope"):
        row = s[name]
        assert abs(row.by_frequencies) < 0.08 * abs(row.change), name
        assert row.p_remaining < 0.001
    assert "Ranking: ROC AUC changed from 0.9" in s.verdict
    assert "Class predictions: Matthews" in s.verdict
    assert "Decisions" not in s.verdict
    assert "calibration slope changed from" in s.verdict.lower()


def test_by_frequencies_is_the_reference_with_other_weights_of_its_classes() -> None:
    y, p = binormal(4, 500, 0.3)
    other, q = binormal(5, 400, 0.6)
    s = karat.shift(karat.evaluate(y, p), karat.evaluate(other, q), measures=MEASURES)
    w = np.where(y == 1, other.mean() / y.mean(), (1 - other.mean()) / (1 - y.mean()))
    restated = karat.evaluate(y, p, sample_weight=w)
    for name in MEASURES:
        assert s[name].by_frequencies == pytest.approx(restated[name] - karat.evaluate(y, p)[name], abs=1e-9)


def test_the_interval_is_that_of_models_on_different_cases() -> None:
    one, other = karat.evaluate(*binormal(6, 600, 0.3)), karat.evaluate(*binormal(7, 500, 0.3))
    s = karat.shift(one, other, measures=["MCC", "LogLoss"])
    c = karat.compare({"current": other, "reference": one}, measures=["MCC", "LogLoss"], paired=False)
    for name in ("MCC", "LogLoss"):
        d = c["current", "reference"][name]
        assert (s[name].low, s[name].high, s[name].p) == pytest.approx((d.low, d.high, d.p))


def test_what_remains_is_claimed_as_seldom_as_stated() -> None:
    """Only the frequencies change: p-values of what remains below 0.05 in about 5 %."""
    names = ("Acc", "LogLoss", "AUC", "calibration slope", "calibration intercept")
    rejected: dict[str, list[bool]] = {name: [] for name in names}
    for seed in range(100):
        one, other = (karat.evaluate(*binormal(1000 + 2 * seed + i, 400, (0.2, 0.5)[i])) for i in range(2))
        s = karat.shift(one, other, measures=["Acc", "LogLoss", "AUC"])
        for name in names:
            rejected[name].append(s[name].p_remaining <= 0.05)
    for name, found in rejected.items():
        assert keeps_its_level(found, 0.05), name


def test_recalibration_is_logistic_regression() -> None:
    y, p = binormal(8, 700, 0.35)
    logit = np.log(p / (1 - p))
    linear = pytest.importorskip("sklearn.linear_model")
    peer = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit[:, None], y)
    fit = recalibration(np.column_stack([1 - p, p]), y)
    assert fit is not None
    assert (fit.slope, fit.intercepts[1]) == pytest.approx((peer.coef_[0, 0], peer.intercept_[0]), rel=1e-4)
    assert fit(np.column_stack([1 - p, p])).mean(axis=0) == pytest.approx([1 - y.mean(), y.mean()], abs=1e-6)


def test_recalibration_of_three_classes_has_the_highest_likelihood() -> None:
    rng = np.random.default_rng(9)
    logs = rng.normal(size=(400, 3))
    p = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(3, p=row) for row in p**0.5 / (p**0.5).sum(axis=1, keepdims=True)])
    fit = recalibration(p, y)
    assert fit is not None

    def loss(x: Any) -> float:
        z = np.array([0, x[0], x[1]]) + x[2] * np.log(p)
        return float(np.log(np.exp(z).sum(axis=1)).sum() - z[np.arange(400), y].sum())

    best = minimize(loss, [0, 0, 1], tol=1e-10).x
    assert [*fit.intercepts[1:], fit.slope] == pytest.approx(best, abs=1e-4)


def test_separated_classes_and_absent_ones_have_no_fit() -> None:
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]])
    assert recalibration(p, np.array([0, 0, 1, 1])) is None
    assert recalibration(p, np.array([0, 0, 0, 0])) is None
    three = np.random.default_rng(3).dirichlet(np.ones(3), 90)
    assert recalibration(three, np.arange(90) % 2) is None
    assert recalibration(three, np.arange(90) % 3, (np.arange(90) % 3 < 2).astype(float)) is None


def test_expectation_maximisation_finds_the_likeliest_frequency() -> None:
    y, p = binormal(10, 3000, 0.6)
    posteriors, prior = np.column_stack([1 - p, p]), np.array([0.8, 0.2])
    grid = np.linspace(0.001, 0.999, 9981)
    likelihood = [np.log((1 - g) * (1 - p) / 0.8 + g * p / 0.2).sum() for g in grid]
    found = mixture(posteriors, prior)
    assert found.frequencies[1] == pytest.approx(grid[int(np.argmax(likelihood))], abs=2e-4)
    assert found.frequencies[1] == pytest.approx(y.mean(), abs=0.03)


def test_without_labels_the_truth_is_found_where_only_frequencies_changed() -> None:
    y, p = binormal(11, 6000, 0.5)
    s = karat.shift(REFERENCE, p, replicates=40)
    truth = karat.evaluate(y, p)
    assert not s.labelled
    assert s.frequencies[1][1] == pytest.approx(y.mean(), abs=0.03)
    for name in ("Acc", "Precision", "Recall", "MCC", "AUC", "LogLoss", "BrierLoss"):
        row = s[name]
        assert row.current == pytest.approx(truth[name], abs=0.035), name
        half = (row.high - row.low) / 2
        assert abs(row.current - truth[name]) < 2 * half + 0.02, name
    assert s.p_assumption > 0.001
    assert "This holds if only the frequencies of the classes changed" in s.verdict
    assert "p" not in s.to_table().columns


def test_scores_that_changed_are_noticed_without_labels() -> None:
    s = karat.shift(REFERENCE, binormal(12, 6000, 0.2, noise=1.0)[1], replicates=40, measures="Acc")
    assert s.p_assumption < 0.001
    assert "The scores do not fit a change of frequencies alone (p < 0.001): do not rely on the estimates." in s.verdict


@pytest.mark.parametrize("k", [2, 3])
def test_the_assumption_is_doubted_as_seldom_as_stated(k: int) -> None:
    rng = np.random.default_rng(13)
    doubted = []
    for _ in range(250):
        y, z = rng.integers(0, k, 600), rng.choice(k, 500, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
        both = [rng.normal(size=(len(t), k)) + 1.5 * np.eye(k)[t] for t in (y, z)]
        old, new = (np.exp(x) / np.exp(x).sum(axis=1, keepdims=True) for x in both)
        fit = recalibration(old, y)
        assert fit is not None
        shares = mixture(fit(new), np.bincount(y) / 600).frequencies
        doubted.append(p_of_label_shift(old, y, new, shares, k - 1, (np.ones(600), np.ones(500))) <= 0.05)
    assert keeps_its_level(doubted, 0.05)


def test_three_classes_with_and_without_labels() -> None:
    rng = np.random.default_rng(14)

    def drawn(n: int, shares: list[float]) -> tuple[Any, Any]:
        y = rng.choice(3, n, p=shares)
        z = rng.normal(size=(n, 3)) + 2 * np.eye(3)[y]
        return np.array(list("abc"))[y], np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    e = karat.evaluate(*drawn(2000, [0.4, 0.4, 0.2]))
    y, p = drawn(2000, [0.2, 0.3, 0.5])
    s, blind = karat.shift(e, karat.evaluate(y, p)), karat.shift(e, p, replicates=40, measures=["Acc", "MCC"])
    assert list(s.calibration) == ["calibration slope"]
    assert abs(s["LogLoss"].remaining) < 0.05
    assert blind.frequencies["c"][1] == pytest.approx(0.5, abs=0.05)
    assert blind["Acc"].current == pytest.approx(s["Acc"].current, abs=0.04)


def test_everything_of_a_record() -> None:
    s = karat.shift(REFERENCE, karat.evaluate(*binormal(15, 500, 0.5)))
    assert list(s.to_table().columns)[:8] == [
        "measure", "reference", "current", "change", "low", "high", "by_frequencies", "remaining",
    ]  # fmt: skip
    facts = s.to_dict()
    assert facts["measures"]["MCC"]["measure"] == "MCC"
    assert facts["verdict"] == s.verdict
    assert facts["frequencies"]["1"][0] == pytest.approx(REFERENCE["Prev"])
    assert s.to_json()
    assert s.to_markdown().startswith("Class frequencies changed")
    assert "MCC" in s
    assert "ECE: no test of ECE is known" in repr(s)


def test_a_class_that_the_reference_lacks_leaves_the_change_unexplained() -> None:
    rng = np.random.default_rng(16)
    one = karat.evaluate([0, 1] * 100, y_pred=[0, 1, 1, 1] * 50, labels=[0, 1, 2])
    other = karat.evaluate(rng.integers(0, 3, 200), y_pred=rng.integers(0, 3, 200), labels=[0, 1, 2])
    row = karat.shift(one, other, measures="Acc")["Acc"]
    assert row.low < row.change < row.high
    assert math.isnan(row.by_frequencies)
    assert row.reason == "the reference has no case of 2, so it can't be restated"


SMALL = karat.evaluate([0, 1] * 50, [0.2, 0.6, 0.7, 0.9] * 25)


@pytest.mark.parametrize(
    ("reference", "current", "options", "words"),
    [
        ([0, 1], SMALL, {}, "the reference is not an evaluation"),
        (SMALL, karat.evaluate([0, 2] * 50, y_pred=[0, 2] * 50), {}, "the classes 0, 1 and the current set 0, 2"),
        (SMALL, [0, 1, 2], {}, "the current set is read as probabilities of 0, 1, because it is not an evaluation"),
        (SMALL, [[0.2, 0.5, 0.3]], {}, "the current set is read as probabilities of 0, 1"),
        (SMALL, "current.csv", {}, "neither an evaluation nor probabilities"),
        (SMALL, None, {}, "neither an evaluation nor probabilities"),
        (SMALL, [], {}, "neither an evaluation nor probabilities"),
        (SMALL, SMALL, {"y_pred": [0, 1]}, "leave y_pred out"),
        (karat.evaluate([0, 1] * 9, y_pred=[0, 1] * 9), [0.2, 0.3], {}, "no probabilities of single cases"),
        (karat.evaluate([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), [0.2, 0.3] * 10, {}, "can't be recalibrated"),
        (SMALL, [0.2], {}, "the current set has 1 case without labels; at least 20 are needed"),
        (karat.evaluate_matrix([[5, 1], [1, 5]]), SMALL, {}, "is a confusion matrix"),
        (SMALL, [0.2, 0.3] * 10, {"replicates": 1}, "replicates is 1"),
        (SMALL, SMALL, {"measures": "nonsense"}, "nonsense"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(reference: Any, current: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(karat.InputError) as refused:
        karat.shift(reference, current, **options)
    assert words in str(refused.value)


def test_predictions_of_their_own_must_be_given_for_both() -> None:
    y, p = binormal(17, 300, 0.3)
    cut = karat.evaluate(y, p, (p > 0.3).astype(int))
    with pytest.raises(karat.InputError, match="pass y_pred of the current set"):
        karat.shift(cut, p)
    s = karat.shift(cut, p, y_pred=(p > 0.3).astype(int), replicates=10, measures=["Acc"])
    assert s["Acc"].current == pytest.approx(cut["Acc"], abs=0.03)


def test_one_class_in_the_current_set() -> None:
    y, p = binormal(18, 300, 0.3)
    s = karat.shift(karat.evaluate(y, p), karat.evaluate(np.zeros(50, int), p[:50], labels=[0, 1]))
    assert s.frequencies[1][1] == 0
    assert math.isnan(s["AUC"].current)
    assert s["AUC"].reason
