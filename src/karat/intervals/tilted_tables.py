"""Intervals of measures of decisions that few cases carry: the populations in which what was seen is no surprise.

Where a class has a handful of cases, or hardly any case is wrong, leaving out cases in turn shows too little of how a
measure varies, and its standard error is a guess that Student's t makes up for by great width. But of a confusion table
everything is known if the population is: tables can be drawn from it. So populations are tried, on the way along which
the measure changes most while the table that was seen stays least unlikely (each share is multiplied by the exponential
of what a case in that cell adds to the measure; Efron 1981, DiCiccio & Romano 1990), until tables drawn from one lie
beyond the one seen in no more than the share of samples that an end may miss, ties counting half. That share is larger
where no sample can miss on the other side (`spent`).

Tables are drawn once, from the population that was seen, and weighted by how many times as likely they are in another
one: what is counted are tables on this side of what was seen, which are likely in the former, so that few draws do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.cached import cached
from karat.intervals.rate_interval import spent
from karat.measures.value import MeasureOf
from karat.resampling.confusion_tables import measures_of_tables, one_case
from karat.resampling.draws import stream

STEP = 0.4
"""Of the way from one population to the next, in standard errors of the measure."""
MOST_STEPS = 60
"""After which the measure no longer changes, as at the worst value that it can have."""
LARGEST_STEP = 2.0
"""The logarithm of how many times a share may grow or shrink in one step."""


class TiltedPopulation(NamedTuple):
    """One that samples are drawn of, as a measure sees it."""

    shares: Array
    value: float
    adds: Array
    """what a case in each cell adds to the measure"""
    spread: float
    """the standard deviation of that"""


@dataclass(frozen=True, eq=False)
class TiltedTables:
    """Populations of a confusion table, and samples of them."""

    table: Array
    fixed: bool
    """are the numbers of cases of each class given?"""
    draws: int
    seed: int

    def end(self, m: MeasureOf, value: float, side: int, tail: float, stretch: float = 1.0) -> float:
        """Where what was seen begins to be as seldom as this tail (its normal deviate being so many times larger):
        below the value (side -1) or above it (1); nan if it is so in the population that was seen. If the measure turns
        round before, on the way to decisions at random (where another naming of the outputs is the best one), it is
        theirs."""
        root = math.sqrt(float(self.table.sum()))
        beyond = self._beyond(m, value, side)
        shares, last, reached = self._seen, 0.0, value
        for step in range(MOST_STEPS):
            at = self._at(m, shares)
            if step and side * (at.value - reached) < -TOLERANCE:
                random = float(measures_of_tables([m], [np.ones((1, *shares.shape))])[m.key][0])
                if side * random > side * reached:
                    return random
            excess = self._surprise(shares, beyond) + stretch * float(ndtri(self._spent(m, at, side, tail)))
            if excess >= 0:
                return math.nan if step == 0 else reached + (at.value - reached) * last / (last - excess)
            if not at.spread > TOLERANCE:
                break
            last, reached = excess, at.value
            grown = np.clip(side * STEP / (at.spread * root) * at.adds, -LARGEST_STEP, LARGEST_STEP)
            shares = self._scaled(shares * np.exp(grown))
        return reached

    def _spent(self, m: MeasureOf, at: TiltedPopulation, side: int, tail: float) -> float:
        """The tail that may be spent on this side: samples of this population may often show no error of the class that
        carries the measure, or no hit, and so the most that there is on this side, as far as nothing else varies."""
        shares, rows = at.shares, at.shares.sum(axis=1)
        mean = (shares * at.adds).sum(axis=1) / np.where(rows > 0, rows, 1.0)
        row = int((shares * (at.adds - mean[:, None]) ** 2).sum(axis=1).argmax())
        if row >= shares.shape[1] or not at.spread > TOLERANCE:
            return tail
        is_right = np.arange(shares.shape[1]) == row
        wrong, right = np.where(is_right, 0.0, shares[row]), np.array([0.0, 0.5, 1.0])[:, None]
        tables = np.repeat(shares[None], len(right), axis=0)
        tables[:, row] = rows[row] * np.where(is_right, right, (1 - right) * wrong / wrong.sum())
        most = int(np.nanargmax(side * measures_of_tables([m], [self.table.sum() * tables])[m.key]))
        if most == 1:  # it bends, and is at its most where half are right
            return tail
        hits = float(shares[row, row] / rows[row])
        often = (hits if most else 1 - hits) ** float(self.table.sum() * rows[row])
        return spent(tail, often, max(1 - self._at(m, tables[most]).spread / at.spread, 0.0))

    @cached
    def _seen(self) -> Array:
        """[k, l]: the shares that were seen, with one case more, so that none is impossible."""
        return self._scaled(self.table + one_case(self.table.shape))

    @cached
    def _drawn(self) -> Array:
        """[draws, k, l]: samples of that population."""
        rng = stream(self.seed, 1 << 31)
        if not self.fixed:
            flat = rng.multinomial(round(float(self.table.sum())), self._seen.ravel(), self.draws)
            return flat.reshape(self.draws, *self.table.shape).astype(float)
        drawn = np.zeros((self.draws, *self.table.shape))
        for row in np.flatnonzero(self._cases).tolist():
            own = self._seen[row] / self._seen[row].sum()
            drawn[:, row] = rng.multinomial(round(float(self._cases[row])), own, self.draws)
        return drawn

    @property
    def _cases(self) -> Array:
        return np.asarray(self.table.sum(axis=1))

    def _scaled(self, shares: Array) -> Array:
        """The same with a sum of one; by class, if their numbers of cases are given."""
        if not self.fixed:
            return np.asarray(shares / shares.sum())
        rows = shares.sum(axis=1, keepdims=True)
        return np.asarray(shares / np.where(rows > 0, rows, 1.0) * self._cases[:, None] / self._cases.sum())

    def _beyond(self, m: MeasureOf, value: float, side: int) -> Array:
        """[draws]: does a sample lie on this side of what was seen? 1, or 1/2 for one that equals it. Without a value
        it is no evidence against anything; without a class that was seen it does not count."""
        apart = side * (measures_of_tables([m], [self._drawn])[m.key] - value)
        beyond = np.where(np.abs(apart) <= TOLERANCE, 0.5, ~(apart > 0))
        lost = (self._drawn.sum(axis=2)[:, self._cases > 0] == 0).any(axis=1)
        return np.where(lost, 0.0, beyond)

    def _surprise(self, shares: Array, beyond: Array) -> float:
        """How seldom samples of this population are so far off, as a normal deviate."""
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(self._seen > 0, np.log(shares / self._seen), 0.0)
        counted = beyond > 0
        likelier = np.exp(self._drawn[counted].reshape(-1, times.size) @ np.maximum(times, -700.0).ravel())
        kept = shares.sum(axis=1)[self._cases > 0]
        whole = 1.0 if self.fixed else float(np.prod(1 - (1 - kept) ** float(self.table.sum())))  # no class is lost
        if whole <= TOLERANCE:  # of a population without such a class what was seen says nothing
            return -math.inf
        share = float(beyond[counted] @ likelier) / (self.draws * whole)
        return -float(ndtri(min(max(share, 1e-300), 1 - 1e-16)))

    def _at(self, m: MeasureOf, shares: Array) -> TiltedPopulation:
        cases = float(self.table.sum())
        base = cases * shares
        with_one = base + np.eye(base.size).reshape(-1, *base.shape)
        here, *more = measures_of_tables([m], [np.concatenate([base[None], with_one])])[m.key].tolist()
        adds = (cases + 1) * (np.reshape(more, base.shape) - here)
        adds = np.where(np.isfinite(adds), adds, 0.0)
        rows = shares.sum(axis=1, keepdims=True)
        mean = (shares * adds).sum(axis=1, keepdims=True)
        adds = adds - (mean / np.where(rows > 0, rows, 1.0) if self.fixed else mean.sum())
        return TiltedPopulation(shares, here, adds, math.sqrt(float((shares * adds**2).sum())))
