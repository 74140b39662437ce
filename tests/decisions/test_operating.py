"""Decisions under costs: every way of deciding tried one by one, and what the papers print."""

from __future__ import annotations

import csv
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

import karat
from cases import probabilities
from karat.core.record import Record
from karat.core.words import shortest_cut
from karat.data import InputError
from karat.decisions.dominance import replicated_points
from karat.decisions.operating import operating
from karat.measures.costs import normalised, prices
from karat.statistics.roc_hull import probability_cost
from peers import ORACLES, stored

COST = [[0.0, 1.0], [5.0, 0.0]]


def scored(seed: int = 1, n: int = 60, digits: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.clip(np.round(0.3 * y + rng.normal(0.35, 0.2, n), digits), 0, 1)


def literal_cost(y: Any, d: Any, cost: Any, prior: Any) -> float:
    """Mean cost of the cases of each class, averaged by prior."""
    found = 0.0
    for j, share in enumerate(prior):
        mine = [cost[j][b] for a, b in zip(y, d, strict=True) if a == j]
        found += share * sum(mine) / len(mine)
    return found


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


def literal_rule(row: Any, cost: Any, new: Any, old: Any) -> int:
    moved = [p * a / b for p, a, b in zip(row, new, old, strict=True)]
    total = sum(moved)
    worth = [sum(moved[j] / total * cost[j][d] for j in range(len(row))) for d in range(len(cost[0]))]
    return worth.index(min(worth))


@pytest.mark.parametrize("columns", [3, 4])
def test_the_rule_of_least_expected_cost(columns: int) -> None:
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 3, 90), probabilities(rng, 90, 3)
    cost = rng.normal(2, 1, (3, columns))
    frequency = np.bincount(y) / 90
    for prior, assumed in ((None, None), ([0.6, 0.3, 0.1], None), ([0.6, 0.3, 0.1], [0.2, 0.2, 0.6])):
        new = frequency if prior is None else prior
        old = frequency if assumed is None else assumed
        if prior is None:
            new = old
        found = karat.evaluate(y, p).operating(cost, prior, assumed)
        d = [literal_rule(row, cost, new, old) for row in p]
        assert found["least expected cost"].cost == pytest.approx(literal_cost(y, d, cost, new))
        argmax = literal_cost(y, p.argmax(axis=1), cost, new)
        assert found["as decided"].cost == pytest.approx(argmax)
        constant = min(literal_cost(y, [c] * 90, cost, new) for c in range(columns))
        assert found["always the same"].cost == pytest.approx(constant)
        assert found.best.cost == min(c.cost for c in found.strategies)
        assert json.dumps(found.to_dict())
    assert "least expected cost" in repr(found)


def test_the_rule_beats_the_most_probable_class_where_probabilities_are_right() -> None:
    rng = np.random.default_rng(12)
    p = probabilities(rng, 20_000, 3)
    y = (p.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    found = karat.evaluate(y, p, y_pred=np.roll(y, 1), labels=[0, 1, 2]).operating([[0, 1, 1], [4, 0, 4], [9, 9, 0]])
    assert found["least expected cost"].cost < found["most probable"].cost < found["as decided"].cost
    assert found["least expected cost"].cost < found["always the same"].cost


def test_normalised_costs_of_two_classes_are_those_of_the_catalogue() -> None:
    y, p = scored()
    e = karat.evaluate(y, p)
    prior = [0.8, 0.2]
    found = e.operating(COST, prior)["as decided"]
    pc = probability_cost(1.0, 5.0, 0.2)
    nec = karat.catalogue.measures["NEC"].at(pc=pc)
    assert found.normalised == pytest.approx(e[nec])
    assert found.cost == pytest.approx(e[karat.catalogue.measures["EC"].at(cost=COST, prior=prior)])
    # gains do not change the scale: only what an error costs more than the right decision counts
    gains = e.operating([[-2.0, -1.0], [2.0, -3.0]], prior)["as decided"]
    assert gains.normalised == pytest.approx(found.normalised)
    assert normalised(0.3, prices(None, 2, 2), np.array([0.5, 0.5])) == 0.3


def test_costs_can_be_named() -> None:
    e = karat.evaluate(["cat", "dog", "dog"], y_pred=["cat", "dog", "cat"])
    named = e.operating({("cat", "dog"): 3, ("dog", "cat"): 2})
    assert named["as decided"].cost == pytest.approx(2 / 3)
    with pytest.raises(InputError, match=r"lacks \('dog', 'cat'\)"):
        e.operating({("cat", "dog"): 3})


def test_bad_conditions_are_refused_in_one_sentence() -> None:
    e = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4])
    for cost, prior, words in (
        ([[0, 1, 2]], None, "cost has the shape"),
        ([[0, math.inf], [1, 0]], None, "not finite"),
        (None, [0.5, 0.6], "sum to 1"),
        (None, {2: 0.5}, "not among the classes"),
        (None, 1.5, "from 0 to 1"),
        ([[1, 0], [0, 1]], None, "no error costs more"),
    ):
        with pytest.raises(InputError, match=words):
            e.operating(cost, prior)
    with pytest.raises(InputError, match="give what"):
        karat.dominance({"a": 3})


# ------------------------------------------------------------------------------------------------- other prevalences


def test_restated_measures_are_those_of_repeated_cases() -> None:
    rng = np.random.default_rng(6)
    y, p = np.repeat([0, 1, 2], [10, 20, 30]), probabilities(rng, 60, 3)
    restated = karat.evaluate(y, p).at_prevalence({0: 0.5, 1: 0.25, 2: 0.25})
    times = np.array([6, 1.5, 1])[y] * 2  # 120, 60, 60
    repeated = karat.evaluate(np.repeat(y, times.astype(int)), np.repeat(p, times.astype(int), axis=0))
    for symbol, value in restated.values().items():
        if symbol == "CalB":
            assert math.isnan(value)
            assert "weights" in restated.why("CalB")
        else:
            assert value == pytest.approx(repeated[symbol], abs=1e-12), symbol


def test_prior_free_measures_stay_and_precision_follows_bayes() -> None:
    y, p = scored()
    e = karat.evaluate(y, p)
    there = e.at_prevalence(0.02)
    for symbol in ("TPR", "FPR", "AUC", "MAvA"):
        assert there[symbol] == pytest.approx(e[symbol])
    assert there["Prev"] == pytest.approx(0.02)
    assert there["PPV"] == pytest.approx(0.02 * e["TPR"] / (0.02 * e["TPR"] + 0.98 * e["FPR"]))


def test_matrices_and_weights_are_restated() -> None:
    e = karat.evaluate_matrix([[8, 2], [5, 15]], labels=["a", "b"])
    there = e.at_prevalence({"a": 0.9})
    assert there["Acc"] == pytest.approx(0.9 * 0.8 + 0.1 * 0.75)
    y, p = scored()
    w = np.random.default_rng(1).random(60)
    both = karat.evaluate(y, p, sample_weight=w).at_prevalence(0.5)
    assert both["MSE"] == pytest.approx(
        0.5 * np.average((p[y == 1] - 1) ** 2, weights=w[y == 1]) + 0.5 * np.average(p[y == 0] ** 2, weights=w[y == 0])
    )
    gone = karat.evaluate([0, 1, 2], y_pred=[0, 1, 1]).at_prevalence({0: 0.5, 1: 0.5, 2: 0})
    assert gone["Acc"] == 1
    with pytest.raises(InputError, match="have no case"):
        karat.evaluate([0, 1], y_pred=[0, 1], labels=[0, 1, 2]).at_prevalence({0: 0.3, 1: 0.3, 2: 0.4})


# -------------------------------------------------------------------------------------------------------- dominance


def test_the_insurance_example_of_prati() -> None:
    # the whole counts of 238 positives and 3762 negatives that come closest to .11 / .25 / .50 / .58
    counts = {"NBTree": (4, 8), "BN": (83, 436), "NB": (101, 720)}
    models = {
        name: karat.evaluate_matrix([[3762 - fp, fp], [238 - tp, tp]], positive=1) for name, (tp, fp) in counts.items()
    }
    found = karat.dominance(models, replicates=200, seed=1)
    assert [b.pc for b in found.borders] == pytest.approx([0.11, 0.25, 0.50, 0.58], abs=0.006)
    assert [best for _, _, best in found.regions] == [
        ("always negative",),
        ("NBTree",),
        ("BN",),
        ("NB",),
        ("always positive",),
    ]
    for border in found.borders:
        assert border.low <= border.high
        assert 0 <= border.seen <= 1
    again = karat.dominance(models, replicates=200, seed=1)
    assert again.borders == found.borders
    assert karat.dominance(models, replicates=200, seed=2).borders != found.borders


def test_reigns_against_brute_force() -> None:
    y, p = scored(3, 80, 2)
    q = np.clip(p + np.random.default_rng(0).normal(0, 0.2, 80), 0, 1)
    models = {"p": karat.evaluate(y, p), "q": karat.evaluate(y, q)}
    found = karat.dominance(models, replicates=0)
    points: dict[str, list[tuple[float, float]]] = {"always negative": [(0, 0)], "always positive": [(1, 1)]}
    for name, s in (("p", p), ("q", q)):
        points[name] = [(np.mean(s[y == 0] >= c), np.mean(s[y == 1] >= c)) for c in sorted(set(s.tolist()))]
    for pc in np.linspace(0.003, 0.997, 200):
        cost = {m: min((1 - t) * pc + f * (1 - pc) for f, t in listed) for m, listed in points.items()}
        lowest = min(cost.values())
        best = {m for m, c in cost.items() if c <= lowest + 1e-12}
        assert set(found.best_at(pc)) <= best
        piece = next(x for x in found.pieces if x.start <= pc <= x.end)
        assert (1 - piece.tpr) * pc + piece.fpr * (1 - pc) == pytest.approx(lowest)
    assert {m for _, _, best in found.regions for m in best} | set(found.nowhere) >= {"p", "q"}
    for a, b in itertools.pairwise(found.pieces):
        assert a.end == b.start


def test_ties_are_stated_and_useless_models_named() -> None:
    found = karat.dominance({"a": (0.1, 0.6), "twin": (0.1, 0.6), "bad": (0.5, 0.5)})
    assert ("a", "twin") in [best for _, _, best in found.regions]
    assert found.nowhere == ("bad",)
    assert "a = twin" in repr(found)
    assert "best nowhere: bad" in repr(found)
    assert json.dumps(found.to_dict())
    assert found.best_at(0.5) == ("a", "twin")


def test_intervals_hold_the_truth() -> None:
    # two binormal models with a known border: decisions as they are, many data sets, the interval covers in ~95 %
    rng = np.random.default_rng(5)
    a, b = (0.1, 0.6), (0.3, 0.85)
    true = 0.2 / (0.2 + 0.25)
    hits = 0
    for _ in range(60):
        y = (rng.random(400) < 0.5).astype(int)
        u = rng.random((2, 400))
        models = {
            name: karat.evaluate(y, y_pred=np.where(y == 1, x < tpr, x < fpr).astype(int))
            for (name, (fpr, tpr)), x in zip({"a": a, "b": b}.items(), u, strict=True)
        }
        border = [
            x
            for x in karat.dominance(models, replicates=100, seed=3).borders
            if (x.before, x.after) == (("a",), ("b",))
        ]
        hits += bool(border) and border[0].low <= true <= border[0].high
    assert hits >= 50


@pytest.mark.parametrize("thresholds", [True, False])
def test_cases_are_drawn_for_all_models_alike_and_matrices_each_by_itself(thresholds: bool) -> None:
    y, p = scored(3, 80, 2)
    models = {"p": karat.evaluate(y, p), "twin": karat.evaluate(y, p), "turned": karat.evaluate(y, 1 - p)}
    draws = list(replicated_points({n: e.statistics for n, e in models.items()}, thresholds, 20, 4))
    assert len(draws) == 20
    assert all(drawn["p"] == drawn["twin"] != drawn["turned"] for drawn in draws)
    assert any(one["p"] != other["p"] for one, other in itertools.pairwise(draws))
    matrix = karat.evaluate_matrix([[40, 10], [15, 35]], positive=1).statistics
    draws = list(replicated_points({"a": matrix, "b": matrix}, thresholds, 20, 4))
    assert sum(drawn["a"] != drawn["b"] for drawn in draws) > 15


def test_a_replicate_without_a_case_of_a_class_is_left_out() -> None:
    """Of 4 cases with one positive a replicate lacks it with the chance (3/4)^4 = .316."""
    rare = karat.evaluate([0, 0, 0, 1], [0.1, 0.3, 0.2, 0.6]).statistics
    assert len(list(replicated_points({"rare": rare}, True, 1000, 1))) == pytest.approx(684, abs=60)


def test_only_models_of_the_same_cases_are_resampled() -> None:
    one = karat.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5])
    other = karat.evaluate([0, 1, 0, 0], [0.2, 0.7, 0.4, 0.5])
    with pytest.raises(InputError, match="different y_true"):
        karat.dominance({"a": one, "b": other})
    with pytest.raises(InputError, match="no case"):
        karat.dominance({"a": karat.evaluate([1, 1], [0.2, 0.7], labels=[0, 1])})
    turned = karat.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5], positive=0)
    with pytest.raises(InputError, match="same positive class"):
        karat.dominance({"a": one, "turned": turned})
    with pytest.raises(InputError, match="positive"):
        karat.dominance({"a": karat.evaluate(["x", "y"], y_pred=["x", "y"])})


def test_answers_are_records() -> None:
    y, p = scored()
    ways = karat.evaluate(y, p).operating(cost=[[0, 1], [5, 0]])
    assert ways.threshold is not None
    for record in (ways, ways.threshold, ways.conditions, ways.best, karat.dominance({"a": (0.1, 0.6)}).borders[0]):
        assert isinstance(record, Record)
        assert json.dumps(record.to_dict())
        assert "<table>" in record._repr_html_()
    assert list(ways.to_dict()) == ["classes", "decisions", "cost", "prior", "courses", "threshold"]
    assert list(ways.to_dict()["courses"]["as decided"]) == ["cost", "normalised", "words", "matrix"]


def test_a_cost_that_is_undefined_is_none_in_plain_data() -> None:
    """A class with a prior and no case: JSON has no nan."""
    data = karat.evaluate_matrix([[3, 1], [0, 0]]).operating(prior=[0.5, 0.5]).to_dict()
    assert data["courses"]["as decided"]["cost"] is None
    json.dumps(data, allow_nan=False)


def test_levels_and_seeds_are_checked() -> None:
    e = karat.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5])
    with pytest.raises(InputError, match="level is 95"):
        karat.dominance({"a": e}, level=95)
    with pytest.raises(InputError, match="seed is -1"):
        karat.dominance({"a": e}, seed=-1)
    with pytest.raises(InputError, match="seed is -1"):
        operating(e, seed=-1)


@stored
def test_the_real_models_of_the_insurance_example() -> None:
    """Weka's models of the same data give nearly the published borders, by their decisions."""
    models = {}
    for name in ("nbtree", "bayes_net", "naive_bayes"):
        with (ORACLES / "tic" / f"{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        models[name] = karat.evaluate([int(r["y_true"]) for r in rows], [float(r["p_1"]) for r in rows])
    found = karat.dominance(models, thresholds=False, replicates=50)
    assert found.regions[0][2] == ("always negative",)
    assert found.regions[-1][2] == ("always positive",)
    assert ("bayes_net",) in [best for _, _, best in found.regions]
    free = karat.dominance(models, replicates=20)
    for pc in (0.2, 0.4, 0.6):  # a model that may choose its threshold is never worse
        crisp = next(p for p in found.pieces if p.start <= pc <= p.end)
        chosen = next(p for p in free.pieces if p.start <= pc <= p.end)
        cost = [(1 - p.tpr) * pc + p.fpr * (1 - pc) for p in (crisp, chosen)]
        assert cost[1] <= cost[0] + 1e-12


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


def test_very_many_classes_cost_no_table_for_each() -> None:
    rng = np.random.default_rng(4)
    y = np.concatenate([np.arange(1200), rng.integers(0, 1200, 300)])
    e = karat.evaluate(y, y_pred=rng.permutation(y))
    constant = next(s for s in e.operating().strategies if s.name == "always the same")
    assert constant.cost == pytest.approx(1 - np.bincount(y).max() / len(y))
