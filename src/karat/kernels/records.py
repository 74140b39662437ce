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
"""What headline measures ask of a table too large to be made: k, ln 2(k - 1), sums, logarithms of the diagonal,
confusion."""


def _under(name: str, *numbers: str) -> tuple[str, ...]:
    return tuple(f"{name}.{number}" for number in numbers)


TABLE_FACTS = ("classes", "decisions", "ln_errors", *_under("sums", *TableSums._fields), "diagonal", "confusion")
"""What headline measures ask of every table."""
COUNTS_FACTS = (*TABLE_FACTS, *_under("logs", *TableLogs._fields), "overlap", *_under("relative", *TABLE_FACTS))
PROBABILITY_FACTS = ("total", *_under("table", *TABLE_FACTS), *_under("relative", *TABLE_FACTS))
LOSS_FACTS = ("classes", *_under("squares_sums", *ClassSums._fields), *_under("logs_sums", *ClassSums._fields))
PAIR_FACTS = _under("sums", *PairSums._fields)
CLASS_FACTS = _under("sums", *ClassSums._fields)
"""What they ask of a statistic, in the order in which `row_facts` and `column_facts` give it."""

OPERATIONS = (
    *(("add", 2), ("subtract", 2), ("multiply", 2), ("divide", 2), ("negative", 1)),
    *(("log", 1), ("exp", 1), ("sqrt", 1), ("maximum", 2), ("greater", 2), ("equal", 2), ("where", 3)),
    ("within", 3),
)
"""What a step of a formula may be, a function of numpy or of `_facts.py`, and of how many numbers."""
ROUNDING = 1e-9
"""By no more than this is a number out of its range because sums were rounded."""
