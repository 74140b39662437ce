"""How much each case moves a measure. Bias, standard error and degrees of freedom of any measure follow from leaving
out its units in turn (Quenouille 1956, Tukey 1958; Efron & Stein 1981): a case, a few cases drawn together where there
are many, or a whole group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import PRIOR, Measure
from karat.measures.value import MeasureOf
from karat.resampling._sums import in_order_of
from karat.resampling.confusion_tables import jackknife_tables, measures_of_cells, measures_of_tables
from karat.resampling.draws import Deletions, Resampling, blocks, effective_groups, stream
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Counts, Pairs, ScoreTable, Summary
from karat.statistics.counts import SparseCounts

UNITS = 200
"""So many units are left out in turn; with more cases each unit is a random handful of them."""
CELLS = 2500
"""So many cells of a table may lose a case in turn; of more, random groups of cases are left out."""
AT_MOST = 1 << 25
"""Cells of all those tables together: of large ones there are fewer, but never fewer than UNITS."""
ROUNDING = 1e-10
"""The share of a value below which its standard error is that of the computer's numbers."""
LAST_DIGITS = 64 * float(np.finfo(float).eps)
"""The share of a value that rounding may change."""
LEAST_FREE = 2.0
"""Degrees of freedom, however much of the variance few cases make."""
LONELY = 0.3
"""Degrees of freedom of a class with one case, which tells almost nothing of how its cases vary."""


@dataclass(frozen=True, eq=False)
class Influence:
    """What each unit adds to a measure (first order), around 0."""

    value: float
    moves: Array
    """[units]: the measure with the unit less that without it, scaled so that they add up to minus the bias"""
    shares: Array
    """[units]: of the cases, those in one such unit"""
    times: Array
    """[units]: how many such units there are"""
    stratum: Array
    """[units]: the class of a unit's cases, where they are of one"""
    fixed: bool = False
    """are the numbers of cases of each stratum fixed?"""
    unseen: float = 0.0
    """variance added for what no case showed"""
    balanced: bool = True
    """does a unit that is left out leave the frequencies of fixed strata as they are, or do they not matter?"""
    most_free: float = math.inf
    """degrees of freedom of as many equal groups as unequal ones tell as much as"""

    @classmethod
    def of(cls, value: float, left_out: Array, units: Units, balanced: bool = True) -> Influence:
        """From the values of the measure without each unit."""
        within = units.fixed and balanced
        moves = (value - left_out) * (1 - (units.shares / units.stratum_shares if within else units.shares))
        of_units = (units.shares, units.times, units.stratum, units.fixed)
        return cls(value, moves, *of_units, balanced=balanced)

    def __sub__(self, other: Influence) -> Influence:
        """Of the difference of two models on the same cases, whose units are the same."""
        of_both = (
            self.shares,
            self.times,
            self.stratum,
            self.fixed,
            self.unseen + other.unseen,
            self.balanced,
            self.most_free,
        )
        return Influence(self.value - other.value, self.moves - other.moves, *of_both)

    @property
    def known(self) -> bool:
        """Has the measure a value without any of the units, and are there two or more?"""
        return bool(np.isfinite(self.moves).all() and self.times.sum() > 1)

    @property
    def bias(self) -> float:
        """How much too large the measure is on average, at so many cases. It is not known, and taken for 0, where a
        case less changes frequencies that are fixed, and where rounding of the value could make as much of it."""
        if self.fixed and not self.balanced:
            return 0.0
        bias = -float(self.times @ self.moves)
        rounding = LAST_DIGITS * max(abs(self.value), 1.0) * float(self.times.sum())  # of each unit, all may add up
        return 0.0 if abs(bias) <= rounding else bias

    @property
    def centred(self) -> Array:
        """[units]: the moves around their mean; around that of each stratum where the strata are fixed."""
        if not self.fixed:
            return np.asarray(self.moves - self.shares * float(self.times @ self.moves))
        return np.asarray(self.moves - self.shares * (self._by_stratum(self.moves) / self._by_stratum(self.shares)))

    @property
    def squares(self) -> Array:
        """[units]: what each kind of unit adds to the variance."""
        return np.asarray(self.times * self.centred**2)

    def _by_stratum(self, x: Array) -> Array:
        """[units]: the sum of x over the stratum of each unit."""
        return np.asarray(np.bincount(self.stratum, self.times * x)[self.stratum])

    @property
    def error(self) -> float:
        """The standard error; nan where a fixed stratum has a single unit."""
        squares, units = self.squares, float(self.times.sum())
        if not self.fixed:
            return self._beyond_rounding(float(squares.sum()) * units / (units - 1) + self.unseen)
        of_each = np.bincount(self.stratum, self.times)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(of_each > 1, of_each / (of_each - 1), np.nan)
        alone = np.bincount(self.stratum, squares)
        return self._beyond_rounding(float((alone * factor)[of_each > 0].sum()) + self.unseen)

    def _beyond_rounding(self, variance: float) -> float:
        """Its root, or 0 where all units add the same but for rounding."""
        error = math.sqrt(variance)
        return 0.0 if error <= max(ROUNDING * abs(self.value), LAST_DIGITS) else error

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the standard error: where few cases, or those of one class, make most of the variance,
        they count, not all."""
        total = float(self.times.sum())
        if not (carriers := self.carriers):
            return min(total - 1, self.most_free)
        heaviness = total / carriers  # the kurtosis: of a normal distribution 3, with which this is the number of units
        by_carriers = max(2 * total / max(heaviness - 1, 1e-9), LEAST_FREE)
        return min(self.freedom_by_class, by_carriers, total - 1, self.most_free)

    @property
    def freedom_by_class(self) -> float:
        """The same, as far as single classes make most of the variance (Satterthwaite 1946, Welch 1947)."""
        squares = np.bincount(self.stratum, self.squares)
        units = np.bincount(self.stratum, self.times)
        there = squares > 0
        if not there.any():
            return float(self.times.sum()) - 1
        below = float((squares[there] ** 2 / np.maximum(units[there] - 1, LONELY)).sum())
        return float(squares.sum()) ** 2 / below

    @property
    def carriers(self) -> float:
        """How many units carry the variance: all of them if each adds as much, one if a single one adds all."""
        squares = self.centred**2
        fourth = float(self.times @ squares**2)
        return float(self.times @ squares) ** 2 / fourth if fourth > 0 else 0.0

    @property
    def cubes(self) -> float:
        """The third moment of a mean of so many units."""
        return float(self.times @ self.centred**3)

    @property
    def acceleration(self) -> float:
        """A sixth of the skewness of the units' moves: how fast the standard error changes with the value."""
        x = self.centred
        squares = float(self.times @ x**2)
        return 0.0 if squares <= 1e-300 else float(self.times @ x**3) / (6 * squares**1.5)


@dataclass(frozen=True, eq=False)
class Units:
    """What is left out in turn."""

    shares: Array
    times: Array
    stratum: Array
    fixed: bool

    @property
    def stratum_shares(self) -> Array:
        """[units]: the share of the cases that are in the stratum of each unit."""
        return np.asarray(np.bincount(self.stratum, self.times * self.shares)[self.stratum])


def influences(
    wanted: list[MeasureOf],
    values: Iterable[float],
    replicates: Replicates,
    resampling: Resampling,
    cluster: Array | None,
) -> dict[str, Influence]:
    """Of each measure, from the cases (or groups of them) that are left out."""
    out = deletions(replicates, resampling, cluster)
    shares = np.bincount(out.group, minlength=out.rows) / out.cases
    if cluster is not None:  # every group is one draw, whatever its size
        shares = np.full(out.rows, 1 / out.rows)
    units = Units(shares, np.ones(out.rows), out.stratum, resampling.stratified)
    two = len(replicates.p.classes) == 2
    kept = [m for m in wanted if two and units.fixed and cluster is None and m.of_score_tables and m.place is not None]
    left = values_in_replicates([m for m in wanted if m not in kept], replicates, out, resampling.workers)
    left |= _with_frequencies(kept, replicates, out)
    most_free = math.inf if cluster is None else effective_groups(cluster) - 1
    return {
        m.key: replace(
            # pairs of two classes are all of one kind, so that frequencies do not matter
            Influence.of(
                value, left[m.key], units, PRIOR in m.measure.invariant or (two and m.kind is Pairs) or m in kept
            ),
            most_free=most_free,
        )
        for m, value in zip(wanted, values, strict=True)
    }


def _with_frequencies(wanted: list[MeasureOf], replicates: Replicates, out: Deletions) -> dict[str, Array]:
    """Of measures of the score table of one of two classes: without each unit, the other cases of its class counting so
    much more that the frequencies stay."""
    left: dict[str, list[Array]] = {m.key: [] for m in wanted}
    for part in blocks(out.rows, out.cases) if wanted else ():
        counts = out.counts(part)
        for m in wanted:
            assert m.place is not None
            table = replicates.table_of_class(m.place, counts)
            sums = replicates.table_of_class(m.place, np.ones_like(counts[:1])).weight.sum(axis=-1)
            kept = table.weight * (sums / table.weight.sum(axis=-1))[..., None]
            with np.errstate(all="ignore"):
                left[m.key].append(m.values(ScoreTable(table.scores, kept, table.own)))
    return {key: np.concatenate(values) for key, values in left.items()}


def influences_of(
    summary: Summary,
    wanted: list[MeasureOf],
    values: Iterable[float],
    resampling: Resampling,
    cluster: Array | None,
) -> dict[str, Influence]:
    """The same, remembered: intervals and comparisons of one seed leave out the same cases."""
    p = summary.source.cases
    assert p is not None
    known: dict[Any, tuple[Measure, Influence]] = summary.computed.setdefault(Influence, {})
    drawn = (resampling.seed, resampling.stratified, None if cluster is None else cluster.tobytes())
    keys = {m.key: (id(m.measure), m.place, *drawn) for m in wanted}
    missing = [(m, value) for m, value in zip(wanted, values, strict=True) if keys[m.key] not in known]
    if missing:
        measures, of_them = zip(*missing, strict=True)
        found = influences(list(measures), of_them, Replicates(p), resampling, cluster)
        known |= {keys[m.key]: (m.measure, found[m.key]) for m in measures}
    return {m.key: known[keys[m.key]][1] for m in wanted}


def deletions(replicates: Replicates, resampling: Resampling, cluster: Array | None) -> Deletions:
    """The units that are left out of these cases: the same of all models, however each has its cases arranged."""
    seed, order = resampling.seed, replicates.order
    if cluster is not None:
        return Deletions.of((int(cluster.max()) + 1,), UNITS, seed, cluster[order])
    by_class = in_order_of(replicates.p.truth[0])
    if resampling.stratified:
        out = Deletions.of(tuple(int(x) for x in np.diff(replicates.starts)), UNITS, seed)
    else:
        out = Deletions.of_classes(replicates.p.truth[0][by_class], UNITS, seed)
    group = np.empty_like(out.group)
    group[by_class] = out.group
    return replace(out, group=group[order])


def influences_of_table(
    wanted: list[MeasureOf], values: Iterable[float], counts: Counts, resampling: Resampling
) -> dict[str, Influence]:
    """The same of measures of a confusion table, cell by cell, with the variance of what no case showed."""
    known = dict(zip((m.key for m in wanted), values, strict=True))
    if isinstance(counts, SparseCounts):
        return _of_sparse(wanted, known, counts, resampling)
    table = counts.table
    most = max(UNITS, min(CELLS, AT_MOST // table.size))
    tables, times, row = jackknife_tables(table, most, resampling.seed, by_row=resampling.stratified)
    left = measures_of_tables(wanted, _with_row_sums(tables, table) if resampling.stratified else tables)
    units = Units(np.full(len(times), 1 / float(times.sum())), times, row, resampling.stratified)
    unseen = _unseen(wanted, known, table, resampling.seed)
    return {m.key: replace(Influence.of(known[m.key], left[m.key], units), unseen=unseen[m.key]) for m in wanted}


def _with_row_sums(tables: Iterable[Array], table: Array) -> Iterator[Array]:
    """The same tables with as many cases in each row as this one has: its rows are fixed."""
    rows = table.sum(axis=1)
    for some in tables:
        sums = some.sum(axis=2)
        yield some * np.divide(rows, sums, out=np.zeros_like(sums), where=sums > 0)[..., None]


def _of_sparse(
    wanted: list[MeasureOf], known: dict[str, float], counts: SparseCounts, resampling: Resampling
) -> dict[str, Influence]:
    """Of very many classes: without random groups of the cases."""
    if resampling.stratified:
        raise InputError("with so many classes stratified intervals are not available; leave out stratified.")
    cell = np.repeat(np.arange(len(counts.values)), counts.values.astype(np.int64))
    out = Deletions.of((len(cell),), UNITS, resampling.seed)
    lost = (np.bincount(cell[out.group == g], minlength=len(counts.values)) for g in range(out.rows))
    left = measures_of_cells(wanted, counts, (counts.values - x for x in lost))
    units = Units(np.full(out.rows, 1 / out.rows), np.ones(out.rows), out.stratum, False)
    return {m.key: Influence.of(known[m.key], left[m.key], units) for m in wanted}


def _unseen(wanted: list[MeasureOf], values: dict[str, float], table: Array, seed: int) -> dict[str, float]:
    """The variance that classes add of which every case, or none, was decided rightly: as much as if one case had been
    decided otherwise. Leaving out cases can't show it, for they are all alike. Of large tables it is taken of some of
    these classes, and some of the other decisions, at random."""
    k = min(table.shape)
    right, cases = np.diagonal(table), table.sum(axis=1)[:k]
    rows = np.flatnonzero((cases > 0) & ((right == cases) | (right == 0)))
    affordable = max(AT_MOST // 8 // table.size, 1)
    rng = stream(seed, 1 << 27)
    some = rows if len(rows) <= affordable else rng.choice(rows, affordable, replace=False)
    added = dict.fromkeys((m.key for m in wanted), 0.0)
    for row in some.tolist():
        if right[row]:
            moves = [(row, column) for column in range(k) if column != row]
        else:
            moves = [(column, row) for column in np.flatnonzero(table[row]).tolist()]
        if len(moves) * len(some) > affordable:
            moves = [moves[i] for i in rng.choice(len(moves), max(affordable // len(some), 1), replace=False)]
        others = np.repeat(table[None], len(moves), axis=0)
        for other, (old, new) in zip(others, moves, strict=True):
            part = min(1.0, float(other[row, old]))
            other[row, old] -= part
            other[row, new] += part
        for key, moved in measures_of_tables(wanted, [others]).items():
            apart = (moved - values[key]) ** 2
            if np.isfinite(apart).any():
                added[key] += float(apart[np.isfinite(apart)].mean()) * len(rows) / len(some)
    return added
