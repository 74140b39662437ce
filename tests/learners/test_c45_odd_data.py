"""C4.5: what is odd in data has a treatment that was stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_digits

import karat
from karat import InputError
from karat.datasets import load
from karat.learners import C45Classifier, _python, fit_masked, kernel
from karat.learners.tree import Tree

NAN = np.nan


def same(a: Tree, b: Tree) -> None:
    for name in ("attribute", "first", "branches", "empty", "cut", "bag", "counts"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


def test_weights_are_repetitions_and_cases_of_no_weight_are_left_out() -> None:
    wine = load("wine")
    weight = np.random.default_rng(1).integers(0, 3, len(wine.y))
    again = np.repeat(np.arange(len(wine.y)), weight)
    options = {"unpruned": True, "laplace": True, "min_cases": 4}
    weighted = C45Classifier(**options).fit(wine.X, wine.y, sample_weight=weight)
    repeated = C45Classifier(**options).fit(wine.X[again], wine.y[again])
    np.testing.assert_allclose(weighted.tree_.counts[0], repeated.tree_.counts[0])
    left_out = C45Classifier(**options).fit(wine.X, wine.y, sample_weight=(weight > 0).astype(float))
    taken = C45Classifier(**options).fit(wine.X[weight > 0], wine.y[weight > 0])
    same(left_out.tree_, taken.tree_)
    with pytest.raises(InputError, match="no case with a positive weight"):
        fit_masked(C45Classifier(), wine.X, wine.y, [[0]], rows=[])


def test_a_class_of_one_case_is_learnt_like_any_other() -> None:
    X = np.array([[0.0], [1], [2], [3], [4], [50]])
    y = [0, 0, 0, 1, 1, 2]
    model = C45Classifier(unpruned=True, laplace=True).fit(X, y)
    assert model.predict_proba(X).shape == (6, 3)
    assert C45Classifier(unpruned=True, min_cases=1).fit(X, y).predict(X).tolist() == y


def test_one_class_is_a_leaf() -> None:
    model = C45Classifier().fit([[0.0], [1.0]], ["a", "a"])
    assert (model.n_leaves_, model.n_nodes_, model.to_text()) == (1, 1, ": a (2.0)")
    assert model.predict_proba([[NAN]]).tolist() == [[1.0]]


def test_a_declared_class_without_cases_counts_in_laplace_and_in_the_smallest_branch() -> None:
    iris = load("iris")
    two = C45Classifier(unpruned=True, laplace=True).fit(iris.X, iris.y)
    many = C45Classifier(unpruned=True, laplace=True, classes=range(6)).fit(iris.X, iris.y)
    assert two.predict_proba(iris.X).shape[1] == 3
    p = many.predict_proba(iris.X)
    assert p.shape[1] == 6
    assert (p[:, 3:] > 0).all()
    assert p[0, 0] == 51 / 56


@pytest.mark.parametrize("value", [3.0, NAN])
def test_a_constant_or_wholly_missing_column_is_never_asked_for(value: float) -> None:
    iris = load("iris")
    X = np.column_stack([np.full(150, value), iris.X])
    model, plain_one = C45Classifier().fit(X, iris.y), C45Classifier().fit(iris.X, iris.y)
    assert 0 not in model.tree_.attribute
    np.testing.assert_array_equal(model.predict_proba(X), plain_one.predict_proba(iris.X))


def test_all_columns_missing_is_a_leaf() -> None:
    model = C45Classifier(laplace=True).fit(np.full((6, 2), NAN), [0, 0, 0, 0, 1, 1])
    assert model.n_leaves_ == 1
    np.testing.assert_array_equal(model.predict_proba([[1, 1]]), [[5 / 8, 3 / 8]])


def test_fewer_than_four_columns() -> None:
    iris = load("iris")
    for width in (1, 2, 3):
        assert C45Classifier().fit(iris.X[:, -width:], iris.y).score(iris.X[:, -width:], iris.y) > 0.9


def test_a_nominal_value_that_was_not_declared_is_treated_as_missing() -> None:
    X = np.array([[0.0]] * 4 + [[1.0]] * 8)
    y = [0] * 4 + [1] * 8
    for options in ({}, {"binary_splits": True}):
        model = C45Classifier(nominal={0: 3}, unpruned=True, **options).fit(X, y)
        np.testing.assert_allclose(model.predict_proba([[7], [-1], [NAN]]), [[1 / 3, 2 / 3]] * 3, atol=1e-9)


def test_an_empty_branch_says_what_its_parent_says() -> None:
    X = np.array([[0.0]] * 4 + [[1.0]] * 8)
    model = C45Classifier(nominal={0: 3}, unpruned=True, laplace=True).fit(X, [0] * 4 + [1] * 8)
    assert model.n_leaves_ == 3
    np.testing.assert_allclose(model.predict_proba([[2]]), [[5 / 14, 9 / 14]])
    assert model.to_text().splitlines()[-1] == "x0 = 2: 1 (0.0)"


@pytest.mark.parametrize("twin", [kernel.native, _python])
def test_a_threshold_that_parts_nothing_makes_a_leaf(twin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """2e-6 is not above 1e-6 by more than the tolerance, so 1e-6 stays the threshold; nor is it below it by less, so it
    goes right with all others. Weka's stack overflows."""
    if twin is None:
        pytest.skip("the compiled trees were not built")
    monkeypatch.setattr(kernel, "in_use", twin)
    X = np.array([[0, 1e-6]] * 6 + [[1, 2e-6]] * 4 + [[1, 3e-5]] * 4)
    model = C45Classifier(nominal={0: 2}, unpruned=True, collapse=False).fit(X, [2] * 6 + [0] * 4 + [1] * 4)
    assert model.to_text().splitlines() == ["x0 = 0: 2 (6.0)", "x0 = 1: 0 (8.0/4.0)"]


def test_fractions_of_cases_leave_no_noise() -> None:
    """Sums of fractions differ in their last bits; probabilities that should be equal are."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (300, 6)).astype(float)
    X[rng.random(X.shape) < 0.3] = NAN
    y = (np.nan_to_num(X).sum(axis=1) > rng.integers(3, 7, 300)).astype(int)
    model = C45Classifier(nominal=dict.fromkeys(range(6), 3), unpruned=True, laplace=True).fit(X, y)
    assert model.tree_.fractional
    p = model.predict_proba(X)
    np.testing.assert_array_equal(p, np.round(p, 10))
    gaps = np.diff(np.unique(p))
    assert gaps.min() > 5e-11
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)
    assert np.isfinite(karat.evaluate(y, p)["AU1U"])
    told = model.predict_proba(np.nan_to_num(X))  # of cases that miss nothing
    np.testing.assert_array_equal(told, np.round(told, 10))


def test_without_fractions_probabilities_are_exact() -> None:
    iris = load("iris")
    model = C45Classifier(unpruned=True, laplace=True).fit(iris.X, iris.y)
    assert not model.tree_.fractional
    assert model.predict_proba(iris.X[:1])[0].tolist() == [51 / 53, 1 / 53, 1 / 53]
    missed = model.predict_proba(np.full((1, 4), NAN))  # which goes down all branches
    np.testing.assert_array_equal(missed, np.round(missed, 10))


def test_the_order_of_cases_does_not_matter() -> None:
    digits, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    a, b = C45Classifier().fit(digits, y), C45Classifier().fit(digits[order], y[order])
    np.testing.assert_array_equal(a.tree_.counts, b.tree_.counts)
    assert a.to_text() == b.to_text()


def test_pruning_and_collapsing_only_cut() -> None:
    digits, y = load_digits(return_X_y=True)
    sizes = [
        C45Classifier(**options).fit(digits, y).n_nodes_
        for options in (
            {"unpruned": True, "collapse": False},
            {"unpruned": True},
            {"subtree_raising": False},
            {"confidence": 0.01},
        )
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
