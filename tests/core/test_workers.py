"""One setting for cores, and the same numbers whatever it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.core.workers import cores, in_threads


def test_what_was_given_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_WORKERS", "3")
    assert cores() == 3
    assert cores(2) == 2
    monkeypatch.setenv("KARAT_WORKERS", "")
    assert cores() >= 1
    for wrong in ("0", "two", "-1", "1.5"):
        monkeypatch.setenv("KARAT_WORKERS", wrong)
        with pytest.raises(InputError, match="KARAT_WORKERS"):
            cores()


def test_threads_keep_the_order_and_pass_errors_on() -> None:
    assert in_threads(lambda x: x * x, range(7), 3) == [0, 1, 4, 9, 16, 25, 36]
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda x: 1 / x, (1, 0), 2)


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 25_000)
    return {
        name: karat.evaluate(y, rng.beta(1 + s * y, 1 + s * (1 - y)), positive=1) for name, s in (("a", 1), ("b", 2))
    }


def numbers(models: dict[str, Any], workers: int | None) -> list[float]:
    for e in models.values():
        e.statistics.computed.clear()
    names = ["AUC", "LogL", "MCC", "AP", "SAUC", "CalL"]
    of_one = models["a"].intervals(names, method="bca", replicates=40, workers=workers)
    ends = [x for name in names for x in (of_one[name].low, of_one[name].high)]
    names.remove("CalL")  # the squared error where no probabilities are equal: nothing to compare
    of_two = karat.compare(models, measures=names, workers=workers)["a", "b"]
    sampled = karat.compare(models, measures=names, method="percentile", replicates=40, workers=workers)["a", "b"]
    return [*ends, *(x for pair in (of_two, sampled) for n in names for x in (pair[n].low, pair[n].high, pair[n].p))]


def test_any_number_of_workers_gives_the_same_bits(models: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = numbers(models, 1)
    assert all(np.isfinite(expected))
    for workers in (2, 3):
        assert numbers(models, workers) == expected
    monkeypatch.setenv("KARAT_WORKERS", "2")
    assert numbers(models, None) == expected
