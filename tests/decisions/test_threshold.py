"""The best threshold: exact, named, and in words."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

import karat
from costly import COST, literal_cost, scored
from karat.core.words import shortest_cut
from karat.decisions.threshold_uncertainty import lowest_cost


@pytest.mark.parametrize("cost", [COST, [[-1.0, 2.0], [3.0, -4.0]], [[0.0, 1.0], [1.0, 0.0]]])
@pytest.mark.parametrize("prior", [None, [0.9, 0.1], [0.2, 0.8]])
def test_the_best_threshold_is_the_best_of_all(cost: Any, prior: Any) -> None:
    for seed in range(5):
        y, p = scored(seed)
        share = prior or [1 - y.mean(), y.mean()]
        cuts = [math.inf, *sorted(set(p.tolist()), reverse=True)]
        costs = [literal_cost(y, (p >= cut).astype(int), cost, share) for cut in cuts]
        found = karat.evaluate(y, p).operating(cost, prior).threshold
        assert found is not None
        assert found.cost == pytest.approx(min(costs))
        best = [cut for cut, x in zip(cuts, costs, strict=True) if x < min(costs) + 1e-12]
        assert found.threshold == max(best)
        assert found.ties == len(best) - 1
        d = (p >= found.threshold).astype(int)
        assert np.array_equal(found.matrix, [[((y == a) & (d == b)).sum() for b in (0, 1)] for a in (0, 1)])
        miss, alarm = cost[1][0] - cost[1][1], cost[0][1] - cost[0][0]
        cut = alarm / (alarm + miss)
        moved = p * share[1] / y.mean()
        moved = moved / (moved + (1 - p) * share[0] / (1 - y.mean()))
        assert found.cost_at_bayes == pytest.approx(literal_cost(y, (moved > cut + 1e-12).astype(int), cost, share))
        assert found.miscalibration == pytest.approx(found.cost_at_bayes - found.cost)
        assert found.miscalibration >= 0
        if prior is None:
            assert found.bayes == pytest.approx(cut)
        assert found.pc == pytest.approx(share[1] * miss / (share[1] * miss + share[0] * alarm))


def test_the_positive_class_may_stand_first() -> None:
    y, p = scored()
    names = np.where(y == 1, "bad", "good")
    e = karat.evaluate(names, p, positive="bad")
    assert e.classes == ("bad", "good")
    a = e.operating([[0, 5], [1, 0]]).threshold
    b = karat.evaluate(y, p).operating(COST).threshold
    assert a is not None
    assert b is not None
    assert (a.threshold, a.bayes, a.pc) == pytest.approx((b.threshold, b.bayes, b.pc))
    assert a.cost == pytest.approx(b.cost)


def test_the_trivial_thresholds_are_named() -> None:
    y, p = [0, 0, 0, 1], [0.9, 0.2, 0.3, 0.1]
    never = karat.evaluate(y, p).operating([[0, 100], [1, 0]]).threshold
    always = karat.evaluate(y, p).operating([[0, 1], [100, 0]]).threshold
    assert never is not None
    assert never.rule == "never positive"
    assert always is not None
    assert always.rule == "always positive"
    assert json.dumps(never.to_dict())
    assert repr(never).startswith("never positive: expected cost 0.25")
    assert never.to_dict()["threshold"] is None


def test_calibrated_probabilities_cost_nothing_extra_in_the_long_run() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(20_000)
    y = (rng.random(20_000) < p).astype(int)
    good = karat.evaluate(y, p).operating(COST).threshold
    bad = karat.evaluate(y, p**3).operating(COST).threshold
    assert good is not None
    assert bad is not None
    assert good.threshold == pytest.approx(1 / 6, abs=0.02)
    assert good.miscalibration < 0.005  # the best of many is chosen, so never quite nothing
    assert bad.miscalibration > 0.02
    assert bad.cost == pytest.approx(good.cost)
    assert good.chance > 0.05
    assert bad.chance < 0.05
    assert bad.miscalibration > 5 * bad.by_chance


def test_the_chance_of_a_loss_by_miscalibration_is_uniform_for_calibrated_models() -> None:
    rng = np.random.default_rng(10)
    chances = []
    for _ in range(80):
        p = rng.random(120)
        found = karat.evaluate((rng.random(120) < p).astype(int), p).operating(COST).threshold
        assert found is not None
        chances.append(found.chance)
    assert np.mean(chances) == pytest.approx(0.5, abs=0.1)
    assert np.mean(np.array(chances) < 0.1) < 0.2
    y, p = scored()
    weighted = karat.evaluate(y, p, sample_weight=1 + y).operating(COST).threshold
    assert weighted is not None
    assert math.isnan(weighted.chance)


def test_a_threshold_is_written_with_the_fewest_digits_that_decide_the_same() -> None:
    rng = np.random.default_rng(2)
    scores = np.unique(
        np.concatenate([rng.random(50), 1 - 10.0 ** -np.arange(4, 15), rng.normal(0, 1e5, 50), [-0.3, 0]])
    )
    for below, at in itertools.pairwise(scores.tolist()):
        text = shortest_cut(at, below)
        assert ((scores >= float(text)) == (scores >= at)).all()
        digits = len(text.split("e")[0].replace(".", "").replace("-", "").strip("0"))
        for fewer in range(1, digits):  # no shorter number lies between: the nearest ones on both sides don't
            near = float(f"{at:.{fewer}g}")
            step = 10.0 ** (math.floor(math.log10(abs(at))) - fewer + 1)
            assert not any(below < x <= at for x in (near, near - step) if float(f"{x:.{fewer}g}") == x), (text, near)
    assert [shortest_cut(0.3, 0.29), shortest_cut(0.3, 0.1), shortest_cut(1.0, 0.99), shortest_cut(-1.25, -1.5)] == [
        "0.3", "0.3", "1", "-1.3",
    ]  # fmt: skip


def test_the_rule_in_words_finds_what_the_best_threshold_finds() -> None:
    p = np.array([0.2, 0.4, 0.99999, 0.9999999995, 0.99999999963, 0.9999999999, 1.0])
    y = np.array([0, 0, 0, 0, 1, 1, 1])
    best = karat.evaluate(y, p).operating().threshold
    assert best is not None
    assert best.rule == "positive from 0.9999999996 on"
    assert (p >= float(best.rule.split()[2])).sum() == 3


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_costs_that_differ_by_rounding_are_equal_in_any_currency(unit: float) -> None:
    costs = unit * np.array([0.3, 0.1 + 0.2, 0.30001, 0.4])
    assert lowest_cost(costs, unit * np.array([[0, 1], [1, 0]])).tolist() == [True, True, False, False]
    assert lowest_cost(np.zeros(3), np.zeros((2, 2))).tolist() == [True] * 3
