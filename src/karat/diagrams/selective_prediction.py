"""Risk and coverage: the error rate if the least confident predictions are withheld."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.drawing import capital
from karat.diagrams.panel import UNIT, Axis, Line, Panel
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.statistics import Counts, ScoreTable, Summary

COVERAGE, RISK = "coverage (share of cases predicted)", "error rate among them (risk)"


@diagram(
    name="coverage_risk",
    title="Risk-coverage curve",
    cite="geifman2017",
    aliases=("risk_coverage", "risk_coverage_curve", "abstention"),
)
class CoverageRisk(PredictionDiagram):
    """How does the error rate fall if the least confident predictions are withheld?

    The confidence of a prediction is its highest probability; all classes count.
    """

    on_page = True
    size = (4.2, 3.0)
    statistic = ScoreTable
    two_classes = False
    coverage: Array
    """share of cases that are predicted, the most confident first"""
    risk: Array
    """share of errors among them"""
    thresholds: Array
    """the lowest confidence that is predicted"""
    curve: tuple[Array, Array]
    """(coverage, risk) with points on the bends between thresholds"""
    area: float
    """mean risk over all coverages, tied cases in any order (a case being as divisible as its weight, it differs from
    the mean of the risks after each case by less than one case's share)"""
    error: float
    """the error rate over all cases"""

    @classmethod
    def statistic_of(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """Cases by their highest probability; "positive" are the correct predictions."""
        lacking = summary.lacks(cls.statistic) or summary.lacks(Counts)
        if not lacking and len(summary.source.outputs) > len(summary.source.classes):
            lacking = "some cases were rejected already, and the confidence of those predictions is not known"
        if lacking:
            raise InputError(f"{cls.name} is not available: {lacking}.")
        if summary.source.added is not None:
            return summary.source.added.confidence_table(), None
        return ScoreTable.of_confidence(summary.source), None  # type: ignore[arg-type]

    @classmethod
    def compute(cls, statistic: ScoreTable) -> Self:
        """One point for each distinct confidence."""
        right, wrong = statistic.true_positives[1:], statistic.false_positives[1:]
        coverage = (right + wrong) / (right[-1] + wrong[-1])
        risk = wrong / (right + wrong)
        hits, alarms = drawing.refined(statistic.true_positives, statistic.false_positives, np.append(0.0, coverage))
        return cls(
            coverage=coverage,
            risk=risk,
            thresholds=statistic.scores[::-1],
            area=_area(right, wrong),
            curve=((hits + alarms) / (right[-1] + wrong[-1]), alarms / (hits + alarms)),
            error=float(risk[-1]),
        )

    @property
    def xy(self) -> tuple[Array, Array]:
        """Coverage and risk."""
        return self.curve

    def panel(self) -> Panel:
        """The curve."""
        line = Line(*self.curve, f"area {drawing.number(self.area)}")
        return Panel(x=Axis(COVERAGE, UNIT), y=Axis(RISK), lines=[line])

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """The curve, and the risk of a random choice of cases."""
        look = drawing.next_series(ax) | style
        named = {"gid": "reference at random"}
        if drawing.first_here(ax, named["gid"]):
            named["label"] = "withheld at random"
        ax.axhline(self.error, color=look["color"], linewidth=0.7, linestyle=(0, (1, 2)), **named)
        x, y = drawing.simplified(*self.curve)
        look = {"marker": "o", "clip_on": False} | look if len(x) == 1 else look  # a line of one point is not seen
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        ax.set(xlim=(-0.01, 1.01), xlabel=capital(COVERAGE), ylabel=capital(RISK))
        drawing.from_zero(ax)
        drawing.legend(ax)


def _area(right: Array, wrong: Array) -> float:
    """The integral of wrong(c) / c over the coverage c, wrong(c) being straight between thresholds."""
    total = right[-1] + wrong[-1]
    c, w = np.append(0.0, (right + wrong) / total), np.append(0.0, wrong / total)
    steps = np.append(True, np.diff(c) > 0)  # a weight that is lost beside the others takes no step
    c, w = c[steps], w[steps]
    slope = np.diff(w) / np.diff(c)
    bend = (w[1:-1] - slope[1:] * c[1:-1]) * np.log(c[2:] / c[1:-1])
    return float((slope * np.diff(c)).sum() + bend.sum())
