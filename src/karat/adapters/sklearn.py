"""Measures as scikit-learn scorers. Needs nothing of scikit-learn but its conventions."""

from __future__ import annotations

from typing import Any

from karat.core.errors import InputError, quoted
from karat.core.statistic import Needs
from karat.data.estimators import answer_of
from karat.data.labels import distinct
from karat.evaluation import evaluate
from karat.measures.lookup import find


class Scorer:
    """`scorer(estimator, X, y)`: the measure of an estimator's predictions, turned so that higher is better."""

    def __init__(self, measure: str, positive: Any = None) -> None:
        self.measure = measure
        self.positive = positive
        declared = find(measure)
        if declared.orientation == 0:
            raise InputError(
                f"{declared.symbol} only describes: neither high nor low is better, so it can't score models."
            )

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        measure = find(self.measure)
        decisions = measure.statistic.needs is Needs.DECISIONS
        answer = answer_of(estimator, X, decisions=decisions)
        if "y_pred" in answer and not decisions:
            raise InputError(
                f"{measure.symbol} needs scores, and {type(estimator).__name__} has neither predict_proba nor "
                "decision_function; score it with a measure of decisions, such as MCC."
            )
        answer["labels"] = self._classes(estimator, y_true, decisions)
        e = evaluate(y_true, positive=self.positive, sample_weight=sample_weight, **answer)
        value = e[measure]
        if value != value:
            raise InputError(f"{measure.symbol} is undefined here: {e.undefined_because(measure)}.")
        return measure.orientation * value

    @staticmethod
    def _classes(estimator: Any, y_true: Any, decisions: bool) -> list[Any]:
        """The estimator's classes; for decisions also those of the test cases that it never met."""
        known = list(estimator.classes_)
        strange = [label for label in distinct(y_true, "y")[0] if label not in known]
        if strange and not decisions:
            raise InputError(
                f"y holds {quoted(strange)}, which {type(estimator).__name__} was not trained with, so that it gives "
                "no probability for it; part the cases so that every class is in every training set (stratified folds)."
            )
        return known + strange

    def __repr__(self) -> str:
        return f"karat.scorer({self.measure!r})"


def scorer(symbol: str, *, positive: Any = None) -> Scorer:
    """A scorer for `cross_val_score`, `GridSearchCV` and friends; higher is always better (losses are negated)."""
    return Scorer(symbol, positive)
