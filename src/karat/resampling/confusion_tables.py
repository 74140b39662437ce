"""Confusion tables drawn again: by the bootstrap, with cases left out, or from a posterior. Where a table is enough, no
case need be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.statistic import Statistic
from karat.measures.value import MeasureOf, values_of_many
from karat.resampling.draws import Deletions, blocks, stream
from karat.statistics import Binary, Counts
from karat.statistics.counts import SparseCounts


def one_case(shape: tuple[int, ...]) -> Array:
    """[k, l]: a prior of one case in all, whatever the number of cells: half of it right, half of it wrong, spread
    evenly over the classes. Of the share of right decisions this is Jeffreys' prior; one of .5 for each cell would
    outweigh the cases where there are many classes."""
    k, l = shape
    prior = np.full((k, l), 0.5 / (k * max(l - 1, 1)))
    np.fill_diagonal(prior, 0.5 / k)
    return prior if l > 1 else np.full((k, l), 1 / k)


def posterior(
    table: Array, prior: Any, draws: int, seed: Any, stratified: bool = False, place: int = 0
) -> Iterator[Array]:
    """Tables [some, k, l] from the Dirichlet distribution that the counts and a prior leave: of all cells, or with
    fixed class frequencies of each row. They hold as many cases as were counted; as many at a time as should be held.

    `prior` is added to every cell: a number, or an array of the table's shape; None: `one_case`. `place` tells apart
    several tables of one seed, each of which has draws of its own."""
    try:
        added = one_case(table.shape) if prior is None else np.broadcast_to(np.asarray(prior, float), table.shape)
    except (TypeError, ValueError):
        shape = np.shape(prior)
        raise InputError(f"prior has the shape {shape}; give a number, or one for each cell, {table.shape}.") from None
    alpha = table + added
    sums = alpha.sum(axis=-1)
    possible = np.isfinite(added).all() and (added >= 0).all() and ((sums > 0).all() or not stratified)
    if not (possible and sums.sum() > 0):
        raise InputError("prior holds a value below 0, or leaves nothing; give finite numbers of at least 0.")
    rng = stream(seed, (1 << 22) + place)
    for part in blocks(draws, table.size):
        weight = rng.standard_gamma(alpha, (part.stop - part.start, *table.shape))
        if stratified:
            yield weight / weight.sum(axis=-1, keepdims=True) * table.sum(axis=-1)[:, None]
        else:
            yield weight / weight.sum(axis=(-2, -1), keepdims=True) * table.sum()


def bootstrap_tables(table: Array, replicates: int, seed: Any, stratified: bool = False) -> Iterator[Array]:
    """[some, k, l]: confusion tables of as many cases, drawn with replacement (from each row, if stratified); as many
    at a time as should be held."""
    rng = stream(seed, 1 << 21)
    for rows in blocks(replicates, table.size):
        out = np.zeros((rows.stop - rows.start, *table.shape))
        for part in range(len(table)) if stratified else (slice(None),):
            cells = table[part] > 0
            n = round(float(table[part].sum()))
            if n:
                share = table[part][cells] / n
                out[:, part][:, cells] = rng.multinomial(n, share / share.sum(), len(out))
        yield out


def jackknife_tables(table: Array, most: int, seed: Any, by_row: bool = True) -> tuple[Iterator[Array], Array, Array]:
    """(tables [some, k, l], how often each, the row they lack a case of): the table without one case, for each cell; if
    more than `most` cells are not empty, without one of so many random groups of the cases (of a row, if `by_row`)."""
    cells = np.flatnonzero(table)
    times, row, group = table.ravel()[cells], cells // table.shape[1], np.arange(len(cells))
    if len(cells) > most:
        cells = np.repeat(cells, times.astype(np.int64))
        sizes = tuple(int(t) for t in table.sum(axis=1)) if by_row else (len(cells),)
        out = Deletions.of(sizes, most, seed)
        times, row, group = np.ones(out.rows), out.stratum, out.group

    def without(part: slice) -> Array:
        lost = np.zeros((part.stop - part.start, table.size))
        mine = (group >= part.start) & (group < part.stop)
        np.add.at(lost, (group[mine] - part.start, cells[mine]), 1)
        return table - lost.reshape(-1, *table.shape)

    return map(without, blocks(len(times), table.size)), times, row


def measures_of_tables(wanted: list[MeasureOf], drawn: Iterable[Array]) -> dict[str, Array]:
    """key: [tables], the measures of all the tables; nan where one is undefined."""
    values: dict[str, list[Array]] = {m.key: [] for m in wanted}
    together: dict[tuple[type[Statistic], int | None], list[MeasureOf]] = {}  # by what is cut out of the tables
    for m in wanted:
        together.setdefault((m.kind, m.place if m.kind is Binary else None), []).append(m)
    for tables in drawn:
        counts = Counts(tables)
        for (kind, place), some in together.items():
            seen = {kind: counts if kind is not Binary else _alone(counts.binary, place)}
            found = values_of_many(tuple(m.measure for m in some), seen.__getitem__, counts.lead)
            for m in some:
                values[m.key].append(_of_each(m, found[m.measure.symbol], counts.lead))
    return {key: parts[0] if len(parts) == 1 else np.concatenate(parts) for key, parts in values.items()}


def _alone(b: Binary, place: int | None) -> Binary:
    """Of one class; None: of all."""
    if place is None:
        return b
    return Binary(*(np.ascontiguousarray(x[..., place : place + 1]) for x in (b.tp, b.fn, b.fp, b.tn)))


def _of_each(m: MeasureOf, values: Array, lead: tuple[int, ...]) -> Array:
    """The measure of each table, from its values of all classes or of the one; one that is the same of all tables may
    give a single number."""
    if values.ndim > len(lead):
        values = values[..., 0 if m.kind is Binary else m.place]
    return values if values.shape == lead else np.broadcast_to(values, lead)


def measures_of_cells(wanted: list[MeasureOf], counts: SparseCounts, drawn: Iterable[Array]) -> dict[str, Array]:
    """The same of very many classes: of other counts of the cells that are not empty, one table at a time."""
    values: dict[str, list[float]] = {m.key: [] for m in wanted}
    for row in drawn:
        kept = row > 0
        one = SparseCounts(counts.rows[kept], counts.columns[kept], row[kept], counts.size)
        for m in wanted:
            values[m.key].append(float(m.values(one)))
    return {key: np.array(x) for key, x in values.items()}
