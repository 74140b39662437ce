"""-0.0 is 0.0: whatever is computed of probabilities and scores, to the last byte, and in any place of a tie."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.plain_data import plain
from karat.kernels.held import all_columns
from karat.statistics.order import _ascending
from karat.statistics.scans import ranked

N = 600


def labels_and_columns(kind: str, narrow: bool) -> tuple[Any, Any]:
    """Many ties at 0 and 1, of both classes."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3 if kind == "three" else 2, N)
    if kind == "three":
        p = rng.multinomial(4, [1 / 3] * 3, N) / 4
    else:
        p = rng.integers(0, 5, N) / 4
        p = np.stack([1 - p, p], axis=1) if kind == "two" else p - 0.25 * (kind == "score")
    return y, p.astype(np.float32 if narrow else np.float64)


def signed(p: Any) -> Any:
    """Every other zero is negative."""
    q = p.copy()
    zeros = np.flatnonzero(q == 0)
    q.reshape(-1)[zeros[::2]] = -0.0
    assert np.signbit(q).any()
    return q


def told(e: Any) -> str:
    """All numbers of an evaluation, signs of zeros included."""
    findings = [(f.code, plain(f.evidence)) for f in e.findings()]
    return json.dumps([plain(e.to_dict("all")), plain(findings)], default=repr)


@pytest.mark.parametrize("narrow", [False, True], ids=["float64", "float32"])
@pytest.mark.parametrize("kind", ["one", "two", "three", "score"])
def test_of_rows(kind: str, narrow: bool) -> None:
    y, p = labels_and_columns(kind, narrow)
    word = "y_score" if kind == "score" else "y_proba"
    weight = np.random.default_rng(8).random(N)
    for more in ({}, {"sample_weight": weight}):
        one, other = (karat.evaluate(y, **{word: x}, **more) for x in (p, signed(p)))
        assert told(one) == told(other)
    if kind != "three":
        tables = [karat.evaluate(y, **{word: x}) for x in (p, signed(p))]
        for name in ("roc_curve", "precision_recall"):
            first, second = (json.dumps(plain(e.diagram(name).to_dict()), default=repr) for e in tables)
            assert first == second, name


@pytest.mark.parametrize("narrow", [False, True], ids=["float64", "float32"])
@pytest.mark.parametrize("kind", ["one", "two", "three"])
def test_of_an_accumulator(kind: str, narrow: bool) -> None:
    y, p = labels_and_columns(kind, narrow)
    for options in ({"exact": False}, {"exact": False, "paired": True}, {}):
        states = []
        for x in (p, signed(p)):
            a = karat.Accumulator(**options)
            a.update(y, x)
            states.append((a.to_bytes() if "exact" in options else b"", repr(a.evaluation().values())))
        assert states[0] == states[1], options


def test_of_a_comparison() -> None:
    y, p = labels_and_columns("two", False)
    other = np.roll(p, 7, axis=0)
    one, two = (karat.compare({"a": a, "b": b}, y, replicates=50) for a, b in ((p, other), (signed(p), signed(other))))
    assert json.dumps(plain(one.to_dict()), default=repr) == json.dumps(plain(two.to_dict()), default=repr)


def test_of_intervals_of_areas() -> None:
    """Scores that are not negative are sorted by their bits."""
    y, p = labels_and_columns("two", False)
    one, other = (karat.evaluate(y, x).intervals(["AUC", "AUNU"], replicates=50) for x in (p, signed(p)))
    assert json.dumps(plain(one.to_dict()), default=repr) == json.dumps(plain(other.to_dict()), default=repr)
    assert np.array_equal(_ascending(np.array([0.5, -0.0, 0.0, 0.25])), [0, 0, 0.25, 0.5])


def test_of_ranks_and_of_columns_that_are_made() -> None:
    x, truth = np.array([0.5, -0.0, 0.0, 0.25], np.float32), np.array([0, 1, 0, 1], np.uint64)
    _, scores, _ = ranked(x, truth, None, 1)
    assert scores.tolist() == [0, 0.25, 0.5]
    assert not np.signbit(all_columns(np.array([[-0.0], [0.25]]), 1)).any()
