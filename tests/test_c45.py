"""C4.5: the compiled trees are those that can be read, trees grown together are those grown apart, and what is odd in
the data has a treatment that was stated."""

from __future__ import annotations

import importlib.util
import math
import os
import pickle
import subprocess
import sys
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

import karat
from karat import InputError
from karat.datasets import load
from karat.learners import C45Classifier, Columns, _python, fit_masked, kernel
from karat.learners._pruning import more_errors
from karat.learners.rules import Rules
from karat.learners.tree import Tree, plain, shortest

Array = Any
FIELDS = ("attribute", "first", "branches", "empty")
NUMBERS = ("cut", "bag", "counts")
NAN = np.nan


@pytest.fixture
def compiled() -> Any:
    """Without compiled trees there is nothing to compare; where they must be there (CI), that is a failure."""
    if kernel.native is None:
        message = "the compiled trees were not built, so the twins can't be compared"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return kernel.native


def problem(seed: int) -> tuple[Columns, Array, Array, int]:
    """Columns of all kinds, with ties, near ties and missing values; classes, weights and how many were declared."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 120)), int(rng.integers(1, 5))
    y = rng.integers(0, max(1, k - (seed % 3 == 0)), n)
    columns, nominal = [], {}
    for j in range(int(rng.integers(0, 6))):
        kind = rng.integers(0, 5)
        if kind == 0:
            x = rng.normal(y * rng.random(), 1)
        elif kind == 1:
            x = np.round(rng.normal(y, 1) * 2)
        elif kind == 2:
            x = rng.integers(0, 9, n) * 3e-6 + (y > 0) * 1e-5
        elif kind == 3:
            x = np.full(n, 2.0)
        else:
            nominal[j] = int(rng.choice([1, 2, 4, 40]))
            x = np.where(rng.random(n) < 0.5, y, rng.integers(0, nominal[j], n)) % nominal[j]
        columns.append(np.where(rng.random(n) < rng.choice([0, 0, 0.1, 0.5, 1]), NAN, x))
    weight = np.ones(n) if seed % 4 else rng.choice([0.0, 0.5, 1.0, 2.0], n)
    weight[0] = 1.0
    return Columns.of(np.array(columns).reshape(len(columns), n).T, nominal), y, weight, k


def same(a: Tree, b: Tree, exactly: bool = False) -> None:
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    for name in NUMBERS:
        if exactly:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
        else:
            np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-9, err_msg=name)


RULES = st.builds(
    Rules,
    least=st.integers(1, 4),
    binary=st.booleans(),
    collapse=st.booleans(),
    prune=st.booleans(),
    raising=st.booleans(),
    confidence=st.sampled_from([0.05, 0.25, 0.45, 0.7]),
)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32 - 1), RULES)
def test_the_twins_grow_the_same_trees_and_say_the_same(seed: int, rules: Rules) -> None:
    if kernel.native is None:
        pytest.skip("the compiled trees were not built")
    columns, y, weight, k = problem(seed)
    none = np.zeros((1, columns.width), np.uint8)
    (native,) = grown_by(kernel.native, columns, y, weight, k, none, rules)
    (python,) = grown_by(_python, columns, y, weight, k, none, rules)
    same(native, python)
    X = columns.X.T.copy()
    X[::2] = np.where(np.random.default_rng(seed).random(X[::2].shape) < 0.3, NAN, X[::2])
    for laplace in (False, True):
        a = said_by(kernel.native, native, X, laplace)
        np.testing.assert_allclose(a, said_by(_python, python, X, laplace), rtol=0, atol=1e-9)
        np.testing.assert_allclose(a.sum(axis=1), 1, atol=1e-8)


def grown_by(twin: Any, *arguments: Any) -> list[Tree]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "in_use", twin)
        return kernel.trees(*arguments)


def said_by(twin: Any, tree: Tree, X: Array, laplace: bool) -> Array:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "in_use", twin)
        return tree.probabilities(X, laplace)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), RULES)
def test_trees_grown_together_are_bit_for_bit_those_grown_apart(seed: int, rules: Rules) -> None:
    columns, y, weight, k = problem(seed)
    masks = np.random.default_rng(seed).integers(0, 2, (4, columns.width)).astype(np.uint8)
    together = kernel.trees(columns, y, weight, k, masks, rules)
    for tree, mask in zip(together, masks, strict=True):
        (alone,) = kernel.trees(columns, y, weight, k, mask[None], rules)
        same(tree, alone, exactly=True)
        assert not set(np.flatnonzero(mask)) & set(tree.attribute[tree.attribute >= 0])


def test_a_masked_tree_is_the_tree_without_the_columns() -> None:
    wine = load("wine")
    masks = [[0, 6, 9], [12], [], range(13)]
    models = fit_masked(C45Classifier.of(wine, unpruned=True, laplace=True), wine.X, wine.y, masks)
    for model, mask in zip(models, masks, strict=True):
        rest = [j for j in range(13) if j not in mask]
        alone = C45Classifier.of(wine, unpruned=True, laplace=True)
        if rest:
            p = alone.fit(wine.X[:, rest], wine.y).predict_proba(wine.X[:, rest])
        else:
            p = np.tile((np.bincount(wine.y) + 1) / (len(wine.y) + 3), (len(wine.y), 1))
        np.testing.assert_array_equal(model.predict_proba(wine.X), p)


def test_rows_of_columns_sorted_once() -> None:
    wine = load("wine")
    rows = np.flatnonzero(np.random.default_rng(0).random(178) < 0.5)
    model = C45Classifier.of(wine)
    (by_rows,) = fit_masked(model, Columns.of(wine.X), wine.y, [[3]], rows)
    (by_taking,) = fit_masked(model, wine.X[rows], wine.y[rows], [[3]])
    same(by_rows.tree_, by_taking.tree_, exactly=True)
    assert fit_masked(model, wine.X, wine.y, []) == []


def test_what_fit_masked_refuses() -> None:
    wine = load("wine")
    model = C45Classifier.of(wine)
    with pytest.raises(InputError, match="columns are 0 to 12"):
        fit_masked(model, wine.X, wine.y, [[13]])
    with pytest.raises(InputError, match="one class for each case"):
        fit_masked(model, wine.X, wine.y[:5], [[1]])
    with pytest.raises(InputError, match="expected a matrix"):
        fit_masked(model, wine.X[0], wine.y[:1], [[1]])


# ------------------------------------------------------------------------------------------------- scikit-learn's rules


@parametrize_with_checks([C45Classifier()])
def test_the_conventions_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_cross_validation_searches_and_ensembles() -> None:
    X, y = load_wine(return_X_y=True)
    scores = cross_validate(C45Classifier(laplace=True), X, y, scoring={"m": karat.scorer("rpCEN")}, cv=3)
    assert np.isfinite(scores["test_m"]).all()
    search = GridSearchCV(C45Classifier(), {"confidence": [0.05, 0.4], "min_cases": [2, 20]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.8
    assert BaggingClassifier(C45Classifier(), random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85


def test_a_model_is_copied_pickled_and_named() -> None:
    iris = load("iris")
    model = C45Classifier.of(iris, unpruned=True).fit(iris.X, iris.y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(iris.X), model.predict_proba(iris.X))
    assert again.to_text() == model.to_text()
    assert model.n_leaves_ == (model.tree_.attribute < 0).sum()
    assert model.n_nodes_ == len(model.to_text().splitlines()) + 1


def test_labels_of_any_kind_and_declared_classes() -> None:
    X = np.arange(8.0)[:, None]
    y = np.array(list("bbbbaaaa"))
    assert C45Classifier().fit(X, y).classes_.tolist() == ["a", "b"]
    model = C45Classifier(classes=["c", "b", "a"], laplace=True, unpruned=True).fit(X, y)
    assert model.classes_.tolist() == ["c", "b", "a"]
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 / 7, 5 / 7, 1 / 7]])
    assert model.predict(X).tolist() == y.tolist()
    with pytest.raises(InputError, match="none of the 2 declared"):
        C45Classifier(classes=["a", "c"]).fit(X, y)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"min_cases": 0}, "at least 1"),
        ({"min_cases": 2.5}, "whole number"),
        ({"confidence": 0.0}, "between 0 and 1"),
        ({"nominal": {5: 2}}, "columns are 0 to 0"),
        ({"nominal": {0: 0}}, "at least 1"),
        ({"nominal": {0: 3}}, "other numbers than 0 to 2"),
        ({"nominal": [0]}, "number of values"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        C45Classifier(**options).fit([[0.0], [1.0], [2.0], [3.5]], [0, 0, 1, 1])


# ------------------------------------------------------------------------------------------------- what is odd in data


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
    same(left_out.tree_, taken.tree_, exactly=True)
    with pytest.raises(InputError, match="no case of positive weight"):
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


def test_without_fractions_probabilities_are_exact() -> None:
    iris = load("iris")
    model = C45Classifier(unpruned=True, laplace=True).fit(iris.X, iris.y)
    assert not model.tree_.fractional
    assert model.predict_proba(iris.X[:1])[0].tolist() == [51 / 53, 1 / 53, 1 / 53]


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


@pytest.mark.parametrize("unpruned", [True, False])
def test_a_deep_tree(unpruned: bool) -> None:
    """Each column parts two cases of a class of their own from all others: a chain as deep as there are columns."""
    p = 150
    X = np.repeat(np.eye(p), 2, axis=0)
    model = C45Classifier(nominal=dict.fromkeys(range(p), 2), unpruned=unpruned).fit(X, np.repeat(np.arange(p), 2))
    assert model.n_nodes_ == 2 * p - 1
    assert max(line.count("|") for line in model.to_text().splitlines()) == p - 2


@pytest.mark.parametrize(("n", "e", "limit"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750)])
def test_the_upper_limit_of_no_errors(n: float, e: float, limit: float) -> None:
    """Quinlan (1993), section 4.2: U.25(0, 6) and so on."""
    assert more_errors(n, e, Rules()) / n == pytest.approx(limit, abs=6e-4)


@pytest.mark.parametrize(("n", "e"), [(16, 1), (40, 7.5), (200, 30), (30, 29.4)])
def test_the_upper_limit_of_errors_is_wilson_with_continuity(n: float, e: float) -> None:
    """The limit u solves u n - (e + 1/2) = z sqrt(n u (1 - u)), unless it is beyond n."""
    u = (e + more_errors(n, e, Rules())) / n
    z = NormalDist().inv_cdf(0.75)
    assert u * n - (e + 0.5) == pytest.approx(z * math.sqrt(n * u * (1 - u)), abs=1e-9)


def test_numbers_as_weka_writes_them() -> None:
    assert [plain(x) for x in (0.5, -1e-9, 75.0, 1e-6, 2 / 3)] == ["0.5", "0", "75", "0.000001", "0.666667"]
    assert [shortest(x) for x in (8e-6, 3.4800000000000006e-05, 0.0, 2.45, 1.5e8)] == [
        "8.0E-6",
        "3.4800000000000006E-5",
        "0.0",
        "2.45",
        "1.5E8",
    ]


def test_karat_imports_neither_learners_nor_data_sets() -> None:
    code = "import sys, karat; karat.evaluate([0, 1], [0.2, 0.7]).values(); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {m for m in out.stdout.split() if m.startswith(("karat.learners", "karat.datasets"))}


def test_the_python_twin_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_KERNELS", "numpy")
    spec = importlib.util.spec_from_file_location("another", kernel.__file__)
    assert spec is not None
    assert spec.loader is not None
    another = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(another)
    assert another.name == "python"
