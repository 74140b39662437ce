"""Which tool for which task: the guidelines of the literature as data, most of it in the CSV files of this folder.
`karat.advise` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from karat.core.measure import CALIBRATION, MONOTONE, RANKING, THRESHOLD, Invariance, Trait
from karat.core.table import packaged_rows


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
    two_classes: bool
    """is it about two classes (of more: one class against the rest)?"""
    costs: bool
    """is it about costs or returns?"""


CLASSES, RANKINGS, PROBABILITIES = Predicted
GUIDELINES = tuple(
    Guideline(
        Predicted(row["predicted"]), row["objective"], row["tool"], row["cite"],
        two_classes=row["two_classes"] == "yes", costs=row["costs"] == "yes",
    )
    for row in packaged_rows(__package__, "guidelines")
)  # fmt: skip
"""Prati, Batista & Monard 2011, Table 1 (predicted variable, objective, tool), and tools that it does not have."""


@dataclass(frozen=True)
class Goal:
    """What predictions are for: which measures answer, in the order in which they are advised."""

    name: str
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
        CLASSES,
        frozenset({THRESHOLD}),
        frozenset(),
        ("MCC", "MAvA", "EMA", "KapS", "Acc"),
        ("MCC", "EMA", "MAvA", "CEN", "KapS", "Acc"),
        aliases=("decide", "classes"),
    ),
    Goal(
        "rank",
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
        PROBABILITIES,
        frozenset({CALIBRATION}),
        frozenset(),
        ("LogLoss", "MSE", "MCB", "CalB"),
        ("LogLoss", "MSE", "cwECE", "CalB"),
        tools=("reliability",),
        aliases=("probabilities", "estimate", "forecast"),
    ),
    Goal(
        "contact",
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
    why_not: str
    """against what is to be avoided"""
    prefer: tuple[str, ...]
    avoid: tuple[str, ...]
    without: frozenset[Trait]
    """measures with these traits are left out"""
    tools: tuple[str, ...]

    @classmethod
    def of(cls, row: dict[str, str]) -> Circumstance:
        """From a row of the file."""
        words = {name: row[name] for name in ("name", "meaning", "why", "cite", "why_not")}
        prefer, avoid, without, tools = (tuple(row[name].split()) for name in ("prefer", "avoid", "without", "tools"))
        traits = frozenset(Trait[name] for name in without)
        return cls(**words, prefer=prefer, avoid=avoid, without=traits, tools=tools)


CIRCUMSTANCES = tuple(map(Circumstance.of, packaged_rows(__package__, "circumstances")))
"""Ferri, Hernandez-Orallo & Modroiu 2009, section 6, and others. Their remarks on CalL and LogL under strong noise
(section 6.2) are left out: simulation gives the opposite."""

INTERCHANGEABLE = ("AUNU", "AUNP", "AU1U", "AU1P")
"""Variants of the AUC: not significantly different in use (Ferri et al. 2009, section 7). One of them is enough; of two
classes they are the AUC itself."""
