"""What a measure would be with one more case: with predictions that were seen, and another outcome.

Losses are skewed: few cases do not show the rare, large one that a sure model risks, and so neither its mean nor how
much it varies. What it would be is known nonetheless, from the probabilities that were given to the other classes. So
is the precision of a ranking: with a case of another class among those of the class, which samples lack by luck."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.draws import Resampling, stream
from karat.resampling.influence import influences_of
from karat.statistics import LossSums, ProbabilitySums, ScoreTable, Summary

PART = 0.25
"""Of one more case. Of two models of equal log loss, one of them overconfident, few cases mostly show no error of that
one, and Student's t took it for the better one in 0.1 to 0.4 of samples of 20 to 100 cases. More would cost more power
than it adds."""
MOST_OUTCOMES = 2000
"""Looked at, at random where there are more: their moments are known well enough."""
MOST_CELLS = 1 << 21
"""The same of the cells of their tables, of many classes."""
PLACES = 32
"""Among the cases of a class, evenly, at which one of another class is put."""
ALL_OF_IT, NONE_OF_IT = 1000, 2000
"""Cases up to which one more of them counts in a ranking, and from which on it does not; between, a part of it. So many
show how bad ranks can be: scores with t tails hold as often without, and others would hold too often."""
PURPOSE = (1 << 26) + 2
"""The random numbers of these outcomes."""


class Side(NamedTuple):
    """What adds to the second and third moments of a mean, from outcomes that move it to one side."""

    squares: float = 0.0
    cubes: float = 0.0

    def __add__(self, other: Side) -> Side:  # type: ignore[override]
        return Side(self.squares + other.squares, self.cubes + other.cubes)


class Unseen(NamedTuple):
    """Of outcomes that would make a measure, or a difference, smaller; and of those that would make it larger."""

    below: Side
    above: Side

    def less(self, other: Unseen) -> Unseen:
        """Of a difference of models on different cases: what makes the second larger makes it smaller."""
        return Unseen(self.below + other.above, self.above + other.below)


class Reach(NamedTuple):
    """How far away values on one side must be to be so many standard errors away. If cases are skewed to that side,
    those values have more of the rare, large outcomes, and a larger variance: it grows with the distance, by the third
    moment over the second (as if cases were weighted so that the mean is theirs)."""

    variance: float
    growth: float = 0.0

    def errors(self, distance: float) -> float:
        """In standard errors."""
        return distance / math.sqrt(self.variance + self.growth * max(distance, 0.0))

    def distance(self, errors: float) -> float:
        """So many standard errors."""
        skewed = self.growth * errors * errors
        return (skewed + math.sqrt(skewed * skewed + 4 * errors * errors * self.variance)) / 2


def reaches(variance: float, cubes: float, unseen: Unseen | None) -> tuple[Reach, Reach]:
    """Below and above a mean with these moments; of other measures than means of losses it is the same everywhere."""
    if unseen is None:
        return Reach(variance), Reach(variance)
    below, above = (variance + side.squares for side in unseen)
    return (
        Reach(below, max((unseen.below.cubes - cubes) / below, 0.0)),
        Reach(above, max((unseen.above.cubes + cubes) / above, 0.0)),
    )


def unseen_outcomes(
    m: MeasureOf, models: list[Summary], resampling: Resampling, cluster: Array | None = None
) -> Unseen | None:
    """What part of one more case, of another outcome (as likely as the models say), adds to the moments of the measure
    of a model, or of the difference of two on the same cases; None for measures that are not of sums over the
    probabilities of each case. If the frequencies of classes are fixed, the class that it is of counts as before. In a
    group it brings along as many others as cases of a group go together."""
    seed = resampling.seed
    cases = [s.source.cases for s in models]
    if m.kind not in (LossSums, ProbabilitySums) or any(p is None or p.lead or len(p.classes) < 2 for p in cases):
        return None
    with np.errstate(all="ignore"):
        cases_of_it = 1.0 if cluster is None else design_effect(m, models, resampling, cluster)
        moves = _of_difference([_moves(m, s, seed, resampling.stratified, cases_of_it) for s in models])
    likely = np.mean([_likely(s, seed) for s in models], axis=0) * np.isfinite(moves)
    if not likely.sum() > 0:
        return None
    moves, likely = np.where(likely > 0, moves, 0.0), likely / likely.sum()
    return Unseen(_side(-moves, likely), _side(moves, likely))


def unseen_rank(m: MeasureOf, s: Summary) -> Unseen | None:
    """What one more case of another class, ranked as those of the class are, adds to the moments of a mean of the
    precision: as if each moved it by the root of their mean square (with their own cubes intervals of strong models
    would be a quarter wider, and hold no better). None where there are so many cases that they show it."""
    part = min((NONE_OF_IT - s.source.n) / (NONE_OF_IT - ALL_OF_IT), 1.0)
    if m.place is None or s.source.cases is None or part <= 0:
        return None
    table = s.table_of_class(m.place)
    own, rest = table.positive, table.negative
    up_to = np.cumsum(own)
    at = np.searchsorted(up_to, (np.arange(PLACES) + 0.5) / PLACES * up_to[-1])
    one = float(rest.sum()) / np.count_nonzero(s.source.cases.truth[0] != m.place)
    with_one = np.repeat(np.stack([rest, own])[None], PLACES, axis=0)
    with_one[np.arange(PLACES), 0, at] += one
    with np.errstate(all="ignore"):
        moves = m.values(ScoreTable(table.scores, with_one)) - m.values(table)
    square = float(np.mean(moves**2))
    return Unseen(Side(part * square, part * square**1.5), Side())


def _side(moves: Array, likely: Array) -> Side:
    there = np.maximum(moves, 0)
    return Side(PART * float(likely @ there**2), PART * float(likely @ there**3))


def design_effect(m: MeasureOf, models: list[Summary], resampling: Resampling, cluster: Array) -> float:
    """How many times as much the measure (or its difference) varies between groups as between as many single cases: 1
    where cases of a group have no more in common than others, the size of the groups where they are copies."""
    if int(cluster.max()) + 1 == len(cluster):
        return 1.0
    of_cases, of_groups = (
        float(
            np.sum(_of_difference([influences_of(s, [m], [m.value(s)], resampling, x)[m.key] for s in models]).squares)
        )
        for x in (None, cluster)
    )
    return max(of_groups / of_cases, 1.0) if of_cases > 0 else 1.0


def _of_difference(parts: list[Any]) -> Any:
    """Of one model, or of the first less the second."""
    first, *others = parts
    return first - others[0] if others else first


def _moves(m: MeasureOf, s: Summary, seed: int, fixed: bool, cases_of_it: float) -> Array:
    """[outcomes]: how far so many cases with each would move the measure."""
    whole, one = m.statistic(s), _times(m.statistic(_each_alone(s, seed)), cases_of_it)
    more = _with_weights_of(whole, whole + one) if fixed else whole + one
    return np.asarray(m.values(more) - m.values(whole))


def _times(sums: Any, cases: float) -> Any:
    return sums if cases == 1 else type(sums)(*(cases * getattr(sums, field.name) for field in fields(sums)))


def _with_weights_of(whole: Any, more: Any) -> Any:
    """Sums by class, each class with the weight that it had."""
    times = whole.weight / more.weight
    sums = (getattr(more, field.name) for field in fields(more))
    return type(more)(*(x * times.reshape(times.shape + (1,) * (x.ndim - times.ndim)) for x in sums))


def _likely(s: Summary, seed: int) -> Array:
    """[outcomes]: the probability that the model gives each."""
    p = _each_alone(s, seed).source.cases
    assert p is not None
    assert p.scores is not None
    return np.take_along_axis(p.scores[:, 0], p.truth, axis=1)[:, 0]


def _each_alone(s: Summary, seed: int) -> Summary:
    """Each outcome as an evaluation of its own; the same for all measures."""
    key = ("other outcomes", seed)
    if key not in s.computed:
        p = s.source.cases
        assert p is not None
        at, other = _outcomes(p, seed)
        alone = p.each_alone(at).with_truths(other[:, None])
        if p.decreed:  # each class has weights of its own
            alone = alone.reweighted((p.class_weight / np.bincount(p.truth[0], minlength=len(p.classes)))[alone.truth])
        s.computed[key] = Summary(alone)
    return s.computed[key]  # type: ignore[no-any-return]


def _outcomes(p: Predictions, seed: int) -> tuple[Array, Array]:
    """Cases, and another class for each: all there are, or some at random; the same of all models of these cases."""
    k = len(p.classes)
    most = min(MOST_OUTCOMES, max(MOST_CELLS // (k * k), 1))
    if p.n * (k - 1) <= most:
        at, step = np.divmod(np.arange(p.n * (k - 1)), k - 1)
    else:
        rng = stream(seed, PURPOSE)
        at, step = rng.integers(0, p.n, most), rng.integers(0, k - 1, most)
    return at, ((p.truth[0][at] + 1 + step) % k).astype(p.truth.dtype)
