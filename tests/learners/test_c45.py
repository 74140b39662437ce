"""C4.5: the compiled trees are those that can be read, trees grown together are those grown apart, and what is odd in
the data has a treatment that was stated."""

from __future__ import annotations

import importlib.util
import math
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

import karat
from karat import InputError
from karat.datasets import load, parse_csv
from karat.learners import C45Classifier, Columns, _python, fit_masked, kernel
from karat.learners._python import more_errors
from karat.learners.rules import Rules
from karat.learners.tree import Tree, plain, shortest

Array = Any
FIELDS = ("attribute", "first", "branches", "empty")
NUMBERS = ("cut", "bag", "counts")
NAN = np.nan


@pytest.fixture(scope="module")
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
def test_the_twins_grow_the_same_trees_and_say_the_same(compiled: Any, seed: int, rules: Rules) -> None:
    columns, y, weight, k = problem(seed)
    none = np.zeros((1, columns.width), np.uint8)
    (native,) = grown_by(compiled, columns, y, weight, k, none, rules)
    (python,) = grown_by(_python, columns, y, weight, k, none, rules)
    same(native, python)
    X = columns.X.T.copy()
    X[::2] = np.where(np.random.default_rng(seed).random(X[::2].shape) < 0.3, NAN, X[::2])
    for laplace in (False, True):
        a = said_by(compiled, native, X, laplace)
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
    with pytest.raises(InputError, match="pass a matrix"):
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


def test_nominal_columns_from_a_data_set() -> None:
    data = parse_csv("colour,size,kind\n" + 4 * "red,1,a\nblue,2,b\nred,3,a\ngreen,1,b\nblue,2,b\nred,2,a\n")
    by_data, by_dict = C45Classifier(nominal=data), C45Classifier(nominal={0: 3})
    assert clone(by_data).fit(data.X, data.y).to_text() == by_dict.fit(data.X, data.y).to_text()
    assert "x0 = 2: 0 (12.0)" in by_dict.to_text()


def test_trees_grown_in_threads_are_the_same() -> None:
    wine = load("wine")

    def text(seed: int) -> str:
        rows = np.random.default_rng(seed).permutation(178)[:120]
        return C45Classifier().fit(wine.X[rows], wine.y[rows]).to_text()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(text, range(40))) == [text(seed) for seed in range(40)]


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


# ------------------------------------------------------------------------------------------------- shapes and numbers


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
    assert plain(5.83353065435e14) == "5.83353065435E14"
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
