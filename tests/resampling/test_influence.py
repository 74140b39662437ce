"""What each case adds: against the jackknife by its definition, and against formulas of the variance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.measure import measures
from karat.measures.lookup import find
from karat.measures.value import measures_of
from karat.resampling import Replicates, Resampling, jackknife_tables
from karat.resampling.draws import Deletions
from karat.resampling.influence import Influence, influences, influences_of_table
from karat.statistics import Counts

Array = Any


def cases(n: int, k: int, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / (k * (k + 1) / 2))
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.0
    p = np.exp(z)
    return y, p / p.sum(axis=1, keepdims=True)


def of_cases(e: karat.Evaluation, symbols: list[str], cluster: Array = None, stratified: bool = False) -> Any:
    wanted = measures_of([find(s) for s in symbols], None, e.statistics)
    resampling = Resampling.of(stratified=stratified, workers=1)
    return influences(wanted, [e[s] for s in symbols], Replicates(e.statistics.source.cases), resampling, cluster)  # type: ignore[arg-type]


def jackknife(y: Array, p: Array, symbol: str, unit: Array) -> tuple[float, float]:
    """(bias, standard error) by the definition: the measure without each unit in turn."""
    k = p.shape[1]
    without = np.array([karat.evaluate(y[unit != u], p[unit != u], labels=range(k))[symbol] for u in np.unique(unit)])
    g = len(without)
    value = karat.evaluate(y, p, labels=range(k))[symbol]
    return (g - 1) * (without.mean() - value), math.sqrt((g - 1) / g * ((without - without.mean()) ** 2).sum())


@pytest.mark.parametrize("symbol", ["MCC", "EMA", "LogL", "AUNU", "CEN", "macro(F1)"])
def test_bias_and_error_are_those_of_the_jackknife(symbol: str) -> None:
    y, p = cases(60, 3, 1)
    e = karat.evaluate(y, p)
    bias, error = jackknife(y, p, symbol, np.arange(60))
    one = of_cases(e, [symbol])[symbol]
    assert (one.bias, one.error) == pytest.approx((bias, error), rel=1e-9, abs=1e-12)
    if find(symbol).statistic.__name__ in ("Counts", "Binary"):
        wanted = measures_of([find(symbol)], None, e.statistics)
        table = influences_of_table(wanted, [e[symbol]], e.statistics.get(Counts), Resampling.of())[symbol]
        seen = math.sqrt(table.error**2 - table.unseen)
        assert (table.bias, seen) == pytest.approx((bias, error), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("symbol", ["MCC", "MSE", "AUNU"])
def test_groups_are_left_out_whole(symbol: str) -> None:
    y, p = cases(90, 3, 2)
    group = np.random.default_rng(0).integers(0, 8, 90)
    one = of_cases(karat.evaluate(y, p), [symbol], group.astype(np.int32))[symbol]
    assert (one.bias, one.error) == pytest.approx(jackknife(y, p, symbol, group), rel=1e-9, abs=1e-12)
    sizes = np.bincount(group)
    assert one.freedom == pytest.approx(90**2 / (sizes**2).sum() - 1)  # as many groups of equal size tell as much


def test_fixed_strata_have_the_variance_of_a_stratified_mean() -> None:
    """Of a mean loss: the sum over classes of share squared times variance over cases."""
    y, p = cases(120, 3, 3)
    loss = ((p - np.eye(3)[y]) ** 2).sum(axis=1) / 3
    e = karat.evaluate(y, p)
    assert e["MSE"] == pytest.approx(loss.mean())
    variance = sum((np.mean(y == c)) ** 2 * loss[y == c].var(ddof=1) / (y == c).sum() for c in range(3))
    assert of_cases(e, ["MSE"], stratified=True)["MSE"].error == pytest.approx(math.sqrt(variance), rel=1e-9)


def test_fixed_rows_of_a_table_have_the_variance_of_shares() -> None:
    table = np.array([[6.0, 2, 1], [3, 20, 4], [1, 1, 9]])
    e = karat.evaluate_matrix(table)
    rows, recall = table.sum(axis=1), np.diag(table) / table.sum(axis=1)
    of_each = recall * (1 - recall) / (rows - 1)
    expected = {"Acc": sum((rows / rows.sum()) ** 2 * of_each), "MAvA": sum(of_each) / 9}
    wanted = measures_of([measures[s] for s in expected], None, e.statistics)
    of_table = influences_of_table(wanted, [e[s] for s in expected], Counts(table), Resampling.of(stratified=True))
    for symbol, variance in expected.items():
        assert of_table[symbol].error == pytest.approx(math.sqrt(variance), rel=1e-9)
        assert of_table[symbol].bias == pytest.approx(0, abs=1e-12)


def test_an_area_in_fixed_classes_has_delongs_variance() -> None:
    """Placements by a literal double loop."""
    y, p = cases(50, 2, 8)
    own, rest = p[y == 1, 1], p[y == 0, 1]
    won = np.array([[(a > b) + (a == b) / 2 for b in rest] for a in own])
    variance = won.mean(axis=1).var(ddof=1) / len(own) + won.mean(axis=0).var(ddof=1) / len(rest)
    assert of_cases(karat.evaluate(y, p), ["AUC"], stratified=True)["AUC"].error == pytest.approx(math.sqrt(variance))


def test_a_class_of_one_case_has_no_spread_where_classes_are_fixed() -> None:
    y, p = cases(40, 2, 4)
    y[:] = 0
    y[0] = 1
    assert math.isnan(of_cases(karat.evaluate(y, p), ["MSE"], stratified=True)["MSE"].error)
    reason = karat.evaluate(y, p).intervals("MSE", stratified=True)["MSE"].reason
    assert reason == "a class has a single case, so the variance within it is unknown"


def test_many_cases_are_left_out_by_the_handful() -> None:
    """As sure as one by one: the standard error of a mean loss, within what 200 random groups tell (5 %)."""
    y, p = cases(20_000, 3, 5)
    loss = ((p - np.eye(3)[y]) ** 2).sum(axis=1) / 3
    one = of_cases(karat.evaluate(y, p), ["MSE"])["MSE"]
    assert len(one.moves) == 200
    assert one.error == pytest.approx(loss.std() / math.sqrt(20_000), rel=0.2)
    assert one.freedom <= 199


def test_small_classes_are_left_out_case_by_case() -> None:
    label = np.repeat([0, 1], [5000, 12])
    out = Deletions.of_classes(label, 200, 0)
    assert out.rows == 212
    assert len(np.unique(out.group[label == 1])) == 12
    assert not set(out.group[label == 1]) & set(out.group[label == 0])
    assert np.bincount(out.group[label == 0]).max() == 25  # of 5000 cases in 200 groups
    assert (out.stratum[:12] == 1).all()


def test_the_difference_of_two_models_is_that_of_their_cases() -> None:
    y, p = cases(80, 3, 6)
    _, q = cases(80, 3, 7)
    a, b = (of_cases(karat.evaluate(y, x), ["MSE"])["MSE"] for x in (p, q))
    losses = [((x - np.eye(3)[y]) ** 2).sum(axis=1) / 3 for x in (p, q)]
    order = np.argsort(y, kind="stable")
    apart = (losses[0] - losses[1])[order]
    both = a - b
    assert both.value == pytest.approx(apart.mean())
    assert both.error == pytest.approx(apart.std(ddof=1) / math.sqrt(80))


def test_what_no_case_shows_adds_variance() -> None:
    """One class of ten cases all right: as if one of them were not."""
    table = np.array([[10.0, 0], [6, 14]])
    e = karat.evaluate_matrix(table, [0, 1])
    wanted = measures_of([measures["MAvA"]], None, e.statistics)
    one = influences_of_table(wanted, [e["MAvA"]], Counts(table), Resampling.of())["MAvA"]
    assert one.unseen == pytest.approx(((9 / 10 + 14 / 20) / 2 - (1 + 14 / 20) / 2) ** 2)
    assert one.error**2 - one.unseen == pytest.approx(30 / 29 * sum_of_squares(table))


def sum_of_squares(table: Array) -> float:
    """Of what each case adds to mean recall: (29/30)^2 times the squares of the changes without a case, around 0."""

    def recall(t: Array) -> float:
        return float(np.mean(np.diag(t) / t.sum(axis=1)))

    changes = []
    for cell in np.argwhere(table > 0):
        less = table.copy()
        less[tuple(cell)] -= 1
        changes += [(recall(table) - recall(less)) * 29 / 30] * int(table[tuple(cell)])
    return float(((np.array(changes) - np.mean(changes)) ** 2).sum())


def test_a_matrix_with_more_classes_than_decisions_has_intervals() -> None:
    intervals = karat.evaluate_matrix([[15, 0], [0, 16], [9, 5]]).intervals(["MCC", "Acc"])
    assert intervals["MCC"].low < intervals["MCC"].value < intervals["MCC"].high


def test_large_tables_are_not_taken_apart_cell_by_cell() -> None:
    """Most classes all right: as many tables as can be afforded, and near what every class would give."""
    rng = np.random.default_rng(0)
    k = 60
    table = np.diag(rng.integers(1, 9, k)).astype(float)
    table[rng.integers(0, k, 30), rng.integers(0, k, 30)] += 1
    e = karat.evaluate_matrix(table)
    wanted = measures_of([measures["MCC"]], None, e.statistics)
    full = influences_of_table(wanted, [e["MCC"]], Counts(table), Resampling.of())["MCC"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("karat.resampling.influence.AT_MOST", 8 * 20 * table.size)
        some = influences_of_table(wanted, [e["MCC"]], Counts(table), Resampling.of())["MCC"]
    assert some.unseen == pytest.approx(full.unseen, rel=0.5)


def test_tables_without_a_case_hold_one_case_less() -> None:
    tables, times, rows = jackknife_tables(np.array([[3.0, 1], [0, 4]]), 100, 0)
    assert np.concatenate(list(tables)).sum(axis=(1, 2)).tolist() == [7, 7, 7]
    assert (times.tolist(), rows.tolist()) == ([3, 1, 4], [0, 0, 1])


def test_units_that_are_too_few_are_not_known() -> None:
    y, p = cases(20, 2, 0)
    assert not of_cases(karat.evaluate(y, p), ["MSE"], np.zeros(20, np.int32))["MSE"].known
    assert isinstance(of_cases(karat.evaluate(y, p), ["MSE"])["MSE"], Influence)


@pytest.mark.parametrize("symbol", ["AP", "AUPRC"])
def test_a_case_less_leaves_frequencies_that_were_said(symbol: str) -> None:
    """The bias by its definition: the measure without each case, the prevalence being said anew; class by class."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [14, 9])
    score = rng.normal(1.0 * y, 1)

    def value(kept: Array) -> float:
        return karat.evaluate(y[kept], y_score=score[kept], positive=1).at_prevalence(0.1)[symbol]

    every = np.arange(len(y))
    without = np.array([value(every != i) for i in every])
    bias = sum((n - 1) * float((without[y == j] - value(every >= 0)).mean()) for j, n in ((0, 14), (1, 9)))
    e = karat.evaluate(y, y_score=score, positive=1).at_prevalence(0.1)
    assert of_cases(e, [symbol], stratified=True)[symbol].bias == pytest.approx(bias, abs=1e-12)
