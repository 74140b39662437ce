"""Probabilities of the most probable classes: those of a full table, whose rest is what was said of it."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import karat
from karat import Accumulator
from karat.core.errors import InputError

K, N, LISTED = 40, 600, 4


def rows(seed: int = 0) -> tuple[Any, list[dict[int, float]], Any]:
    """True labels, the most probable classes of each case, and a full table."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(K, 0.1), N)
    truth = np.array([rng.choice(K, p=p) for p in table])
    best = np.argsort(-table, axis=1)[:, :LISTED]
    return truth, [{int(c): float(p[c]) for c in top} for top, p in zip(best, table, strict=True)], table


def filled(top: list[dict[int, float]], rest: str) -> Any:
    """The full table that is supposed, by loops."""
    out = np.zeros((N, K))
    for i, row in enumerate(top):
        total = sum(row.values())
        for c in range(K):
            out[i, c] = row[c] if c in row else (1 - total) / (K - len(row)) if rest == "even" else 0
            if rest == "scaled":
                out[i, c] /= total
    return out


@pytest.mark.parametrize("rest", ["even", "scaled"])
def test_measures_are_those_of_the_table_that_is_supposed(rest: str) -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    for part in np.array_split(np.arange(N), 3):
        a.update(truth[part], [top[i] for i in part], rest=rest)
    e, whole = a.evaluation(), karat.evaluate(truth, filled(top, rest), labels=range(K))
    assert e.n == N
    for symbol in ("Acc", "MCC", "LogLoss", "BrierLoss", "LogL", "ECE", "MFM"):
        assert e[symbol] == pytest.approx(whole[symbol], rel=1e-9), symbol
    again = Accumulator.from_bytes(a.to_bytes())
    again += a
    assert again.rows == 2 * N
    assert again.evaluation()["LogLoss"] == pytest.approx(e["LogLoss"], rel=1e-12)
    e.findings()  # those that need every class are not looked for
    assert ("share the rest evenly" if rest == "even" else "have 0") in str(e)


def test_what_needs_every_class_says_so() -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    a.update(truth, top, rest="even")
    e = a.evaluation()
    assert np.isnan(e["AUNU"])
    assert "needs the probability of every class" in e.undefined["AUNU"]


def test_nothing_is_supposed_silently() -> None:
    truth, top, _ = rows()
    a = Accumulator(labels=range(K))
    with pytest.raises(InputError, match=r"of a case sum to .*; choose rest='even'"):
        a.update(truth, top)
    with pytest.raises(InputError, match="rest"):
        a.update(truth, top, rest="none")
    assert a.rows == 0
    a.update(truth[:2], [{int(t): 1.0} for t in truth[:2]])  # nothing is left
    assert a.evaluation()["Acc"] == 1
    with pytest.raises(InputError, match="does not tell all classes"):
        Accumulator().update(truth, top, rest="even")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({0: 0.7, 1: 0.6}, "sum to 1.3"),
        ({0: -0.1}, "between 0 and 1"),
        ({0: float("nan")}, "between 0 and 1"),
        ({}, "of one class or more"),
        ({99: 0.5}, "99 is not among the classes"),
        ({0: 0.001, 1: 0.002}, "more probable than all that are"),
    ],
)
def test_rows_that_can_not_be(row: Any, words: str) -> None:
    a = Accumulator(labels=range(K))
    with pytest.raises(InputError, match=words):
        a.update([0, 1], [{0: 1.0}, row], rest="even")
    assert a.rows == 0


def test_a_column_of_maps() -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    truth, top, _ = rows()
    column = pa.array([list(row.items()) for row in top], pa.map_(pa.int32(), pa.float64()))
    one, other = (Accumulator(labels=range(K)) for _ in range(2))
    one.update(pa.array(truth)[5:], column[5:], rest="even")
    other.update(truth[5:], top[5:], rest="even")
    assert one.evaluation()["LogLoss"] == other.evaluation()["LogLoss"]


def test_places_and_probabilities_in_two_arrays() -> None:
    truth, top, _ = rows()
    places, values = np.array([list(row) for row in top]), np.array([list(row.values()) for row in top])
    of_maps = Accumulator(labels=range(K))
    of_maps.update(truth, top, rest="even")
    pairs: list[Any] = [(places, values), (values.astype(np.float64), places.astype(np.int32))]
    with contextlib.suppress(ImportError):
        import pyarrow as pa

        pairs.append((pa.array(places.tolist())[:], pa.array(values.tolist())))
    for pair in pairs:
        a = Accumulator(labels=range(K))
        a.update(truth, pair, rest="even")
        assert a.evaluation().values() == of_maps.evaluation().values()
    with pytest.raises(InputError, match="places of classes, whole numbers, and their probabilities"):
        Accumulator(labels=range(K)).update(truth, (values, values), rest="even")
    with pytest.raises(InputError, match="lists the class at place 40, and there are 40, from 0 on"):
        Accumulator(labels=range(K)).update(truth, (np.where(places == places[0, 0], K, places), values), rest="even")


def test_very_many_classes_need_no_table() -> None:
    k = 100_000
    a = Accumulator(labels=range(k))
    a.update([7, 99_999, 5], [{7: 0.9, 8: 0.05}, {99_999: 0.5}, {6: 0.6, 5: 0.3}], rest="even")
    e = a.evaluation()
    logs = -(np.log(0.9) + np.log(0.5) + np.log(0.3)) / 3
    assert e["LogLoss"] == pytest.approx(logs, rel=1e-12)
    assert e["Acc"] == pytest.approx(2 / 3)
    assert len(a.to_bytes()) < 5e6  # names of classes
