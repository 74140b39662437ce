"""What the intervals of some predictions have in common: the data, and how cases are drawn or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karat.core.arithmetic import Array
from karat.core.cached import cached
from karat.core.errors import InputError
from karat.intervals.bounds import UnitsOfClasses, bound, range_of
from karat.intervals.cells import told_by_cells
from karat.intervals.interval_ends import SAME, Ends, no_ends
from karat.intervals.support import FEWEST_OF_CLASS, beyond_all_methods, unsupported
from karat.intervals.tilted_tables import TiltedTables
from karat.measures.value import MeasureOf
from karat.resampling.draws import (
    FEWEST_EFFECTIVE,
    FEWEST_GROUPS,
    Resampling,
    effective_groups,
    few_groups,
    unequal_groups,
)
from karat.statistics import ConfidenceBins, Counts, Summary
from karat.statistics.added import needs_cases

SAID = "class frequencies are taken as known"
SAID_BUT_GROUPED = "groups are resampled whole, so class frequencies vary although they were given"
SAID_OF_MATRIX = (
    "class frequencies were changed, so the matrix no longer shows how many cases each class had: give "
    "the predictions of each case"
)
RESTATED = "changed class frequencies"
UNEVEN = "weights or groups"


def known_frequencies(summary: Summary, grouped: bool) -> str:
    """What is to be known of every interval where class frequencies were said, not seen; empty if they were seen."""
    if not summary.source.decreed:
        return ""
    return SAID_BUT_GROUPED if grouped else SAID


@dataclass(frozen=True, eq=False)
class IntervalWay:
    """How the intervals of some predictions are made, whichever measure they are of."""

    summary: Summary
    method: str
    prior: Any
    resampling: Resampling
    cluster: Array | None
    """[n]: the place of each case's group; None if single cases are drawn"""

    @classmethod
    def of(
        cls, summary: Summary, method: str, prior: Any, stratified: bool, groups: Any, **options: Any
    ) -> IntervalWay:
        """Refuses what can't be drawn. Frequencies of classes that were said, not seen, are kept."""
        source = summary.source
        resampling = Resampling.of(stratified=stratified, groups=groups, **options).keeping(source.decreed)
        if groups is not None and source.cases is None:
            what = "a confusion matrix" if source.added is None else "statistics that were added up"
            raise InputError(f"groups was given with {what}, which has no cases to group; leave it out.")
        if prior is not None and method != "bayes":
            raise InputError(f"prior is of method 'bayes', and the method is {method!r}; leave it out.")
        return cls(summary, method, prior, resampling, resampling.clusters(int(source.n)))

    @property
    def level(self) -> float:
        """Of the intervals."""
        return self.resampling.level

    @property
    def uneven(self) -> bool:
        """Are there weights or groups, so that a table of counts is not enough?"""
        return self.summary.source.weight is not None or self.cluster is not None

    @property
    def units(self) -> int:
        """How many cases there are, or groups."""
        return int(self.summary.source.n) if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def units_of_classes(self) -> UnitsOfClasses:
        """The same of each class: a group is one of every class that it holds."""
        source = self.summary.source
        if self.cluster is None or source.cases is None:
            return UnitsOfClasses.of_cases(source.class_weight)
        return UnitsOfClasses.of_groups(self.cluster, source.cases.truth[0], len(source.classes))

    def tilted(self, fixed: bool) -> TiltedTables:
        """Tables drawn from populations like the one seen, which all measures have in common."""
        kept: dict[Any, TiltedTables] = self.summary.computed.setdefault(TiltedTables, {})
        key = fixed, self.resampling.replicates, self.resampling.seed
        if key not in kept:
            kept[key] = TiltedTables(self.summary.get(Counts).table, *key)
        return kept[key]

    @cached
    def perfect(self) -> bool:
        """Is every decision right?"""
        counts = self.summary.get(Counts)
        return bool(counts.hits.sum() == counts.weight.sum())

    @property
    def of_frequencies(self) -> str:
        """What is to be known of every interval where class frequencies were said."""
        return known_frequencies(self.summary, grouped=self.cluster is not None)

    def extremes(self, m: MeasureOf, value: float) -> tuple[float, float]:
        """The ends of the measure's range; its value where rounding puts that beyond."""
        least, most = range_of(m, self.summary)
        return min(least, value), max(most, value)

    def unfit(self, m: MeasureOf) -> str:
        """Why this measure can neither be resampled nor be had without some of the cases; empty if it can."""
        source = self.summary.source
        if source.added is not None and (reason := self.unfit_without_rows(m)):
            return reason
        if source.decreed and source.cases is None:
            return SAID_OF_MATRIX
        if self.method == "bayes":
            if not m.counted:
                return "method 'bayes' is for measures of the confusion matrix only"
            if source.decreed:
                return f"method 'bayes' does not support {RESTATED}: use the bootstrap"
            return f"method 'bayes' does not support {UNEVEN}: use the bootstrap" if self.uneven else ""
        if not source.whole:
            return "the counts are not whole numbers, so cases can't be resampled: use method 'bayes'"
        if self.units < 2:
            return f"a single {'case' if self.cluster is None else 'group'} has no variance"
        if self.cluster is not None and self.units < FEWEST_GROUPS:
            return few_groups(self.units)
        if self.cluster is not None and (effective := effective_groups(self.cluster)) < FEWEST_EFFECTIVE:
            return unequal_groups(effective)
        return ""

    def unfit_without_rows(self, m: MeasureOf) -> str:
        """Why added statistics do not tell; empty if they do: counts, bins, and sums over cells of scores."""
        source = self.summary.source
        if source.decreed or self.uneven or (self.method == "bayes" and not m.counted):
            return "" if self.method == "bayes" else needs_cases("its interval", source.added)
        resampled = self.method not in ("auto", "jackknife")
        if m.counted or (not resampled and beyond_all_methods(m, self.summary)):  # which says why
            return ""
        from_sums = m.kind is ConfidenceBins or told_by_cells(m, self.summary)
        return "" if from_sums and not resampled else needs_cases("its interval", source.added)

    def degenerate(self, m: MeasureOf, value: float) -> Ends:
        """Where every case says the same. A perfect ranking is told of with as many cases of a class as any other: with
        fewer, given of perfect ones alone, intervals could not miss (average precision of 5 % positive: 0.993). Of so
        few cases in all that no ranking has another interval, a bound is what can be said."""
        any_other = self.summary.source.n >= 2 * FEWEST_OF_CLASS
        if not m.counted and any_other and (reason := unsupported(m, self.summary)):
            return no_ends(reason)
        whole_cases = self.summary.source.weight is None
        of_all = (m, self.summary, value, self.level, self.units_of_classes, self.resampling.stratified)
        far = bound(*of_all) if whole_cases else None
        return no_ends(SAME) if far is None else far
