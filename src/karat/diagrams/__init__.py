"""Diagrams: numbers from a statistic that can be drawn. Importing this package declares them all.

Each is a function, by its name or an alias of it, of labels and predictions, of an evaluation, or of several models:

>>> import karat.diagrams
>>> karat.diagrams.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
<roc_curve (positive: 1): area 0.750, hull area 0.875, 5 points>

It returns a record of the numbers (of several models or classes `Several` of them), which `.plot()` draws. The stub
beside this file tells editors the same; `python -m karat.diagrams.diagram_stub` writes it.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from karat.diagrams.calls import function_of
from karat.diagrams.confusion_matrices import ConfusionMatrix, ProbabilisticConfusionMatrix
from karat.diagrams.cost_space import BrierCurve, CostCurve
from karat.diagrams.course_charts import CourseChart
from karat.diagrams.critical_differences import CriticalDifferenceFigure
from karat.diagrams.diagram import Diagram, diagram, diagrams
from karat.diagrams.dots_by_group import GroupDots
from karat.diagrams.forecast_distributions import Discrimination
from karat.diagrams.gain_curves import PrecisionRecallGain
from karat.diagrams.information_diagrams import EntropyTriangle, InformationChain, SplitEntropyTriangle
from karat.diagrams.lift_curves import Lift, LiftByDecile
from karat.diagrams.matrix_spaces import AccuracyTriangle, MeasureScatter
from karat.diagrams.measures_by_threshold import DET, DecisionCurve, ThresholdCurve
from karat.diagrams.overview import Overview, panel_of, plot_of
from karat.diagrams.precision_recall_curves import PrecisionRecall
from karat.diagrams.profit_curves import ROI
from karat.diagrams.rate_driven_curves import RateDrivenCurve
from karat.diagrams.reliability_diagrams import Attributes, Reliability
from karat.diagrams.roc_curves import ROCCurve
from karat.diagrams.roc_graphs import CostLines, ROCGraph
from karat.diagrams.selective_prediction import CoverageRisk
from karat.diagrams.several import Several
from karat.diagrams.study_figures import Dendrogram, Ranks, SensitivityFigure, WinLossEqualFigure

__all__ = [
    "DET", "ROI", "AccuracyTriangle", "Attributes", "BrierCurve", "ConfusionMatrix", "CostCurve", "CostLines",
    "CourseChart", "CoverageRisk", "CriticalDifferenceFigure", "DecisionCurve", "Dendrogram", "Diagram",
    "Discrimination",
    "EntropyTriangle", "GroupDots", "InformationChain", "Lift", "LiftByDecile", "MeasureScatter", "Overview",
    "PrecisionRecall",
    "PrecisionRecallGain", "ProbabilisticConfusionMatrix", "ROCCurve", "ROCGraph", "Ranks", "RateDrivenCurve",
    "Reliability", "SensitivityFigure", "Several", "SplitEntropyTriangle", "ThresholdCurve", "WinLossEqualFigure",
    "diagram", "diagrams", "panel_of", "plot_of",
]  # fmt: skip

_function = cache(function_of)


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_"):
        raise AttributeError(f"module 'karat.diagrams' has no attribute {name!r}")
    if name in diagrams:
        return _function(diagrams[name])
    spoken = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Display")).lower()
    spoken = re.sub(r"^plot_|_(plot|chart|diagram|graph|display)$", "", spoken)
    if spoken in diagrams:
        raise AttributeError(f"karat.diagrams has no {name!r}; use karat.diagrams.{diagrams[spoken].name}.")
    near = diagrams.near(spoken) or diagrams.related(spoken)
    hint = f"Did you mean {' or '.join(near)}?" if near else "list(karat.catalogue.diagrams) has them all."
    raise AttributeError(f"karat.diagrams has no {name!r}. {hint}")


def __dir__() -> list[str]:
    return sorted({*globals(), *diagrams})
