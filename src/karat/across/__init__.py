"""Many models on many data sets: tests of ranks and of folds."""

from karat.across.across import Across, compare_across

__all__ = ["Across", "compare_across"]
