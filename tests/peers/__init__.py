"""What R, MATLAB, Weka, PyCM and scikit-learn say: the same to 1e-9, or a reason why not.

Their answers are stored outside this repository, in a folder that KARAT_ORACLES names. The tables map each answer to a
symbol of karat or, where the peer defines it otherwise, to a function that rebuilds the peer's from karat's; what karat
doesn't measure is listed. An answer that is in none of these tables fails the test. scikit-learn is also asked live.

A peer differs because:
  AUC         mlr and measures fold it to max(AUC, 1 - AUC) (all stored ones exceed 1/2); PyCM's is (TPR + TNR) / 2
  AU1P        mlr3 and scikit-learn (ovo, weighted) weight a pair of classes by its share of cases; karat and mlr by the
              prior of the first class
  LogL        natural logarithm, clipped at 1e-15 (R) or the float's eps (scikit-learn); karat: bits, 1e-5 (Ferri 2009)
  PR area     scikit-learn's auc() joins points by straight lines; karat follows Davis & Goadrich 2006
  ECE, MCE    netcal bins the positive's probability of two classes; karat that of the decision
  DP          PyCM takes the decimal logarithm; karat the natural one
  MCC, NMI    eve gives (MCC + 1) / 2 and MI / H_XY
  brier.scaled  mlr scales by the score of the mean forecast; karat's BSS by that of the base rate
  BS and parts  verification rounds forecasts to 8 digits, or moves them to the middle of their bin
  isotonic    the mean square distance from the fit is less than MCB where a fitted group holds different forecasts
  KapS        Weka says 1 where one class is always right; karat nan
  0/0         scikit-learn says 0 and warns; karat nan
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat import Evaluation
from karat.measures.lookup import find

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "oracles"
ORACLES = Path(os.environ.get("KARAT_ORACLES", BESIDE))
stored = pytest.mark.skipif(
    not (ORACLES / "fixtures.json").is_file(),
    reason="the stored answers of other programs are not here: name their folder in KARAT_ORACLES",
)
Asked = str | Callable[[Evaluation], Any]


def load(name: str) -> Any:
    """A stored file."""
    return json.loads((ORACLES / name).read_text(encoding="utf-8"))


def number(x: Any) -> Any:
    """What was stored, as floats; R's and JSON's nothing is nan."""
    return np.array([number(y) for y in x]) if isinstance(x, list) else math.nan if x in (None, "NA") else float(x)


def named(text: str) -> dict[str, Asked]:
    """ "a=b c" as {"a": "b", "c": "c"}: the peer's name and karat's."""
    return {word.split("=")[0]: word.split("=")[-1] for word in text.split()}


def ask(e: Evaluation, what: Asked) -> Any:
    """karat's answer; a measure of one class gives one value for each class."""
    if callable(what):
        return what(e)
    return each(e, what[5:]) if what.startswith("each:") else e[what]


def each(e: Evaluation, symbol: str, **options: Any) -> Any:
    """The measure of every class."""
    measure = find(symbol).at(**options) if options else find(symbol)
    return np.array(e.per_class([measure]).columns[measure.symbol])


def compare(e: Evaluation, asked: dict[str, Asked], peer: dict[str, Any], left_out: set[str] | None = None) -> int:
    """Compare all that the peer says, but for what is left out; the number of answers compared."""
    assert set(peer) - (left_out or set()) <= set(asked), "the peer says something that is in no table"
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
    with (ORACLES / "predictions" / f"{name}.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return [row[0] for row in rows], np.array([row[1:] for row in rows], float), [name[2:] for name in head[1:]]


def evaluated(name: str) -> Evaluation:
    y, p, classes = predictions(name)
    return karat.evaluate(y, p, labels=classes, positive="pos" if "pos" in classes else None)
