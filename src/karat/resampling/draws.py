"""Which cases a replicate holds: rows of counts, one for each case.

Random numbers belong to a replicate, not to a thread or a block: the same seed gives the same replicates however the
work is cut, and the first thousand of two thousand are those of one thousand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.validation import checked_level, whole
from karat.data.labels import distinct


@dataclass(frozen=True, eq=False)
class Resampling:
    """How many replicates of the cases are drawn, and how; the same seed gives the same ones."""

    level: float
    """of the intervals that follow"""
    replicates: int
    seed: int
    stratified: bool
    """are cases drawn within each class?"""
    groups: Any
    """the group of each case, if groups are drawn whole"""
    workers: int | None
    """threads; None: all processors where that pays"""

    @classmethod
    def of(
        cls,
        level: Any = 0.95,
        replicates: Any = 1000,
        seed: Any = 0,
        stratified: bool = False,
        groups: Any = None,
        workers: Any = None,
    ) -> Resampling:
        """Refuses what can't be drawn."""
        if stratified and groups is not None:
            raise InputError(
                "both stratified and groups were given; groups are resampled whole, so leave out one of them."
            )
        return cls(
            checked_level(level),
            whole("replicates", replicates),
            whole("seed", seed, least=0),
            bool(stratified),
            groups,
            None if workers is None else whole("workers", workers),
        )

    def keeping(self, decreed: bool) -> Resampling:
        """The same; frequencies of classes that were said, not seen, are kept, unless groups are drawn whole."""
        return replace(self, stratified=True) if decreed and self.groups is None else self

    def clusters(self, n: int) -> Array | None:
        """[n]: the place of each case's group; None if single cases are drawn."""
        if self.groups is None:
            return None
        _, codes, _ = distinct(self.groups, "groups")
        if len(codes) != n:
            raise InputError(f"groups has {len(codes)} entries and there are {n} cases; give the group of each case.")
        return np.unique(codes, return_inverse=True)[1].astype(np.int32)


FEWEST_GROUPS = 4
"""Groups from which on Student's t knows how much they differ."""


def few_groups(groups: int) -> str:
    """Why fewer tell nothing."""
    are = "1 group is" if groups == 1 else f"{groups} groups are"
    return f"{are} too few to estimate how much they differ: at least {FEWEST_GROUPS} are needed"


def effective_groups(cluster: Array) -> float:
    """As many groups of equal size tell as much of how much groups differ (Carter, Schnepel & Steigerwald 2017): a few
    large ones carry what is seen, however many small ones there are beside them."""
    sizes = np.bincount(cluster).astype(float)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


FEWEST_EFFECTIVE = 3.0
"""The same of groups of unequal size: with fewer the interval of an accuracy is two thirds of its range wide."""


def unequal_groups(effective: float) -> str:
    """Why groups of such sizes tell nothing, however many there are."""
    are = f"the groups are so unequal in size that they tell no more than {effective:.1f} equal ones"
    return f"{are}, too few to estimate how much they differ: at least {FEWEST_EFFECTIVE:g} are needed"


AT_ONCE = 1 << 21
"""Counts held at a time: they should stay in the processor's cache, and be many beside what a call arranges first."""
ALONE = 500
"""So many cases may be left out one at a time."""
SMALL_CLASS = 50
"""Cases of a class below which each of them is left out on its own."""
MOST_DRAWN = 26
"""How often one case may be drawn: the chance of more is below one in 2^64."""


class Weighting(Protocol):
    """Rows of counts that can be had a few at a time."""

    @property
    def rows(self) -> int: ...  # how many
    @property
    def cases(self) -> int: ...  # of how many cases
    def counts(self, part: slice) -> Array: ...  # [rows, cases], uint8


def blocks(rows: int, cases: int) -> Iterator[slice]:
    """The rows in parts that a processor's cache can hold."""
    step = max(1, AT_ONCE // max(cases, 1))
    return (slice(at, min(rows, at + step)) for at in range(0, rows, step))


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap replicates: as many draws with replacement as there are cases, within each stratum; or as many draws of
    whole clusters as there are clusters."""

    keys: Array
    """[strata, R], uint64"""
    sizes: tuple[int, ...]
    """of the strata, which are consecutive cases; with clusters, their number"""
    cluster: Array | None = None
    """[n]: the cluster of each case"""

    @classmethod
    def of(cls, seed: Any, replicates: int, sizes: tuple[int, ...], cluster: Array | None = None) -> Draws:
        """Replicates of strata of these sizes."""
        sequences = [np.random.SeedSequence(entropy(seed), spawn_key=(s,)) for s in range(len(sizes))]
        keys = np.stack([sequence.generate_state(replicates, np.uint64) for sequence in sequences])
        return cls(keys, sizes, cluster)

    @property
    def rows(self) -> int:
        """Number of replicates."""
        return int(self.keys.shape[1])

    @property
    def cases(self) -> int:
        """Number of cases."""
        return sum(self.sizes) if self.cluster is None else len(self.cluster)

    def counts(self, part: slice) -> Array:
        """How often each case was drawn in these replicates: [rows, n], uint8."""
        keys = np.ascontiguousarray(self.keys[:, part])
        out = np.empty((keys.shape[1], sum(self.sizes)), np.uint8)
        at = 0
        for size, key in zip(self.sizes, keys, strict=True):
            kernels.draw(key, out[:, at : at + size], *poisson_pairs(size))
            at += size
        return out if self.cluster is None else np.ascontiguousarray(out[:, self.cluster])


def entropy(seed: Any) -> int:
    """A seed as SeedSequence takes it."""
    return whole("seed", seed, least=0)


@lru_cache(maxsize=64)
def poisson_pairs(n: int) -> tuple[Array, Array, Array]:
    """What `draw` needs to draw n of n: (table, limits, pairs) of two Poisson counts at a time.

    The mean lies four standard deviations of the sum below one, so that the sum hardly ever exceeds n."""
    mean = max(0.0, 1 - 4 / math.sqrt(n)) if n else 0.0
    single = [int(math.ldexp(math.exp(-mean) * mean**c / math.factorial(c), 96)) for c in range(MOST_DRAWN)]
    limits, pairs, reached = [], [], 0
    for a in range(MOST_DRAWN):
        for b in range(MOST_DRAWN - a):  # more than this together is rarer than one in 2^64
            reached += single[a] * single[b]
            limits.append(min(reached >> 128, (1 << 64) - 1))
            pairs.append((a, b))
    limits[-1] = (1 << 64) - 1
    steps = np.array(limits, np.uint64)
    cells = np.arange(4096, dtype=np.uint64) << np.uint64(52)
    low = np.searchsorted(steps, cells, side="right")
    high = np.searchsorted(steps, cells + np.uint64((1 << 52) - 1), side="right")
    both = np.array([*pairs, (0, 0)], np.uint8)  # the last is never reached: a place below 2^64 - 1 comes before it
    return np.where((low == high)[:, None], both[low], 255).astype(np.uint8), steps, both


@dataclass(frozen=True, eq=False)
class Deletions:
    """All cases but those of one group, for each group in turn: the jackknife."""

    group: Array
    """[n]: the group of each case, 0 to rows - 1"""
    stratum: Array
    """[rows]: the stratum that each group is part of"""

    @classmethod
    def of(cls, sizes: tuple[int, ...], most: int, seed: Any, cluster: Array | None = None) -> Deletions:
        """One case (or cluster) at a time, or if there are more than `most`, about as many random groups of equal size
        within the strata, which are consecutive cases of these sizes. A small stratum has a fair share of
        them: three groups do not show how much its cases differ."""
        n, rng = sum(sizes), stream(seed, 1 << 20)
        least = max(2, min(SMALL_CLASS, most // (2 * max(len(sizes), 1))))
        group: list[Array] = []
        stratum: list[int] = []
        for s, size in enumerate(sizes):
            rows = size if n <= most else min(size, max(least, round(most * size / n)))
            own = np.arange(size) % max(rows, 1)
            group.append(len(stratum) + (own if rows == size else rng.permutation(own)))
            stratum += [s] * rows
        places = np.concatenate(group)
        return cls(places if cluster is None else places[cluster], np.array(stratum))

    @classmethod
    def of_classes(cls, label: Array, most: int, seed: Any) -> Deletions:
        """One case at a time, its class [n] being its stratum; or if there are many cases, those of small classes one
        at a time, and random groups of the others, about `most`, of all their classes together: groups within a class
        would take the same frequency of that class for so many times as sure."""
        n = len(label)
        if n <= ALONE:
            return cls(np.arange(n), label.astype(np.int64))
        cases = np.bincount(label)
        alone = (cases < SMALL_CLASS)[label]
        if alone.sum() > ALONE:
            alone[:] = False
        group = np.empty(n, np.int64)
        first, rest = int(alone.sum()), int(n - alone.sum())
        group[alone] = np.arange(first)
        rows = min(most, rest)
        group[~alone] = first + stream(seed, 1 << 20).permutation(np.arange(rest) % max(rows, 1))
        return cls(group, np.append(label[alone], np.full(rows, len(cases))).astype(np.int64))

    @property
    def rows(self) -> int:
        """Number of groups."""
        return len(self.stratum)

    @property
    def cases(self) -> int:
        """Number of cases."""
        return len(self.group)

    def counts(self, part: slice) -> Array:
        """1, and 0 for the cases that are left out: [rows, n], uint8."""
        return np.asarray(self.group != np.arange(self.rows)[part, None], np.uint8)


def stream(seed: Any, purpose: int) -> np.random.Generator:
    """Random numbers of this seed that no other purpose uses."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy(seed), spawn_key=(purpose,))))
