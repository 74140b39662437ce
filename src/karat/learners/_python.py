"""The twin of `_c45`: the same functions, in Python and numpy. Slower, and readable."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.learners._growing import SMALL, Node, Sample, grown
from karat.learners._pruning import collapse, prune
from karat.learners.columns import Columns
from karat.learners.rules import Rules


def grow(columns: Columns, y: Array, weight: Array, k: int, masks: Array, rules: Rules) -> list[tuple[Array, ...]]:
    """One tree for each row of masks, each on its own, as the arrays that `Tree` begins with."""
    sample = Sample(columns, y, weight, k, rules)
    return [_arrays(_tree(sample, mask)) for mask in masks]


def _tree(sample: Sample, mask: Array) -> Node:
    root = grown(sample, mask)
    if sample.rules.collapse:
        collapse(root)
    if sample.rules.prune:
        prune(root, sample)
    return root


def _arrays(root: Node) -> tuple[Array, ...]:
    nodes = root.below()
    branches = np.array([len(node.children) for node in nodes], np.intc)
    first = np.where(branches > 0, np.cumsum(branches) - branches + 1, 0).astype(np.intc)

    def each(name: str, kind: Any) -> Array:
        return np.array([getattr(node, name) for node in nodes], kind)

    return (
        each("attribute", np.intc),
        first,
        branches,
        each("cut", float),
        each("bag", float),
        np.array([node.counts for node in nodes]),
        each("empty", np.uint8),
    )


def follow_all(
    attribute: Array,
    first: Array,
    branches: Array,
    cut: Array,
    bag: Array,
    empty: Array,
    leaf: Array,
    values: Array,
    binary: bool,
    X: Array,
) -> tuple[Array, bool]:
    """(Probabilities [n, k] of the rows of X, whether a missing value was met). A value that is missing or was not
    declared goes down every branch that is not empty, with the branch's share of the training weight."""
    out, met = np.zeros((len(X), leaf.shape[1])), False
    stack = [(0, np.arange(len(X)), np.ones(len(X)))]
    while stack:
        node, rows, weights = stack.pop()
        if attribute[node] < 0:
            out[rows] += weights[:, None] * leaf[node]  # a row comes to a leaf once
            continue
        x, number = X[rows, attribute[node]], int(values[attribute[node]])
        lost = np.isnan(x) | ((number > 0) & ~((x >= 0) & (x < number)))
        met = met or bool(lost.any())
        if number == 0:
            side = np.where((x - cut[node] < SMALL) | (x <= cut[node]), 0, 1)
        else:
            whole = np.where(lost, 0, x).astype(int)
            side = np.where(whole == int(cut[node]), 0, 1) if binary else whole
        children = np.arange(first[node], first[node] + branches[node])
        shares = bag[children] / bag[children].sum()
        for b, child in enumerate(children.tolist()):
            here = (side == b) & ~lost | (lost & (empty[child] == 0))
            if here.any():
                stack.append((child, rows[here], weights[here] * np.where(lost, shares[b], 1.0)[here]))
    return out, met
