"""Are outputs named wrongly, or only decided with a bias? Both can make another naming more accurate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.core.arithmetic import Array
from karat.measures.agreement import best_names, matthews_correlation
from karat.statistics import Counts
from karat.statistics.p_values import SURE, binomial_tail

FAR_BETTER = 4.0
"""Names are wrong where truth and decisions go together several times better under others."""


@dataclass(frozen=True)
class Exchange:
    """Classes that the most accurate naming exchanges among themselves: one cycle of it."""

    pairs: tuple[tuple[int, int], ...]
    """(class, output that should be read as it)"""
    before: float
    """MCC among these classes, as they are named"""
    after: float
    """... and as they would be"""
    chance: float
    """of so many cases in one of the pairs, if the decisions knew nothing"""
    mutual: float
    """the share of the pairs that hold more cases than anything else in their row and in their column"""

    @property
    def wrong(self) -> bool:
        """Are these outputs named wrongly? A biased classifier takes many classes for one, so that few outputs have a
        class of their own under any naming, and truth and decisions go together best as they are named. Of two classes
        exchanging the names turns the sign of MCC, which says it all."""
        clear = len(self.pairs) == 2 or self.mutual > 0.5
        return bool(self.after > 0 and self.before < self.after / FAR_BETTER and clear and self.chance < SURE)

    @classmethod
    def of(cls, table: Array, pairs: list[tuple[int, int]], case: float) -> Exchange:
        """`case` is what a weight counts in cases."""
        rows, columns = (list(places) for places in zip(*pairs, strict=True))
        named, renamed = table[np.ix_(rows, rows)], table[np.ix_(rows, columns)]
        before, after = (float(matthews_correlation(Counts(t))) for t in (named, renamed))
        own, t, u, n = np.diag(renamed), renamed.sum(axis=1), renamed.sum(axis=0), renamed.sum()
        tails = [  # drawing without putting back is bounded by drawing with it
            binomial_tail(own[i] * case, min(t[i], u[i]) * case, max(t[i], u[i]) / n) for i in np.flatnonzero(own > 0)
        ]
        mutual = (own >= renamed.max(axis=0)) & (own >= renamed.max(axis=1)) & (own > 0)
        chance = min([1.0, *(len(own) * tail for tail in tails)])
        return cls(tuple(pairs), before, after, chance, float(mutual.mean()))


def exchanges(table: Array, case: float = 1.0) -> list[Exchange]:
    """What the most accurate naming of the outputs of a square table exchanges."""
    rows, columns = best_names(table)
    to = {int(i): int(j) for i, j in zip(rows, columns, strict=True) if i != j}
    cycles = []
    while to:
        at = min(to)
        pairs = []
        while at in to:
            pairs.append((at, to[at]))
            at = to.pop(at)
        cycles.append(Exchange.of(table, pairs, case))
    return cycles
