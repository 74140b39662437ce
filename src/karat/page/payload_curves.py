"""One class against the rest, for the live part of the page: operating points of each model, panels of lines, bands.

The best threshold for any costs and frequencies is a vertex of the convex hull of the ROC curve, so the hull is carried
exactly (true and false positives are counts) and the rest of a curve as finely as a pixel can show. Where a threshold
of fewer digits beside a vertex serves as well it is carried instead, and the vertices themselves as counts alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from karat.core.arithmetic import Array, ratio
from karat.core.errors import InputError
from karat.core.measure import measures
from karat.core.statistic import Needs
from karat.core.words import shortest_cut
from karat.diagrams import Discrimination, Reliability, ROCCurve, diagrams
from karat.diagrams.diagram import Diagram
from karat.diagrams.drawing import visible_places
from karat.diagrams.measures_by_threshold import of_decisions
from karat.diagrams.panel import Axis, Line
from karat.diagrams.prediction_diagram import ModelsDiagram, StatisticDiagram
from karat.page.content import FAMILIAR
from karat.page.json_numbers import exact_numbers, short_numbers
from karat.page.plain_thresholds import plain_places
from karat.statistics import Binary, Counts, ScoreTable, Summary

MOST_CLASSES, MOST_CURVES = 30, 150
"""Classes that are shown against the rest, at most; and curves (classes times models) in all."""
POINTS = 12_000
"""Points of all ROC curves together; a curve has about twice as many points as columns."""
FINEST, COARSEST = 300, 30
"""Columns of a curve, at most and at least."""
STEPS = 101
"""Places of the threshold slider: at each of them the counts are exact."""
FEW_CURVES, STRIDE = 90, 5
"""Curves up to which measures are carried at each of these places; of more, at every fifth."""
AT_THRESHOLDS = ("MCC", "F1", "TPR", "PPV")
BINS = 20
"""Bins of the two likelihoods."""
BANDED_MODELS, BANDS = 4, 24
"""Models beside which bands can be told apart, at most; and bands of a page (two for each class and model)."""
STRAIGHT, TURNS = 0.0005, 4
"""How far a point may lie beside the line that goes on without it, as a share of a chart; how often that is asked."""
REPLICATES, PLACES = 200, 60
"""Enough for a drawing: replicates, and places at which a band is carried."""
SCRIPTED = frozenset(
    {
        "roc_curve", "cost_curve", "precision_recall", "lift", "roi", "decision_curve",  # panels.js
        "threshold_curve", "discrimination",  # details.js
        "confusion_matrix", "probabilistic_confusion_matrix", "entropy_triangle", "split_entropy_triangle",  # maps.js
        "information_chain",
    }
)  # fmt: skip
"""Diagrams that a script of the page draws in its own way: they follow the operating conditions, or are no lines. All
others that belong on the page are drawn from their `panel()`."""


def page_diagrams() -> list[type[Diagram]]:
    """The diagrams that say that they belong on the page."""
    return [kind for kind in diagrams.values() if kind.on_page]


@dataclass(frozen=True)
class Budget:
    """How finely curves are carried."""

    classes: int
    columns: int
    stride: int
    """between the places of the slider at which measures are carried"""

    @classmethod
    def of(cls, models: int, classes: int) -> Budget:
        """For so many models and classes."""
        places = min(classes, MOST_CLASSES, max(2, MOST_CURVES // models))
        columns = POINTS // (2 * models * places)
        stride = 1 if models * places <= FEW_CURVES else STRIDE
        return cls(places, min(max(columns, COARSEST), FINEST), stride)


def against_rest(models: Mapping[str, Summary], budget: Budget, level: float | None = None) -> list[dict[str, Any]]:
    """Each class that is shown: its size, and what every model does with it; with bands of this level, for a few."""
    grid = thresholds(models)
    classes: list[dict[str, Any]] = []
    places = classes_with_curves(models, budget)
    banded = classes_with_bands(places, len(models), next(iter(models.values())).source.positive, level)
    for place in places:
        summaries = _summaries(models)
        first = next(iter(summaries.values())).source
        weight = np.asarray(first.class_weight, float)
        own, rest = exact_numbers([weight[place], np.delete(weight, place).sum()])  # no subtraction: it may be small
        facts: dict[str, Any] = {"class": place, "own": own, "rest": rest}
        facts["models"] = [
            _decided(kept, place) | _series(s, place, grid, budget)
            for kept, s in zip(models.values(), summaries.values(), strict=True)
        ]
        facts["panels"] = panels_of_lines(summaries, first.classes[place], max(budget.columns // 3, 20))
        facts["discrimination"] = [_likelihoods(s, place) for s in summaries.values()]
        facts["bands"] = {}
        if level is not None and place in banded:
            bands = {"roc_curve": _roc_band, "reliability": _reliability_band}
            facts["bands"] = {name: list(_bands(summaries, place, level, band)) for name, band in bands.items()}
        classes.append(facts)
    return classes


def classes_with_curves(models: Mapping[str, Summary], budget: Budget) -> list[int]:
    """The positive class of two; otherwise the most frequent ones, in their order. A class needs cases and a rest."""
    first = next(iter(models.values()))
    weight = np.asarray(first.source.class_weight, float)
    fit = [j for j, w in enumerate(weight) if w > 0 and np.delete(weight, j).any()]
    if len(weight) == 2 and first.source.positive is not None:
        return [j for j in fit if j == first.source.positive]
    return sorted(sorted(fit, key=lambda j: -weight[j])[: budget.classes])


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


def _summaries(models: Mapping[str, Summary]) -> dict[str, Summary]:
    """Of many classes each sorted column is dropped when the class is done: together they could be too large."""
    first = next(iter(models.values()))
    if len(first.source.classes) == 2 and first.source.positive is not None:
        return dict(models)
    return {name: Summary(s.source) for name, s in models.items()}


def _decided(s: Summary, place: int) -> dict[str, Any]:
    """The operating point of the predictions as they are."""
    return {} if s.lacks(Counts) else {"decided": exact_numbers([s[Binary].tp[place], s[Binary].fp[place]])}


def _series(s: Summary, place: int, grid: Array, budget: Budget) -> dict[str, Any]:
    """The operating points of the curve of one model, if it has one."""
    series: dict[str, Any] = {"tp": [], "fp": [], "threshold": [], "hull": []}
    if s.source.lacks(Needs.SCORES):
        return series
    t = s.table_of_class(place)
    tp, fp = t.true_positives, t.false_positives
    fpr, tpr = t.rates
    vertices = t.hull
    hull = plain_places(t, vertices)
    if not np.array_equal(hull, vertices):  # which model is best where is told by the exact ones, as karat tells it
        inner = vertices[1:-1]
        series["vertices"] = {"tp": exact_numbers(tp[inner]), "fp": exact_numbers(fp[inner])}
    first = visible_places(fpr, tpr, hull, budget.columns)
    second = visible_places(tpr, np.asarray(ratio(tp, tp + fp, 1.0)), (), budget.columns // 2)
    places = np.union1d(first, second)
    on_hull = np.isin(places, hull)
    edges = np.append(t.thresholds, -np.inf)  # cuts in words: whoever types them in decides as the curve does
    cuts = [shortest_cut(*pair) for pair in zip(edges[places].tolist(), edges[places + 1].tolist(), strict=True)]
    thresholds = zip(exact_numbers(t.thresholds[places]), cuts, on_hull.tolist(), strict=True)
    at = len(t.scores) - np.searchsorted(t.scores, grid, "left")
    series |= {
        "tp": exact_numbers(tp[places]),
        "fp": exact_numbers(fp[places]),
        "threshold": [a if hull or a is None else float(b) for a, b, hull in thresholds],
        "hull": np.flatnonzero(on_hull).tolist(),
        "cuts": [text for text, hull in zip(cuts, on_hull.tolist(), strict=True) if hull],
        "grid": {"tp": exact_numbers(tp[at]), "fp": exact_numbers(fp[at])},
        "measures": _at_thresholds(t, at[:: budget.stride]),
    }
    return series


def _at_thresholds(t: ScoreTable, at: Array) -> dict[str, Any]:
    """Measures of class predictions, at places of the slider."""
    counts = Counts(t.counts.table[at])
    with np.errstate(all="ignore"):
        return {
            FAMILIAR.get(m.symbol, m.title): short_numbers(of_decisions(m, counts), 4)
            for m in map(measures.__getitem__, AT_THRESHOLDS)
        }


# ------------------------------------------------------------------------------------------- panels of lines


def panels_of_lines(models: Mapping[str, Summary], positive: Any, columns: int) -> list[dict[str, Any]]:
    """The panels that are drawn as they are: of one class against the rest, or of all together (`positive` is None)."""
    panels = []
    kinds = [k for k in page_diagrams() if issubclass(k, StatisticDiagram) and k.name not in SCRIPTED]
    for kind in sorted(kinds, key=lambda k: -k.statistic.needs):  # those of probabilities come first
        if kind.two_classes == (positive is not None):
            members = list(_members(kind, models, positive))
            if members:
                panels.append(_panel(members, columns))
    return panels


def _members(kind: type[StatisticDiagram], models: Mapping[str, Summary], positive: Any) -> Iterator[StatisticDiagram]:
    """The diagram of each model that can have it, or that of all of them; a model is called by its place."""
    able = {str(i): s for i, s in enumerate(models.values()) if not s.lacks(kind.statistic)}
    makers: list[Callable[..., StatisticDiagram]] = [partial(kind.of, s, name=place) for place, s in able.items()]
    for make in [partial(kind.of_models, able)] if issubclass(kind, ModelsDiagram) else makers:
        with suppress(InputError):
            yield make(positive=positive)


def _panel(members: Sequence[StatisticDiagram], columns: int) -> dict[str, Any]:
    """All lines on the axes of the first."""
    drawn = [(member, member.panel()) for member in members]
    panel = drawn[0][1]
    return {
        "id": members[0].name,
        "x": _axis(panel.x),
        "y": _axis(panel.y),
        "references": [
            {"name": name, "x": short_numbers(x), "y": short_numbers(y)} for name, (x, y) in panel.references.items()
        ],
        "lines": [
            _line(line, line.model or member.model, columns, panel.points)
            for member, its in drawn
            for line in its.lines
        ],
        "points": panel.points,
        "areas": panel.areas,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {name: value for name, value in vars(axis).items() if value}


def _line(line: Line, model: str, columns: int, points: bool) -> dict[str, Any]:
    x, y = np.asarray(line.x, float), np.asarray(line.y, float)
    at = visible_places(x, y, (), columns)
    if not points:
        at = at[bends(x[at], y[at])]
    return {"model": int(model), "label": line.label, "x": short_numbers(x[at], 4), "y": short_numbers(y[at], 4)}


def bends(x: Array, y: Array) -> Array:
    """Places of a line without those that lie between their neighbours, but for a fraction of a pixel. Of two places
    side by side one is left in each turn, so that a slow bend is not lost."""
    places = np.arange(len(x))
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return places
    wide, high = float(np.ptp(x)) or 1.0, float(np.ptp(y)) or 1.0
    for turn in range(TURNS):
        u, v = x[places] / wide, y[places] / high
        run, rise = u[2:] - u[:-2], v[2:] - v[:-2]
        away = np.abs((u[1:-1] - u[:-2]) * rise - (v[1:-1] - v[:-2]) * run) / np.maximum(np.hypot(run, rise), 1e-300)
        between = (u[1:-1] - u[:-2]) * run + (v[1:-1] - v[:-2]) * rise
        straight = (away < STRAIGHT) & (between >= 0) & (between <= run**2 + rise**2)
        straight[turn % 2 :: 2] = False
        places = places[np.concatenate([[True], ~straight, [True]])[: len(places)]]
    return places


def _likelihoods(s: Summary, place: int) -> dict[str, Any] | None:
    """The two likelihoods of one model, in bins."""
    if s.source.lacks(Needs.PROBABILITIES):
        return None
    d = Discrimination.of(s, positive=s.source.classes[place], bins=BINS)
    means = {"mean_own": d.mean_own, "mean_rest": d.mean_rest, "distance": d.distance}
    return {"own": short_numbers(d.own, 4), "rest": short_numbers(d.rest, 4)} | means


# ------------------------------------------------------------------------------------------- bands


def classes_with_bands(classes: Sequence[int], models: int, positive: int | None, level: float | None) -> list[int]:
    """The classes whose curves get bands: as many as there is room for, the positive one first."""
    if level is None or models > BANDED_MODELS:
        return []
    return sorted(classes, key=lambda j: j != positive)[: BANDS // (2 * models)]


def _bands(
    models: Mapping[str, Summary], place: int, level: float, band: Callable[..., dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """That of each model, from cases that are drawn again; none where there can't be one."""
    for i, s in enumerate(models.values()):
        with suppress(InputError):
            yield {"model": i} | band(s, positive=s.source.classes[place], band=level, replicates=REPLICATES)


def _roc_band(s: Summary, **options: Any) -> dict[str, Any]:
    """Pointwise in the false positive rate."""
    b = ROCCurve.of(s, interval=False, **options).band  # the area has its interval among the measures
    assert b is not None
    finer = (len(b.at) - 1) * np.linspace(0, 1, PLACES) ** 2  # where the curve is steep
    return _band(finer, b.at, b.low, b.high)


def _reliability_band(s: Summary, **options: Any) -> dict[str, Any]:
    """Between which frequencies the curve would lie, if the forecasts were right."""
    d = Reliability.of(s, **options)
    assert d.band is not None
    x = d.curve[0]
    return _band(np.linspace(0, len(x) - 1, PLACES), x, *d.band) | {
        "ticks": [short_numbers(part, 3) for part in d.refinement]
    }


def _band(places: Array, *lines: Array) -> dict[str, Any]:
    at = np.unique(np.round(places).astype(int))
    return {name: short_numbers(line[at], 4) for name, line in zip(("x", "low", "high"), lines, strict=True)}
