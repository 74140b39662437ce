"""How surprising would it be by chance alone? Exact tails, and what weights leave of the number of cases."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.data.arrays import numbers
from karat.statistics.binomial import binomial_tail as binomial_tail
from karat.statistics.summary import Summary

SURE = 0.001
"""A finding that rests on a test is made by mistake for at most one in a thousand healthy models."""
USUAL = 0.05
"""The level at which a difference is usually claimed."""


def sign_test(gained: float, lost: float, *, sides: int = 1) -> float:
    """The exact sign test (McNemar's): the probability of at least as many gains among the cases on which two
    classifiers differ, if gains and losses were equally likely; with two sides, of a difference as large either way. 1
    if they differ on none."""
    if sides == 2:
        return min(1.0, 2 * sign_test(max(gained, lost), min(gained, lost)))
    return never_0(binomial_tail(gained, gained + lost, 0.5)) if gained + lost > 0 else 1.0


def mid_p_sign_test(gained: float, lost: float, *, sides: int = 1) -> float:
    """The same, what was seen counting half (Lancaster 1961), so that few cases do not make it blunt; but in full where
    all gained, or all lost: no p-value is smaller than the exact test's smallest."""
    if sides == 2:
        return min(1.0, 2 * mid_p_sign_test(max(gained, lost), min(gained, lost)))
    as_many = sign_test(gained, lost)
    if lost < 1:
        return as_many
    return never_0((as_many + binomial_tail(gained + 1, gained + lost, 0.5)) / 2)


def never_0(p: float) -> float:
    """A p-value that is too small for the computer's numbers is not 0: the smallest of them that is exact."""
    return max(p, sys.float_info.min)


def bernstein_tail(excess: float, variance: float, largest: float) -> float:
    """A bound of the probability that a sum of independent deviations, none above `largest`, reaches `excess`
    (Bernstein 1924): for sums that a few cases rule, whose tails no normal distribution has."""
    if excess <= 0:
        return 1.0
    return math.exp(-(excess**2) / (2 * (variance + largest * excess / 3)))


def normal_tail(z: float) -> float:
    """The probability that a standard normal variable exceeds z."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def effective(summary: Summary) -> float:
    """What a weight counts in cases: 1 without weights; with them so that they sum to (sum w)^2 / sum w^2."""
    weight, added = summary.source.weight, summary.source.added
    if weight is not None and added is not None:
        return float(added.weights.total.sum() / added.weights.squares.sum())
    return 1.0 if weight is None else float(weight.sum() / (weight**2).sum())


def cases_of_classes(summary: Summary) -> Array:
    """[k]: how many cases of each class tests may count. Where class frequencies were said, not seen, a class has as
    many as it was given, whatever it weighs; nan where only a table of weights is left."""
    source = summary.source
    if not source.decreed:
        return np.asarray(source.class_weight * effective(summary))
    k = len(source.classes)
    if source.cases is None or source.weight is None:
        return np.full(k, np.nan)
    truth, w = source.cases.truth[0], source.weight[0]
    total, squares = (np.bincount(truth, x, k) for x in (w, w**2))
    return np.divide(total**2, squares, out=np.zeros(k), where=squares > 0)


def bonferroni(p_values: Any) -> Array:
    """Each p-value times their number: the plainest correction, and the weakest test. See [holm1979].

    >>> bonferroni([0.01, 0.02, 0.5]).round(3).tolist()
    [0.03, 0.06, 1.0]
    """
    return _adjusted(p_values, lambda p: p * len(p))


def holm(p_values: Any) -> Array:
    """Step down from the smallest: valid however the tests depend on each other, never weaker than Bonferroni's
    [holm1979].

    >>> holm([0.01, 0.02, 0.5]).round(3).tolist()
    [0.03, 0.04, 0.5]
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def hochberg(p_values: Any) -> Array:
    """Step up from the largest: stronger than Holm's, and valid for independent (or positively dependent) tests
    [hochberg1988].

    >>> hochberg([0.04, 0.03, 0.5]).round(3).tolist()
    [0.08, 0.08, 0.5]
    """
    return _adjusted(p_values, lambda p: np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1])


CORRECTIONS: Mapping[str, Callable[[Any], Array]] = {"bonferroni": bonferroni, "hochberg": hochberg, "holm": holm}
"""By name."""


def correction(name: str) -> Callable[[Any], Array]:
    """A correction by its name; Holm's is [holm1979], Hochberg's is [hochberg1988]."""
    if name not in CORRECTIONS:
        raise InputError(f"correction is {name!r}; it is one of {', '.join(CORRECTIONS)}.")
    return CORRECTIONS[name]


def _adjusted(p_values: Any, rule: Callable[[Array], Array]) -> Array:
    """The rule works on ascending p-values."""
    p, _ = numbers(p_values, "p_values", "p-values")
    if p.ndim != 1:
        raise InputError(f"p_values has the shape {p.shape}; give a list of p-values, of shape (tests,).")
    wrong = (p < 0) | (p > 1)
    if wrong.any():
        raise InputError(f"p_values holds {p[wrong][0]}; p-values lie in [0, 1]: give those of the tests themselves.")
    out = np.full(len(p), np.nan)
    there = np.flatnonzero(~np.isnan(p))
    order = there[np.argsort(p[there], kind="stable")]
    out[order] = np.minimum(rule(p[order]), 1.0)
    return out
