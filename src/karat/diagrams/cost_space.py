"""Cost curves: the expected cost of the best threshold, whatever errors cost and however frequent the class is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array, ratio
from karat.diagrams import drawing
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import diagram
from karat.diagrams.panel import UNIT, Axis, Line, Panel
from karat.diagrams.roc_curves import both_sides
from karat.resampling import OperatingPoints
from karat.resampling.draws import blocks
from karat.statistics import ForecastTable, ScoreTable
from karat.statistics.roc_hull import breaks, normalised_cost

PC = r"Probability cost $PC$"


@diagram(name="cost_curve", title="Cost curve", cite="drummond2006", aliases=("cost_curves",))
class CostCurve(BandedCurve):
    """What is the lowest expected cost of any threshold, for all costs and class frequencies?

    Each threshold is a line from its false positive rate (PC = 0) to its false negative rate (PC = 1); the curve is
    the lower envelope of all lines and of the two trivial classifiers. `band=0.95` adds a confidence band at each PC,
    or (`simultaneous=True`) of the whole curve; it corrects for the optimism of choosing and evaluating thresholds on
    the same cases.
    """

    on_page = True
    statistic = ScoreTable
    averages = True
    needs_share = False
    certifies = "hull"
    places = np.linspace(0, 1, 101)  # the curve is straight between corners, and no step
    pc: Array
    """corners of the envelope"""
    cost: Array
    """normalised expected cost there"""
    thresholds: Array
    """the best threshold from each corner to the next: +inf is always negative"""
    fpr: Array
    """of every threshold from +inf down: where its line begins, at PC = 0"""
    fnr: Array
    """of every threshold: where its line ends, at PC = 1"""
    area: float
    """the mean normalised expected cost if every PC is equally likely"""
    useful: tuple[float, float]
    """between these PC some threshold beats both trivial classifiers (nan: nowhere)"""

    @classmethod
    def compute(cls, statistic: ScoreTable) -> Self:
        """The envelope, from the convex hull of the ROC curve."""
        both_sides(statistic, cls.name)
        fpr, tpr = statistic.rates
        at = statistic.hull
        pc = breaks(fpr[at], tpr[at])
        cost = np.append(normalised_cost(fpr[at], tpr[at], pc[:-1]), 1 - tpr[at[-1]])
        return cls(
            pc=pc,
            cost=cost,
            thresholds=statistic.thresholds[at],
            fpr=fpr,
            fnr=1 - tpr,
            area=float(np.trapezoid(cost, pc)),
            useful=(float(pc[1]), float(pc[-2])) if len(at) > 2 else (np.nan, np.nan),
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The cost of the best threshold at each PC, which is chosen in another replicate if the points say so."""
        best = np.empty((len(points.fpr), len(at)), np.intp)
        for some in blocks(*points.fpr.shape):
            fpr, tpr = points.fpr[some], points.tpr[some]
            for i, pc in enumerate(at):
                best[some, i] = normalised_cost(fpr, tpr, pc).argmin(axis=1)
        best = np.roll(best, points.apart, axis=0)
        fpr, tpr = (np.take_along_axis(rate, best, 1) for rate in (points.fpr, points.tpr))
        return normalised_cost(fpr, tpr, at)

    @classmethod
    def limits(cls, at: Array) -> tuple[Any, Any]:
        """From 0 to what the cheaper trivial classifier costs."""
        return 0.0, np.minimum(at, 1 - at)

    def crossings(self, other: CostCurve) -> list[dict[str, float]]:
        """Where this curve and another cross.

        Parameters
        ----------
        other : CostCurve
            The curve of another model.

        Returns
        -------
        list of dict
            {"pc": probability cost, "cost": normalised expected cost} of each crossing: below that PC one model is
            cheaper, above it the other.
        """
        grid = np.unique(np.concatenate([self.pc, other.pc]))
        gap = np.interp(grid, self.pc, self.cost) - np.interp(grid, other.pc, other.cost)
        sign = np.where(np.abs(gap) <= TOLERANCE, 0, np.sign(gap))
        crossings = []
        for a, b in pairwise(np.flatnonzero(sign)):
            if sign[a] != sign[b]:
                # both curves are straight between corners: between a and b the gap is 0 at one point, or on a stretch
                at = grid[a] + (grid[b] - grid[a]) * gap[a] / (gap[a] - gap[b]) if b == a + 1 else grid[a + 1]
                crossings.append({"pc": float(at), "cost": float(np.interp(at, self.pc, self.cost))})
        return crossings

    def draw(self, ax: Any, label: str, *, lines: bool = False, **style: Any) -> None:
        """The envelope, under the triangle of the trivial classifiers."""
        look = drawing.next_series(ax) | style
        if lines:
            for i in np.linspace(0, len(self.fpr) - 1, min(len(self.fpr), 200)).astype(int):
                ax.plot((0, 1), (self.fpr[i], self.fnr[i]), color=look["color"], linewidth=0.3, alpha=0.25, zorder=1)
        drawing.reference(ax, (0, 0.5, 1), (0, 0.5, 0), "trivial classifiers")
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(self.pc, self.cost)
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        ax.set(xlim=(-0.01, 1.01), ylim=(0, 0.52), xlabel=f"{PC} ({self.who})", ylabel="Normalised expected cost")
        drawing.legend(ax)


@diagram(name="brier_curve", title="Brier curve", cite="hernandez2011", aliases=("brier_curves",))
class BrierCurve(BandedCurve):
    """What is the expected cost if the cost proportion itself is the threshold?

    At the cost proportion c (a false positive costs c, a false negative 1 - c) the threshold is c itself. The area
    under the curve is the Brier score; the envelope, with the best threshold instead, has its refinement part as its
    area.
    `band=0.95` adds a confidence band of the curve at each c, or (`simultaneous=True`) as a whole.
    """

    on_page = True
    statistic = ForecastTable
    averages = True
    c: Array
    """cost proportions: 0, each distinct forecast from below and from above, 1"""
    cost: Array
    """2 [c (1 - pi) fpr + (1 - c) pi fnr] at the threshold c"""
    best_c: Array
    best_cost: Array
    """the same with the best threshold for each c"""
    area: float
    best_area: float
    prevalence: float

    @classmethod
    def compute(cls, statistic: ForecastTable, *, prevalence: float | None = None) -> Self:
        """A straight piece between neighbouring forecasts, a jump at each."""
        both_sides(statistic, cls.name)
        t = statistic.at_prevalence(prevalence)
        share = float(t.prevalence)
        fpr, tpr = t.rates
        # between two neighbouring forecasts the cases above are those at or above the higher one
        edges = np.concatenate([[0.0], t.scores, [1.0]])
        c = np.repeat(edges, 2)[1:-1]
        state = np.repeat(np.arange(len(fpr))[::-1], 2)
        cost = _cost(c, fpr[state], tpr[state], share)
        at = t.hull
        wider, higher = np.diff(fpr[at]) * (1 - share), np.diff(tpr[at]) * share
        borders = ratio(higher, wider + higher, float(share < 0.5))  # a class may weigh nothing beside the other
        best_c = np.concatenate([[0.0], borders[::-1], [1.0]])
        low = at[::-1]
        best = _cost(best_c, fpr[np.append(low, low[-1])], tpr[np.append(low, low[-1])], share)
        return cls(
            c=c,
            cost=cost,
            best_c=best_c,
            best_cost=best,
            area=float(np.trapezoid(cost, c)),
            best_area=float(np.trapezoid(best, best_c)),
            prevalence=share,
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The cost of the threshold c at each c."""
        return _cost(at, *points.at_thresholds(at), points.share[:, None])

    @classmethod
    def limits(cls, at: Array) -> tuple[Any, Any]:
        """From 0 to the cost of always being wrong, where only the dearer error is made."""
        return 0.0, 2 * np.maximum(at, 1 - at)

    @property
    def trivial(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(cost proportion, cost) of always predicting the cheaper class."""
        p = self.prevalence
        return (0, p, 1), (0, 2 * p * (1 - p), 0)

    def panel(self) -> Panel:
        """The curve, under the trivial classifiers."""
        line = Line(*self.xy, f"Brier score {drawing.number(self.area)}")
        x = Axis("cost proportion of false positives", UNIT)
        return Panel(x, Axis("expected cost"), [line], {"trivial classifiers": self.trivial})

    def draw(self, ax: Any, label: str, *, best: bool = True, **style: Any) -> None:
        """The curve, and below it what the best thresholds would cost."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, *self.trivial, "trivial classifiers")
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(self.c, self.cost)
        ax.plot(x, y, label=self.named(label, f"Brier score {drawing.number(self.area)}"), **look)
        if best:  # of each model in its colour: an area would be taken for a band, and overlap others
            dotted: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (1, 1.5))}
            ax.plot(self.best_c, self.best_cost, color=look["color"], **dotted)
            drawing.sample(ax, "with the best thresholds", **dotted)
        ax.set(xlim=(-0.01, 1.01), xlabel=f"Cost proportion of false positives ({self.who})", ylabel="Expected cost")
        drawing.from_zero(ax)
        drawing.legend(ax)


def _cost(c: Array, fpr: Array, tpr: Array, share: Any) -> Array:
    return np.asarray(2 * (c * (1 - share) * fpr + (1 - c) * share * (1 - tpr)))
