"""Diagrams: numbers from a statistic that can be drawn. Importing this package declares them all."""

from karat.diagrams.confusion_matrix import ConfusionMatrix, ProbabilisticConfusionMatrix
from karat.diagrams.cost_curve import BrierCurve, CostCurve
from karat.diagrams.coverage_risk import CoverageRisk
from karat.diagrams.critical_difference import CriticalDifferenceFigure
from karat.diagrams.diagram import Diagram, diagram, diagrams
from karat.diagrams.discrimination import Discrimination
from karat.diagrams.entropy_triangle import EntropyTriangle, InformationChain, SplitEntropyTriangle
from karat.diagrams.lift import Lift, LiftByDecile
from karat.diagrams.precision_recall import PrecisionRecall
from karat.diagrams.reliability import Attributes, Reliability
from karat.diagrams.roc_curve import ROCCurve
from karat.diagrams.roc_graph import CostLines, ROCGraph
from karat.diagrams.roi import ROI
from karat.diagrams.several import Several
from karat.diagrams.study_figures import Dendrogram, Ranks, SensitivityFigure, WinLossEqualFigure
from karat.diagrams.threshold_curve import DET, DecisionCurve, ThresholdCurve

__all__ = [
    "DET", "ROI", "Attributes", "BrierCurve", "ConfusionMatrix", "CostCurve", "CostLines", "CoverageRisk",
    "CriticalDifferenceFigure", "DecisionCurve", "Dendrogram", "Diagram", "Discrimination", "EntropyTriangle",
    "InformationChain", "Lift", "LiftByDecile", "PrecisionRecall", "ProbabilisticConfusionMatrix", "ROCCurve",
    "ROCGraph", "Ranks", "Reliability", "SensitivityFigure", "Several", "SplitEntropyTriangle", "ThresholdCurve",
    "WinLossEqualFigure", "diagram", "diagrams",
]  # fmt: skip
