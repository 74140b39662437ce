"""Diagrams: numbers from a statistic that can be drawn. Importing this package declares them all."""

from karat.diagrams.confusion_matrices import ConfusionMatrix, ProbabilisticConfusionMatrix
from karat.diagrams.cost_space import BrierCurve, CostCurve
from karat.diagrams.critical_differences import CriticalDifferenceFigure
from karat.diagrams.diagram import Diagram, diagram, diagrams
from karat.diagrams.forecast_distributions import Discrimination
from karat.diagrams.information_diagrams import EntropyTriangle, InformationChain, SplitEntropyTriangle
from karat.diagrams.lift_curves import Lift, LiftByDecile
from karat.diagrams.measures_by_threshold import DET, DecisionCurve, ThresholdCurve
from karat.diagrams.precision_recall_curves import PrecisionRecall
from karat.diagrams.profit_curves import ROI
from karat.diagrams.reliability_diagrams import Attributes, Reliability
from karat.diagrams.roc_curves import ROCCurve
from karat.diagrams.roc_graphs import CostLines, ROCGraph
from karat.diagrams.selective_prediction import CoverageRisk
from karat.diagrams.several import Several
from karat.diagrams.study_figures import Dendrogram, Ranks, SensitivityFigure, WinLossEqualFigure

__all__ = [
    "DET", "ROI", "Attributes", "BrierCurve", "ConfusionMatrix", "CostCurve", "CostLines", "CoverageRisk",
    "CriticalDifferenceFigure", "DecisionCurve", "Dendrogram", "Diagram", "Discrimination", "EntropyTriangle",
    "InformationChain", "Lift", "LiftByDecile", "PrecisionRecall", "ProbabilisticConfusionMatrix", "ROCCurve",
    "ROCGraph", "Ranks", "Reliability", "SensitivityFigure", "Several", "SplitEntropyTriangle", "ThresholdCurve",
    "WinLossEqualFigure", "diagram", "diagrams",
]  # fmt: skip
