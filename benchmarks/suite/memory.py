"""How much memory an evaluation needs besides its input: labels and probabilities."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import karat

from .measuring import Row
from .problems import predictions


def rows(quick: bool) -> Iterator[Row]:
    """The peak of what is allocated on the way to all 27 measures, relative to the size of the input."""
    for k, target in ((2, 0.6), (5, 1.2)):
        y, p = predictions(100_000 if quick else 1_000_000, k)
        given = p.nbytes + y.nbytes
        karat.evaluate(y[:1000], p[:1000]).values("papers")  # what is allocated once is not counted
        tracemalloc.start()
        karat.evaluate(y, p).values("papers")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        what = f"extra peak memory, n = {len(y):,}, {k} classes"
        yield Row(what, f"{peak / 1e6:.1f} MB", f"input {given / 1e6:.1f} MB", peak / given, target, False)
