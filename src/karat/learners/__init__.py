"""Learners that studies of measures need and that must be exactly what was published; see `C45Classifier`.

The names are imported when first used: what needs scikit-learn imports it, `import karat` and `Columns` do not.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.learners.c45 import C45Classifier, fit_masked
    from karat.learners.columns import Columns

HOMES = {
    "C45Classifier": "karat.learners.c45",
    "Columns": "karat.learners.columns",
    "fit_masked": "karat.learners.c45",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        value = getattr(importlib.import_module(HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'karat.learners' has no attribute {name!r}")


__all__ = ["C45Classifier", "Columns", "fit_masked"]
