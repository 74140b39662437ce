"""One evaluation, all of it at once."""

from __future__ import annotations

import math

import numpy as np

from karat.kernels._rows import row_sums
from karat.kernels._tables import class_sums, facts, pair_sums, relative
from karat.kernels.margins import first_floats
from karat.kernels.records import Array, ClassSums, ColumnDigest, PairSums, RowDigest, TableDigest


@np.errstate(over="ignore", invalid="ignore")  # of huge scores, which nobody asks these of
def row_digest(
    truth: Array,
    proba: Array,
    decided: Array | None,
    weight: Array | None,
    class_weight: Array,
    l: int,
    floor: float,
    given: int = -1,
) -> RowDigest:
    """Of one evaluation, for which the calls cost more than the sums: its counts (also relative to the rows), its
    probability sums (also relative to the class weights[k]) and its losses, with what formulas ask of them."""
    counts, sums, squares, logs = row_sums(truth, proba, decided, weight, l, floor, given)
    weights = class_weight[None]
    shares, means = relative(counts, None), relative(sums, weights)
    known, losses = facts(counts[0]), _class_sums(squares, weights)
    return (
        (counts[0], _table_digest(counts), known.logs, known.overlap, shares[0], _table_digest(shares)),
        (sums[0], class_weight, losses.weight, _table_digest(sums), means[0], _table_digest(means)),
        (squares[0], logs[0], class_weight, losses, _class_sums(logs, weights)),
    )


def column_digest(wins: Array, gains: Array, sums: Array, class_weight: Array) -> ColumnDigest:
    """Of one evaluation: what its statistics of order are, from wins[1, k, k], gains[1, k, k], (deviation, refinement,
    error)[.., 1, k] and the class weights[k], with the sums over classes."""
    weights = class_weight[None]
    deviation, refinement, error = sums[:3]
    return (
        (wins[0], class_weight, _pair_sums(wins, weights)),
        (gains[0], class_weight, _pair_sums(gains, weights)),
        (deviation[0], refinement[0], class_weight, _class_sums(deviation, weights)),
        (error[0], class_weight, _class_sums(error, weights)),
    )


def _table_digest(tables: Array) -> TableDigest:
    k = tables.shape[1]
    ln_errors = math.log(2 * k - 2) if k > 1 else -math.inf
    known = facts(tables[0])
    return k, ln_errors, known.sums, known.logs.diagonal, known.confusion


def _pair_sums(matrix: Array, weights: Array) -> PairSums:
    return PairSums(*first_floats(pair_sums(matrix, weights)))


def _class_sums(values: Array, weights: Array) -> ClassSums:
    return ClassSums(*first_floats(class_sums(values, weights)))
