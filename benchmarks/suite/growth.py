"""How time and memory grow with the cases and with the classes: nothing grows faster than sorting."""

from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np

import karat

from .measuring import Row, duration
from .problems import predictions

CASES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000)
CLASSES = ((2, 200_000), (10, 40_000), (100, 4_000), (1_000, 1_000), (10_000, 1_000))
"""classes, and cases of them"""
REPLICATES = (100, 1_000, 10_000)
MODELS = (2, 4, 8)
ASKED = ["roc_auc", "accuracy", "log_loss"]
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
    yield from replicates(10_000)
    yield from models(2_000)


def replicates(n: int) -> Iterator[Row]:
    """Of the default measures of two classes; each line against the one above."""
    y, p = predictions(n, 2)
    before = 0.0
    for R in REPLICATES:
        e = karat.evaluate(y, p)
        seconds, _ = spent(lambda e=e, R=R: e.intervals(method="percentile", replicates=R, workers=1))  # type: ignore[misc]
        words = f"{duration(seconds / R)} a replicate", "the number of replicates, from the line above"
        share = seconds / before / 10 if before else 1.0
        yield Row(f"intervals, n = {n:,}, {R:,} replicates", *words, share, MARGIN, at_least=False)
        before = seconds


def models(n: int) -> Iterator[Row]:
    """Comparisons are of pairs of models, so that they grow with the number of pairs."""
    y, p = predictions(n, 2)
    noise = np.random.default_rng(1).normal(0, 0.5, (max(MODELS), n))
    scores = 1 / (1 + np.exp(-(np.log(p[:, 1] / p[:, 0]) + noise)))
    each: float | None = None
    for m in MODELS:
        evaluations = {f"model {i}": karat.evaluate(y, scores[i]) for i in range(m)}
        seconds, _ = spent(lambda e=evaluations: karat.compare(e, measures=ASKED).to_dict())  # type: ignore[misc]
        pairs = m * (m - 1) // 2
        share = 1.0 if each is None else seconds / pairs / each
        words = f"{duration(seconds / pairs)} a pair", "the number of pairs, from the first line"
        yield Row(f"comparison of {m} models, n = {n:,}", *words, share, MARGIN, at_least=False)
        each = seconds / pairs if each is None else each


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
