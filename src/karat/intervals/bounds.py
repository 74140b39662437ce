"""Where every case says the same: not how uncertain a value is, which nothing shows, but how far it may well be off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from karat.core.arithmetic import TOLERANCE, Array
from karat.intervals.interval_ends import Ends
from karat.intervals.rate_interval import most_unseen
from karat.measures.value import MeasureOf
from karat.resampling.confusion_tables import measures_of_tables
from karat.statistics import Counts, Summary
from karat.statistics.counts import DENSE

REASON = (
    "no case shows any variation: one end is the value, the other an exact bound for what so few cases may have missed"
)
REASON_OF_UPPER = "no case shows any variation: the upper end is an exact bound for what so few cases may have missed"
"""Where the lower one is not the value: some of it may be chance."""


@dataclass(frozen=True, eq=False)
class UnitsOfClasses:
    """How many cases there are, or groups, that need not have said the same."""

    holding: Array
    """[units or 1, k]: how many cases of each class a unit holds; a single row if units are cases"""
    grouped: bool

    @classmethod
    def of_cases(cls, class_weight: Array) -> UnitsOfClasses:
        """Every case is one."""
        return cls(np.asarray(class_weight, float)[None], False)

    @classmethod
    def of_groups(cls, cluster: Array, truth: Array, k: int) -> UnitsOfClasses:
        """Every group is one, whatever it holds."""
        groups = int(cluster.max()) + 1
        return cls(np.bincount(cluster * k + truth, minlength=groups * k).reshape(groups, k).astype(float), True)

    def of(self, classes: Array) -> float:
        """Of some classes: cases, or groups that hold one of these."""
        cases = self.holding[:, classes].sum(axis=1)
        return float(np.count_nonzero(cases) if self.grouped else cases.sum())


def range_of(m: MeasureOf, summary: Summary) -> tuple[float, float]:
    """The ends of a measure's range, for so many classes and, where it depends on these, decisions."""
    decisions = summary.get(Counts).shape[-1] if m.counted and m.measure.bounds_of_table else None
    return m.measure.range_for(len(summary.source.classes), decisions)


def bound(
    m: MeasureOf, summary: Summary, value: float, level: float, units: UnitsOfClasses, fixed: bool = False
) -> Ends | None:
    """The interval of a measure that is at an end of its range, and would be without any of the cases; None if the
    other end can't be told. Of so many cases (or groups) that all say the same, the largest share of others is exact
    (Clopper & Pearson 1934): a measure of decisions is taken of tables with up to such a share of errors, any other is
    at worst at the far end of its range for that share of its smallest class. `fixed`: are class frequencies given?"""
    k = len(summary.source.classes)
    least, most = range_of(m, summary)
    at_end = min(abs(value - least), abs(value - most)) <= TOLERANCE
    if not at_end or k * k > DENSE:  # of very many classes no table is made
        return None
    if m.counted and m.measure.orientation:
        table = summary.get(Counts).table
        if float(np.trace(table)) == float(table.sum()) and len(table) > 1:
            worse = measures_of_tables([m], [_with_errors(table, level, units, fixed)])[m.key]
            if (np.abs(worse - value) <= TOLERANCE).all():  # errors in cases that are not there are what it is about
                return None
            if np.isfinite(worse).all():
                return Ends(min(value, float(worse.min())), max(value, float(worse.max())), "exact bound", REASON)
    if not math.isfinite(most - least):
        return None
    each = np.eye(k, dtype=bool)
    sides = np.array([units.of(side) for side in (each if m.place is None else (each[m.place], ~each[m.place]))])
    smallest = float(sides[sides > 0].min(initial=units.of(np.ones(k, bool))))
    other = least if abs(value - most) <= TOLERANCE else most
    end = value + (other - value) * most_unseen(max(smallest, 1.0), level)
    return Ends(min(value, end), max(value, end), "exact bound", REASON)


PARTS = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Of the largest share of errors: disorder need not be largest with the most errors."""


RARE = 0.1
"""Of a class with at most this share of the cases, how frequent it is matters as much as how often it is mistaken."""


def _with_errors(table: Array, level: float, units: UnitsOfClasses, fixed: bool) -> Array:
    """[tables, k, l]: a table without errors, with up to as many as may well be there, in one class or in all: each to
    one other decision, or to all others evenly."""
    k, l = table.shape
    right = np.diag(table).astype(float)
    alone = np.array([most_unseen(max(units.of(np.arange(k) == row), 1.0), level) for row in range(k)])
    together = most_unseen(units.of(np.ones(k, bool)), level)
    one_class = [np.where(np.arange(k) == row, alone, 0.0) for row in range(k)]
    shares = [np.full(k, together), *(one_class[row] for row in range(k) if right[row] > 0)]
    cases = [(right, share) for share in shares]
    if not fixed:
        cases += [
            (more, np.minimum(one_class[row], together * right.sum() / more[row]))  # no more errors in all than that
            for row, more in _with_more_of_rare(right, level, units)
        ]
    turned = [np.eye(k, l)[:, (np.arange(l) - step) % l] for step in range(1, l)]
    evenly = (1 - np.eye(k, l)) / (l - 1)
    tables = []
    for there, share in cases:
        for part in PARTS:
            moved = part * share * there
            tables += [np.diag(there - moved) @ np.eye(k, l) + moved[:, None] * to for to in (*turned, evenly)]
    return np.stack(tables)


def _with_more_of_rare(right: Array, level: float, units: UnitsOfClasses) -> Iterator[tuple[int, Array]]:
    """(class, cases of each class) where a rare class is as frequent as it may well be (Clopper & Pearson 1934)."""
    total, of = float(right.sum()), units.of(np.ones(len(right), bool))
    for row in np.flatnonzero((right > 0) & (right <= RARE * total)).tolist():
        seen = units.of(np.arange(len(right)) == row)
        if seen >= of:  # every group holds it
            continue
        most = float(betaincinv(seen + 1, of - seen, (1 + level) / 2))
        more = right * (1 - most) * total / (total - right[row])
        more[row] = most * total
        yield row, more
