"""The ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from karat.core import words
from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.hooks import intervals
from karat.core.validation import finite
from karat.diagrams import drawing
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import diagram, level_of
from karat.diagrams.partial_area import PartialArea, draw_partial, partial_area
from karat.measures.ranking import area_under_roc
from karat.resampling import OperatingPoints, heights_between
from karat.statistics import ScoreTable, Summary
from karat.statistics.roc_hull import Condition, normalised_cost


@dataclass(frozen=True)
class OperatingPoint:
    """One threshold of a curve: cases that score at or above it are predicted positive."""

    threshold: float
    fpr: float
    tpr: float
    condition: Condition | None = None


def both_sides(table: ScoreTable, what: str) -> None:
    """A curve of one class against the rest needs cases of both."""
    own, rest = float(table.positive.sum()), float(table.negative.sum())
    if not (own > 0 and rest > 0):
        missing = "positive" if rest > 0 else "negative"
        raise InputError(f"{what} is not available: there is no {missing} case; give cases of both classes.")


def condition_of(
    cost_fp: float | None, cost_fn: float | None, prevalence: float | None, share: float
) -> Condition | None:
    """The operating condition that was given, if any: by default errors cost 1, and the class has its share."""
    if (cost_fp, cost_fn, prevalence) == (None, None, None):
        return None
    costs = [1.0 if cost is None else cost for cost in (cost_fp, cost_fn)]
    return Condition(costs[0], costs[1], share if prevalence is None else prevalence)


@diagram(name="roc_curve", title="ROC curve", cite="fawcett2006", aliases=("roc", "roc_display"))
class ROCCurve(BandedCurve):
    """What share of the positives is found at each false positive rate, over all thresholds?

    `threshold=` marks the point of a threshold, `cost_fp=`, `cost_fn=` and `prevalence=` that of the lowest expected
    cost. `band=0.95` adds a confidence band of the true positive rate at each false positive rate, or
    (`simultaneous=True`) of the whole curve, by bootstrap over cases or whole `groups`. `interval=0.95` writes an
    interval beside the AUC; with a band it is there anyway. `fpr_range=(0, 0.1)` or `tpr_range=(0.8, 1)` shades a part
    of the area and writes its value.
    """

    on_page = True
    statistic = ScoreTable
    averages = True
    needs_share = False
    certifies = "points"
    of_area = "ROC AUC"
    fpr: Array
    tpr: Array
    thresholds: Array
    """+inf, then the distinct scores from the highest down"""
    hull: Array
    """places of the vertices of the convex hull"""
    area: float
    """AUC: the probability that a positive case is ranked above a negative one"""
    hull_area: float
    operating: OperatingPoint | None = None
    interval: tuple[float, float, float] | None = None
    """low, high and level of the interval of the AUC"""
    partial: PartialArea | None = None
    """the part of the area that is shaded"""

    @classmethod
    def options(cls) -> list[str]:
        """What `compute` and the band can be told, and the interval of the AUC."""
        return [*super().options(), "interval"]

    @classmethod
    def of(
        cls,
        summary: Summary,
        *,
        positive: Any = None,
        name: str = "",
        interval: float | bool | None = None,
        **options: Any,
    ) -> Self:
        """Of the statistics of some predictions; with a band the area has an interval of the same level."""
        record = super().of(summary, positive=positive, name=name, **options)
        level = level_of(options.get("band") if interval is None else interval)
        if level is not None:
            chosen = {word: options[word] for word in ("groups", "seed") if word in options}
            (found,) = intervals(summary, [area_under_roc], level=level, classes=[record.positive], **chosen).values()
            if np.isfinite([found.low, found.high]).all():
                object.__setattr__(record, "interval", (found.low, found.high, level))
        return record

    @classmethod
    def compute(
        cls,
        statistic: ScoreTable,
        *,
        threshold: float | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prevalence: float | None = None,
        fpr_range: Any = None,
        tpr_range: Any = None,
    ) -> Self:
        """One vertex for each distinct score."""
        both_sides(statistic, cls.name)
        fpr, tpr = statistic.rates
        at = statistic.hull
        if threshold is not None and (cost_fp, cost_fn, prevalence) != (None, None, None):
            raise InputError("both a threshold and costs were given; give one of them.")
        operating = None
        if threshold is not None:
            finite("threshold", threshold)
            operating = _at(statistic, int(np.searchsorted(-statistic.scores[::-1], -threshold, "right")), threshold)
        elif (condition := condition_of(cost_fp, cost_fn, prevalence, float(statistic.prevalence))) is not None:
            best = at[normalised_cost(fpr[at], tpr[at], condition.pc).argmin()]
            operating = _at(statistic, int(best), None, condition)
        return cls(
            fpr=fpr,
            tpr=tpr,
            thresholds=statistic.thresholds,
            hull=at,
            area=float(np.trapezoid(tpr, fpr)),
            hull_area=float(np.trapezoid(tpr[at], fpr[at])),
            operating=operating,
            partial=partial_area(statistic, fpr_range, tpr_range),
        )

    @classmethod
    def heights(cls, points: OperatingPoints, at: Array) -> Array:
        """The true positive rate at each false positive rate."""
        return heights_between(points.fpr, points.tpr, at)

    @property
    def _areas_in_words(self) -> str:
        ends = self.interval
        whole = drawing.number(self.area) if ends is None else words.interval(self.area, *ends[:2])
        part = "" if self.partial is None else f", partial {drawing.number(self.partial.area)}"
        return f"{self.of_area} {whole}{part}"

    def draw(self, ax: Any, label: str, *, hull: bool = False, **style: Any) -> None:
        """The curve, the diagonal, and what else was asked for."""
        look = drawing.next_series(ax) | style
        self.draw_band(ax, look["color"])
        x, y = drawing.simplified(self.fpr, self.tpr, self.hull)
        ax.plot(x, y, label=self.named(label, self._areas_in_words), **look)
        if self.partial is not None:
            draw_partial(ax, self.partial, self.fpr, self.tpr, look["color"])
        if self.interval is not None:
            drawing.sample(ax, f"in brackets: {drawing.percent(self.interval[2])} interval", linewidth=0)
        if hull:
            self.draw_hull(ax, self.fpr[self.hull], self.tpr[self.hull], look["color"])
        if self.operating is not None:
            at = self.operating
            ax.plot(at.fpr, at.tpr, "o", color=look["color"], markeredgecolor="white", zorder=4)
            ha, shift = ("left", 6) if at.fpr < 0.6 else ("right", -6)
            text = f"threshold {drawing.number(at.threshold)}"
            ax.annotate(text, (at.fpr, at.tpr), (shift, -9), textcoords="offset points",
                        fontsize=drawing.points(7), ha=ha,
                        bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.5})  # fmt: skip
        frame(ax, self.who)


def frame(ax: Any, who: str) -> None:
    """What stands around ROC curves: the chance line, the labels and the legend."""
    drawing.reference(ax, (0, 1), (0, 1), "chance")
    drawing.square(ax, "False positive rate", f"True positive rate (recall) ({who})")
    drawing.legend(ax, "lower right")


def _at(t: ScoreTable, i: int, threshold: float | None, condition: Condition | None = None) -> OperatingPoint:
    fpr, tpr = t.rates
    cut = float(t.thresholds[i]) if threshold is None else float(threshold)
    return OperatingPoint(cut, float(fpr[i]), float(tpr[i]), condition)
