"""Arguments that people know from other libraries: one sentence with karat's word, never a bare TypeError."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import karat
from karat.core.errors import InputError
from karat.core.keywords import CALLED_ELSEWHERE, NOT_AN_ARGUMENT, understand

evaluate = understand(karat.evaluate)
Y, P = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]

ATTEMPTS: list[tuple[dict[str, Any], str]] = [
    # scikit-learn
    ({"pos_label": 1}, "pos_label is called positive here: pass positive=1."),
    ({"pos_label": "ill"}, "pos_label is called positive here: pass positive='ill'."),
    ({"y_prob": P}, "y_prob is called y_proba here: pass y_proba= instead."),
    ({"y_scores": P}, "y_scores is called y_score here: pass y_score= instead."),
    ({"sample_weights": [1, 1, 1, 1]}, "sample_weights is called sample_weight here: pass sample_weight= instead."),
    ({"average": "macro"}, "evaluate() takes no average: an average has a name of its own, as in e['macro(F1)'],"),
    ({"multi_class": "ovr"}, "evaluate() takes no multi_class: ROC AUC one-vs-rest is AUNU"),
    ({"zero_division": 0}, "evaluate() takes no zero_division: a measure without a value is nan"),
    ({"normalize": True}, "normalize is called normalise here: pass normalise=True."),
    ({"display_labels": ["a", "b"]}, "evaluate() takes no display_labels: classes are named as in y_true; rename them"),
    ({"target_names": ["a", "b"]}, "evaluate() takes no target_names: classes are named as in y_true; rename them"),
    ({"weights": "quadratic"}, "evaluate() has no argument 'weights'; its arguments are"),
    ({"metrics": ["f1"]}, "evaluate() takes no metrics: every measure is available afterwards, as in e['f1']"),
    ({"beta": 2}, "evaluate() takes no beta: choose the measure, as in e['F2']"),
    ({"max_fpr": 0.1}, "evaluate() takes no max_fpr: choose the measure"),
    ({"model": None}, "evaluate() takes no model: pass its predictions, or use karat.evaluate_estimator(model, X, y)."),
    # torchmetrics
    ({"preds": P}, "preds is called y_pred (labels) or y_proba (probabilities) here: pass one of the two."),
    ({"target": Y}, "target is called y_true here: pass y_true= instead."),
    ({"task": "binary"}, "evaluate() takes no task: leave it out, as it follows from y_true."),
    ({"threshold": 0.3}, "evaluate() takes no threshold: pass y_pred=(p >= threshold).astype(int)"),
    ({"num_classes": 3}, "evaluate() takes no num_classes: pass labels= with all classes"),
    ({"ignore_index": -1}, "ignore_index is called reject here: pass reject=-1."),
    # PyCM
    ({"actual_vector": Y}, "actual_vector is called y_true here"),
    ({"predict_vector": Y}, "predict_vector is called y_pred here"),
    # yardstick, evaluate
    ({"truth": Y}, "truth is called y_true here"),
    ({"estimate": Y}, "estimate is called y_pred (labels) or y_proba (probabilities) here"),
    ({"event_level": "second"}, "event_level is called positive here: pass positive= instead."),
    ({"case_weights": Y}, "case_weights is called sample_weight here"),
    ({"references": Y}, "references is called y_true here"),
    ({"predictions": Y}, "predictions is called y_pred (labels) or y_proba (probabilities) here"),
    # typed wrongly, or nobody's
    ({"postive": 1}, "evaluate() has no argument 'postive'; did you mean positive=?"),
    ({"Labels": [0, 1]}, "evaluate() has no argument 'Labels'; did you mean labels=?"),
    ({"colour": "red"}, "evaluate() has no argument 'colour'; its arguments are y_true, y_proba, y_pred,"),
]


def refusal(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        function(*arguments, **options)
    return str(refused.value)


@pytest.mark.parametrize(("options", "words"), ATTEMPTS, ids=[next(iter(options)) for options, _ in ATTEMPTS])
def test_what_people_type_first(options: dict[str, Any], words: str) -> None:
    assert refusal(evaluate, Y, **options).startswith(words)


def test_arguments_by_position() -> None:
    assert refusal(evaluate) == refusal(evaluate, y_proba=P)
    assert refusal(evaluate).startswith("evaluate() needs y_true; its arguments are y_true, y_proba, y_pred, labels")
    assert refusal(evaluate, Y, P, Y, [0, 1], 1) == (
        "evaluate() takes y_true, y_proba, y_pred by position and got 5 arguments; pass the others by name."
    )
    assert refusal(evaluate, Y, P, y_true=Y) == "evaluate() got y_true twice, by position and by name; pass it once."


def test_batches() -> None:
    assert refusal(karat.evaluate_batch, [Y], [P], metrics="MCC") == (
        "metrics is called measures here: pass measures='MCC'."
    )
    assert "karat.evaluate_matrices" in refusal(karat.evaluate_batch, [Y], y_pred=[Y])
    assert "needs y_proba" in refusal(karat.evaluate_batch, [Y])
    assert "no argument 'cm'" in refusal(karat.evaluate_matrices, cm=[[[1, 2], [3, 4]]])


def test_methods_and_levels() -> None:
    class Record:
        @understand(groups="this record has none")
        def interval(self, measure: str, *, level: float = 0.95) -> float:
            return level

    assert Record().interval("MCC", level=0.9) == 0.9
    assert refusal(Record().interval, "MCC", alpha=0.1) == "alpha is called level here, a confidence: pass level=0.9."
    assert refusal(Record().interval, "MCC", confidence_level=0.9).endswith("pass level=0.9.")
    assert refusal(Record().interval, "MCC", groups=Y) == "interval() takes no groups: this record has none."
    assert refusal(Record().interval, "MCC", 0.9).startswith("interval() takes measure by position and got 2 arg")
    assert "self" not in refusal(Record().interval)


def test_what_works_is_left_alone() -> None:
    assert evaluate(Y, P, positive=1)["Acc"] == 0.75
    assert inspect.signature(evaluate) == inspect.signature(karat.evaluate)
    assert evaluate.__doc__ == karat.evaluate.__doc__

    @understand
    def broken() -> None:
        raise TypeError("a fault of its own")

    with pytest.raises(TypeError, match="a fault of its own"):
        broken()


def test_no_word_of_others_is_ours() -> None:
    """A word that a function takes is never called foreign, and none has two sentences."""
    ours = set(inspect.signature(karat.evaluate).parameters)
    foreign = {word for words in CALLED_ELSEWHERE.values() for word in words.split()}
    assert not ours & foreign - {"labels"}  # labels, where a function takes classes alone
    assert not ours & set(NOT_AN_ARGUMENT)
    both = {"model", "estimator", "metric", "metrics", "measure", "measures", "scoring", "n_bins", "normalize"}
    assert foreign & set(NOT_AN_ARGUMENT) <= both  # another word where a function takes it, advice elsewhere


PUBLIC = {name: getattr(karat, name) for name in karat.PUBLIC}
FUNCTIONS = [name for name, thing in PUBLIC.items() if inspect.isfunction(thing) and name != "show_versions"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_answers_a_wrong_call_with_a_sentence(name: str) -> None:
    function = PUBLIC[name]
    needs = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    given = [[0, 1]] * sum(p.default is p.empty for p in needs)
    with pytest.raises(InputError, match="nonsense"):
        function(*given, nonsense=1)
    if given:
        with pytest.raises(InputError, match=rf"{name}\(\) needs {needs[0].name}"):
            function()
