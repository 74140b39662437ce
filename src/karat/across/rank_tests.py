"""Tests of the average ranks of many models on many data sets: Friedman's, Nemenyi's, all against a control, and what a
critical-difference diagram shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.comparison import DATA_SETS, comparison
from karat.core.errors import InputError, quoted
from karat.core.plain_data import plain
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import checked_level, false_alarms
from karat.core.words import PValue, listed, number, p_value
from karat.statistics.p_values import correction as correction_named
from karat.statistics.ranks import RankTable, alike


@dataclass(frozen=True, eq=False, repr=False)
class Friedman(Verdict):
    """Do the average ranks differ significantly?"""

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    chi_square: float
    chi_square_p: float
    f: float
    """Iman and Davenport's, less conservative than chi-square"""
    f_p: float
    n: int
    """number of data sets"""
    ties_corrected: bool
    level: float = 0.95

    @property
    def degrees(self) -> tuple[int, int]:
        """Degrees of freedom of F; the first is that of chi-square."""
        k = len(self.names)
        return k - 1, (k - 1) * (self.n - 1)

    @property
    def kendalls_w(self) -> float:
        """How much the data sets agree about the order of the models: Kendall's W, from 0 (not at all) to 1
        [kendall1939]."""
        return self.chi_square / (self.n * (len(self.names) - 1))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, with the verdict and the size of the effect; undefined is None."""
        return super().to_dict() | {"kendalls_w": plain(self.kendalls_w)}

    @property
    def differs(self) -> bool:
        """Is there a difference at all, at this level?"""
        return self.f_p <= false_alarms(self.level)

    @property
    def verdict(self) -> str:
        """What the ranks say, in one sentence."""
        if self.chi_square != self.chi_square:
            return "No significant difference: all models are equal on every data set."
        numbers = f"Friedman: F({self.degrees[0]}, {self.degrees[1]}) = {number(self.f)}, {p_value(self.f_p)}"
        if self.differs:
            return f"The models differ significantly ({numbers})."
        return f"No significant difference between the models ({numbers})."

    def to_table(self) -> Table:
        """One row for each model, the best first."""
        rows = sorted(zip(self.names, self.average_ranks, strict=True), key=lambda row: row[1])
        return Table.of(({"model": name, "average rank": rank} for name, rank in rows), self.verdict)


@comparison(of=DATA_SETS, cite="friedman1937")
def friedman(
    values: Any, names: Any = None, *, lower_is_better: bool = False, correct_ties: bool = True, level: float = 0.95
) -> Friedman:
    """Do many models differ over many data sets, by their average ranks?

    Friedman's test [friedman1937], with F of [iman1980] as [demsar2006] recommends.

    Parameters
    ----------
    values : array-like of shape (data sets, models), data frame, dict or RankTable
        One value of each model on each data set; {model: values} as well.
    names : sequence of str, optional
        Names of the models.
    lower_is_better : bool, default False
    correct_ties : bool, default True
        Equal values (within 1e-12) share their mean rank, and the statistic is corrected for them.
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    Friedman

    Examples
    --------
    >>> test = friedman([[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.6], [0.6, 0.65, 0.7]], ["a", "b", "c"])
    >>> test.average_ranks, test.chi_square
    ((3.0, 1.75, 1.25), 6.5)
    """
    from scipy.special import chdtrc, fdtrc

    level = checked_level(level)
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    n, k = ranked.n, ranked.k
    spread = float(((ranked.average - (k + 1) / 2) ** 2).sum())
    chi = 12 * n / (k * (k + 1)) * spread
    if correct_ties:
        kept = 1 - ranked.ties / (n * k * (k * k - 1))
        chi = chi / kept if kept > 1e-15 else math.nan
    left = n * (k - 1) - chi
    f = math.inf if left <= 1e-9 * n else (n - 1) * chi / left
    chi_p = float(chdtrc(k - 1, chi))
    f_p = 0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (n - 1), f))
    return Friedman(ranked.names, tuple(ranked.average.tolist()), chi, chi_p, f, f_p, n, correct_ties, level)


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


def critical_rank_difference(k: int, n: int, level: float = 0.95) -> float:
    """The difference of the average ranks of two of k models on n data sets that is significant [nemenyi1963,
    demsar2006].

    >>> round(critical_rank_difference(4, 14, 0.9), 2)
    1.12
    """
    low, high, accepted = 0.0, 60.0, false_alarms(checked_level(level))
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if studentized_range_tail(middle, k) > accepted else (low, middle)
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
    level: float = 0.95

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """(better, worse, p) of every pair, the surest first."""
        ordered = [sorted(two, key=lambda j: self.average_ranks[j]) for two in combinations(range(len(self.names)), 2)]
        pairs = [(self.names[a], self.names[b], float(self.p_values[a, b])) for a, b in ordered]
        return sorted(pairs, key=lambda pair: pair[2])

    @property
    def verdict(self) -> str:
        """What the ranks say, in one sentence."""
        sure = [pair for pair in self.pairs if pair[2] <= false_alarms(self.level)]
        if not sure:
            better, worse, p = self.pairs[0]
            return f"No significant difference between any two models (smallest: {better} above {worse}, {p_value(p)})."
        listing = "; ".join(f"{better} above {worse} ({p_value(p)})" for better, worse, p in sure)
        return f"{len(sure)} of {len(self.pairs)} pairs differ significantly (CD {number(self.cd)}): {listing}."

    def to_table(self) -> Table:
        """One row for each pair, the surest first."""
        better, worse, p = zip(*self.pairs, strict=True)
        return Table({"better": list(better), "worse": list(worse), "p": list(map(PValue, p))}, self.verdict)


@comparison(of=DATA_SETS, cite="nemenyi1963")
def nemenyi(values: Any, names: Any = None, *, lower_is_better: bool = False, level: float = 0.95) -> Nemenyi:
    """Which models differ over many data sets, if all are compared with all?

    Nemenyi's test of all pairs by their average ranks [nemenyi1963, demsar2006].

    Parameters
    ----------
    values : array-like of shape (data sets, models), data frame, dict or RankTable
        One value of each model on each data set; {model: values} as well.
    names : sequence of str, optional
        Names of the models.
    lower_is_better : bool, default False
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    Nemenyi

    Examples
    --------
    >>> values = [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]]
    >>> nemenyi(values, ["tree", "net", "forest"]).verdict
    '1 of 3 pairs differ significantly (CD 1.66): forest above tree (p = 0.013).'
    """
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    apart = np.abs(np.subtract.outer(ranked.average, ranked.average))
    p = studentized_range_tail(apart / ranked.standard_error * np.sqrt(2), ranked.k)
    np.fill_diagonal(p, 1.0)
    cd = critical_rank_difference(ranked.k, ranked.n, level := checked_level(level))
    return Nemenyi(ranked.names, tuple(ranked.average.tolist()), p, cd, ranked.n, level)


@dataclass(frozen=True, eq=False, repr=False)
class CriticalDifference(Verdict):
    """What a critical-difference diagram shows: models along the scale of average ranks, those without a significant
    difference joined by a bar. The best model comes first."""

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
        """What the ranks say, in one sentence."""
        best, rank = self.names[0], number(self.average_ranks[0])
        beaten = self._beaten_from(self.average_ranks[0])
        near = [m for m in self.names[1:] if m not in beaten]
        cd = f"CD {number(self.cd)}"
        first = f"{best} ranks best ({rank})"
        if not near:
            return f"{first}, significantly better than {listed(beaten)} ({cd})."
        joined = f"{first}; no significant difference from {listed(near)} ({cd})"
        group = [best, *near]
        if not beaten:
            return f"{joined}."
        if beaten == self._beaten_from(self.average_ranks[len(near)]):
            all_of_them = "both" if len(group) == 2 else "all of these"
            return f"{joined}; {all_of_them} are significantly better than {listed(beaten)}."
        return f"{joined}, but significantly better than {listed(beaten)}."

    def _beaten_from(self, rank: float) -> list[str]:
        ranked = zip(self.names, self.average_ranks, strict=True)
        return [name for name, r in ranked if r - rank >= self.cd - TOLERANCE]

    def to_table(self) -> Table:
        """One row for each model: its average rank and the bars it is under (a, b, ...)."""
        bars = ["".join(_letter(i) for i, clique in enumerate(self.cliques) if m in clique) for m in self.names]
        rows = zip(self.names, self.average_ranks, bars, strict=True)
        return Table.of(({"model": m, "average rank": rank, "group": bar} for m, rank, bar in rows), self.verdict)


def critical_difference(
    values: Any, names: Any = None, *, lower_is_better: bool = False, level: float = 0.95
) -> CriticalDifference:
    """The data of a critical-difference diagram [demsar2006]: average ranks, Nemenyi's critical difference, and the
    groups of models without a significant difference.

    Parameters
    ----------
    values : array-like of shape (data sets, models), data frame, dict or RankTable
        One value of each model on each data set; {model: values} as well.
    names : sequence of str, optional
        Names of the models.
    lower_is_better : bool, default False
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    CriticalDifference

    Examples
    --------
    >>> groups = critical_difference(
    ...     [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]], ["tree", "net", "forest"]
    ... )
    >>> groups.verdict
    'forest ranks best (1); no significant difference from net (CD 1.66), but significantly better than tree.'
    """
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    cd = critical_rank_difference(ranked.k, ranked.n, level := checked_level(level))
    order = np.argsort(ranked.average, kind="stable")
    ordered = ranked.average[order]
    sorted_names = tuple(ranked.names[j] for j in order)
    cliques = tuple(sorted_names[run] for run in alike(ordered, cd))
    return CriticalDifference(sorted_names, tuple(ordered.tolist()), cd, cliques, level, ranked.n)


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"({i + 1})"


@dataclass(frozen=True, eq=False, repr=False)
class AgainstControl(Verdict):
    """Each other model against the control: z, p-value and adjusted p-value, the smallest p first."""

    control: str
    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    """of the other models"""
    control_rank: float
    z: tuple[float, ...]
    """above 0 where the other model ranks better than the control"""
    p_values: tuple[float, ...]
    adjusted: tuple[float, ...]
    correction: str
    n: int
    level: float = 0.95

    @property
    def verdict(self) -> str:
        """What the ranks say, in one sentence."""
        rows = list(zip(self.names, self.z, self.adjusted, strict=True))
        better = [m for m, z, p in rows if p <= false_alarms(self.level) and z > 0]
        worse = [m for m, z, p in rows if p <= false_alarms(self.level) and z < 0]
        parts = [f"{listed(better)} {_are(better)} significantly better than {self.control}"] if better else []
        if worse:
            than = "" if better else f" than {self.control}"
            parts.append(f"{listed(worse)} {_are(worse)} significantly worse{than}")
        if parts:
            return f"{' and '.join(parts)} ({self.correction.capitalize()}, level {self.level:g})."
        name, _, p = rows[0]
        return f"No significant difference from {self.control} (smallest: {name}, adjusted {p_value(p)})."

    def to_table(self) -> Table:
        """One row for each model, the surest first."""
        columns: dict[str, list[Any]] = {"model": list(self.names), "average rank": list(self.average_ranks)}
        p, adjusted = (list(map(PValue, values)) for values in (self.p_values, self.adjusted))
        return Table(columns | {"z": list(self.z), "p": p, "adjusted p": adjusted}, self.verdict)


@comparison(of=DATA_SETS, cite="demsar2006")
def against_control(
    values: Any,
    control: str,
    names: Any = None,
    *,
    lower_is_better: bool = False,
    correction: str = "holm",
    level: float = 0.95,
) -> AgainstControl:
    """Which models differ over many data sets from one of them, the control?

    Every model against one, by average ranks and the normal law, adjusted for their number as in [demsar2006]: more
    powerful than Nemenyi's test of all pairs.

    Parameters
    ----------
    values : array-like of shape (data sets, models), data frame, dict or RankTable
        One value of each model on each data set; {model: values} as well.
    control : str
        Name of the model that all others are compared with.
    names : sequence of str, optional
        Names of the models.
    lower_is_better : bool, default False
    correction : {"holm", "hochberg", "bonferroni"}, default "holm"
        [holm1979, hochberg1988].
    level : float, default 0.95
        Confidence of the test.

    Returns
    -------
    AgainstControl

    Examples
    --------
    >>> test = against_control(
    ...     [[0.7, 0.8, 0.9], [0.6, 0.7, 0.8], [0.5, 0.7, 0.9], [0.6, 0.65, 0.7]], "tree", ["tree", "net", "forest"]
    ... )
    >>> test.verdict
    'forest is significantly better than tree (Holm, level 0.95).'
    """
    from scipy.special import ndtr

    level = checked_level(level)
    ranked = RankTable.of(values, names, lower_is_better=lower_is_better)
    if control not in ranked.names:
        raise InputError(f"the control {control!r} is not one of the models; choose one of {quoted(ranked.names, 8)}.")
    at = ranked.names.index(control)
    z = (ranked.average[at] - ranked.average) / ranked.standard_error
    p = 2 * ndtr(-np.abs(z))
    others = sorted((j for j in range(ranked.k) if j != at), key=lambda j: p[j])
    sorted_names = tuple(ranked.names[j] for j in others)
    ranks, z_values, p_values = (tuple(x[others].tolist()) for x in (ranked.average, z, p))
    adjusted = tuple(correction_named(correction)(p[others]).tolist())
    own = float(ranked.average[at])
    return AgainstControl(control, sorted_names, ranks, own, z_values, p_values, adjusted, correction, ranked.n, level)


def _are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
