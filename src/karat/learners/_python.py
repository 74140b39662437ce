"""The twin of `_c45`: the same functions, in Python and numpy. Slower, and readable."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.learners._following import follow_all
from karat.learners._growing import Node, Sample, grown
from karat.learners._pruning import collapse, prune
from karat.learners.columns import Columns
from karat.learners.rules import Rules

__all__ = ["follow_all", "grow"]


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
