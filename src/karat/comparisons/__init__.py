"""Two or more models on the same cases: which is better, on which measures, by how much, and how surely."""

from karat.comparisons.difference import Difference, Pair
from karat.comparisons.equivalence import Equivalence, equivalence
from karat.comparisons.mcnemar import McNemar, mcnemar
from karat.comparisons.model_comparison import Comparison, compare
from karat.comparisons.permutation import Permutation, permutation_test

__all__ = [
    "Comparison",
    "Difference",
    "Equivalence",
    "McNemar",
    "Pair",
    "Permutation",
    "compare",
    "equivalence",
    "mcnemar",
    "permutation_test",
]
