"""Every path to a number: the same data as rows, in another order, repeated, as a matrix, in a batch, accumulated, as a
replicate that draws every case once. `python tests/paths/paths.py FIRST COUNT` prints what differs."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import karat
from karat import catalogue
from karat.measures.certified import of_cells
from karat.measures.value import measures_of
from karat.resampling.measure_values import values_in_replicates
from karat.resampling.replicates import Replicates
from karat.statistics import Counts

WITHIN = 1e-12
LEFT_OUT = 1e300
Values = dict[str, float]


@dataclass(frozen=True)
class Random:
    """Random data of a random shape."""

    y: Any
    p: Any
    w: Any
    k: int

    @classmethod
    def of(cls, seed: int) -> Random:
        rng = np.random.default_rng([77, seed])
        k, n = int(rng.choice([2, 2, 2, 3, 5, 9])), int(rng.choice([1, 2, 7, 40, 200, 700]))
        y = rng.choice(k, n, p=rng.dirichlet(np.ones(k)))
        z = np.exp(rng.choice([0.2, 2.0, 20.0]) * (rng.normal(size=(n, k)) + np.eye(k)[y]))
        p = z / z.sum(axis=1, keepdims=True)
        if rng.random() < 0.5:  # ties, 0 and 1
            parts = np.floor(p * 16).astype(int)
            parts[np.arange(n), p.argmax(axis=1)] += 16 - parts.sum(axis=1)
            p = parts / 16
        w = [None, None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.05][rng.integers(4)]
        return cls(y, p, w, k)

    def evaluated(self, order: Any = slice(None)) -> karat.Evaluation:
        w = None if self.w is None else self.w[order]
        positive = 1 if self.k == 2 else None
        return karat.evaluate(self.y[order], self.p[order], labels=range(self.k), positive=positive, sample_weight=w)


def all_values(e: karat.Evaluation) -> Values:
    """Every measure; of several classes those of each class."""
    found: Values = {}
    for symbol, m in catalogue.measures.items():
        if e.statistics.lacks(m.statistic):
            continue
        if m.classwise and e.positive is None:
            column = e.per_class([m]).columns[m.symbol]
            found |= {f"{symbol}[{j}]": float(x) for j, x in enumerate(column)}
        else:
            found[symbol] = float(e[symbol])
    return found


class Once:
    """A replicate that draws every case once."""

    def __init__(self, n: int) -> None:
        self.rows, self.cases = 1, n

    def counts(self, part: slice) -> Any:
        return np.ones((1, self.cases), np.uint8)[part]


def paths(data: Random, seed: int) -> Iterator[tuple[str, Values]]:
    """The name of a path, and the values on it."""
    rng = np.random.default_rng([78, seed])
    e, n = data.evaluated(), len(data.y)
    order = rng.permutation(n)
    yield "another order", all_values(data.evaluated(order))
    table = e.statistics[Counts].table
    positive = 1 if data.k == 2 else None
    yield "matrix", all_values(karat.evaluate_matrix(table, labels=range(data.k), positive=positive))
    of_tables = [s for s, m in catalogue.measures.items() if m.statistic is Counts and not m.classwise]
    many = karat.evaluate_matrices([table, np.ones((3, 3)), table * 2], of_tables)
    yield "matrices", {s: float(x[0]) for s, x in many.items()}
    for exact in (True, False):
        whole = karat.Accumulator(labels=range(data.k), positive=positive, exact=exact)
        for part in np.array_split(order, rng.integers(1, 5)):
            if len(part):
                w = None if data.w is None else data.w[part]
                whole.update(data.y[part], data.p[part], sample_weight=w)
        found = whole.evaluation()
        yield f"accumulator, exact={exact}", {s: at_rows(e, found, s, v) for s, v in all_values(found).items()}
    if data.w is None:
        overall = [s for s, m in catalogue.measures.items() if not m.classwise]
        batch = karat.evaluate_batch(np.stack([data.y, data.y[order]]), np.stack([data.p, data.p[order]]), overall)
        yield "batch", {s: float(x[1]) for s, x in batch.items()}
    elif (data.w == data.w.round()).all():
        again = np.repeat(np.arange(n), data.w.astype(int))
        yield "repeated", {
            s: v for s, v in all_values(Random(data.y[again], data.p[again], None, data.k).evaluated()).items()
            if catalogue.measures[s.split("[")[0]].statistic.weighted
        }  # fmt: skip
    source: Any = e.statistics.source
    asked = [m for m in catalogue.measures.values() if not m.classwise and not e.statistics.lacks(m.statistic)]
    drawn = values_in_replicates(measures_of(asked, None, e.statistics), Replicates(source), Once(n))
    yield "replicate", {key: float(x[0]) for key, x in drawn.items()}


def at_rows(rows: Any, found: Any, key: str, value: float) -> float:
    """A value; of a measure that is known between bounds without the rows, that of the rows if they hold it."""
    m = catalogue.measures[key.split("[")[0]]
    if not of_cells(m, found.statistics):
        return value
    if key != m.symbol:
        return LEFT_OUT  # bounds are of one number
    (low, high), exact = found.bounds(m), float(rows[m.symbol])
    held = math.isnan(low) or low - WITHIN <= exact <= high + WITHIN
    return exact if held else value


def far(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) != math.isnan(other)
    return one != other and abs(one - other) > WITHIN * max(1.0, abs(one), abs(other))


def differences(seed: int) -> Iterator[dict[str, Any]]:
    """What differs from the rows."""
    data = Random.of(seed)
    rows = all_values(data.evaluated())
    for path, values in paths(data, seed):
        for key, value in values.items():
            if key in rows and value != LEFT_OUT and far(rows[key], value):
                yield {"seed": seed, "path": path, "measure": key, "rows": rows[key], "there": value}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    first, count = int(sys.argv[1]), int(sys.argv[2])
    compared = 0
    for number in range(first, first + count):
        if sys.argv[3:] == ["values"]:
            print(json.dumps(all_values(Random.of(number).evaluated())))
            continue
        compared += 1
        for difference in differences(number):
            print(json.dumps(difference), flush=True)
    if sys.argv[3:] != ["values"]:
        print(json.dumps({"problems": compared}))
