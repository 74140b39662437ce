"""How uncertain the curves of a page are: bands of ROC and reliability curves, thinned to what can be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import Reliability, ROCCurve
from karat.page.json_numbers import brief
from karat.statistics import Summary

MODELS, BANDS = 4, 24
"""Models beside which bands can be told apart, at most; and bands of a page (two for each class and model)."""
REPLICATES, PLACES = 200, 60
"""Enough for a drawing: replicates, and places at which a band is carried."""


def banded(classes: Sequence[int], models: int, positive: int | None, level: float | None) -> list[int]:
    """The classes whose curves get bands: as many as there is room for, the positive one first."""
    if level is None or models > MODELS:
        return []
    return sorted(classes, key=lambda j: j != positive)[: BANDS // (2 * models)]


def roc_bands(models: Mapping[str, Summary], place: int, level: float) -> list[dict[str, Any]]:
    """Pointwise in the false positive rate, from cases that are drawn again; none with weights that are not whole."""
    found = []
    for i, s in enumerate(models.values()):
        try:
            b = ROCCurve.of(s, positive=s.source.classes[place], band=level, replicates=REPLICATES).band
        except InputError:
            continue
        assert b is not None
        finer = (len(b.at) - 1) * np.linspace(0, 1, PLACES) ** 2  # where the curve is steep
        at = np.unique(np.round(finer).astype(int))
        found.append(_band(i, b.at[at], b.tpr.low[at], b.tpr.high[at]))
    return found


def reliability_bands(models: Mapping[str, Summary], place: int, level: float) -> list[dict[str, Any]]:
    """Between which frequencies each curve would lie, if the forecasts were right."""
    found = []
    for i, s in enumerate(models.values()):
        try:
            d = Reliability.of(s, positive=s.source.classes[place], band=level, replicates=REPLICATES)
        except InputError:
            continue
        assert d.band is not None
        x = d.curve[0]
        at = np.unique(np.round(np.linspace(0, len(x) - 1, PLACES)).astype(int))
        found.append(
            _band(i, x[at], *(end[at] for end in d.band)) | {"ticks": [brief(part, 3) for part in d.refinement]}
        )
    return found


def _band(model: int, x: Array, low: Array, high: Array) -> dict[str, Any]:
    return {"model": model, "x": brief(x, 4), "low": brief(low, 4), "high": brief(high, 4)}
