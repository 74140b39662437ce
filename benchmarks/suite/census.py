"""Every 3 x 3 confusion matrix of N cases, in blocks that stay in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from karat.catalogue import measures
from karat.core.measure import Measure
from karat.measures.value import values_of_many
from karat.statistics import Counts, many_tables

from .measuring import Row, duration, in_turns

ASKED = [measures[symbol] for symbol in ("Acc", "MCC", "CEN")]
MORE = [*ASKED, measures["tMCC"]]


def measured(counts: Counts, asked: list[Measure]) -> list[Any]:
    """The measures of a block."""
    return [*values_of_many(tuple(asked), {Counts: counts}.__getitem__, counts.lead).values()]


def highest(n: int, asked: list[Measure]) -> list[float]:
    """The largest value of each, over all tables."""
    best = [-math.inf] * len(asked)
    with np.errstate(all="ignore"):  # tMCC of a perfect table is 0 times infinite, and said to be 0
        for block in many_tables.tables(3, n):
            best = [max(b, float(v.max())) for b, v in zip(best, measured(block, asked), strict=True)]
    return best


def rows(quick: bool) -> Iterator[Row]:
    """Matrices per second: enumerated and measured; and measured as tables that lie there."""
    n = 18 if quick else 24  # a multiple of 6: then a table with all errors alike, CEN 1, is among them
    tables = many_tables.size(3, n)
    if sum(block.shape[0] for block in many_tables.tables(3, n)) != tables:
        raise AssertionError("the census is not complete")
    if not np.allclose(highest(n, ASKED), 1):
        raise AssertionError(f"the largest Acc, MCC and CEN should be 1, not {highest(n, ASKED)}")
    block = next(many_tables.tables(3, n)).table
    calls: list[Callable[[], Any]] = [
        lambda: highest(n, ASKED),
        lambda: highest(n, MORE),
        lambda: measured(Counts(block), ASKED),
    ]
    times = in_turns(calls, 3 if quick else 7)
    for what, seconds, count, target in (
        (f"Acc, MCC and CEN of all {tables:,} matrices of {n} cases, 3 classes", times[0], tables, 120.0),
        ("the same and tMCC", times[1], tables, 120.0),
        ("Acc, MCC and CEN of matrices that lie there as arrays", times[2], len(block), None),
    ):
        yield Row(what, f"{duration(seconds / count)} each", "", count / seconds / 1e6, target)
