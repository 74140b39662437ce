"""The rate-driven cost curve: the ROC curve in cost space, whose area is the AUC on another scale."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.diagrams import drawing
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import diagram
from karat.diagrams.panel import UNIT, Axis, Line, Panel
from karat.diagrams.roc_curves import both_sides
from karat.resampling import OperatingPoints, heights_between
from karat.statistics import ScoreTable
from karat.statistics.roc_hull import breaks, normalised_cost

GRID = np.linspace(0, 1, 201)
"""Where a random ranking is drawn, and at least where the curve is: it bends between thresholds."""


@diagram(
    name="rate_driven_curve",
    title="Rate-driven cost curve",
    cite="hernandez2013",
    aliases=("rate_driven_cost_curve", "rate_driven"),
)
class RateDrivenCurve(BandedCurve):
    """What is the expected cost if the cost proportion sets how many cases are predicted positive?

    At the cost proportion c (a false positive costs c, a false negative 1 - c) the share 1 - c of all cases is
    predicted positive, those with the highest scores; within tied scores at random. Only the ranking matters. The area
    is 1/3 + pi (1 - pi) (1 - 2 AUC) with the prevalence pi: the AUC as an expected cost. `plot(best=True)` adds
    what the best thresholds cost, as for the Brier curve. `prevalence=` restates it for another share of the positive
    class. `band=0.95` adds a confidence band of the curve at each c, or (`simultaneous=True`) as a whole.
    """

    statistic = ScoreTable
    averages = True
    c: Array
    """cost proportions, ascending: those at which a threshold is reached, and a grid between them"""
    cost: Array
    """2 [c (1 - pi) fpr + (1 - c) pi fnr] where the share 1 - c is predicted positive"""
    best_c: Array
    best_cost: Array
    """the same with the best threshold for each c"""
    area: float
    best_area: float
    prevalence: float

    @classmethod
    def compute(cls, statistic: ScoreTable, *, prevalence: float | None = None) -> Self:
        """A parabola between neighbouring thresholds."""
        both_sides(statistic, cls.name)
        t = statistic.at_prevalence(prevalence)
        share = float(t.prevalence)
        fpr, tpr = t.rates
        rate = share * tpr + (1 - share) * fpr
        rate[-1] = 1.0
        corners = 1 - rate[::-1]

        def cost(c: Array) -> Array:
            return _cost(c, np.interp(1 - c, rate, fpr), np.interp(1 - c, rate, tpr), share)

        c = np.union1d(corners, GRID)
        middle = (corners[1:] + corners[:-1]) / 2
        ends = cost(corners)
        # Simpson's rule is exact for parabolas
        area = np.sum(np.diff(corners) * (ends[1:] + 4 * cost(middle) + ends[:-1])) / 6
        best_c, best_cost = _envelope(fpr[t.hull], tpr[t.hull], share)
        return cls(
            c=c,
            cost=cost(c),
            best_c=best_c,
            best_cost=best_cost,
            area=float(area),
            best_area=float(np.trapezoid(best_cost, best_c)),
            prevalence=share,
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The cost at each c, where the share 1 - c is predicted positive."""
        share = points.share[:, None]
        rate = share * points.tpr + (1 - share) * points.fpr
        fpr, tpr = (heights_between(rate, rates, 1 - at) for rates in (points.fpr, points.tpr))
        return _cost(at, fpr, tpr, share)

    @classmethod
    def limits(cls, at: Array) -> tuple[Any, Any]:
        """From 0 to the cost of being wrong wherever so many of each answer allow it."""
        return 0.0, 2 * np.maximum(at, 1 - at)

    @property
    def trivial(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(cost proportion, cost) of always predicting the cheaper class."""
        p = self.prevalence
        return (0, p, 1), (0, 2 * p * (1 - p), 0)

    def panel(self) -> Panel:
        """The curve, under that of a random ranking."""
        line = Line(*self.xy, f"area {drawing.number(self.area)}")
        references = {"random ranking": RANDOM, "trivial classifiers": self.trivial}
        return Panel(Axis("cost proportion of false positives", UNIT), Axis("expected cost"), [line], references)

    def draw(self, ax: Any, label: str, *, best: bool = False, **style: Any) -> None:
        """The curve, a random ranking, and (`best=True`) what the best thresholds would cost."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, *RANDOM, "random ranking")
        drawing.reference(ax, *self.trivial, "trivial classifiers", linestyle=(0, (4, 1, 1, 1)))
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(self.c, self.cost)
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        if best:
            named = f"best thresholds of {label}" if label else "best thresholds"
            thin = {"color": look["color"], "linewidth": 0.8, "linestyle": (0, (1, 1.5)), "gid": "reference best"}
            ax.plot(self.best_c, self.best_cost, label=named, **thin)
        ax.set(xlim=(-0.01, 1.01), xlabel=f"Cost proportion of false positives ({self.who})", ylabel="Expected cost")
        drawing.from_zero(ax)
        drawing.legend(ax)


RANDOM = (GRID, 2 * GRID * (1 - GRID))
"""Both rates are 1 - c: the costs of the two errors are equal, whatever the prevalence."""


def _cost(c: Array, fpr: Array, tpr: Array, share: Any) -> Array:
    return np.asarray(2 * (c * (1 - share) * fpr + (1 - c) * share * (1 - tpr)))


def _envelope(fpr: Array, tpr: Array, share: float) -> tuple[Array, Array]:
    """(c, cost) of the best thresholds, from the corners of the cost curve of these vertices of the ROC hull."""
    pc = breaks(fpr, tpr)
    normalised = np.append(normalised_cost(fpr, tpr, pc[:-1]), 1 - tpr[-1])
    c = share * (1 - pc) / (share * (1 - pc) + (1 - share) * pc)
    cost = 2 * (c * (1 - share) + (1 - c) * share) * normalised
    return c[::-1], cost[::-1]
