"""The geometry of operating conditions: which of some classifiers is cheapest, where it is, and where that changes.

A classifier is a point (fpr, tpr) of the ROC space, and a line of the cost space: its normalised expected cost at a
probability cost PC is (1 - tpr) PC + fpr (1 - PC). The upper convex hull of the points is the lower envelope of the
lines (Prati et al. 2011, with the costs of its equations 2, 4 and 5 the right way round).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, Number, ratio
from karat.core.errors import InputError
from karat.core.validation import number_between

NEVER, ALWAYS = "always negative", "always positive"
"""The trivial classifiers (0, 0) and (1, 1)."""
COLLINEAR = 1e-12
"""A point counts as a vertex of the hull if its triangle with its neighbours is larger than this."""


def slope_of(cost_fp: Number, cost_fn: Number, prevalence: Number) -> Number:
    """The slope of the lines of equal cost in ROC space: c_FP (1 - prevalence) / (c_FN prevalence).

    >>> slope_of(6.5, 1.0, 0.5)
    6.5
    """
    return ratio(cost_fp * (1 - prevalence), cost_fn * prevalence)


def probability_cost(cost_fp: Number, cost_fn: Number, prevalence: Number) -> Number:
    """PC: the part of the highest possible cost that missed positives make.

    >>> round(probability_cost(6.5, 1.0, 0.5), 6)
    0.133333
    """
    missed = cost_fn * prevalence
    return ratio(missed, missed + cost_fp * (1 - prevalence))


def rising_frequency(positive: Array, negative: Array) -> Array:
    """[m]: the frequency of a class at each of m ascending scores, of the weights of the class and of the rest there,
    made to rise with the score by pooling neighbours: the slopes of the hull of its ROC curve.

    >>> rising_frequency(np.array([0.0, 1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 0.0])).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    weight = positive + negative
    if not (np.array_equal(positive, np.rint(positive)) and np.array_equal(negative, np.rint(negative))):
        from scipy.optimize import isotonic_regression  # of other weights the sums that make a hull are rounded

        return np.asarray(isotonic_regression(positive / weight, weights=weight).x)
    places, _, _ = kernels.hulls(positive[None], negative[None])
    places[-1] = len(positive)  # scores that nobody has may be the lowest
    starts = len(positive) - places[:0:-1]
    pooled = np.add.reduceat(positive, starts) / np.add.reduceat(weight, starts)
    return np.repeat(pooled, np.diff(np.append(starts, len(positive))))


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
            raise InputError(f"prevalence is {self.prevalence}; give a number in [0, 1].")
        if self.highest_cost == 0:
            raise InputError("no error costs anything under these costs and this prevalence; give costs above 0.")

    @property
    def highest_cost(self) -> float:
        """The expected cost of always being wrong."""
        return self.prevalence * self.cost_fn + (1 - self.prevalence) * self.cost_fp

    @property
    def pc(self) -> float:
        """The probability cost: the share of the highest cost that missed cases have."""
        return float(probability_cost(self.cost_fp, self.cost_fn, self.prevalence))

    @property
    def slope(self) -> float:
        """The slope of the lines of equal cost in the ROC space: false positives a true positive is worth."""
        return slope_at(self.pc)


def slope_at(pc: float) -> float:
    """The slope in the ROC space of lines of equal cost at this probability cost (6.5 at .1333)."""
    checked_probability_cost(pc)
    return (1 - pc) / pc if pc > 0 else math.inf


def checked_probability_cost(pc: float) -> float:
    """A probability cost: a share."""
    return number_between("pc", pc, 0, 1)


def probability_cost_at(slope: Number) -> Number:
    """The probability cost that belongs to a slope: 1 / (1 + slope)."""
    return 1 / (1 + slope)


def normalised_cost(fpr: Array, tpr: Array, pc: Array | float) -> Array:
    """What part of the highest possible cost arises at the probability cost PC."""
    return np.asarray((1 - tpr) * pc + fpr * (1 - pc))


def upper_hull(fpr: Any, tpr: Any) -> Array:
    """Places of the strict vertices of the upper convex hull, from the lowest `fpr` to the highest. The points must
    include (0, 0) and (1, 1), which then are the ends; of equal points the first is taken.

    >>> upper_hull([0, 0.5, 0.2, 1], [0, 0.5, 0.7, 1]).tolist()
    [0, 2, 3]
    """
    x, y = np.asarray(fpr, float), np.asarray(tpr, float)
    if not (_has(x, y, 0.0) and _has(x, y, 1.0)):
        raise ValueError("the points of a hull must include (0, 0) and (1, 1).")
    order = np.lexsort((np.arange(len(x)), -y, x))
    order = order[np.append(True, np.diff(x[order]) > 0)]  # the highest point over each fpr
    if y[order[0]] > 0:  # the corner (0, 0) lies below the first of them, and stays an end
        order = np.append(np.flatnonzero((x == 0) & (y == 0))[:1], order)
    while len(order) > 2:  # what lies clearly below its neighbours' line goes at once; the loop below does the rest
        below = _turn(x, y, order[:-2], order[1:-1], order[2:]) < -COLLINEAR
        if not below.any():
            break
        order = order[np.concatenate([[True], ~below, [True]])]
    kept: list[int] = []
    for i in order.tolist():
        while len(kept) > 1 and _turn(x, y, kept[-2], kept[-1], i) <= COLLINEAR:
            kept.pop()
        kept.append(i)
    return np.array(kept, np.intp)


def _has(x: Array, y: Array, corner: float) -> bool:
    return bool(((x == corner) & (y == corner)).any())


def _turn(x: Array, y: Array, a: Any, b: Any, c: Any) -> Any:
    """Twice the area by which b lies above the line from a to c."""
    return (x[c] - x[a]) * (y[b] - y[a]) - (x[b] - x[a]) * (y[c] - y[a])


def breaks(fpr: Array, tpr: Array) -> Array:
    """[v + 1]: vertex i of a hull is best for PC between breaks[i] and breaks[i + 1]; the first is 0, the last 1."""
    wider, higher = np.diff(fpr), np.diff(tpr)
    return np.concatenate([[0.0], wider / (wider + higher), [1.0]])


def lower_envelope(lines: Any) -> tuple[Array, Array]:
    """The lowest of some lines over [0, 1]: the breaks from 0 to 1, and which line is lowest between them. `lines`
    holds the values of each at 0 and at 1; of equal lines the first is named.

    >>> breaks, which = lower_envelope([[0.0, 1.0], [0.2, 0.4], [1.0, 0.0]])
    >>> breaks.round(3).tolist(), which.tolist()
    ([0.0, 0.25, 0.667, 1.0], [0, 1, 2])
    """
    at = np.ascontiguousarray(np.asarray(lines, float).T)
    breaks, which = kernels.envelope(at[0], at[1], COLLINEAR)
    return breaks, which
