"""Areas and sums that must be equal, whatever the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from diagrams import BINARIES, Binary, legible, loops, many
from karat import Evaluation
from karat.diagrams import (
    DET,
    Attributes,
    BrierCurve,
    CostCurve,
    CoverageRisk,
    Discrimination,
    Lift,
    PrecisionRecall,
    Reliability,
    ROCCurve,
)

each = pytest.mark.parametrize("b", BINARIES, ids=repr)


def evaluated(b: Binary) -> Evaluation:
    return karat.evaluate(**b.columns)


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


@each
def test_areas_are_the_measures(b: Binary) -> None:
    e = evaluated(b)
    assert ROCCurve.from_predictions(**b.arguments).area == close(e["AUC"])
    pr = PrecisionRecall.from_predictions(**b.arguments)
    assert (pr.area, pr.average_precision) == (close(e["AUPRC"]), close(e["AP"]))
    brier = BrierCurve.from_predictions(**b.arguments)
    assert brier.area == close(e["BS"])
    assert brier.best_area == close(e["UNC"] - e["DSC"])
    assert Lift.from_predictions(**b.arguments).area == close(e["Prev"] / 2 + (1 - e["Prev"]) * e["AUC"])
    assert Discrimination.from_predictions(**b.arguments).distance == close(e["DD"])
    assert Discrimination.from_predictions(**b.arguments, shape="step").drawn_overlap == close(e["OVL"])
    assert Discrimination.from_predictions(**b.arguments).overlap == close(e["OVL"])


@each
def test_cost_curve_is_the_best_brier_curve_of_equal_classes(b: Binary) -> None:
    at_half = BrierCurve.from_predictions(**b.arguments, prevalence=0.5)
    assert CostCurve.from_predictions(**b.arguments).area == close(at_half.best_area)
    balanced = b.weight / np.where(b.y == 1, b.weight[b.y == 1].sum(), b.weight[b.y == 0].sum())
    again = BrierCurve.from_predictions(b.y, b.p, sample_weight=balanced)
    assert (at_half.area, at_half.best_area) == (close(again.area), close(again.best_area))


@each
@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.83])
def test_another_prevalence_is_another_weight(b: Binary, prevalence: float) -> None:
    own, rest = b.weight[b.y == 1].sum(), b.weight[b.y == 0].sum()
    moved = Binary("moved", b.y, b.p, b.weight * np.where(b.y == 1, prevalence / own, (1 - prevalence) / rest))
    for kind in (PrecisionRecall, Lift):
        found = kind.from_predictions(**b.arguments, prevalence=prevalence)
        expected = kind.from_predictions(**moved.arguments)
        assert (found.area, found.prevalence) == (close(expected.area), close(prevalence))
        for x, y in zip(found.xy, expected.xy, strict=True):
            assert x == close(y)


@each
def test_identical_groups_take_the_brier_score_apart(b: Binary) -> None:
    e = evaluated(b)
    d = Attributes.from_predictions(**b.arguments, grouping="identical")
    rel, res, unc = loops.murphy(b)
    assert (d.reliability, d.resolution, d.uncertainty) == (close(rel), close(res), close(unc))
    assert d.uncertainty + d.reliability - d.resolution == close(e["BS"])
    assert (d.reliability, d.resolution, d.uncertainty) == (close(e["REL"]), close(e["RES"]), close(e["UNC"]))
    assert d.skill == close(e["BSS"])
    for f, o, share, gain in zip(d.forecast, d.observed, d.share, d.contributions, strict=True):
        assert gain == close(share * ((o - d.prevalence) ** 2 - (f - o) ** 2) / unc)
        if f != d.prevalence and o != (f + d.prevalence) / 2 and abs(gain) > 1e-12:
            beyond = (o - (f + d.prevalence) / 2) * (f - d.prevalence) > 0  # the region that is shaded
            assert beyond == (gain > 0)


@each
@pytest.mark.parametrize("bins", [1, 4, 10])
def test_bins_of_equal_width(b: Binary, bins: int) -> None:
    d = Reliability.from_predictions(**b.arguments, grouping="width", bins=bins)
    weight, forecast, observed = map(list, zip(*loops.in_bins(b, bins), strict=True))
    assert [d.share, d.forecast, d.observed] == [
        close(np.divide(weight, sum(weight))),
        close(forecast),
        close(observed),
    ]
    assert d.edges == close(np.linspace(0, 1, bins + 1))
    shown = Discrimination.from_predictions(**b.arguments, bins=bins)
    for values, side in ((shown.own, 1), (shown.rest, 0)):
        part = Binary("part", b.y[b.y == side], b.p[b.y == side], b.weight[b.y == side])
        expected = {round(f * 1e9): w / part.weight.sum() for w, f, _ in loops.in_bins(part, bins)}
        assert values[values > 0] == close(list(expected.values()))
        assert values.sum() == close(1)


@each
def test_isotonic_groups(b: Binary) -> None:
    isotonic = pytest.importorskip("sklearn.isotonic", reason="scikit-learn is not installed")

    d = Reliability.from_predictions(**b.arguments, grouping="corp")
    kept = b.weight > 0
    fit = isotonic.IsotonicRegression().fit(b.p[kept], b.y[kept], sample_weight=b.weight[kept])
    assert sorted(set(np.round(fit.predict(b.p[kept]), 9))) == close(np.unique(np.round(d.observed, 9)), 1e-8)
    assert (np.diff(d.observed) > 0).all()
    assert (np.diff(d.forecast) > 0).all()
    for f, o in zip(d.forecast, d.observed, strict=True):
        inside = kept & (np.abs(fit.predict(b.p) - o) < 1e-9)
        assert np.average(b.p[inside], weights=b.weight[inside]) == close(f)
    e = evaluated(b)
    assert d.resolution == close(e["DSC"])  # of pooled groups: what isotonic recalibration discriminates


@each
def test_groups_of_equal_mass_keep_equal_forecasts_together(b: Binary) -> None:
    for bins in (1, 3, 10):
        d = Reliability.from_predictions(**b.arguments, grouping="mass", bins=bins)
        assert len(d.share) <= bins
        assert d.share.sum() == close(1)
        assert (np.diff(d.forecast) > 0).all()
        largest = max(b.weight[b.p == s].sum() for s in np.unique(b.p)) / b.weight.sum()
        assert d.share.max() <= 1 / bins + largest + 1e-9
        assert (d.share * d.forecast).sum() == close(np.average(b.p, weights=b.weight))
        assert (d.share * d.observed).sum() == close(np.average(b.y, weights=b.weight))


def test_a_legend_that_says_bss_shows_the_bss() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    p = np.clip(0.25 * y + 0.7 * rng.random(300), 0, 1)
    d = Attributes.from_predictions(y, p, name="model")  # isotonic groups hold different forecasts
    d.plot()
    (text,) = [text for text in legible.entries(d.ax_) if "Brier skill" in text] or [""]
    skill = karat.evaluate(y, p)["BSS"]
    assert f"Brier skill {skill:.3f}" in text


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_averages_over_classes(k: int, weighted: bool) -> None:
    y, p = many(k)
    w = np.random.default_rng(k).random(len(y)) if weighted else None
    e = karat.evaluate(y, p, sample_weight=w)
    several = ROCCurve.for_each_class(y, p, sample_weight=w, averages=("macro", "weighted"))
    assert [m.positive for m in several] == list(range(k))
    assert [m.area for m in several] == close(e.per_class(["AUC"]).columns["AUC"])
    assert [m.area for m in several.means] == [close(e["AUNU"]), close(e["AUNP"])]
    for kind, symbol in ((PrecisionRecall, "AUPRC"), (BrierCurve, "BS"), (CostCurve, None), (Lift, None)):
        found = kind.for_each_class(y, p, sample_weight=w, averages=("macro", "weighted"))
        areas = [m.area for m in found]
        shares = np.bincount(y, w)
        assert found["macro average"].area == close(np.mean(areas), 2e-3 if symbol == "AUPRC" else 1e-12)
        expected = np.average(areas, weights=shares)
        assert found["weighted average"].area == close(expected, 2e-3 if symbol == "AUPRC" else 1e-12)
        if symbol:
            assert areas == close(e.per_class([symbol]).columns[symbol])


def test_mean_curve_by_hand() -> None:
    y, p = many(3, 40)
    several = ROCCurve.for_each_class(y, p)
    (mean,) = several.means
    for x in np.linspace(0.003, 0.997, 40):
        heights = []
        for m in several:
            if x in m.fpr:
                break
            heights.append(np.interp(x, m.fpr, m.tpr))
        else:
            assert np.interp(x, mean.x, mean.y) == close(np.mean(heights))
    assert (mean.x[0], mean.y[-1]) == (0, close(1))


def test_binary_mirror() -> None:
    """The other class as the positive one: the same ranking, upside down."""
    b = next(b for b in BINARIES if b.name == "n60")
    both = np.column_stack([1 - b.p, b.p])
    one, other = (ROCCurve.from_predictions(b.y, both, positive=c) for c in (1, 0))
    assert one.area == close(other.area)
    assert other.fpr[::-1] == close(1 - one.tpr)
    eer = [DET.from_predictions(b.y, both, positive=c).equal_error_rate for c in (1, 0)]
    assert eer[0] == close(eer[1])
    areas = [BrierCurve.from_predictions(b.y, both, positive=c).area for c in (1, 0)]
    assert areas[0] == close(areas[1])
    single = ROCCurve.from_predictions(b.y, b.p, positive=0)  # one column is that of the positive class
    assert single.area == close(1 - one.area)


def test_corp_draws_the_isotonic_fit() -> None:
    b = next(b for b in BINARIES if b.name == "n60")
    d = Reliability.from_predictions(**b.arguments).plot()
    (line,) = [x for x in d.ax_.lines if x.get_gid() == "series"]
    table = karat.evaluate(**b.columns).statistics.table_of_class(1)
    assert np.interp(table.scores, *line.get_data()) == close(table.isotonic, 1e-9)


def test_corp_parts_are_those_of_the_catalogue() -> None:
    b = next(b for b in BINARIES if b.name == "n60")
    d, e = Reliability.from_predictions(**b.arguments), evaluated(b)
    assert (d.reliability, d.resolution, d.uncertainty) == (close(e["MCB"]), close(e["DSC"]), close(e["UNC"]))


def test_a_case_whose_weight_is_lost_beside_the_others_changes_no_area() -> None:
    y, p, w = np.array([0, 1, 1, 0, 1, 0]), np.array([0.1, 0.9, 0.35, 0.6, 0.8, 0.15]), np.array([2, 1, 3, 1, 1e-60, 2])
    whole = CoverageRisk.from_predictions(y, p, sample_weight=w)
    others = w > 1e-60
    assert whole.area == close(CoverageRisk.from_predictions(y[others], p[others], sample_weight=w[others]).area)
