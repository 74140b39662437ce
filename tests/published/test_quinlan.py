"""Quinlan (1993), C4.5: Programs for Machine Learning, sections 2.2 and 3.2: the golf data, with and without a missing
value. The book's numbers have three digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from karat.datasets import parse_csv
from karat.learners import C45Classifier, Columns, _growing
from karat.learners._growing import Node, Sample
from karat.learners.rules import Rules

GOLF = """outlook,temperature,humidity,windy,play
sunny,75,70,true,Play
sunny,80,90,true,Don't
sunny,85,85,false,Don't
sunny,72,95,false,Don't
sunny,69,70,false,Play
overcast,72,90,true,Play
overcast,83,78,false,Play
overcast,64,65,true,Play
overcast,81,75,false,Play
rain,71,80,true,Don't
rain,65,70,true,Don't
rain,75,80,false,Play
rain,68,80,false,Play
rain,70,96,false,Play
"""
DATA = parse_csv(GOLF, name="golf")


def scored(X: Any, column: int) -> _growing.Score:
    """The score of a column at the root."""
    sample = Sample(Columns.of(X, DATA.nominal), DATA.y, np.ones(14), 2, Rules())
    node = Node(np.arange(14), np.ones(14), np.bincount(DATA.y).astype(float))
    found = _growing._score(sample, node, column, 14.0)
    assert found is not None
    return found


def test_gain_and_gain_ratio_of_outlook() -> None:
    score = scored(DATA.X, 0)
    assert score.gain == pytest.approx(0.246, abs=1e-3)
    assert score.ratio == pytest.approx(0.156, abs=1e-3)


def test_gain_of_windy() -> None:
    assert scored(DATA.X, 3).gain == pytest.approx(0.048, abs=1e-3)


def test_gain_and_gain_ratio_with_an_unknown_outlook() -> None:
    X = DATA.X.copy()
    X[5, 0] = np.nan
    score = scored(X, 0)
    assert score.gain == pytest.approx(0.199, abs=1e-3)
    assert score.ratio == pytest.approx(0.110, abs=1e-3)


def test_the_tree_of_the_book() -> None:
    model = C45Classifier.of(DATA).fit(DATA.X, DATA.y)
    assert model.to_text(DATA.attributes, DATA.values, DATA.classes).splitlines() == [
        "outlook = overcast: Play (4.0)",
        "outlook = rain",
        "|   windy = false: Play (3.0)",
        "|   windy = true: Don't (2.0)",
        "outlook = sunny",
        "|   humidity <= 75: Play (2.0)",
        "|   humidity > 75: Don't (3.0)",
    ]


def test_the_tree_with_an_unknown_outlook() -> None:
    """Section 3.2.1: the unknown case goes down all branches with weights 5/13, 3/13 and 5/13, and a case of sunny
    outlook and unknown humidity is Play with probability 2.0/5.4 + 3.4/5.4 x 12 %."""
    X = DATA.X.copy()
    X[5, 0] = np.nan
    model = C45Classifier.of(DATA).fit(X, DATA.y)
    text = model.to_text(DATA.attributes, DATA.values, DATA.classes)
    assert "|   humidity > 75: Don't (3.38/0.38)" in text
    assert "outlook = overcast: Play (3.23)" in text
    sunny = DATA.values[0].index("sunny") if DATA.values[0] else 0
    p = model.predict_proba([[sunny, 70, np.nan, 0]])[0]
    assert p[DATA.classes.index("Play")] == pytest.approx(0.44, abs=6e-3)
