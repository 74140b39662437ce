"""Classifiers with scikit-learn's methods: which they are, how they are trained, what they say of some cases."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.adapters.folds import Split, first_line
from karat.core.arithmetic import Array
from karat.core.errors import InputError, quoted, type_words
from karat.data.estimators import answer_of
from karat.engines.one_thread import one_thread

OTHER_KINDS = {"regressor": "a regressor", "clusterer": "a clusterer", "outlier_detector": "an outlier detector"}
"""What else scikit-learn has, in words."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a classifier says of some cases."""

    classes: tuple[Any, ...]
    """of the columns"""
    scores: Array | None
    """[n, classes]: probabilities, or real scores; None: it only predicts"""
    predicted: Array
    """[n] labels"""
    probabilities: bool = True
    untrained: tuple[Any, ...] = ()
    """classes that it was not trained with"""

    @property
    def kind(self) -> str:
        """What `karat.evaluate` calls the scores."""
        return "y_proba" if self.probabilities else "y_score"

    @property
    def by_highest_score(self) -> bool:
        """Does it predict the class with the highest score, always?"""
        if self.scores is None:
            return False
        highest = self.scores.argmax(axis=1).tolist()
        return bool([self.classes[j] for j in highest] == self.predicted.tolist())

    def in_order(self, classes: tuple[Any, ...], who: str) -> Answer:
        """The same, with columns of these classes. A class that it was not trained with has the probability 0."""
        untrained = tuple(c for c in classes if c not in self.classes)
        if self.scores is None:
            return replace(self, classes=classes, untrained=untrained)
        if untrained and not self.probabilities:
            raise InputError(
                f"{who} was trained without the class {quoted(untrained)}, for which it gives no score; use fewer or "
                "stratified folds, or a model with predict_proba."
            )
        scores = np.zeros((len(self.scores), len(classes)), self.scores.dtype)
        scores[:, [classes.index(c) for c in self.classes]] = self.scores
        return replace(self, classes=classes, scores=scores, untrained=untrained)


def refuse_no_classifier(model: Any, who: str) -> None:
    """Only what predicts classes can be evaluated."""
    if isinstance(model, type):
        raise InputError(f"{who} is the class {model.__name__} itself; give an object of it: {model.__name__}(...).")
    if not hasattr(model, "predict"):
        if isinstance(model, str) or not hasattr(model, "fit"):
            raise InputError(
                f"{who} is {type_words(model)}; give a classifier with scikit-learn's methods (fit, predict, "
                "predict_proba), or pass predictions to karat.evaluate."
            )
        raise InputError(f"{who} ({type(model).__name__}) has no predict; give a classifier.")
    kind = _kind_of(model)
    if kind in OTHER_KINDS and not is_trained(model):
        raise InputError(
            f"{who} ({type(model).__name__}) is {OTHER_KINDS[kind]}, and karat evaluates classifiers; give one, or "
            "pass what it predicts to karat.evaluate as y_pred= (classes) or y_score= (scores)."
        )


def _kind_of(model: Any) -> str:
    """What scikit-learn calls it; empty if it says nothing."""
    if "sklearn" in sys.modules and hasattr(model, "__sklearn_tags__"):
        from sklearn.utils import get_tags

        try:
            return str(get_tags(model).estimator_type or "")
        except (AttributeError, TypeError, ValueError):
            return ""
    return str(getattr(model, "_estimator_type", ""))


def is_trained(model: Any) -> bool:
    """Has it learnt classes?"""
    return hasattr(model, "classes_") and len(model.classes_) > 0


def answer(model: Any, X: Any) -> Answer:
    """What a trained classifier says of X: probabilities, else scores, and what it predicts."""
    if any(np.ndim(c) for c in model.classes_):
        raise InputError(
            f"{type(model).__name__} predicts {len(model.classes_)} outputs at once; evaluate each of them by itself."
        )
    given = answer_of(model, X)
    predicted = np.asarray(given.pop("y_pred") if "y_pred" in given else model.predict(X))
    predicted = predicted[:, 0] if predicted.ndim == 2 and predicted.shape[1] == 1 else predicted
    labels = tuple(np.asarray(given.pop("labels")).tolist())
    scores = next(iter(given.values()), None)
    return Answer(labels, scores, predicted, "y_score" not in given)


def trained_answer(
    model: Any, X: Any, y: Array, weight: Array | None, split: Split, seed: tuple[int, int], who: str
) -> Answer:
    """Train a clone with the training cases of a split; what it says of the test cases."""
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing

    with one_thread(), numpy_seed(seed):
        try:
            fresh = clone(model)
            weights = {} if weight is None else {weight_name(model): weight[split.train]}
            fresh.fit(_safe_indexing(X, split.train), y[split.train], **weights)
            if not is_trained(fresh):
                raise InputError(f"{type(model).__name__} has no classes_ after fit")
            return answer(fresh, _safe_indexing(X, split.test))
        except Exception as trouble:
            raise InputError(f"{who} failed: {first_line(trouble)}.") from trouble


def weight_name(model: Any) -> str:
    """The argument of `fit` that takes weights: that of the last step of a pipeline."""
    if hasattr(model, "steps") and not _routes_metadata():
        name, last = model.steps[-1]
        return f"{name}__{weight_name(last)}"
    arguments = inspect.signature(model.fit).parameters
    if "sample_weight" in arguments:
        return "sample_weight"
    inner = next((getattr(model, name) for name in ("estimator", "base_estimator") if hasattr(model, name)), None)
    if inner is not None and any(a.kind is a.VAR_KEYWORD for a in arguments.values()):
        return weight_name(inner)  # a search hands it on
    raise InputError(
        f"fit of {type(model).__name__} takes no sample_weight; leave sample_weight out, or pass out-of-fold "
        "predictions to karat.evaluate to weight the evaluation alone."
    )


def _routes_metadata() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing", False))


@contextmanager
def numpy_seed(seed: tuple[int, int]) -> Iterator[None]:
    """What draws from numpy's global generator (scikit-learn's `random_state=None`) draws the same for the same seed,
    whichever process does it; the generator is afterwards what it was."""
    number = np.random.SeedSequence(seed[0], spawn_key=seed[1:]).generate_state(1)[0]
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(number)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
