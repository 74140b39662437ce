"""Every confusion matrix of a given number of cases: what a measure can be, and not only what it was.

>>> from karat.measures.agreement import matthews_correlation
>>> blocks = list(tables(2, 4))
>>> sum(len(block.table) for block in blocks), size(2, 4)
(35, 35)
>>> float(max(matthews_correlation(block).max() for block in blocks))
1.0
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from karat import kernels
from karat.core.checks import whole
from karat.statistics import CensusCounts

BLOCK = 12_040
"""Tables at a time: few enough for the processor's cache, many beside the price of a call; and no power of two, or all
that is known of a table would fall on one line of the cache."""


def size(classes: int, total: int) -> int:
    """How many tables of so many classes hold so many cases."""
    return math.comb(total + classes * classes - 1, total)


def tables(classes: int, total: int) -> Iterator[CensusCounts]:
    """All of them, in blocks that any measure of `Counts` takes; in the order of the cells, the last changing first."""
    classes, total = whole("classes", classes, least=2), whole("total", total)
    cells: list[int] | None = [0] * (classes * classes - 1) + [total]
    while cells is not None:
        facts, following = kernels.census(classes, cells, max(BLOCK, total + 1))
        yield CensusCounts(classes, cells, facts)
        cells = following
