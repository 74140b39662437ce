"""What R, MATLAB, Weka, PyCM and scikit-learn say: the same to 1e-9, or a reason why not.

Their answers are kept in `karat.conformance`, with what each number is here (`peer_names.csv`); an answer that is not
listed there fails. scikit-learn is also asked live. What needs whole data sets (trees of J48, an example of
insurance, paired tests of areas) is outside this repository, in a folder that KARAT_ORACLES names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karat import Evaluation
from karat.conformance.definitions import each
from karat.conformance.stored import asked as of_symbol
from karat.conformance.stored import number, stored_data

__all__ = ["ORACLES", "Asked", "ask", "compare", "each", "load", "named", "number", "predictions", "stored"]

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "oracles"
ORACLES = Path(os.environ.get("KARAT_ORACLES", BESIDE))
stored = pytest.mark.skipif(
    not (ORACLES / "fixtures.json").is_file(),
    reason="data sets are not part of this repository: name their folder in KARAT_ORACLES",
)
Asked = str | Callable[[Evaluation], Any]


def load(name: str) -> Any:
    """A file of the folder outside."""
    return json.loads((ORACLES / name).read_text(encoding="utf-8"))


def named(text: str) -> dict[str, Asked]:
    """ "a=b c" as {"a": "b", "c": "c"}: the peer's name and karat's."""
    return {word.split("=")[0]: word.split("=")[-1] for word in text.split()}


def ask(e: Evaluation, what: Asked) -> Any:
    """karat's answer; a measure of one class gives one value for each class."""
    return what(e) if callable(what) else of_symbol(e, what)


def compare(e: Evaluation, asked: dict[str, Asked], peer: dict[str, Any]) -> int:
    """Compare all that the peer says; the number of answers compared."""
    assert set(peer) <= set(asked), "the peer says something that is in no table"
    wrong = []
    compared = [key for key in asked if key in peer]
    for key in compared:
        found, expected = np.asarray(ask(e, asked[key])), number(peer[key])
        if found.shape != np.shape(expected) or not np.allclose(found, expected, rtol=0, atol=1e-9, equal_nan=True):
            wrong.append(f"{key}: karat {found}, peer {expected}")
    assert not wrong, "\n".join(wrong)
    return len(compared)


def predictions(name: str) -> tuple[list[str], Any, list[str]]:
    """Truth, probabilities, classes."""
    data = stored_data()[name]
    return [data.classes[i] for i in data.truth], data.probabilities, list(data.classes)
