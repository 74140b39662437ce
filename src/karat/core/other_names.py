"""Names that people bring from elsewhere, and what to write here: for the sentence of an `AttributeError`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping

OF_PACKAGE: Mapping[str, str] = {
    "ConfusionMatrix": "karat.evaluate(y_true, y_pred=y_pred), or karat.evaluate_matrix(matrix)",
    "classification_report": "karat.evaluate(y_true, y_proba).per_class()",
    "confusion_matrix": "karat.evaluate(y_true, y_pred=y_pred).matrix()",
    "cross_val_score": "karat.evaluate_estimator(model, X, y, cv=5)",
    "cross_validate": "karat.evaluate_estimator(model, X, y, cv=5)",
    "evaluate_model": "karat.evaluate_estimator(model, X, y)",
    "compare_models": "karat.compare({'a': p1, 'b': p2}, y_true), or karat.compare_estimators({'a': m1, ...}, X, y)",
    "make_scorer": "karat.scorer('MCC')",
    "metrics": "karat.measures",
    "plot": "karat.evaluate(y_true, y_proba).plot('roc_curve')",
    "plots": "karat.diagrams",
    "score": "karat.evaluate(y_true, y_proba)['MCC']",
    "thresholds": "karat.evaluate(y_true, y_proba).operating(cost=[[0, 1], [5, 0]])",
}
OF_EVALUATION: Mapping[str, str] = {
    "as_dict": "e.to_dict()",
    "bootstrap": "e.intervals(method='percentile')",
    "calibration_curve": "e.plot('reliability')",
    "ci": "e.intervals()",
    "class_stat": "e.per_class()",
    "classification_report": "e.per_class()",
    "confidence_interval": "e.intervals()",
    "confidence_intervals": "e.intervals()",
    "confusion": "e.matrix()",
    "confusion_matrix": "e.matrix()",
    "cm": "e.matrix()",
    "conf_mat": "e.matrix()",
    "describe": "e.summary()",
    "interval": "e.intervals()",
    "labels": "e.classes",
    "measures": "e.values('all')",
    "metrics": "e.values()",
    "overall_stat": "e.values('all')",
    "best_threshold": "e.operating(cost=[[0, 1], [5, 0]])",
    "threshold": "e.operating(cost=[[0, 1], [5, 0]])",
    "thresholds": "e.operating(cost=[[0, 1], [5, 0]])",
    "print_matrix": "e.matrix()",
    "scores": "e.values()",
    "show": "e.plot()",
    "to_df": "e.to_frame()",
    "to_pandas": "e.to_frame(backend='pandas')",
    "to_polars": "e.to_frame(backend='polars')",
}


def instead(
    what: str, name: str, elsewhere: Mapping[str, str], own: Iterable[str], meant: Callable[[str], str]
) -> AttributeError:
    """The error for a name that is not here: what to write instead, if that can be known, or what is near.

    >>> instead("module 'karat'", "metrics", OF_PACKAGE, ["measures"], lambda name: "")
    AttributeError("module 'karat' has no attribute 'metrics'; use karat.measures.")
    """
    use = elsewhere.get(name) or meant(name)
    near = [] if use else difflib.get_close_matches(name, [n for n in own if not n.startswith("_")], 3, 0.75)
    hint = f"; use {use}." if use else f". Did you mean {' or '.join(near)}?" if near else "."
    return AttributeError(f"{what} has no attribute {name!r}{hint}")
