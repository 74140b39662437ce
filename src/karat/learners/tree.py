"""A grown tree: arrays that tell its shape, the cases that made it, and what it says of new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.learners._growing import SMALL, most

DIGITS = 10
"""Probabilities from fractions of cases are rounded to so many digits, so that what should be equal is."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Node 0 is the root; the children of a node stand next to each other, after it."""

    attribute: Array
    """The column that the node asks for, -1 for a leaf."""
    first: Array
    """The first child."""
    branches: Array
    """How many children."""
    cut: Array
    """Values up to this go left; of a binary split of a nominal column, the value that goes left."""
    bag: Array
    """The training weight that the parent's split sent here."""
    counts: Array
    """Training weight of each class, [nodes, classes]."""
    empty: Array
    """Did no training case come here?"""
    values: Array
    """Declared values of each column, 0 for a numeric one."""
    binary: bool

    @classmethod
    def of(cls, arrays: tuple[Any, ...], values: Array, binary: bool) -> Tree:
        """From what a kernel made."""
        return cls(*(*arrays, values, binary))

    @property
    def size(self) -> int:
        """The number of nodes, leaves among them."""
        return len(self.attribute)

    @property
    def leaves(self) -> int:
        return int((self.attribute < 0).sum())

    @cached
    def parent(self) -> Array:
        """Of each node; the root is its own."""
        parent = np.zeros(self.size, int)
        parent[1:] = np.repeat(np.arange(self.size), self.branches)
        return parent

    @cached
    def fractional(self) -> bool:
        """Were there cases counted in parts, because a value was missing or weights were no whole numbers?"""
        return bool(np.any(self.counts != np.floor(self.counts)))

    def leaf_probabilities(self, laplace: bool) -> Array:
        """What each node says as a leaf, [nodes, classes]; one without cases says what its parent says."""
        counts = np.where(self.empty[:, None] != 0, self.counts[self.parent], self.counts)
        total = counts.sum(axis=1, keepdims=True)
        if laplace:
            return np.ascontiguousarray((counts + 1) / (total + counts.shape[1]))
        return np.ascontiguousarray(counts / np.where(total < SMALL, 1.0, total))

    def probabilities(self, X: Array, laplace: bool) -> Array:
        """Of each class, for the rows of X. Missing and undeclared values go down all branches, by their weights."""
        from karat.learners.kernel import in_use

        shape = (self.attribute, self.first, self.branches, self.cut, self.bag, self.empty)
        leaves = self.leaf_probabilities(laplace)
        shares: Array
        shares, met = in_use.follow_all(*shape, leaves, self.values, self.binary, np.ascontiguousarray(X, float))
        return np.round(shares, DIGITS) if met or self.fractional else shares

    def to_text(
        self, names: Sequence[str] | None, values: Sequence[Sequence[str] | None] | None, classes: Sequence[Any]
    ) -> str:
        """As Weka prints a tree: a line for each branch, and at a leaf its class (cases/errors)."""
        lines: list[str] = []
        stack = [(0, 0)]
        if self.attribute[0] < 0:
            return f": {self._leaf(0, classes)}"
        while stack:
            node, depth = stack.pop()
            if node:
                here = "|   " * (depth - 1) + self._condition(node, names, values)
                lines.append(here if self.attribute[node] >= 0 else f"{here}: {self._leaf(node, classes)}")
            last = self.first[node] + self.branches[node]
            stack += [(child, depth + 1) for child in range(last - 1, self.first[node] - 1, -1)] if last else []
        return "\n".join(lines)

    def _condition(self, node: int, names: Any, values: Any) -> str:
        parent = self.parent[node]
        column, branch = self.attribute[parent], node - self.first[parent]
        name = f"x{column}" if names is None else names[column]
        if self.values[column] == 0:
            cut = float(self.cut[parent])
            return f"{name} {'<=' if branch == 0 else '>'} {shortest(cut) if self.binary else plain(cut)}"
        place = int(self.cut[parent]) if self.binary else branch
        value = str(place) if values is None or values[column] is None else values[column][place]
        return f"{name} {'!=' if self.binary and branch else '='} {value}"

    def _leaf(self, node: int, classes: Sequence[Any]) -> str:
        counts = self.counts[node]
        best = most(self.counts[self.parent[node]] if self.empty[node] else counts)
        total = counts.sum()
        wrong = total - counts[best]
        return f"{classes[best]} ({_hundredths(total)}{f'/{_hundredths(wrong)}' if wrong > SMALL else ''})"


def plain(x: float) -> str:
    """Six digits after the point, without idle zeros; all digits of what is too large for them."""
    if abs(x) * 1e6 >= 2.0**63:
        return shortest(x)
    text = f"{x:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def shortest(x: float) -> str:
    """As few digits as tell the number from all others, with Java's exponents: Weka's binary splits show all digits."""
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        return repr(x)
    digits, exponent = np.format_float_scientific(x, trim="0").split("e")
    return f"{digits}E{int(exponent)}"


def _hundredths(x: float) -> float:
    return float(np.floor(x * 100 + 0.5) / 100)
