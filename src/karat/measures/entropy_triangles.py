"""The entropy triangles: where the room for information goes. Three shares that sum to one, of truth and decisions
together (ET), of the truth (ETX) and of the decisions (ETY)."""

from __future__ import annotations

import math
from typing import Any

from karat.core.arithmetic import Number
from karat.core.measure import FREQUENCIES, THRESHOLD, measure
from karat.measures.information import (
    BOTH,
    TRUTH,
    constant,
    decision_entropy_deficit,
    decision_entropy_left,
    entropy_deficit,
    mutual_information,
    truth_entropy_deficit,
    truth_entropy_left,
    variation_of_information,
)
from karat.statistics import Counts

ONE_CELL = "there is only one true and one predicted class, so the triangle has no extent"
ONE_CLASS = "there is only one true class, so the triangle has no extent"
ONE_PREDICTED_CLASS = "there is only one predicted class, so the triangle has no extent"


OF_BOTH: dict[str, Any] = {
    "range": (0, 1),
    "traits": {THRESHOLD, FREQUENCIES},
    "invariant": BOTH,
    "cite": "valverde2014",
}
OF_ONE = OF_BOTH | {"invariant": TRUTH}
"""What shares of the triangles claim in which truth and decision can change places, and in which they can't."""


def _triangle(c: Counts, part: Number, size: float) -> Number:
    return part / size if size > 0 else constant(c, math.nan)


@measure(
    symbol="ET_DH",
    title="Entropy triangle: imbalance",
    formula=r"\Delta H / \log_2 kl",
    best=None,
    undefined=ONE_CELL,
    **OF_BOTH,
)
def triangle_imbalance(c: Counts) -> Number:
    """What share of the possible information does imbalance take away?"""
    return _triangle(c, entropy_deficit.function(c), math.log2(c.k * c.l))


@measure(
    symbol="ET_2MI",
    title="Entropy triangle: mutual information",
    formula=r"2 MI / \log_2 kl",
    best=1,
    undefined=ONE_CELL,
    chance=0,
    **OF_BOTH,
)
def triangle_information(c: Counts) -> Number:
    """What share of the possible information do predictions and classes share?"""
    return _triangle(c, 2 * mutual_information.function(c), math.log2(c.k * c.l))


@measure(
    symbol="ET_VI",
    title="Entropy triangle: variation of information",
    formula=r"VI / \log_2 kl",
    best=0,
    undefined=ONE_CELL,
    **OF_BOTH,
)
def triangle_variation(c: Counts) -> Number:
    """What share of the possible information is lost between true and predicted classes?"""
    return _triangle(c, variation_of_information.function(c), math.log2(c.k * c.l))


@measure(
    symbol="ETX_DH",
    title="Entropy triangle of the true classes: imbalance",
    formula=r"\Delta H_X / \log_2 k",
    range=(0, 1),
    best=None,
    cite="valverde2014",
    undefined=ONE_CLASS,
    traits={FREQUENCIES},
    invariant=TRUTH,
)
def truth_triangle_imbalance(c: Counts) -> Number:
    """What share of the possible information does the imbalance of the true classes take away?"""
    return _triangle(c, truth_entropy_deficit.function(c), math.log2(c.k))


@measure(
    symbol="ETX_MI",
    title="Entropy triangle of the true classes: mutual information",
    formula=r"MI / \log_2 k",
    best=1,
    undefined=ONE_CLASS,
    chance=0,
    **OF_BOTH,
)
def truth_triangle_information(c: Counts) -> Number:
    """What share of the possible information about the true classes do the predictions give?"""
    return _triangle(c, mutual_information.function(c), math.log2(c.k))


@measure(
    symbol="ETX_VI",
    title="Entropy triangle of the true classes: remaining entropy",
    formula=r"H_{X|Y} / \log_2 k",
    best=0,
    undefined=ONE_CLASS,
    **OF_ONE,
)
def truth_triangle_variation(c: Counts) -> Number:
    """What share of the possible information about the true classes do the predictions not give?"""
    return _triangle(c, truth_entropy_left.function(c), math.log2(c.k))


@measure(
    symbol="ETY_DH",
    title="Entropy triangle of the predicted classes: imbalance",
    formula=r"\Delta H_Y / \log_2 l",
    best=None,
    undefined=ONE_PREDICTED_CLASS,
    **OF_ONE,
)
def decision_triangle_imbalance(c: Counts) -> Number:
    """What share of the possible information of the predictions does their imbalance take away?"""
    return _triangle(c, decision_entropy_deficit.function(c), math.log2(c.l))


@measure(
    symbol="ETY_MI",
    title="Entropy triangle of the predicted classes: mutual information",
    formula=r"MI / \log_2 l",
    best=1,
    undefined=ONE_PREDICTED_CLASS,
    chance=0,
    **OF_BOTH,
)
def decision_triangle_information(c: Counts) -> Number:
    """What share of the possible information of the predictions is about the true classes?"""
    return _triangle(c, mutual_information.function(c), math.log2(c.l))


@measure(
    symbol="ETY_VI",
    title="Entropy triangle of the predicted classes: remaining entropy",
    formula=r"H_{Y|X} / \log_2 l",
    best=None,
    undefined=ONE_PREDICTED_CLASS,
    **OF_ONE,
)
def decision_triangle_variation(c: Counts) -> Number:
    """What share of the possible information of the predictions is noise?"""
    return _triangle(c, decision_entropy_left.function(c), math.log2(c.l))
