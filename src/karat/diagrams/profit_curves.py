"""Return on investment: what acting on the top of the ranking earns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.diagrams.roc_curves import both_sides
from karat.measures.costs import expected_cost
from karat.statistics import Counts, ScoreTable


@diagram(name="roi", title="Return on investment", cite="prati2011", aliases=("roi_curve", "profit_curve", "profit"))
class ROI(PredictionDiagram):
    """What is the total profit of acting on the top-ranked share of all cases?

    `tp`, `fp`, `fn` and `tn` are the gains (losses are negative) of a case that is positive and acted on, negative and
    acted on, positive and left, negative and left. `cases` is how many there are (default: as many as in the data),
    `prevalence` how frequent positives are among them.
    """

    on_page = True
    headline = "best_profit"
    statistic = ScoreTable
    contacted: Array
    """p(y): the share of all cases at or above each threshold"""
    profit: Array
    thresholds: Array
    best_share: float
    best_profit: float
    best_threshold: float
    everyone: float
    """the profit of acting on all cases; acting on a random share lies on the line from nobody's to everyone's"""
    cases: float
    prevalence: float
    gains: dict[str, float]

    @classmethod
    def compute(
        cls,
        statistic: ScoreTable,
        *,
        tp: float = 1.0,
        fp: float = -1.0,
        fn: float = 0.0,
        tn: float = 0.0,
        cases: float | None = None,
        prevalence: float | None = None,
    ) -> Self:
        """The total expected profit at each distinct score."""
        both_sides(statistic, cls.name)
        if not np.isfinite([tp, fp, fn, tn]).all():
            raise InputError(f"the gains are {tp}, {fp}, {fn}, {tn}; give finite numbers (a loss is negative).")
        t = statistic.at_prevalence(prevalence)
        n = float((t.true_positives + t.false_positives)[-1]) if cases is None else float(cases)
        if not 0 < n < np.inf:
            raise InputError(f"cases is {cases}; give how many cases there are.")
        profit = total_profit(t.counts, n, tp=tp, fp=fp, fn=fn, tn=tn)
        contacted = (t.true_positives + t.false_positives) / (t.true_positives + t.false_positives)[-1]
        best = int(profit.argmax())
        return cls(
            contacted=contacted,
            profit=profit,
            thresholds=t.thresholds,
            best_share=float(contacted[best]),
            best_profit=float(profit[best]),
            best_threshold=float(t.thresholds[best]),
            everyone=float(profit[-1]),
            cases=n,
            prevalence=float(t.prevalence),
            gains={"tp": tp, "fp": fp, "fn": fn, "tn": tn},
        )

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """The curve, its highest point, and what a random choice would earn."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, (0, 1), (self.profit[0], self.everyone), "random choice")
        if drawing.first_here(ax, "nothing"):
            ax.axhline(0, color=drawing.PALE, linewidth=0.8, zorder=1, gid="nothing")
        x, y = drawing.simplified(self.contacted, self.profit)
        ax.plot(
            x,
            y,
            label=self.named(label, f"best {drawing.grouped(self.best_profit)} at {drawing.percent(self.best_share)}"),
            **look,
        )
        ax.plot(self.best_share, self.best_profit, "o", color=look["color"], markeredgecolor="white", zorder=4)
        ax.set(xlim=(-0.01, 1.01), xlabel="Share of all cases acted on", ylabel=f"Total profit ({self.who})")
        drawing.legend(ax)


def total_profit(counts: Counts, cases: float, *, tp: float, fp: float, fn: float = 0.0, tn: float = 0.0) -> Array:
    """TEP of each two by two table (rows and columns: rest, class), for this many cases."""
    return np.asarray(0.0 - cases * expected_cost.function(counts, cost=[[-tn, -fp], [-fn, -tp]]))  # 0, never -0
