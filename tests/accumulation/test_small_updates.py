"""Updates of a few rows wait for others: they give what one update of all rows gives, and are refused at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat import Accumulator
from karat.core.errors import InputError

N = 9_000


def two_models(dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    p = rng.random((2, N)).astype(dtype)
    return (rng.random(N) < p[0]).astype(np.int64), {"a": p[0], "b": p[1]}


def three_classes(dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], N).astype(dtype)
    return rng.integers(0, 3, N).astype(np.int8), p


def part(x: Any, at: Any) -> Any:
    return {name: column[at] for name, column in x.items()} if isinstance(x, dict) else x[at]


@pytest.mark.parametrize("exact", ["auto", False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [two_models, three_classes])
def test_they_add_up_to_all_rows(kind: Any, dtype: Any, exact: Any) -> None:
    y, p = kind(dtype)
    labels = sorted(set(y.tolist()))
    small, whole = (Accumulator(labels=labels, exact=exact) for _ in range(2))
    buffer = np.empty(7, y.dtype)
    for start in range(0, N, 7):
        n = min(7, N - start)
        buffer[:n] = y[start : start + n]  # an array that is used again
        small.update(buffer[:n], part(p, slice(start, start + 7)))
    whole.update(y, p)
    assert small.rows == whole.rows == N
    for name, e in whole.evaluations().items():
        other = small.evaluations()[name]
        assert other.matrix().columns == e.matrix().columns
        for symbol in ("LogLoss", "BrierLoss", "AUNU" if kind is three_classes else "AUC", "MCC"):
            assert other[symbol] == pytest.approx(e[symbol], rel=1e-12), symbol
    both = Accumulator.from_bytes(small.to_bytes()) + small
    assert both.rows == 2 * N


@pytest.mark.parametrize("kind", [two_models, three_classes])
def test_what_is_wrong_is_said_at_once_and_not_taken_in(kind: Any) -> None:
    y, p = kind()
    a = Accumulator(labels=sorted(set(y.tolist())))
    for start in range(0, 40, 8):
        a.update(y[start : start + 8], part(p, slice(start, start + 8)))
    for value in (np.nan, -0.1, 1.5):
        bad = {name: x.copy() for name, x in part(p, slice(0, 8)).items()} if isinstance(p, dict) else p[:8].copy()
        (bad["b"] if isinstance(bad, dict) else bad[:, 1])[3] = value
        with pytest.raises(InputError):
            a.update(y[:8], bad)
    with pytest.raises(InputError):
        a.update(y[:8] + 5, part(p, slice(0, 8)))
    assert a.rows == 40
    a.update(y[:8].tolist(), part(p, slice(0, 8)))  # lists are taken in after those that wait
    assert a.rows == 48


def test_a_long_first_update_is_taken_in_whole_or_not_at_all() -> None:
    y, p = np.tile(np.array([0, 1, 1], np.int8), 5000), np.linspace(0, 1, 15000, dtype=np.float32)
    begun = karat.Accumulator(labels=[0, 1])
    begun.update(y, p, certain=True)
    assert begun.evaluation().values("all") == pytest.approx(karat.evaluate(y, p).values("all"), nan_ok=True)
    for wrong in (3, 14_000):  # among the first, and far behind them
        for column in (np.where(np.arange(15000) == wrong, np.nan, p), np.where(np.arange(15000) == wrong, 1.5, p)):
            a = karat.Accumulator(labels=[0, 1], exact=False)
            with pytest.raises(InputError, match=f"(row|case) {wrong}|nan|1.5"):
                a.update(y, column, certain=True)
            assert a.rows == 0
            assert a.models == ()
            a.update(y, p, certain=True)
            assert a.rows == 15000
