"""Measures as scikit-learn scorers. Needs nothing of scikit-learn but its conventions."""

from __future__ import annotations

from typing import Any

from karat.core.errors import InputError, quoted
from karat.core.keywords import understand, unknown_keyword
from karat.core.measure import Measure
from karat.core.statistic import Needs
from karat.data.estimators import answer_of
from karat.data.labels import distinct
from karat.evaluation import evaluate
from karat.measures.lookup import find

HABITS = {
    "average": "name the average with the measure, as in 'f1_macro' or 'macro(F1)'",
    "greater_is_better": "leave it out, losses are negated automatically",
    "needs_proba": "leave it out, the measure knows what it needs",
    "needs_threshold": "leave it out, the measure knows what it needs",
    "pos_label": "pass positive=",
    "response_method": "leave it out, the measure knows what it needs",
}
"""What `sklearn.metrics.make_scorer` and scikit-learn's measures take, and what to do here."""


class Scorer:
    """`scorer(estimator, X, y)`: the measure of an estimator's predictions, turned so that higher is better."""

    def __init__(self, measure: str | Measure, positive: Any = None) -> None:
        self.measure = measure
        self.positive = positive
        declared = find(measure)
        if declared.orientation == 0:
            raise InputError(
                f"{declared.symbol} only describes: neither high nor low is better, so it can't score models."
            )

    def __call__(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None) -> float:
        try:
            return self._score(estimator, X, y_true, sample_weight)
        except InputError as trouble:  # raised anew: searches show the whole traceback, and a short one is read
            raise InputError(f"{self!r}: {trouble}") from None

    def _score(self, estimator: Any, X: Any, y_true: Any, sample_weight: Any) -> float:
        measure = find(self.measure)
        decisions = measure.statistic.needs is Needs.DECISIONS
        answer = answer_of(estimator, X, decisions=decisions)
        if "y_pred" in answer and not decisions:
            raise InputError(
                f"{measure.symbol} needs scores, and {type(estimator).__name__} has neither predict_proba nor "
                "decision_function; use a measure of predictions, such as MCC."
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
                f"y holds {quoted(strange)}, which {type(estimator).__name__} was not trained with, so it gives "
                "no probability for it; use stratified folds, so that every class is in every training set."
            )
        return known + strange

    def __repr__(self) -> str:
        name = self.measure if isinstance(self.measure, str) else self.measure.symbol
        return f"karat.scorer({name!r}{'' if self.positive is None else f', positive={self.positive!r}'})"


@understand(usage="karat.scorer('f1')")
def scorer(symbol: str | Measure, *, positive: Any = None, **habits: Any) -> Scorer:
    """A measure as a scorer for `cross_val_score`, `GridSearchCV` and all else that takes `scoring=`.

    Parameters
    ----------
    symbol : str or Measure
        The measure, by symbol, title, alias or the name of scikit-learn's scorer ("MCC", "f1_macro", "neg_log_loss").
    positive : label, optional
        The positive class of two; of 0 and 1 it is 1.

    Returns
    -------
    Scorer
        A callable `scorer(estimator, X, y, sample_weight=None)`. Higher is always better: losses are negated.

    Raises
    ------
    InputError
        By this function if the measure is not known or can't rank models; by the scorer if the measure has no value,
        such as F1 of the labels 'fraud' and 'ok' without `positive`.

    See Also
    --------
    karat.evaluate_estimator : All measures of a model, in folds if asked for.

    Notes
    -----
    scikit-learn's searches turn an error of a scorer into the score nan, and show its sentence in a warning; with
    `error_score="raise"` they stop at it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer("MCC"), cv=3).round(3).tolist()
    [0.927, 0.95, 0.949]
    """
    for word in habits:
        if word not in HABITS:
            raise InputError(unknown_keyword("scorer()", word, habits[word], ["symbol", "positive"]))
        raise InputError(f"karat.scorer takes no {word}=; {HABITS[word]}.")
    return Scorer(symbol, positive)
