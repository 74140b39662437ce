"""Measures that are one number by several names: always, or on such data as these. Declared here, and tried in tests; a
display shows them in one row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from karat.core.arithmetic import TOLERANCE
from karat.core.measure import Measure
from karat.measures.value import MeasureOf
from karat.statistics import Counts, Summary


def always(summary: Summary) -> bool:
    """Whatever the data are."""
    return True


def nothing_rejected(summary: Summary) -> bool:
    """Is a class predicted for every case?"""
    return len(summary.source.outputs) == len(summary.source.classes)


def two_classes(summary: Summary) -> bool:
    """Are there two classes, and nothing else is predicted?"""
    return len(summary.source.classes) == 2 and nothing_rejected(summary)


def two_probabilities(summary: Summary) -> bool:
    """Are there two classes, whose probabilities mirror each other?"""
    return len(summary.source.classes) == 2 and summary.source.probabilities


def not_two_classes(summary: Summary) -> bool:
    """Is there any other number of classes?"""
    return len(summary.source.classes) != 2


def balanced(summary: Summary) -> bool:
    """Are all classes equally frequent, and nothing else is predicted?"""
    weight = np.asarray(summary.source.class_weight)
    return nothing_rejected(summary) and bool((weight > 0).all() and (weight == weight.flat[0]).all())


def only_classes_with_cases(summary: Summary) -> bool:
    """Has every class that is predicted a case?"""
    if summary.lacks(Counts):
        return False
    counts = summary[Counts]
    return nothing_rejected(summary) and not ((counts.decided > 0) & (counts.truth == 0)).any()


class Equality(NamedTuple):
    """Measures, by their symbols, that are one number where a condition holds and they are defined."""

    symbols: tuple[str, ...]
    holds: Callable[[Summary], bool]


EQUALITIES = (
    Equality(("Precision", "PPV"), always),
    Equality(("Recall", "TPR"), always),
    Equality(("F1", "F1Score"), always),
    Equality(("Jaccard", "JaccardScore"), always),
    Equality(("AP", "AveragePrecision"), always),
    Equality(("Acc", "weighted(Recall)", "weighted(TPR)", "micro(Recall)", "micro(TPR)"), always),
    Equality(("Acc", "micro(F1)", "micro(F1Score)", "micro(Precision)", "micro(PPV)"), nothing_rejected),
    Equality(("Acc", "MAvA"), balanced),
    Equality(("MAvA", "macro(TPR)"), always),
    Equality(("MAvA", "macro(Recall)"), only_classes_with_cases),
    Equality(("MAvA", "BAcc"), two_classes),
    Equality(("MAvG", "GMean"), two_classes),
    Equality(("MFM", "macro(F1)"), always),
    Equality(("MFM", "macro(F1Score)"), only_classes_with_cases),
    Equality(("AUNU", "macro(AUC)"), always),
    Equality(("AUNP", "weighted(AUC)"), always),
    Equality(("AUC", "AUNU", "AUNP", "AU1U", "AU1P", "AU1W"), two_probabilities),
    Equality(("AUNU", "AUNP"), balanced),
    Equality(("AU1U", "AU1P", "AU1W"), balanced),
    Equality(("MPR", "MAPR"), balanced),
    Equality(("BrierLoss", "BS", "MSE"), two_probabilities),
    Equality(("BrierLoss", "Brier"), not_two_classes),
    Equality(("D2Brier", "BSS"), two_probabilities),
    Equality(("CalL", "REL"), two_probabilities),
    Equality(("CEN", "rCEN"), balanced),
    Equality(("pCEN", "rpCEN"), balanced),
    Equality(("EMA", "NIT"), balanced),
    Equality(("MI", "ETX_MI", "ETY_MI", "ET_2MI"), two_classes),
    Equality(("H_X|Y", "ETX_VI"), two_classes),
    Equality(("H_Y|X", "ETY_VI"), two_classes),
    Equality(("DH_X", "ETX_DH"), two_classes),
    Equality(("DH_Y", "ETY_DH"), two_classes),
)


def same_number(measures: Iterable[Measure], summary: Summary) -> list[tuple[Measure, ...]]:
    """The measures, in their order, those together that are declared to be one number on these data.

    Rounding, and probabilities that sum to one only nearly, may part what is declared: it is shown together only where
    the values agree as well.

    >>> import karat
    >>> e = karat.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> named = [karat.measures.find(name) for name in ("AUC", "MCC", "AUNU", "AU1P")]
    >>> [[m.symbol for m in together] for together in same_number(named, e.statistics)]
    [['AUC', 'AUNU', 'AU1P'], ['MCC']]
    """
    rows: list[list[Measure]] = []
    equal = [e.symbols for e in EQUALITIES if e.holds(summary)]
    values: dict[str, float] = {}
    for m in measures:
        values[m.symbol] = _value(m, summary)
        for row in rows:
            first = row[0].symbol
            declared = _linked(equal, first, m.symbol)
            if declared and math.isclose(values[first], values[m.symbol], rel_tol=1e-9, abs_tol=TOLERANCE):
                row.append(m)
                break
        else:
            rows.append([m])
    return [tuple(row) for row in rows]


def _linked(equal: list[tuple[str, ...]], one: str, other: str) -> bool:
    """Does a chain of equalities lead from one symbol to the other?"""
    reached, before = {one}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {symbol for symbols in equal if reached & set(symbols) for symbol in symbols}
    return other in reached


def _value(measure: Measure, summary: Summary) -> float:
    of = MeasureOf.on(measure, summary)
    if of.why_not(summary):
        return math.nan
    with np.errstate(all="ignore"):
        return of.value(summary)
