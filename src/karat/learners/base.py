"""What all learners share: nominal columns and classes are declared; the most probable class is predicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.learners.columns import Columns


class Learner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of codes, with the parameters `nominal` and `classes`; nan is a missing value."""

    nominal: Any
    classes: Any

    @classmethod
    def of(cls, data: Any, **options: Any) -> Self:
        """A classifier for a data set's codes: its nominal columns and all its declared classes."""
        return cls(nominal=data.nominal, classes=tuple(range(len(data.classes))), **options)

    def training_cases(self, X: Any, y: Any) -> tuple[Array, Array, Columns]:
        """Checked cases, the codes of their classes (which become `classes_`), and the prepared columns."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        self.classes_, codes = class_codes(y, self.classes, np.ones(len(X), bool))
        return X, codes, Columns.of(X, nominal_columns(self.nominal))

    def new_cases(self, X: Any) -> Array:
        """Checked cases for what was learnt."""
        check_is_fitted(self)
        cases: Array = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return cases

    def predict(self, X: Any) -> Array:
        """The class of highest probability, the first of equals."""
        best = np.argmax(self.predict_proba(X), axis=1)  # which says so if nothing was learnt yet
        labels: Array = self.classes_[best]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def nominal_columns(given: Any) -> Mapping[int, int]:
    """The number of values of each nominal column, as it was said or as a data set says it."""
    if given is None:
        return {}
    values = getattr(given, "nominal", given)
    if not isinstance(values, Mapping):
        raise InputError(f"nominal is {type(given).__name__}; pass {{column: number of values}} or a data set.")
    return values


def class_codes(y: Array, classes: Any, used: Array) -> tuple[Array, Array]:
    """The classes, and the place of each case's class among them."""
    if not used.any():
        raise InputError("there is no case with a positive weight to learn from; pass at least one.")
    if classes is None:
        check_classification_targets(y)
        values, codes = np.unique(y[used], return_inverse=True)
        all_codes = np.zeros(len(y), np.intc)
        all_codes[used] = codes
        return values, all_codes
    declared = np.asarray(list(classes))
    order = np.argsort(declared, kind="stable")
    at = np.minimum(np.searchsorted(declared[order], y), len(declared) - 1)
    codes = order[at]
    strange = used & (declared[codes] != y)
    if strange.any():
        raise InputError(
            f"y has {y[strange][0].item()!r}, which is none of the {len(declared)} declared classes; declare it, or "
            "leave out the cases whose class is missing."
        )
    return declared, codes.astype(np.intc)
