"""Prati, Batista & Monard (2011), sections 3 to 5: what the text says of its sketches (Figs. 1 to 10).

The paper prints no coordinates. Points that satisfy every number of the text stand for them here, so that what agrees
is consistent and no more; what holds for any classifier is checked as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu, wilcoxon

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Tables
from karat.core.words import number, percent
from karat.diagrams import (
    ROI,
    CostCurve,
    CostLines,
    Diagram,
    Discrimination,
    Lift,
    PrecisionRecall,
    ROCCurve,
    ROCGraph,
    Several,
)
from karat.evaluation import Evaluation, evaluate
from karat.reproductions.cell import Cell, Publication
from karat.reproductions.paper_figures import PaperFigure
from karat.statistics.roc_hull import probability_cost_at

PAPER = Publication("prati2011")
POINTS = {"A": (0.1, 0.65), "B": (0.3, 0.95), "C": (0.6, 0.99), "D": (0.35, 0.75), "E": (0.7, 0.9)}
"""Fig. 1: slope 6.5 to A and 1.5 from A to B, as printed; the rest is ours."""
CURVES = {
    "A": [(0.1, 0.5), (0.13, 0.6), (0.15, 0.65), (0.4, 0.78), (0.72, 0.9)],
    "B": [(0.1, 0.28), (0.22, 0.6), (0.35, 0.85), (0.4, 0.87), (0.5, 0.9)],
}
"""Fig. 3: the ROC points of the text on lift and profit, and their images in the other diagonal: B is A mirrored."""
CASES, PREVALENCE = 100_000, 0.05
RECALLS = np.linspace(0.001, 0.999, 999)


def curve(name: str, prevalence: float = PREVALENCE) -> Evaluation:
    """A model with this polygon as its ROC curve: one score for each of its sides."""
    corners = np.array([(0.0, 0.0), *CURVES[name], (1.0, 1.0)])
    falls, rises = np.diff(corners, axis=0).T
    scores = np.linspace(0.9, 0.1, len(rises))
    weight = CASES * np.concatenate([(1 - prevalence) * falls, prevalence * rises])
    truth = np.repeat([0, 1], len(rises))
    return evaluate(truth, np.tile(scores, 2), sample_weight=weight, positive=1)


def cells() -> Iterator[Cell]:
    """Figure by figure."""
    yield from _crisp()
    yield from _curves()
    yield from _prevalence()
    yield from _probabilities()


def _crisp() -> Iterator[Cell]:
    """Figs. 1 and 2."""
    graph = ROCGraph.from_points(POINTS)
    fitted: dict[str, Any] = {"why": PAPER.notes["sketch"], "fitted": True}
    never = " ".join(graph.never_optimal)
    yield PAPER.cell("sketch hull", never, **fitted)
    ends = dict(zip(graph.operating_ranges.columns["best"], graph.operating_ranges.columns["pc_to"], strict=True))
    yield PAPER.cell("sketch range negative", float(ends["always negative"]), **fitted)
    yield PAPER.cell("sketch range A", float(ends["A"]), **fitted)
    rng = np.random.default_rng(1)
    yield PAPER.cell("suboptimal", all(_never_best(rng) for _ in range(200)))
    chance = np.linspace(0, 1, 11)
    at_half = [0.5 * fpr + 0.5 * (1 - fpr) for fpr in chance]  # NormEC = (1 - PC) fpr + PC (1 - tpr), tpr = fpr
    elsewhere = np.ptp([0.9 * fpr + 0.1 * (1 - fpr) for fpr in chance])
    meet = bool(np.ptp(at_half) < TOLERANCE)
    yield PAPER.cell("random point", "one point" if meet and elsewhere < TOLERANCE else "lines through it")


def _never_best(rng: Any) -> bool:
    """Is a point strictly below the hull of others dearer than the best of them at every slope?"""
    others = [(0.0, 0.0), *(tuple(sorted(rng.random(2))) for _ in range(4)), (1.0, 1.0)]
    weight = rng.dirichlet(np.ones(len(others)))
    inner = np.array(others).T @ weight - [0, 0.01]
    pc = np.linspace(0, 1, 201)
    best = np.min([(1 - pc) * fpr + pc * (1 - tpr) for fpr, tpr in others], axis=0)
    return bool(((1 - pc) * inner[0] + pc * (1 - inner[1]) >= best - TOLERANCE).all())


def _curves() -> Iterator[Cell]:
    """Figs. 3 and 4: the two curves."""
    a, b = curve("A"), curve("B")
    fitted: dict[str, Any] = {"fitted": True}
    yield PAPER.cell("same area", abs(a["AUC"] - b["AUC"]) < TOLERANCE, area=number(a["AUC"]), **fitted)
    tpr = {n: np.interp(RECALLS, *ROCCurve.of(e.statistics).xy) for n, e in {"A": a, "B": b}.items()}
    first = bool((tpr["A"] > tpr["B"])[RECALLS < 0.1].all() and (tpr["A"] < tpr["B"])[RECALLS > 0.9].all())
    yield PAPER.cell("top and bottom", first, **fitted)
    steepest = CURVES["A"][0][1] / CURVES["A"][0][0]
    yield PAPER.cell("cost negative", float(probability_cost_at(steepest)), open=0.05, **fitted)
    crossed = [float(c["pc"]) for c in CostCurve.of(a.statistics).crossings(CostCurve.of(b.statistics))]
    yield PAPER.cell("cost crossing", min(crossed, key=lambda pc: abs(pc - 0.5)), **fitted)
    rng = np.random.default_rng(2)
    positive, negative = rng.normal(1, 1, 40), rng.normal(0, 1, 40)
    area = evaluate(np.repeat([1, 0], 40), y_score=np.concatenate([positive, negative]), positive=1)["AUC"]
    sums = mannwhitneyu(positive, negative).statistic / 1600
    signed = wilcoxon(positive, negative, alternative="greater").statistic / (40 * 41 / 2)
    words: dict[str, Any] = {"area": number(area), "sums": number(sums), "signed": number(signed)}
    yield PAPER.cell("signed rank", abs(area - signed) < TOLERANCE, **words)
    yield PAPER.cell("rank sum", abs(area - sums) < TOLERANCE, **words)


def _precision(prevalence: float) -> tuple[Array, Array]:
    a, b = (PrecisionRecall.of(curve(n, prevalence).statistics).xy for n in "AB")
    return np.interp(RECALLS, *a), np.interp(RECALLS, *b)


def _prevalence() -> Iterator[Cell]:
    """Figs. 5 and 6: precision and lift, which depend on the prevalence."""
    a, b = _precision(PREVALENCE)
    share = float((a > b).mean())
    yield PAPER.cell("more precise", share >= 0.9, share=percent(share), fitted=True)
    apart = [float(np.abs(np.subtract(*_precision(p))).max()) for p in (0.05, 0.5, 0.95)]
    yield PAPER.cell("closer", apart == sorted(apart, reverse=True), apart=", ".join(map(number, apart)))
    for key in PAPER.keys("mailed"):
        fpr, tpr = key.split()[1:]
        share = PREVALENCE * float(tpr) + (1 - PREVALENCE) * float(fpr)
        yield PAPER.cell(f"mailed {key}", round(100 * share, 6))
    far = {}
    for prevalence in (1e-6, 1 - 1e-6):
        x, y = Lift.of(curve("A", prevalence).statistics).xy
        limit = np.interp(x, *ROCCurve.of(curve("A").statistics).xy) if prevalence < 0.5 else x
        far[prevalence] = float(np.abs(y - limit).max())
    yield PAPER.cell("lift limits", max(far.values()) < 1e-4, apart=max(far.values()))


def _probabilities() -> Iterator[Cell]:
    """Figs. 8 to 10."""
    yield PAPER.cell("reliability example", None)
    base = 0.3
    forecasts = np.linspace(0.32, 0.98, 12)
    on_line = (forecasts + base) / 2
    gain = (on_line - base) ** 2 - (forecasts - on_line) ** 2  # resolution less reliability of a group there
    angle = float(np.degrees(np.arctan((on_line[-1] - on_line[0]) / (forecasts[-1] - forecasts[0]))))
    assert np.abs(gain).max() < TOLERANCE
    yield PAPER.cell("no skill", angle)
    overlaps = {}
    for name, (low, high) in {"identical": (0.5, 0.5), "apart": (0.05, 0.95)}.items():
        y, p = np.repeat([0, 1], 50), np.repeat([low, high], 50)
        e = evaluate(y, p, positive=1)
        overlaps[name] = (Discrimination.of(e.statistics).drawn_overlap, e["AUC"], e["DD"])
    same = all(abs(overlap - area) < 0.01 for overlap, area, _ in overlaps.values())
    words = "; ".join(f"{n}: overlap {number(o)}, AUC {number(a)}" for n, (o, a, _) in overlaps.items())
    yield PAPER.cell("overlap is AUC", same, why=words)
    yield PAPER.cell("distance", overlaps["identical"][2] == 0 and overlaps["apart"][2] > 0.89)
    areas = [evaluate([0, 0, 1, 1], p, positive=1)["AUC"] for p in ([0.2, 0.2, 0.5, 0.5], [0.0, 0.4, 0.3, 0.7])]
    yield PAPER.cell("distance is AUC", areas[0] == areas[1], areas=" and ".join(map(number, areas)))


def _of_points(kind: Any) -> Callable[..., Diagram]:
    def made(tables: Mapping[str, Tables]) -> Diagram:
        diagram: Diagram = kind.from_points(POINTS)
        return diagram

    return made


def _of_curves(kind: Any, **options: Any) -> Callable[..., Several]:
    def made(tables: Mapping[str, Tables]) -> Several:
        several: Several = kind.of_models({n: curve(n).statistics for n in CURVES}, positive=1, **options)
        return several

    return made


FIGURES = (
    PaperFigure(1, "ROC graph of five classifiers (of points that fit the text)", _of_points(ROCGraph)),
    PaperFigure(2, "cost lines of the five classifiers (of points that fit the text)", _of_points(CostLines)),
    *(
        PaperFigure(number, f"{words} of A and B (of points that fit the text)", _of_curves(kind, **options))
        for number, words, kind, options in (
            (3, "ROC curves", ROCCurve, {}),
            (4, "cost curves", CostCurve, {}),
            (5, "precision-recall curves at 5 % of positives", PrecisionRecall, {}),
            (6, "lift curves at 5 % of positives", Lift, {}),
            (7, "return on investment", ROI, {"tp": 50, "fp": -3}),
        )
    ),
)
