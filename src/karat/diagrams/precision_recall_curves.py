"""The precision-recall curve."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import diagram
from karat.measures.ranking import area_under_precision_recall, mean_precision
from karat.resampling import OperatingPoints, heights_between
from karat.statistics import ScoreTable

LEAST_RECALL = 1e-9
"""Stands for the limit of a curve at recall 0, where precision is 0 / 0."""


@diagram(
    name="precision_recall",
    title="Precision-recall curve",
    cite="davis2006",
    aliases=("precision_recall_curve", "pr_curve", "pr"),
)
class PrecisionRecall(BandedCurve):
    """How do precision and recall trade off over all thresholds?

    Between two thresholds precision is not a straight line: false positives are linear in true positives there (Davis
    and Goadrich 2006), and so the curve is drawn. `prevalence=` restates it for another share of the positive class.
    `band=0.95` adds a confidence band of the precision at each recall, or (`simultaneous=True`) of the whole curve.
    """

    on_page = True
    statistic = ScoreTable
    averages = True
    certifies = "points"
    recall: Array
    precision: Array
    """nan where nothing is predicted positive"""
    thresholds: Array
    curve: tuple[Array, Array]
    """(recall, precision) of the curve with correct interpolation, beginning at recall 0"""
    area: float
    average_precision: float
    prevalence: float

    @classmethod
    def compute(cls, statistic: ScoreTable, *, prevalence: float | None = None) -> Self:
        """One point for each distinct score."""
        if not statistic.positive.sum() > 0:
            raise InputError(f"{cls.name} is not available: there is no positive case; give cases of both classes.")
        t = statistic.at_prevalence(prevalence)
        tp, fp = t.true_positives, t.false_positives
        return cls(
            recall=t.rates[1],
            precision=np.asarray(ratio(tp, tp + fp)),
            thresholds=t.thresholds,
            curve=_interpolated(tp, fp),
            area=float(area_under_precision_recall.value_of(t)),
            average_precision=float(mean_precision.value_of(t)),
            prevalence=float(t.prevalence),
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The precision at each recall; as recall goes to 0, that of the first points."""
        recall = np.maximum(at, LEAST_RECALL)
        share = points.share[:, None]
        alarms = (1 - share) * heights_between(points.tpr, points.fpr, recall, upper=False)
        return np.asarray(share * recall / (share * recall + alarms))

    @property
    def xy(self) -> tuple[Array, Array]:
        """Recall and precision."""
        return self.curve

    def draw(self, ax: Any, label: str, *, iso_f: bool = True, **style: Any) -> None:
        """The curve, the lines of equal F, and the precision of a random choice."""
        look = drawing.next_series(ax) | style
        if iso_f and drawing.first_here(ax, "iso F"):
            for f in (0.2, 0.4, 0.6, 0.8):
                r = np.linspace(f / (2 - f), 1, 100)
                (line,) = ax.plot(r, f * r / (2 * r - f), color=drawing.PALE, linewidth=0.6, zorder=1)
                line.set_gid("iso F")
                ax.annotate(
                    f"F1 {f:g}", (1.0, f / (2 - f)), (6, -2), textcoords="offset points", fontsize=drawing.points(6),
                    color=drawing.GREY, annotation_clip=False,
                )  # fmt: skip
        p = self.prevalence
        drawing.reference(ax, (0, 1), (p, p), f"chance {drawing.number(p)}")
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(*self.curve)
        ax.plot(x, y, label=self.named(label, f"AP {drawing.number(self.average_precision)}"), **look)
        drawing.square(ax, f"Recall ({self.who})", "Precision")
        drawing.legend(ax)


def _interpolated(tp: Array, fp: Array) -> tuple[Array, Array]:
    """Recall and precision along the curve. As recall goes to 0, precision is that of the first threshold."""
    hits, alarms = drawing.refined(tp, fp, tp / tp[-1])
    return np.append(0.0, hits / tp[-1]), np.append(tp[1] / (tp[1] + fp[1]), hits / (hits + alarms))
