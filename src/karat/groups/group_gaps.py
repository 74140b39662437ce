"""The gap of a measure between the groups that can be compared: values, intervals and permutations put together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.measure import PRIOR, Measure
from karat.core.table import Table
from karat.core.words import PValue, counted
from karat.decisions.prevalence import observed_shares, restated
from karat.groups.gap import NULLS, Compared, Gap, Permuted, measured_gap, permuted
from karat.groups.gap_names import gap_named
from karat.groups.group_values import values_by_group
from karat.intervals.interval import Interval, intervals
from karat.intervals.support import FEWEST_OF_CLASS
from karat.measures.certified import certain_value
from karat.measures.choices import refuse_unchosen
from karat.measures.lookup import find
from karat.measures.value import NO_VALUE, MeasureOf
from karat.statistics import Summary
from karat.statistics.added import needs_cases
from karat.statistics.p_values import holm

if TYPE_CHECKING:
    from karat.groups.group_tables import ByGroup


@dataclass(frozen=True)
class GapOptions:
    """How a gap is looked for."""

    kind: str
    prevalence: str
    within: str | None
    level: float
    replicates: int
    seed: int
    smallest: int


def gap_between(by: ByGroup, name: str | Measure, o: GapOptions) -> Gap:
    """The gap of a measure, or one that has a name of its own."""
    wanted = gap_named(name)
    gaps = [_gap(by, find(symbol), o, len(wanted.measures)) for symbol in wanted.measures]
    return replace(gaps[0], title=wanted.title) if len(gaps) == 1 else _larger(wanted.title, gaps, o.level)


def _gap(by: ByGroup, measure: Measure, o: GapOptions, of: int) -> Gap:
    refuse_unchosen(measure, by.whole)
    m = MeasureOf.on(measure, by.whole)
    level = 1 - (1 - o.level) / of
    nan = math.nan
    empty = Gap(measure.symbol, measure.title, o.kind, nan, nan, nan, nan, level, prevalence=o.prevalence)
    if reason := m.why_not(by.whole):
        return replace(empty, reason=reason)
    left_out, kept = _comparable(by, m, o)
    if len(kept) < 2:
        why = f"fewer than two groups have at least {counted(o.smallest)}"
        if any("of each class" in reason for reason in left_out.values()):
            why += f" and {FEWEST_OF_CLASS} of each class"
        return replace(empty, left_out=left_out, reason=why)
    taken = _Taken(by, m, kept, o)
    values = taken.values
    if not np.isfinite(values).all():
        lost = [by.groups[g] for g, v in zip(kept, values, strict=True) if not math.isfinite(v)]
        left_out |= dict.fromkeys(lost, measure.undefined or NO_VALUE)
        kept = [g for g in kept if by.groups[g] not in left_out]
        if len(kept) < 2:
            return replace(empty, left_out=left_out, reason="fewer than two groups have a value")
        taken = _Taken(by, m, kept, o)
    found, why, count, least = taken.permuted(level)
    null = NULLS[taken.within]
    known = replace(
        empty, groups=len(kept), null=null, replicates=count, smallest_p=least, left_out=left_out, reason=why,
        p_by_group={} if found is None else dict(zip(taken.labels, found.by_group.tolist(), strict=True)),
    )  # fmt: skip
    return measured_gap(o.kind, taken.compared(found), level, known)


def _comparable(by: ByGroup, m: MeasureOf, o: GapOptions) -> tuple[dict[str, str], list[int]]:
    """Why groups are left out, and which are not: by their numbers of cases alone, whatever was predicted."""
    cases = by.class_cases
    total = cases.sum(axis=0)
    rate = m.cases(by.whole)
    of_all = rate is not None and rate[1] == by.whole.source.class_weight.sum()  # whatever their classes are
    every = o.prevalence == "common" or ((PRIOR in m.measure.invariant or m.place is not None) and not of_all)
    sides = cases[:, total > 0]
    if m.place is not None and o.prevalence == "own":
        sides = np.stack([cases[:, m.place], cases.sum(axis=1) - cases[:, m.place]], axis=1)
    left_out: dict[str, str] = {}
    kept = []
    for g, (count, least) in enumerate(zip(cases.sum(axis=1).tolist(), sides.min(axis=1).tolist(), strict=True)):
        if count < o.smallest:
            left_out[by.groups[g]] = f"it has fewer than {counted(o.smallest)}"
        elif every and least < FEWEST_OF_CLASS:
            left_out[by.groups[g]] = f"it has fewer than {FEWEST_OF_CLASS} cases of each class"
        else:
            kept.append(g)
    return left_out, kept


def _larger(title: str, gaps: list[Gap], level: float) -> Gap:
    """Of several measures, each with its share of the false alarms: the gap that is larger (the ratio that is smaller),
    its p-value the smallest of all after Holm's correction. A worst group has a direction: there it is the gap with the
    smallest p-value."""
    valued = [gap for gap in gaps if gap.value == gap.value]
    if not valued:
        return replace(gaps[0], title=title, level=level)
    kind = valued[0].kind
    extreme = min if kind == "ratio" else max
    first = extreme(valued, key=lambda gap: gap.value)
    if kind == "worst":
        first = min(valued, key=lambda gap: (gap.p if gap.p == gap.p else 2.0, -abs(gap.value)))
    known = [gap.p for gap in gaps if gap.p == gap.p]
    p = float(holm(known).min()) if known else math.nan
    ends = [(first.low, first.high)] if kind == "worst" else [(gap.low, gap.high) for gap in valued]
    low, high = (math.nan if any(x != x for x in of_all) else extreme(of_all) for of_all in zip(*ends, strict=True))
    names = " and ".join(gap.title for gap in gaps)
    lost = [f"no gap in {gap.title}, as {gap.reason}" for gap in gaps if gap.value != gap.value]
    said = [first.reason, f"the larger of the gaps in {names}, here that in {first.title}", *lost]
    left_out = {group: why for gap in gaps for group, why in gap.left_out.items()}
    reason = "; ".join(filter(None, said))
    return replace(first, title=title, level=level, p=p, low=low, high=high, left_out=left_out, reason=reason)


def gaps_table(by_column: Mapping[str, list[Gap]]) -> Table:
    """One row for each gap; p-values corrected over all of them."""
    rows = [(name, gap) for name, gaps in by_column.items() for gap in gaps]
    corrected = holm([gap.p for _, gap in rows])
    columns: dict[str, list[Any]] = {"by": [name for name, _ in rows]} if len(by_column) > 1 else {}
    columns |= {"measure": [gap.title for _, gap in rows]}
    for name in ("value", "low", "high"):
        columns[name] = [getattr(gap, name) for _, gap in rows]
    columns["p"] = [PValue(gap.p) for _, gap in rows]
    columns["p (Holm)"] = [PValue(p) for p in corrected.tolist()]
    columns |= {"worst": [gap.worst for _, gap in rows], "best": [gap.best for _, gap in rows]}
    columns["note"] = [gap.reason for _, gap in rows]
    return Table(columns, "Gaps between groups")


class _Taken:
    """Some of the groups of a measure, at their own prevalence or a common one."""

    def __init__(self, of: ByGroup, m: MeasureOf, kept: list[int], o: GapOptions) -> None:
        self.of, self.m, self.kept, self.o = of, m, kept, o
        self.labels = [of.groups[g] for g in kept]
        self.whole = of.together(kept)
        self.share = observed_shares(self.whole)
        free = free_of_prevalence(m, self.whole)
        self.common = o.prevalence == "common" and not free
        self.within = o.within or ("classes" if self.common or free else "all")

    @cached_property
    def parts(self) -> list[Summary]:
        own = [self.of.parts[g] for g in self.kept]
        return [Summary(restated(part, self.share)) for part in own] if self.common else own

    @cached_property
    def values(self) -> Array:
        return values_by_group([self.m], self.parts)[self.m.key]

    @cached_property
    def rest(self) -> Array:
        if not self.common:
            return self.of.rest([self.m], self.kept)[self.m.key]
        return np.array([certain_value(self.m, self._rest(i))[0] for i in range(len(self.kept))])

    def _rest(self, place: int) -> Summary:
        others = self.of.together([g for i, g in enumerate(self.kept) if i != place])
        return Summary(restated(others, self.share)) if self.common else others

    def permuted(self, level: float) -> tuple[Permuted | None, str, int, float]:
        factor = None
        if self.common:
            cases = np.stack([part.source.class_weight for part in (self.of.parts[g] for g in self.kept)])
            with np.errstate(all="ignore"):
                factor = np.where(cases > 0, self.share * cases.sum(axis=1, keepdims=True) / cases, 0.0)
        given = self.of.labelling(self.kept, self.within, factor)
        if given is None:
            return None, needs_cases("its test"), 0, math.nan
        drawn, why = given.values(self.m, self.o.replicates, self.o.seed)
        if why:
            return None, why, 0, math.nan
        return permuted(self.values, drawn, level), "", len(drawn), given.smallest_p(len(drawn))

    def compared(self, found: Permuted | None) -> Compared:
        def ends(level: float) -> list[Interval]:
            if not self.common:
                return [self.of.interval_of(self.m, g, level) for g in self.kept]
            return [intervals(part, [self.m.measure], level=level)[self.m.measure] for part in self.parts]

        def ends_of_rest(place: int, level: float) -> Interval:
            return intervals(self._rest(place), [self.m.measure], level=level)[self.m.measure]

        rest = self.rest if self.o.kind == "worst" else np.full(len(self.kept), math.nan)
        return Compared(self.m, self.labels, self.values, rest, ends, ends_of_rest, found)


@np.errstate(all="ignore")
def free_of_prevalence(m: MeasureOf, summary: Summary) -> bool:
    """Does the measure not depend on how frequent the classes are?"""
    source = summary.source
    if PRIOR in m.measure.invariant:
        return True
    if len(source.classes) != 2 or not m.kind.weighted:
        return False
    reweighted = Summary(source.with_classes_times(np.array([0.5, 1.75])))
    if reweighted.lacks(m.kind):
        return False
    other = m.value(reweighted)
    return math.isclose(m.value(summary), other, rel_tol=1e-9, abs_tol=1e-12)
