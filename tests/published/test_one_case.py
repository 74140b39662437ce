"""What the papers' measures are of one class and of one case."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import karat
from published import of

NAN = math.nan


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [  # Acc, KapS, MCC, CEN, EMA, NIT, ET_VI
        ([[7]], [1, NAN, 0, 0, 1, 1, NAN]),
        ([[1, 0], [0, 0]], [1, NAN, 0, 0, 1, 1 / 2, 0]),
        ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [0, 0, 0, 0, 1, 1 / 3, 0]),
    ],
)
def test_one_class_and_one_case(matrix: Any, expected: list[float]) -> None:
    symbols = ("Acc", "KapS", "MCC", "CEN", "EMA", "NIT", "ET_VI")
    assert of(matrix, *symbols) == pytest.approx(expected, abs=1e-15, nan_ok=True)
    truth, decided = np.argwhere(matrix)[0]
    e = karat.evaluate([truth], np.eye(len(matrix))[[decided]], labels=range(len(matrix)))
    assert [e[s] for s in symbols] == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert all(math.isnan(e[s]) for s in ("AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC"))
