"""What the data can't support: where an interval would claim more than so few cases tell, and why."""

from __future__ import annotations

import math

import numpy as np

from karat.core.arithmetic import Array
from karat.core.measure import PRIOR, SCALE, Spread
from karat.core.words import counted
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence
from karat.statistics import Counts, Pairs, Summary
from karat.statistics.order import Segments

FEWEST_OF_CLASS = 5
"""Cases of each class that a measure needs in which every class counts the same."""
FEWEST_OF_DISORDERED_CLASS = 8
"""The same of the disorder within each class: of three classes 5 to 7 cases held in 0.90, 8 in 0.93. Of two it held
always: so few cases are never too orderly for a class that is mistaken now and then, nor too mixed."""
ENOUGH_OF_CLASS = 15
"""Cases of each class from which on the bias that shows decides whether few errors tell of such disorder; with fewer,
samples that show little bias would be left (rCEN of a strong model: 0.80)."""
FEWEST_BESIDE_RARE = 12
"""Cases of a class whose prevalence was said that should go with those of the other classes: of so many fewer the few
that are ranked highest make its precision (of 10, average precision of weak models held in 0.85)."""
FEW_CASES = 100
"""Cases (of a class, where each counts the same) below which the skewness of a mean matters."""
ENOUGH_WITHOUT = 300
"""Cases from which on a class that none of them belongs to is so rare (1 % at most, as a rule) that it hardly matters,
unless every class counts the same. To a share of the cases, which it changes by no more than its own, it hardly
matters from `FEW_CASES` on."""
FEWEST_FREE = 3.0
"""Degrees of freedom below which an interval would rest on two or three cases."""
FEW_GROUPS = 30
"""Below this number, drawing groups with replacement takes them for more alike than they are."""
FEWEST_ERRORS = 1.5
"""Errors for each cell off the diagonal, below which the bias of a measure of their disorder can't be known."""

FEWEST_FREE_OF_CLASSES = 8.0
"""The same for means over the probabilities of each class, which are skewed, if classes are equally spread: eight cases
of the smaller of two classes. (Of five they hold in 0.91. What the cases show of the spread must not decide which
samples are told of: those that show little of it would be left.)"""
BENT = 0.2
"""The share of its standard error from which on the bias, by every pair of classes, shows that a measure is near its
worst value, and bends there. (rCEN of three classes, 5 % of the cases in one: with more bias than that 0.8 held.)"""

FEWEST_IN_CELL = 5
"""Cases for each cell of a table, and of two models an error for each cell off the diagonal, with less than which the
disorders of two models can't be compared: of six classes, diffuse against paired errors of equal EMA, 50 to 150 cases,
every test told them apart in 0.06 to 0.11."""

DISORDER = ("information", "entropy_triangles", "confusion_entropies")
"""Families of measures whose bias grows with the number of cells."""
BENDS = "it is near its worst value, where its bias is large beside its standard error"


def beyond_all_methods(m: MeasureOf, summary: Summary) -> str:
    """Why no interval can be given, whatever the cases that there are say; empty if one may."""
    if m.kind.unsupported:
        return f"no valid method is known: {m.kind.unsupported}"
    if m.measure.invariant and SCALE not in m.measure.invariant:
        return "it grows with the number of cases, so there is no population value to estimate"
    empty = _empty_classes(summary)
    own = [j for j in empty if j == m.place]
    share = m.measure.rate is not None and m.measure.from_rate is None
    enough = FEW_CASES if share else ENOUGH_WITHOUT
    if len(own) or (len(empty) and (PRIOR in m.measure.invariant or summary.source.n < enough)):
        label = summary.source.classes[(*own, *empty)[0]]
        return f"there is no case of class {label!r}, so nothing is known about its errors"
    return ""


def unsupported(m: MeasureOf, summary: Summary, influence: Influence | None = None, grouped: bool = False) -> str:
    """Why no interval can be given, from the data alone or from what each case (or group) adds; empty if one can."""
    if reason := beyond_all_methods(m, summary):
        return reason
    if m.kind is Segments and (_cases_of_classes(summary) == 1).any():
        return "a class has only 1 case, without which the segments are of other classes"
    if PRIOR in m.measure.invariant or m.place is not None:
        least = _fewest(summary, m.place)
        fewest = FEWEST_OF_DISORDERED_CLASS if disorder_of_each_class(m) else FEWEST_OF_CLASS
        if least < fewest:
            cases_of_it = "1 case" if least == 1 else f"{least:g} cases"
            return f"a class has only {cases_of_it}; at least {fewest} of each are needed"
    if reason := _few_beside_rare(m, summary):
        return reason
    return "" if influence is None else _too_thin(m, summary, influence, grouped)


def _few_beside_rare(m: MeasureOf, summary: Summary) -> str:
    """Why a mean of the precision can't be known at the prevalence that was said; empty if it can."""
    if not summary.source.decreed or m.measure.spread is not Spread.OF_SHARE or m.place is None:
        return ""
    weight, cases = summary.source.class_weight, _cases_of_classes(summary)
    odds = float(weight[m.place] / (weight.sum() - weight[m.place]))
    others, needed = int(cases.sum() - cases[m.place]), math.ceil(round(FEWEST_BESIDE_RARE / odds, 6))
    if others >= needed:
        return ""
    return f"at that prevalence it rests on the highest ranks of {others} other cases; at least {needed} are needed"


def _cases_of_classes(summary: Summary) -> Array:
    p, added = summary.source.cases, summary.source.added
    if added is not None:
        return np.asarray(added.weights.cases)
    if p is None or p.weight is None:
        return np.asarray(summary.source.class_weight)
    return np.bincount(p.truth[0], minlength=len(p.classes))


def _empty_classes(summary: Summary) -> list[int]:
    """The places of classes without cases."""
    key = "classes without cases"
    if key not in summary.computed:  # every measure asks
        summary.computed[key] = np.flatnonzero(_cases_of_classes(summary) == 0).tolist()
    return summary.computed[key]  # type: ignore[no-any-return]


def _fewest(summary: Summary, place: int | None) -> float:
    """The cases of the class that has the fewest, but some; of one class, on either side of it."""
    key = ("fewest cases", place)
    if key not in summary.computed:
        cases = np.asarray(_cases_of_classes(summary), float)
        sides = cases if place is None else np.array([cases[place], cases.sum() - cases[place]])
        summary.computed[key] = float(sides[sides > 0].min(initial=np.inf))
    return summary.computed[key]  # type: ignore[no-any-return]


def _too_thin(m: MeasureOf, summary: Summary, influence: Influence, grouped: bool) -> str:
    """Why what each case (or group) adds tells too little; empty if it is enough."""
    unit = "groups" if grouped else "cases"
    if not influence.known:
        return f"leaving out one of the {unit} leaves the measure undefined, so its variance is unknown"
    error = influence.error
    if error == 0:
        return ""
    if error != error:
        return "a class has a single case, so the variance within it is unknown"
    few_of_class = mean_of_classes(m) and not grouped and _freedom_if_alike(summary) < FEWEST_FREE_OF_CLASSES
    if few_of_class or influence.freedom_by_class < FEWEST_FREE:
        return "its variance rests on too few cases of one class"
    return _too_sparse(m, summary.get(Counts), influence) if m.counted else ""


def _too_sparse(m: MeasureOf, counts: Counts, influence: Influence) -> str:
    """Why a table tells too little of the bias of a measure; empty if it is enough. Where most cells lie alone, leaving
    out a case does not even show how large the bias is (NIT of 20 cases, 10 classes: held in 0.3; MAvG of 100, in those
    samples in which its bias looked small: 0.86)."""
    k, l = counts.shape[-2:]
    total = float(counts.weight.sum())
    errors, kinds = total - float(counts.hits.sum()), max(k * (l - 1), 1)
    bias = abs(influence.bias) / influence.error
    disorder = m.measure.family in DISORDER
    scattered = total <= k * l and (disorder or (errors > total / 3 and bias > 1 / 4))
    scattered |= disorder and PRIOR in m.measure.invariant and k > 2 and _least(counts) < ENOUGH_OF_CLASS
    if (scattered or bias > 1 / 2) and errors / kinds < FEWEST_ERRORS:
        return f"{_few_errors(errors, 'among', kinds)} to estimate its bias"
    return ""


def too_mixed(m: MeasureOf, one: Counts, other: Counts) -> str:
    """Why the disorder of two models can't be compared; empty if it can, or if the measure is of something else."""
    k, l = one.shape[-2:]
    total, kinds = float(one.weight.sum()), k * (l - 1)
    if not (m.counted and m.measure.family in DISORDER) or total >= FEWEST_IN_CELL * k * l:
        return ""
    errors = 2 * total - float(one.hits.sum() + other.hits.sum())
    return _few_errors(errors, "of both models among", kinds) if errors < 2 * kinds else ""


def _few_errors(errors: float, among: str, kinds: int) -> str:
    seen = counted(errors, "error")
    return f"{seen} {among} {counted(kinds, 'kind')} of error {'are' if seen.endswith('s') else 'is'} too few"


def _least(counts: Counts) -> float:
    """The cases of the class that has the fewest, but some."""
    return float(counts.weight[counts.weight > 0].min(initial=np.inf))


def disorder_of_each_class(m: MeasureOf) -> bool:
    """Is it the disorder of decisions within each class, every class counting the same?"""
    return m.counted and m.place is None and PRIOR in m.measure.invariant and m.measure.family in DISORDER


def mean_of_classes(m: MeasureOf) -> bool:
    """Is it made of means over the probabilities of each class?"""
    return PRIOR in m.measure.invariant and not (m.counted or m.of_score_tables or m.kind is Pairs)


def bent(m: MeasureOf, summary: Summary, influence: Influence) -> bool:
    """Is a measure in which every class counts the same near its worst value (the entropy of a class that is mistaken
    half of the time)? There leaving out a case hardly changes it; farther away a case changes more."""
    k = len(summary.source.classes)
    large = BENT * k * (k - 1) / 2 * influence.error  # the biases of all pairs of classes add up
    return PRIOR in m.measure.invariant and influence.bias * m.measure.orientation > large


def bends(m: MeasureOf, summary: Summary, influence: Influence) -> bool:
    """Does a parabola reach farther than its slope? Of the probabilities of two classes wherever the bias is on that
    side (rpCEN of a strong model, 5 % positive, 2,000 cases: with a tenth of its error 0.91 held); of decisions, and
    of more classes, there are other biases as well: if it is bent."""
    two = len(summary.source.classes) == 2 and mean_of_classes(m)
    return bent(m, summary, influence) or (two and influence.bias * m.measure.orientation > 0)


def _freedom_if_alike(summary: Summary) -> float:
    """Degrees of freedom of a mean over classes whose cases are equally spread (Satterthwaite 1946)."""
    cases = np.asarray(_cases_of_classes(summary), float)
    cases = cases[cases > 1]
    return float((1 / cases).sum() ** 2 / (1 / cases**2 / (cases - 1)).sum()) if len(cases) else 0.0


def smallest_class(summary: Summary) -> float:
    """The cases of the class that has the fewest, but some."""
    cases = np.asarray(_cases_of_classes(summary), float)
    return float(cases[cases > 0].min(initial=np.inf))


def doubtful(m: MeasureOf, summary: Summary, influence: Influence | None, groups: int | None) -> str:
    """What to say of an interval that was resampled although that covers less often than it says."""
    if m.kind.bends:
        return "resampling inflates a calibration error, so the interval often misses the true value"
    if reason := unsupported(m, summary, influence, groups is not None):
        return f"the interval may be too narrow: {reason}"
    if influence is not None and influence.known and bent(m, summary, influence):
        return f"the interval may be too narrow: {BENDS}"
    if groups is not None and groups < FEW_GROUPS:
        return f"with only {groups} groups the interval may be too narrow: use method 'jackknife'"
    return ""
