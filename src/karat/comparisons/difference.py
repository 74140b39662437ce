"""Two models: how they differ on each measure, and what that comes to in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from karat.comparisons.exchange_law import exchanges_needed
from karat.comparisons.judgement import SAME, SAME_RIGHT
from karat.comparisons.mcnemar import McNemar
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import false_alarms
from karat.core.words import PValue, interval, listed, number, p_value, within
from karat.intervals.delong import AreaTest
from karat.measures.lookup import by_name

ASPECTS = {"decisions": "MCC", "ranking": "AUNU", "probabilities": "LogL", "calibration": "ECE"}
"""What a verdict speaks of unless measures were named, each by one measure."""
TURNED = {"greater": "less", "less": "greater", "better": "worse", "worse": "better"}
"""What an alternative says of the second model, which it says of the first."""
NAMED = 6
"""So many measures are named in a verdict; of more, how many others there are."""


@dataclass(frozen=True, repr=False)
class Difference(Record):
    """How two models differ on one measure."""

    measure: str
    values: tuple[float, float]
    difference: float
    """first less second"""
    low: float
    high: float
    """the interval of this difference alone: it holds 0 exactly if `p` is above 1 - level"""
    p: float
    """of "they do not differ" (or of the alternative that was asked for); nan where it can't be told"""
    adjusted: float
    """the same after Holm's correction over all pairs of models (and classes)"""
    better: str | None
    """the model that is significantly better (after that correction); None: they can't be told apart"""
    method: str
    equivalent: bool | None = None
    """is the difference shown to be smaller than the smallest that matters? None: that was not said"""
    margin: float | tuple[float, float] | None = None
    """the smallest difference that matters, if it was said"""
    p_equivalent: float = math.nan
    """of "the difference matters" """
    noninferior: bool | None = None
    """is the first shown to be worse by less than the margin, if at all?"""
    p_noninferior: float = math.nan
    """of "the first is worse by the margin or more" """
    worse_by: float = math.nan
    """that margin: by how much the first may be worse"""
    familywise: float = math.nan
    """p after Holm's correction over all that the verdict speaks of; nan: it does not speak of this"""
    least: float = 0.0
    """the smallest p-value that so few cases, or replicates, could have given"""
    by_draws: bool = False
    """is it the number of replicates that sets it, not of cases?"""
    bias: float = 0.0
    """what so few cases add to the difference on average, as far as it can be told; the interval is without it"""
    effect: float = math.nan
    """the difference in units of its standard deviation from case to case (Cohen's d of paired values)"""
    reason: str = ""
    """why there is no p-value or interval, or what to know about them"""

    @property
    def equal(self) -> str:
        """That the models are shown to be equal for all that matters, in words; empty if they are not."""
        return f"equal within {within(self.margin)} ({p_value(self.p_equivalent)})" if self.equivalent else ""

    @property
    def span(self) -> str:
        """The difference and its interval, if it has one, in words."""
        return _span(self.difference, self.low, self.high)

    @property
    def ahead(self) -> str:
        """By how much the better one is better, with the interval, in words."""
        if self.high < 0:
            return _span(-self.difference, -self.high, -self.low)
        return self.span

    def starved(self, claims: int, level: float) -> bool:
        """Were there too few replicates for this to be among so many claims of a verdict?"""
        return self.by_draws and self.least * claims > false_alarms(level)

    def winner(self, level: float) -> str | None:
        """The model that is better by the correction of the whole verdict."""
        return self.better if self.familywise <= false_alarms(level) else None

    def turned(self) -> Difference:
        """Second less first. Non-inferiority of the second was not asked; an alternative is now the other one's."""
        margin = (-self.margin[1], -self.margin[0]) if isinstance(self.margin, tuple | list) else self.margin
        one = replace(self, values=self.values[::-1], difference=-self.difference, margin=margin, bias=-self.bias)
        return replace(
            one,
            low=-self.high,
            high=-self.low,
            effect=-self.effect,
            noninferior=None,
            p_noninferior=math.nan,
            worse_by=math.nan,
        )


def alternative_in_words(alternative: str) -> str:
    """Of a model's value, or its merit."""
    return {"greater": "higher", "less": "lower"}.get(alternative, alternative)


def _named(aspect: str, d: Difference) -> str:
    return d.span if aspect == d.measure else f"{d.measure} {d.span}"


def _span(difference: float, low: float, high: float) -> str:
    return number(difference) if math.isnan(low) else interval(difference, low, high)


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Verdict):
    """Two models."""

    names: tuple[str, str]
    differences: dict[str, Difference]
    flips: McNemar | None
    """who is right where the other is wrong; None with weights or groups, or without decisions"""
    areas: AreaTest | None
    """DeLong's test of the areas under the ROC curves of the positive class, where there is one"""
    aspects: dict[str, str]
    """what the verdict speaks of: aspect, and the measure that it is judged by"""
    level: float = 0.95
    claims: int = 1
    """p-values that the verdict, of these and other models, was corrected for"""
    alternative: str = "two-sided"

    def __getitem__(self, key: str | Measure) -> Difference:
        return by_name(self.differences, key)

    def turned(self) -> Pair:
        """The same two models, the second first."""
        return replace(
            self,
            names=self.names[::-1],
            differences={name: d.turned() for name, d in self.differences.items()},
            flips=None if self.flips is None else self.flips.turned(),
            areas=None if self.areas is None else self.areas.turned(),
            alternative=TURNED.get(self.alternative, self.alternative),
        )

    @property
    def verdict(self) -> str:
        """What was found, in one or two sentences. Its claims hold together: p-values are corrected over them all."""
        spoken = {a: d for a, key in self.aspects.items() if (d := self.differences.get(key)) is not None}
        told = {a: d for a, d in spoken.items() if d.p == d.p}
        if not told:
            reasons = list(dict.fromkeys(d.reason for d in spoken.values() if d.reason))
            return f"Nothing can be compared: {reasons[0]}." if reasons else "Nothing that both have can be compared."
        if hopeless := self._hopeless(told):
            return f"{'; '.join([hopeless, *self._within_margins(told).values()])}."
        won, rest = self._won(told), "; ".join([*self._alike(told), *self._within_margins(told).values()])
        if not won:
            return f"{rest[0].upper()}{rest[1:]}."
        return f"{'; '.join([*won, rest] if rest else won)}."

    def _hopeless(self, told: dict[str, Difference]) -> str:
        """Why nothing could have told the models apart, if so."""
        if all(d.reason in (SAME, SAME_RIGHT) for d in told.values()):
            return f"{told[next(iter(told))].reason.capitalize()}: nothing tells them apart"
        first = min(told.values(), key=lambda d: d.least)
        least = first.least * self.claims
        if least <= false_alarms(self.level):
            return ""
        few, more = "The models differ on too few cases (or groups)", ""
        if first.by_draws:
            few = "There are too few replicates"
            more = f"; give {exchanges_needed(self.claims, self.level)} replicates or more"
        corrected = f" (corrected for {self.claims} tests)" if self.claims > 1 else ""
        return (
            f"{few} to tell them apart at the level {self.level:g}: no result could have had a p-value below "
            f"{number(min(least, 1.0))}{corrected}{more}"
        )

    def _won(self, told: dict[str, Difference]) -> list[str]:
        won: dict[str, list[str]] = {name: [] for name in self.names}
        for aspect, d in told.items():
            if (name := d.winner(self.level)) is not None:
                size = f"by {d.ahead}{f', though {d.equal}' if d.equal else ''}"
                won[name].append(f"{aspect} ({size})" if aspect == d.measure else f"{aspect} ({d.measure} {size})")
        return [f"{name} is better on {listed(aspects, NAMED)}" for name, aspects in won.items() if aspects]

    def _alike(self, told: dict[str, Difference]) -> list[str]:
        within_margins = self._within_margins(told)
        alike: list[str] = []
        starved: list[str] = []
        for aspect, d in told.items():
            if d.winner(self.level) is None and aspect not in within_margins:
                some = starved if d.starved(self.claims, self.level) else alike
                some.append(f"{aspect} ({_named(aspect, d)})")
        apart = "they can't be told apart"
        if self.alternative != "two-sided":
            apart = f"{self.names[0]} is not shown to be {alternative_in_words(self.alternative)}"
        needed = f"{exchanges_needed(self.claims, self.level)} replicates or more are needed to tell"
        return [f"on {listed(some, NAMED)} {what}" for some, what in ((alike, apart), (starved, needed)) if some]

    def _within_margins(self, told: dict[str, Difference]) -> dict[str, str]:
        """Of aspects that nobody wins: that the difference is too small to matter, or the first hardly worse."""
        shown = {}
        for aspect, d in told.items():
            if d.winner(self.level) is None and d.equal:
                shown[aspect] = f"on {aspect} ({_named(aspect, d)}) they are {d.equal}"
            elif d.winner(self.level) is None and d.noninferior:
                margin = f"by less than {within(d.worse_by)}, if at all ({p_value(d.p_noninferior)})"
                shown[aspect] = f"on {aspect} ({_named(aspect, d)}) {self.names[0]} is non-inferior: worse {margin}"
        return shown

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
