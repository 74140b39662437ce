"""Many models on many data sets: tests of ranks, and of the folds of one data set. `compare_across` runs those that
suit a table of results; each can be called on values, too."""

from karat.across.across import Across, compare_across
from karat.across.fold_t import CorrectedT, CorrelatedT, bayes_t, corrected_t
from karat.across.rank_tests import (
    AgainstControl,
    CriticalDifference,
    Friedman,
    Nemenyi,
    against_control,
    critical_difference,
    friedman,
    nemenyi,
)
from karat.across.results import Results
from karat.across.signed_ranks import SignedRanks, Wilcoxon, bayes_ranks, wilcoxon

__all__ = [
    "Across",
    "AgainstControl",
    "CorrectedT",
    "CorrelatedT",
    "CriticalDifference",
    "Friedman",
    "Nemenyi",
    "Results",
    "SignedRanks",
    "Wilcoxon",
    "against_control",
    "bayes_ranks",
    "bayes_t",
    "compare_across",
    "corrected_t",
    "critical_difference",
    "friedman",
    "nemenyi",
    "wilcoxon",
]
