"""How surprising would it be by chance alone? Exact tails, and what weights leave of the number of cases."""

from __future__ import annotations

import math

from karat.data import Matrix
from karat.statistics import Summary

SURE = 0.001
"""A finding that rests on a test is made by mistake for at most one in a thousand healthy models."""
USUAL = 0.05
"""The level at which a difference is usually claimed."""


def binomial_tail(hits: float, n: float, p: float) -> float:
    """The probability of at least `hits` successes in n trials. Also a bound where the trials' probabilities differ and
    p is their mean (Hoeffding 1956); real numbers stand for weighted cases."""
    from scipy.special import betainc

    if hits <= 0:
        return 1.0
    if hits > n + 1e-9 or p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    return float(betainc(hits, max(n - hits, 0.0) + 1, p))


def more_than(gained: float, lost: float) -> float:
    """The exact one-sided sign test (McNemar): the probability of at least as many gains among the cases on which two
    classifiers differ, if gains and losses were equally likely. 1 if they differ on none."""
    return binomial_tail(gained, gained + lost, 0.5) if gained + lost > 0 else 1.0


def normal_tail(z: float) -> float:
    """The probability that a standard normal variable exceeds z."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def effective(summary: Summary) -> float:
    """What a weight counts in cases: 1 without weights; with them so that they sum to (sum w)^2 / sum w^2."""
    source = summary.source
    if isinstance(source, Matrix) or source.weight is None:
        return 1.0
    return float(source.weight.sum() / (source.weight**2).sum())
