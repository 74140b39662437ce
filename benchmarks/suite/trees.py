"""C4.5 trees: time of a node against scikit-learn's trees, and ten trees with masked columns together against apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from karat.learners import C45Classifier, Columns, fit_masked

from .measuring import Row, duration, in_turns, times_faster

PARTS = ("attribute", "first", "branches", "cut", "bag", "counts", "empty")


def cases(n: int, p: int, k: int) -> tuple[Any, Any]:
    """Numeric columns that know something of the class, each a different amount."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, p)) + y[:, None] * rng.random(p) / 2, y


def rows(quick: bool) -> Iterator[Row]:
    """A node, then a round of a study."""
    for n, p, k in ((1_000, 10, 3), (5_000, 20, 3)) if quick else ((1_000, 10, 3), (5_000, 20, 3), (20_000, 20, 5)):
        yield a_node(n, p, k, 3 if quick else 7)
    yield ten_masked(1_000 if quick else 4_000, 3 if quick else 7)


def a_node(n: int, p: int, k: int, rounds: int) -> Row:
    """Sorting included; both stop at two cases."""
    X, y = cases(n, p, k)
    ours, theirs = C45Classifier(unpruned=True), DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    seconds = in_turns([lambda: ours.fit(X, y), lambda: theirs.fit(X, y)], rounds)
    if abs(ours.score(X, y) - theirs.score(X, y)) > 0.15:
        raise AssertionError("the trees don't fit the cases alike, so their times can't be compared")
    a, b = seconds[0] / ours.n_nodes_, seconds[1] / theirs.tree_.node_count
    what = f"a node of an unpruned C4.5 tree, n = {n:,}, {p} numeric columns, {k} classes"
    return Row(what, duration(a), f"scikit-learn's entropy tree {duration(b)}", a / b, 3.0, at_least=False)


def ten_masked(n: int, rounds: int) -> Row:
    """Three of twenty columns left out of each tree."""
    X, y = cases(n, 20, 4)
    rng = np.random.default_rng(1)
    masks = [rng.choice(20, 3, replace=False) for _ in range(10)]
    model, columns = C45Classifier(unpruned=True, laplace=True), Columns.of(X)

    def together() -> list[C45Classifier]:
        return fit_masked(model, columns, y, masks)

    def apart() -> list[C45Classifier]:
        return [fit_masked(model, columns, y, [mask])[0] for mask in masks]

    for a, b in zip(together(), apart(), strict=True):
        if not all(np.array_equal(getattr(a.tree_, part), getattr(b.tree_, part)) for part in PARTS):
            raise AssertionError("trees grown together differ from trees grown apart")
    return times_faster(f"ten C4.5 trees with masked columns, n = {n:,}", together, apart, "apart", 1.5, rounds=rounds)
