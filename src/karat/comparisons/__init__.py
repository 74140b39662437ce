"""Two or more models on the same cases: which is better, on which measures, by how much, and how surely."""

from karat.comparisons.bowker import Bowker, bowker
from karat.comparisons.cochran import Cochran, cochran
from karat.comparisons.difference import Difference, Pair
from karat.comparisons.equivalence import Equivalence, equivalence
from karat.comparisons.mcnemar import McNemar, mcnemar
from karat.comparisons.model_comparison import Comparison, compare
from karat.comparisons.permutation import Permutation, permutation_test

__all__ = [
    "Bowker",
    "Cochran",
    "Comparison",
    "Difference",
    "Equivalence",
    "McNemar",
    "Pair",
    "Permutation",
    "bowker",
    "cochran",
    "compare",
    "equivalence",
    "mcnemar",
    "permutation_test",
]
