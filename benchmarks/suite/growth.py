"""How time and memory grow with the cases and with the classes: nothing grows faster than sorting."""

from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import karat

from .measuring import Row, duration
from .problems import predictions

CASES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CLASSES = ((2, 200_000), (10, 40_000), (100, 4_000), (1_000, 1_000))
"""classes, and cases of them"""
MARGIN = 2.0
"""How much more than n log n a step of the table may cost: caches are left behind on the way."""


def rows(quick: bool) -> Iterator[Row]:
    """Per row, of more and more cases; per probability, of more and more classes."""
    before: tuple[int, float] | None = None
    for n in CASES[:3] if quick else CASES:
        y, p = predictions(n, 2)
        seconds, extra = spent(lambda y=y, p=p: karat.evaluate(y, p).values("papers"))  # type: ignore[misc]
        share = 1.0 if before is None else seconds / before[1] / (n * math.log(n) / before[0] / math.log(before[0]))
        memory = f"{extra / (p.nbytes + y.nbytes):.2f} of the input"
        words = f"{duration(seconds / n)} a row, {memory}", "n log n from the line above"
        yield Row(f"27 measures, two classes, n = {n:,}", *words, share, MARGIN, at_least=False)
        before = n, seconds
    for k, n in CLASSES[:3] if quick else CLASSES:
        y, p = predictions(n, k)
        seconds, extra = spent(lambda y=y, p=p: karat.evaluate(y, p, labels=range(p.shape[1])).values("papers"))  # type: ignore[misc]
        words = f"{duration(seconds / p.size)} a probability", f"input {(p.nbytes + y.nbytes) / 1e6:.1f} MB"
        yield Row(f"extra memory, {k:,} classes, n = {n:,}", *words, extra / (p.nbytes + y.nbytes), 1.2, at_least=False)


def spent(call: Callable[[], Any]) -> tuple[float, int]:
    """CPU seconds of the best of some calls, and the bytes that one of them needs at its peak."""
    call()
    gc.collect()
    taken = []
    while sum(taken) < 0.3 and len(taken) < 50:
        start = process_time()
        call()
        taken.append(process_time() - start)
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return min(taken), peak
