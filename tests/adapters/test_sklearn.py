"""Measures as scikit-learn scorers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, log_loss, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import karat

X, Y = load_wine(return_X_y=True)
OF_CLASSIFIERS = {
    "accuracy": "any", "balanced_accuracy": "any", "f1_macro": "any", "f1_micro": "any", "f1_weighted": "any",
    "jaccard_macro": "any", "jaccard_micro": "any", "jaccard_weighted": "any", "matthews_corrcoef": "any",
    "neg_log_loss": "any", "precision_macro": "any", "precision_micro": "any", "precision_weighted": "any",
    "recall_macro": "any", "recall_micro": "any", "recall_weighted": "any", "roc_auc_ovo": "any", "roc_auc_ovr": "any",
    "roc_auc_ovo_weighted": "any", "roc_auc_ovr_weighted": "any", "average_precision": "two", "f1": "two",
    "jaccard": "two", "neg_brier_score": "two",
    "precision": "two", "recall": "two", "roc_auc": "two",
}  # fmt: skip
"""Scorers of classifiers, and the number of classes that they are for."""


def test_higher_is_better_for_losses_too() -> None:
    model = GaussianNB().fit(X, Y)
    assert karat.scorer("MCC")(model, X, Y) == pytest.approx(matthews_corrcoef(Y, model.predict(X)))
    assert karat.scorer("LogL")(model, X, Y) < 0
    p = np.clip(model.predict_proba(X), 1e-5, 1)
    expected = -log_loss(Y, p / p.sum(axis=1, keepdims=True)) / np.log(2)
    assert karat.scorer("LogL")(model, X, Y) == pytest.approx(expected, rel=1e-3)
    weight = np.arange(len(Y)) % 3
    found = karat.scorer("MCC")(model, X, Y, sample_weight=weight)
    assert found == pytest.approx(matthews_corrcoef(Y, model.predict(X), sample_weight=weight))


@pytest.mark.parametrize("symbol", ["MCC", "rpCEN", "AU1U", "LogL", "CalB", "EMA"])
def test_cross_validation_and_search(symbol: str) -> None:
    scores = cross_val_score(GaussianNB(), X, Y, scoring=karat.scorer(symbol), cv=3)
    assert np.isfinite(scores).all()
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}, scoring=karat.scorer(symbol), cv=3
    )
    search.fit(X, Y)
    found = {d: search.cv_results_["mean_test_score"][i] for i, d in enumerate((1, 4))}
    assert search.best_params_["max_depth"] == max(found, key=found.__getitem__)
    if symbol == "MCC":
        assert search.best_params_["max_depth"] == 4  # a stump can't tell three wines apart


def test_models_without_probabilities_are_ranked_by_their_decision_function() -> None:
    data = load_breast_cancer()
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(data.data, data.target)
    expected = roc_auc_score(data.target, model.decision_function(data.data))
    assert karat.scorer("AUNU")(model, data.data, data.target) == pytest.approx(expected)


def test_the_positive_class_is_said() -> None:
    data = load_breast_cancer()
    words = data.target_names[data.target]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data, words)
    recall = karat.scorer("TPR", positive="malignant")(model, data.data, words)
    assert recall == pytest.approx((model.predict(data.data) == "malignant")[words == "malignant"].mean())


def test_a_class_missing_from_a_fold_is_no_trouble() -> None:
    model = GaussianNB().fit(X, Y)
    assert np.isfinite(karat.scorer("MAvA")(model, X[Y < 2], Y[Y < 2]))


def test_it_travels_and_tells() -> None:
    scorer = karat.scorer("MCC")
    assert repr(pickle.loads(pickle.dumps(scorer))) == "karat.scorer('MCC')"
    with pytest.raises(ValueError, match="Prev only describes"):
        karat.scorer("Prev")


def test_a_class_that_was_not_learnt() -> None:
    x, y = load_iris(return_X_y=True)
    found = cross_val_score(LogisticRegression(max_iter=500), x, y, cv=KFold(3), scoring=karat.scorer("Acc"))
    assert found.tolist() == [0, 0, 0]  # each fold is one class, and the others were learnt
    model = LogisticRegression(max_iter=500).fit(x[:100], y[:100])
    with pytest.raises(karat.InputError, match=r"y holds 2, which LogisticRegression was not trained with"):
        karat.scorer("MSE")(model, x, y)


def test_a_model_without_scores_is_refused_in_words() -> None:
    X, y = load_wine(return_X_y=True)
    votes = VotingClassifier([("nb", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]).fit(X, y)
    assert not hasattr(votes, "predict_proba")
    with pytest.raises(karat.InputError, match="AUNU needs scores, and VotingClassifier has neither predict_proba nor"):
        karat.scorer("AUNU")(votes, X, y)
    assert karat.scorer("MCC")(votes, X, y) == pytest.approx(matthews_corrcoef(y, votes.predict(X)))


def test_what_does_not_depend_on_the_positive_class_needs_none() -> None:
    data = load_breast_cancer()
    words = np.where(data.target == 0, "fraud", "ok")
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for symbol, name in (("AUC", "roc_auc"), ("BAcc", "balanced_accuracy")):
        expected = cross_val_score(model, data.data, data.target, scoring=name, cv=3)
        found = cross_val_score(model, data.data, words, scoring=karat.scorer(symbol), cv=3, error_score="raise")
        assert found == pytest.approx(expected)
    margins = make_pipeline(StandardScaler(), LinearSVC())
    expected = cross_val_score(margins, data.data, data.target, scoring="roc_auc", cv=3)
    found = cross_val_score(margins, data.data, words, scoring=karat.scorer("AUC"), cv=3, error_score="raise")
    assert found == pytest.approx(expected)


def test_what_depends_on_it_names_the_choices() -> None:
    data = load_breast_cancer()
    words = np.where(data.target == 0, "fraud", "ok")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data, words)
    decided = model.predict(data.data)
    offers = [f"positive={name!r} gives {f1_score(words, decided, pos_label=name):.3g}" for name in ("fraud", "ok")]
    with pytest.raises(karat.InputError, match=f"F1 needs a positive class: {', '.join(offers)}"):
        karat.scorer("F1")(model, data.data, words)


def fraud() -> tuple[object, object]:
    """Two classes whose names do not say which is positive."""
    data = load_breast_cancer()
    return data.data, np.where(data.target == 0, "fraud", "ok")


def test_what_searches_turn_into_nan_is_told_in_their_warning() -> None:
    x, y = fraud()
    model = make_pipeline(StandardScaler(), LogisticRegression())
    sentence = r"karat.scorer\('F1'\): F1 needs a positive class: positive='fraud' gives 0\.\d+, positive='ok' gives"
    with pytest.warns(UserWarning, match=sentence) as warned:
        assert np.isnan(cross_val_score(model, x, y, scoring=karat.scorer("F1"), cv=3)).all()
    assert all(str(one.message).count("\n") < 20 for one in warned)  # a traceback that is read
    both = {"F1": karat.scorer("F1"), "MCC": karat.scorer("MCC")}
    with pytest.warns(UserWarning, match=sentence):
        assert np.isfinite(cross_validate(model, x, y, scoring=both, cv=3)["test_MCC"]).all()
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1]}, scoring=karat.scorer("F1"), cv=3)
    with pytest.warns(UserWarning, match=sentence), pytest.warns(UserWarning, match="scores are non-finite"):
        search.fit(x, y)
    search = search.set_params(error_score="raise")
    with pytest.raises(karat.InputError, match=sentence):
        search.fit(x, y)


def test_the_positive_class_makes_the_same_scores_as_its_label_1() -> None:
    x, y = fraud()
    model = make_pipeline(StandardScaler(), LogisticRegression())
    for symbol, name in (("F1", "f1"), ("AUC", "roc_auc"), ("PPV", "precision"), ("TPR", "recall")):
        expected = cross_val_score(model, x, (y == "fraud").astype(int), scoring=name, cv=3)
        scored = cross_val_score(model, x, y, scoring=karat.scorer(symbol, positive="fraud"), cv=3)
        assert scored == pytest.approx(expected, abs=1e-12)
    search = GridSearchCV(model, {"logisticregression__C": [1e-4, 1]}, scoring=karat.scorer("F1", positive="fraud"))
    assert search.fit(x, y).best_params_ == {"logisticregression__C": 1}
    assert repr(karat.scorer("F1", positive="fraud")) == "karat.scorer('F1', positive='fraud')"


@pytest.mark.parametrize("name", sorted(set(get_scorer_names()) & set(OF_CLASSIFIERS)))
def test_scorers_by_the_names_of_scikit_learn(name: str) -> None:
    model = GaussianNB().fit(X[::2], Y[::2])
    binary = GaussianNB().fit(X[::2], Y[::2] > 0)
    for fitted, y in ((model, Y), (binary, (Y > 0).astype(int))):
        if OF_CLASSIFIERS[name] == "two" and fitted is model:
            continue
        expected = get_scorer(name)(fitted, X, y)
        assert karat.scorer(name)(fitted, X, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ({"pos_label": "fraud"}, "takes no pos_label=; pass positive="),
        ({"average": "macro"}, r"name the average with the measure, as in 'f1_macro' or 'macro\(F1\)'"),
        ({"greater_is_better": False}, "losses are negated automatically"),
        ({"response_method": "predict_proba"}, "the measure knows what it needs"),
    ],
)
def test_habits_of_make_scorer_are_answered(habit: dict[str, object], sentence: str) -> None:
    with pytest.raises(karat.InputError, match=sentence):
        karat.scorer("F1", **habit)
    with pytest.raises(karat.InputError, match="has no argument 'colour'; its arguments are symbol, positive"):
        karat.scorer("F1", colour="red")
