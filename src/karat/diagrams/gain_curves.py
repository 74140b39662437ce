"""The precision-recall-gain curve: precision and recall beyond what always predicting the class reaches."""

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


@diagram(
    name="precision_recall_gain",
    title="Precision-recall-gain curve",
    cite="flach2015",
    aliases=("precision_recall_gain_curve", "prg_curve", "prg"),
)
class PrecisionRecallGain(BandedCurve):
    """How do precision and recall trade off, each measured against always predicting the class?

    A gain is (v - prevalence) / ((1 - prevalence) v) of v, precision or recall: 1 is the best, 0 what always predicting
    the class reaches. Unlike the precision-recall curve this one is straight between thresholds, its area does not
    depend on an unachievable region, and F1 is constant along straight lines. Below a recall gain of 0 the curve is
    undefined and cut; negative precision gains count in the area and are not drawn. `prevalence=` restates it for
    another share of the positive class. `band=0.95` adds a confidence band of the precision gain at each recall gain,
    or (`simultaneous=True`) of the whole curve.
    """

    statistic = ScoreTable
    averages = True
    recall_gain: Array
    """of each threshold; below 0 where recall is below the prevalence, -inf where it is 0"""
    precision_gain: Array
    """nan where no positive case is found"""
    thresholds: Array
    curve: tuple[Array, Array]
    """(recall gain, precision gain) from recall gain 0 to 1"""
    hull: tuple[Array, Array]
    """the same of the convex hull: what the best thresholds, and mixtures of them, reach"""
    area: float
    hull_area: float
    prevalence: float

    @classmethod
    def compute(cls, statistic: ScoreTable, *, prevalence: float | None = None) -> Self:
        """One point for each distinct score, and the one at recall gain 0."""
        both_sides(statistic, cls.name)
        t = statistic.at_prevalence(prevalence)
        share = float(t.prevalence)
        fpr, tpr = t.rates
        curve, hull = _cut(fpr, tpr, share), _cut(fpr[t.hull], tpr[t.hull], share)
        with np.errstate(divide="ignore", invalid="ignore"):
            recall_gain, precision_gain = _gains(fpr, tpr, share)
        return cls(
            recall_gain=recall_gain,
            precision_gain=np.where(tpr > 0, precision_gain, np.nan),
            thresholds=t.thresholds,
            curve=curve,
            hull=hull,
            area=_area(curve),
            hull_area=_area(hull),
            prevalence=share,
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The precision gain at each recall gain."""
        share = points.share[:, None]
        recall = share / (share + (1 - at) * (1 - share))
        rows = zip(points.tpr, points.fpr, recall, strict=True)
        fpr = [heights_between(tpr[None], fpr[None], r, upper=False)[0] for tpr, fpr, r in rows]
        return np.asarray(1 - np.array(fpr) / recall)

    @classmethod
    def limits(cls, at: Array) -> tuple[Any, Any]:
        """Up to 1; below there is no bound that holds for every prevalence."""
        return -np.inf, 1.0

    @property
    def xy(self) -> tuple[Array, Array]:
        """Recall gain and precision gain."""
        return self.curve

    def panel(self) -> Panel:
        """The curve, above always predicting the class."""
        line = Line(*_above_zero(*self.curve), f"area {drawing.number(self.area)}")
        return Panel(Axis("recall gain", UNIT), Axis("precision gain", UNIT), [line], {F1_LABEL: ((0, 1), (1, 0))})

    def draw(self, ax: Any, label: str, *, hull: bool = False, **style: Any) -> None:
        """The curve, and where F1 is that of always predicting the class."""
        look = drawing.next_series(ax) | style
        drawing.reference(ax, (0, 1), (1, 0), F1_LABEL)
        drawing.reference(ax, (0, 1), (0, 0), "precision of always positive", linestyle="-")
        self.draw_band(ax, look["color"])
        x, y = _above_zero(*drawing.simplified(*self.curve))
        ax.plot(x, y, label=self.named(label, f"area {drawing.number(self.area)}"), **look)
        if hull:
            named = f"convex hull (area {drawing.number(self.hull_area)})"
            thin = {"color": look["color"], "linewidth": 0.8, "linestyle": (0, (1, 1.5)), "gid": "reference hull"}
            ax.plot(*self.hull, label=named, **thin)
        drawing.square(ax, f"Recall gain ({self.who})", "Precision gain")
        drawing.legend(ax)


F1_LABEL = "F1 of always positive"


def _gains(fpr: Array, tpr: Array, share: float) -> tuple[Array, Array]:
    """Recall gain and precision gain; of the latter the prevalence cancels out."""
    return 1 - share / (1 - share) * (1 - tpr) / tpr, 1 - fpr / tpr


def _cut(fpr: Array, tpr: Array, share: float) -> tuple[Array, Array]:
    """The gains along a ROC curve from recall gain 0 on, where recall is the prevalence. Between two points false
    positives are linear in true positives, and so is the one gain in the other."""
    beyond = tpr > share
    first = int(beyond.argmax())
    part = (share - tpr[first - 1]) / (tpr[first] - tpr[first - 1])
    start = fpr[first - 1] + part * (fpr[first] - fpr[first - 1])
    recall_gain, precision_gain = _gains(np.append(start, fpr[beyond]), np.append(share, tpr[beyond]), share)
    return np.append(0.0, recall_gain[1:]), precision_gain


def _area(curve: tuple[Array, Array]) -> float:
    return float(np.trapezoid(curve[1], curve[0]))


def _above_zero(x: Array, y: Array) -> tuple[Array, Array]:
    """The part of a line that is not below 0, nan between its pieces."""
    below = y < 0
    crosses = np.flatnonzero(below[1:] != below[:-1])
    part = y[crosses] / (y[crosses] - y[crosses + 1])
    meets = x[crosses] + part * (x[crosses + 1] - x[crosses])
    shown = np.where(below, np.nan, y)
    return np.insert(x, crosses + 1, meets), np.insert(shown, crosses + 1, 0.0)
