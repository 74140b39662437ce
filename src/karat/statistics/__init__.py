"""The small arrays that are enough: counts, sums, pairs, score tables, bins. They know nothing of measures."""

from karat.statistics.bins import ClassBins, ConfidenceBins
from karat.statistics.counts import Binary, Counts
from karat.statistics.many_tables import CensusCounts, OneShapeError, RaggedCounts, RaggedLot
from karat.statistics.order import Margins, Pairs, Segments, Sequences, Windows
from karat.statistics.probability_sums import Certainty, LossSums, ProbabilitySums
from karat.statistics.score_table import ForecastTable, ScoreTable
from karat.statistics.summary import Summary

__all__ = [
    "Binary", "CensusCounts", "Certainty", "ClassBins", "ConfidenceBins", "Counts", "ForecastTable", "LossSums",
    "Margins", "OneShapeError", "Pairs", "ProbabilitySums", "RaggedCounts", "RaggedLot", "ScoreTable", "Segments",
    "Sequences", "Summary", "Windows",
]  # fmt: skip
