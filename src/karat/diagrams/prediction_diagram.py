"""Diagrams that are made from predictions: of one model, or of several at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from karat.core.errors import InputError
from karat.core.statistic import Statistic
from karat.data import Matrix, Predictions
from karat.data.labels import positive_place
from karat.diagrams.diagram import BORDER, Diagram
from karat.diagrams.several import Several
from karat.statistics import Summary


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionDiagram(Diagram):
    """A diagram of the predictions of one model."""

    statistic: ClassVar[type[Statistic]]
    two_classes: ClassVar[bool] = True
    """Is it a diagram of one class against the rest?"""

    positive: Any = None
    """The class that is shown against the rest."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        positive: Any = None,
        name: str = "",
        **options: Any,
    ) -> Self:
        """Of labels and probabilities (scores: `y_score=`), as `karat.evaluate` takes them; `name` is what the legend
        will call it. Nothing is drawn before `.plot()`."""
        return cls.of(_summary(y_true, y_proba, y_pred, positive, options), positive=positive, name=name, **options)

    @classmethod
    def from_matrix(
        cls, matrix: Any, labels: Any = None, *, positive: Any = None, name: str = "", **options: Any
    ) -> Self:
        """Of a bare confusion matrix, rows the truth."""
        return cls.of(Summary(Matrix.of(matrix, labels, positive)), positive=positive, name=name, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any) -> Self:
        """Of what a fitted scikit-learn classifier says about X."""
        said = _said_by(estimator, X)
        shown = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, name=shown, **{"labels": list(estimator.classes_)} | said | options)

    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], X: Any, y: Any, **options: Any) -> Several:
        """One for each fold of scikit-learn's `cross_validate(..., return_estimator=True, return_indices=True)`."""
        if not {"estimator", "indices"} <= set(cv_results):
            raise InputError(
                "cv_results lacks its estimators or indices; call cross_validate with return_estimator=True and "
                "return_indices=True."
            )
        folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        members = [
            cls.from_estimator(estimator, _rows(X, test), _rows(y, test), name=f"fold {i}", **options)
            for i, (estimator, test) in enumerate(folds, 1)
        ]
        return Several.of(members, ("macro",) if cls.averages else ())

    @classmethod
    def for_each_class(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        averages: Iterable[str] = ("macro",),
        **options: Any,
    ) -> Several:
        """One for each class against the rest, with the averages of the curves over the classes ("macro": each class
        counts the same, "weighted": by its frequency)."""
        return cls.of_classes(_summary(y_true, y_proba, y_pred, None, options), averages=averages, **options)

    @classmethod
    def of_classes(cls, summary: Summary, *, averages: Iterable[str] = ("macro",), **options: Any) -> Several:
        """The same of a summary."""
        if "positive" in options:
            raise InputError("positive was given, and each class is shown against the rest; leave it out.")
        if not cls.two_classes:
            raise InputError(f"{cls.name} shows all classes together; use from_predictions().")
        classes = summary.source.classes
        weight = summary.source.class_weight
        members = [
            cls.of(summary, positive=c, name=str(c), **options)
            for c, w in zip(classes, weight, strict=True)
            if 0 < w < weight.sum()
        ]
        shares = [float(w) for w in weight if 0 < w < weight.sum()]
        return Several.of(members, averages if cls.averages else (), shares)

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions."""
        cls.check(options)
        statistic, shown = cls.taken(summary, positive)
        record: Self = cls.compute(statistic, **options)
        object.__setattr__(record, "model", name)
        object.__setattr__(record, "positive", shown)
        return record

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Several:
        """One for each model, to be drawn together."""
        return Several.of([cls.of(s, positive=positive, name=name, **options) for name, s in models.items()])

    @classmethod
    def taken(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """The statistic that it is computed from, and the class that is shown against the rest."""
        return taken(cls, summary, positive)

    def named(self, label: str, value: str) -> str | None:
        """A legend entry: the model and a number that belongs to it."""
        return f"{label} ({value})" if label else value

    @property
    def who(self) -> str:
        """Which class is positive, for the figure."""
        return f"positive: {self.positive}"


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelsDiagram(Diagram):
    """A diagram of several models at once, whose meaning lies in their comparison."""

    statistic: ClassVar[type[Statistic]]
    two_classes: ClassVar[bool] = False

    models: tuple[str, ...]
    positive: Any = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        positive: Any = None,
        name: str = "model",
        **options: Any,
    ) -> Self:
        """Of labels and decisions (or probabilities, or both), as `karat.evaluate` takes them; of several models if
        what is given is given as {model: ...}."""
        border = {option: options.pop(option) for option in BORDER if option in options}
        said = [given for given in (y_proba, y_pred) if given is not None]
        several = [given for given in said if isinstance(given, Mapping)]
        if 0 < len(several) < len(said):
            raise InputError("one of y_proba and y_pred is {model: ...} and the other is not; give both by model.")
        probas, preds = ((given or {}) if several else {name: given} for given in (y_proba, y_pred))
        summaries = {
            str(model): _summary(y_true, probas.get(model), preds.get(model), positive, dict(border))
            for model in {**probas, **preds}
        }
        return cls.of_models(summaries, positive=positive, **options)

    @classmethod
    def from_matrices(
        cls, matrices: Mapping[str, Any], labels: Any = None, *, positive: Any = None, **options: Any
    ) -> Self:
        """Of bare confusion matrices {model: matrix}, rows the truth."""
        models = {str(name): Summary(Matrix.of(m, labels, positive)) for name, m in matrices.items()}
        return cls.of_models(models, positive=positive, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Of what a fitted scikit-learn classifier, or several {model: classifier}, say about X."""
        several = estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        border = {option: options.pop(option) for option in BORDER if option in options}
        models = {
            name: _summary(y, None, e.predict(X), options.get("positive"), {"labels": list(e.classes_)} | border)
            for name, e in several.items()
        }
        return cls.of_models(models, **options)

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Self:
        """Of the statistics of each model."""
        if not models:
            raise InputError(f"{cls.name} was given no model; give at least one.")
        cls.check(options)
        found = {name: taken(cls, summary, positive) for name, summary in models.items()}
        shown = {one for _, one in found.values()}
        if len(shown) > 1:
            raise InputError(
                f"the models have different positive classes ({', '.join(map(str, shown))}); say positive=."
            )
        record: Self = cls.compute({name: statistic for name, (statistic, _) in found.items()}, **options)
        object.__setattr__(record, "positive", shown.pop())
        return record

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "model", **options: Any) -> Self:
        """Of one model."""
        return cls.of_models({name: summary}, positive=positive, **options)

    @property
    def who(self) -> str:
        """Which class is positive, for the figure."""
        return f"positive: {self.positive}"


def taken(kind: Any, summary: Summary, positive: Any) -> tuple[Any, Any]:
    """The statistic that a diagram is computed from, and the class that is shown against the rest."""
    lacking = summary.lacks(kind.statistic)
    if lacking:
        raise InputError(f"{kind.name} can't be had: {lacking}.")
    if not kind.two_classes:
        return summary.get(kind.statistic), None
    place = place_of(summary, positive, kind.name)
    shown = summary.source.classes[place]
    if kind.statistic.per_class == "each":
        return summary.table_of_class(place), shown
    statistic = summary.get(kind.statistic)
    parts = (np.asarray(getattr(statistic, f.name))[..., place] for f in fields(statistic))
    return type(statistic)(*parts), shown


def place_of(summary: Summary, positive: Any, what: str) -> int:
    """The place of the class that is shown against the rest."""
    source = summary.source
    if positive is None:
        if source.positive is None:
            hint = "say positive=<class>, or use for_each_class()"
            raise InputError(f"{what} shows one class against the rest, and which was not said; {hint}.")
        return source.positive
    place = positive_place(positive, list(source.classes))
    assert place is not None
    return place


def _summary(y_true: Any, y_proba: Any, y_pred: Any, positive: Any, options: dict[str, Any]) -> Summary:
    """The statistics of what was given; takes its options out of `options`."""
    if isinstance(y_true, Summary):
        return y_true
    border = {name: options.pop(name) for name in BORDER if name in options}
    return Summary(Predictions.of(y_true, y_proba, y_pred, positive=positive, **border))


def _said_by(estimator: Any, X: Any) -> dict[str, Any]:
    """What a fitted classifier says: probabilities, else scores, else decisions."""
    if not hasattr(estimator, "classes_"):
        raise InputError(f"{type(estimator).__name__} has no classes_; give a classifier that was fitted.")
    if hasattr(estimator, "predict_proba"):
        return {"y_proba": np.asarray(estimator.predict_proba(X))}
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(X))
        # one column is the score of the second class; both are said, so that either can be the positive one
        return {"y_score": np.column_stack([-score, score]) if score.ndim == 1 else score}
    return {"y_pred": estimator.predict(X)}


def _rows(data: Any, places: Any) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if hasattr(data, "take") and not isinstance(data, np.ndarray):
        return data.take(places)
    return data[places] if hasattr(data, "shape") else [data[i] for i in places]
