"""Statistics that were added up, part by part, with no cases behind them: the same interface as predictions have."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError, option
from karat.core.statistic import Needs, Statistic
from karat.data import Predictions
from karat.statistics.bins import ClassBins, ConfidenceBins
from karat.statistics.case_blocks import CaseBlocks
from karat.statistics.counts import Binary, Counts, SparseCounts
from karat.statistics.order import Margins, Pairs, Segments
from karat.statistics.probability_sums import Certainty, ColumnLosses, LossSums, ProbabilitySums
from karat.statistics.scans import FLOOR
from karat.statistics.score_grid import TIED, ScoreGrid, margins_won, mirrored, pairs_won
from karat.statistics.score_table import ScoreTable

LEAST = 2.0**-52
"""The least probability that log loss counts, as scikit-learn's does."""
FINE_BINS = 120
"""Bins that are kept: 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40 and 60 can be made of them."""
NOT_KEPT = "it needs all cases at once, and only sums of them were kept"


def keep_rows() -> str:
    """What to do where the cases are needed.

    >>> keep_rows()
    'keep the rows (exact=True)'
    """
    word = option("exact")
    return f"keep the rows ({word}True)" if word.endswith("=") else f"keep the rows ({word})"


def needs_cases(what: str, added: AddedStatistics | None = None) -> str:
    """A sentence about something that added statistics don't give; `added` are these, because where only the most
    probable classes are listed, rows can't be kept."""
    if added is not None and added.top:
        return f"{what} needs the cases, and only sums of listed classes are kept; give the probability of every class"
    return f"{what} needs the cases, and only sums of them were kept; {keep_rows()}"


Sums = dict[tuple[Any, ...], Statistic]
"""Statistics by their kind and parameters."""


@dataclass(frozen=True, eq=False)
class WeightSums(Statistic):
    """[k] each, of the cases of each class: their number (without those of weight 0), their weight, the sum of its
    squares, the largest of them."""

    needs = Needs.DECISIONS
    cases: Array
    total: Array
    squares: Array
    heaviest: Array

    @classmethod
    def of(cls, predictions: Predictions, **parameters: Any) -> WeightSums:
        """Of some predictions."""
        p = predictions
        k, truth = len(p.classes), p.truth[0]
        w = np.ones(len(truth)) if p.weight is None else np.asarray(p.weight[0], float)
        heaviest = np.zeros(k)
        np.maximum.at(heaviest, truth, w)
        cases, total, squares = (np.bincount(truth, x, k).astype(float) for x in (w > 0, w, w * w))
        return cls(cases, total, squares, heaviest)

    @classmethod
    def of_ones(cls, cases: Array) -> WeightSums:
        """Of cases without weights."""
        return cls(cases, cases, cases, (cases > 0).astype(float))

    def __add__(self, other: WeightSums) -> WeightSums:
        heaviest = np.maximum(self.heaviest, other.heaviest)
        return WeightSums(self.cases + other.cases, self.total + other.total, self.squares + other.squares, heaviest)


def sums_of(p: Predictions) -> Sums:
    """The statistics of some predictions that are kept of them."""
    kinds: list[tuple[type[Statistic], dict[str, Any]]] = [(Counts, {})] if p.decides else []
    if p.scores is not None and p.probabilities:
        kinds += [(ProbabilitySums, {}), (LossSums, {"eps": FLOOR}), (LossSums, {"eps": LEAST})]
        kinds += [(ConfidenceBins, {"bins": FINE_BINS}), (ClassBins, {"bins": FINE_BINS})]
        kinds += [(Certainty, {}), (ColumnLosses, {})]
    kinds.append((WeightSums, {}))
    return {(kind, *given.items()): kind.of(p, **given) for kind, given in kinds}


def added(one: Sums, other: Sums) -> Sums:
    """The statistics of both parts together."""
    return {key: statistic + other[key] for key, statistic in one.items()}


def all_added(parts: Sequence[Sums]) -> Sums:
    """The statistics of many parts together, added up two and two, so that rounding errors stay small."""
    return {key: _sum_of([sums[key] for sums in parts]) for key in parts[0]}


def _sum_of(statistics: list[Any]) -> Any:
    kind = type(statistics[0])
    if kind.__add__ is not Statistic.__add__:
        return reduce(operator.add, statistics)

    def added_up(x: Array) -> Array:
        while len(x) > 1:
            x = np.concatenate([x[:-1:2] + x[1::2], x[len(x) & ~1 :]])
        return np.asarray(x[0])

    return kind(*(added_up(np.stack([getattr(one, f.name) for one in statistics])) for f in fields(kind)))


class Company(NamedTuple):
    """Models whose predictions of the same cases were taken in together."""

    name: str
    """of this one"""
    only_right: Mapping[tuple[str, str], int]
    """(one, other): on how many cases the first is right and the second is wrong"""


class GroupCells(NamedTuple):
    """What is known of each combination of groups that the cases are in."""

    columns: Mapping[str, Array]
    """name: the group of each combination"""
    cases: Array
    """of each combination"""
    joined: Callable[[Sequence[int]], Any]
    """some of them together, by their places"""


class Order(Protocol):
    """The order of the scores of two classes that mirror each other, without rows."""

    @property
    def whole(self) -> bool: ...  # are all scores known, too?

    @property
    def won(self) -> float: ...  # pairs in which the case of the class has the higher score
    @property
    def gained(self) -> float: ...  # by how much in all
    @property
    def refinement(self) -> float: ...  # sum w f (1 - f) over groups of equal scores

    def table(self) -> ScoreTable:
        """All scores, with a row for each class; made anew each time."""


@dataclass(frozen=True)
class OrderSums:
    """What is known of the order of all scores where they themselves were too many to be kept."""

    won: float
    gained: float
    refinement: float
    whole = False

    def table(self) -> ScoreTable:
        """None was kept: cells have to do."""
        raise InputError(f"{needs_cases('the table of all scores')}.")


@dataclass(frozen=True, eq=False)
class AddedStatistics:
    """What is left of predictions once their statistics were added up."""

    classes: tuple[Any, ...]
    outputs: tuple[Any, ...]
    positive: int | None
    probabilities: bool
    n: int
    """number of cases"""
    weighted: bool
    sums: Sums
    grids: tuple[ScoreGrid, ...] = ()
    """of each class's column; of two classes whose probabilities mirror each other, that of the second alone"""
    order: Order | None = None
    """what is known of the order of all scores, if all were kept; None: what the grids tell"""
    view: str = TIED
    """what is supposed of cases in one cell of a grid"""
    given_decisions: bool = False
    decreed: bool = False
    blocks: CaseBlocks | None = None
    """statistics of random blocks of the cases, if they were asked for"""
    identified: bool = False
    """have cases their blocks by their ids? else by their numbers"""
    company: Company | None = None
    """what is known of these cases and of other models together"""
    cells: GroupCells | None = None
    """what is known of groups of the cases, if they were asked for"""
    top: str = ""
    """what was supposed of other classes, if probabilities of the most probable ones alone were given"""
    cases: None = field(default=None, init=False)
    table: None = field(default=None, init=False)

    whole = True

    @property
    def kind(self) -> str:
        """What was given, in words."""
        if self.top:
            return f"probabilities of the most probable classes ({self.top}; rows were not kept)"
        given = "probabilities" if self.probabilities else "predicted labels"
        return f"{given} (added up; rows were not kept)"

    @property
    def added(self) -> AddedStatistics:
        """These."""
        return self

    @property
    def class_weight(self) -> Array:
        """[k]: the weight of the cases of each class."""
        return np.asarray(self._known(Counts).weight)

    @property
    def weight(self) -> Array | None:
        """None if cases had no weights; those that they had were not kept."""
        return np.empty((1, 0)) if self.weighted else None

    @property
    def weights(self) -> WeightSums:
        """What is known of the weights."""
        return self._known(WeightSums) if self._has(WeightSums) else WeightSums.of_ones(self.class_weight)

    @property
    def mirrored(self) -> bool:
        """Has it probabilities of two classes, so that one column tells all?"""
        return len(self.classes) == 2 and bool(self.grids)

    @property
    def decided(self) -> Array | None:
        """None if the most probable class was predicted; what else was, was not kept."""
        return np.empty((1, 0), np.int32) if self.given_decisions else None

    @property
    def rejected(self) -> int | float:
        """Number of rejected cases: no class was predicted."""
        rejected = float(self._known(Counts).decided[len(self.classes) :].sum())
        return int(rejected) if rejected.is_integer() else rejected

    def lacks(self, needs: Needs) -> str:
        """Why a statistic that needs this is not available; empty if it is."""
        if needs is Needs.DECISIONS or (self.probabilities and not self.top):
            return ""
        if self.top:
            return "it needs the probability of every class, and those of the most probable ones were given"
        return f"it needs {needs.name.lower()}, and only predicted labels were given"

    def lacks_statistic(self, kind: type[Statistic]) -> str:
        """Why a statistic can't be had of what was kept; empty if it can."""
        kind = Counts if kind is Binary else kind
        if self._has(kind):
            return ""
        if lacking := self.lacks(kind.needs):
            return lacking
        made = kind in MADE and (kind is not Segments or self._has(ColumnLosses))
        if self.grids and (made or issubclass(kind, ScoreTable)):
            return ""
        return needs_cases("it", self) if self.top else f"{NOT_KEPT}; {keep_rows()}"

    def seen_as(self, view: str) -> AddedStatistics:
        """The same, cases in one cell being supposed to be ordered otherwise."""
        return replace(self, view=view)

    def with_classes_times(self, factor: Array) -> AddedStatistics:
        """The same with the weight of the cases of each class times a factor [k]."""
        scaled = {key: _scaled(statistic, factor) for key, statistic in self.sums.items()}
        kept = {key: statistic for key, statistic in scaled.items() if statistic is not None}
        kept[WeightSums,] = _scaled(self.weights, factor)
        grids = tuple(replace(g, weight=g.weight * factor[:, None]) for g in self.grids)
        gone: dict[str, Any] = {"blocks": None, "company": None, "cells": None, "order": None}
        return replace(self, sums=kept, grids=grids, weighted=True, decreed=True, **gone)

    def statistic(self, kind: type[Any], parameters: dict[str, Any]) -> Any:
        """The statistic, from what was kept."""
        known = self.sums.get((kind, *(kind.parameters | parameters).items()))
        if known is not None:
            return known
        if kind in (ConfidenceBins, ClassBins) and self._has(kind):
            return _joined_bins(self._known(kind), **(kind.parameters | parameters))
        if kind in MADE and not any(parameters.values()):
            return MADE[kind](self)
        if self.lacks_statistic(kind):
            raise InputError(f"{kind.__name__} is not available: {self.lacks_statistic(kind)}.")
        given = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
        raise InputError(f"this was not kept for {given}: only sums of the cases were; {keep_rows()}.")

    def tables(self) -> list[ScoreTable]:
        """The score table of each class, with a row for every class."""
        tables = [self.order.table()] if self.order is not None and self.order.whole else self.grid_tables
        if len(tables) == len(self.classes):
            return tables
        # the other class of two is ordered the other way round, so that what is best for one is best for both
        both = [mirrored(tables[0]), tables[0]]
        return both if tables[0].own else both[::-1]

    @cached
    def grid_tables(self) -> list[ScoreTable]:
        """The score table of each grid."""
        return [grid.table(self.view) for grid in self.grids]

    @property
    def tells_confidence(self) -> bool:
        """Is it known how probable the predicted class of each case was?"""
        return self.mirrored and not self.given_decisions

    def confidence_table(self) -> ScoreTable:
        """Cases of two classes by the higher of their probabilities; row 1 holds those whose more probable class is
        the true one. Cells of both classes are put where their lowest confidence is."""
        if not self.tells_confidence:
            raise InputError(f"{needs_cases('the confidence of predictions')}.")
        grid = self.grids[-1]
        (low, high), own = grid.ends, grid.weight[grid.own]
        rest = grid.weight[1 - grid.own]
        leads = (low + high) / 2 > 0.5
        if grid.own == 0:  # of two equal probabilities that of the first class leads
            leads |= (low == 0.5) & (high == 0.5)
        scores, place = np.unique(np.where(leads, low, 1 - high), return_inverse=True)
        right, wrong = (np.bincount(place, x) for x in (np.where(leads, own, rest), np.where(leads, rest, own)))
        return ScoreTable(scores, np.stack([wrong, right]), 1)

    def cell_cases(self) -> Predictions | None:
        """Of two classes: one case for each class in each cell, weighted by what it stands for, at the middle of the
        cell. None of others, whose columns are not known together."""
        if not self.mirrored:
            return None
        grid, k = self.grids[-1], len(self.classes)
        low, high = grid.ends
        middle = np.where(low == high, low, low + (high - low) / 2)
        truth, cell = np.nonzero(grid.weight > 0)
        held = np.empty((1, len(cell), k))
        held[0, :, grid.own] = middle[cell]
        held[0, :, 1 - grid.own] = 1 - middle[cell]
        named: dict[str, Any] = {"classes": self.classes, "outputs": self.classes, "positive": self.positive}
        weight = grid.weight[truth, cell][None]
        return Predictions(truth=truth[None].astype(np.int32), held=held, weight=weight, **named)

    @property
    def exact(self) -> bool:
        """Is nothing of the order of the scores lost?"""
        return (self.order is not None and self.order.whole) or all(grid.exact for grid in self.grids)

    def exactly(self, kind: type[Statistic]) -> bool:
        """Is a statistic of the order of the scores known exactly?"""
        return self.exact or (self.order is not None and kind in (Pairs, Margins, Segments))

    def of_blocks(self, kind: type[Any], parameters: dict[str, Any], times: Array) -> Any:
        """The statistic of each row of times [R, blocks], how often each block of cases counts; of score tables those
        of all classes."""
        assert self.blocks is not None
        return self.blocks.weighted(kind, parameters, times, _joined_bins)

    def _has(self, kind: type[Statistic]) -> bool:
        return any(kind is key[0] for key in self.sums)

    def _known(self, kind: type[Any]) -> Any:
        return next(statistic for key, statistic in self.sums.items() if key[0] is kind)

    def segments(self) -> Segments:
        """The groups of equal scores: what is not in their refinement is in their deviation."""
        known = self.order
        refinement = np.array([g.refinement(self.view) if known is None else known.refinement for g in self.grids])
        if len(refinement) < len(self.classes):
            refinement = np.repeat(refinement, 2)
        loss = self._known(ColumnLosses).squares
        return Segments(loss - refinement, refinement, self._known(ProbabilitySums).weight)

    def certainty(self) -> Certainty:
        """Of two classes whose probabilities mirror each other."""
        table = self.tables()[1]
        p, q = table.scores, 1 - table.scores
        length = np.sqrt(p * p + q * q)
        wrong = np.where(p > q, p, 0.0), np.where(p > q, 0.0, q)
        misplaced, spherical = ([float(w @ x) for w, x in zip(table.weight, two, strict=True)]
                                for two in (wrong, (q / length, p / length)))  # fmt: skip
        return Certainty(np.array(misplaced), np.array(spherical), self._known(ProbabilitySums).weight)


def _scaled(statistic: Any, factor: Array) -> Any:
    """A statistic with its rows of classes times a factor; None if it does not keep classes apart."""
    if isinstance(statistic, WeightSums):
        s = statistic
        return WeightSums(s.cases, s.total * factor, s.squares * factor**2, s.heaviest * factor)
    if isinstance(statistic, SparseCounts):
        c = statistic
        return SparseCounts(c.rows, c.columns, c.values * factor[c.rows], c.size)
    if isinstance(statistic, Counts):
        return Counts(statistic.table * factor[:, None])
    if isinstance(statistic, ProbabilitySums):
        return ProbabilitySums(statistic.sums * factor[:, None], statistic.weight * factor)
    if isinstance(statistic, Certainty):
        return Certainty(*(x * factor for x in (statistic.misplaced, statistic.spherical, statistic.weight)))
    if isinstance(statistic, LossSums):
        return LossSums(*(x * factor for x in (statistic.squares, statistic.logs, statistic.weight)))
    return None


def _joined_bins(fine: Any, bins: int) -> Any:
    """Wider bins, of those that were kept."""
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1 or FINE_BINS % bins:
        choices = [b for b in range(1, FINE_BINS + 1) if FINE_BINS % b == 0]
        raise InputError(
            f"bins is {bins!r}, and of cases that were added up {FINE_BINS} bins were kept; choose one of {choices}."
        )

    def wide(x: Array) -> Array:
        return np.asarray(x.reshape(*x.shape[:-1], bins, FINE_BINS // bins).sum(axis=-1))

    return type(fine)(wide(fine.weight), wide(fine.forecast), wide(fine.hits))


def _class_weight(source: AddedStatistics) -> Array:
    return np.asarray(source.grids[0].weight.sum(axis=1))


def _of_two(both: float) -> Array:
    """A table of pairs of two classes whose scores mirror each other."""
    return np.array([[0.0, both], [both, 0.0]])


MADE: dict[type[Statistic], Callable[[AddedStatistics], Statistic]] = {
    Pairs: lambda s: Pairs(_of_two(s.order.won) if s.order else pairs_won(s.grid_tables), _class_weight(s)),
    Margins: lambda s: Margins(_of_two(s.order.gained) if s.order else margins_won(s.grid_tables), _class_weight(s)),
    Segments: AddedStatistics.segments,
    Certainty: AddedStatistics.certainty,
}
"""Statistics that are made of the grids, and how."""
