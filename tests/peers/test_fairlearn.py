"""fairlearn 0.15.0 (with scikit-learn 1.9.1): MetricFrame's values by group, differences and ratios, on 60 cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat

I = np.arange(60)
Y = ((I * 7) % 5 < 2).astype(int)
P = ((I * 37) % 61 + 1) / 63
P = np.where(Y == 1, np.sqrt(P), P)
G = np.array(["a", "b", "c"])[(I * I) % 7 % 3]

BY_GROUP = {
    "Acc": ([0.4444444444444444, 0.35294117647058826, 0.35294117647058826], 0.09150326797385616, 0.7941176470588236),
    "Recall": ([0.3333333333333333, 0.42857142857142855, 0.42857142857142855], 0.09523809523809523, 0.7777777777777778),
    "Precision": ([0.25, 0.3, 0.3], 0.04999999999999999, 0.8333333333333334),
    "AUC": ([0.4444444444444444, 0.375, 0.3857142857142857], 0.06944444444444442, 0.84375),
    "MCC": ([-0.15811388300841897, -0.2714285714285714, -0.2714285714285714], 0.11331468842015244, None),
    "LogLoss": ([1.1143844398557752, 0.9175950249621566, 0.9225844419164946], 0.19678941489361856, 0.8234097607114047),
    "PredPos": ([0.4444444444444444, 0.5882352941176471, 0.5882352941176471], 0.14379084967320266, 0.7555555555555555),
    "FPR": ([0.5, 0.7, 0.7], 0.19999999999999996, 0.7142857142857143),
}
"""Values, `difference()` and `ratio()`; the ratio of MCC, 1.717 of two negative numbers, is none."""


def groups() -> Any:
    """Each case four times, which leaves all values as they are: groups with few cases are not compared."""
    return karat.evaluate(np.tile(Y, 4), np.tile(P, 4)).by(np.tile(G, 4))


@pytest.mark.parametrize("name", BY_GROUP)
def test_values_differences_and_ratios(name: str) -> None:
    values, difference, ratio = BY_GROUP[name]
    g = groups()
    assert list(g[name].value) == pytest.approx(values, abs=1e-12)
    assert g.gap(name, replicates=9).value == pytest.approx(difference, abs=1e-12)
    gap = g.gap(name, "ratio", replicates=9)
    if ratio is None:
        assert gap.value != gap.value
        assert gap.reason == "a ratio needs values above 0"
    else:
        assert gap.value == pytest.approx(ratio, abs=1e-12)


def test_differences_with_names() -> None:
    """`demographic_parity_difference` and `equalized_odds_difference`."""
    g = groups()
    assert g.gap("demographic parity", replicates=9).value == pytest.approx(0.14379084967320266, abs=1e-12)
    assert g.gap("equalized odds", replicates=9).value == pytest.approx(0.19999999999999996, abs=1e-12)


def test_demographic_parity_does_not_ask_for_true_classes() -> None:
    """It is a rate of all cases: a group with few cases of a class has one, too."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 60)
    y = (rng.random(180) < 0.5).astype(int)
    y[group == 1] = 0
    y[60:62] = 1
    decided = (rng.random(180) < 0.3 + 0.2 * (group == 1)).astype(int)
    gap = karat.evaluate(y, y_pred=decided).by(group).gap("demographic parity", replicates=99)
    assert not gap.left_out
    metrics = pytest.importorskip("fairlearn.metrics")
    expected = metrics.demographic_parity_difference(y, decided, sensitive_features=group)
    assert gap.value == pytest.approx(expected, abs=1e-12)
    assert karat.evaluate(y, y_pred=decided).by(group).gap("equal opportunity", replicates=9).left_out
