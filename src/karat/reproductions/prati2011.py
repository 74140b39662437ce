"""Prati, Batista & Monard (2011): sketches and profits (sections 3 to 5), and the insurance example (section 7)."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.study import Study, Tables
from karat.core.words import number, percent
from karat.data.prediction_files import read
from karat.datasets import load
from karat.datasets.folders import files, folder
from karat.diagrams import (
    ROI,
    Attributes,
    CostCurve,
    CostLines,
    Diagram,
    Discrimination,
    Lift,
    PrecisionRecall,
    Reliability,
    ROCCurve,
    ROCGraph,
    Several,
)
from karat.evaluation import Evaluation, evaluate, evaluate_matrix
from karat.measures.costs import expected_cost
from karat.reproductions import prati2011_sketches as sketches
from karat.reproductions.cell import Cell, Publication
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.statistics.roc_hull import probability_cost_at, slope_of

TITLE = "Prati, Batista & Monard 2011"
PAPER = Publication("prati2011")
NB, BN, TREE = "naive Bayes", "Bayesian network", "NBTree"
OURS = "naive Bayes (ours)"
STORED = {NB: "naive_bayes", BN: "bayes_net", TREE: "nbtree"}
"""The paper's models and the names of their predictions files (y_true, p_0, p_1)."""
PARTS = ("tic_train", "tic_test")
CASES, BUYERS = 4_000, 238
COUNTS = {NB: (101, 720), BN: (83, 436), TREE: (4, 8)}
"""(true positives, false positives) that explain all that is printed best: a check of consistency, not a record."""
FITTED_POINTS = ("A 0.15 0.65",)
"""ROC points that are not in the text, and were chosen to give its profit."""
ROOM = 0.01
"""How far apart "approximately" may be, for probability costs."""
WIDE = 0.05
"""The same for those that were read off a curve."""
GRID = np.linspace(0, 1, 1001)
"""Places at which curves are compared."""
Models = dict[str, Evaluation]


def stored(predictions: Any) -> dict[str, Evaluation]:
    """The paper's models from a folder of predictions files; those that it holds."""
    if predictions is None:
        return {}
    where = Path(predictions)
    if not where.is_dir():
        raise InputError(
            f"{str(where)!r} is not a folder; name one that holds {', '.join(STORED.values())} as .csv files."
        )
    models = {}
    for model, name in STORED.items():
        if (where / f"{name}.csv").is_file():
            (source,) = read(where / f"{name}.csv", positive=1).values()
            models[model] = Evaluation(source)
    if not models:
        raise InputError(f"the folder {str(where)!r} holds none of {', '.join(f'{n}.csv' for n in STORED.values())}.")
    return models


def learnt(data: Any) -> dict[str, Evaluation]:
    """Naive Bayes and C4.5 with the options that Weka has by default, if the data are there."""
    where = folder(data)
    if where is None or not set(PARTS) <= set(files(where)):
        return {}
    train, test = (load(name, where).labelled() for name in PARTS)
    learners = importlib.import_module("karat.learners")
    models = {OURS: learners.NaiveBayes.of(train), "C4.5": learners.C45Classifier.of(train)}
    answers = {name: model.fit(train.X, train.y).predict_proba(test.X) for name, model in models.items()}
    return {name: evaluate(test.y, p, labels=[0, 1], positive=1, normalise=True) for name, p in answers.items()}


def studies(*, share: float, seed: int) -> dict[str, Study]:
    """Nothing is drawn at random."""
    return {}


def cells(tables: Mapping[str, Tables], data: Any = None, predictions: Any = None) -> Iterator[Cell]:
    """What needs no data, then the example with the paper's models, then with ours."""
    models, ours = stored(predictions), learnt(data)
    yield from _dollars()
    yield from _slopes()
    yield from sketches.cells()
    yield from _counts()
    if lacking := ", ".join(name for name in STORED if name not in models):
        yield from (PAPER.cell("no predictions", None, figure=i, lacking=lacking) for i in range(11, 21))
    else:
        for figures in (_decisions, _roc, _costs, _precision, _lift, _returns, _reliability, _skill):
            yield from figures(models)
    yield from _learnt(ours) if ours else [PAPER.cell("no data", None)]


def _dollars() -> Iterator[Cell]:
    """Section 4.5, with the ROC points of the text on lift."""
    profit = expected_cost.at(cost=[[0, 3], [0, -50]])
    literal = expected_cost.at(cost=[[0, 0], [0.05 * 3, 0.05 * -50]])
    for point in PAPER.keys("profit"):
        fpr, tpr = (float(rate) for rate in point.split()[1:])
        e = evaluate_matrix([[95_000 * (1 - fpr), 95_000 * fpr], [5_000 * (1 - tpr), 5_000 * tpr]])
        yield PAPER.cell(f"profit {point}", -100_000 * e[profit], fitted=point in FITTED_POINTS)
        if point in PAPER.keys("literal"):
            yield PAPER.cell(f"literal {point}", -100_000 * e[literal])


def _slopes() -> Iterator[Cell]:
    m = float(slope_of(6.5, 1.0, 0.5))
    yield PAPER.cell("slope", m)
    yield PAPER.cell("slope as printed", 1 / m)
    for slope in PAPER.keys("PC"):
        yield PAPER.cell(f"PC {slope}", float(probability_cost_at(float(slope))))


def _fitted() -> Models:
    return {n: evaluate_matrix([[CASES - BUYERS - fp, fp], [BUYERS - tp, tp]]) for n, (tp, fp) in COUNTS.items()}


def _counts() -> Iterator[Cell]:
    """Section 7 from the counts that fit it: are its numbers consistent?"""
    fitted: dict[str, Any] = {"of": " (from fitted counts)", "why": PAPER.notes["fitted"], "fitted": True}
    models = _fitted()
    for name, e in models.items():
        room = 0.005 if name == BN else 0.0  # 591 / 4000 is 14.775
        yield PAPER.cell(f"error {name}", 100 * e["EC"], open=room, place="", **fitted)
    yield from _ranges(models, **fitted)


def _graph(models: Models) -> Any:
    return ROCGraph.from_points({name: (e["FPR"], e["TPR"]) for name, e in models.items()})


def _ends(graph: Any) -> dict[str, float]:
    """The probability cost up to which each model is best."""
    ranges = graph.operating_ranges
    return dict(zip(ranges.columns["best"], map(float, ranges.columns["pc_to"]), strict=True))


def _ranges(models: Models, of: str = "", why: str = PAPER.notes["weka"], fitted: bool = False) -> Iterator[Cell]:
    graph = _graph(models)
    lost = f"not on the hull: {', '.join(graph.never_optimal)}" if graph.never_optimal else ""
    yield PAPER.cell("hull", not lost, of=of, why=lost or (why if fitted else ""), fitted=fitted)
    ends = _ends(graph)
    for name in PAPER.keys("best"):
        nowhere = "" if name in ends else "it is best nowhere; "
        ours = ends.get(name, math.nan)
        room = ROOM if fitted else 0.0  # another version of Weka is ours to answer for, not left open by the paper
        yield PAPER.cell(f"best {name}", ours, open=room, of=of, why=nowhere + why, fitted=fitted)


def _decisions(models: Models) -> Iterator[Cell]:
    """Errors, ROC graph, cost lines."""
    for name in PAPER.keys("error"):
        yield PAPER.cell(f"error {name}", 100 * models[name]["EC"], place=", text", of="", why=PAPER.notes["weka"])
    rates = {name: (e["FPR"], e["TPR"]) for name, e in models.items()}
    yield PAPER.cell("conservative", min(rates, key=lambda name: rates[name]) == TREE)  # not if another is its equal
    yield from _ranges(models)


def _true_positives(models: Models) -> dict[str, Array]:
    """Rates at all false positive rates of the grid."""
    return {name: np.interp(GRID, *ROCCurve.of(e.statistics).xy) for name, e in models.items()}


def _roc(models: Models) -> Iterator[Cell]:
    for name in PAPER.keys("AUC"):
        yield PAPER.cell(f"AUC {name}", 100 * models[name]["AUC"], place=", Fig. 13")
    tpr = _true_positives(models)
    for other in PAPER.keys("dominates"):
        share = float((tpr[BN] >= tpr[other] - TOLERANCE).mean())
        yield PAPER.cell(f"dominates {other}", share >= 0.9, share=percent(share))
    yield PAPER.cell("corner", (tpr[TREE] > tpr[BN])[(GRID > 0) & (GRID <= 0.05)].any())
    above = tpr[NB] > tpr[BN]
    best = GRID[above & (GRID > 0) & (GRID < 1)]
    words = f"it is above between {number(best.min())} and {number(best.max())}" if len(best) else "nowhere"
    yield PAPER.cell("middle", above[(GRID >= 0.4) & (GRID <= 0.6)].any(), why=words)


def _costs(models: Models) -> Iterator[Cell]:
    curves = {name: CostCurve.of(e.statistics) for name, e in models.items()}
    for side, word in ((0, "negative"), (-1, "positive")):
        for name in PAPER.keys(word):
            yield PAPER.cell(f"{word} {name}", _visible(curves[name], side), open=WIDE)
    crossed = [c["pc"] for c in curves[BN].crossings(curves[NB])]
    near = any(abs(pc - 0.55) <= WIDE for pc in crossed)
    yield PAPER.cell("cheaper", near, crossings=", ".join(map(number, crossed)))


def _visible(curve: Any, side: int) -> float:
    """The first (0) or last (-1) probability cost at which a cost curve lies visibly below the trivial classifiers."""
    pc = np.linspace(0, 1, 2001)
    below = np.minimum(pc, 1 - pc) - np.interp(pc, *curve.xy) > 0.005
    return float(pc[below][side]) if below.any() else math.nan


def _precision(models: Models) -> Iterator[Cell]:
    precision = {name: np.interp(GRID, *PrecisionRecall.of(e.statistics).xy) for name, e in models.items()}

    def means(low: Array) -> dict[str, float]:
        return {name: float(p[low].mean()) for name, p in precision.items()}

    below, near = means((GRID > 0.01) & (GRID < 0.1)), means((GRID >= 0.05) & (GRID <= 0.1))
    yield PAPER.cell("low precision", below[NB] < below[BN], why=_listed(below))
    yield PAPER.cell("high precision", near[TREE] == max(near.values()), why=_listed(near))
    others = np.maximum(precision[NB], precision[TREE])
    share = float(np.mean((precision[BN] >= others - TOLERANCE)[GRID > 0.1]))
    yield PAPER.cell("most precision", share >= 0.8, share=percent(share))
    apart = float(np.ptp(list(precision.values()), axis=0)[(GRID >= 0.7) & (GRID < 1)].max())
    yield PAPER.cell("similar precision", apart < 0.02, apart=apart)


def _lift(models: Models) -> Iterator[Cell]:
    for name, tpr in _true_positives(models).items():
        apart = float(np.abs(np.interp(GRID, *Lift.of(models[name].statistics).xy) - tpr).max())
        yield PAPER.cell("lift", apart < 0.06, name=name, apart=apart)


def _returns(models: Models) -> Iterator[Cell]:
    """Return of investment, a mail charged to those who don't answer (as the dollars of section 4.5 have it)."""
    roi = {name: ROI.of(e.statistics, tp=50, fp=-3) for name, e in models.items()}
    charged = {name: ROI.of(e.statistics, tp=47, fp=-3).best_profit for name, e in models.items()}
    yield PAPER.cell("earns most", max(roi, key=lambda name: roi[name].best_profit) == BN)
    yield PAPER.cell("highest profit", roi[BN].best_profit, charged=charged[BN])
    yield PAPER.cell("highest share", roi[BN].best_share, open=WIDE)
    plateau = roi[BN].profit[(roi[BN].contacted >= 0.2) & (roi[BN].contacted <= 0.45)]
    low, high = plateau.min(), plateau.max()
    yield PAPER.cell("plateau", low >= 3_450 and high <= 3_750, low=low, high=high)
    yield PAPER.cell("other share", roi[NB].best_share)
    yield PAPER.cell("similar profit", roi[NB].best_profit, charged=charged[NB])


def _bins(models: Models) -> dict[str, Attributes]:
    return {name: Attributes.of(e.statistics, grouping="width", bins=10) for name, e in models.items()}


def _reliability(models: Models) -> Iterator[Cell]:
    groups = _bins(models)
    for name, g in groups.items():
        many = (g.forecast > 0.1) & (g.share * CASES >= 10)
        over = float((g.observed < g.forecast)[many].mean()) if many.any() else math.nan
        yield PAPER.cell("overconfident", over >= 0.9, name=name, share=percent(over))
    rel = {name: e["REL"] for name, e in models.items()}
    yield PAPER.cell("reliable", rel[TREE] == min(rel.values()), why=_listed(rel))
    binned = {name: g.reliability for name, g in groups.items()}
    yield PAPER.cell("similar reliability", 0.5 < binned[NB] / binned[BN] < 2, binned=_listed(binned))
    ends = {n: float(g.share[(g.forecast < 0.1) | (g.forecast > 0.9)].sum()) for n, g in groups.items()}
    share = groups[NB].share
    yield PAPER.cell("U", share[[0, -1]].min() > share[1:-1].max(), ends=_listed(ends, percent))


def _skill(models: Models) -> Iterator[Cell]:
    """Attributes and discrimination."""
    score = {name: e["BS"] for name, e in models.items()}
    yield PAPER.cell("Brier", score[TREE] == min(score.values()), why=_listed(score))
    groups = _bins(models)
    for name in (NB, BN):
        outside = float((groups[name].contributions <= 0).mean())
        yield PAPER.cell("outside", outside >= 0.8, name=name, share=percent(outside))
    resolution = {name: g.resolution for name, g in groups.items()}
    best = resolution[TREE] == max(resolution.values())
    yield PAPER.cell("resolution", best, binned=_listed(resolution))
    for name, e in models.items():
        shared = Discrimination.of(e.statistics).drawn_overlap
        yield PAPER.cell("overlap", shared > 0.5, name=name, share=percent(shared), distance=e["DD"])


def _listed(values: dict[str, float], worded: Callable[[float], str] = number) -> str:
    return ", ".join(f"{name} {worded(value)}" for name, value in values.items())


def _learnt(models: Models) -> Iterator[Cell]:
    """What our own learners make of the data."""
    bayes, tree = models[OURS], models["C4.5"]
    ours: dict[str, Any] = {"place": ", our learners", "why": PAPER.notes["rules"]}
    yield PAPER.cell("ours cases", int(bayes.n))
    yield PAPER.cell("ours buyers", round(bayes["Prev"] * bayes.n))
    yield PAPER.cell("ours constant", tree["PredPos"] == 0, share=percent(tree["PredPos"]))
    yield PAPER.cell(f"error {NB}", 100 * bayes["EC"], of="", **ours)
    yield PAPER.cell(f"AUC {NB}", 100 * bayes["AUC"], **ours)
    roi = ROI.of(bayes.statistics, tp=50, fp=-3)
    yield PAPER.cell("ours share", roi.best_share)
    yield PAPER.cell("ours profit", roi.best_profit)
    yield PAPER.cell("ours best", _ends(_graph(models)).get(OURS, math.nan))


def _of_points(kind: Any) -> Callable[..., Diagram]:
    """Of the predictions, or of the counts that fit what is printed."""

    def made(tables: Mapping[str, Tables], predictions: Any = None) -> Diagram:
        models = stored(predictions) or _fitted()
        diagram: Diagram = kind.of_models({name: e.statistics for name, e in models.items()}, positive=1)
        return diagram

    return made


def _of_curves(kind: Any, **options: Any) -> Callable[..., Diagram | Several | None]:
    def made(tables: Mapping[str, Tables], predictions: Any = None) -> Diagram | Several | None:
        models = {name: e.statistics for name, e in stored(predictions).items()}
        if not models:
            return None
        several: Several = kind.of_models(models, **options)
        return side_by_side(several.members) if kind.apart == "always" else several

    return made


FIGURES = (
    *sketches.FIGURES,
    PaperFigure(11, "ROC graph of the three models (without predictions: of fitted counts)", _of_points(ROCGraph)),
    PaperFigure(12, "cost lines of the three models (without predictions: of fitted counts)", _of_points(CostLines)),
    *(
        PaperFigure(number, f"{words} of the three models", _of_curves(kind, **options), "predictions")
        for number, words, kind, options in (
            (13, "ROC curves", ROCCurve, {}),
            (14, "cost curves", CostCurve, {}),
            (15, "precision-recall curves", PrecisionRecall, {}),
            (16, "lift curves", Lift, {}),
            (17, "return on investment (50 per answer, 3 per mail that gets none)", ROI, {"tp": 50, "fp": -3}),
            (18, "reliability diagrams", Reliability, {"grouping": "width"}),
            (19, "attributes diagrams", Attributes, {"grouping": "width"}),
            (20, "discrimination diagrams", Discrimination, {}),
        )
    ),
)
