"""What decisions cost, and the rule of least expected cost."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import karat
from cases import probabilities
from costly import COST, literal_cost, literal_rule, scored
from karat.core.record import Record
from karat.data import InputError
from karat.decisions.operating import operating
from karat.measures.costs import normalised, prices
from karat.statistics.roc_hull import probability_cost


@pytest.mark.parametrize("columns", [3, 4])
def test_the_rule_of_least_expected_cost(columns: int) -> None:
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 3, 90), probabilities(rng, 90, 3)
    cost = rng.normal(2, 1, (3, columns))
    frequency = np.bincount(y) / 90
    for prior, assumed in ((None, None), ([0.6, 0.3, 0.1], None), ([0.6, 0.3, 0.1], [0.2, 0.2, 0.6])):
        new = frequency if prior is None else prior
        old = frequency if assumed is None else assumed
        if prior is None:
            new = old
        found = karat.evaluate(y, p).operating(cost, prior, assumed)
        d = [literal_rule(row, cost, new, old) for row in p]
        assert found["least expected cost"].cost == pytest.approx(literal_cost(y, d, cost, new))
        argmax = literal_cost(y, p.argmax(axis=1), cost, new)
        assert found["as decided"].cost == pytest.approx(argmax)
        constant = min(literal_cost(y, [c] * 90, cost, new) for c in range(columns))
        assert found["always the same"].cost == pytest.approx(constant)
        assert found.best.cost == min(c.cost for c in found.strategies)
        assert json.dumps(found.to_dict())
    assert "least expected cost" in repr(found)


def test_the_rule_beats_the_most_probable_class_where_probabilities_are_right() -> None:
    rng = np.random.default_rng(12)
    p = probabilities(rng, 20_000, 3)
    y = (p.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    found = karat.evaluate(y, p, y_pred=np.roll(y, 1), labels=[0, 1, 2]).operating([[0, 1, 1], [4, 0, 4], [9, 9, 0]])
    assert found["least expected cost"].cost < found["most probable"].cost < found["as decided"].cost
    assert found["least expected cost"].cost < found["always the same"].cost


def test_normalised_costs_of_two_classes_are_those_of_the_catalogue() -> None:
    y, p = scored()
    e = karat.evaluate(y, p)
    prior = [0.8, 0.2]
    found = e.operating(COST, prior)["as decided"]
    pc = probability_cost(1.0, 5.0, 0.2)
    nec = karat.catalogue.measures["NEC"].at(pc=pc)
    assert found.normalised == pytest.approx(e[nec])
    assert found.cost == pytest.approx(e[karat.catalogue.measures["EC"].at(cost=COST, prior=prior)])
    # gains do not change the scale: only what an error costs more than the right decision counts
    gains = e.operating([[-2.0, -1.0], [2.0, -3.0]], prior)["as decided"]
    assert gains.normalised == pytest.approx(found.normalised)
    assert normalised(0.3, prices(None, 2, 2), np.array([0.5, 0.5])) == 0.3


def test_costs_can_be_named() -> None:
    e = karat.evaluate(["cat", "dog", "dog"], y_pred=["cat", "dog", "cat"])
    named = e.operating({("cat", "dog"): 3, ("dog", "cat"): 2})
    assert named["as decided"].cost == pytest.approx(2 / 3)
    with pytest.raises(InputError, match=r"lacks \('dog', 'cat'\)"):
        e.operating({("cat", "dog"): 3})


def test_bad_conditions_are_refused_in_one_sentence() -> None:
    e = karat.evaluate([0, 1, 1], [0.2, 0.7, 0.4])
    for cost, prior, words in (
        ([[0, 1, 2]], None, "cost has the shape"),
        ([[0, math.inf], [1, 0]], None, "not finite"),
        (None, [0.5, 0.6], "sum to 1"),
        (None, {2: 0.5}, "the class frequencies name 2; the classes are 0, 1"),
        (None, 1.5, "from 0 to 1"),
        ([[1, 0], [0, 1]], None, "no error costs more"),
    ):
        with pytest.raises(InputError, match=words):
            e.operating(cost, prior)
    with pytest.raises(InputError, match="give what"):
        karat.dominance({"a": 3})


def test_answers_are_records() -> None:
    y, p = scored()
    ways = karat.evaluate(y, p).operating(cost=[[0, 1], [5, 0]])
    assert ways.threshold is not None
    for record in (ways, ways.threshold, ways.conditions, ways.best, karat.dominance({"a": (0.1, 0.6)}).borders[0]):
        assert isinstance(record, Record)
        assert json.dumps(record.to_dict())
        assert "<table>" in record._repr_html_()
    assert list(ways.to_dict()) == ["classes", "decisions", "cost", "prior", "courses", "threshold"]
    assert list(ways.to_dict()["courses"]["as decided"]) == ["cost", "normalised", "words", "matrix"]


def test_a_cost_that_is_undefined_is_none_in_plain_data() -> None:
    """A class with a prior and no case: JSON has no nan."""
    data = karat.evaluate_matrix([[3, 1], [0, 0]]).operating(prior=[0.5, 0.5]).to_dict()
    assert data["courses"]["as decided"]["cost"] is None
    json.dumps(data, allow_nan=False)


def test_levels_and_seeds_are_checked() -> None:
    e = karat.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.5])
    with pytest.raises(InputError, match="level is 95"):
        karat.dominance({"a": e}, level=95)
    with pytest.raises(InputError, match="seed is -1"):
        karat.dominance({"a": e}, seed=-1)
    with pytest.raises(InputError, match="seed is -1"):
        operating(e, seed=-1)


def test_the_words_of_plain_data_are_attributes_too() -> None:
    operating = karat.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4]).operating()
    assert operating.courses is operating.strategies
    assert list(operating.to_dict()["courses"]) == [s.name for s in operating.courses]


def test_very_many_classes_cost_no_table_for_each() -> None:
    rng = np.random.default_rng(4)
    y = np.concatenate([np.arange(1200), rng.integers(0, 1200, 300)])
    e = karat.evaluate(y, y_pred=rng.permutation(y))
    constant = next(s for s in e.operating().strategies if s.name == "always the same")
    assert constant.cost == pytest.approx(1 - np.bincount(y).max() / len(y))


def test_all_views_have_the_interval_of_the_best_threshold() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    ways = karat.evaluate(y, 1 / (1 + np.exp(1 - 2 * y + rng.normal(size=200)))).operating()
    assert ways.threshold is not None
    (line,) = [
        note for note in ways.threshold.notes if note.startswith("95 % interval of the best threshold: between ")
    ]
    for view in (repr(ways), ways.to_markdown(), ways._repr_html_(), repr(ways.threshold)):
        assert line in view
    assert karat.evaluate(y, y_pred=y).operating().to_table().notes == ()
