"""Intervals from replicates: of the bootstrap, or of a posterior of the confusion table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.words import counted, percent
from karat.intervals.interval_ends import INFINITE, SAME, Ends, ends_of_ascending, no_ends
from karat.intervals.interval_way import IntervalWay
from karat.intervals.support import DISORDER, ENOUGH_OF_CLASS, doubtful, smallest_class
from karat.measures.value import MeasureOf
from karat.resampling.confusion_tables import bootstrap_tables, measures_of_cells, measures_of_tables, posterior
from karat.resampling.influence import Influence, influences_of, influences_of_table
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Counts
from karat.statistics.counts import SparseCounts

MOSTLY_UNDEFINED = 0.5
"""The share of undefined replicates above which the others say too little."""
SHIFTED = "resampling biases the measure so much that the interval does not hold its value"
PULLED = "the prior pulls the measure so far that the interval does not hold its value"
BEYOND = (
    "its value is at an end of its range, beyond which the basic bootstrap puts all replicates: use method "
    "'percentile' or 'jackknife'"
)
ALIKE = "both ends are the same replicate, so there is no interval"
MIXING = 0.45
"""Kinds of error for each root of a case, from which on a posterior is away from the truth of measures of disorder: it
draws tables that are more mixed than the one that was seen. (EMA held in 0.96 of 2 classes, 100 cases; NIT in 0.92 of
3, 200 cases; EMA in 0.78 of 3, 50 cases, and in 0.1 of 8, 300 cases.)"""
MIXED = "tables drawn from a posterior are more mixed than the true one, so they bias it: use method 'jackknife'"

Replicated = dict[str, tuple[Array, Influence | None]]
"""Of each measure its replicates, and what each case adds; None if that was not asked."""


def by_replicates(way: IntervalWay, valued: list[tuple[MeasureOf, float]]) -> tuple[dict[str, Ends], dict[str, float]]:
    """The interval of each of these measures, and the share of the replicates in which it has no value."""
    by_table = [m for m, _ in valued if m.counted and not way.uneven]
    by_case = [m for m, _ in valued if m not in by_table]
    values = {m.key: value for m, value in valued}
    replicated: Replicated = {}
    if by_table:
        replicated |= _from_table(way, by_table, values)
    if by_case:
        replicated |= _from_cases(way, by_case, values)
    ascending, found = _ascending([x for x, _ in replicated.values()])
    undefined = {key: 1 - int(some) / len(x) for key, x, some in zip(replicated, ascending, found, strict=True)}
    kept = {key: x[:some] for key, x, some in zip(replicated, ascending, found, strict=True)}
    made = (_ends_of(way, m, value, kept[m.key], replicated[m.key][1], undefined[m.key]) for m, value in valued)
    return {m.key: of_m for (m, _), of_m in zip(valued, made, strict=True)}, undefined


def _ascending(replicated: list[Array]) -> tuple[Iterable[Array], list[int]]:
    """The replicates of each measure in ascending order, undefined ones last, and how many are defined."""
    if not replicated:
        return [], []
    together = np.array(replicated)  # all at once: each call of numpy costs as much as sorting what it is given
    together.sort(axis=1)
    return together, np.count_nonzero(together == together, axis=1).tolist()


def _ends_of(
    way: IntervalWay, m: MeasureOf, value: float, kept: Array, influence: Influence | None, undefined: float
) -> Ends:
    """From the replicates in which the measure is defined, in ascending order."""
    if undefined > MOSTLY_UNDEFINED:
        return no_ends(f"it is undefined in {percent(undefined)} of the replicates")
    bayes = way.method == "bayes"
    if not math.isfinite(value) and way.method not in ("percentile", "bayes"):
        return no_ends(INFINITE)
    same = all(x == value or abs(x - value) <= TOLERANCE for x in (float(kept[0]), float(kept[-1])))
    if bayes and same:
        return no_ends(SAME)
    if bayes and m.measure.family in DISORDER and _mixing(way) > MIXING:
        return no_ends(MIXED)
    if same or (not bayes and m.counted and way.perfect):  # what a replicate lacks, a class, may have another value
        return way.degenerate(m, value)
    least, most = way.extremes(m, value)
    acceleration = None if influence is None else influence.acceleration
    method = "percentile" if bayes else way.method
    between = ends_of_ascending(method, value, kept, way.level, acceleration, (least, most))
    low, high = (min(max(x, least), most) for x in between[:2])
    if bayes and value in (least, most):  # a posterior has no mass there, however sure
        low, high = min(low, value), max(high, value)
    reasons = [prior_in_words(way.prior) if bayes else between.reason]
    doubt = doubtful(m, way.summary, influence, None if way.cluster is None else way.units)
    reasons.append(doubt or (_few_of_many_classes(m, way) if bayes else ""))
    if undefined:
        reasons.append(f"without the {percent(undefined)} of the replicates in which it is undefined")
    point = math.isclose(low, high, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if point:
        reasons = [BEYOND] if between.method == "basic" else [*reasons, ALIKE]
    elif low == low and not low <= value <= high:
        reasons.append(PULLED if bayes else SHIFTED)
    reason = "; ".join(part for part in reasons if part)
    return no_ends(reason) if point else Ends(low, high, "bayes" if bayes else between.method, reason)


def _few_of_many_classes(m: MeasureOf, way: IntervalWay) -> str:
    """What to say of a posterior of classes with few cases each, of which its prior knows next to nothing (macro F1
    and balanced accuracy of 8 classes, 100 cases: held in 0.89)."""
    fewest, k = smallest_class(way.summary), len(way.summary.source.classes)
    few = k > 2 and fewest < ENOUGH_OF_CLASS and m.measure.rate is None
    return f"the interval may be too narrow: a class has only {counted(int(fewest))}" if few else ""


def _mixing(way: IntervalWay) -> float:
    """Kinds of error for each root of a case: as the bias of a measure of their disorder to its standard error."""
    k, l = way.summary.get(Counts).shape[-2:]
    return float(k * (l - 1)) / math.sqrt(way.summary.source.n)


def prior_in_words(prior: Any) -> str:
    """What was added to the table."""
    if prior is None:
        return f"{OF_PRIOR}one case in all, half of it correct"
    return OF_PRIOR + (f"{float(prior):g} in each cell" if np.ndim(prior) == 0 else "as given for each cell")


OF_PRIOR = "prior: "
"""Begins what is said of a prior, which is no doubt about an interval."""


def doubts_of(reason: str) -> str:
    """What a reason says against an interval: all but its prior.

    >>> doubts_of("prior: 1 in each cell; a class has only 2 cases")
    'a class has only 2 cases'
    """
    return "; ".join(part for part in reason.split("; ") if not part.startswith(OF_PRIOR))


def _from_table(way: IntervalWay, wanted: list[MeasureOf], values: dict[str, float]) -> Replicated:
    """Multinomial (or posterior) tables, and what each case adds."""
    counts, r = way.summary.get(Counts), way.resampling
    if isinstance(counts, SparseCounts):
        return _from_cells(way, counts, wanted)
    if way.method == "bayes":
        drawn = posterior(counts.table, way.prior, r.replicates, r.seed, r.stratified)
    else:
        drawn = bootstrap_tables(counts.table, r.replicates, r.seed, r.stratified)
    replicated = measures_of_tables(wanted, drawn)
    if way.method not in ("bca", "bayes") or not way.summary.source.whole:  # shares have no cases to leave out
        return {key: (x, None) for key, x in replicated.items()}
    adds = influences_of_table(wanted, [values[m.key] for m in wanted], counts, r)
    return {key: (x, adds[key]) for key, x in replicated.items()}


def _from_cells(way: IntervalWay, counts: SparseCounts, wanted: list[MeasureOf]) -> Replicated:
    """Very many classes: the cells that are not empty, a replicate at a time; no acceleration."""
    r = way.resampling
    if way.method == "bayes" or r.stratified:
        raise InputError(
            "with so many classes only the unstratified bootstrap is available; leave out stratified, or choose "
            "another method."
        )

    def rows() -> Iterator[Array]:
        for tables in bootstrap_tables(counts.values[None], r.replicates, r.seed):
            yield from tables[:, 0]

    return {key: (x, None) for key, x in measures_of_cells(wanted, counts, rows()).items()}


def _from_cases(way: IntervalWay, wanted: list[MeasureOf], values: dict[str, float]) -> Replicated:
    """Draws of cases, and for the acceleration of BCa what each case adds."""
    p, r = way.summary.source.cases, way.resampling
    assert p is not None
    of = Replicates(p)
    replicated = values_in_replicates(wanted, of, of.draws(r, way.cluster), r.workers)
    if way.method != "bca":
        return {key: (x, None) for key, x in replicated.items()}
    adds = influences_of(way.summary, wanted, [values[m.key] for m in wanted], r, way.cluster)
    return {key: (x, adds[key]) for key, x in replicated.items()}
