"""Counts of a run of whole-number tables of one total, which are written out only if somebody looks at their cells."""

from __future__ import annotations

from karat import kernels
from karat.core.arithmetic import Array
from karat.core.once import once
from karat.kernels.records import TableSums
from karat.statistics.counts import Counts


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
        return kernels.census_tables(self.k, self.first, self.shape[0])  # type: ignore[no-any-return]
