"""What follows from the probabilities of the most probable classes: counts, losses, calibration of the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.data.border import weights_of
from karat.data.labels import positive_place
from karat.data.top_rows import EVEN, SCALED, CheckedTop, checked_top, classes_of, places_of, rows_of, truth_of
from karat.statistics.added import FINE_BINS, LEAST, AddedStatistics, Sums, WeightSums
from karat.statistics.bins import ConfidenceBins, edges_of
from karat.statistics.counts import DENSE, Counts, SparseCounts
from karat.statistics.probability_sums import LossSums
from karat.statistics.scans import FLOOR

SUPPOSED = {EVEN: "the others share the rest evenly", SCALED: "scaled, the others have 0", None: "the others have 0"}


def added_top(
    y_true: Any, y_proba: Any, labels: Any, rest: str | None, positive: Any = None, sample_weight: Any = None
) -> AddedStatistics:
    """All that is kept of {class: p} for each case."""
    truth, top = truth_of(y_true), rows_of(y_proba)
    classes = tuple(classes_of(truth, top) if labels is None else labels)
    sums, used = sums_of_top(places_of(truth, classes), top, classes, rest, sample_weight)
    given = (classes, classes, positive_place(positive, list(classes)), True, len(truth), sample_weight is not None)
    return AddedStatistics(*given, sums, top=SUPPOSED[used])


def sums_of_top(
    truth: Array, top: Any, classes: Sequence[Any], rest: str | None, sample_weight: Any = None
) -> tuple[Sums, str | None]:
    """The statistics, and what was supposed of the rest, if something had to be."""
    n = len(top.starts) - 1
    if len(truth) != n or not n:
        raise InputError(f"there are {len(truth):,} true labels and {n:,} rows of probabilities; give one for each.")
    weight = None if sample_weight is None else weights_of(sample_weight, n)
    checked = checked_top(top, classes, rest)
    return _sums(truth, checked, np.ones(n) if weight is None else weight, len(classes)), checked.supposed


def _sums(truth: Array, top: CheckedTop, weight: Array, k: int) -> Sums:
    n, row, place, p = len(truth), top.row, top.place, top.p
    order = np.lexsort((place, -p, row))
    leads = order[np.concatenate([[0], np.cumsum(top.size)[:-1]])]  # of equal ones the first class
    best, decided = p[leads], place[leads]
    true = place == truth[row]
    hit = np.where(np.bincount(row, true, n) > 0, np.bincount(row, p * true, n), top.left)
    squares = np.bincount(row, p * p, n) + (k - top.size) * top.left**2 - 2 * hit + 1
    cells = SparseCounts.of_cells(truth, decided, weight, (k, k))
    sums: Sums = {(Counts,): cells if k * k > DENSE else Counts(cells.table)}
    of_class = np.bincount(truth, weight, k)
    for eps in (FLOOR, LEAST):
        logs = np.bincount(truth, weight * np.log2(np.maximum(hit, eps)), k)
        sums[LossSums, ("eps", eps)] = LossSums(np.bincount(truth, weight * squares, k), logs, of_class)
    bins = np.searchsorted(edges_of(FINE_BINS), best, side="left")
    binned = (np.bincount(bins, weight * x, FINE_BINS) for x in (np.ones(n), best, truth == decided))
    sums[ConfidenceBins, ("bins", FINE_BINS)] = ConfidenceBins(*binned)
    heaviest = np.zeros(k)
    np.maximum.at(heaviest, truth, weight)
    cases, squared = (np.bincount(truth, x, k).astype(float) for x in (weight > 0, weight * weight))
    sums[(WeightSums,)] = WeightSums(cases, of_class, squared, heaviest)
    return sums
