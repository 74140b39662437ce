"""A part of the area under a ROC curve: between two false positive rates, or between two true positive rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.diagrams import drawing
from karat.diagrams.diagram import range_of
from karat.diagrams.several import limits_at
from karat.measures.ranking import partial_area_under_roc
from karat.statistics import ScoreTable


@dataclass(frozen=True)
class PartialArea:
    """The area under the curve between two false positive rates; or right of it, between two true positive rates."""

    rate: str
    """fpr or tpr"""
    low: float
    high: float
    area: float
    """high - low at most"""

    @property
    def words(self) -> str:
        """What a legend says of it."""
        called = {"fpr": "false positive rate", "tpr": "true positive rate"}[self.rate]
        return f"partial area: {called} {self.low:g} to {self.high:g} (at most {self.high - self.low:.6g})"


def partial_area(table: ScoreTable, fpr_range: Any, tpr_range: Any) -> PartialArea | None:
    """The part that was asked for, if any; of a true positive rate it is that of the curve with its classes exchanged,
    where 1 - tpr is the false positive rate."""
    if fpr_range is not None and tpr_range is not None:
        raise InputError(f"both {option('fpr_range')} and {option('tpr_range')} were given; give one of them.")
    if fpr_range is not None:
        low, high = range_of("fpr_range", fpr_range)
        return PartialArea("fpr", low, high, _up_to(table, high) - _up_to(table, low))
    if tpr_range is not None:
        low, high = range_of("tpr_range", tpr_range, upwards=True)
        weight = np.stack([table.positive, table.negative])[:, ::-1]
        exchanged = ScoreTable(-table.scores[::-1], weight)
        return PartialArea("tpr", low, high, _up_to(exchanged, 1 - low) - _up_to(exchanged, 1 - high))
    return None


def _up_to(table: ScoreTable, fpr: float) -> float:
    return float(partial_area_under_roc.value_of(table, max_fpr=fpr)) if fpr > 0 else 0.0


def draw_partial(ax: Any, part: PartialArea, fpr: Array, tpr: Array, colour: str) -> None:
    """A soft area in the colour of the curve; what it is is said once."""
    along, across = (fpr, tpr) if part.rate == "fpr" else (tpr, fpr)
    inside = (along > part.low) & (along < part.high)
    before, after = limits_at(along, across, np.array([part.low, part.high]))
    at = np.concatenate([[part.low], along[inside], [part.high]])
    height = np.concatenate([after[:1], across[inside], before[1:]])  # of a step at an end the side within
    look: dict[str, Any] = {"color": colour, "alpha": 0.22, "linewidth": 0, "gid": "band"}
    if part.rate == "fpr":
        ax.fill_between(*drawing.simplified(at, height), **look)
    else:
        at, height = drawing.simplified(at, height)
        ax.fill_betweenx(at, height, 1.0, **look)
    drawing.sample(ax, part.words, area=True)
