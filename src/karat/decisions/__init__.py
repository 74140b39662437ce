"""Predictions under costs: what they cost, the best threshold, and which model is best under which conditions."""

from karat.decisions.dominance import Border, Dominance, Piece, Region, dominance
from karat.decisions.operating import Conditions, Operating, Strategy, operating
from karat.decisions.threshold import Threshold

__all__ = [
    "Border",
    "Conditions",
    "Dominance",
    "Operating",
    "Piece",
    "Region",
    "Strategy",
    "Threshold",
    "dominance",
    "operating",
]
