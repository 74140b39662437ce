"""Predictions as a measure of order sees them: the rank of each score among all cases of its model.

Two models may order cases alike on different scales, one of them being surer, or higher throughout. Scores of such
models can't be exchanged case by case, but their ranks can (Venkatraman & Begg 1996)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from karat.core.measure import MONOTONE
from karat.data import Predictions
from karat.data.border import Extent
from karat.measures.lookup import find
from karat.measures.value import MeasureOf


def sees_ranks(m: MeasureOf) -> bool:
    """Is the order of the scores all that it depends on?"""
    return MONOTONE in m.measure.invariant and not m.counted


def of_ranks(first: Predictions, second: Predictions, m: MeasureOf) -> tuple[Predictions, Predictions, MeasureOf]:
    """Two models and a measure of order, with ranks for scores."""
    area = m.measure.symbol == "AUC"  # of one class it is the mean area of two, which many exchanges have at once
    if area and len(first.classes) == 2:
        m = MeasureOf(find("AUNU"))
    as_one = m if m.place is None else MeasureOf(find("AUNU")) if area else replace(m, place=1)
    return _ranked(first, m.place), _ranked(second, m.place), as_one


def _ranked(p: Predictions, place: int | None) -> Predictions:
    """The same cases with ranks, as shares of the cases: of the scores of all classes, or of one against the rest."""
    from scipy.stats import rankdata  # takes half a second

    assert p.scores is not None
    scores = p.scores if place is None else p.scores[:, :, place, None]
    held = np.ascontiguousarray(rankdata(scores, axis=1) / p.n)
    extent = Extent(float(held.min()), float(held.max()), np.inf)
    p = replace(p, held=held, decided=None, decides=False, outputs=p.classes, extent=extent)
    if place is None:
        return p
    truth, extent = (p.truth == place).astype(np.int32), extent._replace(given=1)
    return replace(p, classes=(False, True), outputs=(False, True), truth=truth, positive=1, extent=extent)
