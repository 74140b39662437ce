"""Two models on the same cases: how they differ on each measure, and what that comes to in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import ndtr

from karat.comparisons.mcnemar import McNemar
from karat.core.arithmetic import Array
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.words import PValue, interval, listed, p_value, within
from karat.intervals.delong import AreaTest
from karat.measures.lookup import by_name

BOOTSTRAP, BOOTSTRAP_OF_GROUPS = "paired bootstrap", "paired bootstrap of groups"
MCNEMAR, DELONG, PERMUTATION = "McNemar, exact", "DeLong", "permutation"
"""Methods: where the p-value of a difference comes from."""
ASPECTS = {"decisions": "MCC", "ranking": "AUNU", "probabilities": "LogL", "calibration": "CalB"}
"""What a verdict speaks of, each by one measure."""


@dataclass(frozen=True, repr=False)
class Difference(Record):
    """How two models differ on one measure."""

    measure: str
    values: tuple[float, float]
    difference: float
    """first less second"""
    low: float
    high: float
    p: float
    """of "they do not differ", two-sided; nan where it can't be told"""
    adjusted: float
    """the same after Holm's correction over all pairs of models"""
    better: str | None
    """the model that is better beyond chance (after the correction); None: they can't be told apart"""
    method: str
    equivalent: bool | None = None
    """is the difference shown to be smaller than the smallest that matters? None: that was not said"""
    margin: float | tuple[float, float] | None = None
    """the smallest difference that matters, if it was said"""
    p_equivalent: float = math.nan
    """of "the difference matters" """

    @property
    def equal(self) -> str:
        """That the models are shown to be equal for all that matters, in words; empty if they are not."""
        return f"equal within {within(self.margin)} ({p_value(self.p_equivalent)})" if self.equivalent else ""

    def turned(self) -> Difference:
        """Second less first."""
        margin = (-self.margin[1], -self.margin[0]) if isinstance(self.margin, tuple | list) else self.margin
        one = replace(self, values=self.values[::-1], difference=-self.difference, margin=margin)
        return replace(one, low=-self.high, high=-self.low)


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Verdict):
    """Two models on the same cases."""

    names: tuple[str, str]
    differences: dict[str, Difference]
    flips: McNemar | None
    """who is right where the other is wrong; None with weights or groups, or without decisions"""
    areas: AreaTest | None
    """DeLong's test of the areas under the ROC curves of the positive class, where there is one"""

    def __getitem__(self, key: str | Measure) -> Difference:
        return by_name(self.differences, key)

    def turned(self) -> Pair:
        """The same two models, the second first."""
        return Pair(
            self.names[::-1],
            {name: d.turned() for name, d in self.differences.items()},
            None if self.flips is None else self.flips.turned(),
            None if self.areas is None else self.areas.turned(),
        )

    @property
    def verdict(self) -> str:
        """What was found, in one or two sentences."""
        a, b = self.names
        won: dict[str, list[str]] = {a: [], b: []}
        alike, equal = [], []
        for aspect, symbol in ASPECTS.items():
            d = self.differences.get(symbol)
            if d is None or d.difference != d.difference:
                continue
            if d.better is None and d.equal:
                equal.append(f"on {aspect} ({symbol} {interval(d.difference, d.low, d.high, 3)}) they are {d.equal}")
            elif d.better is None:
                alike.append(f"{aspect} ({symbol} {interval(d.difference, d.low, d.high, 3)})")
            else:
                low, high = sorted((abs(d.low), abs(d.high)))
                size = interval(abs(d.difference), low, high, 3)
                though = f", though {d.equal}" if d.equal else ""
                won[d.better].append(f"{aspect} ({symbol} by {size}{though})")
        clauses = [f"{name} is better on {listed(aspects)}" for name, aspects in won.items() if aspects]
        if alike:
            clauses.append(f"on {listed(alike)} they can't be told apart")
        clauses += equal
        return f"{'; '.join(clauses)}." if clauses else "Nothing that both have can be compared."

    def to_table(self) -> Table:
        """One row for each measure."""
        a, b = self.names
        with_margins = any(d.margin is not None for d in self.differences.values())
        rows: list[dict[str, Any]] = []
        for d in self.differences.values():
            row = {"measure": d.measure, a: d.values[0], b: d.values[1], "difference": d.difference, "low": d.low}
            row |= {"high": d.high, "p": PValue(d.adjusted), "better": d.better or ""}
            rows.append(row | ({"equal": d.equal} if with_margins else {}))
        return Table.of(rows, self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined is None."""
        facts = super().to_dict()
        return {"models": facts.pop("names"), **facts}

    __repr__ = Record.__repr__


def no_difference(difference: float, drawn: Array) -> float:
    """The p-value of "they do not differ": twice the share of replicates beyond 0. Where none is, that would only tell
    how many replicates there are, and of many pairs none could pass a correction; then it is the tail of a normal
    distribution with the standard error of the replicates, if that is smaller."""
    beyond = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (1 + beyond) / (1 + len(drawn)))
    error = float(drawn.std(ddof=1))
    return min(p, 2 * float(ndtr(-abs(difference) / error))) if beyond == 0 and error > 0 else p
