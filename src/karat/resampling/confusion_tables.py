"""Confusion tables drawn again: by the bootstrap, with cases left out, or from a posterior. Where a table is enough, no
case need be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.resampling.draws import Deletions, blocks, stream

JEFFREYS = 0.5
"""What Jeffreys' prior adds to every cell."""


def posterior(
    table: Array, prior: Any, draws: int, seed: Any, stratified: bool = False, place: int = 0
) -> Iterator[Array]:
    """Tables [some, k, l] from the Dirichlet distribution that the counts and a prior leave: of all cells, or with
    fixed class frequencies of each row. They hold as many cases as were counted; as many at a time as should be held.

    `prior` is added to every cell: a number, or an array of the table's shape. `place` tells apart several
    tables of one seed, each of which has draws of its own."""
    try:
        added = np.broadcast_to(np.asarray(prior, float), table.shape)
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


def jackknife_tables(table: Array, most: int, seed: Any) -> tuple[Iterator[Array], Array, Array]:
    """(tables [some, k, l], how often each, the row they lack a case of): the table without one case, for each cell; if
    more than `most` cells are not empty, without random groups of the cases of a row, about so many of equal size."""
    cells = np.flatnonzero(table)
    times, row, group = table.ravel()[cells], cells // table.shape[1], np.arange(len(cells))
    if len(cells) > most:
        cells = np.repeat(cells, times.astype(np.int64))
        out = Deletions.of(tuple(int(t) for t in table.sum(axis=1)), most, seed)
        times, row, group = np.ones(out.rows), out.stratum, out.group

    def without(part: slice) -> Array:
        lost = np.zeros((part.stop - part.start, table.size))
        mine = (group >= part.start) & (group < part.stop)
        np.add.at(lost, (group[mine] - part.start, cells[mine]), 1)
        return table - lost.reshape(-1, *table.shape)

    return map(without, blocks(len(times), table.size)), times, row
