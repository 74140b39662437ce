"""How much memory an evaluation needs besides its input."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import karat

from .measuring import Row
from .problems import predictions


def rows(quick: bool) -> Iterator[Row]:
    """The peak of what is allocated on the way to all 27 measures, relative to the size of the probabilities."""
    for k in (2, 5):
        y, p = predictions(100_000 if quick else 1_000_000, k)
        karat.evaluate(y[:1000], p[:1000]).values()  # what is allocated once is not counted
        tracemalloc.start()
        karat.evaluate(y, p).values()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        what = f"extra peak memory, n = {len(y):,}, {k} classes"
        yield Row(what, f"{peak / 1e6:.1f} MB", f"probabilities {p.nbytes / 1e6:.1f} MB", peak / p.nbytes, 1.0, False)
