"""Statistics of very many classes: what formulas ask of tables over pairs of classes, gathered some rows at a time. The
tables themselves, which would be larger than the data, are made only if someone looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.data import Predictions
from karat.kernels.margins import TableMargins, first_floats, rest_of, x_ln_x
from karat.kernels.records import PairSums, TableDigest, TableSums
from karat.statistics import scans
from karat.statistics.counts import Counts
from karat.statistics.order import Margins, Pairs, Segments, Windows
from karat.statistics.probability_sums import LossSums, ProbabilitySums

AT_ONCE = 1 << 19
"""Numbers that are looked at together."""


class ManyPairs(Pairs):
    """Pairs whose matrix is made when it is asked for."""

    def __init__(self, cases: Predictions, known: dict[str, Any]) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(known)

    @cached
    def matrix(self) -> Array:
        """All pairs of classes: large."""
        return Pairs.of(self.cases).matrix


class ManyMargins(Margins):
    """Margins whose matrix is made when it is asked for."""

    def __init__(self, cases: Predictions, known: dict[str, Any]) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(known)

    @cached
    def matrix(self) -> Array:
        """All pairs of classes: large."""
        return Margins.of(self.cases).matrix


class ManySums(ProbabilitySums):
    """Sums of probabilities whose table is made when it is asked for."""

    def __init__(self, cases: Predictions, table: TableDigest, relative: TableDigest) -> None:
        self.cases, self.weight = cases, cases.class_weight
        self.__dict__.update(table=ManyCells(self, table), relative=ManyCells(self, relative, given_class=True))

    @cached
    def sums(self) -> Array:
        """All pairs of classes: large."""
        return ProbabilitySums.of(self.cases).sums


class ManyCells(Counts):
    """The sums as a table, or the means given the class."""

    def __init__(self, whole: ManySums, digest: TableDigest, given_class: bool = False) -> None:
        self.whole, self.given_class = whole, given_class
        known = self.__dict__
        known["k"], known["ln_errors"], known["sums"], known["diagonal"], known["confusion"] = digest
        known["l"], known["lead"] = self.k, ()

    @cached
    def table(self) -> Array:
        """All cells: large."""
        whole = ProbabilitySums(self.whole.sums, self.whole.weight)
        return whole.relative.table if self.given_class else whole.sums


# ------------------------------------------------------------------------------------------------- columns


def column_statistics(p: Predictions) -> tuple[Pairs, Margins, Segments, Windows]:
    """From one sort of each score column. A case counts for the class it has among those that have cases."""
    k, weight, size = len(p.classes), p.class_weight, scans.window(p.n)
    present = np.unique(p.truth)
    m = len(present)
    place = np.full(k, m)
    place[present] = np.arange(m)
    truth, bits = place[p.truth[0]].astype(np.uint64), m.bit_length()
    each = np.append(weight[present], 0.0)
    np.divide(1.0, each, out=each, where=each > 0)
    by_pair, against_rest, sums = np.empty((2, k)), np.empty((2, k)), np.empty((3, k))
    for j, column in _columns(p):
        keys, x, weights = scans.ranked(column, truth, None if p.weight is None else p.weight[0], bits)
        weights = None if weights is None else weights[None, None]
        *rows, found = kernels.scan(keys[None, None], int(place[j]), m + 1, bits, 0, x, weights, size, False)
        sums[:, j] = found[:3, 0, 0]
        for i, row in enumerate(rows):
            # not `@`: threads of BLAS would wait for each other longer than they work
            by_pair[i, j], against_rest[i, j] = (row[0, 0] * each).sum(), row[0, 0].sum()
    known = [_pair_facts(*facts, weight) for facts in zip(by_pair, against_rest, strict=True)]
    deviation, refinement, error = sums
    return (
        ManyPairs(p, known[0]),
        ManyMargins(p, known[1]),
        Segments(deviation, refinement, weight),
        Windows(error, weight),
    )


def _columns(p: Predictions) -> Iterator[tuple[int, Array]]:
    """Each class and its scores, copied some columns at a time: one by one, they lie far apart."""
    assert p.held is not None
    for first, last in _parts(p.held.shape[2], p.n):
        yield from enumerate(np.ascontiguousarray(p.held[0, :, first:last].T), first)


def _parts(n: int, width: int) -> Iterator[tuple[int, int]]:
    """(first, last) of as many of n rows of that width as are looked at together."""
    step = max(1, AT_ONCE // width)
    return ((first, min(n, first + step)) for first in range(0, n, step))


def _pair_facts(by_pair: Array, won: Array, weight: Array) -> dict[str, Any]:
    """From the sums of each class over its pairs, divided by the weight of the other class or not."""
    pairs = weight * rest_of(weight)
    rest = np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    there, some = weight > 0, pairs > 0
    total = weight.sum()
    sums = PairSums(
        float(there.sum()),
        float((by_pair[there] / weight[there]).sum()),
        float(by_pair[there].sum() / total),
        float(rest[some].sum()),
        float((rest[some] * weight[some]).sum() / total),
    )
    return {"sums": sums, "against_rest": rest}


# ------------------------------------------------------------------------------------------------- rows


def row_statistics(p: Predictions) -> tuple[ProbabilitySums, LossSums]:
    """From one pass over the rows, class by class."""
    k, weight = len(p.classes), p.class_weight
    squares, logs = np.zeros(k), np.zeros(k)
    whole, relative = TableParts(k), TableParts(k)
    held: tuple[int, Array] | None = None
    for y, x, w in _rows_by_class(p):
        cases = np.arange(len(y))
        hit = x[cases, y]
        first = np.flatnonzero(np.append(True, y[1:] != y[:-1]))
        classes, rows = y[first], np.add.reduceat(x if w is None else x * w[:, None], first, axis=0)
        x[cases, y] -= 1
        of_case = 1.0 if w is None else w
        squares += np.bincount(y, of_case * np.einsum("ij,ij->i", x, x), k)
        logs += np.bincount(y, of_case * np.log2(np.maximum(hit, scans.FLOOR)), k)
        if held is not None and held[0] == classes[0]:
            rows[0] += held[1]
        elif held is not None:
            _add_rows(np.array([held[0]]), held[1][None], weight, whole, relative)
        held = int(classes[-1]), rows[-1]  # the next cases may be of this class, too
        _add_rows(classes[:-1], rows[:-1], weight, whole, relative)
    if held is not None:
        _add_rows(np.array([held[0]]), held[1][None], weight, whole, relative)
    return ManySums(p, whole.digest(), relative.digest()), LossSums(squares, logs, weight)


def _rows_by_class(p: Predictions) -> Iterator[tuple[Array, Array, Array | None]]:
    """Classes, probabilities in float64 and weights of some cases at a time, in the order of the classes."""
    assert p.held is not None
    order = np.argsort(p.truth[0], kind="stable")
    for first, last in _parts(p.n, len(p.classes)):
        at = order[first:last]
        yield p.truth[0, at], p.held[0, at].astype(np.float64), None if p.weight is None else p.weight[0, at]


def _add_rows(classes: Array, rows: Array, weight: Array, whole: TableParts, relative: TableParts) -> None:
    there = weight[classes] > 0
    classes, rows = classes[there], rows[there]
    whole.add(classes, rows)
    relative.add(classes, rows / weight[classes][:, None])


class TableParts:
    """What is known of a square table from its rows, each of which was seen once."""

    def __init__(self, k: int) -> None:
        self.diagonal, self.missed, self.alarms = np.zeros(k), np.zeros(k), np.zeros(k)
        self.spread = 0.0
        """sum of c ln c over the cells off the diagonal"""

    def add(self, classes: Array, rows: Array) -> None:
        """Rows of these classes."""
        own = np.arange(len(classes)), classes
        off = rows.copy()
        self.diagonal[classes] = rows[own]
        off[own] = 0.0
        self.missed[classes] = off.sum(axis=1)
        self.alarms += off.sum(axis=0)
        self.spread += float(x_ln_x(off).sum())

    def digest(self) -> TableDigest:
        """What formulas ask of it."""
        missed, alarms, diagonal = self.missed[None], self.alarms[None], self.diagonal[None]
        none = np.empty(0, int)
        margins = TableMargins(missed + diagonal, alarms + diagonal, diagonal, missed, alarms, none[None], none, none)
        k = len(self.missed)
        confusion = float(margins.confusion_of(np.array([self.spread]))[0])
        logs = float(margins.diagonal_logs()[0])
        return k, float(np.log(2.0 * k - 2)), TableSums(*first_floats(margins.sums())), logs, confusion
