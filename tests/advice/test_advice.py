"""Advice: it follows the tables of the literature and the declarations, and says why."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import karat
from karat.advice.advice import PURPOSES, fits
from karat.advice.guidelines import CIRCUMSTANCES, GOALS, GUIDELINES, Goal
from karat.catalogue import diagrams, measures
from karat.core.measure import FREQUENCIES, PRIOR
from karat.core.references import references
from karat.data import InputError


def test_the_table_of_prati() -> None:
    # Prati 2011, Table 1: the tools for each predicted variable, in the order of its sections 3.2 to 5.4
    printed = {
        "classes": ["roc_graph", "cost_lines"],
        "rankings": ["roc_curve", "cost_curve", "precision_recall", "lift", "roi"],
        "probabilities": ["reliability", "attributes", "discrimination"],
    }
    for predicted, tools in printed.items():
        assert [g.tool for g in GUIDELINES if g.predicted == predicted and g.cite == "prati2011"] == tools


def test_what_guidance_names_is_declared_and_has_the_traits_it_is_named_for() -> None:
    for goal in GOALS:
        for symbol in (*goal.two, *goal.more):
            assert fits(measures[symbol], goal), symbol
        assert not any(measures[symbol].classwise for symbol in goal.more)
        assert all(tool in diagrams for tool in goal.tools)
    for c in CIRCUMSTANCES:
        assert all(symbol in measures for symbol in (*c.prefer, *c.avoid))
        assert c.cite in references()
        assert all(tool in diagrams for tool in c.tools)
        assert bool(c.why_not) == bool(c.avoid or c.without)
        assert not any(c.without & measures[symbol].traits for symbol in c.prefer)
    assert all(g.cite in references() and g.tool in diagrams for g in GUIDELINES)


def test_reasons_agree_with_what_measures_declare() -> None:
    """A reason that speaks of class frequencies is true of each measure it is given for."""
    against_rest = {"AUC", "AUNU"}  # each class counts the same, but the rest of it is a mixture
    said = set()
    for c in CIRCUMSTANCES:
        if "weighted by its frequency" in c.why:
            said.add("by frequency")
            assert all(FREQUENCIES in measures[s].traits for s in c.prefer)
        if "does not depend on the class frequencies" in c.why:
            said.add("independent")
            assert all(PRIOR in measures[s].invariant and FREQUENCIES not in measures[s].traits for s in c.prefer)
        if "has the same weight" in c.why_not:
            said.add("the same")
            assert all(PRIOR in measures[s].invariant for s in c.avoid if s not in against_rest)
            assert not any("frequent classes counting more" in measures[s].question for s in c.avoid)
    assert said == {"by frequency", "independent", "the same"}


def test_few_cases_of_a_class_weigh_as_much_as_the_reason_says() -> None:
    """One of six classes, with nine of a thousand cases, is taken for another: how much does each measure fall?"""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(6), [198] * 5 + [9])
    one, two = (
        karat.evaluate(y, 0.7 * np.eye(6)[taken] + 0.3 * rng.dirichlet(np.ones(6), 999)) for taken in (y, y % 5)
    )
    (few,) = (c for c in CIRCUMSTANCES if c.name == "few cases of a class")
    fall = {s: one[s] - two[s] for s in ("AUNP", "AUNU", "AU1U", "SAUC", "PAUC", "MAPR", "MAvA")}
    assert abs(fall["AUNP"]) < 0.02
    assert min(x for s, x in fall.items() if s != "AUNP") > 0.05
    assert {s for s in fall if s in few.avoid} == set(fall) - {"AUNP"}
    advised = karat.advise(one, decision="rank")
    assert names(advised.measures) == ["AUNP"]
    assert "AU1P" not in names(advised.against)
    two_classes = karat.advise(decision="rank", balance=0.1, n=50)
    assert not {"AUC", "AUNP"} & set(names(two_classes.measures))  # one number


def names(rows: tuple[karat.advice.advice.Advised, ...]) -> list[str]:
    return [row.name for row in rows]


def test_goals() -> None:
    assert names(karat.advise(decision="classify").measures)[0] == "MCC"
    assert set(names(karat.advise(decision="rank").measures)) <= {"AUC", "H", "AP"}
    assert names(karat.advise(decision="rank", classes=4).measures) == ["AU1U"]  # one of the AUCs is enough
    assert names(karat.advise(decision="probability").diagrams)[0] == "reliability"
    contact = karat.advise(decision="contact fraction", costs=True)
    assert names(contact.diagrams)[:3] == ["lift", "precision_recall", "roi"]
    every = karat.advise()
    assert {row.goal for row in every.measures} == {"classify", "rank", "probability"}
    assert {row.goal for row in karat.advise(outputs="decisions").measures} == {"classify"}
    assert {row.goal for row in karat.advise(outputs="scores").measures} == {"classify", "rank"}


def test_circumstances() -> None:
    rare = karat.advise(decision="rank", balance=0.01)
    assert rare.measures[0].name == "AP"
    assert "precision_recall" in names(rare.diagrams)
    uneven = karat.advise(decision="classify", classes=3, balance=0.1)
    assert "Acc" in names(uneven.against)
    assert "Acc" not in names(uneven.measures)
    # Ferri 2009, sections 6.1, 6.2, 6.4
    assert "LogLoss" in names(karat.advise(decision="probability", noisy_labels=True).against)
    assert "Acc" in names(karat.advise(decision="classify", noisy_labels=True).measures)
    assert "Acc" in names(karat.advise(decision="classify", distorted=True).against)
    assert "AUC" in names(karat.advise(decision="rank", balance=0.1, n=50).against)
    assert names(karat.advise(decision="classify", costs=[[0, 1], [5, 0]]).measures)[0] == "EC"
    assert names(karat.advise(decision="rank", costs=False).measures)[0] == "H"
    assert "cost_curve" in names(karat.advise(decision="rank", costs=False).diagrams)


@pytest.mark.parametrize("k", [2, 3])
def test_what_is_advised_for_imbalanced_classes_gives_a_constant_answer_nothing(k: int) -> None:
    """Values by hand: MCC 0 and NIT 1/k whatever the frequencies are; accuracy, EMA = 2^-H_X and CEN are taken in."""
    even, skewed = np.zeros((2, k, k))
    even[:, 0] = 500
    skewed[:, 0] = [990, *[10] * (k - 1)]
    constant = [karat.evaluate_matrix(t) for t in (even, skewed)]
    p = skewed[:, 0] / skewed.sum()
    assert [e["NIT"] for e in constant] == pytest.approx([1 / k, 1 / k])
    assert constant[1]["EMA"] == pytest.approx(2 ** (p * np.log2(p)).sum())  # .946 for two classes
    (imbalanced,) = (c for c in CIRCUMSTANCES if c.name == "imbalanced")
    assert set(imbalanced.prefer) == {"MCC", "NIT"}
    for symbol in imbalanced.prefer:
        assert constant[0][symbol] == pytest.approx(constant[1][symbol])
    for symbol in imbalanced.avoid:
        assert (
            abs(measures[symbol].best - constant[1][symbol]) < 0.15 < abs(measures[symbol].best - constant[0][symbol])
        )
    advised = karat.advise(karat.evaluate_matrix(skewed))
    assert names(advised.measures)[:2] == ["MCC", "NIT"]
    assert "EMA" in names(advised.against)


@pytest.mark.parametrize("decision", ["classify", "rank", "probability"])
@pytest.mark.parametrize("classes", [2, 5])
def test_where_frequencies_change_nothing_depends_on_them(decision: str, classes: int) -> None:
    found = karat.advise(decision=decision, classes=classes, frequencies_change=True)
    assert found.measures
    for row in found.measures:
        assert FREQUENCIES not in measures[row.name].traits or (classes == 2 and row.name == "AUC")


def test_there_is_always_something_to_advise_and_never_much() -> None:
    for classes in (2, 6):
        for balance in (None, 0.01, 0.3):
            for n in (None, 20, 10_000):
                for change in (False, True):
                    for decision in (None, *(g.name for g in GOALS)):
                        found = karat.advise(
                            decision=decision, classes=classes, balance=balance, n=n, frequencies_change=change
                        )
                        assert 1 <= len(found.measures) <= 6
                        assert 1 <= len(found.diagrams) <= 9
                        assert not set(names(found.measures)) & set(names(found.against))


def test_from_an_evaluation() -> None:
    rng = np.random.default_rng(0)
    y = (np.arange(500) < 12).astype(int)
    found = karat.advise(karat.evaluate(y, rng.random(500)))
    assert (found.task.classes, found.task.n, found.task.outputs) == (2, 500, "probabilities")
    assert found.task.balance == pytest.approx(0.024)
    assert "the positive class is very rare" in found.circumstances
    crisp = karat.advise(karat.evaluate_matrix([[5, 1, 0], [1, 5, 0], [0, 0, 5]]))
    assert (crisp.task.classes, crisp.task.outputs) == (3, "decisions")
    assert karat.advise(karat.evaluate(y, y_score=rng.normal(size=500))).task.outputs == "scores"


def test_it_shows_itself() -> None:
    found = karat.advise(decision="classify", balance=0.02, n=5000)
    assert json.loads(json.dumps(found.to_dict()))["measures"][0]["source"]
    lines = repr(found).split("\n")
    assert (
        lines[0] == "Advice for 2 classes; probabilities; the classes are imbalanced; the positive class is very rare"
    )
    assert lines[2] == f"  {measures['MCC'].label}, for class predictions"
    assert "Avoid" in lines
    assert found.to_table().columns["use"][-1] == f"not {measures['Acc'].label}"
    assert found.to_dict()["measures"][0]["label"] == measures["MCC"].label
    assert max(map(len, lines)) <= 120


def test_reasons_are_in_the_words_of_the_field() -> None:
    old = re.compile(r"\bdecid(ed|ing)\b|decisions|tell.* apart|say |can't|\balarms?\b|taken for|hangs|(?<![\w.])\.\d")
    texts = [text for c in CIRCUMSTANCES for text in (c.meaning, c.why, c.why_not)] + [g.objective for g in GUIDELINES]
    assert [text for text in texts if old.search(text)] == []
    assert set(PURPOSES) == {g.name for g in GOALS}


def test_bad_tasks_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="one of classify, rank, probability, contact"):
        karat.advise(decision="cook")
    with pytest.raises(InputError, match="decision 'probability' needs probabilities, and the outputs are decisions"):
        karat.advise(decision="probability", outputs="decisions")
    with pytest.raises(InputError, match="whole number"):
        karat.advise(classes=1)
    with pytest.raises(InputError, match="from 0 to 1"):
        karat.advise(balance=3)
    with pytest.raises(InputError, match="outputs is 'logits'; pass 'decisions', 'scores' or 'probabilities'"):
        karat.advise(outputs="logits")


def test_log_loss_is_the_one_that_an_evaluation_shows() -> None:
    """In nats, as scikit-learn's; LogL is the same in bits."""
    e = karat.evaluate([0, 1] * 30, [0.2, 0.7] * 30)
    advised = names(karat.advise(e, decision="probability").measures)
    assert "LogLoss" in advised
    assert "LogL" not in advised
    assert "LogLoss" in set(e.keys())


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.name)
def test_a_measure_fits_that_has_what_a_goal_asks_for_and_no_less(goal: Goal) -> None:
    m = measures["Acc"]
    assert fits(replace(m, traits=goal.traits, invariant=goal.invariant), goal)
    for left in goal.traits:
        assert not fits(replace(m, traits=goal.traits - {left}, invariant=goal.invariant), goal)
    for left in goal.invariant:
        assert not fits(replace(m, traits=goal.traits, invariant=goal.invariant - {left}), goal)
