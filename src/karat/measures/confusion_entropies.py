"""How disordered are the errors? Confusion entropy, of predicted classes and of probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, Number, chosen, total, within
from karat.core.measure import (
    CALIBRATION,
    DISTRIBUTION,
    FREQUENCIES,
    PRIOR,
    RANKING,
    RELABEL,
    SCALE,
    THRESHOLD,
    TRANSPOSE,
    Remark,
    measure,
)
from karat.measures.agreement import SQUARE
from karat.statistics import Counts, ProbabilitySums

HIGHEST = 2 / (math.e * math.log(2))
"""The maximum for two classes; for three or more it is 1."""


def one_class(c: Counts) -> Array:
    """Is there one class only?"""
    return np.full(c.lead, c.k == 1)


def one_class_each(c: Counts) -> Array:
    """[..., k]: the same, for each class."""
    return np.full(c.shape[:-1], c.k == 1)


def one_class_of_probabilities(p: ProbabilitySums) -> Array:
    """Is there one class only?"""
    return one_class(p.table)


def idle(c: Counts) -> Array:
    """[..., k]: which classes have no case and are never decided?"""
    return np.asarray(c.truth + c.decided == 0) if c.k == c.l else np.zeros(c.shape[:-1], bool)


def idle_classes(c: Counts) -> Array:
    """Is there such a class?"""
    return np.asarray(idle(c).any(axis=-1))


def idle_classes_of_probabilities(p: ProbabilitySums) -> Array:
    """Has a class no case and no probability?"""
    return idle_classes(p.table)


def empty_rows(c: Counts | ProbabilitySums) -> Array:
    """Has a class no case?"""
    return np.asarray((c.weight == 0).any(axis=-1))


BASE = "0 for a single class, the base of its logarithm, 2(N - 1), being 0"
IDLE = "a class without cases that is never predicted counts 0, its shares being 0/0"
IDLE_OF_PROBABILITIES = "a class without cases and without probability counts 0, its shares being 0/0"
EMPTY_ROW = "the row of a class without cases is taken as zeros, its shares being 0/0"
OF_TABLE = (Remark(BASE, one_class), Remark(IDLE, idle_classes))
OF_ROWS = (Remark(BASE, one_class), Remark(EMPTY_ROW, empty_rows))
OF_FORECASTS = (
    Remark(BASE, one_class_of_probabilities),
    Remark(IDLE_OF_PROBABILITIES, idle_classes_of_probabilities),
)
OF_FORECAST_ROWS = (Remark(BASE, one_class_of_probabilities), Remark(EMPTY_ROW, empty_rows))
"""The conventions of the entropies, of counts and of shares, of decisions and of probabilities."""


OF_DECISIONS: dict[str, Any] = {
    "best": 0,
    "traits": {THRESHOLD, FREQUENCIES},
    "invariant": {RELABEL, SCALE, TRANSPOSE},
    "undefined": SQUARE,
}
"""What the entropies of counts claim, and of the shares that they are of each class."""
OF_SHARES = OF_DECISIONS | {"traits": {THRESHOLD}, "invariant": {RELABEL, SCALE, PRIOR}}


def _bounds(k: Number) -> tuple[float, Number]:
    return (0.0, chosen(k == 2, HIGHEST, 1.0))


def _undefined(c: Counts) -> Number:
    return math.nan if not c.lead else np.full(c.lead, np.nan)


@measure(
    symbol="CEN",
    title="Confusion entropy",
    formula=r"\sum_j \frac{D_j}{2s} CEN_j,\quad "
    r"CEN_j = -\sum_{k \ne j} \left[\frac{C_{jk}}{D_j}\log_b\frac{C_{jk}}{D_j}"
    r" + \frac{C_{kj}}{D_j}\log_b\frac{C_{kj}}{D_j}\right],\quad D_j = t_j + u_j,\ b = 2(N-1)",
    range=(0, HIGHEST),
    bounds=_bounds,
    cite="wei2010",
    remarks=OF_TABLE,
    **OF_DECISIONS,
)
def confusion_entropy(c: Counts) -> Number:
    """How much disorder is there among the wrong predictions?"""
    # of one class it is 0 / -inf: no errors, no disorder
    return within(0.0 - c.confusion / (-2 * c.ln_errors * c.sums.total), *_bounds(c.classes))


@measure(
    symbol="rCEN",
    title="Relative confusion entropy",
    aliases=("relative_cen",),
    formula=r"CEN(C_{ij} / t_i)",
    range=(0, HIGHEST),
    bounds=_bounds,
    cite="wang2013",
    remarks=OF_ROWS,
    **OF_SHARES,
)
def relative_confusion_entropy(c: Counts) -> Number:
    """How much disorder is there among the wrong predictions, each class counting the same?"""
    return confusion_entropy.function(c.relative)


@measure(
    symbol="pCEN",
    title="Probabilistic confusion entropy",
    aliases=("probabilistic_cen",),
    formula=r"CEN(p'_{ij}),\quad p'_{ij} = \sum_{y_s = i} p_{sj}",
    range=(0, HIGHEST),
    bounds=_bounds,
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE},
    cite="wang2013",
    remarks=OF_FORECASTS,
)
def probabilistic_confusion_entropy(p: ProbabilitySums) -> Number:
    """How much disorder is there in the probability given to wrong classes?"""
    return confusion_entropy.function(p.table)


@measure(
    symbol="rpCEN",
    title="Relative probabilistic confusion entropy",
    aliases=("relative_probabilistic_cen",),
    formula=r"CEN(p_{ij}),\quad p_{ij} = p'_{ij} / m_i",
    range=(0, HIGHEST),
    bounds=_bounds,
    best=0,
    traits={CALIBRATION, RANKING, DISTRIBUTION},
    invariant={RELABEL, SCALE, PRIOR},
    cite="wang2013",
    remarks=OF_FORECAST_ROWS,
)
def relative_probabilistic_confusion_entropy(p: ProbabilitySums) -> Number:
    """How much disorder is there in the probability given to wrong classes, each class counting the same?"""
    return confusion_entropy.function(p.relative)


def _disorder(c: Counts) -> tuple[Array, Array]:
    """e_j = sum of c (ln D_j - ln c) over the wrong cells of row and column j, and D_j; both [..., k]."""
    d = c.truth + c.decided
    rows, columns = c.disorder(d)
    return rows + columns, d


@measure(
    symbol="CEN_j",
    title="Confusion entropy of a class",
    aliases=("cen_of_class",),
    formula=r"-\sum_{k \ne j} \left[\frac{C_{jk}}{D_j}\log_b\frac{C_{jk}}{D_j}"
    r" + \frac{C_{kj}}{D_j}\log_b\frac{C_{kj}}{D_j}\right]",
    range=(0, HIGHEST),
    bounds=_bounds,
    cite="wei2010",
    classwise=True,
    remarks=(Remark(BASE, one_class_each), Remark(IDLE, idle)),
    **OF_DECISIONS,
)
def class_confusion_entropy(c: Counts) -> Number:
    """How disordered are the errors into and out of the class?"""
    if c.k != c.l:
        return np.full(c.shape[:-1], np.nan)
    if c.k == 1:
        return c.truth * 0.0
    e, d = _disorder(c)
    return within(np.divide(e, d, out=np.zeros_like(e), where=d > 0) / math.log(2 * c.k - 2), *_bounds(c.k))


@measure(
    symbol="CEN_offdiagonal",
    title="Confusion entropy, off-diagonal weights",
    formula=r"\sum_j \frac{D_j - 2 C_{jj}}{2s} CEN_j",
    range=(0, 1),
    cite="wang2013",
    remarks=OF_TABLE,
    **OF_DECISIONS,
)
def confusion_entropy_off_diagonal(c: Counts) -> Number:
    """What would the confusion entropy be with the weights behind the printed numbers of Wang et al.?"""
    if c.k != c.l:
        return _undefined(c)
    share = c.truth + c.decided - 2 * c.hits
    return total(share * class_confusion_entropy.function(c)) / (2 * c.sums.total)


@measure(
    symbol="rCEN_offdiagonal",
    title="Relative confusion entropy, off-diagonal weights",
    formula=r"CEN_{offdiagonal}(C_{ij} / t_i)",
    range=(0, 1),
    cite="wang2013",
    remarks=OF_ROWS,
    **OF_SHARES,
)
def relative_confusion_entropy_off_diagonal(c: Counts) -> Number:
    """What would rCEN be with the weights behind the printed numbers of Wang et al.?"""
    return confusion_entropy_off_diagonal.function(c.relative)


@measure(
    symbol="pCEN_offdiagonal",
    title="Probabilistic confusion entropy, off-diagonal weights",
    formula=r"CEN_{offdiagonal}(p'_{ij})",
    range=(0, 1),
    best=0,
    traits={CALIBRATION, RANKING, FREQUENCIES, DISTRIBUTION},
    invariant={RELABEL, SCALE},
    cite="wang2013",
    remarks=OF_FORECASTS,
)
def probabilistic_confusion_entropy_off_diagonal(p: ProbabilitySums) -> Number:
    """What would pCEN be with the weights behind the printed numbers of Wang et al.?"""
    return confusion_entropy_off_diagonal.function(p.table)


@measure(
    symbol="rpCEN_offdiagonal",
    title="Relative probabilistic confusion entropy, off-diagonal weights",
    formula=r"CEN_{offdiagonal}(p_{ij})",
    range=(0, 1),
    best=0,
    traits={CALIBRATION, RANKING, DISTRIBUTION},
    invariant={RELABEL, SCALE, PRIOR},
    cite="wang2013",
    remarks=OF_FORECAST_ROWS,
)
def relative_probabilistic_confusion_entropy_off_diagonal(p: ProbabilitySums) -> Number:
    """What would rpCEN be with the weights behind the printed numbers (0.0932, 0.3071) of Wang et al.?"""
    return confusion_entropy_off_diagonal.function(p.relative)


@measure(
    symbol="MCEN",
    title="Modified confusion entropy",
    aliases=("modified_cen",),
    formula=r"\sum_j \frac{D_j - C_{jj}}{2s - \alpha \sum_i C_{ii}} MCEN_j,"
    r"\quad MCEN_j = CEN_j \text{ with } D_j - C_{jj} \text{ for } D_j,"
    r"\quad \alpha = 1 \text{ for } N > 2,\ 0 \text{ for } N = 2",
    range=(0, 1),
    cite="delgado2019",
    remarks=OF_TABLE,
    **OF_DECISIONS,
)
def modified_confusion_entropy(c: Counts) -> Number:
    """How much disorder is there among the wrong predictions, on a scale that stays below one for two classes?"""
    if c.k != c.l:
        return _undefined(c)
    if c.k == 1:
        return c.sums.total * 0.0
    d = c.truth + c.decided - c.hits
    rows, columns = c.disorder(d)
    whole = 2 * c.sums.total - (c.sums.trace if c.k > 2 else 0.0)
    return total(rows + columns) / (whole * math.log(2 * c.k - 2))
