"""Diagrams that are made from predictions: of one model, or of several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option, positive_missing
from karat.core.statistic import Needs, Statistic
from karat.data import Matrix, Predictions
from karat.data.estimators import answer_of
from karat.data.labels import positive_place
from karat.diagrams import drawing
from karat.diagrams.diagram import BORDER, Diagram, options_of
from karat.diagrams.familiar_keywords import familiar
from karat.diagrams.panel import Axis, Line, Panel
from karat.diagrams.several import Several
from karat.statistics import Summary


@dataclass(frozen=True, eq=False, kw_only=True)
class StatisticDiagram(Diagram):
    """What diagrams of one model and of several have in common: the statistic that they are computed from."""

    statistic: ClassVar[type[Statistic]]
    compute: ClassVar[Callable[..., Any]]
    """The numbers, from a statistic (or from those of several models) and options that are named."""
    two_classes: ClassVar[bool] = True
    """Is it a diagram of one class against the rest?"""

    positive: Any = None
    """The class that is shown against the rest."""

    @classmethod
    @familiar
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
        """Of labels and predictions.

        Parameters
        ----------
        y_true : array-like
            The true labels.
        y_proba : array-like, optional
            Probabilities, as `karat.evaluate` takes them (real scores: `y_score=`). A diagram that needs no more than
            predicted labels takes them here, too. A diagram of several models also takes {model: ...}.
        y_pred : array-like, optional
            The predicted labels.
        positive : label, optional
            The class that is shown against the rest; of 0 and 1 it is 1.
        name : str, optional
            What the legend calls it.
        **options : Any
            `labels`, `sample_weight`, `y_score`, `normalise`, `columns`, `reject` as in `karat.evaluate`; options of
            the diagram; how it will look. `ax=` draws at once; without it nothing is drawn before `.plot()`.

        Returns
        -------
        Diagram
            A record of the numbers.

        Raises
        ------
        InputError
            If the predictions, or an option, can't be used.
        """
        border = _border(y_true, options)
        answers = cls._answers(*as_given(cls, y_true, y_proba, y_pred, border.get("labels")), name)
        models = {model: _summary(y_true, *answer, positive, border) for model, answer in answers.items()}
        return cls._of_named(models, positive=positive, **options)

    @classmethod
    def _answers(cls, y_proba: Any, y_pred: Any, name: str) -> dict[str, tuple[Any, Any]]:
        """Model to its probabilities and decisions."""
        return {name: (y_proba, y_pred)}

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions."""
        raise NotImplementedError

    @classmethod
    def _of_named(cls, models: Mapping[str, Summary], **options: Any) -> Self:
        ((name, summary),) = models.items()
        return cls.of(summary, name=name, **options)

    @classmethod
    def statistic_of(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """The statistic that it is computed from, and the class that is shown against the rest."""
        lacking = summary.lacks(cls.statistic)
        if lacking:
            raise InputError(f"{cls.name} is not available: {lacking}.")
        if not cls.two_classes:
            return summary.get(cls.statistic), None
        place = place_of(summary, positive, cls.name)
        own = summary.source.classes[place]
        if cls.statistic.per_class == "each":
            return summary.table_of_class(place), own
        statistic: Any = summary.get(cls.statistic)
        parts = (np.asarray(getattr(statistic, f.name))[..., place] for f in fields(statistic))
        return type(statistic)(*parts), own

    @classmethod
    def options(cls) -> list[str]:
        """What `compute` can be told."""
        return options_of(cls.compute)

    def panel(self) -> Panel:
        """What a page draws of it."""
        raise NotImplementedError

    @property
    def who(self) -> str:
        """Which class is positive, for the figure."""
        return f"positive: {self.positive}"

    @property
    def of_whom(self) -> str:
        """The same in brackets; of rates that came without a class, nothing."""
        return "" if self.positive is None else f" ({self.who})"


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionDiagram(StatisticDiagram):
    """A diagram of the predictions of one model."""

    made_from = "predictions"

    @classmethod
    @familiar
    def from_matrix(
        cls, matrix: Any, labels: Any = None, *, positive: Any = None, name: str = "", **options: Any
    ) -> Self:
        """Of a confusion matrix.

        Parameters
        ----------
        matrix : array-like or data frame
            Counts; rows are the true classes.
        labels : list, optional
            The classes, in the order of the rows.
        positive : label, optional
            The class that is shown against the rest.
        name : str, optional
            What the legend calls it.
        **options : Any
            Options of the diagram; how it will look; `ax=` draws at once.

        Returns
        -------
        Diagram
            A record of the numbers.
        """
        return cls.of(Summary(Matrix.of(matrix, labels, positive)), positive=positive, name=name, **options)

    @classmethod
    @familiar
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any) -> Self:
        """Of a fitted classifier with scikit-learn's methods.

        Parameters
        ----------
        estimator : classifier
            It is fitted; `predict_proba` is used, else `decision_function`, else `predict`.
        X : array-like or data frame
            The cases.
        y : array-like
            Their true labels.
        name : str, optional
            What the legend calls it; by default its class.
        **options : Any
            As in `from_predictions`.

        Returns
        -------
        Diagram
            A record of the numbers.
        """
        label = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, name=label, **answer_of(estimator, X) | options)

    @classmethod
    @familiar
    def from_cv_results(
        cls, cv_results: Mapping[str, Any], X: Any, y: Any, *, spread: float | None = 1.0, **options: Any
    ) -> Several:
        """One for each fold of a cross-validation, the mean of their curves, and how much they differ.

        Parameters
        ----------
        cv_results : dict
            What scikit-learn's `cross_validate(..., return_estimator=True, return_indices=True)` returns.
        X : array-like or data frame
            The cases.
        y : array-like
            Their true labels.
        spread : float, optional
            Standard deviations over the folds that the band around the mean curve has to either side; None: no band.
        **options : Any
            As in `from_predictions`.

        Returns
        -------
        Several
            The diagrams, and the mean of their curves.
        """
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
        return Several.of_folds(members, spread)

    @classmethod
    def of_folds(
        cls, folds: Iterable[Summary], *, spread: float | None = 1.0, positive: Any = None, **options: Any
    ) -> Several:
        """The same of the statistics of each fold."""
        members = [cls.of(s, positive=positive, name=f"fold {i}", **options) for i, s in enumerate(folds, 1)]
        return Several.of_folds(members, spread)

    @classmethod
    @familiar
    def for_each_class(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        averages: Iterable[str] = ("macro",),
        **options: Any,
    ) -> Several:
        """One for each class against the rest.

        Parameters
        ----------
        y_true, y_proba, y_pred : array-like
            As in `from_predictions`.
        averages : iterable of {"macro", "weighted"}
            Averages of the curves: each class counts the same, or by its frequency.
        **options : Any
            As in `from_predictions`; `classes=` names those that are wanted.

        Returns
        -------
        Several
            The diagrams, and the averages.
        """
        border = _border(y_true, options)
        return cls.of_classes(_summary(y_true, y_proba, y_pred, None, border), averages=averages, **options)

    @classmethod
    def of_classes(
        cls, summary: Summary, *, averages: Iterable[str] = ("macro",), classes: Iterable[Any] = (), **options: Any
    ) -> Several:
        """The same of a summary: of all classes, or of those that are named."""
        if options.pop("positive", None) is not None:
            raise InputError("positive was given, and each class is shown against the rest; leave it out.")
        if not cls.two_classes:
            raise InputError(f"{cls.name} shows all classes together; leave {option('each_class')} out.")
        weight = summary.source.class_weight
        wanted = {place_of(summary, c, cls.name) for c in classes} or set(range(len(weight)))
        places = [i for i, w in enumerate(weight) if i in wanted and 0 < w < weight.sum()]
        names = [summary.source.classes[i] for i in places]
        members = [cls.of(summary, positive=c, name=str(c), **options) for c in names]
        return Several.of(members, averages if cls.averages else (), [float(weight[i]) for i in places])

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions."""
        cls.check(options)
        statistic, own = cls.statistic_of(summary, positive)
        record: Self = cls.compute(statistic, **options)
        object.__setattr__(record, "model", name)  # known here only; nobody else has seen the record yet
        object.__setattr__(record, "positive", own)
        return record

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Several:
        """One for each model, to be drawn together."""
        return Several.of([cls.of(s, positive=positive, name=name, **options) for name, s in models.items()])

    @property
    def xy(self) -> tuple[Array, Array]:
        """The curve: the first two columns of numbers, unless the diagram says otherwise."""
        x, y = (getattr(self, name) for name in self._columns()[:2])
        return x, y

    def panel(self) -> Panel:
        """What a page draws of it: the curve, and its headline."""
        titles = [name.replace("_", " ") for name in self._columns()[:2]]
        if len(titles) < 2:
            return Panel(x=Axis(""), y=Axis(""))
        value = getattr(self, self.headline, None)
        label = f"{self.headline.replace('_', ' ')} {drawing.number(value)}" if isinstance(value, float) else ""
        return Panel(x=Axis(titles[0]), y=Axis(titles[1]), lines=[Line(*self.xy, label)])

    def _columns(self) -> list[str]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return [name for name, value in values.items() if isinstance(value, np.ndarray) and value.ndim == 1]

    def named(self, label: str, value: str) -> str | None:
        """A legend entry: the model and a number that belongs to it."""
        return f"{label} ({value})" if label else value


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelsDiagram(StatisticDiagram):
    """A diagram of several models at once, whose meaning lies in their comparison."""

    made_from = "models"
    two_classes = False

    models: tuple[str, ...]

    @classmethod
    @familiar
    def from_matrices(
        cls, matrices: Mapping[str, Any], labels: Any = None, *, positive: Any = None, **options: Any
    ) -> Self:
        """Of confusion matrices.

        Parameters
        ----------
        matrices : dict
            Model to its matrix of counts; rows are the true classes.
        labels : list, optional
            The classes, in the order of the rows.
        positive : label, optional
            The positive class.
        **options : Any
            Options of the diagram; how it will look; `ax=` draws at once.

        Returns
        -------
        Diagram
            A record of the numbers.
        """
        models = {str(name): Summary(Matrix.of(m, labels, positive)) for name, m in matrices.items()}
        return cls.of_models(models, positive=positive, **options)

    @classmethod
    @familiar
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any) -> Self:
        """Of a fitted classifier with scikit-learn's methods, or of several.

        Parameters
        ----------
        estimator : classifier or dict of classifiers
            Fitted; `predict` is used.
        X : array-like or data frame
            The cases.
        y : array-like
            Their true labels.
        name : str, optional
            What the figure calls the classifier; by default its class.
        **options : Any
            As in `from_predictions`.

        Returns
        -------
        Diagram
            A record of the numbers.
        """
        several = estimator if isinstance(estimator, Mapping) else {name or type(estimator).__name__: estimator}
        border = _border(y, options)
        positive = options.get("positive")
        answers = {name: answer_of(e, X, decisions=True) | border for name, e in several.items()}
        models = {name: Summary(Predictions.of(y, positive=positive, **answer)) for name, answer in answers.items()}
        return cls.of_models(models, **options)

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Self:
        """Of the statistics of each model."""
        if not models:
            raise InputError(f"{cls.name} was given no model; give at least one.")
        cls.check(options)
        pairs = {name: cls.statistic_of(summary, positive) for name, summary in models.items()}
        classes = {own for _, own in pairs.values()}
        if len(classes) > 1:
            raise InputError(
                f"the models have different positive classes ({', '.join(map(str, classes))}); pass "
                f"{option('positive')}."
            )
        record: Self = cls.compute({name: statistic for name, (statistic, _) in pairs.items()}, **options)
        object.__setattr__(record, "positive", classes.pop())  # known here only; nobody else has seen the record yet
        return record

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "model", **options: Any) -> Self:
        """Of one model."""
        return cls.of_models({name: summary}, positive=positive, **options)

    @classmethod
    def _answers(cls, y_proba: Any, y_pred: Any, name: str) -> dict[str, tuple[Any, Any]]:
        given = [answer for answer in (y_proba, y_pred) if answer is not None]
        by_model = [answer for answer in given if isinstance(answer, Mapping)]
        if not by_model:
            return {name or "model": (y_proba, y_pred)}
        if len(by_model) < len(given):
            raise InputError("one of y_proba and y_pred is {model: ...} and the other is not; give both by model.")
        probas, preds = y_proba or {}, y_pred or {}
        return {str(model): (probas.get(model), preds.get(model)) for model in {**probas, **preds}}

    @classmethod
    def _of_named(cls, models: Mapping[str, Summary], **options: Any) -> Self:
        return cls.of_models(models, **options)


def place_of(summary: Summary, positive: Any, name: str) -> int:
    """The place of the class that is shown against the rest."""
    source = summary.source
    if positive is None:
        if source.positive is None:
            missing = f"none was named: pass {option('positive')}"
            if len(source.classes) == 2:
                missing = positive_missing(source.classes)
            raise InputError(f"{name} shows one class against the rest, and {missing}, or use {option('each_class')}.")
        return source.positive
    place = positive_place(positive, list(source.classes))
    assert place is not None
    return place


def _border(y_true: Any, options: dict[str, Any]) -> dict[str, Any]:
    """What goes to the check of the predictions, taken out of the options; of a summary they were checked before."""
    if isinstance(y_true, Summary):
        return {}
    return {name: options.pop(name) for name in BORDER if name in options}


def _summary(y_true: Any, y_proba: Any, y_pred: Any, positive: Any, border: Mapping[str, Any]) -> Summary:
    """The statistics of what was given."""
    if isinstance(y_true, Summary):
        return y_true
    return Summary(Predictions.of(y_true, y_proba, y_pred, positive=positive, certain=True, **border))


def as_given(kind: type[StatisticDiagram], y_true: Any, y_proba: Any, y_pred: Any, labels: Any) -> tuple[Any, Any]:
    """Probabilities and predicted labels. A diagram that needs no more than labels takes them in the first place, too:
    there scikit-learn has them."""
    if y_pred is not None or kind.statistic.needs is not Needs.DECISIONS:
        return y_proba, y_pred
    return _probabilities_or_labels(y_true, y_proba, labels)


def _probabilities_or_labels(y_true: Any, given: Any, labels: Any) -> tuple[Any, Any]:
    if isinstance(given, Mapping):
        parts = {model: _probabilities_or_labels(y_true, answer, labels) for model, answer in given.items()}
        probas, preds = ({model: pair[i] for model, pair in parts.items() if pair[i] is not None} for i in (0, 1))
        return probas or None, preds or None
    if given is None or isinstance(y_true, Summary) or getattr(given, "ndim", 1) != 1:
        return given, None
    try:
        values, known = np.asarray(given), np.asarray(y_true if labels is None else labels)
    except ValueError:  # uneven rows: refused where predictions are checked
        return given, None
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return (None, given) if values.ndim == 1 else (given, None)
    classes = set(known.ravel().tolist())
    if values.dtype.kind == "f" and classes <= {0, 1}:  # probabilities, which predict the same if they are 0 and 1
        return given, None
    return (None, given) if set(np.unique(values).tolist()) <= classes else (given, None)


def _rows(data: Any, places: Any) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if hasattr(data, "take") and not isinstance(data, np.ndarray):
        return data.take(places)
    return data[places] if hasattr(data, "shape") else [data[i] for i in places]
