"""What can stand for a model: its evaluation, its statistics, its predictions or its confusion matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.data import Matrix, Predictions
from karat.statistics import Summary


def summary_of(model: Any) -> Summary:
    """The statistics of a model."""
    found = getattr(model, "statistics", model)
    if isinstance(found, Predictions | Matrix):
        return Summary(found)
    if not isinstance(found, Summary):
        raise InputError(
            f"a model was given as {type(model).__name__}; give what karat.evaluate or karat.evaluate_matrix returns."
        )
    return found


def summaries_of(models: Any) -> dict[str, Summary]:
    """Name to statistics, of models about the same classes."""
    if not isinstance(models, Mapping) or not models:
        raise InputError(f"models is {type(models).__name__}; give a dictionary from names to evaluations, not empty.")
    found = {str(name): summary_of(model) for name, model in models.items()}
    (first, one), *others = found.items()
    for name, other in others:
        if other.source.classes != one.source.classes:
            raise InputError(
                f"{first} and {name} are about the classes {list(one.source.classes)} and "
                f"{list(other.source.classes)}; compare models of the same classes in the same order (labels=)."
            )
    return found


def positive_of(summary: Summary) -> int:
    """The place of the positive of two classes."""
    source = summary.source
    if len(source.classes) != 2:
        raise InputError(
            f"there are {len(source.classes)} classes; thresholds and ROC points are of two (merge the others first)."
        )
    if source.positive is None:
        raise InputError(
            f"which of {list(source.classes)} is positive was not said (only 0 and 1 speak for themselves); say "
            "positive=."
        )
    return source.positive


def same_cases(summaries: Mapping[str, Summary]) -> bool:
    """Are all models about the same cases, case by case? Two sets of predictions with other truths or other weights are
    an error; a bare matrix does not say which cases are whose."""
    cases = {name: s.source for name, s in summaries.items() if isinstance(s.source, Predictions)}
    if not cases:
        return False
    (first, a), *others = cases.items()
    for name, b in others:
        if not np.array_equal(a.truth, b.truth):
            raise InputError(
                f"{first} and {name} have different y_true; give predictions of the same cases in the same order."
            )
        if not _same_weights(a, b):
            raise InputError(
                f"{first} and {name} have different weights; a case has one weight, whoever predicts it: give both the "
                "same sample_weight."
            )
    return len(cases) == len(summaries)


def _same_weights(a: Predictions, b: Predictions) -> bool:
    if a.weight is None or b.weight is None:
        return a.weight is b.weight
    return np.array_equal(a.weight, b.weight)
