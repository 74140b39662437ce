"""What a measure is called on: predicted classes may stand where probabilities do, as in scikit-learn's functions, but
are never taken for probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.errors import InputError
from karat.core.measure import Measure
from karat.core.statistic import Needs


def predictions_for(measure: Measure, y_true: Any, y_proba: Any, y_pred: Any) -> tuple[Any, Any]:
    """`y_proba` and `y_pred`, when a measure is called on them: what holds classes is `y_pred`.

    >>> from karat.measures import log_loss, mcc
    >>> predictions_for(mcc, [0, 1], [0, 1], None)
    (None, [0, 1])
    >>> predictions_for(log_loss, ["a", "b"], ["a", "b"], None)
    Traceback (most recent call last):
    ...
    karat.core.errors.InputError: LogLoss needs probabilities, and what was given are predicted classes; pass those \
of predict_proba, or use a measure of predicted classes, such as MCC.
    """
    if y_proba is None or y_pred is not None:
        return y_proba, y_pred
    column = _column(y_proba)
    text, counted, certain = _is_text(column), _is_counted(column), _is_certain(column)
    needs = measure.statistic.needs
    if needs is Needs.DECISIONS:
        classes = text or counted or (certain and _is_certain(_column(y_true)))
        return (None, y_proba) if classes else (y_proba, None)
    if text or (needs is Needs.PROBABILITIES and (counted or certain)):
        columns = "; if they are probabilities, give a column for each class" if certain and not counted else ""
        raise InputError(
            f"{measure.symbol} needs {needs.name.lower()}, and what was given are predicted classes; pass those of "
            f"predict_proba, or use a measure of predicted classes, such as MCC{columns}."
        )
    return y_proba, None


def _column(values: Any) -> Any:
    """One value for each case; None of what is no column."""
    if isinstance(values, dict | str):
        return None
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # whatever it is, it is checked where data come in
        return None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return array if array.ndim == 1 and array.size else None


def _is_text(column: Any) -> bool:
    return column is not None and (column.dtype.kind in "SUT" or isinstance(column[0], str))


def _is_counted(column: Any) -> bool:
    """Does it hold whole numbers or truth values, by their type?"""
    return column is not None and column.dtype.kind in "biu"


def _is_certain(column: Any) -> bool:
    """Does it hold nothing but 0 and 1?"""
    return column is not None and column.dtype.kind in "biuf" and bool(((column == 0) | (column == 1)).all())
