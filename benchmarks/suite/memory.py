"""How much memory an evaluation needs besides its input: labels and probabilities."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np

import karat

from .measuring import Row
from .problems import predictions


def rows(quick: bool) -> Iterator[Row]:
    """The peak of what is allocated on the way to all 27 measures, relative to the size of the input."""
    sizes = ((1_000_000, 2, 0.6), (1_000_000, 5, 1.2), (10_000, 10_000, 1.0))
    for n, k, target in sizes if not quick else ((100_000, 2, 0.6), (100_000, 5, 1.2)):
        y, p = predictions(n, k)
        p = p if k <= 5 else p.astype(np.float32)  # 400 MB; with the input, twice that
        given = p.nbytes + y.nbytes
        karat.evaluate(y[:1000] % 5, p[:1000, :5] / p[:1000, :5].sum(axis=1, keepdims=True)).values(
            "papers"
        )  # what is allocated once is not counted
        tracemalloc.start()
        karat.evaluate(y, p, labels=range(k)).values("papers")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        what = f"extra peak memory, n = {len(y):,}, {k} classes"
        yield Row(what, f"{peak / 1e6:.1f} MB", f"input {given / 1e6:.1f} MB", peak / given, target, False)
