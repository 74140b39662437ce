"""Any measure of predicted labels against the threshold, from one sort."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.validation import number_between, whole
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram, range_of
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
        alone = len(x) == 2  # one score: what holds there holds at every lower threshold, too
        x = np.append(x, x[-1] - 0.1) if alone else x
        for symbol, values in self.values.items():
            look = drawing.next_series(ax) | style
            y = np.append(values, values[-1]) if alone else values
            defined = ~np.isnan(y)[::-1]
            curve = drawing.simplified(x[::-1][defined], y[::-1][defined])
            name = self.titles.get(symbol, symbol)
            ax.plot(*curve, drawstyle="steps-pre", label=f"{name} ({label})" if label else name, **look)
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
    probability reaches the threshold are acted on. `threshold_range=(0.05, 0.35)` shows those thresholds alone;
    `smooth=0.2` draws a curve through the noise of few cases, by local linear regression over this share of the
    thresholds (Cleveland 1979).
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
    smoothed: Array | None = None
    """net benefit as a smooth curve"""
    smooth: float | None = None
    """the share of the thresholds that it is smoothed over"""

    @classmethod
    def compute(
        cls,
        statistic: ScoreTable,
        *,
        points: int = 1001,
        prevalence: float | None = None,
        threshold_range: Any = None,
        smooth: float | bool | None = None,
    ) -> Self:
        """On a fine grid of thresholds in [0, 1), or in the range that is asked for."""
        points = whole("points", points, least=2)
        low, high = (0.0, 1.0) if threshold_range is None else range_of("threshold_range", threshold_range)
        t = statistic.at_prevalence(prevalence)
        grid = np.round(low + (high - low) * (np.arange(points) / (points - 1)), 12)  # 0.1 is 0.1: a score may be
        grid = grid[grid < 1]
        at = len(t.scores) - np.searchsorted(t.scores, grid, "left")
        total = t.true_positives[-1] + t.false_positives[-1]
        odds = grid / (1 - grid)
        share = float(t.prevalence)
        benefit = t.true_positives[at] / total - t.false_positives[at] / total * odds
        span = _span_of(smooth)
        return cls(
            threshold=grid,
            benefit=benefit,
            everyone=share - (1 - share) * odds,
            prevalence=share,
            smoothed=None if span is None else locally_linear(grid, benefit, span),
            smooth=span,
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
        ends = (0.0, 1.0) if len(self.threshold) < 2 else (self.threshold[0], self.threshold[-1])
        drawing.reference(ax, ends, (0, 0), "act on none", linestyle="-")
        if self.smoothed is not None and self.smooth is not None:
            ax.plot(self.threshold, self.benefit, color=look["color"], linewidth=0.5, alpha=0.5)
            words = f"as observed; thick: smoothed over {drawing.percent(self.smooth)} of the thresholds"
            drawing.sample(ax, words, linewidth=0.5)
        ax.plot(
            self.threshold, self.benefit if self.smoothed is None else self.smoothed, label=label or "model", **look
        )
        highest = 1.08 * max(self.benefit.max(), self.everyone.max(), 0.01)
        if not first:
            highest = max(highest, ax.get_ylim()[1])
        room = 0.01 * (ends[1] - ends[0])
        ax.set(xlim=(ends[0] - room, ends[1] + room), ylim=(-0.25 * highest, highest))
        ax.set(xlabel=f"Threshold probability ({self.who})", ylabel="Net benefit")
        drawing.legend(ax)


def _span_of(smooth: float | bool | None) -> float | None:
    """The share of the thresholds to smooth over: 0.2 if it is only asked for."""
    if smooth is None or smooth is False:
        return None
    return 0.2 if smooth is True else number_between("smooth", smooth, 0, 1, ends="(]")


def locally_linear(x: Array, y: Array, share: float) -> Array:
    """The height at each of some equally spaced places of a straight line through the nearest ones, this share of them,
    which count the less the farther they are: tricube weights, as loess has them."""
    n = len(x)
    k = min(n, max(3, round(share * n)))
    start = np.clip(np.arange(n) - k // 2, 0, n - k)
    found = np.empty(n)
    for i, first in enumerate(start):
        d, heights = x[first : first + k] - x[i], y[first : first + k]
        w = (1 - (np.abs(d) / (np.abs(d).max() or 1.0)) ** 3) ** 3
        s0, s1, s2 = w.sum(), (w * d).sum(), (w * d * d).sum()
        spread = s0 * s2 - s1 * s1
        level = (w * heights).sum()
        found[i] = (s2 * level - s1 * (w * d * heights).sum()) / spread if spread > 0 else level / s0
    return found


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
