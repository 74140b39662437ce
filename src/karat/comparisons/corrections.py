"""p-values of many differences, corrected for their number: those of one measure, and all that a verdict speaks of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from karat.comparisons.difference import Difference
from karat.core.validation import false_alarms
from karat.measures.value import MeasureOf
from karat.statistics.p_values import holm

Differences = dict[tuple[str, str], dict[str, Difference]]
Place = tuple[tuple[str, str], str]
"""Two models, and the key of a measure."""


def tested_aspects(alone: Differences, aspects: Mapping[str, str]) -> list[str]:
    """What the verdict speaks of and some pair was tested on."""
    keys = list(aspects.values())
    return [key for key in keys if any(key in of_two and of_two[key].p == of_two[key].p for of_two in alone.values())]


def corrected(wanted: list[MeasureOf], alone: Differences, level: float, pairs: int, spoken: list[str]) -> Differences:
    """With p-values corrected: of each measure over all pairs of models and classes, and of all that a verdict speaks
    of together; and who is better by the first."""
    by_measure: dict[str, list[Place]] = {}
    for m in wanted:
        by_measure.setdefault(m.measure.symbol, []).extend((two, m.key) for two in alone)
    adjusted: dict[Place, float] = {}
    for places in by_measure.values():
        adjusted |= _holm_of(alone, places, pairs * len(places) // len(alone))
    together = [(two, key) for two in alone for key in spoken if key in alone[two]]
    family = _holm_of(alone, together, pairs * len(together) // len(alone))
    orientation = {m.key: m.measure.orientation for m in wanted}
    out: Differences = {two: {} for two in alone}
    for two, differences in alone.items():
        for key, d in differences.items():
            p = adjusted.get((two, key), math.nan)
            better = _better(d, two, orientation[key]) if p <= false_alarms(level) else None
            out[two][key] = replace(d, adjusted=p, better=better, familywise=family.get((two, key), math.nan))
    return out


def _better(d: Difference, names: tuple[str, str], orientation: int) -> str | None:
    """On whose side of 0 the interval is."""
    sign = orientation * ((d.low > 0) - (d.high < 0))
    return names[0] if sign > 0 else names[1] if sign < 0 else None


def _holm_of(alone: Differences, places: list[Place], tests: int) -> dict[Place, float]:
    """p-values at these places, corrected for so many tests (more than there are, where some were not made)."""
    tested = [place for place in places if (p := alone[place[0]][place[1]].p) == p]
    if not tested:
        return {}
    unmade = tests - len(places)
    corrected = holm([alone[two][key].p for two, key in tested] + [1.0] * unmade)
    return dict(zip(tested, corrected.tolist(), strict=False))
