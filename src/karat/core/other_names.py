"""Names that people bring from elsewhere, and what to write here: for the sentence of an `AttributeError`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from typing import Any

from karat.core.errors import type_words

OF_PACKAGE: Mapping[str, str] = {
    "ConfusionMatrix": "karat.evaluate(y_true, y_pred=y_pred), or karat.evaluate_matrix(matrix)",
    "classification_report": "karat.evaluate(y_true, y_proba).per_class()",
    "confusion_matrix": "karat.evaluate(y_true, y_pred=y_pred).matrix()",
    "cross_val_score": "karat.evaluate_estimator(model, X, y, cv=5)",
    "cross_validate": "karat.evaluate_estimator(model, X, y, cv=5)",
    "cross_val_predict": "karat.evaluate_estimator(model, X, y, cv=5)",
    "available_metrics": "list(karat.catalogue.measures)",
    "bootstrap": "karat.evaluate(y_true, y_proba).intervals(method='percentile')",
    "calibrate": "sklearn.calibration.CalibratedClassifierCV; karat evaluates, and leaves models as they are",
    "CalibratedClassifierCV": "sklearn.calibration; karat evaluates, and leaves models as they are",
    "cm": "karat.evaluate(y_true, y_pred=y_pred).matrix()",
    "conf_mat": "karat.evaluate(y_true, y_pred=y_pred).matrix()",
    "delong": "karat.compare({'a': p1, 'b': p2}, y_true, measures='roc_auc'), or karat.intervals.delong_paired",
    "delong_test": "karat.compare({'a': p1, 'b': p2}, y_true, measures='roc_auc'), or karat.intervals.delong_paired",
    "friedman": "karat.compare_across(results), or karat.across.friedman",
    "functional": "karat.measures",
    "get_scorer": "karat.scorer('MCC')",
    "get_scorer_names": "list(karat.catalogue.measures)",
    "help": "karat.explain('MCC')",
    "list_measures": "list(karat.catalogue.measures)",
    "list_metrics": "list(karat.catalogue.measures)",
    "load": "karat.accumulate('predictions.csv').evaluation(), or karat.datasets.load for data sets",
    "metric_set": "karat.evaluate(y_true, y_proba).values(['f1', 'mcc'])",
    "Metric": "karat.measure, or karat.measure_from_function(function)",
    "nemenyi": "karat.compare_across(results)",
    "plotting": "karat.diagrams",
    "read_csv": "karat.accumulate('predictions.csv').evaluation()",
    "stats": "karat.comparisons",
    "version": "karat.__version__",
    "wilcoxon": "karat.compare_across(results)",
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
    "at_threshold": "karat.evaluate(y_true, y_proba, y_pred=(p >= threshold).astype(int))",
    "calibration": "e.plot('reliability')",
    "compare": "karat.compare({'a': e1, 'b': e2})",
    "compute": "e.values(), as everything is computed when it is asked for",
    "collect_metrics": "e.to_frame()",
    "fn": "e.matrix()",
    "fp": "e.matrix()",
    "tn": "e.matrix()",
    "tp": "e.matrix()",
    "print_report": "print(e.summary())",
    "recommended_list": "karat.advise(e)",
    "results": "e.values()",
    "save": "e.to_json(), or e.report('report.html')",
    "save_html": "e.report('report.html')",
    "score": "e['mcc'], or any other measure",
    "stat": "e.values('all')",
    "to_csv": "e.to_frame().to_csv(...)",
    "to_dataframe": "e.to_frame()",
    "to_excel": "e.to_frame().to_excel(...)",
    "to_series": "pandas.Series(e.values())",
    "update": "karat.Accumulator() for batches",
    "warnings": "e.findings()",
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


OF_COMPARISON: Mapping[str, str] = {
    "best": "c.verdict, or c.rankings()",
    "best_model": "c.verdict, or c.rankings()",
    "ci": "c['a', 'b']['mcc'].low and .high",
    "differences": "c['a', 'b']",
    "intervals": "c['a', 'b']['mcc'].low and .high, or c.models['a'].intervals()",
    "matrix": "c.models['a'].matrix()",
    "p": "c['a', 'b']['mcc'].p",
    "p_value": "c['a', 'b']['mcc'].p",
    "p_values": "c['a', 'b']['mcc'].p, or c.to_frame()",
    "pvalue": "c['a', 'b']['mcc'].p",
    "pvalues": "c['a', 'b']['mcc'].p, or c.to_frame()",
    "results": "c.to_frame()",
    "ranking": "c.rankings()",
    "table": "c.to_table()",
    "to_df": "c.to_frame()",
    "to_pandas": "c.to_frame(backend='pandas')",
    "values": "c.models['a'].values(), or c.to_frame()",
    "winner": "c.verdict, or c.rankings()",
}
"""What people ask a comparison for."""
OF_ACCUMULATOR: Mapping[str, str] = {
    "add": ".update(y_true, y_proba)",
    "append": ".update(y_true, y_proba)",
    "compute": ".evaluation()",
    "evaluate": ".evaluation()",
    "fit": ".update(y_true, y_proba)",
    "forward": ".update(y_true, y_proba)",
    "reset": "a new karat.Accumulator()",
    "result": ".evaluation()",
}
"""What people ask an accumulator for."""
OF_RECORDS: Mapping[str, str] = {
    "auc": ".area",
    "average_precision": ".average_precision",
    "ci": ".low and .high",
    "confidence_interval": ".low and .high",
    "fig": ".figure_ after .plot()",
    "figure": ".figure_ after .plot()",
    "high": "['mcc'].high",
    "low": "['mcc'].low",
    "lower": ".low",
    "p": "['mcc'].p",
    "p_value": ".p",
    "pval": ".p",
    "pvalue": ".p",
    "roc_auc": ".area",
    "savefig": ".save(path)",
    "show": ".plot()",
    "statistic": ".to_dict()",
    "to_df": ".to_frame()",
    "to_numpy": ".to_frame(), or .to_dict()",
    "to_pandas": ".to_frame(backend='pandas')",
    "upper": ".high",
}
"""What people ask other answers for; said only of what has it."""

MOST_NAMED = 14
"""So many names are all listed; of more, `help` shows them."""


def instead(
    what: str,
    name: str,
    elsewhere: Mapping[str, str],
    own: Iterable[str],
    meant: Callable[[str], str],
    manual: str = "",
) -> AttributeError:
    """The error for a name that is not here: what to write instead, if that can be known, or what is near, or where to
    look.

    >>> instead("module 'karat'", "metrics", OF_PACKAGE, ["measures"], lambda name: "")
    AttributeError("module 'karat' has no attribute 'metrics'; use karat.measures.")
    """
    public = sorted(n for n in own if not n.startswith("_"))
    use = elsewhere.get(name) or elsewhere.get(name.lower()) or meant(name)
    near = [] if use else difflib.get_close_matches(name, public, 3, 0.75)
    if use:
        hint = f"; use {use}."
    elif near:
        hint = f". Did you mean {' or '.join(near)}?"
    elif manual and len(public) > MOST_NAMED:
        hint = f"; help({manual}) shows what there is."
    else:
        hint = f"; it has {', '.join(public)}." if public else "."
    return AttributeError(f"{what} has no attribute {name!r}{hint}")


def missing(thing: Any, name: str) -> AttributeError:
    """The error for an attribute that an answer does not have.

    >>> from karat.core.table import Table
    >>> print(missing(Table({}), "to_pandas"))
    a Table has no attribute 'to_pandas'; use .to_frame(backend='pandas').
    """
    kind = type(thing)
    own = {*dir(kind), *getattr(thing, "__dict__", ())}
    use = OF_RECORDS.get(name, "")
    first = "".join(takewhile(lambda c: c.isalnum() or c == "_", use.lstrip(".")))
    use = use if first in own or (use.startswith("[") and "__getitem__" in own) else ""
    return instead(type_words(thing), name, {}, own, lambda _: use, f"{kind.__module__}.{kind.__name__}")
