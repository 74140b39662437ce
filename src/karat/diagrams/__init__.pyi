"""What editors know of `karat.diagrams`; `python -m karat.diagrams.diagram_stub` writes it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from karat.diagrams.confusion_matrices import ConfusionMatrix as ConfusionMatrix
from karat.diagrams.confusion_matrices import ProbabilisticConfusionMatrix as ProbabilisticConfusionMatrix
from karat.diagrams.cost_space import BrierCurve as BrierCurve
from karat.diagrams.cost_space import CostCurve as CostCurve
from karat.diagrams.course_charts import CourseChart as CourseChart
from karat.diagrams.critical_differences import CriticalDifferenceFigure as CriticalDifferenceFigure
from karat.diagrams.diagram import Diagram as Diagram
from karat.diagrams.diagram import diagram as diagram
from karat.diagrams.diagram import diagrams as diagrams
from karat.diagrams.dots_by_group import GroupDots as GroupDots
from karat.diagrams.forecast_distributions import Discrimination as Discrimination
from karat.diagrams.gain_curves import PrecisionRecallGain as PrecisionRecallGain
from karat.diagrams.information_diagrams import EntropyTriangle as EntropyTriangle
from karat.diagrams.information_diagrams import InformationChain as InformationChain
from karat.diagrams.information_diagrams import SplitEntropyTriangle as SplitEntropyTriangle
from karat.diagrams.lift_curves import Lift as Lift
from karat.diagrams.lift_curves import LiftByDecile as LiftByDecile
from karat.diagrams.matrix_spaces import AccuracyTriangle as AccuracyTriangle
from karat.diagrams.matrix_spaces import MeasureScatter as MeasureScatter
from karat.diagrams.measures_by_threshold import DET as DET
from karat.diagrams.measures_by_threshold import DecisionCurve as DecisionCurve
from karat.diagrams.measures_by_threshold import ThresholdCurve as ThresholdCurve
from karat.diagrams.overview import Overview as Overview
from karat.diagrams.overview import panel_of as panel_of
from karat.diagrams.overview import plot_of as plot_of
from karat.diagrams.precision_recall_curves import PrecisionRecall as PrecisionRecall
from karat.diagrams.profit_curves import ROI as ROI
from karat.diagrams.rate_driven_curves import RateDrivenCurve as RateDrivenCurve
from karat.diagrams.reliability_diagrams import Attributes as Attributes
from karat.diagrams.reliability_diagrams import Reliability as Reliability
from karat.diagrams.roc_curves import ROCCurve as ROCCurve
from karat.diagrams.roc_graphs import CostLines as CostLines
from karat.diagrams.roc_graphs import ROCGraph as ROCGraph
from karat.diagrams.selective_prediction import CoverageRisk as CoverageRisk
from karat.diagrams.several import Several as Several
from karat.diagrams.study_figures import Dendrogram as Dendrogram
from karat.diagrams.study_figures import Ranks as Ranks
from karat.diagrams.study_figures import SensitivityFigure as SensitivityFigure
from karat.diagrams.study_figures import WinLossEqualFigure as WinLossEqualFigure

@overload
def confusion_matrix(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Which classes are confused with which?"""

@overload
def confusion_matrix(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Which classes are confused with which?"""

@overload
def confusion_matrix(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ConfusionMatrix:
    """Which classes are confused with which?"""

@overload
def probabilistic_confusion_matrix(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How is the predicted probability of the cases of each class spread over all classes?"""

@overload
def probabilistic_confusion_matrix(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How is the predicted probability of the cases of each class spread over all classes?"""

@overload
def probabilistic_confusion_matrix(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    view: str = "counts",
    order: str = "given",
    top: int | None = None,
    class_names: Sequence[Any] | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ProbabilisticConfusionMatrix:
    """How is the predicted probability of the cases of each class spread over all classes?"""

@overload
def roc_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    threshold: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    fpr_range: Any = None,
    tpr_range: Any = None,
    interval: float | bool | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found at each false positive rate, over all thresholds?"""

@overload
def roc_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    threshold: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    fpr_range: Any = None,
    tpr_range: Any = None,
    interval: float | bool | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found at each false positive rate, over all thresholds?"""

@overload
def roc_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    threshold: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    fpr_range: Any = None,
    tpr_range: Any = None,
    interval: float | bool | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found at each false positive rate, over all thresholds?"""

@overload
def roc_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    threshold: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    fpr_range: Any = None,
    tpr_range: Any = None,
    interval: float | bool | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ROCCurve:
    """What share of the positives is found at each false positive rate, over all thresholds?"""

@overload
def cost_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the lowest expected cost of any threshold, for all costs and class frequencies?"""

@overload
def cost_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the lowest expected cost of any threshold, for all costs and class frequencies?"""

@overload
def cost_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the lowest expected cost of any threshold, for all costs and class frequencies?"""

@overload
def cost_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CostCurve:
    """What is the lowest expected cost of any threshold, for all costs and class frequencies?"""

@overload
def brier_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion itself is the threshold?"""

@overload
def brier_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion itself is the threshold?"""

@overload
def brier_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion itself is the threshold?"""

@overload
def brier_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> BrierCurve:
    """What is the expected cost if the cost proportion itself is the threshold?"""

def course(
    table: Any,
    *,
    changed: str = "",
    axis: str = "value",
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CourseChart:
    """How does a measure run over time, and when is it beyond its limits?"""

def critical_difference(
    table: Any,
    *,
    critical_difference: float | None = None,
    measure: str | None = None,
    lower_is_better: bool | None = None,
    level: float = 0.95,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CriticalDifferenceFigure:
    """Which models have significantly different average ranks over many data sets?"""

def group_dots(
    table: Any,
    *,
    overall: float | None = None,
    axis: str = "value",
    few: int = 30,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> GroupDots:
    """What is a measure worth in each group of the cases, and how surely?"""

@overload
def discrimination(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    shape: str = "histogram",
    bins: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How well do the predicted probabilities separate the class from the rest?"""

@overload
def discrimination(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    shape: str = "histogram",
    bins: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How well do the predicted probabilities separate the class from the rest?"""

@overload
def discrimination(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    shape: str = "histogram",
    bins: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How well do the predicted probabilities separate the class from the rest?"""

@overload
def discrimination(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    shape: str = "histogram",
    bins: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Discrimination:
    """How well do the predicted probabilities separate the class from the rest?"""

@overload
def precision_recall_gain(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off, each measured against always predicting the class?"""

@overload
def precision_recall_gain(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off, each measured against always predicting the class?"""

@overload
def precision_recall_gain(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off, each measured against always predicting the class?"""

@overload
def precision_recall_gain(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> PrecisionRecallGain:
    """How do precision and recall trade off, each measured against always predicting the class?"""

@overload
def entropy_triangle(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    colour: str = "EMA",
    cloud: int = 0,
    prior: Any = None,
    seed: int = 0,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> EntropyTriangle:
    """How much of the possible information do the predictions carry, and how much is lost to errors or to imbalance?"""

@overload
def entropy_triangle(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    colour: str = "EMA",
    cloud: int = 0,
    prior: Any = None,
    seed: int = 0,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> EntropyTriangle:
    """How much of the possible information do the predictions carry, and how much is lost to errors or to imbalance?"""

@overload
def split_entropy_triangle(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    colour: str = "EMA",
    cloud: int = 0,
    prior: Any = None,
    seed: int = 0,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> SplitEntropyTriangle:
    """How much information do true and predicted labels share, each judged by its own balance?"""

@overload
def split_entropy_triangle(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    colour: str = "EMA",
    cloud: int = 0,
    prior: Any = None,
    seed: int = 0,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> SplitEntropyTriangle:
    """How much information do true and predicted labels share, each judged by its own balance?"""

@overload
def information_chain(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How much of the entropy of the labels do the predictions explain? In bits, and as perplexities."""

@overload
def information_chain(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How much of the entropy of the labels do the predictions explain? In bits, and as perplexities."""

@overload
def information_chain(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> InformationChain:
    """How much of the entropy of the labels do the predictions explain? In bits, and as perplexities."""

@overload
def lift(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    parts: int = 10,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found in the top-ranked share of all cases?"""

@overload
def lift(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    prevalence: float | None = None,
    parts: int = 10,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found in the top-ranked share of all cases?"""

@overload
def lift(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    prevalence: float | None = None,
    parts: int = 10,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What share of the positives is found in the top-ranked share of all cases?"""

@overload
def lift(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    parts: int = 10,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Lift:
    """What share of the positives is found in the top-ranked share of all cases?"""

@overload
def lift_by_decile(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    parts: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How many times more positives than a random choice does each decile of the ranking hold?"""

@overload
def lift_by_decile(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    prevalence: float | None = None,
    parts: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How many times more positives than a random choice does each decile of the ranking hold?"""

@overload
def lift_by_decile(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    prevalence: float | None = None,
    parts: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How many times more positives than a random choice does each decile of the ranking hold?"""

@overload
def lift_by_decile(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    parts: int = 10,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> LiftByDecile:
    """How many times more positives than a random choice does each decile of the ranking hold?"""

def accuracy_triangle(
    table: Any,
    *,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> AccuracyTriangle:
    """Where in the entropy triangle are confusion matrices of the same accuracy?"""

def measure_scatter(
    table: Any,
    *,
    x: str = "",
    y: str = "",
    colour: str = "",
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> MeasureScatter:
    """What do two measures say of the same models or confusion matrices?"""

@overload
def threshold_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    measures: Any = ("TPR", "PPV", "F1", "MCC"),
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do measures of predicted labels depend on the threshold?"""

@overload
def threshold_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    measures: Any = ("TPR", "PPV", "F1", "MCC"),
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do measures of predicted labels depend on the threshold?"""

@overload
def threshold_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    measures: Any = ("TPR", "PPV", "F1", "MCC"),
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do measures of predicted labels depend on the threshold?"""

@overload
def threshold_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    measures: Any = ("TPR", "PPV", "F1", "MCC"),
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ThresholdCurve:
    """How do measures of predicted labels depend on the threshold?"""

@overload
def decision_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    points: int = 1001,
    prevalence: float | None = None,
    threshold_range: Any = None,
    smooth: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the net benefit of acting on the predictions, at each threshold probability?"""

@overload
def decision_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    points: int = 1001,
    prevalence: float | None = None,
    threshold_range: Any = None,
    smooth: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the net benefit of acting on the predictions, at each threshold probability?"""

@overload
def decision_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    points: int = 1001,
    prevalence: float | None = None,
    threshold_range: Any = None,
    smooth: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the net benefit of acting on the predictions, at each threshold probability?"""

@overload
def decision_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    points: int = 1001,
    prevalence: float | None = None,
    threshold_range: Any = None,
    smooth: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> DecisionCurve:
    """What is the net benefit of acting on the predictions, at each threshold probability?"""

@overload
def det(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do the two error rates trade off, on axes where normal scores give a straight line?"""

@overload
def det(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do the two error rates trade off, on axes where normal scores give a straight line?"""

@overload
def det(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do the two error rates trade off, on axes where normal scores give a straight line?"""

@overload
def det(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> DET:
    """How do the two error rates trade off, on axes where normal scores give a straight line?"""

@overload
def precision_recall(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off over all thresholds?"""

@overload
def precision_recall(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off over all thresholds?"""

@overload
def precision_recall(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How do precision and recall trade off over all thresholds?"""

@overload
def precision_recall(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> PrecisionRecall:
    """How do precision and recall trade off over all thresholds?"""

@overload
def roi(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    tp: float = 1.0,
    fp: float = -1.0,
    fn: float = 0.0,
    tn: float = 0.0,
    cases: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the total profit of acting on the top-ranked share of all cases?"""

@overload
def roi(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    tp: float = 1.0,
    fp: float = -1.0,
    fn: float = 0.0,
    tn: float = 0.0,
    cases: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the total profit of acting on the top-ranked share of all cases?"""

@overload
def roi(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    tp: float = 1.0,
    fp: float = -1.0,
    fn: float = 0.0,
    tn: float = 0.0,
    cases: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the total profit of acting on the top-ranked share of all cases?"""

@overload
def roi(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    tp: float = 1.0,
    fp: float = -1.0,
    fn: float = 0.0,
    tn: float = 0.0,
    cases: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ROI:
    """What is the total profit of acting on the top-ranked share of all cases?"""

@overload
def rate_driven_curve(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion sets how many cases are predicted positive?"""

@overload
def rate_driven_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    averages: Any = ("macro",),
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion sets how many cases are predicted positive?"""

@overload
def rate_driven_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    spread: float | None = 1.0,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """What is the expected cost if the cost proportion sets how many cases are predicted positive?"""

@overload
def rate_driven_curve(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    prevalence: float | None = None,
    band: float | None = None,
    simultaneous: bool = False,
    replicates: int = 1000,
    seed: int = 0,
    groups: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> RateDrivenCurve:
    """What is the expected cost if the cost proportion sets how many cases are predicted positive?"""

@overload
def reliability(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Are the predicted probabilities calibrated: how often does the class occur where they are alike?"""

@overload
def reliability(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Are the predicted probabilities calibrated: how often does the class occur where they are alike?"""

@overload
def reliability(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Are the predicted probabilities calibrated: how often does the class occur where they are alike?"""

@overload
def reliability(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Reliability:
    """Are the predicted probabilities calibrated: how often does the class occur where they are alike?"""

@overload
def attributes(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Which predicted probabilities add to the Brier skill score, and which lower it?"""

@overload
def attributes(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_class: Literal[True],
    classes: Any = (),
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Which predicted probabilities add to the Brier skill score, and which lower it?"""

@overload
def attributes(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """Which predicted probabilities add to the Brier skill score, and which lower it?"""

@overload
def attributes(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    grouping: str | None = None,
    bins: int | None = None,
    band: float | None = None,
    replicates: int = 500,
    seed: int = 0,
    interval: float | bool | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Attributes:
    """Which predicted probabilities add to the Brier skill score, and which lower it?"""

@overload
def roc_graph(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ROCGraph:
    """Which recall and false positive rate do the predictions reach, and which models are never optimal?"""

@overload
def roc_graph(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> ROCGraph:
    """Which recall and false positive rate do the predictions reach, and which models are never optimal?"""

@overload
def cost_lines(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CostLines:
    """What does each model cost for all costs and class frequencies, and which is cheapest where?"""

@overload
def cost_lines(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CostLines:
    """What does each model cost for all costs and class frequencies, and which is cheapest where?"""

@overload
def coverage_risk(
    models: Mapping[str, Any],
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How does the error rate fall if the least confident predictions are withheld?"""

@overload
def coverage_risk(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    each_fold: Literal[True],
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Several:
    """How does the error rate fall if the least confident predictions are withheld?"""

@overload
def coverage_risk(
    y_true: Any,
    y_proba: Any = None,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    normalise: bool = False,
    columns: Any = None,
    reject: Any = None,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> CoverageRisk:
    """How does the error rate fall if the least confident predictions are withheld?"""

def dendrogram(
    table: Any,
    *,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Dendrogram:
    """Which measures are correlated? Joined where their mean correlation is one less the distance."""

def win_loss_equal(
    table: Any,
    *,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> WinLossEqualFigure:
    """How often does choosing by one measure beat choosing by another? A bar from -loss to +win."""

def ranks(
    table: Any,
    *,
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> Ranks:
    """How does each measure (or model) rank, on average and over the data sets?"""

def sensitivity(
    table: Any,
    *,
    axis: str = "Noise (%)",
    name: str = "",
    ax: Any = None,
    **style: Any,
) -> SensitivityFigure:
    """How often does each measure choose the worse of two models, the more noise there is?"""
