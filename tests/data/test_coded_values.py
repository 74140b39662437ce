"""Columns of any kind as values held once: what comes back is what was given, case by case."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from karat.data.coded_values import CodedValues, held_numbers, occurring

TEXTS = ["north", "south", "north", "", "east"]


@pytest.mark.parametrize(
    "given",
    [
        TEXTS,
        np.array(TEXTS),
        np.array(TEXTS, object),
        [1, 2, 1, 3],
        [1.5, None, 2.5, 1.5],
        [True, 1, 1, True],  # a truth value is no number
        [date(2026, 3, 9), None, date(2026, 3, 9)],
        [["a"], ["b"], ["a"]],  # no hash
    ],
)
def test_values_come_back_as_given(given: Any) -> None:
    coded = CodedValues.of(given, "site", "the group of each case")
    back = [coded.values[i] for i in coded.places.tolist()]
    plain = given.tolist() if isinstance(given, np.ndarray) else given
    wanted = [str(v) if isinstance(v, list) else v for v in plain]
    assert [(type(v), v) for v in back] == [(type(v), v) for v in wanted]
    assert len(coded) == len(given)
    assert coded.times().sum() == len(given)
    assert np.asarray(coded).tolist() == back


def test_times_finer_than_pythons_are_no_numbers() -> None:
    days = np.array(["2026-03-09T10:00", "2026-03-10T11:00"], "datetime64[ns]")
    assert CodedValues.of(days, "date", "").values == [datetime(2026, 3, 9, 10), datetime(2026, 3, 10, 11)]


def test_frames_of_many_texts_with_missing_ones() -> None:
    pd = pytest.importorskip("pandas")
    texts = [None if i % 7 == 0 else f"s{i % 3}" for i in range(5000)]
    for kind in ("object", "string", "category"):
        coded = CodedValues.of(pd.Series(texts, dtype=kind), "site", "")
        back = [None if v is None or v != v else v for v in (coded.values[i] for i in coded.places.tolist())]
        assert back == texts
    unused = pd.Series(pd.Categorical(["a"] * 5000, categories=["a", "b"]))
    assert CodedValues.of(unused, "site", "").values == ["a"]
    assert held_numbers(pd.Series([1, 2])).tolist() == [1, 2]
    assert held_numbers(pd.Series([1, None], dtype="Int64")) is None


def test_places_that_occur_are_found_by_counting_and_by_sorting() -> None:
    places = np.array([5, 2, 5, 9])
    for count in (10, 1 << 40):
        there, among = occurring(places, count)
        assert (there.tolist(), among.tolist()) == ([2, 5, 9], [1, 0, 1, 2])
