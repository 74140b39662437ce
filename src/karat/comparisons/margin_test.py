"""Is a difference too small to matter? Two one-sided tests against a margin, and that of non-inferiority."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.comparisons.difference import Difference
from karat.comparisons.equivalence import interval_of_tests
from karat.comparisons.judgement import (
    MCNEMAR,
    SAME,
    SAME_RIGHT,
    UNMOVED,
    Judgement,
    Tail,
    few_flips_tail,
    larger_known,
)
from karat.core.validation import false_alarms
from karat.core.words import counted
from karat.resampling.exchanges import largest_step

if TYPE_CHECKING:
    from karat.comparisons.difference_test import DifferenceTest

ENOUGH_CHANGES = 10
"""Cases (or groups) of which the models must tell a measure different things, for margins: with fewer, what was not
seen matters more than what was, and no spread of what was seen knows it. (For decisions there are tests that do.)"""
FLIPS_IF_FEW_CARRY = 3
"""So many flips are taken to make a difference that very few cases carry."""


def with_margin(test: DifferenceTest, d: Difference, judged: Judgement) -> Difference:
    """Is the difference too small to matter, and is the first model no worse by the margin?"""
    margin = test.of.margins.get(test.m.measure.symbol)
    if margin is None:
        return d
    low, high = margin
    d = replace(d, margin=high if -low == high else margin)
    tail = judged.tail
    if judged.method != MCNEMAR:
        tail = test.tail_of_few_flips(d) or tail
    if tail is None:
        return d
    if tail is judged.tail and judged.method != MCNEMAR and (reason := _unseen(test)):
        reason = d.reason if d.reason in (SAME, UNMOVED) else f"{d.reason}; {reason}" if d.reason else reason
        return replace(d, reason=reason, equivalent=False, noninferior=False)
    orientation = test.m.measure.orientation
    above, below = tail(low, 1), tail(high, -1)
    both, worse = larger_known(above, below), above if orientation >= 0 else below
    tolerated = false_alarms(test.level)
    d = replace(d, worse_by=-low if orientation >= 0 else high)
    d = replace(d, p_equivalent=both, equivalent=both <= tolerated)
    d = _with_interval(test, d, margin, tail)
    if tail is not judged.tail and d.reason not in (SAME, SAME_RIGHT, UNMOVED):
        d = replace(d, reason="; ".join(filter(None, (d.reason, _few_flips_in_words(test, d)))))
    return replace(d, p_noninferior=worse, noninferior=worse <= tolerated)


def few_flips(test: DifferenceTest, d: Difference) -> Tail | None:
    """The tests where few cases without weights or groups make the difference."""
    two = test.cases if test.of.paired else ()
    if not two or test.of.cluster is not None or any(p.weight is not None for p in two):
        return None
    m, flips = test.m, test.changed
    if not m.counted and d.reason in (SAME, UNMOVED):
        flips = 0
    elif not m.counted and test.few_carry:
        flips = min(flips, FLIPS_IF_FEW_CARRY)
    if flips >= ENOUGH_CHANGES:
        return None
    if m.counted:
        step = max(largest_step(p, m) for p in two)
    else:  # no case moves a mean over its class, or an area, by more
        of_class = np.bincount(two[0].truth[0])
        step = test.room / int(of_class[of_class > 0].min())
    return few_flips_tail(d.difference, flips, step) if math.isfinite(step) else None


def _unseen(test: DifferenceTest) -> str:
    """Why nothing can be said of margins, if the models differ in what the measure sees of too few cases."""
    if not test.of.paired:
        return ""
    if test.changed < ENOUGH_CHANGES:
        return f"the models differ on {counted(test.changed, test.of.unit)}, too few to test against a margin"
    if test.few_carry:
        return f"the difference rests on very few {test.of.unit}s, too few to test against a margin"
    return ""


def _with_interval(test: DifferenceTest, d: Difference, margin: tuple[float, float], tail: Tail) -> Difference:
    """With the interval that its tests against the margin would give."""
    ends = [abs(end) for end in (d.difference, *margin)]
    reach = test.room if math.isfinite(test.room) else 1000 * max(ends)
    low, high = interval_of_tests(tail, d.difference, test.level, max(reach, *ends))
    return replace(d, equivalence_low=low, equivalence_high=high, equivalence_level=2 * test.level - 1)


def _few_flips_in_words(test: DifferenceTest, d: Difference) -> str:
    """That a margin has a test of its own, whose interval is another."""
    few = f"the difference rests on very few {test.of.unit}s"
    if test.changed < ENOUGH_CHANGES:
        few = f"the models differ on {counted(test.changed, test.of.unit)}"
    return f"{few}: a test for so few is used for the margin ({d.interval_of_margin})"
