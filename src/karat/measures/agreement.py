"""Do predicted classes agree with the true ones? Measures of the confusion matrix as a whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, Cases, Number, chosen, exp, log, only_where, quotient, ratio, root
from karat.core.measure import (
    EMPTY_CLASS,
    FREQUENCIES,
    OUTPUTS,
    PRIOR,
    RELABEL,
    SCALE,
    THRESHOLD,
    TRANSPOSE,
    Remark,
    measure,
    rate,
)
from karat.core.validation import number_between
from karat.statistics import Counts
from karat.statistics.counts import SparseCounts

SQUARE = "the predictions have more or fewer classes than the truth, and it is defined for square tables only"


EXCHANGEABLE: dict[str, Any] = {
    "traits": {THRESHOLD, FREQUENCIES},
    "invariant": {RELABEL, SCALE, TRANSPOSE, EMPTY_CLASS},
}
"""What measures claim in which truth and decision can change places."""


def one_class_only(c: Counts) -> Number:
    """Are all cases of one class, or all decisions?"""
    return np.equal(c.sums.truth_spread * c.sums.decided_spread, 0)


def wrong_with_one_class_only(c: Counts) -> Number:
    """The same, and some decision is wrong."""
    return one_class_only(c) & np.greater(c.sums.wrong, 0)


def nothing_wrong(c: Counts) -> Number:
    """Is every decision right?"""
    return np.equal(c.sums.wrong, 0)


ONE_CLASS_ONLY = "where all cases or all predictions are in one class"
OF_CORRELATION = (
    Remark("0 where no prediction is wrong, the logarithm of 1 - Acc being infinite", nothing_wrong),
    Remark(f"computed with MCC = 0 {ONE_CLASS_ONLY}, MCC being 0/0", wrong_with_one_class_only),
)
"""The conventions of what is made from MCC and accuracy."""


@rate(
    symbol="Acc",
    title="Accuracy",
    aliases=("overall_accuracy",),
    formula=r"\frac{1}{s}\sum_i C_{ii}",
    best=1,
    cite="ferri2009",
    **EXCHANGEABLE,
)
def accuracy(c: Counts) -> Cases:
    """What share of the cases is predicted correctly?"""
    return c.sums.trace, c.sums.total


@measure(
    symbol="KapS",
    title="Cohen's kappa",
    aliases=("cohens_kappa", "cohen_kappa"),
    formula=r"\frac{Acc - P_E}{1 - P_E},\quad P_E = \frac{1}{s^2}\sum_k t_k u_k",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="cohen1960",
    undefined="all cases belong to one class and all are predicted as it, so chance agreement is already complete",
    **EXCHANGEABLE,
)
def kappa_statistic(c: Counts) -> Number:
    """How much better is the agreement than that of independent guesses with the same frequencies?"""
    return ratio(c.sums.covariance, c.sums.covariance + c.sums.total * c.sums.wrong)


@measure(
    symbol="MFM",
    title="Macro F1",
    aliases=("mean_f1", "macro_f1"),
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{2 C_{jj}}{t_j + u_j}",
    range=(0, 1),
    best=1,
    cite="ferri2009",
    **EXCHANGEABLE,
)
def mean_f_measure(c: Counts) -> Number:
    """How good is F1, on average over the classes?"""
    return c.overlap / c.sums.present


@measure(
    symbol="MAvA",
    title="Balanced accuracy",
    aliases=("macro_recall",),
    formula=r"\frac{1}{c'}\sum_{j \in J} \frac{C_{jj}}{t_j}",
    range=(0, 1),
    best=1,
    traits={THRESHOLD},
    invariant={RELABEL, SCALE, PRIOR, EMPTY_CLASS},
    cite="ferri2009",
)
def macro_average_arithmetic(c: Counts) -> Number:
    """What share of a class is predicted correctly, on average over the classes?"""
    return c.relative.sums.trace / c.sums.present


@measure(
    symbol="MAvG",
    title="Geometric mean of the recalls",
    aliases=("g_mean_multiclass",),
    formula=r"\left(\prod_{j \in J} \frac{C_{jj}}{t_j}\right)^{1/c'}",
    range=(0, 1),
    best=1,
    traits={THRESHOLD},
    invariant={RELABEL, SCALE, PRIOR, EMPTY_CLASS},
    cite="ferri2009",
)
def macro_average_geometric(c: Counts) -> Number:
    """What is the geometric mean of the recalls, which is 0 if any class is never recognised?"""
    return exp(c.relative.diagonal / c.sums.present)


@measure(
    symbol="MCC",
    title="Matthews correlation coefficient",
    aliases=("phi", "gorodkin", "matthews"),
    formula=r"\frac{c s - \sum_k t_k u_k}{\sqrt{(s^2-\sum u_k^2)(s^2-\sum t_k^2)}}",
    range=(-1, 1),
    best=1,
    chance=0,
    cite="gorodkin2004",
    remarks=(Remark(f"0 {ONE_CLASS_ONLY}, its formula being 0/0", one_class_only),),
    **EXCHANGEABLE,
)
def matthews_correlation(c: Counts) -> Number:
    """How strongly do true and predicted classes correlate?"""
    # the convention is that of Jurman & Furlanello
    sums = c.sums
    return quotient(sums.covariance, root(sums.truth_spread * sums.decided_spread), otherwise=0.0)


@measure(
    symbol="MCC01",
    title="Normalised MCC",
    aliases=("normalised_mcc",),
    formula=r"\frac{MCC + 1}{2}",
    range=(0, 1),
    best=1,
    chance=0.5,
    cite="jurman2012",
    remarks=(Remark(f"0.5 {ONE_CLASS_ONLY}, MCC being 0/0", one_class_only),),
    **EXCHANGEABLE,
)
def matthews_correlation_rescaled(c: Counts) -> Number:
    """How strongly do true and predicted classes correlate, on a scale from 0 to 1?"""
    return (matthews_correlation.function(c) + 1) / 2


@measure(
    symbol="coreMCC",
    title="Core of the transformed MCC",
    formula=r"(1 - MCC)(1 - \log_{2N-2}(1 - Acc))(1 - 1/N)",
    range=(0, np.inf),
    best=0,
    traits={THRESHOLD, FREQUENCIES},
    invariant={RELABEL, SCALE, TRANSPOSE},
    cite="jurman2012",
    undefined=SQUARE,
    remarks=OF_CORRELATION,
)
def transformed_matthews_core(c: Counts) -> Number:
    """What would the confusion entropy be, judged from correlation and accuracy alone?"""
    N, sums = c.classes, c.sums
    spread = 1 - log(sums.wrong / sums.total) / c.ln_errors
    core = (1 - matthews_correlation.function(c)) * spread * (1 - 1 / N)
    return only_where(c.decisions == N, chosen(sums.wrong > 0, core, 0.0))


@measure(
    symbol="tMCC",
    title="Transformed MCC",
    aliases=("transformed_mcc",),
    formula=r"\frac{1}{k}(1 - MCC)(1 - \log_{2N-2}(1 - Acc))(1 - 1/N),\quad"
    r" k = 1.012\left(1 + \frac{.18924}{\log_2 N} - \frac{.06694}{\log_2^2 N}\right)",
    range=(0, np.inf),
    best=0,
    traits={THRESHOLD, FREQUENCIES},
    invariant={RELABEL, SCALE, TRANSPOSE},
    cite="jurman2012",
    undefined=SQUARE,
    remarks=OF_CORRELATION,
)
def transformed_matthews_correlation(c: Counts, *, base: float = 2.0) -> Number:
    """What would the confusion entropy be, judged from correlation and accuracy, calibrated on random tables?"""
    # The paper does not name the base of the logarithm in k; 2 fits its numbers best.
    return transformed_matthews_core.function(c) / _fits(c.classes, base)


def _fits(classes: Number, base: float) -> Number:
    """What makes tMCC close to CEN: the fit of Jurman & Furlanello; 1 for one class."""
    number_between("base", base, 1, math.inf, ends="()")
    x = quotient(math.log(base), log(classes), otherwise=0.0)
    return chosen(classes > 1, 1.012 * (1 + 0.18924 * x - 0.06694 * x * x), 1.0)


transformed_matthews_correlation_natural = transformed_matthews_correlation.at(base=math.e).named(
    "tMCC_ln",
    "transformed_matthews_correlation_natural",
    "What would tMCC be if the paper's logarithm were the natural one?",
    r"tMCC \text{ with the natural logarithm in } k",
    title="Transformed MCC, natural logarithm",
    range=transformed_matthews_correlation.range,
    best=transformed_matthews_correlation.best,
    traits=transformed_matthews_correlation.traits,
    invariant=transformed_matthews_correlation.invariant,
)


def best_names(table: Array) -> tuple[Array, Array]:
    """The naming of the outputs that makes most decisions right: rows and the columns that should carry their names."""
    rows = np.arange(len(table))
    if len(rows) <= table.shape[1] and ((table >= table[rows, rows][:, None]).sum(axis=1) == 1).all():
        return rows, rows  # each row has its one highest cell where it should be: no other naming comes near
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return rows, columns


def _best_of_cells(c: SparseCounts) -> float:
    """Right decisions after the best naming, of the cells that are not empty. Every row may also go without a name, to
    a column of its own; matchings need weights above 0, so that each has one more."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, row = np.unique(c.rows, return_inverse=True)
    columns, column = np.unique(c.columns, return_inverse=True)
    k, l = len(rows), len(columns)
    places = (np.append(row, np.arange(k)).astype(np.int32), np.append(column, l + np.arange(k)).astype(np.int32))
    weight = np.append(c.values, np.zeros(k)) + 1
    graph = csr_array((weight, places), shape=(k, l + k))
    taken = min_weight_full_bipartite_matching(graph, maximize=True)
    return float(graph[taken].sum()) - k


@measure(
    symbol="AccRelabel",
    title="Accuracy after the best relabelling",
    aliases=("relabelled_accuracy",),
    formula=r"\max_\pi \frac{1}{s}\sum_i C_{i\pi(i)}",
    range=(0, 1),
    best=1,
    traits={THRESHOLD, FREQUENCIES},
    invariant={RELABEL, OUTPUTS, SCALE, TRANSPOSE, EMPTY_CLASS},
    cite="valverde2014",
)
def accuracy_after_relabelling(c: Counts) -> Number:
    """How accurate would the classifier be if its outputs were named in the best way?"""
    if isinstance(c, SparseCounts):
        return _best_of_cells(c) / c.sums.total
    best = [table[best_names(table)].sum() for table in c.table.reshape(-1, c.k, c.l)]
    if not c.lead:
        return float(best[0]) / c.sums.total
    return np.reshape(best, c.lead) / c.sums.total
