"""All measures, one declaration each, a family in a file."""

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

# fmt: off
HEADLINE = (
    "Acc", "KapS", "MFM", "MAvA", "MAvG",
    "AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC",
    "MAPR", "MPR", "MAE", "MSE", "LogL",
    "CalL", "CalB",
    "MCC", "tMCC",
    "CEN", "rCEN", "pCEN", "rpCEN",
    "RCI", "EMA", "NIT",
)
# fmt: on
"""The measures of the five papers: what an evaluation shows unless more is asked for. In the order of the papers."""

__all__ = [
    "HEADLINE",
    "agreement",
    "calibration",
    "confusion_entropy",
    "costs",
    "entropy_triangles",
    "information",
    "macro",
    "measure_from_function",
    "micro",
    "probability",
    "ranking",
    "rates",
    "weighted",
]
