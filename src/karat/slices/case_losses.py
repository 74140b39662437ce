"""The loss of every single case: what a measure gives for it alone, or as it was given."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from karat.comparisons.measure_names import in_sentence
from karat.core.arithmetic import Array
from karat.core.errors import InputError, ShapeError, option
from karat.data.arrays import numbers
from karat.data.predictions import Predictions
from karat.evaluation import Evaluation
from karat.measures.lookup import find
from karat.measures.value import MeasureOf
from karat.statistics import Summary

ERROR, COST = "error", "cost"
USUAL = (ERROR, "log_loss", "brier_score")
"""Losses that are named where a name is not understood."""
AT_ONCE = 1 << 18
"""Cases that are evaluated at a time."""
SAME = 1e-9
"""By so much, relative to 1 and to the value, the mean over cases may differ from the measure of all."""


class CaseLoss(NamedTuple):
    """A loss of every case."""

    name: str
    """as a sentence has it"""
    values: Array
    """[n]"""
    least: float
    """no value can be below it"""
    most: float
    """nor above this"""


def case_loss(e: Evaluation, cases: Predictions, loss: Any) -> CaseLoss:
    """By name ("error", or a measure that is a mean over cases), or a number for each case."""
    if not isinstance(loss, str):
        return _given(loss, cases.n)
    if loss == ERROR:
        return CaseLoss(ERROR, 1.0 - cases.right[0], 0.0, 1.0)
    measure = find(loss)
    if reason := e.undefined_because(measure):
        raise InputError(f"{option('loss')} is {loss!r}, which is not available: {reason}.")
    values = np.concatenate(
        [_alone(cases, measure, at) for at in np.array_split(np.arange(cases.n), -(-cases.n // AT_ONCE))]
    )
    value = e[measure]
    mean = float(np.average(values, weights=None if cases.weight is None else cases.weight[0]))
    if measure.orientation >= 0 or not abs(mean - value) <= SAME * max(1.0, abs(value)):
        raise InputError(
            f"{option('loss')} is {loss!r}, which is not the mean of a loss of each case; use {', '.join(USUAL)}, or "
            "give a number for each case."
        )
    return CaseLoss(in_sentence(measure.title), values, *map(float, measure.range_for(len(cases.classes))))


def _alone(cases: Predictions, measure: Any, at: Array) -> Array:
    """The measure of each of these cases by itself."""
    one = MeasureOf(measure)
    with np.errstate(all="ignore"):
        return np.asarray(one.values(one.statistic(Summary(cases.each_alone(at).reweighted(None)))), float).reshape(-1)


def _given(loss: Any, n: int) -> CaseLoss:
    values, _ = numbers(loss, "loss", "the cost of each case")
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.shape != (n,):
        raise ShapeError(f"loss has the shape {values.shape} and there are {n} cases; give one number for each case.")
    if not np.isfinite(values).all():
        wrong = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"loss is {values[wrong]} in row {wrong}; give a finite number for each case.")
    return CaseLoss(COST, values, 0.0 if (values >= 0).all() else -math.inf, math.inf)
