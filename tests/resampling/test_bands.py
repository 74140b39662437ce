"""Bands of curves: how often they hold the curve of the population, and what they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit, ndtr, ndtri

import karat
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import BrierCurve, CostCurve, Lift, LiftByDecile, PrecisionRecall, ROCCurve
from karat.resampling import heights_between
from karat.resampling.bands import _points
from karat.resampling.draws import Resampling

CURVES = (ROCCurve, PrecisionRecall, Lift, CostCurve, BrierCurve)
every_curve = pytest.mark.parametrize("kind", CURVES, ids=[kind.name for kind in CURVES])


def sample(rng: np.random.Generator, n: int, distance: float = 1.0, share: float = 0.5) -> tuple[Array, Array]:
    """Truth and true probabilities of a binormal population: the scores of the class lie higher by this distance."""
    y = (rng.random(n) < share).astype(int)
    y[:4] = 0, 0, 1, 1
    x = rng.normal(size=n) + distance * y
    return y, expit(distance * x - distance**2 / 2 + logit(share))


def height_in_population(kind: Any, at: Array, d: float = 1.0, share: float = 0.5) -> Array:
    """By the formulas of normal distributions, at places between 0 and 1."""
    if kind is ROCCurve:
        return ndtr(ndtri(at) + d)
    if kind is PrecisionRecall:
        return share * at / (share * at + (1 - share) * ndtr(ndtri(at) - d))
    cuts = np.linspace(9, -8, 200_001)
    fpr, tpr = ndtr(-cuts), ndtr(d - cuts)
    if kind is Lift:
        return np.interp(at, share * tpr + (1 - share) * fpr, tpr)
    cut = d / 2 + (logit(at) - logit(share) if kind is BrierCurve else logit(1 - at)) / d
    if kind is BrierCurve:
        return 2 * (at * (1 - share) * ndtr(-cut) + (1 - at) * share * ndtr(cut - d))
    return (1 - at) * ndtr(-cut) + at * ndtr(cut - d)


def held(kind: Any, places: Array, band: Any) -> Array:
    truth = height_in_population(kind, places)
    low, high = np.interp(places, band.at, band.low), np.interp(places, band.at, band.high)
    return (low - 1e-9 <= truth) & (truth <= high + 1e-9)


# ------------------------------------------------------------------------------------------------ coverage


@every_curve
def test_a_band_holds_its_level_up_to_the_ends(kind: Any) -> None:
    rng, places = np.random.default_rng(3), np.array([0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98])
    inside, whole = [], []
    for seed in range(60):
        e = karat.evaluate(*sample(rng, 200)).statistics
        inside.append(held(kind, places, kind.of(e, band=0.95, replicates=150, seed=seed).band))
        band = kind.of(e, band=0.95, replicates=150, seed=seed, simultaneous=True).band
        whole.append(held(kind, places, band).all())
    assert np.mean(inside, axis=0).min() > 0.88  # plain percentiles of the ROC curve: .6 at .95
    assert 0.94 < np.mean(inside) < 0.995
    assert np.mean(whole) > 0.9


def test_a_band_with_weights_and_one_of_groups_hold_their_level() -> None:
    rng, places = np.random.default_rng(4), np.array([0.1, 0.3, 0.5, 0.7, 0.9, 0.97])
    weighted, grouped, ignorant = [], [], []
    for seed in range(60):
        y, p = sample(rng, 200)
        options: dict[str, Any] = {"band": 0.95, "replicates": 150, "seed": seed}
        band = ROCCurve.from_predictions(y, p, sample_weight=rng.gamma(1.0, 0.7, 200), **options).band
        weighted.append(held(ROCCurve, places, band))
        groups = np.arange(200) % 40
        y = groups % 2  # all cases of a group are of one class, as those of a patient
        x = np.sqrt(0.5) * (rng.normal(size=40)[groups] + rng.normal(size=200)) + y
        grouped.append(held(ROCCurve, places, ROCCurve.from_predictions(y, y_score=x, groups=groups, **options).band))
        ignorant.append(held(ROCCurve, places, ROCCurve.from_predictions(y, y_score=x, **options).band))
    assert np.mean(weighted) > 0.93
    assert np.mean(grouped) > 0.93
    assert np.mean(ignorant) < 0.93  # cases of a group are alike, and count for fewer


def test_a_simultaneous_band_holds_rare_large_costs() -> None:
    """Of an overconfident model few cases carry the costs near both ends (held in 0.90)."""
    rng, places, d = np.random.default_rng(8), np.linspace(0, 1, 41)[1:-1], 2.0
    cut = d / 2 + logit(places) / (2.5 * d)
    truth = 2 * (places * 0.5 * ndtr(-cut) + (1 - places) * 0.5 * ndtr(cut - d))
    inside = []
    for seed in range(200):
        y = (rng.random(200) < 0.5).astype(int)
        p = expit(2.5 * (d * (rng.normal(size=200) + d * y) - d**2 / 2))
        band = BrierCurve.from_predictions(y, p, band=0.95, replicates=400, seed=seed, simultaneous=True).band
        at = np.searchsorted(band.at, places - 1e-9)
        inside.append(((band.low[at] <= truth) & (truth <= band.high[at])).all())
    assert np.mean(inside) > 0.93


def test_a_perfect_ranking_of_few_cases_is_not_certain() -> None:
    y = np.repeat([0, 1], [300, 20])
    band = ROCCurve.from_predictions(y, y_score=np.arange(320.0), band=0.95, replicates=4000).band
    inner = (band.at >= 0.1) & (band.at <= 0.9)
    assert (band.high[inner] == 1).all()
    assert band.low[inner] == pytest.approx(np.full(inner.sum(), stats.beta.ppf(0.025, 20.5, 0.5)), abs=0.015)


# ---------------------------------------------------------------------------------------------- what it is


@every_curve
def test_the_value_of_a_band_is_the_curve(kind: Any) -> None:
    y, p = sample(np.random.default_rng(0), 300, share=0.3)
    p = np.round(p, 2)
    for prevalence in (None, 0.1):
        if prevalence and kind in (ROCCurve, CostCurve):
            continue
        options = {"prevalence": prevalence} if prevalence else {}
        d = kind.from_predictions(y, p, band=0.9, replicates=50, **options)
        band = d.band
        at, value = band.at[1:-1], band.value[1:-1]
        if kind is BrierCurve:
            share = d.prevalence
            fpr, fnr = ([(p[y == 0] >= c).mean() for c in at], [(p[y == 1] < c).mean() for c in at])
            expected = 2 * (at * (1 - share) * np.array(fpr) + (1 - at) * share * np.array(fnr))
        else:
            x, curve = d.xy
            inside = ~np.isclose(at[:, None], x).any(axis=1)  # not on a step
            at, value = at[inside], value[inside]
            expected = np.interp(at, x, curve)
        assert len(at) > 50
        assert value == pytest.approx(expected, abs=2e-3 if kind is PrecisionRecall else 1e-9)
        assert (band.low <= band.value).all()
        assert (band.value <= band.high).all()
        assert (band.level, band.simultaneous, band.undefined) == (0.9, False, 0)


@every_curve
def test_a_band_of_the_whole_curve_is_wider(kind: Any) -> None:
    e = karat.evaluate(*sample(np.random.default_rng(1), 300)).statistics
    pointwise, whole = (kind.of(e, band=0.95, simultaneous=s, replicates=300).band for s in (False, True))
    assert (whole.low <= pointwise.low).all()
    assert (whole.high >= pointwise.high).all()
    assert (whole.high - whole.low).mean() > 1.2 * (pointwise.high - pointwise.low).mean()
    assert (pointwise.words, whole.words) == ("95 % band, pointwise", "95 % band, simultaneous")
    narrow = kind.of(e, band=0.5, replicates=300).band
    assert (narrow.high - narrow.low).mean() < 0.6 * (pointwise.high - pointwise.low).mean()
    again = kind.of(e, band=0.95, replicates=300).band
    assert np.array_equal(again.low, pointwise.low)
    assert not np.array_equal(kind.of(e, band=0.95, replicates=300, seed=1).band.low, pointwise.low)


@every_curve
def test_cases_keep_their_weights(kind: Any) -> None:
    y, p = sample(np.random.default_rng(2), 200)
    weight = np.random.default_rng(3).gamma(0.5, 2, 200)
    options: dict[str, Any] = {"band": 0.95, "replicates": 200}

    def width(**more: Any) -> float:
        band = kind.from_predictions(y, p, **options, **more).band
        return float((band.high - band.low).mean())

    # what a weight is measured in does not matter, and cases with uneven weights say less than as many with equal ones
    assert width(sample_weight=weight) == pytest.approx(width(sample_weight=weight * 0.37))
    assert width(sample_weight=np.full(200, 0.7)) == pytest.approx(width())
    assert width(sample_weight=weight) > 1.25 * width()


@every_curve
def test_groups_are_drawn_whole(kind: Any) -> None:
    y, p = sample(np.random.default_rng(5), 150)
    options: dict[str, Any] = {"band": 0.95, "replicates": 300}

    def width(times: int, **more: Any) -> float:
        band = kind.from_predictions(np.repeat(y, times), np.repeat(p, times), **options, **more).band
        return float((band.high - band.low).mean())

    assert width(4, groups=np.repeat(np.arange(150), 4)) == pytest.approx(width(1), rel=0.1)
    assert width(4) < 0.7 * width(1)


def test_heights_of_many_curves_at_once() -> None:
    fpr, tpr = np.array([0, 0, 0.5, 0.5, 1]), np.array([0, 0.4, 0.6, 0.8, 1])
    at = np.array([0, 0.25, 0.5, 0.75, 1])
    assert heights_between(fpr[None], tpr[None], at)[0] == pytest.approx([0.4, 0.5, 0.8, 0.9, 1])
    assert heights_between(fpr[None], tpr[None], at, upper=False)[0] == pytest.approx([0, 0.5, 0.6, 0.9, 1])
    rng = np.random.default_rng(0)
    x, y = (np.sort(rng.random((30, 20)), axis=1) for _ in range(2))
    x[:, 0], x[:, -1] = 0, 1
    for upper in (True, False):
        expected = [np.interp(at, one, other) for one, other in zip(x, y, strict=True)]
        assert heights_between(x, y, at, upper=upper) == pytest.approx(np.array(expected))


def test_many_scores_are_thinned_to_points_that_are_exact() -> None:
    y, p = sample(np.random.default_rng(6), 5000)
    few, many = (ROCCurve.from_predictions(y, x, band=0.95, replicates=100).band for x in (np.round(p, 2), p))
    assert many.low == pytest.approx(few.low, abs=0.02)
    fpr, tpr, _ = pytest.importorskip("sklearn.metrics").roc_curve(y, p, drop_intermediate=False)
    assert many.value[1:] == pytest.approx(np.interp(many.at, fpr, tpr)[1:], abs=2e-3)


def test_one_class_of_several() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet([1, 1, 1], 200) + 0.6 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    several = PrecisionRecall.for_each_class(y, p, band=0.95, replicates=100)
    for j, member in enumerate(several):
        two = PrecisionRecall.from_predictions((y == j).astype(int), p[:, j], band=0.95, replicates=100)
        assert member.band.value == pytest.approx(two.band.value)
        assert (member.band.high - member.band.low).mean() == pytest.approx(
            (two.band.high - two.band.low).mean(), rel=0.1
        )


# ------------------------------------------------------------------------------------------------ refusals


@every_curve
def test_where_there_is_no_band(kind: Any) -> None:
    y, p = sample(np.random.default_rng(8), 40)

    def refused(words: str, **options: Any) -> None:
        with pytest.raises(InputError, match=words):
            kind.from_predictions(y, p, **options)

    for bad in (0, 1, 2, True, "wide", np.nan):
        refused("band is", band=bad)
    refused("groups has 3 entries", band=0.95, groups=[1, 2, 3])
    refused("one group with negative cases", band=0.95, groups=y * np.arange(40))
    refused("groups was given without a band", groups=np.arange(40))
    refused("simultaneous was given without a band", simultaneous=True)
    refused("simultaneous is 'yes'", band=0.95, simultaneous="yes")
    refused("replicates is 0", band=0.95, replicates=0)
    with pytest.raises(InputError, match="one positive case"):
        kind.from_predictions([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], band=0.95)
    with pytest.raises(InputError, match="one negative case"):
        kind.from_predictions([0, 1, 1], [0.1, 0.2, 0.3], band=0.95, sample_weight=[0.5, 1.5, 2])
    with pytest.raises(InputError, match="matrix"):
        kind.from_matrix([[5, 1], [2, 4]], band=0.95)


def test_a_diagram_without_a_band_says_which_options_it_has() -> None:
    with pytest.raises(InputError, match="lift_by_decile has no option 'band'"):
        LiftByDecile.from_predictions([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6], band=0.95)
    for kind in CURVES:
        assert {"band", "simultaneous", "replicates", "seed", "groups"} <= set(kind.options())


@pytest.mark.parametrize("groups", [2, 3])
def test_very_few_groups_have_no_band(groups: int) -> None:
    """A band of three groups was drawn without a word, less wide than that of four; intervals need four."""
    rng = np.random.default_rng(5)
    y = np.arange(120) % 2
    e = karat.evaluate(y, y_score=rng.normal(y, 1), positive=1)
    with pytest.raises(InputError, match=f"{groups} groups are too few to estimate how much they differ: at least 4"):
        e.diagram("roc_curve", band=0.95, replicates=50, groups=np.arange(120) // 2 % groups)
    assert e.diagram("roc_curve", band=0.95, replicates=50, groups=np.arange(120) // 2 % 4).band is not None


def test_few_groups_of_one_side_make_the_band_of_rates_wide() -> None:
    """Groups of one class each, three of them positive: what rates of three groups vary is known from three, not from
    all twelve (the simultaneous band of four of each held in 0.86)."""
    rng = np.random.default_rng(6)
    group = np.arange(240) % 12
    y = (group < 3).astype(int)
    score = rng.normal(y, 1) + 0.3 * rng.normal(size=12)[group]
    e = karat.evaluate(y, y_score=score, positive=1)
    few, all_sides = (e.diagram("roc_curve", band=0.95, groups=g).band for g in (group, np.arange(240) // 20 % 12))
    assert np.mean(few.high - few.low) > 1.5 * np.mean(all_sides.high - all_sides.low)


def test_few_groups_stretch_a_simultaneous_band_more_than_a_pointwise_one() -> None:
    """Student's t of three degrees of freedom has far longer tails than a normal deviate: with four groups the band of
    the whole Brier curve held in 0.87, although that at each place held its level."""
    rng, group = np.random.default_rng(7), np.arange(200) % 4
    y = (rng.random(200) < 0.5).astype(int)
    p = expit(rng.normal(y - 0.5, 1) + 0.2 * rng.normal(size=4)[group])

    def width(groups: Any, **more: Any) -> float:
        band = BrierCurve.from_predictions(y, p, band=0.95, replicates=300, groups=groups, **more).band
        return float((band.high - band.low).mean())

    few, many = (width(g, simultaneous=True) / width(g) for g in (group, np.arange(200)))
    assert few > 1.3 * many


def test_replicates_without_a_case_of_one_side_are_no_curves() -> None:
    """One positive case of 40: it is missing from a third of the replicates; what is kept is defined."""
    source = karat.evaluate(np.arange(40) == 7, np.linspace(0.01, 0.99, 40), positive=True).statistics.source

    def drawn(replicates: int, seed: int) -> Any:
        how = Resampling(replicates=replicates, level=0.95, seed=seed, stratified=False, groups=None, workers=1)
        try:
            return _points(source, 1, how, None)
        except InputError:  # no replicate has both positive and negative cases
            return None

    kept = [found for seed in range(12) if (found := drawn(1, seed)) is not None]
    assert 0 < len(kept) < 12
    for own, points, undefined in kept:
        assert undefined == 0
        assert np.isfinite([*points.fpr[0], *points.tpr[0]]).all()
        assert own.tpr[0, -1] == own.fpr[0, -1] == 1
    _, points, undefined = drawn(60, 1)
    assert 0 < undefined < 1
    assert undefined == pytest.approx(1 - len(points.fpr) / 60)
