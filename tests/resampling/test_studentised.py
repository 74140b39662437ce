"""Differences after exchanges in standard errors, against leaving out each case of each exchange by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat.data import Predictions
from karat.measures.lookup import find
from karat.measures.value import MeasureOf
from karat.resampling.ranked import of_ranks
from karat.resampling.studentised import MODERATION, StudentisedExchanges
from optional import metrics

N = 24


def two(k: int) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(k)
    y = np.arange(N) % k
    models = [rng.dirichlet(np.ones(k), N) + 0.6 * np.eye(k)[y] for _ in range(2)]
    return y, [p / p.sum(axis=1, keepdims=True) for p in models]


def by_hand(value: Any, y: Any, a: Any, b: Any) -> tuple[float, float, float]:
    """The difference, its bias and its standard error, from leaving out each case."""
    kept = [np.delete(np.arange(len(y)), i) for i in range(len(y))]
    seen = value(y, a) - value(y, b)
    left = np.array([value(y[i], a[i]) - value(y[i], b[i]) for i in kept])
    n = len(y)
    bias = (n - 1) * (left.mean() - seen)
    return seen, bias, float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


def swapped(a: Any, b: Any, mask: Any) -> tuple[Any, Any]:
    return np.where(mask, b, a), np.where(mask, a, b)


@pytest.mark.parametrize(("symbol", "name"), [("AUC", "roc_auc_score"), ("AP", "average_precision_score")])
def test_measures_of_order(symbol: str, name: str) -> None:
    value = getattr(metrics, name)
    y, probabilities = two(2)
    models = [Predictions.of(y, p[:, 1], labels=[0, 1]) for p in probabilities]
    first, second, m = of_ranks(*models, MeasureOf(find(symbol), 1, symbol))
    exchanges = StudentisedExchanges(first, second, m)
    assert exchanges.feasible
    ranks = [p[:, 1].argsort().argsort() + 1.0 for p in probabilities]
    masks = np.random.default_rng(0).random((20, N)) < 0.5
    found, _ = exchanges._of_masks(iter([masks[:, exchanges.cases]]))
    for mask, t in zip(masks, found, strict=True):
        seen, _, error = by_hand(value, y, *swapped(*ranks, mask))
        assert t == pytest.approx(seen / error)
    seen, _, error = by_hand(value, y, *ranks)
    assert exchanges.seen == pytest.approx((seen, error))
    assert exchanges.values() == pytest.approx((seen / error, 0))


def mean_area(y: Any, p: Any) -> float:
    return float(np.mean([metrics.roc_auc_score(y == j, p[:, j]) for j in range(3)]))


def test_areas_of_several_classes() -> None:
    y, models = two(3)
    first, second, m = of_ranks(*(Predictions.of(y, p) for p in models), MeasureOf(find("AUNU"), None, "AUNU"))
    exchanges = StudentisedExchanges(first, second, m)
    ranks = [p.argsort(axis=0).argsort(axis=0) + 1.0 for p in models]
    masks = np.random.default_rng(1).random((12, N)) < 0.5
    found, _ = exchanges._of_masks(iter([masks[:, exchanges.cases]]))
    for mask, t in zip(masks, found, strict=True):
        seen, _, error = by_hand(mean_area, y, *swapped(*ranks, mask[:, None]))
        assert t == pytest.approx(seen / error)


def test_measures_of_decisions() -> None:
    """Without their bias, and with the spread of all exchanges as so many cases more."""
    y, models = two(3)
    first, second = (Predictions.of(y, p) for p in models)
    exchanges = StudentisedExchanges(first, second, MeasureOf(find("MCC"), None, "MCC"))
    decided = [p.argmax(axis=1) for p in models]
    usual = exchanges._usual
    some = [
        by_hand(metrics.matthews_corrcoef, y, *swapped(*decided, np.random.default_rng(s).random(N) < 0.5))
        for s in range(300)
    ]
    assert usual == pytest.approx(np.mean([(seen - bias) ** 2 for seen, bias, _ in some]), rel=0.25)
    seen, bias, error = by_hand(metrics.matthews_corrcoef, y, *decided)
    moderated = np.sqrt((N * error**2 + MODERATION * usual) / (N + MODERATION))
    assert exchanges.seen == pytest.approx((seen - bias, moderated))
    kinds, kind, size = exchanges._kinds
    masks = np.random.default_rng(2).random((20, len(exchanges.cases))) < 0.5
    member = (kind[:, None] == np.arange(len(size))).astype(float)
    found, _ = exchanges._of_tables(iter([masks @ member]), kinds)
    for mask, t in zip(masks, found, strict=True):
        full = np.zeros(N, bool)
        full[exchanges.cases] = mask
        seen, bias, error = by_hand(metrics.matthews_corrcoef, y, *swapped(*decided, full))
        assert t == pytest.approx((seen - bias) / np.sqrt((N * error**2 + MODERATION * usual) / (N + MODERATION)))


def test_what_takes_too_long_is_not_tried() -> None:
    y, models = two(2)
    first, second = (Predictions.of(y, p[:, 1], labels=[0, 1]) for p in models)
    for symbol in ("H", "KS"):
        assert not StudentisedExchanges(*of_ranks(first, second, MeasureOf(find(symbol), 1, symbol))).feasible
    weighted = [p.reweighted(np.full((1, N), 2.0)) for p in (first, second)]
    assert not StudentisedExchanges(*weighted, MeasureOf(find("MCC"), None, "MCC")).feasible
