"""What the data can't support: where an interval would claim more than so few cases tell, and why."""

from __future__ import annotations

import numpy as np

from karat.core.arithmetic import Array
from karat.core.measure import PRIOR
from karat.core.words import number
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence
from karat.statistics import Counts, LossSums, ProbabilitySums, Summary
from karat.statistics.bins import ClassBins
from karat.statistics.order import Sequences, Windows

FEWEST_OF_CLASS = 5
"""Cases of each class that a measure needs in which every class counts the same."""
FEW_CASES = 100
"""Below this number of cases, a class that none of them belongs to may matter."""
FEWEST_FREE = 3.0
"""Degrees of freedom below which an interval would rest on two or three cases."""
FEWEST_CARRIERS = 5.0
"""Cases that must carry the variance of a mean loss: of fewer, the large losses that were not met are most of it."""
FEWEST_ERRORS = 1.5
"""Errors for each cell off the diagonal, below which the bias of a measure of their disorder can't be known."""
OVERLAPPING = (
    "no method that is known covers it: its windows overlap and change with every case; ask for ECE, whose bins stay"
)
ENTANGLED = (
    "no method that is known covers it: the bins of one class are the more wrong the more those of another are; ask for "
    "ECE, whose cases are in one bin each"
)


def unsupported(m: MeasureOf, summary: Summary, influence: Influence | None = None) -> str:
    """Why no interval can be given, from the data alone or from what each case adds; empty if one can."""
    if m.kind in (Windows, Sequences):
        return OVERLAPPING
    if m.kind is ClassBins:
        return ENTANGLED
    source = summary.source
    cases = np.asarray(_cases_of_classes(summary), float)
    empty = np.flatnonzero(cases == 0)
    if len(empty) and source.n < FEW_CASES:
        return f"there is no case of class {source.classes[empty[0]]!r}, which says nothing of how it would fare"
    if PRIOR in m.measure.invariant or m.place is not None:
        sides = cases if m.place is None else np.array([cases[m.place], cases.sum() - cases[m.place]])
        least = sides[sides > 0].min(initial=np.inf)
        if least < FEWEST_OF_CLASS:
            cases_of_it = "1 case" if least == 1 else f"{least:g} cases"
            return f"a class has only {cases_of_it}, and it takes {FEWEST_OF_CLASS} of each"
    return "" if influence is None else _too_thin(m, summary, influence)


def _cases_of_classes(summary: Summary) -> Array:
    p = summary.source.cases
    if p is None:
        return np.asarray(summary.source.class_weight)
    return np.bincount(p.truth[0], minlength=len(p.classes))


def _too_thin(m: MeasureOf, summary: Summary, influence: Influence) -> str:
    """Why what each case adds tells too little."""
    if not influence.known:
        return "without one of its cases the measure has no value, so that its spread can't be told"
    error = influence.error
    if error == 0:
        return ""
    if influence.freedom < FEWEST_FREE:
        return "its spread rests on a few cases of one class, which do not tell how large it is"
    if m.kind in (LossSums, ProbabilitySums) and influence.carriers < FEWEST_CARRIERS:
        return f"its spread rests on {number(influence.carriers, 0)} cases with large losses, which is too few"
    if m.counted and abs(influence.bias) > error / 2:
        counts = summary.get(Counts)
        k, l = counts.shape[-2:]
        errors, kinds = float(counts.weight.sum() - counts.hits.sum()), max(k * (l - 1), 1)
        if errors / kinds < FEWEST_ERRORS:
            return f"{errors:g} errors in {kinds} kinds of error are too few to know how much they make of its disorder"
    return ""
