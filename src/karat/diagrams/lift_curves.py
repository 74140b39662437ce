"""Lift: what share of the positives the top of the ranking holds, compared with a random choice."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.table import Table
from karat.core.validation import whole
from karat.diagrams import drawing
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import diagram
from karat.diagrams.panel import Axis, Line, Panel
from karat.resampling import OperatingPoints, heights_between
from karat.statistics import ScoreTable


@diagram(
    name="lift",
    title="Cumulative gains",
    cite="prati2011",
    aliases=("lift_curve", "cumulative_gains", "cumulative_gain", "gains_curve", "gain_curve"),
)
class Lift(BandedCurve):
    """What share of the positives is found in the top-ranked share of all cases?

    The points are those of the thresholds (the paper's convex hull is drawn on request); `prevalence=` restates them
    for another share of the positive class. The horizontal axis is p(y), the share of all cases: not the false positive
    rate. `band=0.95` adds a confidence band at each share of the cases, or (`simultaneous=True`) of the whole curve.
    """

    on_page = True
    statistic = ScoreTable
    averages = True
    reached: Array
    """p(y): the share of all cases at or above each threshold"""
    tpr: Array
    """the share of the positives among them"""
    thresholds: Array
    hull: Array
    area: float
    prevalence: float
    parts: int = 10

    @classmethod
    def compute(cls, statistic: ScoreTable, *, prevalence: float | None = None, parts: int = 10) -> Self:
        """One point for each distinct score."""
        if not statistic.positive.sum() > 0:
            raise InputError(f"{cls.name} is not available: there is no positive case; give cases of both classes.")
        parts = whole("parts", parts)
        t = statistic.at_prevalence(prevalence)
        tp, fp = t.true_positives, t.false_positives
        reached = (tp + fp) / (tp[-1] + fp[-1])
        return cls(
            reached=reached,
            tpr=t.rates[1],
            thresholds=t.thresholds,
            hull=t.hull,
            area=float(np.trapezoid(t.rates[1], reached)),
            prevalence=float(t.prevalence),
            parts=parts,
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The share of the positives that each share of all cases reaches."""
        share = points.share[:, None]
        return heights_between(share * points.tpr + (1 - share) * points.fpr, points.tpr, at)

    @property
    def deciles(self) -> Table:
        """Each tenth of the ranking (or other part): share of positives reached in it and up to it, and how many times
        more than by chance. Tied cases that lie across a border are shared out evenly."""
        edges = np.arange(self.parts + 1) / self.parts
        reached = np.interp(edges, self.reached, self.tpr)
        inside = np.diff(reached)
        columns = {"part": np.arange(1, self.parts + 1), "positives": inside, "lift": inside * self.parts}
        columns |= {"reached": reached[1:], "cumulative_lift": reached[1:] / edges[1:]}
        return Table({name: values.tolist() for name, values in columns.items()}, "lift by part of the ranking")

    def draw(self, ax: Any, label: str, *, hull: bool = False, **style: Any) -> None:
        """The curve between a random and a perfect ranking."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, (0, 1), (0, 1), "random ranking")
        drawing.reference(ax, (0, self.prevalence, 1), (0, 1, 1), "perfect ranking", linestyle=(0, (6, 2)))
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(self.reached, self.tpr, self.hull)
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        if hull:
            self.draw_hull(ax, self.reached[self.hull], self.tpr[self.hull], look["color"])
        drawing.square(ax, "Share of all cases, top-ranked first", f"Share of the positives found ({self.who})")
        drawing.legend(ax, "lower right")


@diagram(name="lift_by_decile", title="Lift by decile", cite="prati2011", aliases=("decile_lift", "lift_chart"))
class LiftByDecile(Lift):
    """How many times more positives than a random choice does each decile of the ranking hold?"""

    size = (4.2, 2.8)
    averages = False
    has_band = False

    def panel(self) -> Panel:
        """A point for each tenth."""
        table, ends = self.deciles.columns, (0.5, self.parts + 0.5)
        x, points = Axis("decile of the ranking, from the top", ends), [Line(table["part"], table["lift"])]
        return Panel(x, Axis("lift"), points, {"chance": (ends, (1, 1))}, points=True)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A point for each tenth, joined."""
        table = self.deciles.columns
        look = drawing.next_series(ax) | drawing.next_points(ax) | style
        ax.plot(table["part"], table["lift"], label=label or None, **look)
        drawing.reference(ax, (0.4, self.parts + 0.6), (1, 1), "chance")
        of = "Decile" if self.parts == 10 else "Part"
        ax.set(xlabel=f"{of} of the ranking, from the top", ylabel=f"Lift ({self.who})", xticks=table["part"])
        drawing.from_zero(ax)
        drawing.legend(ax)
