"""Nemenyi's test: which models differ, if all are compared with all?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_false_alarms
from karat.core.words import PValue, number, p_value
from karat.statistics.ranks import RankTable


def studentized_range_tail(q: Any, k: int) -> Array:
    """P(range of k standard normal values > q), by the trapezoidal rule on [nemenyi1963]'s integral: exact to rounding,
    also far out in the tail.

    >>> round(float(studentized_range_tail(3.633, 4)), 4)
    0.05
    """
    from scipy.special import ndtr

    z = np.linspace(-10, 40, 1601)
    q = np.asarray(q, float)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = -np.expm1((k - 1) * np.log1p(-np.minimum(ndtr(z - q) / ndtr(z), 1.0)))
    density = k * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * ndtr(z) ** (k - 1)
    return np.asarray(np.minimum((density * outside).sum(axis=-1) * (z[1] - z[0]), 1.0))


def critical_rank_difference(k: int, n: int, level: float = 0.05) -> float:
    """The difference of the average ranks of two of k models on n data sets that is significant [nemenyi1963,
    demsar2006].

    >>> round(critical_rank_difference(4, 14, 0.1), 2)
    1.12
    """
    checked_false_alarms(level)
    low, high = 0.0, 60.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if studentized_range_tail(middle, k) > level else (low, middle)
    return float(high / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)))


@dataclass(frozen=True, eq=False, repr=False)
class Nemenyi(Verdict):
    """The p-value of every pair of models, corrected for there being so many pairs."""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    p_values: Array
    """[models, models], 1 on the diagonal"""
    cd: float
    n: int
    level: float = 0.05

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """(better, worse, p) of every pair, the surest first."""
        k = len(self.names)
        found = []
        for i in range(k):
            for j in range(i + 1, k):
                a, b = (i, j) if self.average_ranks[i] <= self.average_ranks[j] else (j, i)
                found.append((self.names[a], self.names[b], float(self.p_values[a, b])))
        return sorted(found, key=lambda pair: pair[2])

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        sure = [pair for pair in self.pairs if pair[2] <= self.level]
        if not sure:
            better, worse, p = self.pairs[0]
            return f"No two models can be told apart (the nearest to it: {better} above {worse}, {p_value(p)})."
        said = "; ".join(f"{better} above {worse} ({p_value(p)})" for better, worse, p in sure)
        return f"{len(sure)} of {len(self.pairs)} pairs differ (CD {number(self.cd)}): {said}."

    def to_table(self) -> Table:
        """One row for each pair, the surest first."""
        better, worse, p = zip(*self.pairs, strict=True)
        return Table({"better": list(better), "worse": list(worse), "p": list(map(PValue, p))}, self.verdict)


def nemenyi(values: Any, names: Any = None, *, lower_is_better: bool = False, level: float = 0.05) -> Nemenyi:
    """Nemenyi's test of all pairs of models by their average ranks [nemenyi1963, demsar2006]; `values` as in
    `friedman`.

    >>> values = [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]]
    >>> nemenyi(values, ["tree", "net", "forest"]).verdict
    '1 of 3 pairs differ (CD 1.66): forest above tree (p = .013).'
    """
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    apart = np.abs(np.subtract.outer(ranked.average, ranked.average))
    p = studentized_range_tail(apart / ranked.standard_error * np.sqrt(2), ranked.k)
    np.fill_diagonal(p, 1.0)
    cd = critical_rank_difference(ranked.k, ranked.n, level)
    return Nemenyi(ranked.names, tuple(ranked.average.tolist()), p, cd, ranked.n, level)
