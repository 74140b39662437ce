"""What a fitted scikit-learn classifier says of some cases. Needs nothing of scikit-learn but its conventions."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.errors import InputError


def answer_of(estimator: Any, X: Any, *, decisions: bool = False) -> dict[str, Any]:
    """What it says about X, as `Predictions.of` takes it: its classes, and probabilities, else scores, else (or if only
    they are wanted) decisions."""
    if not hasattr(estimator, "classes_"):
        raise InputError(
            f"{type(estimator).__name__} has no classes_; give a classifier that is fitted: model.fit(X, y)."
        )
    labels = {"labels": list(estimator.classes_)}
    if decisions or not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
        return labels | {"y_pred": estimator.predict(X)}
    if hasattr(estimator, "predict_proba"):
        proba = estimator.predict_proba(X)
        return labels | {"y_proba": proba if isinstance(proba, list) else np.asarray(proba)}  # a list: several outputs
    score = np.asarray(estimator.decision_function(X))
    # one column is the score of the second class; both are said, so that either can be the positive one
    return labels | {"y_score": np.column_stack([-score, score]) if score.ndim == 1 else score}
