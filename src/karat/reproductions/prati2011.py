"""Prati, Batista & Monard (2011): the dollars of section 4, operating ranges, the insurance example of section 7."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Study, Tables
from karat.core.surface import option
from karat.diagrams import ROI, Attributes, CostCurve, Discrimination, Lift, PrecisionRecall, ROCCurve, ROCGraph
from karat.evaluation import Evaluation, evaluate_matrix
from karat.measures.costs import expected_cost
from karat.reproductions.cell import Cell, truth
from karat.reproductions.tic_models import BN, NB, OURS, TREE, learnt, stored
from karat.statistics.roc_hull import ALWAYS, NEVER, probability_cost_at, slope_of

TITLE = "Prati, Batista & Monard 2011"
CASES, BUYERS = 4_000, 238
COUNTS = {TREE: (4, 8), BN: (83, 436), NB: (101, 720)}
"""(true positives, false positives) that explain all that is printed best: a check of consistency, not a record."""
ERRORS = {NB: 21.43, BN: 14.77, TREE: 6.05}
AREAS = {BN: 70.7, NB: 68.8, TREE: 65.5}
RANGES = ((NEVER, 0.11), (TREE, 0.25), (BN, 0.50), (NB, 0.58))
"""The best model, and the probability cost up to which it is."""
WEKA = "the paper used Weka 3.5.8; models of another version differ a little"
FITTED = "whole counts that fit all that is printed; not the models' own, which are not published"
TABLE_3 = "-3 belongs to mails that are not answered, and p(X) is in eq. (8) once too often"
SWAPPED = "the two costs are the wrong way round in eqs. (2), (4) and (5)"
ROOM = 0.01
"""How far apart "approximately" may be, for probability costs."""
WIDE = 0.05
"""The same for those that were read off a curve."""


def studies(*, share: float, seed: int) -> dict[str, Study]:
    """Nothing is drawn at random."""
    return {}


def cells(tables: Mapping[str, Tables], data: Any = None, predictions: Any = None) -> Iterator[Cell]:
    """What needs no data, then the example with the paper's models, then with ours."""
    models, ours = stored(predictions), learnt(data)
    yield from _dollars()
    yield from _slopes()
    yield from _counts()
    if set(ERRORS) <= set(models):
        yield from Example(models).cells()
    else:
        lacking = ", ".join(name for name in ERRORS if name not in models)
        for figure in range(11, 21):
            folder = f"name a folder of predictions files with {option('predictions')}"
            why = f"the paper publishes no predictions; {folder}; lacking: {lacking}"
            yield Cell(where=f"Section 7, Fig. {figure}", what="the models' graph", published="yes", ours=None, why=why)
    yield from _learnt(ours)


def _dollars() -> Iterator[Cell]:
    """Section 4.5, with the ROC points of the text on lift."""
    points = [("A", 0.10, 0.50, 96_500), ("B", 0.10, 0.28, 41_500), ("A", 0.40, 0.78, 81_000)]
    points += [("B", 0.40, 0.87, 103_500), ("A", 0.15, 0.65, 119_750)]
    profit = expected_cost.at(cost=[[0, 3], [0, -50]])
    literal = expected_cost.at(cost=[[0, 0], [0.05 * 3, 0.05 * -50]])
    for name, fpr, tpr, dollars in points:
        e = evaluate_matrix([[95_000 * (1 - fpr), 95_000 * fpr], [5_000 * (1 - tpr), 5_000 * tpr]])
        what = f"profit of {name} at fpr {fpr}, tpr {tpr}"
        fitted = "its ROC point is not in the text and was fitted" if dollars == 119_750 else ""
        yield Cell(
            where="Section 4.5",
            what=what,
            published=float(dollars),
            ours=-100_000 * e[profit],
            correction=TABLE_3,
            why=fitted,
        )
        if fpr == 0.10 and name == "A":
            as_printed = f"{what}, as printed"
            yield Cell(
                where="Section 4.5", what=as_printed, published=float(dollars), ours=-100_000 * e[literal], why=TABLE_3
            )


def _slopes() -> Iterator[Cell]:
    m = float(slope_of(6.5, 1.0, 0.5))
    where = "Sections 3 and 4.2"
    yield Cell(
        where=where,
        what="slope if a false positive costs 6.5 times as much",
        published=6.5,
        ours=m,
        digits=1,
        correction=SWAPPED,
    )
    yield Cell(where=where, what="the same slope as printed", published=6.5, ours=1 / m, digits=1, why=SWAPPED)
    for slope, pc, digits in ((6.5, 0.13, 2), (1.5, 0.4, 1)):
        ours = float(probability_cost_at(slope))
        yield Cell(where=where, what=f"PC of the slope {slope}", published=pc, ours=ours, digits=digits)


def _counts() -> Iterator[Cell]:
    """Section 7 from the counts that fit it: are its numbers consistent?"""
    tables = {n: evaluate_matrix(_table(tp, fp)) for n, (tp, fp) in COUNTS.items()}
    for name, percent in ERRORS.items():
        what = f"error rate of {name}, % (from fitted counts)"
        room = 0.005 if name == BN else 0.0  # 591 / 4000 is 14.775
        yield Cell(
            where="Section 7",
            what=what,
            published=percent,
            ours=100 * tables[name]["EC"],
            digits=2,
            open=room,
            correction=FITTED,
        )
    graph = ROCGraph.from_points({name: (e["FPR"], e["TPR"]) for name, e in tables.items()})
    yield from _ranges(graph, " (from fitted counts)", FITTED)


def _table(tp: int, fp: int) -> Array:
    return np.array([[CASES - BUYERS - fp, fp], [BUYERS - tp, tp]])


def _ranges(graph: Any, of: str, correction: str = "") -> Iterator[Cell]:
    where = "Section 7, Figs 11 and 12"
    every = not graph.never_optimal
    lost = f"on no hull: {', '.join(graph.never_optimal)}" if graph.never_optimal else ""
    yield Cell(
        where=where,
        what=f"the hull is formed by all points{of}",
        published="yes",
        ours=truth(every),
        correction=correction if every else "",
        why=lost,
    )
    ranges = graph.operating_ranges
    ends = dict(zip(ranges.columns["best"], ranges.columns["pc_to"], strict=True))
    for name, pc in RANGES:
        ours = float(ends.get(name, math.nan))
        yield Cell(
            where=where,
            what=f"PC up to which {name} is best{of}",
            published=pc,
            ours=ours,
            digits=2,
            open=ROOM,
            correction=correction,
            why=("" if name in ends else "it is best nowhere; ") + ("" if correction else WEKA),
        )


class Example:
    """Section 7 with predictions of the three models."""

    def __init__(self, models: dict[str, Evaluation]) -> None:
        self.models = models

    def yes(self, figure: str, what: str, holds: Any, why: str = "") -> Cell:
        """A statement of the text."""
        return Cell(where=f"Section 7, {figure}", what=what, published="yes", ours=truth(bool(holds)), why=why)

    def number(self, figure: str, what: str, published: float, ours: float, digits: int, **details: Any) -> Cell:
        """A number of the text."""
        return Cell(where=f"Section 7, {figure}", what=what, published=published, ours=ours, digits=digits, **details)

    def cells(self) -> Iterator[Cell]:
        """Figure by figure."""
        yield from self.decided()
        yield from self.ranked()
        yield from self.earned()
        yield from self.forecast()

    def decided(self) -> Iterator[Cell]:
        """Errors, ROC graph, cost lines."""
        for name, percent in ERRORS.items():
            rate = 100 * self.models[name]["EC"]
            yield self.number("text", f"error rate of {name}, %", percent, rate, 2, why=WEKA)
        rates = {name: (e["FPR"], e["TPR"]) for name, e in self.models.items()}
        least = min(rates, key=lambda name: rates[name])
        yield self.yes(
            "Fig. 11", "NBTree is the most conservative", least == TREE and rates[TREE] == min(rates.values())
        )
        yield from _ranges(ROCGraph.from_points(rates), "")

    def ranked(self) -> Iterator[Cell]:
        """ROC curves, cost curves, precision and recall, lift."""
        for name, area in AREAS.items():
            yield self.number("Fig. 13", f"AUC of {name}, %", area, 100 * self.models[name]["AUC"], 1, why=WEKA)
        x = np.linspace(0, 1, 1001)
        tpr = {name: np.interp(x, *ROCCurve.of(e.statistics).xy) for name, e in self.models.items()}
        for other in (NB, TREE):
            share = float((tpr[BN] >= tpr[other] - TOLERANCE).mean())
            words = f"at {share:.1%} of the false positive rates"
            what = f"the Bayesian network dominates {other} in almost the entire space"
            yield self.yes("Fig. 13", what, share >= 0.9, words)
        corner = (x > 0) & (x <= 0.05)
        what = "NBTree is slightly above it near the lower left corner"
        sought = "looked for at false positive rates up to .05"
        yield self.yes("Fig. 13", what, (tpr[TREE] > tpr[BN])[corner].any(), sought)
        middle = (x >= 0.4) & (x <= 0.6)
        best = x[(tpr[NB] > tpr[BN]) & (x > 0) & (x < 1)]
        words = f"it is between {best.min():.2f} and {best.max():.2f}" if len(best) else "nowhere"
        yield self.yes(
            "Fig. 13",
            "naive Bayes is above it near a false positive rate of .5",
            (tpr[NB] > tpr[BN])[middle].any(),
            words,
        )
        curves = {name: CostCurve.of(e.statistics) for name, e in self.models.items()}
        where = "Fig. 14"
        ends = [
            (NB, "negative", 0.25, 0),
            (NB, "positive", 0.7, 1),
            (TREE, "positive", 0.7, 1),
            (BN, "positive", 0.8, 1),
        ]
        for name, word, pc, side in ends:
            edge = "below" if side == 0 else "above"
            what = f"PC {edge} which {name} is no better than always {word}"
            yield self.number(
                where,
                what,
                pc,
                _visible(curves[name], side),
                2,
                open=WIDE,
                why="read where the curve is visibly (.005) below",
            )
        crossed = [c["pc"] for c in curves[BN].crossings(curves[NB])]
        words = "the curves cross at PC " + ", ".join(f"{pc:.2f}" for pc in crossed)
        near = any(abs(pc - 0.55) <= WIDE for pc in crossed)
        yield self.yes(where, "naive Bayes is cheaper than the Bayesian network only near PC .55", near, words)
        at = {name: PrecisionRecall.of(e.statistics).xy for name, e in self.models.items()}
        precision = {name: np.interp(x, *curve) for name, curve in at.items()}
        low, some, high = (x > 0.01) & (x < 0.1), (x >= 0.05) & (x <= 0.1), (x >= 0.7) & (x < 1)
        means = {name: float(p[low].mean()) for name, p in precision.items()}
        yield self.yes(
            "Fig. 15",
            "naive Bayes has low precision for recall below .1",
            means[NB] < means[BN],
            ", ".join(f"{n} {v:.2f}" for n, v in means.items()),
        )
        above = {name: float(p[some].mean()) for name, p in precision.items()}
        yield self.yes(
            "Fig. 15",
            "NBTree has the highest precision for recall near .05 to .1",
            above[TREE] == max(above.values()),
            ", ".join(f"{n} {v:.2f}" for n, v in above.items()),
        )
        most = np.mean(precision[BN][x > 0.1] >= np.maximum(precision[NB], precision[TREE])[x > 0.1] - TOLERANCE)
        yield self.yes(
            "Fig. 15",
            "the Bayesian network has the highest precision for almost all recall above .1",
            most >= 0.8,
            f"for {most:.0%}",
        )
        apart = max(float(np.ptp([p[i] for p in precision.values()])) for i in np.flatnonzero(high))
        yield self.yes(
            "Fig. 15", "precision is very similar for recall above .7", apart < 0.02, f"{apart:.3f} apart at most"
        )
        for name, e in self.models.items():
            gap = float(np.abs(np.interp(x, *Lift.of(e.statistics).xy) - tpr[name]).max())
            yield self.yes(
                "Fig. 16",
                f"the lift curve of {name} is very similar to its ROC curve",
                gap < 0.06,
                f"{gap:.3f} apart at most",
            )

    def earned(self) -> Iterator[Cell]:
        """Return of investment, a mail charged to those who don't answer (as the dollars of section 4.5 have it)."""
        where = "Fig. 17"
        roi = {name: ROI.of(e.statistics, tp=50, fp=-3) for name, e in self.models.items()}
        each = {name: ROI.of(e.statistics, tp=47, fp=-3).best_profit for name, e in self.models.items()}
        every = f"if every mail is charged: {each[BN]:,.0f}"
        best = max(roi, key=lambda name: roi[name].best_profit)
        yield self.yes(where, "the Bayesian network earns most", best == BN)
        yield self.number(
            where, "its highest profit, dollars", 3_700.0, roi[BN].best_profit, -2, why=f"{every}; {WEKA}"
        )
        yield self.number(
            where,
            "at this share of the customers",
            0.20,
            roi[BN].best_share,
            2,
            open=WIDE,
            why="a plateau: the place of its highest point means little",
        )
        contacted, profit = roi[BN].contacted, roi[BN].profit
        on = profit[(contacted >= 0.2) & (contacted <= 0.45)]
        words = f"{on.min():,.0f} to {on.max():,.0f}"
        yield self.yes(
            where, "a plateau of 3,500 to 3,700 between 20 and 45 %", on.min() >= 3_450 and on.max() <= 3_750, words
        )
        yield self.number(where, "the share at which naive Bayes earns its most", 0.50, roi[NB].best_share, 2)
        yield self.number(
            where,
            "which is a similar profit, dollars",
            3_700.0,
            roi[NB].best_profit,
            -2,
            why=f"if every mail is charged: {each[NB]:,.0f}",
        )

    def forecast(self) -> Iterator[Cell]:
        """Reliability, attributes and discrimination."""
        groups = {name: Attributes.of(e.statistics, grouping="width", bins=10) for name, e in self.models.items()}
        for name, g in groups.items():
            many = (g.forecast > 0.1) & (g.share * CASES >= 10)
            over = float((g.observed < g.forecast)[many].mean()) if many.any() else math.nan
            yield self.yes("Fig. 18", f"{name} is overconfident", over >= 0.9, f"in {over:.0%} of the bins above .1")
        rel = {name: e["REL"] for name, e in self.models.items()}
        words = ", ".join(f"{n} {v:.3f}" for n, v in rel.items())
        yield self.yes("Fig. 18", "NBTree is the most reliable", rel[TREE] == min(rel.values()), words)
        binned = ", ".join(f"{n} {g.reliability:.3f}" for n, g in groups.items())
        similar = 0.5 < groups[NB].reliability / groups[BN].reliability < 2
        yield self.yes(
            "Fig. 18",
            "naive Bayes and the Bayesian network have similar reliability",
            similar,
            f"in ten bins: {binned}",
        )
        ends = {n: float(g.share[(g.forecast < 0.1) | (g.forecast > 0.9)].sum()) for n, g in groups.items()}
        u = groups[NB].share[[0, -1]].min() > groups[NB].share[1:-1].max()
        words = "forecasts near 0 or 1: " + ", ".join(f"{n} {v:.0%}" for n, v in ends.items())
        yield self.yes("Fig. 18", "the forecasts of naive Bayes form a U: peaks near 0 and 1", u, words)
        score = {name: e["BS"] for name, e in self.models.items()}
        words = ", ".join(f"{n} {v:.3f}" for n, v in score.items())
        yield self.yes("Fig. 19", "NBTree has the lowest Brier score", score[TREE] == min(score.values()), words)
        for name in (NB, BN):
            outside = float((groups[name].contributions <= 0).mean())
            yield self.yes(
                "Fig. 19",
                f"{name} lies almost entirely outside the region of skill",
                outside >= 0.8,
                f"{outside:.0%} of its bins (the border has the slope 1/2, not 45 degrees)",
            )
        resolution = {name: g.resolution for name, g in groups.items()}
        yield self.yes(
            "Fig. 19",
            "NBTree has the better resolution",
            resolution[TREE] == max(resolution.values()),
            "in ten bins: " + ", ".join(f"{n} {v:.4f}" for n, v in resolution.items()),
        )
        for name, e in self.models.items():
            d = Discrimination.of(e.statistics)
            shared = d.drawn_overlap
            yield self.yes(
                "Fig. 20",
                f"the two classes overlap widely in the graph of {name}",
                shared > 0.5,
                f"{shared:.0%} in ten bins, distance of means {e['DD']:.3f}",
            )


def _visible(curve: Any, side: int) -> float:
    """The first (or last) probability cost at which a cost curve lies visibly below the trivial classifiers."""
    pc = np.linspace(0, 1, 2001)
    below = np.minimum(pc, 1 - pc) - np.interp(pc, *curve.xy) > 0.005
    return float(pc[below][0 if side == 0 else -1]) if below.any() else math.nan


def _learnt(models: dict[str, Evaluation]) -> Iterator[Cell]:
    """What our own learners make of the data."""
    if not models:
        folder = f"name the folder that holds tic_train and tic_test with {option('data')} or KARAT_DATA"
        why = f"the data set was not found; {folder}"
        yield Cell(where="Section 7", what="the data set with our learners", published="yes", ours=None, why=why)
        return
    bayes, tree = models[OURS], models["C4.5"]
    where = "Section 7, our learners"
    yield Cell(where=where, what="test cases", published=CASES, ours=int(bayes.n))
    yield Cell(where=where, what="of these buyers", published=BUYERS, ours=round(bayes["Prev"] * bayes.n))
    constant = tree["PredPos"] == 0
    yield Cell(
        where=where,
        what="a decision tree by default always predicts the negative class",
        published="yes",
        ours=truth(constant),
        why=f"C4.5 says positive to {tree['PredPos']:.2%}",
    )
    ours = "naive Bayes by Weka 3.6's rules; the paper used 3.5.8"
    yield Cell(
        where=where, what=f"error rate of {NB}, %", published=ERRORS[NB], ours=100 * bayes["EC"], digits=2, why=ours
    )
    yield Cell(where=where, what=f"AUC of {NB}, %", published=AREAS[NB], ours=100 * bayes["AUC"], digits=1, why=ours)
    roi = ROI.of(bayes.statistics, tp=50, fp=-3)
    share, profit = f"share of customers at which {NB} earns its most", f"which is about the highest profit of {NB}"
    yield Cell(where=where, what=share, published=0.50, ours=roi.best_share, digits=2, why=ours)
    yield Cell(where=where, what=profit, published=3_700.0, ours=roi.best_profit, digits=-2, why=ours)
    graph = ROCGraph.from_points({name: (e["FPR"], e["TPR"]) for name, e in models.items()})
    ranges = graph.operating_ranges
    ends = dict(zip(ranges.columns["best"], ranges.columns["pc_to"], strict=True))
    beyond = f"PC up to which {NB} is best before {ALWAYS}"
    alone = "with C4.5 and no other model beside it"
    yield Cell(where=where, what=beyond, published=0.58, ours=float(ends.get(OURS, math.nan)), digits=2, why=alone)
