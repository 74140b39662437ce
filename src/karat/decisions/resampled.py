"""ROC points of models on resampled cases: each draw takes as many cases as there are, with replacement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.statistic import Needs
from karat.data import Predictions
from karat.statistics import Counts, ScoreTable, Summary
from karat.statistics.roc_hull import upper_hull
from karat.statistics.summary import positive_of

Point = tuple[float, float]
Points = list[tuple[float, float, float]]
"""(fpr, tpr, threshold) of operating points; the threshold is nan for decisions as they are"""


def vertices(t: ScoreTable) -> Points | None:
    """The strict vertices of the hull of the ROC curve but (0, 0) and (1, 1); None if a class has no case."""
    tp, fp = t.true_positives, t.false_positives
    if not (tp[-1] > 0 and fp[-1] > 0):
        return None
    at = t.hull  # fast, and with more vertices than strict ones where pooled frequencies differ by rounding
    x, y = fp[at] / fp[-1], tp[at] / tp[-1]
    edges = np.concatenate([[math.inf], t.scores[::-1]])[at]
    return [(float(x[i]), float(y[i]), float(edges[i])) for i in upper_hull(x, y) if 0 < i < len(x) - 1]


class Resampled:
    """Draws of the cases, the same for all models that predict them."""

    def __init__(self, summaries: dict[str, Summary], thresholds: bool, rng: np.random.Generator) -> None:
        self.rng = rng
        self.models: dict[str, Any] = {}
        self.cases = 0
        for name, s in summaries.items():
            p = s.source.cases
            if p is None:
                self.models[name] = _Tabled(s[Counts], positive_of(s))
            else:
                self.cases = p.n
                scored = thresholds and not p.lacks(Needs.SCORES)
                self.models[name] = (_Scored if scored else _Decided)(p, positive_of(s))

    def points(self) -> dict[str, Points] | None:
        """The operating points of every model in one draw; None if it has no case of one of the classes."""
        times = np.zeros(0)
        if self.cases:
            times = np.bincount(self.rng.integers(0, self.cases, self.cases), minlength=self.cases).astype(float)
        found = {name: model.drawn(times, self.rng) for name, model in self.models.items()}
        return None if any(points is None for points in found.values()) else found


class _Scored:
    """A model that may choose its threshold."""

    def __init__(self, p: Predictions, positive: int) -> None:
        assert p.scores is not None
        self.scores, place = np.unique(p.scores[0, :, positive], return_inverse=True)
        self.cell = (p.truth[0] == positive) * len(self.scores) + place
        self.weight = None if p.weight is None else p.weight[0]

    def drawn(self, times: Array, rng: np.random.Generator) -> Points | None:
        w = times if self.weight is None else times * self.weight
        weight = np.bincount(self.cell, w, 2 * len(self.scores)).reshape(2, -1)
        kept = weight.sum(axis=0) > 0
        return vertices(ScoreTable(self.scores[kept], weight[:, kept])) if kept.any() else None


class _Decided:
    """A model whose decisions are taken as they are."""

    def __init__(self, p: Predictions, positive: int) -> None:
        self.cell = 2 * (p.truth[0] == positive) + (p.decisions[0] == positive)
        self.weight = None if p.weight is None else p.weight[0]

    def drawn(self, times: Array, rng: np.random.Generator) -> Points | None:
        w = times if self.weight is None else times * self.weight
        return _one_point(np.bincount(self.cell, w, 4).reshape(2, 2))


class _Tabled:
    """A bare matrix, drawn by itself."""

    def __init__(self, counts: Counts, positive: int) -> None:
        b = counts.binary
        self.table = np.array([b.tn[positive], b.fp[positive], b.fn[positive], b.tp[positive]])

    def drawn(self, times: Array, rng: np.random.Generator) -> Points | None:
        total = self.table.sum()
        return _one_point(rng.multinomial(round(total), self.table / total).reshape(2, 2).astype(float))


def _one_point(table: Array) -> Points | None:
    """[negative or positive in truth, decided] as one operating point."""
    rest, own = table.sum(axis=1)
    return None if not (rest and own) else [(float(table[0, 1] / rest), float(table[1, 1] / own), math.nan)]
