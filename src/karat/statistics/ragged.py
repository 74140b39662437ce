"""Counts of many tables of different sizes: what formulas ask of each, as arrays over the tables."""

from __future__ import annotations

from typing import Any, NoReturn

from karat import kernels
from karat.core.arithmetic import Array, Number
from karat.core.once import once
from karat.kernels.records import TableLogs, TableSums
from karat.statistics.counts import Counts


class OneShapeError(TypeError):
    """A formula needs the cells of tables, and these have different sizes."""


class RaggedCounts(Counts):
    """Tables of any sizes. A formula of the sums over tables serves all of them at once; one that looks at cells, or at
    classes one by one, has to take the tables of each shape together, as `Counts`."""

    tables: list[Array]
    extent: Array

    def __init__(self, tables: list[Array], extent: Array) -> None:
        self.__dict__.update(tables=tables, extent=extent)  # the base class is frozen

    @property
    def shape(self) -> NoReturn:
        """There is not one."""
        raise OneShapeError("tables of different sizes have no cells in common")

    k = l = table = shape

    @property
    def lead(self) -> tuple[int, ...]:
        """One axis over the tables."""
        return (len(self.tables),)

    @property
    def classes(self) -> Number:
        """Number of declared classes of each."""
        return self.extent[0]

    @property
    def decisions(self) -> Number:
        """Number of decision columns of each."""
        return self.extent[1]

    @once
    def _sums(self) -> Any:
        return kernels.ragged_sums(self.tables)

    @property
    def sums(self) -> TableSums:
        """Total, trace, spreads."""
        return TableSums(*self._sums[:8])

    @property
    def confusion(self) -> Number:
        """Nan of tables that are not square."""
        return self._sums[8]

    @property
    def overlap(self) -> Number:
        """Shares of what is or is called j that is both."""
        return self._sums[9]

    @property
    def diagonal(self) -> Number:
        """Sum of ln c_jj over the classes with cases."""
        return self.logs.diagonal

    @once
    def logs(self) -> TableLogs:
        """Entropy sums."""
        return TableLogs(*kernels.ragged_logs(self.tables))
