"""Group labels dealt out anew: what the measures of the groups would be if the label said nothing.

Labels are permuted among all cases, or among those of each true class. Where a confusion table is enough, the cases of
a cell are alike and only their numbers are dealt: hypergeometric draws. Otherwise each group of each permutation is a
row of counts, as the replicates of a bootstrap are, and the statistics of all rows come with one leading axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import gammaln

from karat.core.arithmetic import Array
from karat.core.words import counted
from karat.data import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.confusion_tables import measures_of_tables
from karat.resampling.draws import blocks, stream
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import OF_CLASSES, Replicates
from karat.statistics.added import needs_cases
from karat.statistics.counts import DENSE, Binary, Counts

WITHIN = ("classes", "all")
AFFORDABLE = 1 << 34
"""Cases, times groups, times permutations, that may be gone over."""
FEWEST = 199
"""Permutations below which a test would not be worth it."""
CELLS = 1 << 23
"""Cells of tables held at a time: groups are dealt to one after another, whatever the number of permutations."""


@dataclass(frozen=True, eq=False)
class Labelling:
    """Cases, their groups, and how labels may be exchanged."""

    p: Predictions | None
    """None: tables are all that is known"""
    codes: Array
    """[n]: 0 to groups - 1"""
    groups: int
    within: str
    """are labels permuted among the cases of each true class ("classes"), or among all?"""
    factor: Array | None = None
    """[groups, k]: by which the weights of the cases of each class are multiplied, in each group"""
    known: Array | None = None
    """[groups, k, l]: cases of each class and decision, where these are all that is known"""

    @property
    def tables(self) -> Array:
        """[groups, k, l]: cases of each class and decision."""
        if self.known is not None:
            return self.known.astype(np.int64)
        assert self.p is not None
        k, l = len(self.p.classes), len(self.p.outputs)
        cell = (self.codes.astype(np.int64) * k + self.p.truth[0]) * l + self.p.decisions[0]
        return np.bincount(cell, minlength=self.groups * k * l).reshape(self.groups, k, l)

    def values(self, m: MeasureOf, replicates: int, seed: int) -> tuple[Array, str]:
        """[replicates, groups]: the measure after each permutation; nan where it is undefined. Empty, with the reason,
        where there is no way to have them."""
        rng = stream(seed, 1 << 30)
        if self.p is None:
            if m.counted:
                return self._of_tables(m, replicates, rng), ""
            return np.empty((0, self.groups)), needs_cases("its test")
        k, l = len(self.p.classes), len(self.p.outputs)
        if m.counted and self.p.weight is None and k * l <= DENSE // max(self.groups, 1):
            return self._of_tables(m, replicates, rng), ""
        kind = Counts if m.kind is Binary else m.kind
        if self.factor is not None and kind not in OF_CLASSES:
            return np.empty((0, self.groups)), "it is not tested at a common prevalence, as it is no sum over the cases"
        cost = self.p.n * self.groups
        if cost * FEWEST > AFFORDABLE:
            what = f"{counted(self.groups, 'group')} of {counted(self.p.n)}"
            return np.empty(
                (0, self.groups)
            ), f"{what} are too many to permute: test fewer groups, or some of the cases"
        return self._of_cases(m, min(replicates, max(FEWEST, AFFORDABLE // cost)), rng), ""

    @property
    def _strata(self) -> Array:
        """[n]: labels are exchanged among the cases of one number."""
        assert self.p is not None
        return self.p.truth[0] if self.within == "classes" else np.zeros(self.p.n, np.int32)

    def _of_tables(self, m: MeasureOf, replicates: int, rng: np.random.Generator) -> Array:
        seen = self.tables
        k, l = seen.shape[1:]
        seen = seen.reshape(self.groups, k * l)
        full = seen.sum(axis=0)
        pots = [np.arange(i * l, i * l + l) for i in range(k)] if self.within == "classes" else [np.arange(k * l)]
        parts = []
        step = max(1, CELLS // (k * l * self.groups))
        for times in (min(step, replicates - at) for at in range(0, replicates, step)):
            tables = np.zeros((times, self.groups, k * l))
            for pot in pots:
                tables[:, :, pot] = _dealt(full[pot], seen[:, pot].sum(axis=1), times, rng)
            tables = tables.reshape(-1, k, l)
            if self.factor is not None:
                tables *= np.tile(self.factor, (times, 1))[:, :, None]
            parts.append(measures_of_tables([m], [tables])[m.key].reshape(-1, self.groups))
        return np.concatenate(parts)

    def _of_cases(self, m: MeasureOf, replicates: int, rng: np.random.Generator) -> Array:
        assert self.p is not None
        arranged = Replicates(self.p)
        drawn = _Memberships.of(self, arranged.order, replicates, rng)
        if self.factor is None:
            return values_in_replicates([m], arranged, drawn)[m.key].reshape(replicates, self.groups)
        out = np.empty(drawn.rows)
        kind, parameters = Counts if m.kind is Binary else m.kind, m.measure.statistic_parameters
        with np.errstate(all="ignore"):
            for part in blocks(drawn.rows, drawn.cases):
                statistic = arranged.get(kind, parameters, drawn.counts(part))
                weight = self.factor[np.arange(part.start, part.stop) % self.groups]
                out[part] = m.values(_times(statistic, weight))
        return out.reshape(replicates, self.groups)

    @property
    def arrangements(self) -> float:
        """The logarithm of how many ways there are to deal out the labels."""
        if self.known is not None:
            sizes = self.known.sum(axis=2) if self.within == "classes" else self.known.sum(axis=(1, 2))[:, None]
        else:
            cell = self._strata.astype(np.int64) * self.groups + self.codes
            sizes = np.bincount(cell, minlength=-(-(int(cell.max()) + 1) // self.groups) * self.groups)
            sizes = sizes.reshape(-1, self.groups).T
        return float(gammaln(sizes.sum(axis=0) + 1.0).sum() - gammaln(sizes + 1.0).sum())

    def smallest_p(self, replicates: int) -> float:
        """The smallest p-value that so many permutations, of those that there are, can give."""
        return max(1 / (replicates + 1), math.exp(-min(self.arrangements, 700.0)))


def _times(statistic: Any, weight: Array) -> Any:
    """A statistic of which a case adds to the row of its class alone, these rows [..., k] multiplied."""
    arrays = (np.asarray(getattr(statistic, field.name)) for field in fields(statistic))
    return type(statistic)(*(x * weight.reshape(*weight.shape, *[1] * (x.ndim - weight.ndim)) for x in arrays))


def _dealt(cells: Array, sizes: Array, times: int, rng: np.random.Generator) -> Array:
    """[times, groups, cells]: so many cases of each kind dealt out to groups of these sizes."""
    out = np.zeros((times, len(sizes), len(cells)))
    left = np.tile(cells, (times, 1)).astype(np.int64)
    for g, size in enumerate(sizes[:-1].tolist()):
        room = np.full(times, size)
        after = left.sum(axis=1)
        for c in range(len(cells)):
            after = after - left[:, c]
            if c < len(cells) - 1:
                got = rng.hypergeometric(left[:, c], after, np.minimum(room, left[:, c] + after))
            else:
                got = room
            out[:, g, c] = got
            room = room - got
        left = left - out[:, g].astype(np.int64)
    out[:, -1] = left
    return out


@dataclass(frozen=True, eq=False)
class _Memberships:
    """Rows of counts: 1 for the cases of a group; the groups of one permutation follow each other."""

    labels: Array
    """[replicates, n]"""
    groups: int

    @classmethod
    def of(cls, given: Labelling, order: Array, replicates: int, rng: np.random.Generator) -> _Memberships:
        short = np.uint8 if given.groups <= 256 else np.uint16
        labels = np.tile(given.codes[order].astype(short), (replicates, 1))
        strata = given._strata[order]
        edges = np.append(np.flatnonzero(np.append(True, strata[1:] != strata[:-1])), len(strata))
        for a, b in pairwise(edges.tolist()):
            labels[:, a:b] = rng.permuted(labels[:, a:b], axis=1)
        return cls(labels, given.groups)

    @property
    def rows(self) -> int:
        return len(self.labels) * self.groups

    @property
    def cases(self) -> int:
        return int(self.labels.shape[1])

    def counts(self, part: slice) -> Array:
        row = np.arange(part.start, part.stop)
        mine = self.labels[row // self.groups] == (row % self.groups)[:, None].astype(self.labels.dtype)
        return np.asarray(mine.view(np.uint8))
