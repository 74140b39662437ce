"""Wilcoxon's signed rank test: is one of two models better over many data sets?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.across.paired import advantages
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.record import Verdict
from karat.core.validation import checked_false_alarms
from karat.core.words import number, p_value
from karat.statistics.ranks import mid_ranks, places

ZEROS = ("wilcox", "pratt", "zsplit")
"""What can become of pairs without a difference; the names are scipy's."""
EXACT_UP_TO = 100
"""Pairs for which the exact law is used unless another method is named."""


@dataclass(frozen=True, eq=False, repr=False)
class Wilcoxon(Verdict):
    """Sums of the ranks of the differences for and against the first model."""

    names: tuple[str, str]
    for_first: float
    """sum of the ranks of the pairs in which the first model is better"""
    for_second: float
    p: float
    n: int
    """number of pairs"""
    equal: int
    """of them without a difference"""
    median: float
    """of the differences; above 0 where the first model is better"""
    method: str
    """exact or normal"""
    zeros: str
    level: float = 0.05

    @property
    def statistic(self) -> float:
        """The smaller sum of ranks."""
        return min(self.for_first, self.for_second)

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        a, b = self.names
        seen = f"rank sums {number(self.for_first, 1)} and {number(self.for_second, 1)}, {p_value(self.p)}"
        if self.p <= self.level:
            better, worse = (a, b) if self.for_first > self.for_second else (b, a)
            return f"{better} is better than {worse} over the {self.n} data sets (Wilcoxon: {seen})."
        return f"{a} and {b} can't be told apart over the {self.n} data sets (Wilcoxon: {seen})."


def wilcoxon(
    first: Any,
    second: Any,
    *,
    lower_is_better: bool = False,
    zeros: str = "wilcox",
    method: str = "auto",
    names: tuple[str, str] = ("A", "B"),
    level: float = 0.05,
) -> Wilcoxon:
    """Wilcoxon's signed rank test of values in pairs [wilcoxon1945], two-sided.

    Pairs without a difference are left out ("wilcox"), ranked and then left out ("pratt" [pratt1959]), or ranked and
    shared between both sides ("zsplit", as [demsar2006] has it). Differences that are equal within 1e-12 share their
    rank. The law of the rank sum is that of all signs given the ranks: exact, ties or not, for up to 100 pairs
    (`method` "exact"), otherwise normal with its variance ("normal").

    >>> found = wilcoxon([0.8, 0.7, 0.9, 0.6, 0.85], [0.7, 0.68, 0.7, 0.55, 0.84])
    >>> found.for_first, found.p
    (15.0, 0.0625)
    """
    checked_false_alarms(level)
    if zeros not in ZEROS:
        raise InputError(f"zeros is {zeros!r}; name one of {', '.join(ZEROS)}.")
    if method not in ("auto", "exact", "normal"):
        raise InputError(f"method is {method!r}; name auto, exact or normal.")
    d = advantages(first, second, lower_is_better)
    moved = np.abs(d) > TOLERANCE
    ranked = d[moved] if zeros == "wilcox" else np.where(moved, d, 0.0)
    ranks = mid_ranks(places(np.abs(ranked)))[0] if len(ranked) else ranked
    signs = np.sign(ranked)
    shared = float(ranks[signs == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    up, down = (float(ranks[signs == s].sum()) for s in (1, -1))
    own = ranks[signs != 0]
    if method == "auto":
        method = "exact" if len(d) <= EXACT_UP_TO else "normal"
    p = _exact(own, up) if method == "exact" else _normal(own, up)
    equal = int((~moved).sum())
    return Wilcoxon(names, up + shared, down + shared, p, len(d), equal, float(np.median(d)), method, zeros, level)


def _exact(ranks: Array, up: float) -> float:
    """Twice the smaller tail of the sum of the ranks that get a plus, over all signs. Twice a mid-rank is whole."""
    law = np.ones(1)
    for step in np.rint(2 * ranks).astype(int):
        longer = np.zeros(len(law) + step)
        longer[: len(law)] += law / 2
        longer[step:] += law / 2
        law = longer
    at = round(2 * up)
    return min(1.0, 2 * min(float(law[: at + 1].sum()), float(law[at:].sum())))


def _normal(ranks: Array, up: float) -> float:
    from scipy.special import ndtr

    spread = float(np.sqrt((ranks**2).sum()) / 2)
    return 1.0 if spread == 0 else float(2 * ndtr(-abs(up - ranks.sum() / 2) / spread))
