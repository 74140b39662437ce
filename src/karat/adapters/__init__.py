"""Where karat meets other libraries."""

from karat.adapters.estimator_evaluation import EstimatorComparison, EstimatorEvaluation, Fold
from karat.adapters.evaluate_estimators import compare_estimators, evaluate_estimator
from karat.adapters.sklearn import scorer

__all__ = [
    "EstimatorComparison",
    "EstimatorEvaluation",
    "Fold",
    "compare_estimators",
    "evaluate_estimator",
    "scorer",
]
