"""C4.5 as anyone can read it: the fallback where nothing was compiled, and the check of `_c45.pyx`.

The details are those of Weka's J48; `docs/decisions` says why. Leave one out and the trees are no longer the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.learners.columns import Columns
from karat.learners.rules import Rules

SMALL = 1e-6
"""J48's tolerance: a number exceeds another only if it is larger by more than this."""
CLOSE = 1e-5
"""Numeric values closer than this are never parted."""
NEARLY = 1e-3
"""A gain may be so much below the average, a subtree's errors so much below its node's."""


@dataclass(eq=False)
class Node:
    """Part of a tree that is still being made."""

    cases: Array
    weights: Array
    counts: Array
    """Weight of each class."""
    attribute: int = -1
    cut: float = 0.0
    children: list[Node] = field(default_factory=list)
    bag: float = 0.0
    """The weight that the parent's split sent here."""
    empty: bool = False

    def below(self) -> list[Node]:
        """This node and all below it, parents first."""
        nodes = [self]
        for node in nodes:
            nodes.extend(node.children)
        return nodes

    def make_leaf(self) -> None:
        self.attribute, self.cut, self.children = -1, 0.0, []

    @property
    def errors(self) -> float:
        """Training errors if it were a leaf."""
        return float(self.counts.sum() - self.counts[most(self.counts)])


@dataclass(frozen=True)
class Score:
    """How well a column parts the cases of a node."""

    gain: float
    ratio: float
    cut: float


@dataclass(frozen=True, eq=False)
class Sample:
    """The cases that trees are grown from."""

    columns: Columns
    y: Array
    weight: Array
    k: int
    rules: Rules

    @property
    def cases(self) -> Array:
        return np.flatnonzero(self.weight > 0)

    def counts(self, cases: Array, weights: Array) -> Array:
        """The weight of each declared class."""
        return np.bincount(self.y[cases], weights, self.k)

    def branch(self, column: int, cut: float, cases: Array) -> Array:
        """The branch of each case, -1 where the value is missing."""
        x = self.columns.X[column, cases]
        missing = np.isnan(x)
        if self.columns.values[column] == 0:
            branch = np.where((x - cut < SMALL) | (x <= cut), 0, 1)
        elif self.rules.binary:
            branch = np.where(x == cut, 0, 1)
        else:
            branch = np.where(missing, 0, x).astype(int)
        return np.where(missing, -1, branch)

    def branches(self, column: int) -> int:
        values = int(self.columns.values[column])
        return 2 if values == 0 or self.rules.binary else values

    def part(self, node: Node, cases: Array, weights: Array, shares: Array | None = None) -> Iterator[tuple[Any, ...]]:
        """(cases, weights, bag) of each branch. A missing value goes to all of them, by their shares of these cases'
        known values unless other shares are given; a branch with next to no share gets none of it."""
        side = self.branch(node.attribute, node.cut, cases)
        lost = side < 0
        number = self.branches(node.attribute)
        bags = np.bincount(side[~lost], weights[~lost], number)
        if shares is None:
            shares = bags / bags.sum() if abs(bags.sum()) >= SMALL else np.full(number, 1 / number)
        for b in range(number):
            here = (side == b) | (lost & (shares[b] > SMALL))
            bag = bags[b] + shares[b] * weights[lost].sum()
            yield cases[here], np.where(lost, shares[b], 1.0)[here] * weights[here], bag


def xlogx(x: Any) -> Any:
    x = np.asarray(x, float)
    return np.where(x < SMALL, 0.0, x * np.log2(np.maximum(x, SMALL)))


def most(counts: Array) -> int:
    """The class of most weight; the first of equals."""
    best, top = 0, 0.0
    for c, count in enumerate(counts.tolist()):
        if count - top > SMALL:
            best, top = c, count
    return best


def grown(sample: Sample, mask: Array) -> Node:
    """A tree that may use the columns that are not masked."""
    cases = sample.cases
    root = _node(sample, cases, sample.weight[cases], 0.0)
    stack = [root]
    while stack:
        node = stack.pop()
        best = _choice(sample, node, mask)
        if best is None:
            continue
        node.attribute, score = best
        node.cut = score.cut
        if sample.columns.values[node.attribute] == 0:
            node.cut = _lowered(sample, node.attribute, score.cut)
        sides = sample.branch(node.attribute, node.cut, node.cases)
        if (
            len(set(sides[sides >= 0].tolist())) < 2
        ):  # the tolerances contradict each other: J48 would call itself for ever
            node.make_leaf()
            continue
        node.children = [_node(sample, *part) for part in sample.part(node, node.cases, node.weights)]
        stack += node.children
    return root


def _node(sample: Sample, cases: Array, weights: Array, bag: float) -> Node:
    counts = sample.counts(cases, weights)
    return Node(cases, weights, counts, bag=bag, empty=abs(counts.sum()) < SMALL)


def _choice(sample: Sample, node: Node, mask: Array) -> tuple[int, Score] | None:
    """Of the columns that gain at least the average, the one of highest gain ratio; the first of equals."""
    W = float(node.counts.sum())
    if 2 * sample.rules.least - W > SMALL or abs(W - node.counts[most(node.counts)]) < SMALL:
        return None
    values = sample.columns.values
    allowed = np.flatnonzero(mask == 0)
    few = (values == 0) | (0.3 * len(sample.cases) - values > SMALL)
    if not few[allowed].any():
        few[:] = True
    scores = {j: s for j in allowed.tolist() if (s := _score(sample, node, j, W)) is not None}
    counted = [s.gain for j, s in scores.items() if few[j]]
    if not counted:
        return None
    enough = sum(counted) / len(counted) - NEARLY
    best, top = None, 0.0
    for j, s in scores.items():
        if s.gain >= enough and s.ratio - top > SMALL:
            best, top = (j, s), s.ratio
    return best


def _score(sample: Sample, node: Node, column: int, W: float) -> Score | None:
    """None where the column can't part these cases."""
    x = sample.columns.X[column, node.cases]
    known = ~np.isnan(x)
    x, classes, weights = x[known], sample.y[node.cases][known], node.weights[known]
    if sample.columns.values[column] == 0:
        return _numeric(x, classes, weights, W, sample)
    table = np.zeros((int(sample.columns.values[column]), sample.k))
    np.add.at(table, (x.astype(int), classes), weights)
    return (
        _one_value(table, W, sample.rules.least) if sample.rules.binary else _all_values(table, W, sample.rules.least)
    )


def _gain(old: float, new: Any, known: float, W: float) -> Any:
    """Information gain, scaled by the share of known values; what is next to nothing is nothing."""
    total = (1 - (W - known) / W) * (old - new)
    return np.where(np.abs(total) < SMALL, 0.0, total / known)


def _ratio(gain: float, bags: Any, known: float, W: float) -> float:
    """By the information of the split, in which missing values are a branch of their own."""
    info = float(xlogx(W) - xlogx(bags).sum() - xlogx(W - known))
    return 0.0 if abs(info) < SMALL else gain / (info / W)


def _entropy(table: Array) -> float:
    """Of the classes within the bags, times the weight."""
    return float(xlogx(table.sum(axis=1)).sum() - xlogx(table).sum())


def _all_values(table: Array, W: float, least: int) -> Score | None:
    bags = table.sum(axis=1)
    if (bags - least > -SMALL).sum() < 2:
        return None
    known = float(bags.sum())
    gain = float(_gain(_entropy(table.sum(axis=0)[None]), _entropy(table), known, W))
    return Score(gain, _ratio(gain, bags, known, W), 0.0)


def _one_value(table: Array, W: float, least: int) -> Score | None:
    """One value against all others."""
    per, known = table.sum(axis=0), float(table.sum())
    best = None
    for value, bag in enumerate(table.sum(axis=1).tolist()):
        if bag - least > -SMALL and known - bag - least > -SMALL:
            best = best or Score(0.0, 0.0, 0.0)
            two = np.array([table[value], per - table[value]])
            gain = float(_gain(_entropy(per[None]), _entropy(two), known, W))
            ratio = _ratio(gain, [bag, known - bag], known, W)
            if value == 0 or ratio - best.ratio > SMALL:
                best = Score(gain, ratio, float(value))
    return best


def _numeric(x: Array, classes: Array, weights: Array, W: float, sample: Sample) -> Score | None:
    """The best cut between two values, its gain reduced by what it costs to say which cut it is."""
    known, n, least = float(weights.sum()), len(x), sample.rules.least
    fewest = 0.1 * known / sample.k
    fewest = least if fewest - least < SMALL else 25.0 if fewest - 25 > SMALL else fewest
    if 2 * fewest - n > SMALL:
        return None
    order = np.argsort(x, kind="stable")
    x, classes, weights = x[order], classes[order], weights[order]
    left = np.zeros((n, sample.k))
    left[np.arange(n), classes] = weights
    left = np.cumsum(left, axis=0)
    right = left[-1] - left
    size = np.cumsum(weights)
    at = np.flatnonzero(x[:-1] + CLOSE < x[1:])
    at = at[(fewest - size[at] < SMALL) & (fewest - (known - size[at]) < SMALL)]
    if len(at) == 0:
        return None
    new = xlogx(size[at]) + xlogx(known - size[at]) - xlogx(left[at]).sum(axis=1) - xlogx(right[at]).sum(axis=1)
    best, cut = 0.0, -1
    for i, gain in zip(at.tolist(), _gain(_entropy(left[-1:]), new, known, W).tolist(), strict=True):
        if gain - best > SMALL:
            best, cut = gain, i
    best -= float(np.log2(len(at))) / W
    if best < SMALL:
        return None
    middle = (x[cut + 1] + x[cut]) / 2
    middle = x[cut] if middle == x[cut + 1] else middle
    return Score(best, _ratio(best, [size[cut], known - size[cut]], known, W), float(middle))


def _lowered(sample: Sample, column: int, middle: float) -> float:
    """The largest training value that is not above the middle. Cases are gone through in their order, and a value
    replaces another only if it is larger by more than the tolerance, as in J48."""
    largest = -np.inf
    for v in sample.columns.X[column, sample.cases].tolist():
        if v - largest > SMALL and v - middle < SMALL:
            largest = v
    return largest
