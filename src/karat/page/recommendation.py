"""Which model to use, at which threshold, and how sure that is, if every error costs the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from karat.comparisons.difference import Difference
from karat.comparisons.model_comparison import Comparison
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.statistic import Needs
from karat.core.validation import false_alarms
from karat.core.words import shortest_cut
from karat.decisions.operating import operating
from karat.decisions.threshold_uncertainty import tables_at_thresholds
from karat.evaluation import Evaluation
from karat.page.plain_thresholds import plain_places
from karat.resampling.draws import Resampling
from karat.statistics import Counts
from karat.statistics.p_values import holm, mid_p_sign_test

UNKNOWN = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Course:
    """How a model is used at the least cost."""

    name: str
    cost: float
    """of a case: the share of errors"""
    threshold: str = ""
    """the positive class is predicted from this score on; empty: predictions are used as given"""
    errors: Array | None = None
    """[n]: on which cases it errs; None if that is not known"""


@dataclass(frozen=True)
class Saving:
    """By what share of its cost one model is cheaper than another."""

    share: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    """corrected (Holm) for all pairs of models; nan: not tested"""


@dataclass(frozen=True)
class TieBreak:
    """Of models whose costs do not differ significantly, the one whose probabilities are significantly better than
    those of all the others."""

    name: str
    p: float
    """the largest, corrected, of its tests against the others"""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The models from the cheapest on, and by how much the first is cheaper than each other one."""

    courses: tuple[Course, ...]
    constant: tuple[Any, float]
    """the most frequent class, and the cost of always predicting it"""
    savings: Mapping[str, Saving] = field(default_factory=dict)
    level: float = 0.95
    tie_break: TieBreak | None = None
    new_cost: tuple[float, float, float] = UNKNOWN
    """of the advised one on cases that did not choose its threshold, and its interval"""

    @property
    def best(self) -> Course:
        """The cheapest."""
        return self.courses[0]

    @property
    def advised(self) -> Course:
        """The one to use: the cheapest, or of models of like cost the one with the better probabilities."""
        if self.tie_break is None:
            return self.best
        return next(c for c in self.courses if c.name == self.tie_break.name)

    @property
    def alike(self) -> list[Course]:
        """The others whose cost does not differ significantly."""
        return [c for c in self.courses[1:] if self.savings[c.name].p > false_alarms(self.level)]

    @property
    def useless(self) -> bool:
        """Is always the same prediction as cheap as any model?"""
        return self.best.cost >= self.constant[1] - TOLERANCE


def recommendation(
    models: Mapping[str, Evaluation], level: float, groups: Any, seed: int, comparison: Comparison | None = None
) -> Recommendation | None:
    """Of models of the same cases; None where neither predictions nor thresholds are known. The comparison tells whose
    probabilities are better."""
    known = [course for name, e in models.items() if (course := _course(name, e)) is not None]
    if not known:
        return None
    first = models[known[0].name]
    weight = np.asarray(first.statistics.source.class_weight, float).reshape(-1, len(first.classes))[0]
    most = int(weight.argmax())
    courses = tuple(sorted(known, key=lambda c: c.cost))
    pairs = len(models) * (len(models) - 1) // 2
    constant = (first.classes[most], float(1 - weight[most] / weight.sum()))
    r = Recommendation(courses, constant, _savings(courses, first, level, groups, pairs), level)
    r = replace(r, tie_break=_tie_break([c.name for c in (r.best, *r.alike)], comparison))
    known_cost = bool(r.advised.threshold and weight.all())
    return replace(r, new_cost=_new_cost(models[r.advised.name], level, seed)) if known_cost else r


def _tie_break(names: list[str], comparison: Comparison | None) -> TieBreak | None:
    """None if nobody's probabilities were tested to be better than those of each other model."""
    key = None if comparison is None else comparison.aspects.get("probabilities")
    if len(names) < 2 or comparison is None or key is None:
        return None
    for name in names:
        tests = [compared(comparison, name, other, key) for other in names if other != name]
        won = [d.familywise for d in tests if d is not None and d.winner(comparison.level) == name]
        if len(won) == len(tests):
            return TieBreak(name, max(won))
    return None


def compared(c: Comparison, first: str, second: str, key: str) -> Difference | None:
    """The difference of two models on a measure, in whatever order; None if they were not compared."""
    if (first, second) not in c.pairs and (second, first) not in c.pairs:
        return None
    return c[first, second].differences[key]


def _course(name: str, e: Evaluation) -> Course | None:
    s, source = e.statistics, e.statistics.source
    positive, cases = source.positive, source.cases
    if len(e.classes) == 2 and positive is not None and cases is not None and not source.lacks(Needs.SCORES):
        t = s.table_of_class(positive)
        tables = tables_at_thresholds(t, positive)
        shares = (tables[:, 0, 1] + tables[:, 1, 0]) / tables[0].sum()
        places = plain_places(t, t.hull)
        at = int(places[np.flatnonzero(shares[places] <= shares[places].min() + TOLERANCE)[0]])
        edges = np.concatenate([[math.inf], t.scores[::-1], [-math.inf]])
        errors = (cases.scores[0][:, positive] >= edges[at]) != (cases.truth[0] == positive)  # type: ignore[index]
        return Course(name, float(shares[at]), shortest_cut(float(edges[at]), float(edges[at + 1])), errors)
    if s.lacks(Counts):
        return None
    right, weight = float(s[Counts].hits.sum()), float(s[Counts].weight.sum())
    cost = 1 - right / weight if weight > 0 else math.nan
    return Course(name, cost, "", None if cases is None else ~cases.right[0]) if cost == cost else None


def _savings(courses: tuple[Course, ...], e: Evaluation, level: float, groups: Any, pairs: int) -> dict[str, Saving]:
    best, *others = courses
    n, weight = int(e.n), e.statistics.source.weight
    if best.errors is None or any(c.errors is None or len(c.errors) != len(best.errors) for c in others):
        return {c.name: Saving(_share(best.cost, c.cost)) for c in others}
    cluster = Resampling.of(groups=groups).clusters(n)
    units = None if weight is None and cluster is None else (np.arange(n) if cluster is None else cluster)
    w = np.ones(len(best.errors)) if weight is None else np.asarray(weight[0], float)
    alone = [_saving(best, c, w, units, level) for c in others]
    p = holm([one.p for one in alone] + [1.0] * (pairs - len(alone))).tolist() if alone else []
    return {c.name: _agreeing(one, q, level) for c, one, q in zip(others, alone, p, strict=False)}


def _agreeing(alone: Saving, p: float, level: float) -> Saving:
    """With its corrected p-value; an interval that says otherwise than the test is not shown."""
    apart = alone.low > 0 or alone.high < 0
    ends = (alone.low, alone.high) if apart == (p <= false_alarms(level)) else (math.nan, math.nan)
    return Saving(alone.share, *ends, p)


def _share(cost: float, other: float) -> float:
    return 1 - cost / other if other > 0 else 0.0


def _saving(best: Course, other: Course, weight: Array, units: Array | None, level: float) -> Saving:
    """The interval is that of the logarithm of a ratio of two sums (linearised), over cases or groups; the test is
    McNemar's, as a comparison of accuracies makes it, or with weights or groups that of the mean difference."""
    from scipy.special import stdtr, stdtrit

    assert best.errors is not None
    assert other.errors is not None
    a, b = (weight * c.errors for c in (best, other))
    if units is not None:
        a, b = (np.bincount(units, x) for x in (a, b))
    p = mid_p_sign_test(float((a < b).sum()), float((a > b).sum()), sides=2)
    freedom = len(a) - 1
    if units is not None and freedom > 0:
        spread = math.sqrt(len(a) / freedom * float(((b - a - (b - a).mean()) ** 2).sum()))
        p = 2 * float(stdtr(freedom, -abs(float((b - a).sum())) / spread)) if spread > 0 else 1.0
        p = max(p, min(1.0, 2.0 ** (1 - int((a != b).sum()))))  # what exchanging all groups that differ could show
    share = _share(float(a.sum()), float(b.sum()))
    if not (a.sum() > 0 and b.sum() > 0 and freedom > 0):
        return Saving(share, p=p)
    error = math.sqrt(len(a) / freedom * float(((a / a.sum() - b / b.sum()) ** 2).sum()))
    step = float(stdtrit(freedom, (1 + level) / 2)) * error
    return Saving(share, 1 - (1 - share) * math.exp(step), 1 - (1 - share) * math.exp(-step), p)


def _new_cost(e: Evaluation, level: float, seed: int) -> tuple[float, float, float]:
    found = operating(e, level=level, seed=seed).threshold
    return UNKNOWN if found is None else (found.new_cost, *found.new_cost_interval)
