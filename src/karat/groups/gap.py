"""Gaps between groups: how large, how surely, and whether they are more than the luck of the draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.core.record import Verdict
from karat.core.table import Table
from karat.core.validation import false_alarms
from karat.core.words import PValue, interval, listed, number, p_value
from karat.groups.gap_intervals import (
    Values,
    difference_interval,
    largest_difference,
    range_level,
    spread,
    standard_errors,
)
from karat.intervals.interval import Interval
from karat.measures.value import MeasureOf

KINDS = ("difference", "ratio", "worst", "spread")
TITLES = {
    "difference": "largest difference",
    "ratio": "smallest ratio",
    "worst": "worst group against the rest",
    "spread": "standard deviation between groups",
}
NULLS = {
    "classes": "group labels permuted within true classes",
    "all": "group labels permuted among all cases",
}
ROUNDING = 1e-9
"""Of a standardised deviation, by which two that are equal may differ."""


@dataclass(frozen=True, eq=False, repr=False)
class Gap(Verdict):
    """How far a measure is apart between groups: what `e.by(site).gap("recall")` returns.

    Attributes
    ----------
    measure : str
        Its symbol.
    kind : str
        "difference": the largest one between two groups. "ratio": of the smallest to the largest value. "worst": the
        worst group less all other cases. "spread": the standard deviation of the true values between groups, beyond
        what sampling makes.
    value, low, high : float
        The gap and its interval; nan where there is none. It holds 0 (a ratio: 1) where the test does not reject.
    p : float
        Of the test that the group of a case says nothing (`null` says of what): the share of permutations of the group
        labels in which some group is as far, in standard deviations, from what permutations give it.
    p_by_group : dict
        {group: p-value} of each group against the others, corrected for their number (Westfall & Young).
    worst, best : str
        The groups with the worst and the best value (the lowest and the highest, if neither is better).
    smallest_p : float
        The smallest p-value that could have come out.
    replicates : int
        Number of permutations.
    left_out : dict
        {group: why it was not compared}.
    reason : str
        Why something is missing, or what should be known; empty if there is nothing to say.
    """

    measure: str
    title: str
    kind: str
    value: float
    low: float
    high: float
    p: float
    level: float
    worst: str = ""
    best: str = ""
    groups: int = 0
    null: str = ""
    prevalence: str = "own"
    replicates: int = 0
    smallest_p: float = math.nan
    p_by_group: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def verdict(self) -> str:
        """In one sentence."""
        if math.isnan(self.value):
            return f"{self.title} is not compared between the groups: {self.reason}."
        known = self.low == self.low
        size = interval(self.value, self.low, self.high) if known else number(self.value)
        common = " at a common prevalence" if self.prevalence == "common" else ""
        between = f"between {self.worst} and {self.best}" if self.kind in ("difference", "ratio") else (
            f"of {self.worst}" if self.kind == "worst" else f"of {self.groups} groups"
        )  # fmt: skip
        gap = f"{TITLES[self.kind]} {size} {between}, {p_value(self.p)}"
        if self.p <= false_alarms(self.level):
            return f"{self.title}{common} differs significantly between {self.groups} groups: {gap}."
        shown = "No significant difference in" if self.p == self.p else "Differences are not tested for"
        return f"{shown} {self.title}{common} between {self.groups} groups: {gap}."

    def to_table(self) -> Table:
        """One row."""
        row = {
            "measure": self.title, "gap": TITLES[self.kind], "value": self.value, "low": self.low, "high": self.high,
            "p": PValue(self.p), "worst": self.worst, "best": self.best, "prevalence": self.prevalence,
            "null": self.null, "note": self.reason,
        }  # fmt: skip
        return Table({name: [value] for name, value in row.items()}, self.verdict)


class Permuted(NamedTuple):
    """What permutations of the labels say of the values that were seen."""

    p: float
    p_of_spread: float
    by_group: Array
    """[groups]: p-values, corrected for their number"""
    surplus: Array
    """[groups]: by how much of itself the deviation exceeds what permutations give with the level's certainty; at
    most 0 where they do not reject"""


def permuted(seen: Array, drawn: Array, level: float) -> Permuted:
    """Of seen[groups] and drawn[replicates, groups]. Deviations are in standard deviations of all of them together, so
    that what was seen is one of as many that are equally likely if the labels say nothing."""
    everything = np.concatenate([seen[None], drawn])
    with np.errstate(all="ignore"):
        known = np.isfinite(everything)
        x = np.where(known, everything, 0.0)
        times = np.maximum(known.sum(axis=0), 1)
        centre = x.sum(axis=0) / times
        away = np.where(known, x - centre, 0.0)
        error = np.sqrt((away**2).sum(axis=0) / times)
        apart = np.where(error > 1e-12, np.abs(away) / np.where(error > 0, error, 1.0), 0.0)
    most = apart.max(axis=1)
    squares = (apart**2).sum(axis=1)
    as_far = most[:, None] >= apart[0] - ROUNDING
    allowed = int(false_alarms(level) * len(most) + ROUNDING)
    limit = np.sort(most)[::-1][allowed] if allowed < len(most) else 0.0  # so many are farther, or as far
    with np.errstate(all="ignore"):
        surplus = np.where(apart[0] > 0, 1 - limit / apart[0], 0.0)
    p = float((most >= most[0] - ROUNDING).mean())
    p_of_spread = float((squares >= squares[0] - ROUNDING).mean())
    return Permuted(p, p_of_spread, as_far.mean(axis=0), surplus)


class Compared(NamedTuple):
    """What a gap is made of."""

    m: MeasureOf
    labels: list[str]
    values: Array
    rest: Array
    """[groups]: of all other cases"""
    ends: Callable[[float], list[Interval]]
    """the intervals of the groups, of any level"""
    ends_of_rest: Callable[[int, float], Interval]
    permuted: Permuted | None


def measured_gap(kind: str, c: Compared, level: float, known: Gap) -> Gap:
    """The gap of this kind; `known` has what does not depend on the kind."""
    way = c.m.measure.orientation
    order = np.argsort(c.values * (way or 1), kind="stable")
    worst, best = int(order[0]), int(order[-1])
    if kind == "worst" and way == 0:
        worst = int(np.nanargmax(np.abs(c.values - c.rest)))
    p = math.nan if c.permuted is None else c.permuted.p
    if kind == "worst":
        p = math.nan if c.permuted is None else float(c.permuted.by_group[worst])
    elif kind == "spread":
        p = math.nan if c.permuted is None else c.permuted.p_of_spread
    known = replace(known, kind=kind, worst=c.labels[worst], best=c.labels[best], p=p)
    value, low, high, reason = {"difference": _difference, "ratio": _ratio, "worst": _worst, "spread": _spread}[kind](
        c, level, worst
    )
    shown = p <= false_alarms(level)
    if p == p and low == low and kind != "ratio":
        low, high = _agreeing(value, low, high, shown, _least(c, value))
    elif p == p and low == low and not shown:
        high = 1.0
    said = "; ".join(text for text in (known.reason, reason) if text)
    return replace(known, value=value, low=low, high=high, reason=said)


def _least(c: Compared, value: float) -> float:
    """What is left of the gap by the permutations alone: their largest surplus."""
    return 0.0 if c.permuted is None else float(max(c.permuted.surplus.max(), 0.0)) * value


def _agreeing(value: float, low: float, high: float, shown: bool, least: float) -> tuple[float, float]:
    """The interval holds 0 where the test does not reject, and where it does not hold it, the test does."""
    if not shown:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0 <= high and least:
        return (min(least, value), high) if value > 0 else (low, max(least, value))
    return low, high


Ends = tuple[float, float, float, str]


def _known(c: Compared, level: float) -> tuple[Values, str]:
    """The groups with an interval of this level, and what to say of the others."""
    ends = c.ends(level)
    x = np.array([(one.value, one.low, one.high) for one in ends], float).reshape(-1, 3)
    there = np.isfinite(x).all(axis=1)
    without = [label for label, here in zip(c.labels, there, strict=True) if not here]
    said = f"the interval leaves out {listed(without, 3)}, which have none" if without else ""
    if there.sum() < 2:
        said = f"no interval: {next(one.reason for one, here in zip(ends, there, strict=True) if not here)}"
    return Values(*x[there].T), said


def _difference(c: Compared, level: float, worst: int) -> Ends:
    v, said = _known(c, range_level(len(c.values), level))
    low, high = largest_difference(v) if len(v.value) > 1 else (math.nan, math.nan)
    return float(np.ptp(c.values)), low, high, said


def _ratio(c: Compared, level: float, worst: int) -> Ends:
    least, most = float(c.values.min()), float(c.values.max())
    if least < 0 or most <= 0:
        return math.nan, math.nan, math.nan, "a ratio needs values above 0"
    v, said = _known(c, range_level(len(c.values), level))
    if len(v.value) < 2 or (v.low < 0).any():
        return least / most, math.nan, math.nan, said or "no interval: a ratio needs values above 0"
    with np.errstate(divide="ignore"):
        logs = Values(*(np.log(np.maximum(x, 1e-300)) for x in v))
    low, high = largest_difference(logs)
    return least / most, math.exp(-high), math.exp(-low), said


def _worst(c: Compared, level: float, worst: int) -> Ends:
    comparisons = len(c.values) if len(c.values) > 2 else 1
    each = level ** (1 / comparisons)
    one, rest = c.ends(each)[worst], c.ends_of_rest(worst, each)
    value = float(c.values[worst] - c.rest[worst])
    if not all(map(math.isfinite, (one.low, rest.low))):
        return value, math.nan, math.nan, f"no interval: {one.reason or rest.reason}"
    low, high = difference_interval((one.value, one.low, one.high), (rest.value, rest.low, rest.high))
    return value, low, high, ""


def _spread(c: Compared, level: float, worst: int) -> Ends:
    v, said = _known(c, level)
    error = standard_errors(v, level)
    if len(v.value) < 2 or (error <= 0).any():
        return math.nan, math.nan, math.nan, said or "the precision of some group is not known"
    value, low, high = spread(v.value, error, level)
    return value, low, max(high, value), said
