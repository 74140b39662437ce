"""The level of a test, as of an interval, is a confidence: what is none is refused, by all, in the same words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import karat
from karat.across.fold_t import corrected_t
from karat.across.rank_tests import (
    Friedman,
    against_control,
    critical_difference,
    critical_rank_difference,
    friedman,
    nemenyi,
)
from karat.across.signed_ranks import wilcoxon
from karat.comparisons.equivalence import equivalence
from karat.comparisons.mcnemar import mcnemar_of
from karat.core.record import Record
from karat.core.validation import checked_level, false_alarms, finite, listed_words, number_between, one_of, whole
from karat.intervals import delong_paired
from karat.studies import Population

VALUES = [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.6], [0.6, 0.65, 0.7]]
LONG = {
    "model": ["a", "b", "c"] * 4,
    "dataset": np.repeat(["w", "x", "y", "z"], 3).tolist(),
    "value": np.ravel(VALUES).tolist(),
}
Y = [0, 1, 1, 0]
TESTS: dict[str, Any] = {
    "compare_across": lambda level: karat.compare_across(LONG, "Acc", level=level),
    "mcnemar": lambda level: karat.mcnemar(Y, Y, [0, 0, 1, 0], level=level),
    "mcnemar_of": lambda level: mcnemar_of(np.array([True, False]), np.array([True, True]), level=level),
    "permutation_test": lambda level: karat.permutation_test("Acc", Y, y_pred=(Y, [0, 0, 1, 0]), level=level),
    "equivalence": lambda level: equivalence(0.004, 0.003, 0.01, level=level),
    "nemenyi": lambda level: nemenyi(VALUES, level=level),
    "critical_rank_difference": lambda level: critical_rank_difference(3, 4, level),
    "critical_difference": lambda level: critical_difference(VALUES, level=level),
    "friedman": lambda level: friedman(VALUES, level=level),
    "against_control": lambda level: against_control(VALUES, "a", ["a", "b", "c"], level=level),
    "wilcoxon": lambda level: wilcoxon([0.8, 0.7, 0.9], [0.7, 0.6, 0.7], level=level),
    "corrected_t": lambda level: corrected_t([0.8, 0.7, 0.9], [0.7, 0.65, 0.7], 0.25, level=level),
}


@pytest.mark.parametrize("name", TESTS)
def test_a_level_is_a_confidence(name: str) -> None:
    for wrong in (5, 0, 1, -0.05, float("nan"), "0.95", True):
        with pytest.raises(karat.InputError, match=r"level is .*; give a number from 0\.5 to below 1.*0\.95"):
            TESTS[name](wrong)
    for meant, instead in ((0.05, "0.95"), (0.1, "0.9"), (0.001, "0.999"), (np.float32(0.05), "0.95")):
        with pytest.raises(karat.InputError, match=rf"confidence such as 0\.95.*earlier versions.*level={instead}\.$"):
            TESTS[name](meant)
    for right in (0.95, 0.5, np.float32(0.9)):
        answer = TESTS[name](right)
        if isinstance(answer, Record):
            assert json.dumps(answer.to_dict()["level"]) == json.dumps(float(right))


INTERVALS: dict[str, Any] = {
    "intervals": lambda level: karat.evaluate(Y, y_pred=Y).intervals("Acc", level=level),
    "compare": lambda level: karat.compare({"a": Y, "b": [0, 0, 1, 0]}, Y, kind="decisions", level=level),
    "delong": lambda level: delong_paired(*[karat.evaluate(Y, [0.1, 0.4, 0.3, 0.2])] * 2, level=level),
    "dominance": lambda level: karat.dominance({"a": karat.evaluate(Y, [0.1, 0.4, 0.3, 0.2])}, level=level),
    "population": lambda level: Population(matrices={"a": [[1, 2], [3, 4]]}, level=level),
}


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_refuse_the_level_that_tests_once_had(name: str) -> None:
    with pytest.raises(karat.InputError, match=r"a confidence such as 0\.95.*level=0\.95\.$"):
        INTERVALS[name](0.05)


def test_a_p_value_on_the_edge_rejects() -> None:
    """1 - 0.9 is less than 0.1: by the plain difference a p-value of exactly 0.1 would not reject at 0.9."""
    assert 1 - 0.9 < 0.1
    assert [false_alarms(level) for level in (0.9, 0.95, 0.99, 0.8, 0.5)] == [0.1, 0.05, 0.01, 0.2, 0.5]
    assert Friedman(("a", "b"), (1.0, 2.0), 1.0, 0.1, 1.0, 0.1, 5, True, 0.9).differs
    assert not Friedman(("a", "b"), (1.0, 2.0), 1.0, 0.1, 1.0, 0.1, 5, True, 0.91).differs


def test_odd_options_are_refused_in_words() -> None:
    """Also those that can't be compared, or that take many lines to write."""
    for odd in (None, [1], {}, np.zeros((40, 2)), object(), "x" * 500, 1j, b"5", float("nan")):
        for check in (
            lambda x: whole("bins", x),
            lambda x: finite("threshold", x),
            lambda x: number_between("pc", x, 0, 1),
            lambda x: one_of("method", x, ("exact", "auto")),
            checked_level,
        ):
            with pytest.raises(karat.InputError) as refused:
                check(odd)
            assert "\n" not in str(refused.value)
            assert len(str(refused.value)) < 150
    with pytest.raises(karat.InputError, match="5 is not a list of names"):
        listed_words(5)
