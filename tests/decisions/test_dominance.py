"""Which model is best under which conditions."""

from __future__ import annotations

import csv
import itertools
import json

import numpy as np
import pytest

import karat
from costly import scored
from karat.data import InputError
from karat.decisions.dominance import replicated_points
from peers import ORACLES, stored


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
    assert "never best: bad" in repr(found)
    assert json.dumps(found.to_dict())
    assert found.best_at(0.5) == ("a", "twin")


def test_a_table_without_borders_has_no_empty_columns() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    models = {
        name: karat.evaluate(y, y_score=y * gap + rng.random(200), positive=1) for name, gap in (("a", 9.0), ("b", 0.1))
    }
    found = karat.dominance(models, replicates=20)
    assert list(found.to_table().columns) == ["from PC", "to PC", "best"]
    assert "-" not in repr(found)


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
    with pytest.raises(InputError, match="different positive classes"):
        karat.dominance({"a": one, "turned": turned})
    with pytest.raises(InputError, match="positive"):
        karat.dominance({"a": karat.evaluate(["x", "y"], y_pred=["x", "y"])})


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
