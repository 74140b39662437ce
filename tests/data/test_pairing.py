"""Whose case is it: ids are checked, carried, and models joined by them."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.data.pairing import joined
from karat.resampling import Exchanges
from optional import pandas, polars

Y = [0, 1, 1, 0, 1, 0]
P = [0.2, 0.7, 0.4, 0.6, 0.9, 0.1]
IDS = ["u", "v", "w", "x", "y", "z"]
ORDER = [3, 0, 5, 1, 4, 2]


def shuffled(order: list[int] = ORDER, **options: Any) -> karat.Evaluation:
    y, p, ids = ([column[i] for i in order] for column in (Y, P, IDS))
    return karat.evaluate(y, p, ids=ids, **options)


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        karat.evaluate(*arguments, **options)
    return str(refused.value)


def refusal_of_join(first: karat.Evaluation, second: karat.Evaluation) -> str:
    with pytest.raises(InputError) as refused:
        karat.compare({"a": first, "b": second}, replicates=19)
    return str(refused.value)


# ------------------------------------------------------------------------------------------------- one model


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda ids: pandas.Series(ids), lambda ids: polars.Series(ids)]
)
@pytest.mark.parametrize("ids", [IDS, [5, 3, 4, 1, 2, 2**40]])
def test_ids_are_carried(kind: Any, ids: list[Any]) -> None:
    e = karat.evaluate(Y, P, ids=kind(ids))
    assert e.ids.tolist() == ids
    assert {type(i) for i in e.ids.tolist()} == {type(ids[0])}
    assert e.at_prevalence(0.2).ids.tolist() == ids
    assert e.values() == karat.evaluate(Y, P).values()
    p = e.statistics.source.cases
    assert p is not None
    assert p.take(np.array([4, 1])).ids.tolist() == [ids[4], ids[1]]  # type: ignore[union-attr]
    assert karat.evaluate(Y, P).ids is None
    assert karat.evaluate_matrix([[1, 2], [3, 4]]).ids is None


def test_ids_that_name_no_case_of_their_own() -> None:
    doubled = ["a", "b", "a", "c", "b", "d"]
    assert "ids are not unique: 'a', 'b'; give each case an id of its own" in refusal(Y, P, ids=doubled)
    many = [i // 2 for i in range(14)]
    assert "not unique: 0, 1, 2, 3, 4 and 2 more;" in refusal([0, 1] * 7, [0.1, 0.9] * 7, ids=many)
    lost = [None, "b", math.nan, "c", "d", "e"]
    assert "ids are missing in 2 of 6 rows (counted from 0: 0, 2)" in refusal(Y, P, ids=lost)
    assert "counted from 0: 0, 1, 2, 3, 4 and 1 more" in refusal(Y, P, ids=[None] * 6)
    assert "ids are missing in 1 of 6 rows (counted from 0: 3); give every case an id" in refusal(
        Y, P, ids=["a", "b", "c", "", "d", "e"]
    )
    assert "there are 2 ids and y_true has 6 cases" in refusal(Y, P, ids=["a", "b"])
    assert "ids is a str; give one str or int for each case" in refusal(Y, P, ids="uvwxyz")
    assert "ids has the shape (6, 2); give one str or int for each case" in refusal(
        Y, P, ids=np.arange(12).reshape(6, 2)
    )


def test_missing_ids_of_data_frames() -> None:
    words = "ids are missing in 1 of 6 rows (counted from 0: 4)"
    assert words in refusal(Y, P, ids=pandas.Series(["a", "b", "c", "d", None, "f"]))
    assert words in refusal(Y, P, ids=pandas.Series([1, 2, 3, 4, None, 6]))
    assert words in refusal(Y, P, ids=pandas.Series([1, 2, 3, 4, None, 6], dtype="Int64"))
    assert words in refusal(Y, P, ids=polars.Series([1, 2, 3, 4, None, 6]))


# ------------------------------------------------------------------------------------------------- several models


def test_models_are_joined_by_id() -> None:
    p = {"a": karat.evaluate(Y, P, ids=IDS), "b": shuffled()}
    cases = {name: e.statistics.source.cases for name, e in p.items()}
    in_order = joined(cases)  # type: ignore[arg-type]
    assert in_order["a"] is cases["a"]
    for field in ("truth", "scores"):
        assert np.array_equal(getattr(in_order["b"], field), getattr(cases["a"], field))
    assert in_order["b"].ids.tolist() == IDS  # type: ignore[union-attr]
    assert cases["b"].ids.tolist() == [IDS[i] for i in ORDER]  # type: ignore[union-attr]


def test_ids_that_do_not_fit() -> None:
    a = karat.evaluate(Y, P, ids=IDS)
    fewer = karat.evaluate(Y[:4], P[:4], ids=IDS[:4])
    assert refusal_of_join(a, fewer) == "b lacks the ids 'y', 'z' of a; give all models the same cases."
    assert refusal_of_join(fewer, a) == "b has the ids 'y', 'z', which a lacks; give all models the same cases."
    other = karat.evaluate(Y, P, ids=["u", "A", "B", "C", "D", "E"])
    words = "b lacks the ids 'v', 'w', 'x', 'y', 'z' of a; b has the ids 'A', 'B', 'C', 'D', 'E', which a lacks"
    assert words in refusal_of_join(a, other)
    numbers = karat.evaluate(Y, P, ids=range(6))
    message = refusal_of_join(a, numbers)
    assert "'u', 'v', 'w', 'x', 'y' and 1 more of a" in message
    assert "0, 1, 2, 3, 4 and 1 more" in message
    assert "ids are str here and int there" in message


def test_a_case_has_one_truth() -> None:
    a, b = karat.evaluate(Y, P, ids=IDS), karat.evaluate([1, 1, 1, 0, 0, 0], P, ids=IDS)
    assert "a and b have different y_true for the ids 'u', 'y';" in refusal_of_join(a, b)
    flipped = karat.evaluate([1 - y for y in Y], P, ids=IDS)
    assert "for the ids 'u', 'v', 'w', 'x', 'y' and 1 more" in refusal_of_join(a, flipped)


def test_ids_of_all_models_or_of_none() -> None:
    a, b = karat.evaluate(Y, P, ids=IDS), karat.evaluate(Y, P)
    message = "a has ids and b has none; give ids= for every model, or for none to pair by row."
    assert refusal_of_join(a, b) == message
    drawn = (karat.report,) if importlib.util.find_spec("vl_convert") else ()
    for pairs in (karat.findings_of, karat.dominance, *drawn):
        with pytest.raises(InputError, match="a has ids and b has none"):
            pairs({"a": a, "b": b})


def rivals(n: int = 120) -> tuple[Any, Any, Any, Any]:
    """Truth, two models that are right on the same cases mostly, and an order that shuffles the cases of each class."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, n)
    shared = 1.2 * (2 * y - 1) + rng.normal(0, 1.5, n)
    one, two = (1 / (1 + np.exp(-(shared + gain * (2 * y - 1) + rng.normal(0, 0.6, n)))) for gain in (0.3, 0.0))
    order = np.arange(n)
    for c in (0, 1):
        order[y == c] = rng.permutation(order[y == c])
    return y, one, two, order


def test_everything_that_pairs_models_joins_them() -> None:
    """The truths of the shuffled model are those of the other, row by row: pairing by row would notice nothing."""
    y, one, two, order = rivals()
    ids = np.arange(len(y))
    assert np.array_equal(y[order], y)
    plain = {"one": karat.evaluate(y, one), "two": karat.evaluate(y, two)}
    mixed = {"one": karat.evaluate(y, one, ids=ids), "two": karat.evaluate(y[order], two[order], ids=ids[order])}
    by_row = {"one": plain["one"], "two": karat.evaluate(y, two[order])}
    right = karat.compare(plain, replicates=99)
    joined_by_id, wrong = karat.compare(mixed, replicates=99), karat.compare(by_row, replicates=99)
    assert joined_by_id["one", "two"].to_dict() == right["one", "two"].to_dict()
    assert wrong["one", "two"].to_dict() != right["one", "two"].to_dict()
    assert joined_by_id.flipped("one", "two") == right.flipped("one", "two") != wrong.flipped("one", "two")
    for pairs in (karat.findings_of, lambda models: karat.dominance(models, replicates=50)):
        told = [pairs(models).to_dict() for models in (plain, mixed, by_row)]
        assert told[0] == told[1] != told[2]
    if importlib.util.find_spec("vl_convert"):
        pages = [karat.report(models, replicates=30).html for models in (plain, mixed)]
        assert "were paired by row, as no ids were given." in pages[0]
        assert pages[0].replace("by row, as no ids were given", "by id") == pages[1]
    p, q = (e.statistics.source.cases for e in mixed.values())
    with pytest.raises(InputError, match="different ids, or the same in another order"):
        Exchanges(p, q, karat.catalogue.measures["Acc"])  # type: ignore[arg-type]
