"""What do the predictions cost?"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.arithmetic import Array, Cases, Number, ratio
from karat.core.errors import InputError, type_words
from karat.core.measure import EMPTY_CLASS, FREQUENCIES, RELABEL, SCALE, THRESHOLD, TRANSPOSE, measure
from karat.measures.rates import OF_A_CLASS, ONE_SIDE, false_positive_rate, true_positive_rate
from karat.statistics import Binary, Counts
from karat.statistics.roc_hull import checked_probability_cost, normalised_cost


def prices(cost: Any, k: int, l: int) -> Array:
    """[k, l]: the cost of each decision (columns) for a case of each class (rows); None: each error costs 1."""
    try:
        price = 1.0 - np.eye(k, l) if cost is None else np.asarray(cost, float)
    except (TypeError, ValueError):
        raise InputError(
            f"cost is {type_words(cost)}, not all numbers; give costs by true and predicted class."
        ) from None
    if price.shape != (k, l):
        raise InputError(f"cost has the shape {price.shape}; give one for each true and predicted class, ({k}, {l}).")
    if not np.isfinite(price).all():
        raise InputError("cost holds a value that is not finite; give finite costs (gains are negative costs).")
    return price


def shares(prior: Any, k: int) -> Array:
    """[k]: the share of each class, checked."""
    share = np.asarray(prior, float)
    if share.shape != (k,) or not (share >= 0).all() or not np.isclose(share.sum(), 1):
        raise InputError(f"prior is {share.tolist()}; give {k} shares of at least 0 that sum to 1.")
    return share


def normalised(cost: Number, price: Array, share: Array) -> Number:
    """An expected cost on the scale from the least possible (each case decided in the cheapest way) to the highest; of
    two classes it is the normalised expected cost at their probability cost."""
    least, most = (share * price.min(axis=1)).sum(), (share * price.max(axis=1)).sum()
    return ratio(cost - least, most - least)


def errors(c: Counts) -> Cases:
    """What the expected cost is a rate of, each error costing 1."""
    return c.sums.wrong, c.sums.total


@measure(
    symbol="EC",
    title="Expected cost",
    aliases=("error_rate",),
    formula=r"\sum_{ij} P(i, j)\, c(i, j)",
    range=(0, 1),
    best=0,
    traits={THRESHOLD, FREQUENCIES},
    invariant={RELABEL, SCALE, TRANSPOSE, EMPTY_CLASS},
    cite="prati2011",
    undefined="a class has a prior but no case",
    rate=errors,
)
def expected_cost(c: Counts, *, cost: Any = None, prior: Any = None) -> Number:
    """What does a prediction cost on average (each error 1, unless costs and priors are given)?"""
    if cost is None and prior is None:
        return ratio(*errors(c))
    price = prices(cost, c.k, c.l)
    if prior is None:
        return (c.table * price).sum(axis=(-2, -1)) / c.sums.total
    share = shares(prior, c.k)
    row = np.asarray(ratio((c.table * price).sum(axis=-1), c.truth))
    return np.where(share > 0, share * row, 0.0).sum(axis=-1)


@measure(
    symbol="NEC",
    title="Normalised expected cost",
    aliases=("normalised_cost", "norm_expected_cost"),
    formula=r"(1 - TPR)\,PC + FPR\,(1 - PC),\quad PC = 1/2",
    range=(0, 1),
    range_at=(0, 1),
    best=0,
    chance=0.5,
    cite="prati2011",
    undefined=ONE_SIDE,
    either_class=True,
    **OF_A_CLASS,
)
def normalised_expected_cost(b: Binary, *, pc: float = 0.5) -> Number:
    """What share of the highest possible cost arises at a probability cost of one half (or PC, if given)?"""
    return normalised_cost(
        false_positive_rate.function(b), true_positive_rate.function(b), checked_probability_cost(pc)
    )
