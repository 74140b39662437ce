"""`karat.evaluate_estimator` and `karat.compare_estimators`: models instead of predictions."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.adapters.classifiers import Answer, answer, is_trained, refuse_no_classifier, weight_name
from karat.adapters.cross_validation import out_of_fold
from karat.adapters.estimator_evaluation import EstimatorComparison, EstimatorEvaluation, Fold
from karat.adapters.folds import NEEDS_SKLEARN, Split, first_line, splits_of
from karat.comparisons.model_comparison import compare
from karat.core.arithmetic import Array
from karat.core.errors import InputError, LabelError, ShapeError, option, quoted
from karat.core.keywords import understand
from karat.core.validation import whole
from karat.core.words import listed
from karat.data.arrays import column, numbers
from karat.data.labels import class_order, distinct
from karat.data.pairing import checked_ids
from karat.data.predictions import Predictions
from karat.data.row_labels import refuse_other_labels, row_labels_of
from karat.evaluation import Evaluation
from karat.measures.lookup import Named

COVERS = "Intervals cover the sampling of the cases, not the variability of training; over_folds() covers both."
FEW = 5
"""So many folds are named in a sentence."""


@understand(usage="karat.evaluate_estimator(model, X, y), with cv=5 for one that is not fitted")
def evaluate_estimator(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    labels: Any = None,
    ids: Any = None,
    repeats: int = 1,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
) -> EstimatorEvaluation:
    """Evaluate a classifier: as it was fitted, or by cross-validation.

    Without `cv` the fitted model predicts X as it is. With `cv` a clone of it (of a fitted model too) is trained in
    each fold, and every case is predicted by a model that was not trained with it. Probabilities are taken from
    `predict_proba`, otherwise scores from `decision_function`; predictions are those of `predict`.

    Parameters
    ----------
    model : estimator
        A classifier with scikit-learn's methods: also pipelines, search objects, xgboost, lightgbm.
    X : array, DataFrame, sparse matrix or list
        What the model predicts from; one row per case.
    y : array of shape (n,), list or column
        The true labels (str, int or bool).
    cv : int, splitter or iterable of (train, test), optional
        Number of folds: `StratifiedKFold(cv, shuffle=True, random_state=seed)`, or with `groups`
        `StratifiedGroupKFold`. Or any splitter of scikit-learn; cases that it never tests are not evaluated. Without
        it, the model must be fitted.
    groups : array of shape (n,), optional
        The group of each case, such as a patient. No group is split between training and test cases, and intervals
        draw groups whole. Findings take cases for independent.
    sample_weight : array of shape (n,), optional
        A weight of at least 0 for each case, in training and in evaluation.
    positive : label, optional
        The positive class of two; of 0 and 1 it is 1.
    labels : list, optional
        All classes, in the order in which to show them.
    ids : array of shape (n,), optional
        The id of each case.
    repeats : int, default 1
        How often to repeat the cross-validation with other folds.
    seed : int, default 0
        Of the folds, and of models with `random_state=None`. The same seed gives the same numbers, on any number of
        workers.
    workers : int, optional
        How many models to train at a time, each on one core; all cores unless given.
    progress : bool, optional
        Show on stderr how many models are trained; unless given, only in a terminal.

    Returns
    -------
    EstimatorEvaluation
        An `Evaluation`, with `by_fold`, `over_folds` and `folds`.

    Raises
    ------
    InputError
        If the model is no classifier, is not fitted and `cv` was not given, or fails in a fold.

    See Also
    --------
    karat.compare_estimators : Several models on the same folds.
    karat.evaluate : Predictions instead of a model.

    Notes
    -----
    Intervals of out-of-fold predictions cover the sampling of the test cases: what other cases would have given with
    these models. They do not cover how models vary with their training cases. `over_folds` gives intervals of the mean
    over folds that approximately cover both, by the corrected t of [nadeau2003].

    A case counts once, however often it is predicted: with `repeats` (or test sets that overlap), the evaluation is
    that of the first prediction of each case, and all folds are in `by_fold` and `over_folds`. Averaged over
    repetitions, probabilities would be those of an ensemble, which is usually better than the model; put together, the
    predictions of one case would pass for those of several.

    A class that is absent from the training cases of a fold has the probability 0 there, and `remarks` says so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> e = evaluate_estimator(GaussianNB(), X, y, cv=5)
    >>> round(e["accuracy"], 3)
    0.96
    >>> e.by_fold("accuracy")
    by fold
    fold  test cases  training cases    Acc
       1          30             120  0.967
       2          30             120  0.967
       3          30             120  0.933
       4          30             120  0.967
       5          30             120  0.967
    """
    name = type(model).__name__
    refuse_no_classifier(model, "model")
    cases = EstimatorCases.of(X, y, groups, sample_weight, positive, labels, ids)
    return _evaluations({name: model}, cases, cv, repeats, seed, workers, progress)[name]


@understand(usage="karat.compare_estimators({'a': model_1, 'b': model_2}, X, y, cv=5)")
def compare_estimators(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    labels: Any = None,
    ids: Any = None,
    repeats: int = 1,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
    measures: Named | None = None,
    baseline: str | None = None,
    margin: Any = None,
    alternative: str = "two-sided",
    classes: Any = None,
    method: str = "auto",
    level: float = 0.95,
    replicates: int = 1000,
) -> EstimatorComparison:
    """Compare classifiers on the same cases: as they were fitted, or by cross-validation with the same folds.

    Parameters
    ----------
    models : dict of str to estimator
        Two classifiers or more, by name.
    X, y, cv, groups, sample_weight, positive, labels, ids, repeats, seed, workers, progress
        As in `karat.evaluate_estimator`. All models are trained and tested on the same folds.
    measures, baseline, margin, alternative, classes, method, level, replicates
        As in `karat.compare`.

    Returns
    -------
    EstimatorComparison
        A `Comparison`, whose models are those of `karat.evaluate_estimator`, with `by_fold`, `corrected_t` and
        `over_folds`.

    Raises
    ------
    InputError
        If a model is no classifier, is not fitted and `cv` was not given, or fails in a fold.

    See Also
    --------
    karat.evaluate_estimator : One model.
    karat.compare : Predictions instead of models.

    Notes
    -----
    The p-values and intervals of the comparison are about the models as they were trained: they cover the sampling of
    the test cases, each of which counts once. `corrected_t` and `over_folds` test the mean difference over all folds
    and repetitions, and also cover the variability of training [nadeau2003].

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> c = compare_estimators({"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}, X, y, cv=5)
    >>> c["bayes", "tree"]["accuracy"].better
    'bayes'
    >>> round(c.corrected_t("accuracy").mean, 2)
    0.04
    """
    if not isinstance(models, Mapping) or len(models) < 2:
        got = f"has {len(models)} model" if isinstance(models, Mapping) else f"is a {type(models).__name__}"
        raise InputError(f"models {got}; give {{name: estimator}} of two models or more.")
    named = {str(name): model for name, model in models.items()}
    for name, model in named.items():
        refuse_no_classifier(model, name)
    cases = EstimatorCases.of(X, y, groups, sample_weight, positive, labels, ids)
    evaluations = _evaluations(named, cases, cv, repeats, seed, workers, progress)
    first = next(iter(evaluations.values()))
    options: dict[str, Any] = {"measures": measures, "baseline": baseline, "margin": margin, "classes": classes}
    options |= {"alternative": alternative, "method": method, "level": level, "replicates": replicates, "seed": seed}
    return EstimatorComparison.of(compare(evaluations, groups=first.groups, **options))


@dataclass(frozen=True, eq=False)
class EstimatorCases:
    """What models are trained and tested with, checked before any of them is."""

    X: Any
    given: Any
    """y as it was given"""
    y: Array
    """[n] labels"""
    names: list[Any]
    """the labels that y holds, ascending"""
    codes: Array
    """[n] places in `names`"""
    order: list[Any] | None
    """of the classes, if one was given or declared"""
    complete: bool
    """does the order name all classes?"""
    groups: Array | None
    weight: Array | None
    ids: Array | None
    positive: Any

    @classmethod
    def of(
        cls, X: Any, y: Any, groups: Any, sample_weight: Any, positive: Any, labels: Any, ids: Any
    ) -> EstimatorCases:
        """Refuses what does not belong together."""
        shape: Any = getattr(y, "shape", ())
        if len(shape) > 1 and shape[1] > 1:
            raise ShapeError(
                f"y has {shape[1]} columns; give one label for each case, and evaluate several outputs one by one."
            )
        array, declared = column(y, "y")
        names, codes, _ = distinct(y, "y")
        n = len(codes)
        rows = _rows_of(X)
        if rows != n:
            raise ShapeError(f"X has {rows} rows and y has {n} labels; give one row of X for each label.")
        for name, given in {"X": X, "groups": groups, "sample_weight": sample_weight, "ids": ids}.items():
            refuse_other_labels(row_labels_of(y), given, name)
        order = class_order(labels) if labels is not None else declared
        cases = cls(
            X, y, array, names, codes, order, labels is not None, _groups(groups, n),
            None if sample_weight is None else numbers(sample_weight, "sample_weight", "one weight for each case")[0],
            None if ids is None else checked_ids(ids, n), positive,
        )  # fmt: skip
        if len(names) < 2:
            raise LabelError(f"y holds the single class {quoted(names)}; give cases of two classes or more.")
        return cases

    def classes(self, answers: Iterable[Answer] = ()) -> tuple[Any, ...]:
        """All classes, of y and of what models say, in their order."""
        seen = dict.fromkeys([*self.names, *(c for one in answers for c in one.classes)])
        if self.complete and self.order is not None:
            lacking = [c for c in seen if c not in self.order]
            if lacking:
                raise LabelError(f"{option('labels')} lacks {quoted(lacking)}; name all classes of y and the models.")
            return tuple(self.order)
        declared = [c for c in self.order or () if c in seen]
        try:
            return tuple(declared + sorted(c for c in seen if c not in declared))
        except TypeError:
            raise LabelError(
                f"y holds {type(self.names[0]).__name__} labels, and the model was trained with others "
                f"({quoted(c for c in seen if c not in self.names)}); give both in one type."
            ) from None

    def predictions(self, classes: tuple[Any, ...], rows: Array | None = None, **given: Any) -> Predictions:
        """Of these rows, or of all; what a model says of them is `given` as to `karat.evaluate`."""
        at = slice(None) if rows is None else rows
        truth = self.given.iloc[at] if hasattr(self.given, "iloc") else self.y[at]
        weight, ids = (None if part is None else part[at] for part in (self.weight, self.ids))
        options = {"labels": list(classes), "positive": self.positive, "sample_weight": weight, "ids": ids}
        return Predictions.of(truth, **options | given)


def _rows_of(X: Any) -> int:
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        raise ShapeError(
            f"X is a {type(X).__name__}; give an array, a data frame, a sparse matrix or a list of rows."
        ) from None


def _groups(groups: Any, n: int) -> Array | None:
    if groups is None:
        return None
    codes = distinct(groups, "groups")[1]
    if len(codes) != n:
        raise ShapeError(f"groups has {len(codes)} entries and y has {n} labels; give the group of each case.")
    return codes


def _evaluations(
    models: dict[str, Any], cases: EstimatorCases, cv: Any, repeats: Any, seed: Any, workers: Any, progress: bool | None
) -> dict[str, EstimatorEvaluation]:
    seed = whole("seed", seed, least=0)
    if cv is None:
        if whole("repeats", repeats) > 1:
            raise InputError(f"{option('repeats')}{repeats} repeats a cross-validation; pass cv= too, such as cv=5.")
        return _as_fitted(models, cases)
    if importlib.util.find_spec("sklearn") is None:
        raise InputError(NEEDS_SKLEARN)
    for name, model in models.items():
        if not hasattr(model, "get_params"):
            raise InputError(
                f"{name} has no get_params, so copies of it can't be trained; inherit from "
                "sklearn.base.BaseEstimator, or pass its out-of-fold predictions to karat.evaluate."
            )
        if cases.weight is not None:
            weight_name(model)
    classes = cases.classes()
    cases.predictions(classes, y_pred=cases.y)  # whatever is wrong with the options is said before the work
    splits = splits_of(cv, cases.X, cases.y, cases.codes, cases.groups, repeats, seed)
    answers = out_of_fold(models, cases.X, cases.y, cases.weight, splits, seed, workers, progress)
    return {name: _of_folds(name, cases, classes, splits, parts) for name, parts in answers.items()}


def _as_fitted(models: dict[str, Any], cases: EstimatorCases) -> dict[str, EstimatorEvaluation]:
    unfitted = [name for name, model in models.items() if not is_trained(model)]
    if unfitted:
        raise InputError(
            f"{listed(unfitted)} {'is' if len(unfitted) == 1 else 'are'} not fitted (no classes_); fit first, or pass "
            "cv=5 to train and test in folds."
        )
    answers = {}
    for name, model in models.items():
        try:
            answers[name] = answer(model, cases.X)
        except Exception as trouble:
            raise InputError(f"{name} failed to predict X: {first_line(trouble)}.") from trouble
        if not set(answers[name].classes) & set(cases.names):
            raise LabelError(
                f"y holds {quoted(cases.names)}, and {name} was trained with {quoted(answers[name].classes)}; give "
                "the labels that it was trained with."
            )
    classes = cases.classes(answers.values())
    evaluations = {}
    for name, one in answers.items():
        whole_answer = one.in_order(classes, name)
        absent = whole_answer.untrained
        words = f"{name} was trained without the class {quoted(absent)}, which has the probability 0."
        source = cases.predictions(classes, **_given([whole_answer]))
        evaluations[name] = EstimatorEvaluation(source, groups=cases.groups, remarks=(words,) if absent else ())
    return evaluations


def _given(answers: list[Answer]) -> dict[str, Any]:
    """What some answers, one after the other, are to `karat.evaluate`; predictions only where they differ from the
    class with the highest score."""
    given: dict[str, Any] = {}
    if all(one.scores is not None for one in answers):
        given[answers[0].kind] = np.concatenate([one.scores for one in answers if one.scores is not None])
    if not all(one.by_highest_score for one in answers):
        given["y_pred"] = np.concatenate([one.predicted for one in answers])
    return given


def _of_folds(
    name: str, cases: EstimatorCases, classes: tuple[Any, ...], splits: list[Split], answers: list[Answer]
) -> EstimatorEvaluation:
    """A model by its out-of-fold answers: each case by its first prediction, the folds by all."""
    many = len(splits)
    answers = [one.in_order(classes, f"{name}, fold {i} of {many},") for i, one in enumerate(answers, 1)]
    folds = []
    for i, (split, one) in enumerate(zip(splits, answers, strict=True), 1):
        try:
            tested = cases.predictions(classes, split.test, **_given([one]))
        except InputError as trouble:
            raise InputError(f"{name}, fold {i} of {many}: {trouble}") from trouble
        folds.append(Fold(i, split.repeat, len(split.train), split.test, Evaluation(tested)))
    rows, at = np.unique(np.concatenate([split.test for split in splits]), return_index=True)
    given = {what: values[at] for what, values in _given(answers).items()}
    source = cases.predictions(classes, rows, **given)
    groups = None if cases.groups is None else cases.groups[rows]
    remarks = tuple(_remarks(cases, splits, answers, rows))
    return EstimatorEvaluation(source, folds=tuple(folds), rows=rows, groups=groups, remarks=remarks)


def _remarks(cases: EstimatorCases, splits: list[Split], answers: list[Answer], rows: Array) -> list[str]:
    """What should be known of out-of-fold predictions."""
    sizes = sum(len(split.test) for split in splits)
    once = "" if sizes == len(rows) else "; each case counts once, by its first prediction"
    remarks = [f"Out-of-fold predictions of {len(splits)} folds{once}."]
    if len(rows) < len(cases.y):
        remarks.append(f"{len(cases.y) - len(rows)} of {len(cases.y)} cases are in no test fold and not evaluated.")
    for absent in dict.fromkeys(one.untrained for one in answers if one.untrained):
        numbers_of = [i for i, one in enumerate(answers, 1) if one.untrained == absent]
        some = f"{listed(map(str, numbers_of[:FEW]))}{' and others' * (len(numbers_of) > FEW)}"
        zero = ", and has the probability 0 there" if answers[0].scores is not None else ""
        where = f"fold{'s' * (len(numbers_of) > 1)} {some}"
        remarks.append(f"The class {quoted(absent)} is absent from the training cases of {where}{zero}.")
    return [*remarks, COVERS]
