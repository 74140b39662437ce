"""How sure the best threshold is, and what it costs on new cases."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import karat
from karat.decisions import threshold_uncertainty
from karat.decisions.threshold import Threshold


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def normal_scores(rng: np.random.Generator, n: int, share: float, apart: float) -> tuple[Any, Any]:
    """Two normal distributions of scores."""
    y = (rng.random(n) < share).astype(int)
    return y, sigmoid(rng.normal(size=n) + apart * y)


def threshold_of(y: Any, p: Any, *conditions: Any, **options: Any) -> Threshold:
    best = karat.evaluate(y, p).operating(*conditions, **options).threshold
    assert best is not None
    return best


@pytest.mark.parametrize(("share", "miss", "prior"), [(0.4, 1.0, None), (0.2, 4.0, None), (0.3, 1.0, 0.5)])
def test_the_intervals_cover_and_the_new_cost_does_not_flatter(share: float, miss: float, prior: float | None) -> None:
    """The population is known: two normal distributions."""
    rng = np.random.default_rng(3)
    here = share if prior is None else prior

    def true_cost(cut: float) -> float:
        return float(here * miss * stats.norm.cdf(cut - 1.5) + (1 - here) * stats.norm.sf(cut))

    best = sigmoid(minimize_scalar(true_cost, bounds=(-5, 7), method="bounded").x)
    covers, priced, flattery, error = [], [], [], []
    for _ in range(80):
        t = threshold_of(*normal_scores(rng, 200, share, 1.5), [[0, 1], [miss, 0]], prior)
        true = true_cost(math.log(t.threshold / (1 - t.threshold)))
        covers.append(t.interval[0] <= best <= t.interval[1])
        priced.append(t.new_cost_interval[0] <= true <= t.new_cost_interval[1])
        flattery.append(t.cost - true)
        error.append(t.new_cost - true)
        assert t.interval[0] < t.threshold <= t.interval[1]
    assert np.mean(covers) > 0.9
    assert np.mean(priced) > 0.86  # four standard errors below .95
    noise = np.std(error) / math.sqrt(80)
    assert np.mean(flattery) < -4 * noise
    assert abs(np.mean(error)) < 4 * noise


@pytest.mark.parametrize(
    ("n", "share", "apart", "miss"), [(300, 0.1, 2.5, 10.0), (300, 0.1, 3.5, 10.0), (100, 0.15, 2.5, 5.0)]
)
def test_a_rare_class_whose_misses_are_dear(n: int, share: float, apart: float, miss: float) -> None:
    """The best threshold of the population may lie below the lowest positive case, where no case that is drawn again
    can be: subsamples held it in .68 to .90."""
    best = sigmoid(math.log((1 - share) / (share * miss)) / apart + apart / 2)  # where the densities are as the costs
    rng, covers = np.random.default_rng(31), []
    while len(covers) < 80:
        y, p = normal_scores(rng, n, share, apart)
        if y.sum() >= 10:
            low, high = threshold_of(y, p, [[0, 1], [miss, 0]]).interval
            covers.append(low <= best <= high)
    assert np.mean(covers) > 0.93


def test_the_cost_of_new_cases_may_be_lower_than_cross_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer cases choose worse: an interval around the cross-validated cost alone held in .90."""
    monkeypatch.setattr(threshold_uncertainty.SmoothClasses, "best", lambda *_: (np.zeros(1), np.zeros(1)))
    priced = []
    for seed in range(120):
        rng = np.random.default_rng([seed, 12, 300])
        y = (rng.random(300) < 0.1).astype(int)
        scores = rng.normal(size=300) + 2 * y
        t = karat.evaluate(y, y_score=scores, positive=1).operating([[0, 1], [5, 0]], 0.5).threshold
        assert t is not None
        true = 0.5 * 5 * stats.norm.cdf(t.threshold - 2.0) + 0.5 * stats.norm.sf(t.threshold)
        priced.append(t.new_cost_interval[0] <= true <= t.new_cost_interval[1])
    assert np.mean(priced) > 0.94


def test_an_interval_narrows_with_the_cube_root_of_the_cases() -> None:
    rng = np.random.default_rng(4)
    width = {}
    for n in (400, 25_600):  # 64 times as many: a quarter of the width, not an eighth
        ends = [threshold_of(*normal_scores(rng, n, 0.5, 1.5)).interval for _ in range(8)]
        width[n] = np.mean([high - low for low, high in ends])
    assert 2.6 < width[400] / width[25_600] < 6


def test_scores_may_be_on_any_scale() -> None:
    y, p = normal_scores(np.random.default_rng(5), 150, 0.4, 1.0)
    own, other = threshold_of(y, p), threshold_of(y, p**3)
    assert other.interval == pytest.approx(tuple(x**3 for x in own.interval), rel=1e-12)
    assert other.new_cost_interval == own.new_cost_interval
    real = karat.evaluate(y, y_score=np.log(p / (1 - p))).operating().threshold
    assert real is not None
    assert sigmoid(np.array(real.interval)) == pytest.approx(own.interval, rel=1e-9)


def test_where_the_classes_are_apart_any_cut_between_them_may_be_best() -> None:
    """The cost of no errors: Jeffreys' upper ends of both shares, as the sides of a right triangle."""
    y = np.r_[np.zeros(60, int), np.ones(40, int)]
    p = np.where(y == 1, 0.7, 0.3)
    t = threshold_of(y, p, [[0, 2], [5, 0]])
    assert t.interval == (0.3, 0.7)
    assert (t.cost, t.new_cost, t.new_cost_interval[0]) == (0, 0, 0)
    end = stats.beta(0.5, 100.5).ppf(0.975)
    assert t.new_cost_interval[1] == pytest.approx(math.hypot(2 * end, 5 * end))
    decreed = threshold_of(y, p, [[0, 2], [5, 0]], [0.8, 0.2], level=0.9)
    ends = [stats.beta(0.5, n + 0.5).ppf(0.95) for n in (60, 40)]
    assert decreed.new_cost_interval[1] == pytest.approx(math.hypot(0.8 * 2 * ends[0], 0.2 * 5 * ends[1]))
    assert decreed.level == 0.9
    spread = threshold_of(y, np.r_[np.linspace(0.05, 0.3, 60), np.linspace(0.7, 0.9, 40)], [[0, 2], [5, 0]])
    assert 0.2 < spread.interval[0] <= 0.3  # the population may have cases beyond the extreme ones
    assert 0.7 <= spread.interval[1] < 0.8
    assert 0.05 <= spread.new_cost < 0.06  # without the lowest of the positive cases the cut would miss it


def test_scores_that_say_nothing_may_be_cut_anywhere_or_nowhere() -> None:
    rng = np.random.default_rng(6)
    t = threshold_of(np.arange(200) % 2, rng.random(200))
    assert t.interval[1] - t.interval[0] > 0.5
    assert t.new_cost_interval[0] < 0.5 < t.new_cost_interval[1]
    assert t.new_cost > t.cost
    always = threshold_of((np.arange(200) % 4 > 0).astype(int), rng.random(200), [[0, 1], [9, 0]])
    assert always.interval[0] == -math.inf
    assert always.to_dict()["interval"][0] is None
    assert "95 % interval of the best threshold: between always positive and 0." in repr(always)


def test_the_class_that_is_looked_for_may_stand_first_and_cases_may_have_weights() -> None:
    y, p = normal_scores(np.random.default_rng(7), 300, 0.3, 1.2)
    own = threshold_of(y, p, [[0, 1], [3, 0]])
    first = karat.evaluate(np.where(y == 1, "bad", "good"), p, positive="bad").operating([[0, 3], [1, 0]]).threshold
    assert first is not None
    assert first.interval == pytest.approx(own.interval)
    assert first.new_cost == pytest.approx(own.new_cost)
    twice = karat.evaluate(y, p, sample_weight=np.full(300, 2.0)).operating([[0, 1], [3, 0]]).threshold
    assert twice is not None
    assert twice.interval == pytest.approx(own.interval)
    assert twice.new_cost_interval == pytest.approx(own.new_cost_interval)
    rough = karat.evaluate(y, p, sample_weight=np.where(np.arange(300) % 2, 9.0, 0.1)).operating([[0, 1], [3, 0]])
    assert rough.threshold is not None
    wider, narrower = (np.subtract(*t.new_cost_interval) for t in (rough.threshold, own))
    assert wider < 1.2 * narrower < 0


def test_too_few_cases_are_said() -> None:
    rng = np.random.default_rng(8)
    y = (np.arange(100) < 15).astype(int)
    some = threshold_of(y, sigmoid(rng.normal(size=100) + y))
    assert np.isfinite(some.new_cost_interval).all()
    assert some.interval[0] < some.interval[1]
    assert some.reason == ""
    few = threshold_of(y[8:], sigmoid(rng.normal(size=92) + y[8:]))
    assert (few.to_dict()["new_cost"], few.to_dict()["interval"]) == (None, [None, None])
    assert few.reason == "the rarer class has only 7 cases; at least 10 are needed"
    json.dumps(few.to_dict(), allow_nan=False)
    idle = np.where(np.arange(100) < 8, 0.0, 1.0)  # cases without weight are none
    weighted = karat.evaluate(y, sigmoid(rng.normal(size=100) + y), sample_weight=idle).operating().threshold
    assert weighted is not None
    assert weighted.reason == "the rarer class has only 7 cases; at least 10 are needed"


def test_words_seed_and_level() -> None:
    y, p = normal_scores(np.random.default_rng(9), 200, 0.5, 1.5)
    e = karat.evaluate(y, p)
    ways = e.operating()
    t = ways.threshold
    assert t is not None
    assert (
        f"95 % interval of the best threshold: between {t.interval[0]:.3g} and {t.interval[1]:.3g} (drawn from"
        in repr(t)
    )
    assert f"expected cost on new cases: {t.new_cost:.3f} [" in repr(t)
    assert (
        f"(optimistic: chosen and evaluated on the same data; about {t.new_cost:.3f} on new cases)"
        in ways.to_table().columns["how"][-1]
    )
    assert (t.level, t.reason) == (0.95, "")
    again = e.operating().threshold
    assert again is not None
    assert (again.interval, again.new_cost) == (t.interval, t.new_cost)
    narrow = e.operating(level=0.8).threshold
    assert narrow is not None
    assert t.interval[0] <= narrow.interval[0] < narrow.interval[1] <= t.interval[1]
    assert narrow.interval != t.interval
    with pytest.raises(karat.InputError, match="confidence"):
        e.operating(level=0.05)
    surest = e.operating(level=0.9999).threshold
    assert surest is not None
    assert surest.reason == "5000 replicates are too few for 99.99 %: 20000 or more are needed"


def test_one_case_is_said_in_the_singular() -> None:
    one = threshold_of([1] + [0] * 30, np.linspace(0.9, 0.1, 31))
    assert one.reason == "the rarer class has only 1 case; at least 10 are needed"


def test_an_interval_holds_the_threshold_that_it_is_of() -> None:
    """Though thresholds of drawn cases may all lie to one side of it, as with rare classes and dear misses."""
    rng = np.random.default_rng(12)
    for _ in range(12):
        y, p = normal_scores(rng, 120, float(rng.uniform(0.1, 0.9)), 1.2)
        e = karat.evaluate(y, p, positive=1)
        operating = e.operating(cost={"fp": 1, "fn": float(rng.choice([0.05, 1, 20]))})
        if operating.threshold is not None and np.isfinite(operating.threshold.interval).all():
            low, high = operating.threshold.interval
            assert low <= operating.threshold.threshold <= high


@pytest.mark.parametrize("to", [-1, 1])
def test_draws_to_one_side_leave_the_threshold_at_an_end(to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    y, p = normal_scores(np.random.default_rng(13), 400, 0.5, 1.5)
    e = karat.evaluate(y, p, positive=1)
    best = e.operating().threshold
    assert best is not None
    here = stats.norm.ppf(np.mean(p < best.threshold))
    draws = here + to * np.linspace(0.1, 1.0, 200)
    monkeypatch.setattr(threshold_uncertainty.SmoothClasses, "best", lambda *_: (draws, draws))
    found = e.operating().threshold
    assert found is not None
    low, high = found.interval
    assert (low, high)[to < 0] == (best.below, best.threshold)[to < 0]
    assert low <= found.threshold <= high
    assert high - low > 0.05
