"""Precision-recall-gain and rate-driven cost curves: worked by hand, by brute force, and by published identities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from diagrams import BINARIES, Binary, loops
from karat.diagrams import BrierCurve, PrecisionRecall, PrecisionRecallGain, RateDrivenCurve, ROCCurve

each = pytest.mark.parametrize("b", BINARIES, ids=repr)
shares = pytest.mark.parametrize("prevalence", [None, 0.2, 0.5])

Y = [1, 1, 0, 1, 0, 0, 0, 0]
"""From the highest score down; three of eight are positive."""
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


def close(expected: Any, atol: float = 1e-12) -> Any:
    return pytest.approx(expected, abs=atol, nan_ok=True)


def told(b: Binary) -> dict[str, Any]:
    """Both columns: one of nothing but 0 and 1 would be taken for labels."""
    return b.arguments | {"y_proba": np.column_stack([1 - b.p, b.p])}


def prevalence_of(b: Binary, given: float | None) -> float:
    return float(np.average(b.y, weights=b.weight)) if given is None else given


# ------------------------------------------------------------------------------------------- precision-recall-gain


def test_gains_by_hand() -> None:
    """pi = 3/8, so that a gain of v is (v - 3/8) / (5/8 v) = 8/5 - 3/(5 v)."""
    d = PrecisionRecallGain.from_predictions(Y, SCORES)
    recall = [Fraction(k, 3) for k in (1, 2, 2, 3, 3, 3, 3, 3)]
    precision = [
        Fraction(1),
        Fraction(1),
        *(Fraction(k, n) for k, n in ((2, 3), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8))),
    ]
    assert d.recall_gain[0] == -np.inf
    assert np.isnan(d.precision_gain[0])
    assert d.recall_gain[1:] == close([float(Fraction(8, 5) - Fraction(3, 5) / v) for v in recall])
    assert d.precision_gain[1:] == close([float(Fraction(8, 5) - Fraction(3, 5) / v) for v in precision])
    # from recall gain 0: 1 up to 7/10, a drop to 7/10, a line up to (1, 4/5), a drop to (1, 0)
    x, y = d.curve
    assert x == close([0, 0.7, 0.7, 1, 1, 1, 1, 1])
    assert y == close([1, 1, 0.7, 0.8, 0.6, 0.4, 0.2, 0])
    assert d.area == close(0.7 + 0.3 * 0.75)
    # of the hull: 1 up to 7/10, then straight to (1, 4/5)
    assert d.hull_area == close(0.7 + 0.3 * 0.9)


@each
@shares
def test_gains_from_the_definition(b: Binary, prevalence: float | None) -> None:
    """Flach and Kull's equations, on precision and recall at the crossing points of Davis and Goadrich."""
    d = PrecisionRecallGain.from_predictions(**told(b), prevalence=prevalence)
    pr = PrecisionRecall.from_predictions(**told(b), prevalence=prevalence)
    pi = prevalence_of(b, prevalence)
    assert d.prevalence == close(pi)
    for gain, value in ((d.recall_gain, pr.recall), (d.precision_gain, pr.precision)):
        known = value > 0
        assert gain[known] == close((value[known] - pi) / ((1 - pi) * value[known]))
    x, y = d.curve
    assert (x[0], x[-1], y[-1]) == (close(0), close(1), close(0))
    assert (np.diff(x) >= -1e-12).all()
    if prevalence is None:
        for g in np.linspace(0.011, 0.989, 40):
            if np.abs(d.recall_gain - g).min() > 1e-9:
                v = loops.davis_goadrich(b, pi / (1 - g * (1 - pi)))  # the recall of this gain
                assert np.interp(g, x, y) == close((v - pi) / ((1 - pi) * v), 1e-9)


@each
def test_the_hull_lies_above_and_is_concave(b: Binary) -> None:
    d = PrecisionRecallGain.from_predictions(**told(b))
    x, y = d.hull
    assert (np.interp(d.curve[0], x, y) >= d.curve[1] - 1e-9)[d.curve[0] < 1 - 1e-9].all()
    inner = np.diff(x) > 1e-12
    slopes = np.diff(y)[inner] / np.diff(x)[inner]
    assert (np.diff(slopes) <= 1e-9).all()
    assert d.hull_area >= d.area - 1e-12


def test_a_perfect_a_random_and_a_reversed_ranking() -> None:
    y = [1, 0, 0, 1, 0, 0]
    assert PrecisionRecallGain.from_predictions(y, y_score=y).area == close(1)
    tied = PrecisionRecallGain.from_predictions(y, np.full(6, 0.5))
    assert (tied.area, tied.hull_area) == (close(0), close(0))
    worst = PrecisionRecallGain.from_predictions(y, y_score=1 - np.array(y))
    # all four negatives come first: the precision gain is 1 - 1 / recall = -2 at recall 1/3 and 0 at recall 1
    assert worst.curve[1][0] == close(-2)
    assert worst.area == close(-1)
    line = next(x for x in worst.plot().ax_.lines if x.get_gid() == "series")
    shown = np.asarray(line.get_ydata())
    assert not (shown < 0).any()  # below 0 nothing is drawn


def test_what_is_below_zero_is_cut_where_it_crosses() -> None:
    """One positive first, then five negatives, then two positives: pi = 3/8, gains 1 - fpr / tpr."""
    d = PrecisionRecallGain.from_predictions([1, 0, 0, 0, 0, 0, 1, 1], SCORES).plot()
    line = next(x for x in d.ax_.lines if x.get_gid() == "series")
    x, y = (np.asarray(v) for v in line.get_data())
    # recall 3/8 with all negatives found: gain 1 - 8/3 < 0 from the start to recall 1, where it is 0
    assert d.curve[1][0] == close(1 - 8 / 3)
    assert np.nanmax(y) == close(0)
    assert x[np.isfinite(y)] == close(1)


# ------------------------------------------------------------------------------------------- rate-driven


def test_rate_driven_cost_by_hand() -> None:
    """Two positives first, then two negatives: at c = 1/4 three are predicted positive, one of them wrongly."""
    d = RateDrivenCurve.from_predictions([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1])
    grid = [0, 0.25, 0.5, 0.75, 1]
    assert np.interp(grid, d.c, d.cost) == close([0, 2 * 0.25 * 0.25, 0, 2 * 0.25 * 0.25, 0])
    assert d.area == close(1 / 12)  # 1/3 - 1/4
    assert d.best_area == close(0)
    tied = RateDrivenCurve.from_predictions([1, 1, 0, 0], np.full(4, 0.5))
    assert tied.cost == close(2 * tied.c * (1 - tied.c))
    assert tied.area == close(1 / 3)


def by_brute_force(b: Binary, c: float, pi: float) -> float:
    """The cost if the share 1 - c with the highest scores is predicted positive, each class having its share of all;
    of cases that score the same each is taken as far as the others."""
    own, rest = b.weight[b.y == 1].sum(), b.weight[b.y == 0].sum()
    mass = b.weight * np.where(b.y == 1, pi / own, (1 - pi) / rest)
    left, wrong = 1 - c, (1 - c) * pi
    for score in sorted(set(b.p.tolist()), reverse=True):
        here = b.p == score
        taken = min(1.0, left / mass[here].sum()) if mass[here].sum() > 0 else 0.0
        wrong += taken * (c * mass[here & (b.y == 0)].sum() - (1 - c) * mass[here & (b.y == 1)].sum())
        left -= taken * mass[here].sum()
    return float(2 * wrong)


@each
@shares
def test_rate_driven_cost_from_the_definition(b: Binary, prevalence: float | None) -> None:
    d = RateDrivenCurve.from_predictions(**told(b), prevalence=prevalence)
    pi = prevalence_of(b, prevalence)
    places = d.c[:: max(1, len(d.c) // 60)]
    assert np.interp(places, d.c, d.cost) == close([by_brute_force(b, c, pi) for c in places], 1e-9)


@each
@shares
def test_the_area_is_the_auc_on_another_scale(b: Binary, prevalence: float | None) -> None:
    """Hernandez-Orallo, Flach and Ferri: pi0 pi1 (1 - 2 AUC) + 1/3, with the AUC counted over all pairs."""
    pi = prevalence_of(b, prevalence)
    d = RateDrivenCurve.from_predictions(**told(b), prevalence=prevalence)
    expected = pi * (1 - pi) * (1 - 2 * loops.mann_whitney(b)) + 1 / 3
    assert d.area == close(expected)
    assert np.trapezoid(d.cost, d.c) == close(expected, 2e-4)


@each
@shares
def test_best_thresholds_are_those_of_the_brier_curve(b: Binary, prevalence: float | None) -> None:
    """They depend on the ranking alone. The reference is checked by brute force elsewhere."""
    d = RateDrivenCurve.from_predictions(**told(b), prevalence=prevalence)
    brier = BrierCurve.from_predictions(**told(b), prevalence=prevalence)
    grid = np.linspace(0, 1, 77)
    assert np.interp(grid, d.best_c, d.best_cost) == close(np.interp(grid, brier.best_c, brier.best_cost), 1e-9)
    assert (np.interp(d.c, d.best_c, d.best_cost) <= d.cost + 1e-9).all()


@pytest.mark.parametrize("kind", [PrecisionRecallGain, RateDrivenCurve])
def test_bands_hold_the_curve_and_narrow(kind: Any) -> None:
    rng = np.random.default_rng(4)
    widths = []
    for n in (80, 2000):
        y = (rng.random(n) < 0.3).astype(int)
        d = kind.from_predictions(y, y_score=np.round(rng.normal(1.2 * y), 2), band=0.9, replicates=200)
        x, values = d.xy
        inside = (d.band.at > 0.02) & (d.band.at < 0.98)
        assert d.band.value[inside] == close(np.interp(d.band.at[inside], x, values), 0.08)
        assert (d.band.low <= d.band.value).all()
        assert (d.band.high >= d.band.value).all()
        widths.append(np.median(d.band.high - d.band.low))
    assert widths[1] < widths[0] / 3


def test_one_ranking_one_curve() -> None:
    """Only the order of scores counts: that of a ROC curve, not that of probabilities."""
    p = np.array([0.1, 0.3, 0.35, 0.8, 0.7, 0.9])
    y = np.array([0, 1, 0, 0, 1, 1])
    for kind in (PrecisionRecallGain, RateDrivenCurve):
        one, two = kind.from_predictions(y, p), kind.from_predictions(y, y_score=np.log(p) * 7)
        assert one.area == close(two.area)
        assert one.xy[1] == close(two.xy[1])
    assert ROCCurve.from_predictions(y, p).area == close(loops.mann_whitney(Binary("here", y, p)))
