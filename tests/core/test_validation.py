"""The level of a test is a rate of false alarms: what is no such rate is refused, by every test, in the same words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.across.fold_t import corrected_t
from karat.across.rank_tests import against_control, critical_difference, critical_rank_difference, friedman, nemenyi
from karat.across.signed_ranks import wilcoxon
from karat.comparisons.equivalence import equivalence, equivalence_of_replicates
from karat.comparisons.mcnemar import mcnemar_of

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
    "equivalence_of_replicates": lambda level: equivalence_of_replicates([0.0, 0.01, 0.02], 0.03, level=level),
    "nemenyi": lambda level: nemenyi(VALUES, level=level),
    "critical_rank_difference": lambda level: critical_rank_difference(3, 4, level),
    "critical_difference": lambda level: critical_difference(VALUES, level=level),
    "friedman": lambda level: friedman(VALUES, level=level),
    "against_control": lambda level: against_control(VALUES, "a", ["a", "b", "c"], level=level),
    "wilcoxon": lambda level: wilcoxon([0.8, 0.7, 0.9], [0.7, 0.6, 0.7], level=level),
    "corrected_t": lambda level: corrected_t([0.8, 0.7, 0.9], [0.7, 0.65, 0.7], 0.25, level=level),
}


@pytest.mark.parametrize("name", TESTS)
def test_a_level_is_a_rate_of_false_alarms(name: str) -> None:
    for wrong in (0.95, 5, 0, -0.05, float("nan"), "0.05", True):
        with pytest.raises(karat.InputError, match=r"rate of false alarms.*0\.05.*level=0\.95"):
            TESTS[name](wrong)
    for right in (0.05, 0.5, np.float32(0.1)):
        TESTS[name](right)
