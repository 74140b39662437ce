"""Counts of many tables at once: of different sizes, of every table of so many cases, of every product of some rows.

What formulas ask of each table they have as arrays over the tables; their sums are had without making the tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any, NoReturn

import numpy as np

from karat import kernels
from karat.core.arithmetic import Array, Number
from karat.core.cached import cached
from karat.core.validation import whole
from karat.kernels.records import TableLogs, TableSums
from karat.statistics.counts import Counts


class OneShapeError(TypeError):
    """A formula needs the cells of tables, and these have different sizes."""


class RaggedCounts(Counts):
    """Tables of any sizes. A formula of the sums over tables serves all of them at once; one that looks at cells, or at
    classes one by one, has to take the tables of each shape together, as `Counts`."""

    facts_of: RaggedFacts
    extent: Array

    def __init__(self, counted: list[Array], extent: Array, lot: RaggedLot | None = None) -> None:
        self.facts_of, self.extent = RaggedFacts(counted, RaggedLot() if lot is None else lot), extent

    @property
    def shape(self) -> NoReturn:
        """There is not one."""
        raise OneShapeError("tables of different sizes have no cells in common")

    k = l = table = shape

    @property
    def lead(self) -> tuple[int, ...]:
        """One axis over the tables."""
        return (len(self.facts_of.counted),)

    @property
    def classes(self) -> Number:
        """Number of declared classes of each."""
        return self.extent[0]

    @property
    def decisions(self) -> Number:
        """Number of decision columns of each."""
        return self.extent[1]

    @cached
    def ln_errors(self) -> Number:
        """ln 2(N - 1), taken once for each size."""
        sizes = self.extent[0].astype(np.intp)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(2.0 * np.arange(sizes.max() + 1) - 2)[sizes]

    @property
    def _sums(self) -> Array:
        return self.facts_of["sums"]

    @cached
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

    @cached
    def relative(self) -> Counts:
        """Each row divided by its sum."""
        return RaggedShares(self)

    @cached
    def logs(self) -> TableLogs:
        """Entropy sums."""
        return TableLogs(*self.facts_of["logs"])


PARTS = ("sums", "logs", "shares")
NUMBERS = 19
"""That all parts have of a table."""


class RaggedLot:
    """What tables that come one lot after another are asked for, and room for it, which each lot takes over from the
    one before (whose numbers are then gone): large arrays that are made anew cost as much as what is put into them."""

    def __init__(self, tables: int = 0) -> None:
        self.asked: set[str] = set()
        self.room = np.empty(NUMBERS * tables) if tables else None


class RaggedFacts:
    """The parts of `kernels.ragged_facts` of some tables. Those that others before them were asked for are computed at
    once with the first that these are."""

    def __init__(self, counted: list[Array], lot: RaggedLot) -> None:
        self.counted, self.lot = counted, lot
        self.known: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self.known:
            self.lot.asked.add(name)
            sums, logs, shares = (part in self.lot.asked and part not in self.known for part in PARTS)
            found = kernels.ragged_facts(self.counted, sums, logs, shares, self.lot.room)
            self.known.update({part: x for part, x in zip(PARTS, found, strict=True) if x is not None})
        return self.known[name]


class RaggedShares(RaggedCounts):
    """The shares of the rows of such tables; most that is asked of them comes from what was counted."""

    def __init__(self, whole: RaggedCounts) -> None:
        self.of_whole, self.extent, self.ln_errors = whole.facts_of, whole.extent, whole.ln_errors

    @cached
    def facts_of(self) -> RaggedFacts:
        """Of the shares, as tables of their own."""
        return RaggedFacts(kernels.ragged_relative(self.of_whole.counted), RaggedLot())

    @property
    def lead(self) -> tuple[int, ...]:
        """One axis over the tables."""
        return (len(self.of_whole.counted),)

    @cached
    def sums(self) -> Any:
        """Total, trace, spreads."""
        total, trace = self.of_whole["shares"][:2]
        return KnownSums(partial(_sums_of_shares, self.of_whole.counted), total=total, trace=trace)

    @property
    def confusion(self) -> Number:
        """Nan of tables that are not square."""
        return self.of_whole["shares"][2]

    @property
    def diagonal(self) -> Number:
        """Sum of ln c_jj over the classes with cases."""
        return self.of_whole["shares"][3]


def _sums_of_shares(counted: list[Array]) -> TableSums:
    sums, _, _ = kernels.ragged_facts(kernels.ragged_relative(counted), True, False, False)
    assert sums is not None
    return TableSums(*sums[:8])


class KnownSums:
    """Sums of tables of which some are known, as `TableSums` has them; what few formulas ask for is made when it is
    asked for: by a function that does not hold who holds these, or arrays would wait for the garbage collector."""

    def __init__(self, others: Callable[[], TableSums], **known: Number) -> None:
        self.__dict__.update(known)
        self._made = others

    @cached
    def _others(self) -> TableSums:
        return self._made()

    def __getattr__(self, name: str) -> Number:
        if name not in TableSums._fields:
            raise AttributeError(name)
        return getattr(self._others, name)


BLOCK = 20_040
"""Tables at a time: few enough for the processor's cache, many beside the price of a call; and no power of two, or all
that is known of a table would fall on one line of the cache."""


class CensusCounts(Counts):
    """The tables that follow one in the order of `kernels.census`, with what is known of them already."""

    first: list[int]
    """the cells of the first of them"""

    def __init__(self, classes: int, first: list[int], facts: Array) -> None:
        trace, covariance, truth, decided, confusion = facts
        shape = len(trace), classes, classes
        known = CensusSums(
            partial(_sums_of_census, classes, first, len(trace)), total=float(sum(first)), trace=trace,
            covariance=covariance, truth_spread=truth, decided_spread=decided,
        )  # fmt: skip
        self.__dict__.update(first=first, shape=shape, confusion=confusion, sums=known)  # is not computed again

    shape: tuple[int, ...] = ()

    @cached
    def table(self) -> Array:
        """The tables themselves."""
        return kernels.census_tables(self.k, self.first, self.shape[0])


def _sums_of_census(classes: int, first: list[int], count: int) -> TableSums:
    return Counts(kernels.census_tables(classes, first, count)).sums


class CensusSums(KnownSums):
    """Their sums."""

    @cached
    def wrong(self) -> Number:
        """Cases beside the diagonal."""
        return self.total - self.trace


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


class RowProducts(Counts):
    """All tables whose i-th row is one of `rows[i]` [ways, k], whole numbers of one sum: [product of the ways, k, k].

    What adds up over the rows (trace, cells) is an outer sum, one addition for a table instead of k * k; what depends
    on the columns is looked up, two columns at a time, because column sums are whole numbers. The tables themselves
    are made only for measures that ask for them.
    """

    rows: list[Array]
    size: tuple[int, int, int]

    def __init__(self, rows: list[Array]) -> None:
        ways = int(np.prod([len(r) for r in rows]))
        self.rows, self.size = rows, (ways, len(rows), rows[0].shape[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """(tables, k, l)."""
        return self.size

    @cached
    def table(self) -> Array:
        """All cells of all tables."""
        ways = [len(r) for r in self.rows]
        out = np.empty((*ways, self.k, self.l))
        for i, row in enumerate(self.rows):
            out[..., i, :] = row.reshape([1] * i + [len(row)] + [1] * (self.k - i - 1) + [self.l])
        return out.reshape(self.size)

    def _outer(self, parts: list[Array]) -> Array:
        """One part from each row, added, for all tables."""
        return reduce(np.add.outer, parts).ravel()

    def _all(self, value: float) -> Array:
        return np.full(self.size[0], float(value))

    @cached
    def _truth(self) -> Array:
        return np.array([r[0].sum() for r in self.rows])

    @cached
    def _total(self) -> int:
        return int(self._truth.sum())

    def _looked_up(self, of_column: Array) -> Array:
        """Sum over the columns of a function of their sums, given as its values at 0..N."""
        base = self._total + 1
        sums: Array | None = None
        for j in range(0, self.l, 2):
            two = j + 1 < self.l
            keys = [(r[:, j] * base + r[:, j + 1] if two else r[:, j]).astype(np.intp) for r in self.rows]
            values = np.add.outer(of_column, of_column).ravel() if two else of_column
            part = values.take(self._outer(keys))
            sums = part if sums is None else np.add(sums, part, out=sums)
        assert sums is not None
        return sums

    @cached
    def sums(self) -> TableSums:
        """Total, trace, spreads."""
        t, n = self._truth, self._total
        u = np.arange(n + 1.0)
        trace = self._outer([r[:, i] for i, r in enumerate(self.rows)])
        together = self._outer([r[:, : self.k] @ t for r in self.rows])
        here = t > 0
        return TableSums(
            total=self._all(n),
            trace=trace,
            wrong=n - trace,
            covariance=trace * n - together,
            truth_spread=self._all(float((t * (n - t)).sum())),
            decided_spread=self._looked_up(u * (n - u)),
            present=self._all(here.sum()),
            inside=self._all(n)
            if here.all()
            else self._outer([r[:, : self.k][:, here].sum(axis=1) for r in self.rows]),
        )

    @cached
    def logs(self) -> TableLogs:
        """Entropy sums."""
        t, n = self._truth, self._total
        x = np.arange(n + 1.0)
        surprise = x * (np.log(n) - np.log(np.maximum(x, 1)))  # s p (-ln p)
        places = [r.astype(np.intp) for r in self.rows]
        cells = self._outer([surprise[r].sum(axis=1) for r in places])
        truth = float(surprise[t.astype(np.intp)].sum())
        decided = self._looked_up(surprise)
        with np.errstate(divide="ignore"):
            diagonal = [np.log(r[:, i]) if t[i] > 0 else np.zeros(1) for i, r in enumerate(self.rows)]
        shared = decided - cells
        shared += truth
        shared[shared < 1e-12 * n] = 0.0  # what rounding leaves of nothing
        np.minimum(shared, np.minimum(decided, truth), out=shared)  # ... and adds to all
        return TableLogs(cells, self._all(truth), decided, self._outer(diagonal), shared)

    @cached
    def diagonal(self) -> Array:
        """Sum of ln c_jj over the classes with cases."""
        return self.logs.diagonal  # type: ignore[no-any-return]
