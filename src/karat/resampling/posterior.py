"""Posterior draws of the confusion table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.resampling.draws import blocks, stream

JEFFREYS = 0.5


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
