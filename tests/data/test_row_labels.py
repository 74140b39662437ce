"""Pandas columns of the same cases have one index: different ones are refused, or aligned when asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from optional import pandas

Y = [0, 1, 1, 0, 1, 0, 1]
P = [0.2, 0.7, 0.4, 0.6, 0.9, 0.1, 0.8]
LABELS = [11, 4, 7, 25, 3, 9, 30]
ORDER = [3, 0, 6, 5, 1, 4, 2]
OTHERS = ("y_proba", "y_pred", "y_score", "sample_weight", "ids")


def columns(*names: str) -> dict[str, Any]:
    values = {"y_proba": P, "y_score": P, "y_pred": [int(p > 0.5) for p in P], "sample_weight": [1, 2, 1, 3, 1, 1, 2]}
    return {name: pandas.Series((values | {"ids": list("abcdefg")})[name], index=LABELS) for name in names}


def truth() -> Any:
    return pandas.Series(Y, index=LABELS)


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        karat.evaluate(*arguments, **options)
    return str(refused.value)


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_labels_in_another_order(name: str) -> None:
    given = columns("y_pred") | columns(name)
    shuffled = given | {name: given[name].iloc[ORDER]}
    message = refusal(truth(), **shuffled)
    assert f"the pandas indexes of y_true and {name} differ, the first time in row 0" in message
    assert (
        "(the same labels in another order): 11, 4, 7, 25, 3 and 2 more against 25, 11, 30, 9, 4 and 2 more" in message
    )
    assert "pass align='index' to pair rows by label" in message
    assert f"pass {name}.to_numpy()" in message
    aligned = karat.evaluate(truth(), **shuffled, align="index")
    expected = karat.evaluate(Y, **{key: column.to_numpy() for key, column in given.items()})
    np.testing.assert_equal(aligned.values(), expected.values())
    if name == "ids":
        assert aligned.ids.tolist() == list("abcdefg")
    by_row = karat.evaluate(truth(), **{key: column.to_numpy() for key, column in shuffled.items()})
    if name != "ids":
        assert str(by_row.values()) != str(expected.values())


def test_a_default_index_beside_a_meaningful_one() -> None:
    table = pandas.DataFrame({"p_0": [1 - p for p in P], "p_1": P})
    message = refusal(truth(), table)
    assert "11, 4, 7, 25, 3 and 2 more against 0, 1, 2, 3, 4 and 2 more;" in message
    assert "y_proba.to_numpy(), or .reset_index(drop=True) of both" in message
    assert "align" not in message
    expected = karat.evaluate(Y, P).values()
    assert karat.evaluate(truth(), table.to_numpy()).values() == expected
    assert karat.evaluate(truth().reset_index(drop=True), table).values() == expected
    assert karat.evaluate(Y, table).values() == expected
    assert karat.evaluate(truth(), P).values() == expected
    assert refusal(truth(), table, align="index") == (
        "align='index': y_proba lacks the labels 11, 7, 25, 9, 30 of y_true; y_proba has the labels 0, 1, 2, 5, 6, "
        "which y_true lacks; give both for the same cases."
    )


def test_tables_are_aligned_too() -> None:
    table = pandas.DataFrame({"p_0": [1 - p for p in P], "p_1": P}, index=LABELS)
    e = karat.evaluate(truth(), table.iloc[ORDER], align="index")
    assert e.values() == karat.evaluate(Y, P).values()
    words = pandas.Series(Y, index=[*LABELS[:-1], "thirty"])
    assert "y_proba lacks the labels 'thirty' of y_true" in refusal(words, table, align="index")
    assert "(the same labels" not in refusal(words, table)


def test_indexes_are_compared_though_the_truth_has_none() -> None:
    given = columns("y_proba", "y_pred")
    given["y_pred"] = given["y_pred"].iloc[ORDER]
    assert "the pandas indexes of y_proba and y_pred differ" in refusal(Y, **given)


def test_equal_indexes_pass_whatever_they_are() -> None:
    for index in (LABELS, list("aabbccd"), pandas.MultiIndex.from_product([[1], range(7)]), range(5, 12)):
        y, p = (pandas.Series(column, index=index) for column in (Y, P))
        assert karat.evaluate(y, p)["Acc"] == karat.evaluate(Y, P)["Acc"]


def test_other_lengths_are_said_first() -> None:
    assert "y_proba has 6 cases and y_true has 7" in refusal(truth(), columns("y_proba")["y_proba"].iloc[:6])


def test_aligning_needs_indexes_that_say_which_case_it_is() -> None:
    assert "y_proba is a list" in refusal(truth(), P, align="index")
    assert "y_true is a list" in refusal(Y, columns("y_proba")["y_proba"], align="index")
    assert "y_true is an ndarray" in refusal(np.array(Y), np.column_stack([P, P]), align="index")
    doubled = pandas.Series(P, index=list("aabbccd"))
    assert "that of y_proba has 'a', 'b', 'c' more than once" in refusal(truth(), doubled, align="index")
    assert "align is 'label'; it is one of row, index" in refusal(truth(), P, align="label")


def test_compare_checks_and_aligns_too() -> None:
    a, b = columns("y_proba")["y_proba"], pandas.Series([1 - p for p in P], index=LABELS)
    with pytest.raises(InputError, match="the pandas indexes of y_true and y_proba differ"):
        karat.compare({"a": a, "b": b.iloc[ORDER]}, truth(), replicates=19)
    aligned = karat.compare({"a": a, "b": b.iloc[ORDER]}, truth(), align="index", replicates=19)
    as_they_stand = karat.compare({"a": a, "b": b}, truth(), replicates=19)
    assert aligned.to_dict() == as_they_stand.to_dict() | {"pairing": "by the index of y_true"}


def test_groups_that_come_later_have_the_same_index() -> None:
    groups = pandas.Series([1, 1, 2, 2, 3, 3, 3], index=LABELS)
    e = karat.evaluate(truth(), columns("y_proba")["y_proba"])
    expected = e.intervals(["Acc"], groups=groups.to_numpy(), replicates=50).to_dict()
    assert e.intervals(["Acc"], groups=groups, replicates=50).to_dict() == expected
    words = r"of y_true and groups differ.* pass groups.reindex\(y_true.index\)"
    with pytest.raises(InputError, match=words):
        e.intervals(["Acc"], groups=groups.iloc[ORDER], replicates=50)
    with pytest.raises(InputError, match=words):
        karat.compare({"a": P, "b": P[::-1]}, truth(), groups=groups.iloc[ORDER], replicates=50)


TESTS: dict[str, Any] = {
    "first": lambda y, p: karat.mcnemar(y, p, p),
    "second": lambda y, p: karat.mcnemar(y.to_numpy(), y, p),
    "models['b']": lambda y, p: karat.cochran(y, {"a": y, "b": p}),
    "y_pred[1]": lambda y, p: karat.permutation_test("Acc", y, y_pred=(y, p)),
}


@pytest.mark.parametrize("name", TESTS)
def test_single_tests_say_what_can_be_done(name: str) -> None:
    """They have no option that matches rows by label."""
    y, p = pandas.Series([0, 1, 0, 1]), pandas.Series([0, 1, 1, 1], index=[3, 2, 1, 0])
    with pytest.raises(karat.InputError) as refused:
        TESTS[name](y, p)
    assert f"and {name} differ" in str(refused.value)
    assert f"pass {name}.reindex(" in str(refused.value)
    assert "align" not in str(refused.value)


def test_a_test_without_a_truth_speaks_of_none() -> None:
    with pytest.raises(karat.InputError, match=r"of first and second differ.*second\.reindex\(first\.index\)"):
        karat.bowker(pandas.Series([0, 1, 0, 1]), pandas.Series([0, 1, 1, 1], index=[3, 2, 1, 0]))


def test_evaluations_of_other_rows_are_not_compared_row_by_row() -> None:
    """Shuffled within the classes, so that true labels agree row by row and cases do not."""
    y = pandas.Series([0, 0, 1, 1] * 10)
    order = np.arange(40).reshape(-1, 2)[:, ::-1].ravel()
    rng = np.random.default_rng(0)
    p, q = rng.random((2, 40))
    one, other = karat.evaluate(y, p), karat.evaluate(y.iloc[order], q[order])
    for compare in (karat.compare, karat.findings_of):
        with pytest.raises(karat.InputError, match="the pandas indexes of a and b differ, the first time in row 0"):
            compare({"a": one, "b": other})
    by_id = {"a": karat.evaluate(y, p, ids=y.index), "b": karat.evaluate(y.iloc[order], q[order], ids=order)}
    in_order = karat.compare({"a": p, "b": q}, y.to_numpy())
    assert karat.compare(by_id)["a", "b"]["LogLoss"].p == in_order["a", "b"]["LogLoss"].p
    bare = karat.evaluate(y.iloc[order].to_numpy(), q[order])
    assert karat.compare({"a": one, "b": bare}).pairing == "by row, as no ids were given"
