"""Any measure of predicted labels against the threshold, from one sort."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.validation import whole
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.panel import Axis, Line, Panel
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.diagrams.roc_curves import both_sides
from karat.measures.lookup import find
from karat.measures.value import MeasureOf
from karat.statistics import Binary, Counts, ForecastTable, ScoreTable


@diagram(
    name="threshold_curve",
    title="Measures by threshold",
    cite="fawcett2006",
    aliases=("threshold_curves", "thresholds"),
)
class ThresholdCurve(PredictionDiagram):
    """How do measures of predicted labels depend on the threshold?

    `measures` are any of the catalogue that are formulas of predicted labels; the two classes are the positive one and
    the rest.
    """

    on_page = True
    size = (4.6, 3.0)
    apart = "always"
    statistic = ScoreTable
    thresholds: Array
    """+inf (nothing is predicted positive), then the distinct scores from the highest down"""
    values: dict[str, Array]
    """symbol to values at each threshold"""
    best: dict[str, tuple[float, float]]
    """symbol to (threshold, value) where it is best; for measures that have a better end"""
    titles: dict[str, str]
    """symbol to what the legend calls it"""

    @classmethod
    def compute(cls, statistic: ScoreTable, *, measures: Any = ("TPR", "PPV", "F1", "MCC")) -> Self:
        """The measures of all two by two tables at once."""
        t = statistic
        keys = [measures] if isinstance(measures, str | Measure) else list(measures)
        values, best, titles = {}, {}, {}
        for m in map(_measure, keys):
            with np.errstate(all="ignore"):
                values[m.symbol] = of_decisions(m, t.counts)
            titles[m.symbol] = m.title
            worth = values[m.symbol] * m.orientation
            if m.orientation and not np.isnan(worth).all():
                at = int(np.nanargmax(worth))
                best[m.symbol] = float(t.thresholds[at]), float(values[m.symbol][at])
        return cls(thresholds=t.thresholds, values=values, best=best, titles=titles)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A line for each measure; a point where it is best."""
        x = self.thresholds.copy()
        x[0] = x[1] if len(x) > 1 else 0.0  # +inf has no place on paper: from the highest score on, nothing is positive
        for symbol, y in self.values.items():
            look = drawing.next_series(ax) | style
            defined = ~np.isnan(y)[::-1]
            curve = drawing.simplified(x[::-1][defined], y[::-1][defined])
            ax.plot(*curve, drawstyle="steps-pre", label=f"{label} {self.titles.get(symbol, symbol)}".strip(), **look)
            if symbol in self.best and np.isfinite(self.best[symbol][0]):
                ax.plot(*self.best[symbol], "o", color=look["color"], markeredgecolor="white", zorder=4)
        ax.set(xlabel=f"Threshold ({self.who})", ylabel="Value of the measure")
        drawing.legend(ax)


def _measure(key: str | Measure) -> Measure:
    m = find(key)
    if m.statistic not in (Counts, Binary):
        raise InputError(
            f"{m.label} is not a measure of predicted labels, so no threshold changes it; name others, such as F1."
        )
    return m


def of_decisions(m: Measure, counts: Counts) -> Array:
    """A measure of two by two tables (rows and columns: rest, class): of the class, if it is a measure of one."""
    return MeasureOf(m, 1 if m.classwise else None).values(counts)


@diagram(
    name="decision_curve",
    title="Decision curve",
    cite="vickers2006",
    aliases=("net_benefit", "decision_curve_analysis", "dca"),
)
class DecisionCurve(PredictionDiagram):
    """What is the net benefit of acting on the predictions, at each threshold probability?

    Net benefit: true positives less false positives, these weighed by the odds of the threshold; cases whose
    probability reaches the threshold are acted on.
    """

    on_page = True
    size = (4.2, 3.0)
    headline = "benefit_at_prevalence"
    statistic = ForecastTable
    threshold: Array
    benefit: Array
    everyone: Array
    """net benefit of acting on every case"""
    prevalence: float

    @classmethod
    def compute(cls, statistic: ScoreTable, *, points: int = 1001, prevalence: float | None = None) -> Self:
        """On a fine grid of thresholds in [0, 1)."""
        points = whole("points", points, least=2)
        t = statistic.at_prevalence(prevalence)
        grid = np.arange(points - 1) / (points - 1)
        at = len(t.scores) - np.searchsorted(t.scores, grid, "left")
        total = t.true_positives[-1] + t.false_positives[-1]
        odds = grid / (1 - grid)
        share = float(t.prevalence)
        return cls(
            threshold=grid,
            benefit=t.true_positives[at] / total - t.false_positives[at] / total * odds,
            everyone=share - (1 - share) * odds,
            prevalence=share,
        )

    @property
    def benefit_at_prevalence(self) -> float:
        """Net benefit at the threshold where acting on all and on none are worth the same."""
        return float(np.interp(self.prevalence, self.threshold, self.benefit))

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """The curve between acting on everyone and on nobody."""
        look = drawing.next_series(ax) | style
        first = drawing.first_here(ax, "series")
        drawing.reference(ax, self.threshold, self.everyone, "act on all")
        drawing.reference(ax, (0, 1), (0, 0), "act on none", linestyle="-")
        ax.plot(self.threshold, self.benefit, label=label or "model", **look)
        highest = 1.08 * max(self.prevalence, 0.01)
        if not first:
            highest = max(highest, ax.get_ylim()[1])
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.25 * highest, highest))
        ax.set(xlabel=f"Threshold probability ({self.who})", ylabel="Net benefit")
        drawing.legend(ax)


EDGES_OF_DET = (0.0005, 0.995)
"""The lowest and the highest rate that probit axes show."""
ALONG_EDGES = (0.00055, 0.9945)
"""The same, a line's width inside."""


@diagram(name="det", title="DET curve", cite="martin1997", aliases=("det_curve",))
class DET(PredictionDiagram):
    """How do the two error rates trade off, on axes where normal scores give a straight line?"""

    on_page = True
    headline = "equal_error_rate"
    statistic = ScoreTable
    fpr: Array
    fnr: Array
    thresholds: Array
    equal_error_rate: float

    @classmethod
    def compute(cls, statistic: ScoreTable) -> Self:
        """One point for each distinct score."""
        both_sides(statistic, cls.name)
        fpr, tpr = statistic.rates
        gap = fpr - (1 - tpr)  # rises from -1 to 1: the rates are equal where a straight piece crosses 0
        i = int(np.searchsorted(gap, 0.0))
        part = 0.0 if gap[i] == 0 else gap[i] / (gap[i] - gap[i - 1])
        equal = fpr[i] - part * (fpr[i] - fpr[i - 1]) if part else fpr[i]
        return cls(fpr=fpr, fnr=1 - tpr, thresholds=statistic.thresholds, equal_error_rate=float(equal))

    @property
    def xy(self) -> tuple[Array, Array]:
        """The rates on the probit scale, where those of 0 and 1 have no place; if there are no others, on its edges."""
        from scipy.special import ndtri

        inside = (self.fpr > 0) & (self.fpr < 1) & (self.fnr > 0) & (self.fnr < 1)
        if not inside.any():  # nothing would be seen of a perfect model: along the edges it is
            return ndtri(np.clip(self.fpr, *ALONG_EDGES)), ndtri(np.clip(self.fnr, *ALONG_EDGES))
        return ndtri(self.fpr[inside]), ndtri(self.fnr[inside])

    def panel(self) -> Panel:
        """The curve on probit axes."""
        from scipy.special import ndtri

        rates = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
        low, high = map(float, ndtri(EDGES_OF_DET))
        ends = low, high
        ticks = [(float(ndtri(rate)), f"{100 * rate:g} %") for rate in rates]
        x, y = (Axis(f"false {sign} rate", ends, ticks) for sign in ("positive", "negative"))
        line = Line(*self.xy, f"equal error rate {drawing.number(self.equal_error_rate)}")
        return Panel(x, y, [line] if len(line.x) else [], {"equal rates": (ends, ends)})

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """On probit axes; rates of 0 and 1 lie outside, and a curve that has no others along the edges."""
        from scipy.special import ndtri

        look = drawing.next_series(ax) | style
        x, y = drawing.simplified(*self.xy)
        look = {"marker": "o"} | look if np.ptp(x) == np.ptp(y) == 0 else look  # a line of one point is not seen
        ax.plot(x, y, label=self.named(label, f"equal error rate {drawing.number(self.equal_error_rate)}"), **look)
        ticks = np.array([0.001, 0.01, 0.1, 0.5, 0.9, 0.99])
        names = [f"{100 * t:g} %" for t in ticks]
        ax.set_xticks(ndtri(ticks), names)
        ax.set_yticks(ndtri(ticks), names)
        drawing.square(ax, "False positive rate", f"False negative rate ({self.who})")
        ends = ndtri(EDGES_OF_DET)
        ax.set(xlim=ends, ylim=ends)
        ax.tick_params(axis="x", labelrotation=45)
        drawing.reference(ax, ends, ends, "equal rates")
        drawing.legend(ax)
