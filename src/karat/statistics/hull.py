"""The geometry of operating conditions: which of some classifiers is cheapest, where it is, and where that changes.

A classifier is a point (fpr, tpr) of the ROC space, and a line of the cost space: its normalised expected cost at a
probability cost PC is (1 - tpr) PC + fpr (1 - PC). The upper convex hull of the points is the lower envelope of the
lines (Prati et al. 2011, with the costs of its equations 2, 4 and 5 the right way round).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError

COLLINEAR = 1e-12
"""A point counts as a vertex of the hull if it lies further than this above the line through its neighbours."""


@dataclass(frozen=True)
class Condition:
    """What a false positive and a missed case cost, and how frequent the positive class is."""

    cost_fp: float = 1.0
    cost_fn: float = 1.0
    prevalence: float = 0.5

    def __post_init__(self) -> None:
        for name in ("cost_fp", "cost_fn"):
            if not (0 <= getattr(self, name) < math.inf):
                raise InputError(f"{name} is {getattr(self, name)}; give a finite cost of at least 0.")
        if not 0 <= self.prevalence <= 1:
            raise InputError(f"prevalence is {self.prevalence}; give a share of the positive class in [0, 1].")
        if self.highest_cost == 0:
            raise InputError("no error costs anything under these costs and this prevalence; give costs above 0.")

    @property
    def highest_cost(self) -> float:
        """The expected cost of always being wrong."""
        return self.prevalence * self.cost_fn + (1 - self.prevalence) * self.cost_fp

    @property
    def pc(self) -> float:
        """The probability cost: the share of the highest cost that missed cases have."""
        return self.prevalence * self.cost_fn / self.highest_cost

    @property
    def slope(self) -> float:
        """The slope of the lines of equal cost in the ROC space: false positives a true positive is worth."""
        return slope_at(self.pc)


def slope_at(pc: float) -> float:
    """The slope in the ROC space of lines of equal cost at this probability cost (6.5 at .1333)."""
    if not 0 <= pc <= 1:
        raise InputError(f"pc is {pc}; a probability cost lies in [0, 1].")
    return (1 - pc) / pc if pc > 0 else math.inf


def normalised_cost(fpr: Array, tpr: Array, pc: Array | float) -> Array:
    """What part of the highest possible cost arises at the probability cost PC."""
    return np.asarray((1 - tpr) * pc + fpr * (1 - pc))


def upper_hull(fpr: Array, tpr: Array) -> Array:
    """Places of the vertices of the upper convex hull, from (0, 0) to (1, 1), which must be among the points. Of equal
    points the first is taken; a point on a straight line between two others is no vertex."""
    kept: list[int] = []
    for i in np.lexsort((tpr, fpr)).tolist():
        if kept and fpr[i] == fpr[kept[-1]] and tpr[i] == tpr[kept[-1]]:
            continue
        while len(kept) > 1 and not _above(fpr, tpr, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    return np.array(kept)


def _above(x: Array, y: Array, a: int, b: int, c: int) -> bool:
    """Does b lie above the line from a to c?"""
    return bool((y[b] - y[a]) * (x[c] - x[a]) - (y[c] - y[a]) * (x[b] - x[a]) > COLLINEAR)


def breaks(fpr: Array, tpr: Array) -> Array:
    """[v + 1]: vertex i of a hull is best for PC between breaks[i] and breaks[i + 1]; the first is 0, the last 1."""
    wider, higher = np.diff(fpr), np.diff(tpr)
    return np.concatenate([[0.0], wider / (wider + higher), [1.0]])
