"""Two models whose predictions are exchanged case by case: the values of a measure for many such exchanges at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array, product
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.data import Predictions
from karat.data.border import Extent
from karat.measures.choices import refuse_unchosen
from karat.measures.value import MeasureOf
from karat.resampling._sums import in_order_of
from karat.statistics import Counts, Summary
from karat.statistics.summary import same_cases, summaries_of

AT_ONCE = 1 << 21
"""Numbers of replicates held at a time."""
MOST_OF_CASES = 1 << 24
"""Numbers of single cases held at a time."""


PATTERNLESS = 3
"""Tables in which it is tried whether a measure sees a kind of case."""


class Exchanges:
    """A measure of two models, and of what they become when some cases exchange their predictions."""

    def __init__(
        self, first: Predictions, second: Predictions, measure: Measure | MeasureOf, cluster: Array | None = None
    ) -> None:
        _check_alike(first, second)
        self.first, self.second = first, second
        summary = Summary(first)
        if isinstance(measure, MeasureOf):
            self.measure_of, self.measure = measure, measure.measure
        else:
            refuse_unchosen(measure, summary)
            self.measure_of, self.measure = MeasureOf.on(measure, summary), measure
        if reason := self.measure_of.why_not(summary):
            raise InputError(f"{self.measure.symbol} is not available: {reason}.")
        # predictions need be exchanged only where the models differ: class after class, or in whole groups
        differ = np.flatnonzero(told_differently(first, second, self.measure_of))
        self.clustered = cluster is not None
        if cluster is None:
            self.cases = differ[in_order_of(first.truth[0][differ])]
            self.unit = np.arange(len(self.cases))
        else:
            there = np.zeros(int(cluster.max(initial=-1)) + 1, bool)
            there[cluster[differ]] = True
            self.cases = np.flatnonzero(there[cluster])
            self.unit = (np.cumsum(there) - 1)[cluster[self.cases]]

    @property
    def units(self) -> int:
        """How many cases, or groups, can be exchanged."""
        return int(self.unit.max(initial=-1)) + 1

    def values(self) -> tuple[float, float]:
        """Of the two models as they are."""
        return self._value(self.first), self._value(self.second)

    def of_drawn(self, replicates: int, rng: np.random.Generator) -> Array:
        """[2, replicates]: the measure of both after exchanging each case or not, by the toss of a coin."""
        if self._counted:
            kinds, _, size = self._kinds
            return self._of_tables((rng.binomial(size, 0.5, (b, len(size))) for b in self._blocks(replicates)), kinds)
        return self._of_masks(_coins(rng, b, self.units) for b in self._blocks(replicates))

    def of_all(self) -> Array:
        """[2, 2^units]: the measure of both after every exchange there is."""
        n = self.units
        if not n:
            return np.array(self.values())[:, None]
        masks = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)
        ends = np.cumsum([0, *self._blocks(len(masks))])
        parts = (masks[a:b] for a, b in pairwise(ends))
        if self._counted:
            kinds, kind, size = self._kinds
            member = (kind[:, None] == np.arange(len(size))).astype(float)
            return self._of_tables((product(part, member) for part in parts), kinds)
        return self._of_masks(parts)

    @cached
    def _counted(self) -> bool:
        """Can whole groups of cases be exchanged, truth and both decisions being all that matters?"""
        if not self.measure_of.counted or self.first.weight is not None or self.clustered:
            return False
        return len(self._kinds[0]) * self._cells <= MOST_OF_CASES

    @property
    def _cells(self) -> int:
        return len(self.first.classes) * len(self.first.outputs)

    def _of_masks(self, masks: Iterator[Array]) -> Array:
        kind = self.measure.statistic
        if kind.additive and not self.measure_of.of_score_tables and self._fits():
            return self._of_sums(masks)
        return self._of_cases(masks)

    def _fits(self) -> bool:
        """Can the statistic of every single case (or group) be held at once?"""
        if self._cells > MOST_OF_CASES:
            return False
        one = self.measure_of.statistic(Summary(self.first.take(np.zeros(1, int))))
        size = sum(int(np.size(getattr(one, f.name))) for f in fields(one))
        return size * self.units <= MOST_OF_CASES

    def _blocks(self, replicates: int) -> list[int]:
        """How many replicates to do at a time."""
        p = self.first
        if self._counted:
            width = self._cells
        else:
            width = p.n * (1 if p.scores is None else len(p.classes))
        size = max(1, AT_ONCE // max(width, len(self.cases), 1))
        return [min(size, replicates - start) for start in range(0, replicates, size)]

    @cached
    def _kinds(self) -> tuple[Array, Array, Array]:
        """(truth, first, second) of each kind of case, the kind of each case, and how many there are of each."""
        a, b = (p.decisions[0][self.cases] for p in (self.first, self.second))
        l = len(self.first.outputs)
        code = (self.first.truth[0][self.cases].astype(np.int64) * l + a) * l + b
        kinds, kind, size = np.unique(code, return_inverse=True, return_counts=True)
        return np.stack([kinds // l**2, kinds // l % l, kinds % l], axis=1), kind, size

    def _of_tables(self, swapped: Iterator[Array], kinds: Array) -> Array:
        """Counts add up: exchanging a case moves it along its row, in both tables."""
        k, l = len(self.first.classes), len(self.first.outputs)
        tables = [Counts.of_decisions(p).table.reshape(-1) for p in (self.first, self.second)]
        move = np.zeros((len(kinds), k * l))
        for column, sign in ((1, -1.0), (2, 1.0)):
            np.add.at(move, (np.arange(len(kinds)), kinds[:, 0] * l + kinds[:, column]), sign)
        values = []
        for numbers in swapped:
            moved = product(numbers, move)
            pair = (tables[0] + moved, tables[1] - moved)
            values.append([self._values(Counts(t.reshape(-1, k, l))) for t in pair])
        return np.concatenate(values, axis=1)

    def _of_sums(self, masks: Iterator[Array]) -> Array:
        """Statistics add up: one for each case, and one for all cases that are not exchanged. Both models get sums of
        what they have, not differences, so that what is empty stays exactly 0."""
        statistic = self.measure_of.statistic
        stays = np.delete(np.arange(self.first.n), self.cases)
        rest = statistic(Summary(self.first.take(stays))) if len(stays) else None
        each = [self._of_each_unit(p) for p in (self.first, self.second)]
        names = [f.name for f in fields(each[0])]
        shapes = [getattr(each[0], name).shape[1:] for name in names]
        flat = np.hstack([getattr(s, name).reshape(self.units, -1) for s in each for name in names])
        base = 0.0 if rest is None else np.hstack([np.ravel(getattr(rest, name)) for name in names])
        width = flat.shape[1] // 2
        ends = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        blocks = self._by_class(flat)
        values = []
        for mask in masks:
            kept, given = np.zeros((2, len(mask), 2 * width))
            for rows, columns, block in blocks:
                swapped = mask[:, rows].astype(float)
                given[:, columns] += product(swapped, block)
                kept[:, columns] += product(1 - swapped, block)
            both = []
            for mine, yours in ((slice(width), slice(width, None)), (slice(width, None), slice(width))):
                total = kept[:, mine] + given[:, yours] + base
                parts = zip(np.split(total, ends, axis=1), shapes, strict=True)
                sums = [np.ascontiguousarray(x).reshape(-1, *shape) for x, shape in parts]
                both.append(self._values(self.measure.statistic(*sums)))
            values.append(both)
        return np.concatenate(values, axis=1)

    def _of_each_unit(self, p: Predictions) -> Any:
        """The statistic of each unit: [units, ...]."""
        statistic = self.measure_of.statistic
        if not self.clustered:
            return statistic(Summary(p.each_alone(self.cases)))
        order = in_order_of(self.unit)
        parts = np.split(self.cases[order], np.cumsum(np.bincount(self.unit))[:-1])
        sums = [statistic(Summary(p.take(part))) for part in parts]
        names = [f.name for f in fields(sums[0])]
        return type(sums[0])(*(np.stack([np.asarray(getattr(one, name)) for one in sums]) for name in names))

    def _by_class(self, flat: Array) -> list[tuple[slice, Array, Array]]:
        """Cases of one class fill few columns: rows of the class, the columns that they fill, and what is there."""
        if self.clustered:
            return [(slice(None), np.arange(flat.shape[1]), flat)]
        ends = np.searchsorted(self.first.truth[0][self.cases], np.arange(len(self.first.classes) + 1))
        blocks = []
        for rows in (slice(a, b) for a, b in pairwise(ends.tolist()) if b > a):
            columns = np.flatnonzero(flat[rows].any(axis=0))
            blocks.append((rows, columns, np.ascontiguousarray(flat[rows][:, columns])))
        return blocks

    def _of_cases(self, masks: Iterator[Array]) -> Array:
        """Nothing adds up: the cases themselves are exchanged and evaluated again."""
        values: list[Any] = []
        for mask in masks:
            full = np.zeros((len(mask), self.first.n), bool)
            full[:, self.cases] = mask[:, self.unit]
            pair = [_exchanged(self.first, self.second, m) for m in (full, ~full)]
            if self.measure_of.of_score_tables or len(mask) * self._cells > MOST_OF_CASES:
                values.append([[self._value(p.one(i)) for i in range(len(mask))] for p in pair])
            else:
                values.append([self._values(self.measure_of.statistic(Summary(p))) for p in pair])
        return np.concatenate(values, axis=1)

    def _value(self, p: Predictions) -> float:
        return float(self._values(self.measure_of.statistic(Summary(p))))

    def _values(self, statistic: Any) -> Array:
        with np.errstate(all="ignore"):
            return self.measure_of.values(statistic)


def _coins(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """[rows, columns] of 0 or 1, eight tosses from each random byte."""
    return np.unpackbits(rng.integers(0, 256, (rows, -(-columns // 8)), dtype=np.uint8), axis=1, count=columns)


def _check_alike(a: Predictions, b: Predictions) -> None:
    models = {"the first model": Summary(a), "the second": Summary(b)}
    summaries_of(models)  # of the same classes
    same_cases(models)
    if a.outputs != b.outputs or a.positive != b.positive:
        raise InputError("the two models have different predicted labels or positive classes; give both the same.")
    kinds = [(p.scores is None, p.decided is None, p.probabilities, p.decides) for p in (a, b)]
    if kinds[0] != kinds[1]:
        raise InputError("one model has scores or predicted labels that the other lacks; give both of one kind.")


def told_differently(a: Predictions, b: Predictions, measure: MeasureOf) -> Array:
    """[n]: of which cases do two models tell the measure different things? One of decisions sees no scores, recall no
    cases of other classes, and none sees a case that weighs nothing."""
    if measure.counted:
        differ = _decided_differently(a, b, measure)
    else:
        differ = np.zeros(a.n, bool)
        if a.scores is not None and b.scores is not None:
            differ |= (a.scores != b.scores)[0].any(axis=1)
        if a.decided is not None and b.decided is not None:
            differ |= (a.decided != b.decided)[0]
    return differ if a.weight is None else differ & (a.weight[0] > 0)


def _decided_differently(a: Predictions, b: Predictions, measure: MeasureOf) -> Array:
    """The same of decisions: those that differ, and that the measure tells apart in tables without any pattern."""
    differ = np.asarray(a.decisions[0] != b.decisions[0])
    k, l = len(a.classes), len(a.outputs)
    place = np.flatnonzero(differ)
    code = (a.truth[0][place].astype(np.int64) * l + a.decisions[0][place]) * l + b.decisions[0][place]
    kinds, kind = np.unique(code, return_inverse=True)
    if not 0 < len(kinds) * k * l * PATTERNLESS <= AT_ONCE:
        return differ
    tables = np.random.default_rng(0).uniform(1, 2, (PATTERNLESS, 1, k, l))
    moved = np.repeat(tables, len(kinds), axis=1)
    at = np.arange(len(kinds))
    moved[:, at, kinds // l**2, kinds // l % l] -= 0.5
    moved[:, at, kinds // l**2, kinds % l] += 0.5
    with np.errstate(all="ignore"):
        before, after = (measure.values(Counts(x)) for x in (tables, moved))
    apart = ~(np.abs(after - before) <= TOLERANCE)
    told = apart.reshape(PATTERNLESS, len(kinds), -1).any(axis=(0, 2))
    differ[place] = told[kind]
    return differ


def largest_step(p: Predictions, measure: MeasureOf) -> float:
    """How much a measure of decisions changes at most if one case is decided otherwise; nan if it takes too many tables
    to tell, or has no value."""
    table = np.asarray(Counts.of_decisions(p).table, float).reshape(len(p.classes), len(p.outputs))
    row, old = np.nonzero(table >= 1)
    if len(row) * table.shape[1] * table.size > AT_ONCE:
        return math.nan
    row, old = (np.repeat(x, table.shape[1]) for x in (row, old))
    new = np.tile(np.arange(table.shape[1]), len(row) // table.shape[1])
    tables = np.repeat(table[None], len(row), axis=0)
    place = np.arange(len(row))
    tables[place, row, old] -= 1
    tables[place, row, new] += 1
    with np.errstate(all="ignore"):
        steps = np.abs(measure.values(Counts(tables)) - measure.values(Counts(table)))
    return float(np.max(steps, where=np.isfinite(steps), initial=0.0)) or math.nan


def _exchanged(a: Predictions, b: Predictions, mask: Array) -> Predictions:
    """[B, n] exchanges: the first model's predictions with some of the second's, which are of one kind."""
    size = len(mask)
    scores: Any = None if a.scores is None else np.where(mask[:, :, None], b.scores, a.scores)  # type: ignore[arg-type]
    decided: Any = None if a.decided is None else np.where(mask, b.decided, a.decided)  # type: ignore[arg-type]
    weight = None if a.weight is None else np.repeat(a.weight, size, axis=0)
    truth = np.repeat(a.truth, size, axis=0)
    extent = _joined(a.extent, b.extent)
    return replace(a, truth=truth, held=scores, decided=decided, weight=weight, extent=extent, lead=(size,))


def _joined(a: Extent | None, b: Extent | None) -> Extent | None:
    if a is None or b is None:
        return None
    given = a.given if a.given == b.given else None
    return Extent(min(a.low, b.low), max(a.high, b.high), max(a.uneven, b.uneven), a.negative or b.negative, given)
