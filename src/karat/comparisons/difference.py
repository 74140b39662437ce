"""Two models: how they differ on each measure, and what that comes to in words."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from karat.comparisons.exchange_law import exchanges_needed
from karat.comparisons.judgement import LARGE_LOSSES, SAME, SAME_RIGHT, UNBIASED, UNMOVED
from karat.comparisons.mcnemar import McNemar
from karat.comparisons.measure_names import free_name, in_sentence, label_of
from karat.core.measure import Measure
from karat.core.record import Record, Verdict
from karat.core.table import Table
from karat.core.validation import false_alarms
from karat.core.words import (
    PValue,
    apart_from_0,
    at_one_precision,
    difference_words,
    listed,
    number,
    p_value,
    within,
)
from karat.intervals.delong import AreaTest
from karat.measures.lookup import by_name

ASPECTS = {"decisions": "MCC", "ranking": "AUNU", "probabilities": "LogLoss", "calibration": "ECE"}
"""What a verdict speaks of unless measures were named, each by one measure."""
ASPECTS_OF_POSITIVE = ASPECTS | {"ranking": "AUC"}
"""The same of two classes, one of them the positive one: of two classes AUNU and AUC are one number."""
ASPECTS_OF_PAPERS = ASPECTS | {"probabilities": "LogL"}
"""The same among the measures of the papers."""
CALLED = {"decisions": "class predictions"}
"""An aspect as readers know it, where that is another word."""
TURNED = {"greater": "less", "less": "greater", "better": "worse", "worse": "better"}
"""What an alternative says of the second model, which it says of the first."""
NOT_CORRECTED = "Tests of equivalence and non-inferiority are of each measure alone, and not corrected."
"""What a verdict with margins does not hold its level for as a whole."""
NAMED = 6
"""So many measures are named in a verdict; of more, how many others there are."""


@dataclass(frozen=True, repr=False)
class Difference(Record):
    """The difference of two models on one measure: what `c["forest", "tree"]["MCC"]` gives.

    Attributes
    ----------
    measure, title : str
        Symbol of the measure (`symbol[class]` of one class), and what most of the field calls it.
    values : tuple of float
        Of the first and the second model.
    difference : float
        First minus second.
    low, high : float
        The interval of this difference alone: it holds 0 exactly if `p` is above 1 - level. nan where there is none.
    p : float
        p-value of "no difference" (or of the alternative that was asked for); nan where it was not tested.
    adjusted : float
        The same after Holm's correction over all pairs of models (and classes).
    better : str or None
        The model that is significantly better, after that correction; None: no significant difference.
    method : str
        Where the p-value and the interval come from.
    equivalent, margin, p_equivalent
        With a margin: is the difference significantly smaller than the margin, and the p-value of that test.
    equivalence_low, equivalence_high, equivalence_level
        The interval of that test, of level 2 level - 1 (0.90 of 0.95): it lies within the margin exactly if
        `equivalent`. Where models differ on few cases it is of another construction than `low` and `high`.
    noninferior, worse_by, p_noninferior
        With a margin: is the first model significantly less than `worse_by` worse, and the p-value of that test.
    familywise : float
        p after Holm's correction over all tests that the verdict rests on; nan if it is none of them.
    least : float
        The smallest p-value that so few cases, or replicates, can give.
    by_draws : bool
        Is it the number of replicates that limits `least`, rather than that of cases?
    bias : float
        Estimated small-sample bias of the difference; the interval is corrected for it.
    effect : float
        Cohen's d of paired values: the difference in units of its standard deviation from case to case.
    reason : str
        Why there is no p-value or interval, or what should be known about them.

    Examples
    --------
    >>> import karat
    >>> y = [0, 1] * 20
    >>> c = karat.compare({"good": [0.2, 0.8] * 20, "poor": [0.6, 0.7] * 20}, y, measures="MSE")
    >>> d = c["good", "poor"]["MSE"]
    >>> d.better, round(d.difference, 3)
    ('good', -0.185)
    >>> d.span
    '-0.185 [-0.254, -0.116]'
    """

    measure: str
    values: tuple[float, float]
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    better: str | None
    method: str
    equivalent: bool | None = None
    margin: float | tuple[float, float] | None = None
    p_equivalent: float = math.nan
    equivalence_low: float = math.nan
    equivalence_high: float = math.nan
    equivalence_level: float = math.nan
    noninferior: bool | None = None
    p_noninferior: float = math.nan
    worse_by: float = math.nan
    familywise: float = math.nan
    least: float = 0.0
    by_draws: bool = False
    bias: float = 0.0
    effect: float = math.nan
    reason: str = ""
    title: str = ""

    @property
    def label(self) -> str:
        """Its title, with the symbol behind it."""
        return label_of(self.title or self.measure, self.measure)

    @property
    def spoken(self) -> str:
        """The measure as a sentence names it."""
        return in_sentence(self.title or self.measure)

    @property
    def equal(self) -> str:
        """That the models are significantly equivalent, in words; empty if they are not."""
        return f"equivalent within {within(self.margin)} ({self.shown_equivalent})" if self.equivalent else ""

    @property
    def shown_equivalent(self) -> str:
        """What a claim of equivalence rests on, in words: the interval of its tests, and their p-value."""
        return f"{self.interval_of_margin}, {p_value(self.p_equivalent)}"

    @property
    def interval_of_margin(self) -> str:
        """The interval of the tests against the margin, in words."""
        _, *ends = at_one_precision((self.difference, self.equivalence_low, self.equivalence_high))
        return f"{100 * self.equivalence_level:.4g} % interval [{', '.join(ends)}]"

    @property
    def span(self) -> str:
        """The difference and its interval, if it has one, in words."""
        if math.isnan(self.low):
            return number(self.difference)
        return f"{difference_words(self.difference, self.low, self.high)}{self._unbiased}"

    @property
    def missed(self) -> bool:
        """Does the interval leave out its own difference? `reason` says why."""
        return self.low > self.difference or self.high < self.difference

    @property
    def caution(self) -> str:
        """What should be known beside its interval and p-value; empty if nothing is."""
        return self.reason if self.missed or (self.p == self.p and LARGE_LOSSES in self.reason) else ""

    @property
    def _unbiased(self) -> str:
        return " after correction for bias" if self.missed and UNBIASED in self.reason else ""

    @property
    def ahead(self) -> str:
        """How much higher or lower the first model is, with the interval, in words."""
        sign = -1 if self.high < 0 or (self.difference < 0 and not self.low > 0) else 1
        low, high = sorted((sign * self.low, sign * self.high))
        size, *between = apart_from_0(sign * self.difference, low, high)
        return f"{size} {'lower' if sign < 0 else 'higher'} [{', '.join(between)}]{self._unbiased}"

    def starved(self, claims: int, level: float) -> bool:
        """Were there too few replicates for this to be among so many claims of a verdict?"""
        return self.by_draws and self.least * claims > false_alarms(level)

    @property
    def deciding_p(self) -> float:
        """The p-value that decides whether it is significant: of what a verdict speaks of that of the whole verdict, so
        that tables and verdicts never disagree."""
        return self.adjusted if math.isnan(self.familywise) else self.familywise

    def differs(self, level: float) -> bool:
        """Is it significant, by that p-value?"""
        return self.deciding_p <= false_alarms(level)

    def winner(self, level: float) -> str | None:
        """The model that is significantly better, by that p-value."""
        return self.better if self.differs(level) else None

    def turned(self) -> Difference:
        """Second less first. Non-inferiority of the second was not asked; an alternative is now the other one's."""
        margin = (-self.margin[1], -self.margin[0]) if isinstance(self.margin, tuple | list) else self.margin
        one = replace(self, values=self.values[::-1], difference=-self.difference, margin=margin, bias=-self.bias)
        return replace(
            one,
            low=-self.high,
            high=-self.low,
            effect=-self.effect,
            equivalence_low=-self.equivalence_high,
            equivalence_high=-self.equivalence_low,
            noninferior=None,
            p_noninferior=math.nan,
            worse_by=math.nan,
        )


ALIKE = "no significant difference"


def _seen(alike: list[Difference], claims: int) -> str:
    """Of one difference that is not significant its size and p-value; of several the smallest p-value."""
    least = _p_of_all(min(d.familywise for d in alike), claims)
    if len(alike) == 1:
        return f"difference {alike[0].span}, {least}"
    return least if least.endswith("= 1") else least.replace("=", "≥")


def _p_of_all(p: float, claims: int) -> str:
    """Of so many tests: the interval beside it is of the measure alone, as may be the p-value of a table."""
    return f"corrected {p_value(p)}" if claims > 1 else p_value(p)


def alternative_in_words(alternative: str) -> str:
    """Of a model's value, or its merit."""
    return {"greater": "higher", "less": "lower"}.get(alternative, alternative)


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Verdict):
    """Two models on the same cases: what `c["forest", "tree"]` gives. `pair["MCC"]` is their difference on a measure.

    Attributes
    ----------
    names : tuple of str
        The first and the second model.
    differences : dict
        {symbol: Difference}, first minus second.
    flips : McNemar or None
        Cases on which only one model is correct; None with weights or groups, or without predicted classes.
    areas : AreaTest or None
        DeLong's test of the ROC AUC of the positive class, where there is one.
    aspects : dict
        {aspect: symbol} of what the verdict speaks of.
    level : float
        Confidence of tests and intervals.
    claims : int
        Number of tests that the verdict, of these and other models, is corrected for.
    alternative : str
        "two-sided", or the side that was tested.
    caveat : str
        Why p-values are smaller than they should be (copies of rows); the verdict ends with it.

    Examples
    --------
    >>> import karat
    >>> y = [0, 1] * 20
    >>> c = karat.compare({"good": [0.2, 0.8] * 20, "poor": [0.6, 0.7] * 20}, y, measures="accuracy")
    >>> c["good", "poor"].verdict
    'good is significantly better on accuracy (0.500 higher [0.300, 0.700], p < 0.001).'
    """

    names: tuple[str, str]
    differences: dict[str, Difference]
    flips: McNemar | None
    areas: AreaTest | None
    aspects: dict[str, str]
    level: float = 0.95
    claims: int = 1
    alternative: str = "two-sided"
    caveat: str = ""

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
        """What was found, and what speaks against it."""
        return " ".join(filter(None, (self.claim, self.caveat)))

    @property
    def claim(self) -> str:
        """What was found, in a sentence. Its parts hold together: p-values are corrected over them all."""
        spoken = [d for key in self.aspects.values() if (d := self.differences.get(key)) is not None]
        tested = [d for d in spoken if d.p == d.p]
        if not tested:
            reason = next((d.reason for d in spoken if d.reason), "")
            return f"{' and '.join(self.names)} can't be compared: {reason or 'no measure is available for both'}."
        of_margins = [*self._within_margins(tested).values(), *self._margins_missed(tested)]
        if hopeless := self._hopeless(tested):
            return f"{'; '.join([hopeless, *of_margins])}."
        clauses = [*self._won(tested), *self._alike(tested), *of_margins]
        if untested := [d.spoken for d in spoken if d.p != d.p]:
            clauses.append(f"{listed(untested, NAMED)} could not be tested")
        text = "; ".join(clauses)
        return f"{text[0].upper()}{text[1:]}." if text.startswith(ALIKE) else f"{text}."

    def _hopeless(self, tested: list[Difference]) -> str:
        """Why nothing could have been significant, if so."""
        if all(d.reason in (SAME, SAME_RIGHT, UNMOVED) for d in tested):
            return f"No significant difference between {' and '.join(self.names)}: {tested[0].reason}"
        first = min(tested, key=lambda d: d.least)
        least = first.least * self.claims
        if least <= false_alarms(self.level):
            return ""
        few, more = "they differ on too few cases (or groups), so", ""
        if first.by_draws:
            few, more = "with so few replicates", f"; use {exchanges_needed(self.claims, self.level)} or more"
        corrected = f" (corrected for {self.claims} tests)" if self.claims > 1 else ""
        return (
            f"No test could show a significant difference between {' and '.join(self.names)}: {few} p can't be below "
            f"{number(min(least, 1.0))}{corrected}{more}"
        )

    def _won(self, tested: list[Difference]) -> list[str]:
        """Who is significantly better on what; of measures that only describe, what differs."""
        differ = f"{' and '.join(self.names)} differ significantly on"
        better = {name: f"{name} is significantly better on" for name in self.names}
        won: dict[str, list[str]] = {who: [] for who in (*better.values(), differ)}
        for d in tested:
            if d.differs(self.level):
                name = d.winner(self.level)
                size = (d.turned() if name == self.names[1] else d).ahead
                equal = f", but {d.equal}" if d.equal else ""
                who = differ if name is None else better[name]
                won[who].append(f"{d.spoken} ({size}, {_p_of_all(d.familywise, self.claims)}{equal})")
        return [f"{who} {listed(measures, NAMED)}" for who, measures in won.items() if measures]

    def _alike(self, tested: list[Difference]) -> list[str]:
        """On what there is no significant difference, and what too few replicates could not tell."""
        within_margins = self._within_margins(tested)
        others = [d for d in tested if not d.differs(self.level) and d.measure not in within_margins]
        starved = [d for d in others if d.starved(self.claims, self.level)]
        alike = [d for d in others if d not in starved]
        clauses = []
        if alike:
            what = ALIKE if len(alike) < len(tested) else f"{ALIKE} between {' and '.join(self.names)}"
            if self.alternative != "two-sided":
                what = f"{self.names[0]} is not significantly {alternative_in_words(self.alternative)}"
            clauses.append(f"{what} on {listed([d.spoken for d in alike], NAMED)} ({_seen(alike, self.claims)})")
        if starved:
            needed = exchanges_needed(self.claims, self.level)
            clauses.append(
                f"{listed([d.spoken for d in starved], NAMED)} can't be tested with fewer than {needed} replicates"
            )
        return clauses

    def _within_margins(self, tested: list[Difference]) -> dict[str, str]:
        """Of measures without a significant difference: equivalence within the margin, or non-inferiority."""
        both, shown = " and ".join(self.names), {}
        for d in tested:
            if d.differs(self.level):
                continue
            if d.equivalent:
                size, *_ = at_one_precision((d.difference, d.equivalence_low, d.equivalence_high))
                seen = f"difference {size}, {d.shown_equivalent}"
                shown[d.measure] = f"{both} are equivalent on {d.spoken} within {within(d.margin)} ({seen})"
            elif d.noninferior:
                seen = f"worse by less than {within(d.worse_by)}, if at all; {p_value(d.p_noninferior)}"
                shown[d.measure] = f"{self.names[0]} is non-inferior on {d.spoken} ({seen})"
        return shown

    def _margins_missed(self, tested: list[Difference]) -> list[str]:
        """On what neither equivalence within the margin nor non-inferiority was shown."""
        missed: dict[str, list[str]] = {}
        for d in tested:
            if d.margin is not None and not (d.equivalent or d.noninferior):
                missed.setdefault(within(d.margin), []).append(d.spoken)
        return [
            f"neither equivalence within {margin} nor non-inferiority of {self.names[0]} was shown on "
            f"{listed(measures, NAMED)}"
            for margin, measures in missed.items()
        ]

    def margins_in_words(self, keys: Collection[str]) -> list[str]:
        """What tests against margins gave, of each of these measures that has one."""
        with_margin = [d for key in keys if (d := self.differences[key]).margin is not None]
        return [f"{d.title or d.measure}: {self._margin_in_words(d)}." for d in with_margin]

    def _margin_in_words(self, d: Difference) -> str:
        if d.p_equivalent != d.p_equivalent:
            return f"not tested against a margin{f': {d.reason}' * bool(d.reason)}"
        shown = "equivalent" if d.equivalent else "not shown to be equivalent"
        said = f"{' and '.join(self.names)} are {shown} within {within(d.margin)} ({d.shown_equivalent})"
        if d.p_noninferior != d.p_noninferior:
            return said
        shown = "non-inferior" if d.noninferior else "not shown to be non-inferior"
        return f"{said}; {self.names[0]} is {shown} ({p_value(d.p_noninferior)})"

    def to_table(self) -> Table:
        """One row for each measure; the p-values are those that decide."""
        fixed = ("measure", "symbol", "difference", "low", "high", "p", "effect", "significantly better", "equivalent")
        a, b = (free_name(name, fixed) for name in self.names)
        rows: list[dict[str, Any]] = []
        for d in self.differences.values():
            row = {"measure": d.title or d.measure, "symbol": d.measure, a: d.values[0], b: d.values[1]}
            row |= {"difference": d.difference, "low": d.low, "high": d.high, "p": PValue(d.deciding_p)}
            row |= {"effect": d.effect, "significantly better": d.winner(self.level) or ""}
            rows.append(row | ({"equivalent": d.equal} if self.has_margins else {}))
        return replace(Table.of(rows, self.verdict), notes=self._corrections)

    @property
    def has_margins(self) -> bool:
        """Was equivalence tested?"""
        return any(d.margin is not None for d in self.differences.values())

    @property
    def _corrections(self) -> tuple[str, ...]:
        """Why an interval may leave out 0 beside a p-value that is not small; empty if it can't."""
        if self.claims < 2:
            return ()
        alone = f"{100 * self.level:g} % intervals are of each difference alone"
        said = f"p-values of the verdict's measures are corrected (Holm) for its {self.claims} tests; {alone}."
        return (said, NOT_CORRECTED) if self.has_margins else (said,)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; undefined is None."""
        facts = super().to_dict()
        return {"models": facts.pop("names"), **facts}

    __repr__ = Record.__repr__
