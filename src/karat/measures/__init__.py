"""All measures, one declaration each, a family in a file; their averages, names, and values on data.

Each measure is here by its Python name, its symbol and every alias that can be written: `karat.measures.mcc(y_true,
y_proba)`, `karat.measures.balanced_accuracy(...)`, `karat.measures.roc_auc(...)`.

>>> from karat import measures
>>> measures.f1([0, 0, 1, 1], [0, 1, 1, 1])
0.8
"""

from karat.core.measure import Measure, measure, rate
from karat.measures import (
    agreement,
    calibration,
    confusion_entropies,
    costs,
    entropy_triangles,
    familiar,
    information,
    probability,
    ranking,
    rates,
)
from karat.measures.averaging import macro, micro, weighted
from karat.measures.functions import measure_from_function
from karat.measures.lookup import PAPERS, find, measures_named, python_names
from karat.measures.value import MeasureOf

__all__ = [
    "PAPERS", "Measure", "MeasureOf", "agreement", "calibration", "confusion_entropies", "costs", "entropy_triangles",
    "familiar", "find", "information", "macro", "measure", "measure_from_function", "measures_named", "micro",
    "probability", "ranking", "rate", "rates", "weighted",
]  # fmt: skip


def __getattr__(name: str) -> Measure:
    """A measure by any name that can be written in Python."""
    if name.startswith("_"):
        raise AttributeError(f"module 'karat.measures' has no attribute {name!r}")
    try:
        return find(name)
    except KeyError as error:
        raise AttributeError(f"karat.measures has no {name!r}: {error}", name=None) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *python_names()})
