"""Coverage and risk: what the error would be, if the least certain cases were left undecided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import PredictionDiagram, diagram
from karat.statistics import ScoreTable, Summary


@diagram(name="coverage_risk", cite="geifman2017", aliases=("risk_coverage", "abstention"))
@dataclass(frozen=True, eq=False, kw_only=True)
class CoverageRisk(PredictionDiagram):
    """How many errors are left among the cases that are decided, if the least certain are not?

    A case's certainty is its highest probability; all classes count.
    """

    size = (4.2, 3.0)
    statistic = ScoreTable
    two_classes = False
    coverage: Array
    """share of cases that are decided, from the most certain"""
    risk: Array
    """share of errors among them"""
    thresholds: Array
    """the least certainty that is decided"""
    area: float
    """mean risk over all coverages (tied cases in any order)"""
    error: float
    """the risk if every case is decided"""

    @classmethod
    def taken(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """Cases by their highest probability; "positive" are the right decisions."""
        lacking = summary.lacks(cls.statistic)
        if lacking:
            raise InputError(f"{cls.name} can't be had: {lacking}.")
        return ScoreTable.of_confidence(summary.source), None  # type: ignore[arg-type]

    @classmethod
    def compute(cls, statistic: ScoreTable) -> CoverageRisk:
        """One point for each distinct certainty."""
        right, wrong = statistic.true_positives[1:], statistic.false_positives[1:]
        coverage = (right + wrong) / (right[-1] + wrong[-1])
        risk = wrong / (right + wrong)
        return cls(
            coverage=coverage,
            risk=risk,
            thresholds=statistic.scores[::-1],
            area=float(risk[0] * coverage[0] + np.trapezoid(risk, coverage)),
            error=float(risk[-1]),
        )

    @property
    def xy(self) -> tuple[Array, Array]:
        """Coverage and risk."""
        return self.coverage, self.risk

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """The curve, and the risk of a random choice of cases."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, (0, 1), (self.error, self.error), "cases chosen at random")
        x, y = drawing.simplified(self.coverage, self.risk)
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        ax.set(xlim=(-0.01, 1.01), xlabel="coverage: share of cases decided", ylabel="risk: share of errors among them")
        ax.set_ylim(bottom=0)
        drawing.legend(ax, loc="upper right")
