"""All measures, one declaration each, a family in a file; their averages, names, and values on data."""

from karat.core.measure import measure, rate
from karat.measures import (
    agreement,
    calibration,
    confusion_entropy,
    costs,
    entropy_triangles,
    information,
    probability,
    ranking,
    rates,
)
from karat.measures.averaging import macro, micro, weighted
from karat.measures.functions import measure_from_function
from karat.measures.lookup import PAPERS, find, measures_named
from karat.measures.value import MeasureOf

__all__ = [
    "PAPERS", "MeasureOf", "agreement", "calibration", "confusion_entropy", "costs", "entropy_triangles", "find",
    "information", "macro", "measure", "measure_from_function", "measures_named", "micro", "probability", "ranking",
    "rate", "rates", "weighted",
]  # fmt: skip
