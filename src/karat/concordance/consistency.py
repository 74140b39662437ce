"""Do two measures order the same things alike, and which tells more of them apart?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array, ratio
from karat.core.comparison import MEASURES, comparison
from karat.core.errors import InputError, ShapeError
from karat.core.plain_data import plain
from karat.core.record import Verdict
from karat.core.words import number
from karat.statistics.ranks import places


class PairCounts(NamedTuple):
    """Of all pairs of things, how many two measures order alike, in opposite ways, or not at all."""

    concordant: int
    discordant: int
    only_first: int
    """told apart by the first measure, equal for the second"""
    only_second: int
    neither: int

    @property
    def consistency(self) -> float:
        """R / (R + S): the share of pairs ordered alike, among those that both tell apart."""
        both = self.concordant + self.discordant
        return self.concordant / both if both else math.nan

    @property
    def discriminancy(self) -> float:
        """P / Q: pairs that only the first tells apart, for each that only the second does."""
        if self.only_second:
            return self.only_first / self.only_second
        return math.inf if self.only_first else math.nan

    @property
    def tau(self) -> float:
        """Kendall's tau-b: 1 if they order alike, -1 if the other way round; nan if one tells nothing apart."""
        both = self.concordant + self.discordant
        first, second = both + self.only_first, both + self.only_second
        return float(tau_b(self.concordant - self.discordant, first, second))


def tau_b(more: Any, first: Any, second: Any) -> Any:
    """Kendall's tau-b [kendall1945]: pairs ordered alike less those ordered the other way round, over the geometric
    mean of the numbers of pairs that each measure tells apart; nan where one of them tells none apart."""
    return ratio(np.asarray(more, float), np.sqrt(np.multiply(first, second, dtype=float)))


@dataclass(frozen=True, eq=False, repr=False)
class Consistency(Verdict):
    """Degrees of consistency and of discriminancy of two measures."""

    names: tuple[str, str]
    n: int
    """number of things measured"""
    counts: PairCounts

    @property
    def consistency(self) -> float:
        """The share of pairs ordered alike, among those that both tell apart."""
        return self.counts.consistency

    @property
    def discriminancy(self) -> float:
        """Pairs that only the first measure tells apart, for each that only the second does."""
        return self.counts.discriminancy

    @property
    def tau(self) -> float:
        """Kendall's tau-b."""
        return self.counts.tau

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined or infinite is None."""
        degrees = {"consistency": self.consistency, "discriminancy": self.discriminancy, "tau": self.tau}
        return super().to_dict() | {"counts": self.counts._asdict(), **plain(degrees)}

    @property
    def verdict(self) -> str:
        """What the counts say, in one sentence."""
        a, b = self.names
        c = self.counts
        if math.isnan(self.consistency):
            alike = f"No pair is told apart by both {a} and {b}"
        else:
            alike = f"{a} and {b} agree on {100 * self.consistency:.1f} % of the pairs that both tell apart"
        if c.only_first == c.only_second:
            return f"{alike}; neither tells more apart than the other."
        more, less, over, under = (a, b, c.only_first, c.only_second)
        if over < under:
            more, less, over, under = less, more, under, over
        times = f"{number(over / under)} times as many as" if under else "and none"
        return f"{alike}; {more} tells apart {over} pairs that {less} does not, {times} the other way round."


@comparison(of=MEASURES, cite="huang2005")
def consistency(
    first: Any,
    second: Any,
    *,
    lower_is_better: tuple[bool, bool] = (False, False),
    names: tuple[str, str] = ("f", "g"),
    tolerance: float = TOLERANCE,
) -> Consistency:
    """Do two measures order the same things alike, and which tells more of them apart?

    Degree of consistency and degree of discriminancy of two measures [huang2005, jurman2012]. Values that differ by no
    more than `tolerance` are equal; for exact arithmetic give whole numbers or fractions. `lower_is_better` turns a
    measure round, so that the two point the same way. All pairs are counted, in n log n time.

    >>> degrees = consistency([1, 2, 3, 4], [1, 1, 2, 3])
    >>> degrees.consistency, degrees.discriminancy, degrees.counts.only_first
    (1.0, inf, 1)
    """
    f, g = (_values(x, name) for x, name in ((first, names[0]), (second, names[1])))
    if len(f) != len(g):
        raise ShapeError(f"{names[0]} has {len(f)} values and {names[1]} has {len(g)}; give both of the same things.")
    turned = [places(x, tolerance) * (-1 if lower else 1) for x, lower in zip((f, g), lower_is_better, strict=True)]
    return Consistency(names, len(f), pair_counts(turned[0] - turned[0].min(), turned[1] - turned[1].min()))


def pair_counts(x: Array, y: Array) -> PairCounts:
    """Of places (whole numbers from 0) by two measures [kendall1945]."""
    n = len(x)
    order = np.lexsort((y, x))
    xs, ys = x[order], y[order]
    tied_x = _pairs(np.bincount(x))
    tied_y = _pairs(np.bincount(y))
    new = np.flatnonzero(np.append(True, (xs[1:] != xs[:-1]) | (ys[1:] != ys[:-1])))
    tied_both = _pairs(np.diff(np.append(new, n)))
    discordant = inversions(ys)
    concordant = n * (n - 1) // 2 - tied_x - tied_y + tied_both - discordant
    return PairCounts(concordant, discordant, tied_y - tied_both, tied_x - tied_both, tied_both)


def inversions(sequence: Array) -> int:
    """Number of pairs in which the earlier whole number (of at least 0) is the larger [kendall1945].

    The numbers are told apart by their highest differing bit: one pass for each bit, from the top. Before each pass the
    numbers with equal higher bits stand together, in their old order; a 1 before a 0 among them is an inversion.

    >>> inversions(np.array([2, 0, 1, 1]))
    3
    """
    s = np.asarray(sequence, np.int64)
    at = np.arange(len(s))
    inverted = 0
    for bit in range(int(s.max(initial=0)).bit_length() - 1, -1, -1):
        one = (s >> bit) & 1
        group = s >> (bit + 1)
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        size = np.diff(np.append(starts, len(s)))
        before = np.cumsum(one) - one
        ones = before - np.repeat(before[starts], size)
        inverted += int(ones[one == 0].sum())
        start = np.repeat(starts, size)
        zeros = np.repeat(size - np.add.reduceat(one, starts), size)
        moved = np.empty_like(s)
        moved[start + np.where(one == 1, zeros + ones, at - start - ones)] = s
        s = moved
    return inverted


def _pairs(counts: Array) -> int:
    return int((counts * (counts - 1) // 2).sum())


def _values(data: Any, name: str) -> Array:
    """Floats, whole numbers, or exact fractions as objects."""
    values = np.asarray(data)
    if values.ndim != 1 or len(values) < 2:
        raise ShapeError(f"{name} has the shape {values.shape}; give one value for each of at least two things.")
    if values.dtype.kind not in "biufO":
        raise InputError(f"{name} holds {values.dtype}; give numbers.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        wrong = int((~np.isfinite(values)).sum())
        raise InputError(f"{name} has {wrong} values that are not finite; leave those out of both measures.")
    return values.astype(np.int64) if values.dtype.kind in "bu" and values.dtype != np.uint64 else values
