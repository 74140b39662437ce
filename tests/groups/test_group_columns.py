"""Columns of groups: what is a group, what is cut, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.core.errors import InputError
from karat.groups.group_columns import GroupColumn, crossed_columns
from optional import pandas as pd


def test_texts_numbers_and_truth_values_are_groups_in_their_order() -> None:
    assert GroupColumn.of("site", ["b", "a", "b"], 3).labels == ("a", "b")
    assert GroupColumn.of("site", ["b", "a", "b"], 3).codes.tolist() == [1, 0, 1]
    assert GroupColumn.of("level", [3, 1, 3], 3).labels == ("1", "3")
    assert GroupColumn.of("level", np.array([3.0, 1.0, np.nan]), 3).labels == ("1", "3", "(missing)")
    assert GroupColumn.of("ill", [True, False, True], 3).labels == ("False", "True")


def test_a_missing_value_is_a_group_of_its_own_or_left_out_with_the_count() -> None:
    for data in (["a", None, "b", ""], np.array(["a", "", "b", ""]), pd.Series(["a", None, "b", pd.NA], dtype=object)):
        kept = GroupColumn.of("site", data, 4)
        assert kept.labels == ("a", "b", "(missing)")
        assert kept.codes.tolist() == [0, 2, 1, 2]
        dropped = GroupColumn.of("site", data, 4, missing="drop")
        assert dropped.labels == ("a", "b")
        assert dropped.codes.tolist() == [0, -1, 1, -1]
        assert dropped.note == "2 cases without site left out"
    named = GroupColumn.of("site", ["(missing)", None], 2)
    assert named.labels == ("(missing)", "(missing value)")
    with pytest.raises(InputError, match="site has no value in any of the 2 cases"):
        GroupColumn.of("site", [None, None], 2)


def test_numbers_are_cut_at_stated_quantiles() -> None:
    age = np.arange(100) / 2
    four = GroupColumn.of("age", age, 100)
    assert four.labels == ("[0, 12.5)", "[12.5, 25)", "[25, 37.5)", "[37.5, 49.5]")
    assert np.bincount(four.codes).tolist() == [25, 25, 25, 25]
    assert four.note == "age was cut into 4 quantile bins, at 12.5, 25, 37.5"
    assert GroupColumn.of("age", age, 100, bins=2).labels == ("[0, 25)", "[25, 49.5]")
    chosen = GroupColumn.of("age", age, 100, bins=[18])
    assert chosen.labels == ("[0, 18)", "[18, 49.5]")
    assert np.bincount(chosen.codes).tolist() == [36, 64]
    whole = GroupColumn.of("age", np.arange(1800) % 60 + 18, 1800)
    assert whole.labels == ("[18, 33)", "[33, 48)", "[48, 63)", "[63, 77]")
    assert len(GroupColumn.of("age", np.arange(1800) % 60 + 18, 1800, bins=False).labels) == 60
    assert len(GroupColumn.of("same", np.full(9, 0.5), 9).labels) == 1


@pytest.mark.parametrize("data", [np.arange(3000), [f"patient {i}" for i in range(3000)]], ids=["numbers", "texts"])
def test_what_is_nearly_an_id_is_refused_with_the_count(data: object) -> None:
    with pytest.raises(InputError, match=r"patient has 3,000 distinct values in 3,000 cases, nearly one for each"):
        GroupColumn.of("patient", data, 3000)


def test_what_has_another_length_or_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="site has 2 values and there are 3 cases; give the group of each case"):
        GroupColumn.of("site", ["a", "b"], 3)
    with pytest.raises(InputError, match="site holds 'a', which is not a number and can't be cut into bins"):
        GroupColumn.of("site", ["a", "b"], 2, bins=3)
    with pytest.raises(InputError, match="bins"):
        GroupColumn.of("dose", [0.5, 0.7], 2, bins=[0.6, "high"])
    with pytest.raises(InputError, match="dose holds an infinite number"):
        GroupColumn.of("dose", [0.5, np.inf], 2)
    with pytest.raises(InputError, match="missing is 'forget'; it is one of group, drop"):
        GroupColumn.of("site", ["a", "b"], 2, missing="forget")


def test_combinations_are_those_that_occur() -> None:
    site = GroupColumn.of("site", ["a", "b", "a", None], 4, missing="drop")
    sex = GroupColumn.of("sex", ["f", "f", "m", "m"], 4)
    both = crossed_columns([site, sex])
    assert both.name == "site and sex"
    assert both.labels == ("a, f", "a, m", "b, f")
    assert both.codes.tolist() == [0, 2, 1, -1]


def test_real_numbers_of_few_kinds_are_groups() -> None:
    doses = np.tile([0.5, 1.5, 2.5], 20)
    assert GroupColumn.of("dose", doses, 60).labels == ("0.5", "1.5", "2.5")
    assert GroupColumn.of("dose", doses, 60, bins=2).labels == ("[0.5, 1.5)", "[1.5, 2.5]")
    assert GroupColumn.of("dose", doses[:6], 6).note.startswith("dose was cut into 4 quantile bins")


def test_columns_with_another_pandas_index_are_refused() -> None:
    y, p = pd.Series([0, 1] * 20), [0.2, 0.7] * 20
    site = pd.Series(["a", "b"] * 20, index=range(40, 80))
    for by in (site, {"site": site}):
        with pytest.raises(InputError, match="the pandas indexes of y_true and"):
            karat.evaluate(y, p, by=by)


def test_how_many_kinds_of_numbers_are_names_of_groups() -> None:
    """Up to 20 of ten cases each on average; whole numbers whatever their cases."""
    for kinds, each, cut in ((20, 10, False), (20, 11, False), (21, 10, True), (20, 9, True), (5, 10, False)):
        doses = np.tile(np.arange(kinds) + 0.5, each)
        labels = GroupColumn.of("dose", doses, len(doses)).labels
        assert (len(labels), labels[0].startswith("[")) == ((4, True) if cut else (kinds, False)), (kinds, each)
    for kinds, cut in ((20, False), (21, True)):
        days = np.tile(np.arange(kinds), 3)
        labels = GroupColumn.of("day", days, len(days)).labels
        assert (len(labels), labels[0].startswith("[")) == ((4, True) if cut else (kinds, False)), kinds


def test_what_is_nearly_one_for_each_case_is_an_id() -> None:
    for groups, n, refused in ((20, 20, False), (21, 21, True), (30, 60, False), (30, 59, True)):
        names = [f"g{i % groups}" for i in range(n)]
        if refused:
            with pytest.raises(InputError, match="nearly one for each, as an id has"):
                GroupColumn.of("site", names, n)
        else:
            assert len(GroupColumn.of("site", names, n).labels) == groups
