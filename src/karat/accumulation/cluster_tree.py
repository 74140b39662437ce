"""Parts of a dataset on a cluster: a task each, and their sums added up as a tree, so that only statistics travel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karat.accumulation.accumulator import Accumulator

BRANCHES = 8
"""States that are added up by one task: so many are on their way to a worker at a time."""
MOST_TASKS = 10_000
"""Tasks that read: a scheduler spends about a millisecond on each, however little it does."""


def by_tree(client: Any, read: Callable[[Sequence[Any]], bytes], units: Sequence[Any]) -> Accumulator:
    """The sum of all units, read by the workers of a `dask.distributed.Client`."""
    size = -(-len(units) // MOST_TASKS)
    level = client.map(read, [units[at : at + size] for at in range(0, len(units), size)], pure=False)
    while len(level) > 1:
        groups = [level[at : at + BRANCHES] for at in range(0, len(level), BRANCHES)]
        level = [client.submit(merged, group, pure=False) for group in groups]
    return Accumulator.from_bytes(level[0].result())


def merged(states: Sequence[bytes]) -> bytes:
    """The sum of accumulators that were sent as bytes, as bytes.

    The whole of what a combiner needs (create, add, merge, extract) is `Accumulator()`, `update`, this, and
    `evaluation`.
    """
    first, *others = states
    if not others:
        return first
    whole = Accumulator.from_bytes(first)
    for other in others:
        whole += Accumulator.from_bytes(other)
    return whole.to_bytes()
