"""The twin of `_c45`: the same functions, in Python and numpy. Slower, and readable. Trees are grown in `_growing`, and
cut back here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.learners._growing import NEARLY, SMALL, Node, Sample, grown, most
from karat.learners.columns import Columns
from karat.learners.rules import Rules

SLACK = 0.1
"""A simpler tree may be expected to err by so much more."""


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


def collapse(root: Node) -> None:
    """From the top down: a subtree that makes no fewer training errors than its node becomes a leaf."""
    errors: dict[Node, float] = {}
    nodes = root.below()
    for node in reversed(nodes):
        errors[node] = sum(errors[child] for child in node.children) if node.children else node.errors
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children and errors[node] >= node.errors - NEARLY:
            node.make_leaf()
        stack += node.children


def prune(root: Node, sample: Sample) -> None:
    """From the bottom up: a leaf, the largest branch in its place, or as it is: whatever is expected to err least."""
    for node in reversed(root.below()):
        if not node.children:
            continue
        largest = _largest(node)
        as_branch = _branch_errors(largest, node, sample) if sample.rules.raising else math.inf
        as_leaf = expected_errors(node.counts, sample.rules)
        as_tree = sum(expected_errors(leaf.counts, sample.rules) for leaf in node.below() if not leaf.children)
        if as_leaf - (as_tree + SLACK) < SMALL and as_leaf - (as_branch + SLACK) < SMALL:
            node.make_leaf()
        elif as_branch - (as_tree + SLACK) < SMALL:
            node.attribute, node.cut, node.children = largest.attribute, largest.cut, largest.children
            _redistribute(node, sample)
            prune(node, sample)


def _largest(node: Node) -> Node:
    """The branch of most weight; the last of equals."""
    largest, top = node.children[0], 0.0
    for child in node.children:
        if top - child.bag < SMALL:
            largest, top = child, child.bag
    return largest


def _branch_errors(branch: Node, node: Node, sample: Sample) -> float:
    """Expected errors of the branch if it had all cases of the node."""
    total, stack = 0.0, [(branch, node.cases, node.weights)]
    while stack:
        at, cases, weights = stack.pop()
        if at.children:
            parts = sample.part(at, cases, weights)
            stack += [(child, *part[:2]) for child, part in zip(at.children, parts, strict=True)]
        else:
            total += expected_errors(sample.counts(cases, weights), sample.rules)
    return total


def _redistribute(node: Node, sample: Sample) -> None:
    """Count the node's cases in all that is now below it."""
    for at in node.below():
        at.counts = sample.counts(at.cases, at.weights)
        if at.children:
            parts = sample.part(at, at.cases, at.weights)
            for child, (cases, weights, bag) in zip(at.children, parts, strict=True):
                child.cases, child.weights, child.bag = cases, weights, bag
        elif abs(at.counts.sum()) >= SMALL:
            at.empty = False


def expected_errors(counts: Array, rules: Rules) -> float:
    """Errors at a leaf at the upper limit of their confidence interval."""
    n = float(counts.sum())
    if abs(n) < SMALL:
        return 0.0
    e = n - float(counts[most(counts)])
    return e + more_errors(n, e, rules)


def more_errors(n: float, e: float, rules: Rules) -> float:
    """What the upper limit adds to e errors of n: exact for none, by the normal approximation (continuity corrected)
    from one on, a straight line between them."""
    if rules.stored_confidence > 0.5:
        return 0.0
    if e < 1:
        base = n * (1 - math.pow(rules.stored_confidence, 1 / n))
        return base if e == 0 else base + e * (more_errors(n, 1.0, rules) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    z, f = rules.z, (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n - e


def _arrays(root: Node) -> tuple[Array, ...]:
    nodes = root.below()
    branches = np.array([len(node.children) for node in nodes], np.intc)
    first = np.where(branches > 0, np.cumsum(branches) - branches + 1, 0).astype(np.intc)

    kinds: dict[str, Any] = {"attribute": np.intc, "cut": float, "bag": float, "counts": float, "empty": np.uint8}
    arrays = {name: np.array([getattr(node, name) for node in nodes], kind) for name, kind in kinds.items()}
    return arrays["attribute"], first, branches, *(arrays[name] for name in ("cut", "bag", "counts", "empty"))


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
