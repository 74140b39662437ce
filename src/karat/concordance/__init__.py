"""Do measures say the same? How they order models, and which of them tell all that the others tell."""

from karat.concordance.rankings import Consistency, Rankings, compare_measures, consistency
from karat.concordance.smallest_set import SmallestSet, smallest_set

__all__ = ["Consistency", "Rankings", "SmallestSet", "compare_measures", "consistency", "smallest_set"]
