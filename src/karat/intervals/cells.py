"""What each case adds to a measure of sums, where only the cells of the scores are known."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.data import Predictions
from karat.measures.value import MeasureOf
from karat.resampling.influence import Influence
from karat.statistics import Certainty, LossSums, ProbabilitySums, Summary
from karat.statistics.added import AddedStatistics

OF_CELLS = (ProbabilitySums, LossSums, Certainty)
"""Sums over cases of what probabilities tell."""
FARTHEST = 1e6
"""Stands for an infinite logit."""
PER_LOGIT = 200
"""Parts of a unit of the logit that are taken for one: probabilities in it differ by less than half a percent."""


def influences_of_cells(summary: Summary, wanted: list[MeasureOf], values: list[float]) -> dict[str, Influence]:
    """Of each measure: what leaving out a case of each class and cell does to it. All cases of a cell are taken to have
    its mean probability, so that variances are approximate (to about a percent); the values themselves are exact, and
    no bias is read from the cells."""
    truth, own, times = _joined(*_own_probabilities(summary.source.added))
    k = len(summary.source.classes)
    p = np.repeat(((1 - own) / (k - 1))[:, None], k, axis=1)  # of more classes none asks for the others
    p[np.arange(len(own)), truth] = own
    alone = Summary(Predictions(summary.source.classes, truth[:, None], p[:, None], lead=(len(truth),)))
    shares = np.full(len(times), 1 / times.sum())
    out = {}
    for m, value in zip(wanted, values, strict=True):
        whole, one = (m.statistic(s) for s in (summary, alone))
        left = type(whole)(*(getattr(whole, f.name) - getattr(one, f.name) for f in fields(whole)))
        moves = (value - m.values(left)) * (1 - shares)
        moves -= shares * float(times @ moves)
        out[m.key] = Influence(value, moves, shares, times, truth)
    return out


def told_by_cells(m: MeasureOf, summary: Summary) -> bool:
    """Do cells tell what each case adds to this measure? Of two classes to any of these sums; of more to one that asks
    for the probability of the true class alone, as log loss does."""
    if m.kind not in OF_CELLS or not summary.source.added.grids:
        return False
    if summary.source.added.mirrored:
        return True
    whole = m.statistic(summary)
    if not isinstance(whole, LossSums):
        return False
    return bool(m.values(LossSums(2 * whole.squares, whole.logs, whole.weight)) == m.values(whole))


def _own_probabilities(added: AddedStatistics) -> tuple[Array, Array, Array]:
    """(true class, probability of it, number of cases) of each cell."""
    if added.mirrored:
        p: Any = added.cell_cases()
        truth = p.truth[0]
        return truth, p.scores[0][np.arange(len(truth)), truth], p.weight[0]
    own = [(grid.ends.mean(axis=0), grid.weight[grid.own]) for grid in added.grids]
    truth = np.repeat(np.arange(len(own)), [len(w) for _, w in own])
    p, w = (np.concatenate(part) for part in zip(*own, strict=True))
    return truth[w > 0], p[w > 0], w[w > 0]


def _joined(truth: Array, p: Array, w: Array) -> tuple[Array, Array, Array]:
    """The same of cells that are joined where they are close."""
    with np.errstate(divide="ignore"):
        place = np.floor(PER_LOGIT * (np.log(p) - np.log1p(-p)))
    far, k = np.clip(place, -FARTHEST, FARTHEST), int(truth.max()) + 1
    _, group = np.unique(k * far + truth, return_inverse=True)
    times = np.bincount(group, w)
    of_group = np.zeros(len(times), np.int32)
    of_group[group] = truth
    return of_group, np.clip(np.bincount(group, w * p) / times, 0.0, 1.0), times
