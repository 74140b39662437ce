"""Where is the loss highest? Conjunctions of conditions on up to three attributes, scored on the cases that search.

All conjunctions of one and of two attributes are looked at; of three, those that narrow the best slice of every two
attributes. A slice is scored by how unlikely its mean loss is if its cases were drawn at random (Cramer's rate of large
deviations: of errors the log-likelihood ratio), twice, less twice the logarithm of the number of slices of as many
attributes: a longer description has to be worth it. When the best is found its cases are put aside, and the search goes
on among the others, so that no slice is a variant of an earlier one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.slices.attributes import Attribute

MOST_SLICES = 10
"""So many are brought to be valued: each more makes the others harder to claim."""
CHANCE = 20.0
"""The search ends where more slices than this would score as high if the loss had nothing to do with the attributes."""
NARROWED = 40
"""So many slices of two attributes are narrowed by a third."""

TILTS = np.concatenate([[0.0], np.geomspace(1e-3, 60.0, 240)])
"""Of the distribution of the losses, in units of their standard deviation."""
ROUNDING = 1e-12
MOST_VALUES = 512
"""Different losses that are told apart where it is asked how unlikely a mean is."""

Run = tuple[int, int]


class Candidate(NamedTuple):
    """A slice: places of attributes, and the run of cells of each."""

    conditions: tuple[tuple[int, Run], ...]
    score: float

    def holds(self, attributes: list[Attribute]) -> Array:
        """[n]: which cases meet all conditions?"""
        return reduce(np.logical_and, (attributes[a].holds(run) for a, run in self.conditions))

    def said(self, attributes: list[Attribute]) -> str:
        """In words."""
        return " and ".join(attributes[a].said(run) for a, run in self.conditions)


@dataclass(frozen=True, eq=False)
class Losses:
    """The loss and the weight of each case that searches."""

    loss: Array
    weight: Array | None = None

    @property
    def counted(self) -> bool:
        """Are they errors, each counted once?"""
        return self.weight is None and bool(((self.loss == 0) | (self.loss == 1)).all())

    def of(self, at: Array) -> Losses:
        """Of some cases."""
        return Losses(self.loss[at], None if self.weight is None else self.weight[at])

    @property
    def sums(self) -> list[Array | None]:
        """What is added up in each cell: cases, weights, weighted losses and squared weights (None: ones)."""
        w = self.weight
        return [None, w, self.loss if w is None else w * self.loss, None if w is None else w**2]


@dataclass(frozen=True, eq=False)
class Rate:
    """How unlikely a mean above that of all cases is, for each case drawn at random: minus the logarithm of the chance
    (Cramer 1938)."""

    mean: float
    means: Array
    """ascending: of tilted distributions"""
    rates: Array
    """of these means"""
    steepest: float
    """by how much the rate grows beyond the last"""

    @classmethod
    def of(cls, losses: Losses) -> Rate | None:
        """From the losses of all cases; None if they do not vary."""
        x, w = losses.loss, losses.weight
        if not len(x) or x.min() == x.max():
            return None
        values, place = np.unique(x, return_inverse=True)
        if len(values) > MOST_VALUES:  # a finer distribution tells no more
            place = np.minimum(np.argsort(np.argsort(x, kind="stable")) * MOST_VALUES // len(x), MOST_VALUES - 1)
            values = np.bincount(place, x * (1 if w is None else w)) / np.bincount(place, w)
        share = np.bincount(place.ravel(), w, len(values)).astype(float)
        share /= share.sum()
        mean = float(share @ values)
        spread = math.sqrt(float(share @ (values - mean) ** 2))
        z = (values - mean) / spread
        tilted = TILTS[:, None] * z
        most = tilted.max(axis=1, keepdims=True)
        with np.errstate(under="ignore"):
            mass = share * np.exp(tilted - most)
        total = mass.sum(axis=1)
        at = mass @ z / total
        rates = np.maximum(TILTS * at - np.log(total) - most[:, 0], 0.0)
        return cls(mean, mean + spread * at, rates, float(TILTS[-1] / spread))

    def __call__(self, mean: Array) -> Array:
        """Of means of at least that of all cases."""
        beyond = np.maximum(mean - self.means[-1], 0.0)
        return np.asarray(np.interp(mean, self.means, self.rates) + self.steepest * beyond)


def slices_in_turn(attributes: list[Attribute], losses: Losses, depth: int, fewest: int) -> Iterator[Candidate]:
    """The weakest slice, the weakest of the cases outside it, and so on."""
    left = np.arange(len(losses.loss))
    for _ in range(MOST_SLICES):
        cells = [a.cell[left] for a in attributes]
        best = _Search(attributes, cells, losses.of(left), depth, fewest).best()
        if best is None or best.score < -2 * math.log(CHANCE):
            return
        yield best
        inside = reduce(
            np.logical_and, ((cells[a] >= first) & (cells[a] <= last) for a, (first, last) in best.conditions)
        )
        left = left[~inside]


def slices_searched(attributes: list[Attribute], depth: int) -> list[int]:
    """How many conjunctions of one, two, three attributes there are."""
    by_size = [1]
    for a in attributes:
        runs = len(a.runs)
        by_size = [have + runs * less for have, less in zip([*by_size, 0], [0, *by_size], strict=True)]
    return by_size[1 : depth + 1]


class _Search:
    """One round."""

    def __init__(
        self, attributes: list[Attribute], cells: list[Array], losses: Losses, depth: int, fewest: int
    ) -> None:
        self.attributes, self.cells, self.losses, self.fewest = attributes, cells, losses, fewest
        self.searched = slices_searched(attributes, depth)
        self.covers = [a.covers for a in attributes]
        self.runs = [a.runs for a in attributes]
        self.usable = [i for i, runs in enumerate(self.runs) if runs]
        self.sums = losses.sums
        self.rate = Rate.of(losses)

    def best(self) -> Candidate | None:
        """The highest score of all sizes."""
        if self.rate is None:
            return None
        found = [c for a in self.usable if (c := self._single(a)) is not None]
        pairs = []
        if len(self.searched) > 1:
            pairs = [c for two in combinations(self.usable, 2) if (c := self._pair(*two)) is not None]
        found += pairs
        if len(self.searched) > 2:
            for pair in sorted(pairs, key=lambda c: -c.score)[:NARROWED]:
                inside = np.flatnonzero(
                    reduce(
                        np.logical_and, ((self.cells[b] >= i) & (self.cells[b] <= j) for b, (i, j) in pair.conditions)
                    )
                )
                found += [c for a in self.usable if (c := self._narrowed(pair, inside, a)) is not None]
        return max(found, key=lambda c: c.score, default=None)

    def _single(self, a: int) -> Candidate | None:
        tables = self._tables(self.cells[a], self.attributes[a].cells, None)
        return self._highest([self.covers[a] @ t for t in tables], 1, lambda at: ((a, self.runs[a][at]),))

    def _pair(self, a: int, b: int) -> Candidate | None:
        first, second = self.attributes[a].cells, self.attributes[b].cells
        both = self.cells[a] * second + self.cells[b]
        there = None
        if (self.cells[a] < 0).any() or (self.cells[b] < 0).any():
            there = np.flatnonzero((self.cells[a] >= 0) & (self.cells[b] >= 0))
        tables = [t.reshape(first, second) for t in self._tables(both, first * second, there)]
        summed = [(self.covers[a] @ t @ self.covers[b].T).ravel() for t in tables]
        runs = len(self.runs[b])
        return self._highest(summed, 2, lambda at: ((a, self.runs[a][at // runs]), (b, self.runs[b][at % runs])))

    def _narrowed(self, pair: Candidate, inside: Array, a: int) -> Candidate | None:
        if a in [b for b, _ in pair.conditions]:
            return None
        tables = self._tables(self.cells[a], self.attributes[a].cells, inside)
        summed = [self.covers[a] @ t for t in tables]
        return self._highest(summed, 3, lambda at: (*pair.conditions, (a, self.runs[a][at])))

    def _tables(self, cell: Array, cells: int, at: Array | None) -> list[Array]:
        """The sums in each cell."""
        here = cell if at is None else cell[at]
        inside = here >= 0
        if not inside.all():
            at = np.flatnonzero(inside) if at is None else at[inside]
            here = here[inside]
        made: dict[int, Array] = {}
        for x in self.sums:
            if id(x) not in made:
                own = None if x is None else x if at is None else x[at]
                made[id(x)] = np.bincount(here, own, cells).astype(float)
        return [made[id(x)] for x in self.sums]

    def _highest(
        self, sums: list[Array], size: int, conditions: Callable[[int], tuple[tuple[int, Run], ...]]
    ) -> Candidate | None:
        """The best of the slices with these sums, if any is large enough and above the mean."""
        assert self.rate is not None
        cases, weight, loss, squares = sums
        fit = np.flatnonzero(
            (cases >= self.fewest)
            & (len(self.losses.loss) - cases >= self.fewest)
            & (loss > self.rate.mean * weight * (1 + ROUNDING))
        )
        if not len(fit):
            return None
        weight, loss, squares = weight[fit], loss[fit], squares[fit]
        score = 2 * weight**2 / squares * self.rate(loss / weight)
        at = int(score.argmax())
        return Candidate(conditions(int(fit[at])), float(score[at]) - 2 * math.log(self.searched[size - 1]))
