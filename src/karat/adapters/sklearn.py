"""Measures as scikit-learn scorers. Needs nothing of scikit-learn but its conventions."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.errors import InputError, quoted
from karat.core.statistic import Needs
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
        if not hasattr(estimator, "classes_"):
            raise InputError(f"{type(estimator).__name__} has no classes_; karat scores fitted classifiers.")
        predictions: dict[str, Any]
        if measure.statistic.needs is Needs.DECISIONS:
            predictions = {"y_pred": estimator.predict(X)}
        elif hasattr(estimator, "predict_proba"):
            predictions = {"y_proba": estimator.predict_proba(X)}
        elif hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X))
            if scores.ndim == 1:  # scikit-learn's convention: one column of scores, for the second class
                scores = np.column_stack([-scores, scores])
            predictions = {"y_score": scores}
        else:
            raise InputError(
                f"{measure.symbol} needs scores, and {type(estimator).__name__} has neither predict_proba nor "
                "decision_function; score it with a measure of decisions, such as MCC."
            )
        labels = self._classes(estimator, y_true, predictions)
        e = evaluate(y_true, labels=labels, positive=self.positive, sample_weight=sample_weight, **predictions)
        if e.why(measure):
            raise InputError(f"{measure.symbol} is undefined here: {e.why(measure)}.")
        return measure.orientation * e[measure]

    @staticmethod
    def _classes(estimator: Any, y_true: Any, predictions: dict[str, Any]) -> list[Any]:
        """The estimator's classes; for decisions also those of the test cases that it never met."""
        known = list(estimator.classes_)
        strange = [label for label in distinct(y_true, "y")[0] if label not in known]
        if strange and "y_pred" not in predictions:
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
