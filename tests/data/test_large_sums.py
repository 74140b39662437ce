"""Rounding of many cases, beside definitions in extended precision; `large_sums.py` prints the table of the docs."""

from __future__ import annotations

import numpy as np
import pytest

from data.large_sums import FAMILIES, KINDS, errors


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="this processor has no extended precision")
@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_many_cases_lose_little(kind: str) -> None:
    found = errors(kind, 100_000)
    whole = {*FAMILIES["accuracy, kappa, MCC, F1"], "AUC"}
    assert found.keys() == {name for names in FAMILIES.values() for name in names}
    assert {name: error for name, error in found.items() if error > (2e-15 if name in whole else 1e-13)} == {}
