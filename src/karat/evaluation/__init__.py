"""The evaluation of one model: `karat.evaluate` and what it returns."""

from karat.evaluation.entrance import (
    evaluate,
    evaluate_matrix,
    evaluations_in_one_order,
    identified,
    refuse_restated,
    value_from_predictions,
)
from karat.evaluation.evaluation import Evaluation

__all__ = [
    "Evaluation",
    "evaluate",
    "evaluate_matrix",
    "evaluations_in_one_order",
    "identified",
    "refuse_restated",
    "value_from_predictions",
]
