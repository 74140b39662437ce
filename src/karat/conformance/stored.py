"""What programs that can't be asked here (R, MATLAB, Weka) answered once, about data that are kept with the answers."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from karat.conformance.definitions import each, rebuilt
from karat.evaluation import Evaluation, evaluate, evaluate_matrix

VERSIONS = {
    "R": "R 4.2.2, package entropies (Valverde-Albacete) for the entropies",
    "R prototype": "an R prototype of mlr's areas for several classes, R 4.2.2",
    "mlr": "2.19.1",
    "measures": "0.3",
    "mlr3measures": "1.0.0",
    "pROC": "1.18.0",
    "caret": "6.0.93",
    "e1071": "1.7.13",
    "psych": "2.2.9",
    "verification": "1.44",
    "verification, of bins": "1.44",
    "eve": "1.1",
    "scikit-learn": "1.9.1",
    "imbalanced-learn": "0.14.2",
    "model-diagnostics": "1.5.0",
    "netcal": "1.4.0",
    "hmeasure": "0.1.6",
    "Weka": "3.6.14",
    "PyCM, verified": "4.4: numbers that its tests take from the literature",
    "PyCM, stored": "4.6",
    "the authors' MATLAB (Octave)": "the entropy toolbox of Valverde-Albacete & Peláez-Moreno, in Octave 7.3.0",
    "Valverde 2014, Table 1": "as printed",
    "definitions": "formulas of the papers in exact or 15-digit arithmetic, written apart from karat",
}
"""Which version of a program answered."""
STATED = ("jurman", "prati")
"""What is said of closed forms and curves, not of a set of cases."""


class PeerName(NamedTuple):
    """What a number of another program is here."""

    program: str
    name: str
    measure: str
    """symbol; `each:` before it: one value for each class; empty: karat has none, or it is a table"""
    rebuilt: str
    """how the other program's number follows from karat's where it is defined otherwise; a key of `REBUILT`"""
    why: str
    """what is different"""


@dataclass(frozen=True)
class StoredData:
    """Predictions, a confusion matrix, or cases of two classes by score."""

    data: str
    origin: str
    classes: tuple[str, ...]
    positive: str | None
    truth: Any
    probabilities: Any
    matrix: Any
    own: Any
    others: Any

    def evaluated(self, positive: str | None = None) -> Evaluation:
        """As karat evaluates them."""
        positive = positive or self.positive
        if self.probabilities is None:
            return evaluate_matrix(self.matrix, labels=list(self.classes) or None, positive=positive)
        if self.own is not None:
            labels = np.repeat(self.classes[::-1], len(self.own))
            given: dict[str, Any] = {"sample_weight": np.concatenate([self.own, self.others]), "positive": positive}
            scores = np.tile(self.probabilities, 2)
            probable = scores.max() <= 1
            given["y_proba" if probable else "y_score"] = scores
            return evaluate(labels, labels=list(self.classes), **given)
        if not self.classes:
            return evaluate(self.truth, self.probabilities)
        names = np.array(self.classes)[self.truth]
        return evaluate(names, self.probabilities, labels=list(self.classes), positive=positive)


def _table(name: str) -> list[dict[str, str]]:
    with (resources.files("karat.conformance") / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@cache
def stored_data() -> dict[str, StoredData]:
    """All sets of cases, by name."""
    found = {}
    for row in _table("stored_data.csv"):
        held = {key: json.loads(row[key]) if row[key] else None for key in ("truth", "matrix", "own", "others")}
        probabilities = np.array(json.loads(row["probabilities"]), float) if row["probabilities"] else None
        classes = tuple(json.loads(row["classes"]))
        found[row["data"]] = StoredData(
            row["data"], row["origin"], classes, row["positive"] or None, probabilities=probabilities, **held
        )
    return found


@cache
def peer_names() -> dict[tuple[str, str], PeerName]:
    """What every stored number is here, by program and name."""
    return {(row["program"], row["name"]): PeerName(**row) for row in _table("peer_names.csv")}


@cache
def _answers() -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _table("stored_answers.csv"):
        found.setdefault((row["data"], row["program"]), {})[row["name"]] = json.loads(row["value"])
    return found


def answers_of(data: str, program: str) -> dict[str, Any]:
    """What a program said about a set of cases, by its own names."""
    return _answers()[data, program]


def number(x: Any) -> Any:
    """What was answered, as floats; R's, PyCM's and JSON's nothing is nan."""
    if isinstance(x, list):
        return np.array([number(y) for y in x])
    return math.nan if x in (None, "NA", "None") else float(x)


@dataclass(frozen=True)
class StoredAnswer:
    """A number of another program, and karat's."""

    data: str
    program: str
    name: str
    known: PeerName
    theirs: Any
    ours: Any
    """karat's number of the same or the nearest measure"""
    same: Any
    """karat's number by the other program's definition"""


def stored_answers(data: str | None = None) -> Iterator[StoredAnswer]:
    """Every number that karat has, too."""
    for (name_of_data, program), answers in _answers().items():
        if name_of_data in STATED or data not in (None, name_of_data):
            continue
        evaluations: dict[str | None, Evaluation] = {}
        for name, theirs in answers.items():
            said, _, positive = name.partition("[") if program == "PyCM, verified" else (name, "", "")
            known = peer_names()[program, said]
            if not known.measure and not known.rebuilt:
                continue
            of = positive.strip(']"') or None
            if of not in evaluations:
                evaluations[of] = stored_data()[name_of_data].evaluated(of)
            e = evaluations[of]
            ours: Any = asked(e, known.measure) if known.measure else None
            same: Any = rebuilt(e, known.rebuilt) if known.rebuilt else ours
            told = number(theirs)
            if np.shape(told) == (1,):  # caret: of two classes the first
                ours, same = (x[:1] for x in (ours, same))
            yield StoredAnswer(name_of_data, program, name, known, told, ours, same)


def asked(e: Evaluation, what: str) -> Any:
    """karat's answer; a measure of one class gives one value for each class."""
    return each(e, what.removeprefix("each:")) if what.startswith("each:") else e[what]
