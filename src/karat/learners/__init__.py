"""Learners that studies of measures need and that must be exactly what was published; see `C45Classifier`.
`family` gives those of Ferri et al. (2009).

The names are imported when first used: what needs scikit-learn imports it, `import karat` and `Columns` do not. Where
it is not installed, one sentence says so.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError

if TYPE_CHECKING:
    from karat.learners.boosting import AdaBoostM1
    from karat.learners.c45 import C45Classifier, fit_masked
    from karat.learners.columns import Columns
    from karat.learners.encoded import Encoded
    from karat.learners.families import FAMILIES, family
    from karat.learners.naive_bayes import NaiveBayes
    from karat.learners.neighbours import NearestNeighbours

HOMES = {
    "FAMILIES": "karat.learners.families",
    "AdaBoostM1": "karat.learners.boosting",
    "C45Classifier": "karat.learners.c45",
    "Columns": "karat.learners.columns",
    "Encoded": "karat.learners.encoded",
    "NaiveBayes": "karat.learners.naive_bayes",
    "NearestNeighbours": "karat.learners.neighbours",
    "family": "karat.learners.families",
    "fit_masked": "karat.learners.c45",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        try:
            value = getattr(importlib.import_module(HOMES[name]), name)
        except ModuleNotFoundError as missing:
            if (missing.name or "").split(".")[0] != "sklearn":
                raise
            raise InputError(
                f"{name} needs scikit-learn, which is not installed; `pip install 'karat[sklearn]'`."
            ) from None
        globals()[name] = value
        return value
    raise AttributeError(f"module 'karat.learners' has no attribute {name!r}")


__all__ = [
    "FAMILIES",
    "AdaBoostM1",
    "C45Classifier",
    "Columns",
    "Encoded",
    "NaiveBayes",
    "NearestNeighbours",
    "family",
    "fit_masked",
]
