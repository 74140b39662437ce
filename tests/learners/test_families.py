"""Naive Bayes, AdaBoost.M1, nearest neighbours and encoded learners: Weka's stored answers, and rules by hand."""

from __future__ import annotations

import ast
import csv
import math
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.exceptions import NotFittedError

from karat import InputError, learners
from karat.learners import FAMILIES, AdaBoostM1, C45Classifier, Encoded, NaiveBayes, NearestNeighbours, family
from peers import ORACLES, stored

NAN = math.nan


@stored
def test_naive_bayes_is_wekas() -> None:
    from karat.datasets import load

    folder = ORACLES.parent / "data"
    train, test = load("tic_train", folder), load("tic_test", folder)
    with (ORACLES / "tic" / "naive_bayes.csv").open(newline="") as lines:
        weka = np.array([[float(r["p_0"]), float(r["p_1"])] for r in csv.DictReader(lines)])
    ours = NaiveBayes.of(train).fit(train.X, train.y).predict_proba(test.X)
    np.testing.assert_allclose(ours, weka, atol=1e-12)


def test_naive_bayes_by_hand() -> None:
    X = [[1.0, 0], [2.0, 1], [NAN, 1], [4.0, NAN], [6.0, 0]]
    y = [0, 0, 0, 1, 1]
    model = NaiveBayes(nominal={1: 3}, classes=(0, 1, 2)).fit(X, y)
    precision = ((2 - 1) + (4 - 2) + (6 - 4)) / 3

    def rounded(x: float) -> float:
        return round(x / precision) * precision

    def likelihood(x: float, values: list[float]) -> float:
        held = [rounded(v) for v in values]
        mean = sum(held) / len(held) if held else 0.0
        spread = math.sqrt(sum(v * v for v in held) / len(held) - mean**2) if held else 0.0
        normal = NormalDist(mean, max(spread, precision / 6))
        return max(1e-75, normal.cdf(rounded(x) + precision / 2) - normal.cdf(rounded(x) - precision / 2))

    at_3 = [likelihood(3.0, v) for v in ([1.0, 2.0], [4.0, 6.0], [])]
    prior, value_1 = [4 / 8, 3 / 8, 1 / 8], [3 / 6, 1 / 4, 1 / 3]
    for case, factors in (
        ([3.0, 1.0], [p * a * b for p, a, b in zip(prior, at_3, value_1, strict=True)]),
        ([3.0, NAN], [p * a for p, a in zip(prior, at_3, strict=True)]),
        ([NAN, 1.0], [p * b for p, b in zip(prior, value_1, strict=True)]),
        ([NAN, NAN], prior),
    ):
        expected = np.array(factors) / sum(factors)
        np.testing.assert_allclose(model.predict_proba([case])[0], expected, rtol=1e-9)


def test_naive_bayes_adds_gaps_one_by_one() -> None:
    """The sum of these gaps is not the range, by one bit, and 0.27 is two and a half times their mean."""
    values = [0.04, 0.2, 0.27, 0.42, 0.48, 0.58]
    total = 0.0
    for one, other in pairwise(values):
        total += other - one
    precision = total / 5
    assert round(0.27 / precision) == 2
    assert round(0.27 / ((values[-1] - values[0]) / 5)) == 3
    model = NaiveBayes().fit([[v] for v in values], [0, 0, 0, 1, 1, 1])
    assert model.normals_[0][0] == precision
    assert model.normals_[0][1][0] == pytest.approx((0 + 2 + 2) * precision / 3)


def test_naive_bayes_of_a_constant_column_and_one_without_values() -> None:
    X = np.array([[5.0, NAN, 1.0], [5.0, NAN, 1.2], [5.0, NAN, 3.0], [5.0, NAN, 3.2]])
    y = [0, 0, 1, 1]
    found = NaiveBayes().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found, NaiveBayes().fit(X[:, 2:], y).predict_proba(X[:, 2:]), rtol=1e-12)


def test_boosting_weighs_errors_as_much_as_the_rest() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(120) < 0.1)).astype(int)
    model = AdaBoostM1(rounds=4).fit(X, y)
    weight, votes = np.ones(120), np.zeros((120, 2))
    for tree, vote in zip(model.trees_, model.votes_, strict=True):
        grown = C45Classifier().fit(X, y, sample_weight=weight)
        said = grown.predict(X)
        assert (said == np.argmax(tree.probabilities(X, False), axis=1)).all()
        error = weight[said != y].sum() / 120
        assert vote == pytest.approx(math.log((1 - error) / error))
        weight[said != y] *= (1 - error) / error
        weight *= 120 / weight.sum()
        assert weight[said != y].sum() == pytest.approx(60)
        votes[np.arange(120), said] += vote
    odds = np.exp(votes[:, 1] - votes[:, 0])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], odds / (1 + odds), rtol=1e-9)


def test_a_first_tree_without_errors_answers_alone() -> None:
    X, y = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]), [0, 0, 0, 1, 1, 1]
    model = AdaBoostM1().fit(X, y)
    assert len(model.trees_) == 1
    np.testing.assert_array_equal(model.predict_proba(X), C45Classifier().fit(X, y).predict_proba(X))


def test_neighbours_by_hand() -> None:
    train = np.array([[0.0, 0], [10.0, 1], [4.0, NAN], [NAN, 1]])
    y = [0, 1, 1, 0]
    model = NearestNeighbours(nominal={1: 2}).fit(train, y)

    def apart(a: np.ndarray, b: np.ndarray) -> float:
        x, z = a[0] / 10, b[0] / 10
        if math.isnan(x) or math.isnan(z):
            known = z if math.isnan(x) else x
            numeric = 1.0 if math.isnan(known) else max(known, 1 - known)
        else:
            numeric = abs(x - z)
        return numeric**2 + (0.0 if a[1] == b[1] else 1.0)

    for case in ([1.0, 0], [4.0, 1], [NAN, 0], [9.0, NAN], [NAN, NAN], [5.0, 1]):
        distances = [apart(np.array(case), b) for b in train]
        votes = [0.25, 0.25]
        for d, label in zip(distances, y, strict=True):
            votes[label] += d <= min(distances) + 1e-9
        np.testing.assert_allclose(model.predict_proba([case])[0], np.array(votes) / sum(votes), rtol=1e-12)
    whole = NearestNeighbours(k=9, nominal={1: 2}).fit(train, y).predict_proba([[1.0, 0]])
    np.testing.assert_allclose(whole, [[0.5, 0.5]])


def test_encoding() -> None:
    X = np.array([[2.0, 0, 1, 7, NAN], [6.0, 2, 0, 7, NAN], [NAN, 2, 1, 7, NAN]])
    model = family("LR", SimpleNamespace(X=X, nominal={1: 3, 2: 2}, classes=("a", "b", "c")), 1).fit(X, [0, 2, 2])
    expected = [[-1, 1, 0, 0, 1, 0, 0], [1, 0, 0, 1, -1, 0, 0], [0, 0, 0, 1, 1, 0, 0]]
    np.testing.assert_array_equal(model.encoded(X), expected)
    found = model.predict_proba(X)
    np.testing.assert_array_equal(found[:, 1], 0)  # a class without a training case
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(Encoded(model.model).fit(X, [4, 4, 4]).predict_proba(X), 1)


def test_families() -> None:
    X = np.column_stack([np.linspace(0, 1, 40), np.tile([0.0, 1.0], 20)])
    data = SimpleNamespace(X=X, nominal={1: 2}, classes=("no", "yes"))
    y = (X[:, 0] > 0.5).astype(int)
    for name in (*FAMILIES, "kNN(5)"):
        model = family(name, data, 1).fit(X, y)
        assert (model.predict(X) == y).mean() > 0.9, name
        np.testing.assert_array_equal(model.classes_, [0, 1])
    assert family("kNN(5)", data, 1).k == 5
    with pytest.raises(InputError, match=r"no learner 'SVM'; the learners are C4.5"):
        family("SVM", data, 1)


@pytest.mark.parametrize("learner", [C45Classifier(), NaiveBayes(), AdaBoostM1(), NearestNeighbours(), Encoded(None)])
def test_nothing_is_told_before_learning(learner: Any) -> None:
    with pytest.raises(NotFittedError):
        learner.predict([[1.0]])


def test_the_stub_says_where_the_learners_are() -> None:
    stub = ast.parse(Path(learners.__file__).with_suffix(".pyi").read_text())
    homes = {a.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names}
    assert homes == learners.HOMES
