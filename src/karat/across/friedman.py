"""Friedman's test of many models on many data sets, and what a critical-difference diagram shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.nemenyi import critical_rank_difference
from karat.core.arithmetic import TOLERANCE
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_false_alarms
from karat.core.words import listed, number, p_value
from karat.statistics.ranks import RankTable, alike


@dataclass(frozen=True, eq=False, repr=False)
class Friedman(Verdict):
    """Do the average ranks differ by more than chance?"""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    chi_square: float
    chi_square_p: float
    f: float
    """Iman and Davenport's: less timid than chi-square"""
    f_p: float
    n: int
    """number of data sets"""
    ties_corrected: bool
    level: float = 0.05

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees of freedom of F; the first is that of chi-square."""
        k = len(self.names)
        return k - 1, (k - 1) * (self.n - 1)

    @property
    def differs(self) -> bool:
        """Is there a difference at all, at this level?"""
        return self.f_p <= self.level

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        if self.chi_square != self.chi_square:
            return "All models are equal on every data set, so nothing tells them apart."
        seen = f"Friedman: F({self.degrees[0]}, {self.degrees[1]}) = {number(self.f)}, {p_value(self.f_p)}"
        if self.differs:
            return f"The models differ ({seen})."
        return f"No difference between the models shows ({seen})."

    def to_table(self) -> Table:
        """One row for each model, the best first."""
        order = sorted(range(len(self.names)), key=lambda j: self.average_ranks[j])
        columns: dict[str, list[Any]] = {
            "model": [self.names[j] for j in order],
            "average rank": [self.average_ranks[j] for j in order],
        }
        return Table(columns, self.verdict)


def friedman(
    values: Any,
    names: Any = None,
    *,
    lower_is_better: bool = False,
    correct_ties: bool = True,
    level: float = 0.05,
) -> Friedman:
    """Friedman's test [friedman1937], with F of [iman1980] as [demsar2006] recommends.

    `values` is [data sets, models], a data frame of that shape, {model: values}, or a RankTable. Equal values (within
    1e-12) share their mean rank, and the statistic is corrected for them unless `correct_ties` is False.

    >>> found = friedman([[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.6], [0.6, 0.65, 0.7]], ["a", "b", "c"])
    >>> found.average_ranks, found.chi_square
    ((3.0, 1.75, 1.25), 6.5)
    """
    from scipy.special import chdtrc, fdtrc

    checked_false_alarms(level)
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    n, k = ranked.n, ranked.k
    spread = float(((ranked.average - (k + 1) / 2) ** 2).sum())
    chi = 12 * n / (k * (k + 1)) * spread
    if correct_ties:
        kept = 1 - ranked.ties / (n * k * (k * k - 1))
        chi = chi / kept if kept > 1e-15 else math.nan
    left = n * (k - 1) - chi
    f = math.inf if left <= 1e-9 * n else (n - 1) * chi / left
    return Friedman(
        ranked.names,
        tuple(ranked.average.tolist()),
        chi,
        float(chdtrc(k - 1, chi)),
        f,
        0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (n - 1), f)),
        n,
        correct_ties,
        level,
    )


@dataclass(frozen=True, eq=False, repr=False)
class CriticalDifference(Verdict):
    """What a critical-difference diagram shows: models along the scale of average ranks, those that can't be told apart
    joined by a bar. The best model comes first."""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    cd: float
    cliques: tuple[tuple[str, ...], ...]
    """the bars: the largest groups of two or more models of which no two differ by the critical difference"""
    level: float
    n: int
    """number of data sets"""

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        best, rank = self.names[0], number(self.average_ranks[0], 1)
        beaten = self._beaten_from(self.average_ranks[0])
        near = [m for m in self.names[1:] if m not in beaten]
        cd = f"CD {number(self.cd, 1)}"
        first = f"{best} ranks best ({rank})"
        if not near:
            return f"{first}; it is better than {listed(beaten)} ({cd})."
        joined = f"{first}; it can't be told apart from {listed(near)} ({cd})"
        group = [best, *near]
        if not beaten:
            return f"{joined}."
        if beaten == self._beaten_from(self.average_ranks[len(near)]):
            return f"{joined}; {'both' if len(group) == 2 else 'all of these'} are better than {listed(beaten)}."
        return f"{joined}, but it is better than {listed(beaten)}."

    def _beaten_from(self, rank: float) -> list[str]:
        ranked = zip(self.names, self.average_ranks, strict=True)
        return [name for name, r in ranked if r - rank >= self.cd - TOLERANCE]

    def to_table(self) -> Table:
        """One row for each model: its average rank and the bars it is under (a, b, ...)."""
        bars = ["".join(_letter(i) for i, clique in enumerate(self.cliques) if m in clique) for m in self.names]
        columns: dict[str, list[Any]] = {
            "model": list(self.names),
            "average rank": list(self.average_ranks),
            "alike": bars,
        }
        return Table(columns, self.verdict)


def critical_difference(
    values: Any, names: Any = None, *, lower_is_better: bool = False, level: float = 0.05
) -> CriticalDifference:
    """The data of a critical-difference diagram: average ranks, Nemenyi's critical difference, and the groups of models
    that can't be told apart [demsar2006]; `values` as in `friedman`.

    >>> found = critical_difference(
    ...     [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]], ["tree", "net", "forest"]
    ... )
    >>> found.verdict
    "forest ranks best (1.0); it can't be told apart from net (CD 1.7), but it is better than tree."
    """
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    cd = critical_rank_difference(ranked.k, ranked.n, level)
    order = np.argsort(ranked.average, kind="stable")
    ordered = ranked.average[order]
    sorted_names = tuple(ranked.names[j] for j in order)
    cliques = tuple(sorted_names[run] for run in alike(ordered, cd))
    return CriticalDifference(sorted_names, tuple(ordered.tolist()), cd, cliques, level, ranked.n)


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"({i + 1})"
