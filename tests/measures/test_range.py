"""No value lies outside the range of its measure because sums were rounded, whichever way it was computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.core.arithmetic import within
from karat.core.measure import Measure, measure
from karat.statistics import Counts

Array = Any
Data = tuple[Array, Array, Array]
MEASURES = karat.catalogue.measures
TENTHS = [0.1, 0.2, 0.3, 0.7]
"""Weights whose sums depend on the order of the cases."""


def at_the_ends(k: int, seed: int) -> Data:
    """Labels, probabilities that are perfect or all wrong, certain or not, and weights."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, 20)])
    told = y if seed % 2 else (y + 1) % k
    sure = np.ones(len(y)) if seed % 3 else rng.uniform(0.6, 0.99, len(y))
    p = np.repeat(((1 - sure) / (k - 1))[:, None], k, axis=1)
    p[np.arange(len(y)), told] = sure
    return y, p / p.sum(axis=1, keepdims=True), rng.choice(TENTHS, len(y))


def beyond(values: dict[str, Any], k: int) -> list[str]:
    """The measures that have a value out of their range."""
    out = []
    for symbol, value in values.items():
        low, high = MEASURES[symbol].range_for(k)
        if ((np.asarray(value) < low) | (np.asarray(value) > high)).any():
            out.append(f"{symbol} {value}")
    return out


def of_each_class() -> list[Measure]:
    return [m for m in MEASURES.values() if m.classwise]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_all_measures_of_weighted_cases_at_the_ends_of_their_ranges(k: int) -> None:
    wrong = []
    for seed in range(12):
        y, p, w = at_the_ends(k, seed)
        e = karat.evaluate(y, p, sample_weight=w, positive=1 if k == 2 else None)
        wrong += beyond(e.values("all"), k)
        for average in (karat.macro(m) for m in of_each_class()), (karat.weighted(m) for m in of_each_class()):
            values = {m.symbol: (e.value_or_nan(m), *m.range) for m in average}
            wrong += [f"{s} {x}" for s, (x, low, high) in values.items() if x < low or x > high]
        wrong += [f"AUC(j, k) {x}" for row in e.pairs().rows for x in row[1:] if x > 1]
    assert not wrong


@pytest.mark.parametrize("k", [2, 3])
def test_groups_batches_and_accumulations_agree(k: int) -> None:
    order = ["AUNU", "AUNP", "AU1U", "AU1P", "RCI", "MPR", "MSE", "MAE", "LogL", "NIT", "H_X"]
    for seed in range(12):
        y, p, w = at_the_ends(k, seed)
        alone = karat.evaluate(y, p, sample_weight=w)
        accumulated, forgetful = karat.Accumulator(), karat.Accumulator(exact=False)
        for part in (slice(0, 9), slice(9, None)):
            for one in (accumulated, forgetful):
                one.update(y[part], p[part], sample_weight=w[part])
        summed = accumulated.evaluation(), forgetful.evaluation()
        group = np.repeat(["one", "other"], [len(y), len(y)])
        twice = karat.evaluate(np.tile(y, 2), np.tile(p, (2, 1)), sample_weight=np.tile(w, 2)).by(group)
        answers = {"groups": twice.values(order)} | {f"added {i}": e.values(order) for i, e in enumerate(summed)}
        for how, values in answers.items():
            assert not beyond(values, k), how
            for s in order:
                assert np.asarray(values[s], float) == pytest.approx(alone[s], abs=1e-12), (how, s)
        assert not beyond(karat.evaluate_batch(np.stack([y, y[::-1]]), np.stack([p, p[::-1]])), k)


@pytest.mark.parametrize("k", [2, 3])
def test_replicates_stay_within_the_range(k: int) -> None:
    from karat.resampling import Resampling, paired_replicates

    averages = [karat.macro("AUC"), karat.macro("AP"), karat.weighted("Gini")]
    measures = [MEASURES[s] for s in ("AUNU", "AUNP", "AU1U", "AU1P", "RCI")] + averages
    for seed in range(6):
        y, p, w = at_the_ends(k, seed)
        e = karat.evaluate(y, p, sample_weight=w)
        drawn = paired_replicates({"model": e.statistics}, measures, Resampling.of(replicates=99, seed=seed))["model"]
        for m in measures:
            low, high = m.range
            assert np.nanmin(drawn[m.symbol]) >= low, m
            assert np.nanmax(drawn[m.symbol]) <= high, m


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_entropies_of_balanced_classes_and_their_bounds(k: int) -> None:
    """Tables of several sizes at once are bounded each by its own number of classes."""
    symbols = ["H_X", "k_X", "k_X|Y", "NIT", "EMA", "CEN", "rCEN"]
    spread = np.full((k, k), 0.1) - 0.1 * np.eye(k)
    tables = [np.diag(np.full(k, 0.3)), spread, np.full((k, k), 0.7), np.diag(np.full(k + 1, 0.1))]
    many = karat.evaluate_matrices(tables, symbols)
    for i, table in enumerate(tables):
        assert not beyond({s: many[s][i] for s in symbols}, len(table))
        assert not beyond(karat.evaluate_matrix(table).values(symbols), len(table))


def test_what_diagrams_say_lies_within_the_range_too() -> None:
    for seed in range(1, 24, 2):
        y, p, w = at_the_ends(2, seed)
        e = karat.evaluate(y, p, sample_weight=w, positive=1)
        curve: Any = e.diagram("precision_recall")
        assert max(curve.area, curve.average_precision) <= 1


def test_only_rounding_is_put_right() -> None:
    """A formula that is wrong shows itself, and nothing else changes, of one number as of many."""
    x = [-1.0, -1e-8, -1e-16, -0.0, 0.5, 1.0, 1 + 2e-16, 1 + 1e-8, 1.5, np.inf, -np.inf]
    expected = [-1.0, -1e-8, 0.0, 0.0, 0.5, 1.0, 1.0, 1 + 1e-8, 1.5, np.inf, -np.inf]
    assert [within(one, 0.0, 1.0) for one in x] == expected == within(np.array(x), 0.0, 1.0).tolist()
    assert np.isnan(within(np.nan, 0.0, 1.0))
    assert np.isnan(within(np.array([np.nan, 2.0]), 0.0, 1.0)).tolist() == [True, False]


def test_a_wrong_formula_is_not_hidden() -> None:
    @measure(symbol="TooMuch", title="Too much", formula="x", range=(0, 1), best=1)
    def too_much(c: Counts) -> Any:
        """How much is too much?"""
        return c.sums.trace / c.sums.total + 0.5

    try:
        assert karat.evaluate([0, 1], y_pred=[0, 1])["TooMuch"] == 1.5
    finally:
        MEASURES.remove("TooMuch")
