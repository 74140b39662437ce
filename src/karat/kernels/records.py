"""What the kernels sum up of tables and classes, by name; floats, or arrays over the leading axes."""

from __future__ import annotations

from typing import Any, NamedTuple

Number = Any
Record = dict[str, Any]
"""What is known of one statistic of one evaluation, by the names that the statistic has for it."""


class TableSums(NamedTuple):
    """Sums over a table that many formulas share."""

    total: Number
    trace: Number
    wrong: Number
    """off the diagonal"""
    covariance: Number
    """trace * s - sum t u: how truth and decision go together"""
    truth_spread: Number
    """sum t (s - t): 0 if all cases are of one class"""
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
