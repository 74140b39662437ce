"""The average of curves: at each x, the mean of their heights. Exact, also where a curve jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import Diagram


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Averaged(Diagram):
    """The average of some curves."""

    name = "average"
    x: Array
    y: Array
    area: float

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A thick line in black."""
        x, y = drawing.simplified(self.x, self.y)
        text = f"{label} (area {drawing.number(self.area)})"
        dash = "-" if label.startswith("macro") else (0, (4, 1.5))
        ax.plot(x, y, **{"color": "black", "linewidth": 1.8, "linestyle": dash, "label": text, "zorder": 3} | style)
        drawing.legend(ax)


def averaged(curves: tuple[Any, ...], how: str, shares: list[float] | None = None) -> Averaged:
    """The mean of the curves, each counting the same ("macro") or by its share ("weighted")."""
    if how not in ("macro", "weighted"):
        raise InputError(f"averages holds {how!r}; an average of curves is 'macro' or 'weighted'.")
    weight = np.ones(len(curves)) if how == "macro" or shares is None else np.asarray(shares)
    x, y = vertical_mean([c.xy for c in curves], weight / weight.sum())
    return Averaged(model=f"{how} average", x=x, y=y, area=float(np.trapezoid(y, x)))


def vertical_mean(curves: list[tuple[Array, Array]], weight: Array) -> tuple[Array, Array]:
    """The weighted mean height of curves of straight pieces (x rising) at all their corners, from the left and from the
    right of each: so a jump of one curve is a smaller jump of the mean, and the area is the mean of the areas."""
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    mean = np.zeros((2, len(grid)))
    for (x, y), w in zip(curves, weight, strict=True):
        for side, heights in enumerate(_limits(x, y, grid)):
            mean[side] += w * heights
    return np.repeat(grid, 2), mean.T.ravel()


def _limits(x: Array, y: Array, grid: Array) -> tuple[Array, Array]:
    """The height of a curve just left and just right of each point of the grid."""
    low, high = np.searchsorted(x, grid, "left"), np.searchsorted(x, grid, "right")
    between = np.interp(grid, x, y)
    here = low < high
    last = len(x) - 1
    return np.where(here, y[np.minimum(low, last)], between), np.where(here, y[np.maximum(high - 1, 0)], between)
