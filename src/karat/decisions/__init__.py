"""Deciding under costs: what decisions cost, the best threshold, and which model is best under which conditions."""

from karat.decisions.dominance import Dominance, dominance
from karat.decisions.operating import Operating, operating
from karat.decisions.threshold import Threshold

__all__ = ["Dominance", "Operating", "Threshold", "dominance", "operating"]
