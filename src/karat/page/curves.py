"""One class against the rest, for the live part of the page: operating points of each model, and panels of curves.

The best threshold for any costs and frequencies is a vertex of the convex hull of the ROC curve, so the hull is carried
exactly (true and false positives are counts) and the rest of a curve as finely as a pixel can show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.measure import measures
from karat.core.statistic import Needs
from karat.core.words import shortest_cut
from karat.diagrams.drawing import shown_places
from karat.diagrams.threshold_curve import of_decisions
from karat.page.curve_bands import banded, reliability_bands, roc_bands
from karat.page.json_numbers import brief, exact
from karat.page.panels import class_lines, discrimination
from karat.statistics import Binary, Counts, ScoreTable, Summary

CLASSES, SERIES = 20, 240
"""Classes that are shown against the rest, at most; and curves (classes times models) in all."""
POINTS = 24_000
"""Points of all ROC curves together; a curve has about twice as many points as columns."""
FINEST, COARSEST = 300, 30
STEPS = 101
"""Places of the threshold slider: at each of them the counts are exact."""
AT_THRESHOLDS = ("MCC", "F1", "TPR", "PPV")


@dataclass(frozen=True)
class Budget:
    """How finely curves are carried."""

    classes: int
    columns: int

    @classmethod
    def of(cls, models: int, classes: int) -> Budget:
        """For so many models and classes."""
        shown = min(classes, CLASSES, max(2, SERIES // models))
        columns = POINTS // (2 * models * shown)
        return cls(shown, min(max(columns, COARSEST), FINEST))


def against_rest(models: Mapping[str, Summary], budget: Budget, level: float | None = None) -> list[dict[str, Any]]:
    """Each class that is shown: its size, and what every model does with it; with bands of this level, for a few."""
    grid = thresholds(models)
    found: list[dict[str, Any]] = []
    places = chosen_classes(models, budget)
    uncertain = banded(places, len(models), next(iter(models.values())).source.positive, level)
    for place in places:
        kept = _sources(models, place)
        own, rest = _sizes(next(iter(kept.values())), place)
        series = [_series(s, place, grid, budget.columns) for s in kept.values()]
        panels = class_lines(kept, place, budget.columns)
        shapes = [discrimination(s, place) for s in kept.values()]
        found.append(
            {"class": place, "own": _number(own), "rest": _number(rest), "models": series, "panels": panels,
             "discrimination": shapes, "bands": {}}
        )  # fmt: skip
        if level is not None and place in uncertain:
            found[-1]["bands"] = {
                "roc_curve": roc_bands(kept, place, level),
                "reliability": reliability_bands(kept, place, level),
            }
    return found


def chosen_classes(models: Mapping[str, Summary], budget: Budget) -> list[int]:
    """The positive class of two; otherwise the most frequent ones, in their order. A class needs cases and a rest."""
    first = next(iter(models.values()))
    weight = _weights(first)
    fit = [j for j, w in enumerate(weight) if 0 < w < weight.sum()]
    if len(weight) == 2 and first.source.positive is not None:
        return [j for j in fit if j == first.source.positive]
    most = sorted(fit, key=lambda j: -weight[j])[: budget.classes]
    return sorted(most)


def thresholds(models: Mapping[str, Summary]) -> Array:
    """Where the threshold slider can stand: hundredths for probabilities, else from the lowest to the highest score."""
    scored = [s.source for s in models.values() if not s.source.lacks(Needs.SCORES)]
    scores = [s.cases.scores for s in scored if s.cases is not None and s.cases.scores is not None]
    if not scores or all(s.probabilities for s in scored):
        return np.arange(STEPS) / (STEPS - 1)
    low, high = min(float(x.min()) for x in scores), max(float(x.max()) for x in scores)
    even = np.linspace(low, high, STEPS)
    if not high > low:
        return even
    places = math.ceil(-math.log10((high - low) / STEPS)) + 1  # a number that can be read and typed in
    return np.concatenate([[low], np.round(even[1:-1], places), [high]])


def _sources(models: Mapping[str, Summary], place: int) -> dict[str, Summary]:
    """Of many classes each sorted column is dropped when the class is done: together they could be too large."""
    first = next(iter(models.values()))
    if len(first.source.classes) == 2 and first.source.positive is not None:
        return dict(models)
    return {name: Summary(s.source) for name, s in models.items()}


def _series(s: Summary, place: int, grid: Array, columns: int) -> dict[str, Any]:
    """The operating points of one model: of a curve, or its decisions as they are."""
    found: dict[str, Any] = {"tp": [], "fp": [], "threshold": [], "hull": []}
    if not s.lacks(Counts):
        b = s[Binary]
        found["decided"] = exact([b.tp[place], b.fp[place]])
    if s.source.lacks(Needs.SCORES):
        return found
    t = s.table_of_class(place)
    tp, fp = t.true_positives, t.false_positives
    fpr, tpr = t.rates
    first = shown_places(fpr, tpr, t.hull, columns)
    second = shown_places(tpr, np.asarray(ratio(tp, tp + fp, 1.0)), (), columns // 2)
    places = np.union1d(first, second)
    on_hull = np.isin(places, t.hull)
    cuts = _cuts(t, places)
    kept = exact(t.thresholds[places])
    short = [a if hull or a is None else float(b) for a, b, hull in zip(kept, cuts, on_hull.tolist(), strict=True)]
    at = len(t.scores) - np.searchsorted(t.scores, grid, "left")
    found |= {
        "tp": exact(tp[places]),
        "fp": exact(fp[places]),
        "threshold": short,
        "hull": np.flatnonzero(on_hull).tolist(),
        "cuts": [text for text, hull in zip(cuts, on_hull.tolist(), strict=True) if hull],
        "grid": {"tp": exact(tp[at]), "fp": exact(fp[at])},
        "measures": _at_thresholds(t, at),
    }
    return found


def _cuts(t: ScoreTable, places: Array) -> list[str]:
    """Thresholds in words: whoever types them in decides as the curve does."""
    edges = np.append(t.thresholds, -np.inf)
    return [shortest_cut(*pair) for pair in zip(edges[places].tolist(), edges[places + 1].tolist(), strict=True)]


def _at_thresholds(t: ScoreTable, at: Array) -> dict[str, Any]:
    """Measures of decisions, at each place of the slider."""
    counts = Counts(t.counts.table[at])
    with np.errstate(all="ignore"):
        return {symbol: brief(of_decisions(measures[symbol], counts), 4) for symbol in AT_THRESHOLDS}


def _weights(s: Summary) -> Array:
    return np.asarray(s.source.class_weight, float)


def _sizes(s: Summary, place: int) -> tuple[float, float]:
    weight = _weights(s)
    return float(weight[place]), float(weight.sum() - weight[place])


def _number(x: float) -> float | int:
    return int(x) if x.is_integer() else x
