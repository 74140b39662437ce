"""What the kernels sum up of tables and classes, by name; floats, or arrays over the leading axes."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

Array = NDArray[Any]
Number = Any
PILED_CELLS = 1_548_288
"""Rows of a table of cells (see `_piling`) but for three at its end."""


class TableSums(NamedTuple):
    """Sums over a table that many formulas share."""

    total: Number
    trace: Number
    wrong: Number
    """off the diagonal"""
    covariance: Number
    """trace * s - sum t u: how truth and decision go together"""
    truth_spread: Number
    """sum t (s - t): 0 if all cases belong to one class"""
    decided_spread: Number
    """sum u (s - u): 0 if all decisions are the same"""
    present: Number
    """number of classes with cases"""
    inside: Number
    """sum of the columns of those classes"""


class TableLogs(NamedTuple):
    """Sums of logarithms over a table, in nats."""

    cells: Number
    """s times the joint entropy"""
    truth: Number
    """s times the entropy of the truth"""
    decided: Number
    """s times the entropy of the decisions"""
    diagonal: Number
    """sum of ln c_jj over the classes with cases"""
    shared: Number
    """s times the mutual information"""


class PairSums(NamedTuple):
    """Averages-to-be over ordered pairs of classes with cases."""

    present: Number
    pairs: Number
    """sum over ordered pairs"""
    pairs_prior: Number
    """... weighted by the frequency of the first class"""
    rest: Number
    """sum over classes against the rest"""
    rest_prior: Number
    """... weighted by the frequency of the class"""


class ClassSums(NamedTuple):
    """Sums over the classes with cases."""

    present: Number
    """how many they are"""
    weight: Number
    values: Number


class TableFacts(NamedTuple):
    """All sums over one table."""

    sums: TableSums
    logs: TableLogs
    confusion: float
    """see the kernel of this name; nan of a table that is not square"""
    overlap: float
    """see the kernel `table_overlap`"""


TableDigest = tuple[int, float, TableSums, float, float]
"""What the headline measures ask of every table: k, ln 2(k - 1), sums, logarithms of the diagonal, confusion."""
CountsDigest = tuple[Array, TableDigest, TableLogs, float, Array, TableDigest]
"""Counts with their digest, logs and overlap; the counts relative to their rows, with their digest."""
ProbabilityDigest = tuple[Array, Array, float, TableDigest, Array, TableDigest]
"""Sums of probabilities, class weights, total weight, digest of the sums; the means given the class, with theirs."""
LossDigest = tuple[Array, Array, Array, ClassSums, ClassSums]
"""Squares, logarithms, class weights, sums of the first two."""
PairDigest = tuple[Array, Array, PairSums]
"""A matrix over pairs of classes, class weights, sums."""
SegmentDigest = tuple[Array, Array, Array, ClassSums]
"""Deviation, refinement, class weights, sums of the deviations."""
WindowDigest = tuple[Array, Array, ClassSums]
"""Errors, class weights, sums."""
RowDigest = tuple[CountsDigest, ProbabilityDigest, LossDigest]
ColumnDigest = tuple[PairDigest, PairDigest, SegmentDigest, WindowDigest]
