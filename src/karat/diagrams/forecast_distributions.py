"""The discrimination diagram: the predicted probabilities of positive and of negative cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.validation import one_of, whole
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.prediction_diagram import PredictionDiagram
from karat.diagrams.roc_curves import both_sides
from karat.measures.probability import overlap_of_likelihoods
from karat.statistics import ForecastTable, ScoreTable, Summary
from karat.statistics.bins import place_in_bins

MOST_STEPS = 2000
"""Distinct forecasts that can be drawn one by one."""
SHAPES = ("histogram", "step", "density")
DOTTED, DASHED = (0, (1, 1.2)), (0, (5, 1.5))
"""How the lines of the two means are drawn: they differ in grey as well."""


@diagram(
    name="discrimination",
    title="Score distributions",
    cite="prati2011",
    aliases=("discrimination_diagram", "score_distribution", "score_distributions", "score_histogram"),
)
class Discrimination(PredictionDiagram):
    """How well do the predicted probabilities separate the class from the rest?

    `shape` is "histogram" (`bins` of equal width), "step" (the likelihood of each distinct probability) or "density" (a
    kernel estimate, reflected at 0 and 1).
    """

    on_page = True
    size = (4.2, 3.0)
    apart = "always"
    statistic = ForecastTable
    x: Array
    """middle of each bin, distinct forecast, or grid of the density"""
    own: Array
    """likelihood of the forecast for cases of the class (a density for shape="density")"""
    rest: Array
    """likelihood for all others"""
    edges: Array | None
    shape: str
    mean_own: float
    mean_rest: float
    distance: float
    """mean forecast for the class less that for the rest"""
    overlap: float
    """of the likelihoods of distinct forecasts: sum of the smaller"""
    drawn_overlap: float
    """of what is drawn: for forecasts that are nearly all distinct, bins overlap though forecasts do not"""

    @classmethod
    def compute(cls, statistic: ForecastTable, *, shape: str = "histogram", bins: int = 10) -> Self:
        """The two likelihoods."""
        both_sides(statistic, cls.name)
        one_of("shape", shape, SHAPES)
        bins = whole("bins", bins)
        t = statistic
        if shape == "step" and len(t.scores) > MOST_STEPS:
            raise InputError(
                f"there are {len(t.scores):,} distinct probabilities; draw them with {option('shape', 'histogram')} or "
                "'density'."
            )
        own, rest = t.positive / t.positive.sum(), t.negative / t.negative.sum()
        x, edges, heights = t.scores, None, (own, rest)
        if shape == "histogram":
            place = place_in_bins(t.scores, bins)
            edges = np.arange(bins + 1) / bins
            x, heights = (edges[:-1] + edges[1:]) / 2, (np.bincount(place, own, bins), np.bincount(place, rest, bins))
        elif shape == "density":
            x = np.linspace(0, 1, 401)
            heights = (_density(t, t.positive, x), _density(t, t.negative, x))
        shared = np.minimum(*heights)
        means = float((own * t.scores).sum()), float((rest * t.scores).sum())  # a product of vectors would take threads
        return cls(
            x=x,
            own=heights[0],
            rest=heights[1],
            edges=edges,
            shape=shape,
            mean_own=means[0],
            mean_rest=means[1],
            distance=means[0] - means[1],
            overlap=float(overlap_of_likelihoods.value_of(t)),
            drawn_overlap=float(np.trapezoid(shared, x) if shape == "density" else shared.sum()),
        )

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions; which forecasts are equal, cells do not tell."""
        record = super().of(summary, positive=positive, name=name, **options)
        added = summary.source.added
        return record if added is None or added.exact else replace(record, overlap=math.nan)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """The two likelihoods over each other, and their means."""
        blue, red, *_ = drawing.colours() * 2
        for values, mean, text, colour, hatch, dash in (
            (self.rest, self.mean_rest, "rest", blue, "///", DOTTED),
            (self.own, self.mean_own, str(self.positive), red, "", DASHED),
        ):
            look = {"color": colour, "alpha": 0.35, "label": text} | style
            if self.shape == "histogram":
                assert self.edges is not None
                ax.stairs(values, self.edges, fill=True, hatch=hatch, edgecolor=colour, **look)
                ax.stairs(values, self.edges, color=colour, linewidth=1.2)
            elif self.shape == "density":
                ax.fill_between(self.x, values, hatch=hatch, edgecolor=colour, **look)
                ax.plot(self.x, values, color=colour, linewidth=1.2)
            else:
                ax.vlines(self.x, 0, values, **look | {"alpha": 0.6, "linewidth": 1.6 if len(self.x) < 100 else 0.5})
            ax.axvline(mean, color=colour, linewidth=1.0, linestyle=dash, gid="mean")
        ax.set(xlim=(-0.01, 1.01), xlabel=f"Predicted probability ({self.who})")
        ax.set_ylabel("Density" if self.shape == "density" else "Share of cases")
        drawing.from_zero(ax)
        distance, overlap = drawing.number(self.distance), drawing.number(self.drawn_overlap)
        title = f"difference of means {distance}, overlap {overlap}"
        means = f"mean {drawing.number(self.mean_own)} (dashed), rest {drawing.number(self.mean_rest)} (dotted)"
        ax.set_title(f"{label}: {title}\n{means}" if label else f"{title}\n{means}")
        drawing.legend(ax)


def _density(t: ScoreTable, side: Array, x: Array) -> Array:
    """A Gaussian kernel estimate by Scott's rule, reflected at both ends so that nothing leaks out of [0, 1]."""
    fine = 2000
    cases = float(side.sum())
    share = side / cases
    place = np.minimum((t.scores * fine).astype(int), fine - 1)
    mass = np.bincount(place, share, fine)
    middle = (np.arange(fine) + 0.5) / fine
    mean = float(mass @ middle)
    spread = float(np.sqrt(mass @ (middle - mean) ** 2))
    width = max(spread * cases**-0.2, 0.5 / fine * 4)
    kept = mass > 0
    at = np.concatenate([middle[kept], -middle[kept], 2 - middle[kept]])
    weights = np.tile(mass[kept], 3)
    kernel = np.exp(-(((x[:, None] - at) / width) ** 2) / 2) / (width * np.sqrt(2 * np.pi))
    return np.asarray(kernel @ weights)
