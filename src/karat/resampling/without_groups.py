"""Statistics of all cases but those of one group, for each group in turn: what a jackknife of many cases needs.

The groups hold every case once. So what adds up is added up group by group, and all groups before and after the one
that is left out are put together: sums, not differences, so that what is empty stays exactly 0. Pairs and precisions
are counted once for all groups. Either way the cases are gone over once, not once for each group."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeGuard

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.statistic import Statistic
from karat.measures.averaging import OverClasses
from karat.measures.ranking import mean_precision
from karat.measures.value import MeasureOf
from karat.resampling._sums import in_order_of
from karat.resampling.draws import Deletions, Weighting
from karat.resampling.replicates import LINEAR, ORDERED, Replicates
from karat.statistics.counts import Binary, Counts
from karat.statistics.order import Margins, Pairs, Segments

FEWEST_IN_GROUP = 5
"""Cases of a group, on average, from which on this pays."""


def applies(out: Weighting, replicates: Replicates, kind: type[Statistic]) -> TypeGuard[Deletions]:
    """Can these replicates of a statistic be had in one go?"""
    return _large(out) and kind in (*LINEAR, *ORDERED, Binary) and replicates.knows(kind)


def _large(out: Weighting) -> TypeGuard[Deletions]:
    return isinstance(out, Deletions) and out.cases >= FEWEST_IN_GROUP * out.rows


@dataclass(frozen=True, eq=False)
class PrecisionSums:
    """What average precision needs of a score table."""

    precision_sum: Array
    """[groups]"""
    positive: Array
    """[groups, 1]: the weight of the class"""


def precisions_apply(out: Weighting, m: MeasureOf) -> TypeGuard[Deletions]:
    """Is it the average precision of a class, or their average, and can it be had in one go?"""
    function = m.measure.function
    if isinstance(function, OverClasses) and function.average != "micro":
        function = function.measure.function
    return _large(out) and function is mean_precision.function


def precisions_of_class(j: int, replicates: Replicates, out: Deletions) -> PrecisionSums:
    """The precisions of class j, with a leading axis over the groups."""
    scores = replicates.scores_of_class(j)
    group = out.group[scores.order].astype(np.int32)
    sums = kernels.precisions_without(scores.own, scores.place, scores.weight, group, out.rows)
    own = scores.own if scores.weight is None else scores.own * scores.weight
    return PrecisionSums(sums, _without(np.bincount(group, own, out.rows))[:, None])


def without_each_group(
    kind: type[Statistic], parameters: dict[str, Any], replicates: Replicates, out: Deletions
) -> Any:
    """The statistic with a leading axis over the groups."""
    if kind is Binary:
        return without_each_group(Counts, {}, replicates, out).binary
    return (_summed if kind in LINEAR else _ordered)(kind, parameters, replicates, out)


def _summed(kind: type[Statistic], parameters: dict[str, Any], replicates: Replicates, out: Deletions) -> Statistic:
    by_group = replicates.order[in_order_of(out.group)]
    members = np.split(by_group, np.cumsum(np.bincount(out.group, minlength=out.rows))[:-1])
    parts = [kind.of(replicates.p.take(cases), **parameters) for cases in members]
    names = [field.name for field in fields(parts[0])]  # type: ignore[arg-type]
    return kind(*(_without(np.stack([np.asarray(getattr(part, name)) for part in parts])) for name in names))


def _without(x: Array) -> Array:
    """[groups, ...]: the sum of all others."""
    none = np.zeros_like(x[:1], dtype=float)
    before = np.concatenate([none, np.cumsum(x[:-1], axis=0)])
    after = np.concatenate([np.cumsum(x[:0:-1], axis=0)[::-1], none])
    return np.asarray(before + after)


def _ordered(kind: type[Statistic], parameters: dict[str, Any], replicates: Replicates, out: Deletions) -> Statistic:
    k = len(replicates.p.classes)
    weight = np.bincount(out.group * k + replicates.label, replicates.weight, out.rows * k).reshape(-1, k)
    sums = replicates.of_columns(parameters, lambda c: _walked(c, out, k))
    wins, gains, deviation, refinement = sums
    left = _without(weight)
    if kind is Segments:
        return Segments(deviation, refinement, left)
    return Pairs(wins, left) if kind is Pairs else Margins(gains, left)


def _walked(c: Any, out: Deletions, k: int) -> tuple[Array, Array, Array, Array]:
    group = out.group[c.order].astype(np.int32)
    walked: tuple[Array, Array, Array, Array] = kernels.walk_without(
        c.label, c.fresh, c.x, c.weight, group, out.rows, c.j, k
    )
    return walked
