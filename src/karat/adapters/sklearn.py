"""Measures as scikit-learn scorers. Needs nothing of scikit-learn but its conventions."""

from __future__ import annotations

from typing import Any

from karat.core.statistic import Needs
from karat.evaluation import evaluate, find


class Scorer:
    """`scorer(estimator, X, y)`: the measure of an estimator's predictions, turned so that higher is better."""

    def __init__(self, measure: str, positive: Any = None) -> None:
        self.measure = measure
        self.positive = positive
        found = find(measure)
        if found.orientation == 0:
            raise ValueError(
                f"{found.symbol} only describes: neither high nor low is better, so it can't score models."
            )

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        measure = find(self.measure)
        common = {"labels": list(estimator.classes_), "positive": self.positive, "sample_weight": sample_weight}
        if measure.statistic.needs is Needs.DECISIONS:
            value = evaluate(y_true, y_pred=estimator.predict(X), **common)[measure]
        elif hasattr(estimator, "predict_proba"):
            value = evaluate(y_true, estimator.predict_proba(X), **common)[measure]
        else:
            common["positive"] = self.positive if self.positive is not None else estimator.classes_[-1]
            value = evaluate(y_true, y_score=estimator.decision_function(X), **common)[measure]
        return measure.orientation * value

    def __repr__(self) -> str:
        return f"karat.scorer({self.measure!r})"


def scorer(symbol: str, *, positive: Any = None) -> Scorer:
    """A scorer for `cross_val_score`, `GridSearchCV` and friends; higher is always better (losses are negated)."""
    return Scorer(symbol, positive)
