"""Panels that are drawn as they are: what karat's diagrams compute, as lines with titles and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scipy.special import ndtri

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.references import references
from karat.core.statistic import Needs
from karat.diagrams import (
    DET,
    Attributes,
    BrierCurve,
    CostLines,
    CoverageRisk,
    Discrimination,
    LiftByDecile,
    Reliability,
    ROCGraph,
)
from karat.diagrams.drawing import number, shown_places
from karat.page.json_numbers import brief
from karat.page.verdict import short
from karat.statistics import Binary, Summary

UNIT = [0.0, 1.0]
BINS = 20
RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


def panel(kind: Any, x: str, y: str, lines: list[Any], **more: Any) -> dict[str, Any]:
    """A panel of lines; what it shows is what its diagram says of itself."""
    return {
        "id": kind.name,
        "shows": kind.shows,
        "cite": str(references()[kind.cite]),
        "x": {"title": x, "domain": UNIT} | more.pop("across", {}),
        "y": {"title": y} | more.pop("up", {}),
        "references": [
            {"name": name, "x": brief(a), "y": brief(b)} for name, (a, b) in more.pop("references", {}).items()
        ],
        "lines": lines,
    } | more


def _line(model: int, curve: tuple[Array, Array], columns: int, label: str) -> dict[str, Any]:
    x, y = curve
    at = shown_places(x, y, (), columns)
    return {"model": model, "label": label, "x": brief(x[at], 4), "y": brief(y[at], 4)}


def _each(kind: Any, models: Mapping[str, Summary], positive: Any = None, **options: Any) -> Iterator[tuple[int, Any]]:
    """The diagram of each model that can have it."""
    for i, s in enumerate(models.values()):
        try:
            yield i, kind.of(s, positive=positive, **options)
        except InputError:
            continue


def class_lines(models: Mapping[str, Summary], place: int, columns: int) -> list[dict[str, Any]]:
    """Panels of one class against the rest."""
    found = []
    first = next(iter(models.values()))
    positive = first.source.classes[place]
    coarse = max(columns // 3, 20)

    made = list(_each(Reliability, models, positive))
    if made:
        x, y = "forecast probability", "observed frequency"
        lines = [_line(i, d.curve, coarse, f"reliability {number(d.reliability, 4)}") for i, d in made]
        square = {"up": {"domain": UNIT}}
        diagonal = {"calibrated": (UNIT, UNIT)}
        found.append(panel(Reliability, x, y, lines, references=diagonal, **square))
        p = made[0][1].prevalence
        skill = {
            "no skill": (UNIT, [p / 2, (1 + p) / 2]),
            "no resolution": (UNIT, [p, p]),
            "frequency": ([p, p], UNIT),
        }
        areas = [[[0, 0], [0, p / 2], [p, p], [p, 0]], [[p, p], [p, 1], [1, 1], [1, (1 + p) / 2]]]
        skills = [f"Brier skill {number(d.brier_skill)}" for _, d in made]
        named = [line | {"label": label} for line, label in zip(lines, skills, strict=True)]
        found.append(panel(Attributes, x, y, named, references=diagonal | skill, areas=areas, **square))
    curves = list(_each(BrierCurve, models, positive))
    if curves:
        p = curves[0][1].prevalence
        lines = [_line(i, (d.c, d.cost), coarse, f"Brier {number(d.area)}") for i, d in curves]
        trivial = {"trivial classifiers": ([0, p, 1], [0, 2 * p * (1 - p), 0])}
        found.append(panel(BrierCurve, "cost proportion of a false alarm", "expected cost", lines, references=trivial))
    rates = list(_each(DET, models, positive))
    if rates:
        low, high = (float(ndtri(x)) for x in (0.0005, 0.995))
        axis = {"domain": [low, high], "ticks": [[float(ndtri(t)), f"{100 * t:g} %"] for t in RATES]}
        lines = []
        for i, d in rates:
            inside = (d.fpr > 0) & (d.fpr < 1) & (d.fnr > 0) & (d.fnr < 1)
            if inside.any():
                label = f"equal error {number(d.equal_error_rate)}"
                lines.append(_line(i, (ndtri(d.fpr[inside]), ndtri(d.fnr[inside])), coarse, label))
        equal = {"equal rates": ([low, high], [low, high])}
        found.append(
            panel(DET, "false positive rate", "false negative rate", lines, across=axis, up=axis, references=equal)
        )
    tenths = list(_each(LiftByDecile, models, positive))
    if tenths:
        lines = [
            {"model": i, "label": "", "x": d.deciles.columns["part"], "y": brief(d.deciles.columns["lift"], 4)}
            for i, d in tenths
        ]
        axis = {"domain": [0.5, 10.5]}
        chance = {"chance": ([0.5, 10.5], [1, 1])}
        found.append(
            panel(
                LiftByDecile,
                "tenth of the ranking, from the top",
                "lift",
                lines,
                across=axis,
                references=chance,
                points=True,
            )
        )
    return found + _crisp(models, positive)


def _crisp(models: Mapping[str, Summary], positive: Any) -> list[dict[str, Any]]:
    """The decisions as they are: a point of the ROC graph and a cost line for each model."""
    deciding = {str(i): s for i, s in enumerate(models.values()) if not s.lacks(Binary)}
    try:
        d = CostLines.of_models(deciding, positive=positive)
    except InputError:
        return []
    labels = ["never the best" if name in d.never_optimal else "" for name in d.models]
    rates = list(zip(map(int, d.models), labels, d.fpr.tolist(), d.tpr.tolist(), strict=True))
    square = {"up": {"domain": UNIT}}
    points = [{"model": i, "label": label, "x": brief([x], 4), "y": brief([y], 4)} for i, label, x, y in rates]
    hull = {"chance": (UNIT, UNIT), "convex hull": (d.hull_fpr, d.hull_tpr)}
    lines = [{"model": i, "label": label, "x": UNIT, "y": brief([x, 1 - y], 4)} for i, label, x, y in rates]
    never, always = (f"{when} decide {short(str(positive), 24)}" for when in ("never", "always"))
    envelope = {never: (UNIT, UNIT), always: (UNIT, [1.0, 0.0]), "lower envelope": d.envelope}
    return [
        panel(ROCGraph, "false positive rate", "true positive rate", points, references=hull, points=True, **square),
        panel(CostLines, "probability cost PC", "normalised expected cost", lines, references=envelope),
    ]


def discrimination(s: Summary, place: int) -> dict[str, Any] | None:
    """The two likelihoods of one model, in bins."""
    if s.source.lacks(Needs.PROBABILITIES):
        return None
    d = Discrimination.of(s, positive=s.source.classes[place], bins=BINS)
    return {
        "own": brief(d.own, 4),
        "rest": brief(d.rest, 4),
        "mean_own": d.mean_own,
        "mean_rest": d.mean_rest,
        "distance": d.distance,
    }


def whole_lines(models: Mapping[str, Summary], columns: int) -> list[dict[str, Any]]:
    """Panels of all classes together."""
    made = list(_each(CoverageRisk, models))
    if not made:
        return []
    lines = [_line(i, d.curve, max(columns // 2, 30), f"area {number(d.area, 4)}") for i, d in made]
    return [panel(CoverageRisk, "coverage: share of cases decided", "risk: share of errors among them", lines)]
