"""Models in the place of predictions: as they were fitted, or in folds; against scikit-learn's own cross-validation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest, RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import karat
from karat import InputError
from karat.adapters import EstimatorEvaluation, compare_estimators, evaluate_estimator
from optional import pandas, polars

WINE, KIND = load_wine(return_X_y=True)
CANCER = load_breast_cancer()
WORDS = np.where(CANCER.target == 0, "ill", "well")


def scores(e: karat.Evaluation) -> Any:
    """[n, classes], as they were kept."""
    cases = e.statistics.source.cases
    assert cases is not None
    assert cases.scores is not None
    return cases.scores[0]


def predicted(e: karat.Evaluation) -> Any:
    """[n] labels."""
    cases = e.statistics.source.cases
    assert cases is not None
    return np.array(e.classes)[cases.decisions[0]]


def logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize("model", [GaussianNB(), logistic(), DecisionTreeClassifier(random_state=0)])
def test_out_of_fold_probabilities_are_those_of_cross_val_predict(model: Any) -> None:
    e = evaluate_estimator(model, WINE, KIND, cv=4, seed=3)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    expected = cross_val_predict(model, WINE, KIND, cv=folds, method="predict_proba")
    assert (scores(e) == expected).all()
    assert (predicted(e) == cross_val_predict(model, WINE, KIND, cv=folds)).all()
    assert e["MCC"] == pytest.approx(matthews_corrcoef(KIND, expected.argmax(axis=1)), abs=1e-12)
    assert isinstance(e, karat.Evaluation)


@pytest.mark.parametrize("cv", [KFold(5, shuffle=True, random_state=1), StratifiedKFold(3), LeaveOneOut()])
def test_any_splitter_gives_its_own_folds(cv: Any) -> None:
    X, y = WINE[::3], KIND[::3]
    e = evaluate_estimator(GaussianNB(), X, y, cv=cv)
    assert (scores(e) == cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")).all()
    assert len(e.folds) == cv.get_n_splits(X)
    pairs = list(cv.split(X, y))
    assert (scores(evaluate_estimator(GaussianNB(), X, y, cv=pairs)) == scores(e)).all()
    for fold, (train, test) in zip(e.folds, pairs, strict=True):
        assert fold.rows.tolist() == test.tolist()
        assert fold.trained == len(train)
        assert (e.fold[test] == fold.number).all()


def test_values_of_folds_are_those_of_cross_val_score() -> None:
    e = evaluate_estimator(logistic(), CANCER.data, CANCER.target, cv=5, repeats=2, seed=7)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=7)
    table = e.by_fold(["accuracy", "MCC", "AUC"]).columns
    for symbol, name in (("Acc", "accuracy"), ("MCC", "matthews_corrcoef"), ("AUC", "roc_auc")):
        expected = cross_val_score(logistic(), CANCER.data, CANCER.target, cv=folds, scoring=name)
        assert table[symbol] == pytest.approx(expected.tolist(), abs=1e-12)
    assert table["repeat"] == [1] * 5 + [2] * 5
    assert table["fold"] == list(range(1, 11))
    assert sum(table["test cases"]) == 2 * len(WORDS)


def test_with_repeats_a_case_counts_once() -> None:
    once = evaluate_estimator(GaussianNB(), WINE, KIND, cv=5)
    twice = evaluate_estimator(GaussianNB(), WINE, KIND, cv=5, repeats=3)
    assert twice.n == once.n == len(KIND)
    assert (scores(twice) == scores(once)).all()
    assert len(twice.folds) == 15
    assert "each case counts once" in twice.remarks[0]
    assert "each case counts once" not in once.remarks[0]
    assert twice.intervals("MCC")["MCC"] == once.intervals("MCC")["MCC"]


def test_test_sets_that_overlap_or_leave_out_cases() -> None:
    splitter = ShuffleSplit(4, test_size=0.3, random_state=0)
    e = evaluate_estimator(GaussianNB(), WINE, KIND, cv=splitter, ids=[f"w{i}" for i in range(len(KIND))])
    tests = [test for _, test in splitter.split(WINE)]
    assert e.rows.tolist() == sorted({*np.concatenate(tests).tolist()})
    assert e.n == len(e.rows) < len(KIND)
    assert e.ids.tolist() == [f"w{i}" for i in e.rows]
    first = {row: i for i, test in reversed(list(enumerate(tests, 1))) for row in test.tolist()}
    assert e.fold.tolist() == [first[row] for row in e.rows.tolist()]
    assert f"{len(KIND) - e.n} of {len(KIND)} cases are in no test fold" in e.remarks[1]
    order = np.random.default_rng(0).permutation(len(KIND))
    later = evaluate_estimator(GaussianNB(), WINE[order], KIND[order], cv=TimeSeriesSplit(3))
    assert later.rows.tolist() == list(range(len(KIND) - later.n, len(KIND)))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_numbers_on_any_number_of_workers(workers: int) -> None:
    models = {"forest": RandomForestClassifier(n_estimators=5), "tree": DecisionTreeClassifier(max_features=2)}
    state = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    c = compare_estimators(models, WINE, KIND, cv=3, seed=5, workers=workers, measures="MCC")
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index]  # noqa: NPY002
    for name, model in models.items():
        alone = evaluate_estimator(model, WINE, KIND, cv=3, seed=5)
        assert (scores(c.models[name]) == scores(alone)).all()
    other = evaluate_estimator(models["forest"], WINE, KIND, cv=3, seed=6)
    assert (scores(c.models["forest"]) != scores(other)).any()


def test_groups_are_never_split_and_make_the_intervals() -> None:
    rng = np.random.default_rng(0)
    patients = np.array([f"patient {i}" for i in rng.integers(0, 40, len(KIND))])
    e = evaluate_estimator(GaussianNB(), WINE, KIND, cv=4, groups=patients)
    for fold in e.folds:
        outside = np.setdiff1d(np.arange(len(KIND)), fold.rows)
        assert not {*patients[fold.rows]} & {*patients[outside]}
        assert set(KIND[fold.rows]) == {0, 1, 2}
    plain = karat.evaluate(KIND, scores(e))
    assert e.intervals("MCC")["MCC"] == plain.intervals("MCC", groups=patients)["MCC"]
    assert e.intervals("MCC")["MCC"] != plain.intervals("MCC")["MCC"]
    given = evaluate_estimator(GaussianNB(), WINE, KIND, cv=GroupKFold(4), groups=patients)
    expected = cross_val_predict(GaussianNB(), WINE, KIND, cv=GroupKFold(4), groups=patients, method="predict_proba")
    assert (scores(given) == expected).all()
    c = compare_estimators({"a": GaussianNB(), "b": logistic()}, WINE, KIND, cv=4, groups=patients, measures="MCC")
    expected = karat.compare({n: karat.evaluate(KIND, scores(m)) for n, m in c.models.items()}, groups=patients)
    assert c["a", "b"]["MCC"].p == expected["a", "b"]["MCC"].p


def test_a_fitted_model_is_evaluated_as_it_is() -> None:
    model = GaussianNB().fit(WINE[::2], KIND[::2])
    e = evaluate_estimator(model, WINE[1::2], KIND[1::2])
    assert (scores(e) == model.predict_proba(WINE[1::2])).all()
    assert e.folds == ()
    assert e.remarks == ()
    assert e.fold.tolist() == [0] * e.n
    with pytest.raises(InputError, match="without folds; pass cv=5"):
        e.by_fold("MCC")
    tree = DecisionTreeClassifier(random_state=0).fit(WINE, KIND)
    assert evaluate_estimator(tree, WINE, KIND)["Acc"] == 1
    assert evaluate_estimator(tree, WINE, KIND, cv=5)["Acc"] < 1  # trained anew
    assert tree.score(WINE, KIND) == 1


def test_predictions_that_are_not_the_most_probable_class_are_kept() -> None:
    model = FixedThresholdClassifier(GaussianNB(), threshold=0.999, pos_label=1).fit(CANCER.data, CANCER.target)
    e = evaluate_estimator(model, CANCER.data, CANCER.target)
    decided = model.predict(CANCER.data)
    assert (decided != model.predict_proba(CANCER.data).argmax(axis=1)).any()
    assert e["Acc"] == pytest.approx(accuracy_score(CANCER.target, decided))
    assert e["AUC"] == pytest.approx(roc_auc_score(CANCER.target, model.predict_proba(CANCER.data)[:, 1]))
    in_folds = evaluate_estimator(model, CANCER.data, CANCER.target, cv=3)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    assert (predicted(in_folds) == cross_val_predict(model, CANCER.data, CANCER.target, cv=folds)).all()


def test_models_without_probabilities() -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    margins = make_pipeline(StandardScaler(), LinearSVC())
    e = evaluate_estimator(margins, CANCER.data, WORDS, cv=3, positive="ill")
    score = cross_val_predict(margins, CANCER.data, WORDS, cv=folds, method="decision_function")
    assert (scores(e) == np.column_stack([-score, score])).all()
    assert e["AUC"] == pytest.approx(roc_auc_score(WORDS == "ill", -score))
    assert (predicted(e) == cross_val_predict(margins, CANCER.data, WORDS, cv=folds)).all()
    votes = VotingClassifier([("nb", GaussianNB()), ("lr", logistic())])
    e = evaluate_estimator(votes, WINE, KIND, cv=3)
    assert (predicted(e) == cross_val_predict(votes, WINE, KIND, cv=folds)).all()
    assert "AUNU" not in list(e)


def test_searches_and_pipelines() -> None:
    search = GridSearchCV(make_pipeline(StandardScaler(), KNeighborsClassifier()), {"kneighborsclassifier__p": [1, 2]})
    e = evaluate_estimator(search, WINE, KIND, cv=3)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    assert (scores(e) == cross_val_predict(search, WINE, KIND, cv=folds, method="predict_proba")).all()
    assert (scores(evaluate_estimator(search.fit(WINE, KIND), WINE, KIND)) == search.predict_proba(WINE)).all()


def test_what_x_and_y_may_be() -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    names = [f"x{i}" for i in range(WINE.shape[1])]
    frames = [
        (pandas.DataFrame(WINE, columns=names), pandas.Series(KIND)),
        (polars.DataFrame(WINE, schema=names), polars.Series(KIND)),
        (WINE.tolist(), KIND.tolist()),
    ]
    for X, y in frames:
        expected = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
        assert (scores(evaluate_estimator(GaussianNB(), X, y, cv=3)) == expected).all()
    nonnegative = evaluate_estimator(MultinomialNB(), WINE, KIND, cv=3)
    as_sparse = evaluate_estimator(MultinomialNB(), sparse.csr_array(WINE), KIND, cv=3)
    assert scores(as_sparse) == pytest.approx(scores(nonnegative), abs=1e-9)
    texts = [f"{'good fine' if k else 'bad poor'} word{i % 7}" for i, k in enumerate(CANCER.target)]
    assert evaluate_estimator(make_pipeline(CountVectorizer(), MultinomialNB()), texts, WORDS, cv=3)["Acc"] == 1


def test_labels_of_any_kind() -> None:
    expected = evaluate_estimator(logistic(), CANCER.data, 1 - CANCER.target, cv=3)
    for y in (WORDS, WORDS.tolist(), WORDS.astype(object), pandas.Series(WORDS), polars.Series(WORDS.tolist())):
        e = evaluate_estimator(logistic(), CANCER.data, y, cv=3, positive="ill")
        assert e["F1"] == pytest.approx(expected["F1"])
        assert e.classes == ("ill", "well")
    declared = pandas.Series(pandas.Categorical(WORDS, ["well", "ill", "unused"]))
    e = evaluate_estimator(logistic(), CANCER.data, declared, cv=3, positive="ill")
    assert e.classes == ("well", "ill")
    assert e["F1"] == pytest.approx(expected["F1"])
    assert evaluate_estimator(logistic(), CANCER.data, WORDS == "ill", cv=3, positive=True)["F1"] == expected["F1"]
    e = evaluate_estimator(logistic(), CANCER.data, WORDS, cv=3, labels=["well", "ill"], positive="ill")
    assert e.classes == ("well", "ill")
    assert e["AUC"] == pytest.approx(expected["AUC"])
    with pytest.raises(InputError, match="F1 needs a positive class"):
        evaluate_estimator(logistic(), CANCER.data, WORDS, cv=3).by_fold("F1")


def test_weights_are_those_of_training_and_evaluation() -> None:
    weight = np.random.default_rng(1).uniform(0.1, 3, len(KIND))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    p = np.zeros((len(KIND), 3))
    for train, test in folds.split(WINE, KIND):
        p[test] = GaussianNB().fit(WINE[train], KIND[train], weight[train]).predict_proba(WINE[test])
    pipeline = make_pipeline(GaussianNB())
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]})
    for model in (GaussianNB(), pipeline, search, GridSearchCV(pipeline, {"gaussiannb__var_smoothing": [1e-9]})):
        e = evaluate_estimator(model, WINE, KIND, cv=3, sample_weight=weight)
        assert scores(e) == pytest.approx(p, abs=1e-12)
        assert e["Acc"] == pytest.approx(accuracy_score(KIND, p.argmax(axis=1), sample_weight=weight))
    assert e.by_fold("Acc").columns["Acc"] == pytest.approx(
        [accuracy_score(KIND[t], p[t].argmax(axis=1), sample_weight=weight[t]) for _, t in folds.split(WINE, KIND)]
    )
    with pytest.raises(InputError, match="fit of KNeighborsClassifier takes no sample_weight; leave"):
        evaluate_estimator(make_pipeline(KNeighborsClassifier()), WINE, KIND, cv=3, sample_weight=weight)
    as_fitted = evaluate_estimator(KNeighborsClassifier().fit(WINE, KIND), WINE, KIND, sample_weight=weight)
    assert as_fitted.to_dict()["weighted"]


def test_a_class_that_is_absent_from_training_has_the_probability_0() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    e = evaluate_estimator(GaussianNB(), X, names, cv=KFold(3))
    assert e["Acc"] == 0  # each fold is one class, and the others were learnt
    assert scores(e)[np.arange(150), y].tolist() == [0.0] * 150
    assert scores(e).sum(axis=1) == pytest.approx(np.ones(150))
    assert e.remarks[1] == (
        "The class 'setosa' is absent from the training cases of fold 1, and has the probability 0 there."
    )
    assert e.to_dict()["remarks"] == list(e.remarks)
    assert all(remark in shown for remark in e.remarks for shown in (repr(e), e.summary(intervals=False)))
    with pytest.raises(InputError, match=r"LinearSVC, fold 1 of 3, was trained without the class 'setosa', for which"):
        evaluate_estimator(LinearSVC(), X, names, cv=KFold(3))
    rare = np.append(names[:100], "virginica")
    e = evaluate_estimator(GaussianNB(), X[:101], rare, cv=4)
    assert "The class 'virginica' is absent from the training cases of fold" in e.remarks[1]
    fitted = GaussianNB().fit(X[:100], names[:100])
    e = evaluate_estimator(fitted, X, names)
    assert e.remarks == ("GaussianNB was trained without the class 'virginica', which has the probability 0.",)
    assert e["Acc"] == pytest.approx(fitted.score(X, names))


def test_intervals_over_folds_by_hand() -> None:
    e = evaluate_estimator(GaussianNB(), CANCER.data, CANCER.target, cv=10, repeats=2)
    values = np.array(e.by_fold("LogL").columns["LogL"])
    found = e.over_folds("LogL", level=0.9)["LogL"]
    error = np.sqrt((1 / 20 + 1 / 9) * values.var(ddof=1))
    half = stats.t.ppf(0.95, 19) * error
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-3)
    assert found.method == "corrected t, 20 folds"
    alone = evaluate_estimator(GaussianNB(), WINE, KIND, cv=LeaveOneOut()).over_folds("AUNU")["AUNU"]
    assert np.isnan(alone.low)
    assert alone.reason == f"it is undefined in {len(KIND)} of {len(KIND)} folds"
    perfect = make_pipeline(StandardScaler(), DummyClassifier(strategy="constant", constant=1))
    constant = evaluate_estimator(perfect, WINE, KIND, cv=3).over_folds("MCC")["MCC"]
    assert constant.reason == "it is the same in all folds"


def test_a_comparison_over_folds() -> None:
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "lr": logistic()}
    c = compare_estimators(models, CANCER.data, CANCER.target, cv=5, repeats=2, measures=["Acc", "LogL"])
    assert isinstance(c, karat.Comparison)
    for name, model in models.items():
        alone = evaluate_estimator(model, CANCER.data, CANCER.target, cv=5, repeats=2)
        assert c.by_fold("Acc").columns[name] == alone.by_fold("Acc").columns["Acc"]
        assert isinstance(c.models[name], EstimatorEvaluation)
    plain = karat.compare({n: karat.evaluate(CANCER.target, scores(e)) for n, e in c.models.items()})
    assert c["bayes", "lr"]["Acc"].p == plain["bayes", "lr"]["Acc"].p
    assert repr(c).endswith("over_folds() also covers the variability of training.")
    d = np.subtract(*(c.by_fold("LogL").columns[name] for name in ("tree", "bayes")))  # a loss: bayes is better
    t = d.mean() / np.sqrt((1 / 10 + 1 / 4) * d.var(ddof=1))
    test = c.corrected_t("LogL", "bayes", "tree")
    assert test.mean == pytest.approx(d.mean())
    assert test.p == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-2)
    table = c.over_folds("LogL")
    assert table.columns["advantage"][0] == test.mean
    assert len(table.rows) == 3
    p = [c.corrected_t("LogL", *two).p for two in c.pairs]
    assert min(table.columns["p"]) == pytest.approx(min(1, 3 * min(p)))
    assert c.over_folds().columns["measure"][::3] == [karat.catalogue.measures[m].label for m in ("Acc", "LogL")]
    with pytest.raises(InputError, match="there are 3 models; name two of 'bayes', 'tree', 'lr'"):
        c.corrected_t("Acc")
    with pytest.raises(InputError, match="'forest' is not one of the models"):
        c.corrected_t("Acc", "bayes", "forest")


def test_findings_diagrams_and_the_page_take_them() -> None:
    c = compare_estimators({"bayes": GaussianNB(), "lr": logistic()}, CANCER.data, CANCER.target, cv=3)
    e = c.models["bayes"]
    assert e.findings().to_dict() == karat.evaluate(CANCER.target, scores(e)).findings().to_dict()
    assert e.diagram("roc_curve").to_dict()
    assert "bayes" in karat.report(c, intervals=False).html


class Failing(ClassifierMixin, BaseEstimator):
    """Fails where it is told to."""

    def __init__(self, at: str = "fit", above: int = 0) -> None:
        self.at, self.above = at, above

    def fit(self, X: Any, y: Any) -> Failing:
        if self.at == "fit" and len(X) > self.above:
            raise RuntimeError("the solver met a nan.\nand more")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        if self.at == "predict":
            raise RuntimeError("no device")
        return np.full((len(X), len(self.classes_)), np.nan if self.at == "nan" else 0.2)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.zeros(len(X), int)]


class Counting(GaussianNB):
    """Counts how often it is trained."""

    fits = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


def test_a_model_that_fails_is_named_with_its_fold() -> None:
    models = {"bayes": GaussianNB(), "mine": Failing(above=118)}
    splits = [(np.arange(60, 178), np.arange(60)), (np.arange(119), np.arange(119, 178))]
    with pytest.raises(InputError) as failed:
        compare_estimators(models, WINE, KIND, cv=splits)
    assert str(failed.value) == "mine, fold 2 of 2, failed: RuntimeError: the solver met a nan."
    one_class = [splits[0], (np.flatnonzero(KIND == 0), np.flatnonzero(KIND == 1))]
    models = {"bayes": GaussianNB(), "lr": logistic()}
    for workers in (1, 2):
        with pytest.raises(InputError, match="lr, fold 2 of 2, failed: ValueError: This solver needs samples of at"):
            compare_estimators(models, WINE, KIND, cv=one_class, workers=workers)
    # tests are no module that others could import; some versions of joblib send the class itself
    lost = r"a process that trains a model was lost .*; pass workers=1|Failing, fold . of 3"
    with pytest.raises(InputError, match=lost):
        evaluate_estimator(Failing(), WINE, KIND, cv=3, workers=2)
    with pytest.raises(InputError, match=r"Failing, fold 1 of 3, failed: RuntimeError: no device\.$"):
        evaluate_estimator(Failing("predict"), WINE, KIND, cv=3)
    with pytest.raises(InputError, match=r"Failing failed to predict X: RuntimeError: no device\.$"):
        evaluate_estimator(Failing("predict").fit(WINE, KIND), WINE, KIND)
    with pytest.raises(InputError, match=r"Failing, fold 1 of 3: y_proba holds \[nan, nan, nan\] in row 0"):
        evaluate_estimator(Failing("nan"), WINE, KIND, cv=3)
    with pytest.raises(InputError, match=r"Failing, fold 1 of 3: .* sums to 0\.6 instead of 1"):
        evaluate_estimator(Failing("sum"), WINE, KIND, cv=3)


def test_what_is_wrong_is_said_before_anything_is_trained() -> None:
    Counting.fits = 0
    twice = ["a"] * len(KIND)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"positive": "ill"}, "positive='ill' is not one of the classes"),
        ({"labels": [0, 1]}, "labels= lacks 2"),
        ({"ids": twice}, "ids are not unique: 'a'"),
        ({"sample_weight": -np.ones(len(KIND))}, "negative"),
        ({"groups": [1, 2, 3]}, "groups has 3 entries and y has 178 labels"),
        ({"groups": twice}, "groups names a single group"),
        ({"groups": [*twice[2:], "b", "c"], "cv": 4}, "there are 3 groups, none of which is split; give cv=3 or less"),
        ({"cv": 1}, "cv is 1; give a whole number of at least 2"),
        ({"cv": True}, "cv is True"),
        ({"cv": "five"}, "cv is 'five'"),
        ({"cv": 100}, "cv is 100, and the largest class of y has 71 cases; give cv=71 or less"),
        ({"cv": KFold(3), "repeats": 2}, "repeats=2 goes with a number of folds, and cv is a KFold"),
        ({"cv": [1, 2]}, "list can't split these cases"),
        ({"cv": [([0, 1], [1, 2])]}, "fold 1 of cv has 1 rows in both its training and its test cases"),
        ({"cv": [([0, 1], [500])]}, "fold 1 of cv has no valid test rows"),
        ({"cv": GroupKFold(3)}, "GroupKFold can't split these cases"),
        ({"repeats": 0}, "repeats is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
    ]
    for options, sentence in wrong:
        with pytest.raises(InputError, match=sentence):
            evaluate_estimator(Counting(), WINE, KIND, **{"cv": 3} | options)
    assert Counting.fits == 0


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (GaussianNB(), r"GaussianNB is not fitted \(no classes_\); fit first, or pass cv=5"),
        (LinearRegression(), r"model \(LinearRegression\) is a regressor, and karat evaluates classifiers"),
        (LinearRegression().fit(WINE, KIND), "is a regressor"),
        (KMeans(), "is a clusterer, and karat evaluates classifiers; give one, or pass"),
        (IsolationForest(), "is an outlier detector"),
        (StandardScaler(), r"model \(StandardScaler\) has no predict"),
        (GaussianNB, r"model is the class GaussianNB itself; give an object of it: GaussianNB\(\.\.\.\)"),
        (object(), "model is an object; give a classifier with scikit-learn's methods .*predict_proba"),
        (WINE, "model is an ndarray; give a classifier"),
        ("forest", "model is a str; give a classifier"),
    ],
)
def test_what_is_no_fitted_classifier_is_refused(model: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        evaluate_estimator(model, WINE, KIND)


def test_data_that_do_not_fit_are_refused() -> None:
    model = GaussianNB().fit(WINE, KIND)
    with pytest.raises(InputError, match="X has 100 rows and y has 178 labels"):
        evaluate_estimator(model, WINE[:100], KIND)
    with pytest.raises(InputError, match="y has 2 columns; give one label for each case, and evaluate several outputs"):
        evaluate_estimator(model, WINE, np.c_[KIND, KIND])
    with pytest.raises(InputError, match="X is a int; give an array"):
        evaluate_estimator(model, 3, KIND)
    with pytest.raises(InputError, match="GaussianNB failed to predict X: ValueError: X has 2 features"):
        evaluate_estimator(model, WINE[:, :2], KIND)
    with pytest.raises(InputError, match="y holds 'a', 'b', and GaussianNB was trained with 0, 1, 2"):
        evaluate_estimator(model, WINE, np.where(KIND > 0, "a", "b"))
    with pytest.raises(InputError, match="y holds the single class 0"):
        evaluate_estimator(model, WINE[KIND == 0], KIND[KIND == 0])
    with pytest.raises(InputError, match=r"repeats=2 repeats a cross-validation; pass cv="):
        evaluate_estimator(model, WINE, KIND, repeats=2)
    several = MultiOutputClassifier(GaussianNB()).fit(WINE, np.c_[KIND, KIND])
    with pytest.raises(InputError, match="predicts 2 outputs at once; evaluate each of them by itself"):
        evaluate_estimator(several, WINE, KIND)
    rows = pandas.DataFrame(WINE).sample(frac=1, random_state=0)
    with pytest.raises(InputError, match="the pandas indexes of y_true and X differ"):
        evaluate_estimator(model, rows, pandas.Series(KIND))


def test_models_that_cannot_be_compared() -> None:
    with pytest.raises(InputError, match=r"models is a list; give {name: estimator} of two models or more"):
        compare_estimators([GaussianNB()], WINE, KIND, cv=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="models has 1 model; give"):
        compare_estimators({"a": GaussianNB()}, WINE, KIND, cv=3)
    with pytest.raises(InputError, match="b and c are not fitted"):
        compare_estimators({"a": GaussianNB().fit(WINE, KIND), "b": GaussianNB(), "c": logistic()}, WINE, KIND)
    with pytest.raises(InputError, match=r"b \(KMeans\) is a clusterer"):
        compare_estimators({"a": GaussianNB(), "b": KMeans()}, WINE, KIND, cv=3)


def test_fitted_models_are_compared_as_they_are() -> None:
    models = {"a": GaussianNB().fit(WINE[::2], KIND[::2]), "b": logistic().fit(WINE[::2], KIND[::2])}
    X, y = WINE[1::2], KIND[1::2]
    c = compare_estimators(models, X, y, measures=["Acc", "LogL"], positive=1)
    expected = karat.compare({n: m.predict_proba(X) for n, m in models.items()}, y, measures=["Acc", "LogL"])
    assert c["a", "b"]["LogL"].p == expected["a", "b"]["LogL"].p
    assert repr(c) == repr(expected)


def test_without_scikit_learn_folds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="cross-validation needs scikit-learn, which is not installed: pip install"):
        evaluate_estimator(GaussianNB(), WINE, KIND, cv=3)
    assert evaluate_estimator(GaussianNB().fit(WINE, KIND), WINE, KIND).n == len(KIND)


def test_progress_is_told_on_stderr_if_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    evaluate_estimator(GaussianNB(), WINE, KIND, cv=3)
    assert capfd.readouterr() == ("", "")
    evaluate_estimator(GaussianNB(), WINE, KIND, cv=3, progress=True)
    assert capfd.readouterr() == ("", "karat: 3 of 3 models trained\n")


SLOW = """
import signal, sys, time
import numpy as np
from karat.adapters import evaluate_estimator
from sklearn.naive_bayes import GaussianNB

class Slow(GaussianNB):
    def fit(self, X, y):
        open(sys.argv[1], "w").close()
        time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs in the background ignores it
evaluate_estimator(Slow(), np.eye(40), [0, 1] * 20, cv=4, workers=2)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals of POSIX")
def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    where = os.pathsep.join([str(Path(karat.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SLOW, str(begun)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": where})
    end = time.monotonic() + 60
    while not begun.exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
