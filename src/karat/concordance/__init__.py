"""Do measures agree? How they rank models, and which few of them represent all."""

from karat.concordance.rankings import Consistency, Rankings, compare_measures, consistency
from karat.concordance.smallest_set import SmallestSet, smallest_set

__all__ = ["Consistency", "Rankings", "SmallestSet", "compare_measures", "consistency", "smallest_set"]
