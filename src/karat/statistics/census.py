"""Every confusion matrix of a given number of cases: what a measure can be, and not only what it was. Their counts are
those of runs of whole-number tables, which are written out only if somebody looks at their cells.

>>> blocks = list(tables(2, 4))
>>> sum(len(block.table) for block in blocks), size(2, 4)
(35, 35)
>>> float(max(block.sums.wrong.max() for block in blocks))
4.0
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.checks import whole
from karat.core.once import once
from karat.kernels.records import TableSums
from karat.statistics.counts import Counts

BLOCK = 12_040
"""Tables at a time: few enough for the processor's cache, many beside the price of a call; and no power of two, or all
that is known of a table would fall on one line of the cache."""


class CensusCounts(Counts):
    """The tables that follow one in the order of `kernels.census`, with what is known of them already."""

    first: list[int]
    """the cells of the first of them"""

    def __init__(self, classes: int, first: list[int], facts: Array) -> None:
        self.__dict__.update(  # the base class is frozen
            first=first, shape=(facts.shape[1], classes, classes), sums=TableSums(*facts[:8]), confusion=facts[8]
        )

    shape: tuple[int, ...] = ()

    @once
    def table(self) -> Array:
        """The tables themselves."""
        return kernels.census_tables(self.k, self.first, self.shape[0])


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
