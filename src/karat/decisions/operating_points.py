"""Operating points of models: places in the ROC space, and the same in bootstrap replicates of the cases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.statistic import Needs
from karat.data import Predictions
from karat.measures.rates import false_positive_rate, true_positive_rate
from karat.resampling.draws import Draws, blocks, entropy, tables
from karat.resampling.replicates import Replicates
from karat.statistics import Binary, Counts, ScoreTable, Summary
from karat.statistics.roc_hull import upper_hull
from karat.statistics.summary import positive_of

Point = tuple[float, float]
"""(fpr, tpr)"""
Points = list[tuple[float, float, float]]
"""(fpr, tpr, threshold) of operating points; the threshold is nan for decisions as they are"""
ONE_CLASS = "a model can't be compared: one of the two classes has no case; give cases of both."


def points_of(summary: Summary, thresholds: bool) -> Points:
    """The operating points that can be the best: where `thresholds` may be chosen, the vertices of the hull."""
    positive = positive_of(summary)
    if thresholds and not summary.source.lacks(Needs.SCORES):
        points = _vertices(summary.table_of_class(positive))
    else:
        lacking = summary.lacks(Binary)
        if lacking:
            raise InputError(f"a model can't be compared: {lacking}.")
        points = next(_as_decided(summary[Binary], positive))
    if points is None:
        raise InputError(ONE_CLASS)
    return points


def replicated_points(
    summaries: dict[str, Summary], thresholds: bool, replicates: int, seed: Any
) -> Iterator[dict[str, Points]]:
    """The points of every model in one replicate after the other: cases are drawn for all models alike, bare matrices
    each by itself. Replicates without a case of one of the classes are left out."""
    own = np.random.SeedSequence(entropy(seed)).generate_state(len(summaries), np.uint64)
    models = [
        _of_counts(s[Counts], positive_of(s), replicates, int(key))
        if s.source.cases is None
        else _of_cases(s.source.cases, positive_of(s), thresholds, replicates, seed)
        for s, key in zip(summaries.values(), own, strict=True)
    ]
    for points in zip(*models, strict=True):
        drawn = {name: p for name, p in zip(summaries, points, strict=True) if p is not None}
        if len(drawn) == len(summaries):
            yield drawn


def _of_cases(p: Predictions, positive: int, thresholds: bool, replicates: int, seed: Any) -> Iterator[Points | None]:
    of = Replicates(p, np.argsort(p.truth[0], kind="stable"))  # one order of the cases for all models
    draws = Draws.of(seed, replicates, (p.n,))
    for part in blocks(replicates, p.n):
        counts = draws.counts(part)
        if thresholds and not p.lacks(Needs.SCORES):
            yield from map(_vertices, of.table_of_class(positive, counts).each())
        else:
            yield from _as_decided(of.get(Binary, {}, counts), positive)


def _of_counts(counts: Counts, positive: int, replicates: int, seed: int) -> Iterator[Points | None]:
    for some in tables(counts.table, replicates, seed):
        yield from _as_decided(Counts(some).binary, positive)


def _vertices(t: ScoreTable) -> Points | None:
    """The strict vertices of the hull of the ROC curve but (0, 0) and (1, 1); None if a class has no case."""
    tp, fp = t.true_positives, t.false_positives
    if not (tp[-1] > 0 and fp[-1] > 0):
        return None
    at = t.hull  # fast, and with more vertices than strict ones where pooled frequencies differ by rounding
    x, y, cut = fp[at] / fp[-1], tp[at] / tp[-1], t.thresholds[at]
    return [(float(x[i]), float(y[i]), float(cut[i])) for i in upper_hull(x, y) if 0 < i < len(x) - 1]


def _as_decided(binary: Binary, positive: int) -> Iterator[Points | None]:
    """One point for each of some tables of counts; None if a class has no case."""
    fpr, tpr = (np.atleast_2d(rate(binary))[:, positive] for rate in (false_positive_rate, true_positive_rate))
    for x, y in zip(fpr.tolist(), tpr.tolist(), strict=True):
        yield [(x, y, math.nan)] if math.isfinite(x) and math.isfinite(y) else None
