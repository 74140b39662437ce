"""Predictions and matrices answer the same questions, so that nobody has to ask which of them it has."""

from __future__ import annotations

import numpy as np
import pytest

from karat.core.statistic import Needs
from karat.data import Matrix, Predictions, Source

TRUTH = [0, 0, 0, 1, 1, 2]
DECIDED = [0, 0, 1, 1, 9, 2]
TABLE = [[2, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
PREDICTIONS = Predictions.of(TRUTH, y_pred=DECIDED, reject=9)
MATRIX = Matrix.of(TABLE, labels=[0, 1, 2])


@pytest.mark.parametrize("source", [PREDICTIONS, MATRIX], ids=["predictions", "matrix"])
def test_both_answer_alike(source: Source) -> None:
    assert source.n == 6
    assert source.classes == (0, 1, 2)
    assert len(source.outputs) == 4
    assert source.class_weight.tolist() == [3, 2, 1]
    assert source.rejected == 1
    assert source.whole
    assert source.weight is None
    assert not source.lacks(Needs.DECISIONS)
    assert source.lacks(Needs.SCORES)
    restated = source.with_classes_times(np.array([1.0, 2.0, 4.0]))
    assert restated.class_weight.tolist() == [3, 4, 4]
    assert (source.decreed, restated.decreed) == (False, True)


def test_a_matrix_has_no_cases_and_predictions_no_table() -> None:
    assert PREDICTIONS.cases is PREDICTIONS
    assert PREDICTIONS.table is None
    assert MATRIX.cases is None
    assert MATRIX.table.tolist() == TABLE


def test_each_says_what_it_is() -> None:
    assert PREDICTIONS.kind == "predicted labels"
    assert MATRIX.kind == "a confusion matrix"
    assert Predictions.of([0, 1], [0.2, 0.9]).kind == "probabilities"
    assert Predictions.of([0, 1], y_score=[2.0, 9.0]).kind == "scores"


def test_shares_are_no_number_of_cases() -> None:
    shares = Matrix.of([[0.5, 0.1], [0.1, 0.3]])
    assert not shares.whole
    assert shares.n == pytest.approx(1)


def test_cases_are_taken_as_often_as_they_are_named() -> None:
    p = Predictions.of([0, 1, 1], [0.1, 0.8, 0.3], sample_weight=[1, 2, 3])
    part = p.take(np.array([2, 2, 0]))
    assert part.truth.tolist() == [[1, 1, 0]]
    assert part.scores is not None
    assert part.weight is not None
    assert part.scores[0, :, 1].tolist() == [0.3, 0.3, 0.1]
    assert part.weight.tolist() == [[3, 3, 1]]
    assert part.class_weight.tolist() == [1, 6]


def test_each_case_is_an_evaluation_of_its_own() -> None:
    p = Predictions.of([0, 1, 1], [0.1, 0.8, 0.3])
    alone = p.each_alone(np.array([1, 0]))
    assert alone.lead == (2,)
    assert alone.truth.tolist() == [[1], [0]]
    assert alone.class_weight.tolist() == [[0, 1], [1, 0]]
    assert alone.one(1).truth.tolist() == [[0]]
    assert alone.one(1).lead == ()


def test_which_decisions_are_right() -> None:
    assert PREDICTIONS.right.tolist() == [[True, True, False, True, False, True]]
