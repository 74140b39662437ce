"""Which tool for which task: the guidelines of the literature as data. `karat.advise` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from karat.core.measure import CALIBRATION, FREQUENCIES, MONOTONE, RANKING, THRESHOLD, Invariance, Trait


class Predicted(StrEnum):
    """What a model says about a case."""

    CLASSES = "classes"
    RANKINGS = "rankings"
    PROBABILITIES = "probabilities"


@dataclass(frozen=True)
class Guideline:
    """For an objective, a diagram."""

    predicted: Predicted
    objective: str
    tool: str
    cite: str
    two_classes: bool = True
    """is it about two classes (of more: one class against the rest)?"""
    costs: bool = False
    """is it about costs or returns?"""


CLASSES, RANKINGS, PROBABILITIES = Predicted
# fmt: off
PRATI = (
    Guideline(CLASSES, "compare classifiers class by class, whatever class frequencies and costs are",
              "roc_graph", "prati2011"),
    Guideline(CLASSES, "relate the error rate or expected cost to every combination of class frequency and costs",
              "cost_lines", "prati2011", costs=True),
    Guideline(RANKINGS, "see how well positive cases are ranked before negative ones, whatever costs and frequencies",
              "roc_curve", "prati2011"),
    Guideline(RANKINGS, "see the error rate or expected cost of every classifier that thresholds can give",
              "cost_curve", "prati2011", costs=True),
    Guideline(RANKINGS, "see how well the top of the ranking is filled with positive cases",
              "precision_recall", "prati2011"),
    Guideline(RANKINGS, "see how many positive cases following the ranking finds, against a random sample",
              "lift", "prati2011"),
    Guideline(RANKINGS, "estimate the return of spending a fixed amount on each of the cases ranked highest",
              "roi", "prati2011", costs=True),
    Guideline(PROBABILITIES, "see whether probabilities are calibrated",
              "reliability", "prati2011"),
    Guideline(PROBABILITIES, "find the probabilities that do worse than a constant one",
              "attributes", "prati2011"),
    Guideline(PROBABILITIES, "see how far the probabilities tell the classes apart",
              "discrimination", "prati2011"),
)
"""Prati, Batista & Monard 2011, Table 1: predicted variable, objective, tool."""

OTHERS = (
    Guideline(CLASSES, "see which classes are taken for which", "confusion_matrix", "valverde2014", two_classes=False),
    Guideline(CLASSES, "tell information from imbalance: is accuracy earned or given by the class frequencies?",
              "entropy_triangle", "valverde2014", two_classes=False),
    Guideline(RANKINGS, "choose a threshold", "threshold_curve", "elkan2001", costs=True),
    Guideline(PROBABILITIES, "see at which thresholds deciding by the model beats treating all or none",
              "decision_curve", "vickers2006", costs=True),
)
"""Tools that Table 1 does not have."""
# fmt: on


@dataclass(frozen=True)
class Goal:
    """What predictions are for: which measures answer, in the order in which they are advised."""

    name: str
    meaning: str
    predicted: Predicted
    traits: frozenset[Trait]
    """each of its measures must be influenced by these"""
    invariant: frozenset[Invariance]
    """... and be left alone by these"""
    two: tuple[str, ...]
    """symbols, for two classes"""
    more: tuple[str, ...]
    """symbols, for more"""
    tools: tuple[str, ...] = ()
    """diagrams that serve it first"""
    aliases: tuple[str, ...] = ()


GOALS = (
    Goal(
        "classify",
        "each case is given one class, and that is acted upon",
        CLASSES,
        frozenset({THRESHOLD}),
        frozenset(),
        ("MCC", "MAvA", "EMA", "KapS", "Acc"),
        ("MCC", "EMA", "MAvA", "CEN", "KapS", "Acc"),
        aliases=("decide", "classes"),
    ),
    Goal(
        "rank",
        "cases are put in order, and how they are cut is decided later",
        RANKINGS,
        frozenset({RANKING}),
        frozenset({MONOTONE}),
        ("AUC", "H", "AP"),
        ("AU1U", "AUNU", "AU1P"),
        tools=("roc_curve",),
        aliases=("order", "sort", "rankings"),
    ),
    Goal(
        "probability",
        "the probabilities themselves are used",
        PROBABILITIES,
        frozenset({CALIBRATION}),
        frozenset(),
        ("LogL", "MSE", "MCB", "CalB"),
        ("LogL", "MSE", "cwECE", "CalB"),
        tools=("reliability",),
        aliases=("probabilities", "estimate", "forecast"),
    ),
    Goal(
        "contact",
        "the cases ranked highest are contacted or treated, as many as the budget allows",
        RANKINGS,
        frozenset({RANKING}),
        frozenset({MONOTONE}),
        ("AP", "partAUC", "AUPRC"),
        ("AU1U", "AUNU"),
        tools=("lift", "precision_recall", "roi"),
        aliases=("contact fraction", "target", "retrieve"),
    ),
)


@dataclass(frozen=True)
class Circumstance:
    """Something about a task that speaks for some measures and against others."""

    name: str
    meaning: str
    why: str
    """for what is preferred"""
    cite: str
    why_not: str = ""
    """against what is to be avoided"""
    prefer: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    without: frozenset[Trait] = frozenset()
    """measures with these traits are left out"""
    tools: tuple[str, ...] = ()


_QUALITATIVE = ("Acc", "KapS", "MFM", "MAvA", "MAvG")
_AREAS = ("AUNU", "AUNP", "AU1U", "AU1P")
CIRCUMSTANCES = (
    Circumstance(
        "label noise",
        "labels of the test data may be wrong, or drift",
        "with wrong labels, measures of decisions choose the better model most often",
        "ferri2009",
        "with wrong labels it chooses the better model least often",
        prefer=("Acc", "KapS"),
        avoid=("LogL",),
    ),
    Circumstance(
        "distorted probabilities",
        "probabilities are noisy: a weak learner, or little training data",
        "with noisy probabilities it chooses the worse model half as often as measures of decisions do",
        "ferri2009",
        "with noisy probabilities it chooses the worse model twice as often as measures of ranking do",
        prefer=("MSE", "AU1U"),
        avoid=_QUALITATIVE,
    ),
    Circumstance(
        "few cases of a class",
        "a class has very few cases",
        "each class counts by its frequency, so that one judged badly from few cases does little harm",
        "ferri2009",
        "each class, or pair of classes, counts the same, so that it hangs on the few cases of the smallest",
        prefer=("KapS", "AUNP", "LogL", "MSE"),  # they write of two classes, where AUNP is the AUC; of more it is not
        avoid=("AUC", "AUNU", "AU1U", "SAUC", "PAUC", "MAPR", "MAvA", "MAvG"),
    ),
    Circumstance(
        "imbalanced",
        "some classes are much more frequent than others",
        "always naming the same class gets what knowing nothing gets (MCC 0, NIT 1/k), however frequent that class is",
        "valverde2014",
        "always naming the most frequent class gets a good value and is useless",
        prefer=("MCC", "NIT"),
        avoid=("Acc", "EMA", "CEN"),  # EMA of any constant answer is 2^-H_X, which is .95 at 99 : 1
        tools=("entropy_triangle",),
    ),
    Circumstance(
        "rare positive",
        "the positive class is very rare",
        "with a rare class few false alarms per negative case are many per positive one",
        "saito2015",
        prefer=("AP",),
        tools=("precision_recall",),
    ),
    Circumstance(
        "frequencies change",
        "in use the classes will have other frequencies than in the data",
        "its value does not depend on the frequencies of the classes",
        "ferri2009",
        "it depends on the frequencies of the classes; restate it first (e.at_prevalence)",
        prefer=("MAvA", "AU1U", "rpCEN"),
        without=frozenset({FREQUENCIES}),
    ),
    Circumstance(
        "costs known",
        "what each error costs is known",
        "the expected cost is then the measure: decide and compare by it (e.operating)",
        "elkan2001",
        prefer=("EC",),
        tools=("cost_curve", "threshold_curve", "roi"),
    ),
    Circumstance(
        "costs unknown",
        "what errors cost is not known, or will change",
        "it shows, or averages over, all costs that may come (karat.dominance says which model is best where)",
        "prati2011",
        prefer=("H",),
        tools=("cost_curve",),
    ),
)
"""Ferri, Hernandez-Orallo & Modroiu 2009, section 6, and others. Their remarks on CalL and LogL under strong noise
(section 6.2) are left out: simulation gives the opposite."""

INTERCHANGEABLE = _AREAS
"""Variants of the AUC: not significantly different in use (Ferri et al. 2009, section 7). One of them is enough; of two
classes they are the AUC itself."""
