"""How often do intervals hold the truth? `python benchmarks/coverage.py` writes `docs/coverage.md` (about ten minutes).

Samples of a known population, an interval of each, and the share of intervals that hold the population's value.
`--samples` makes it shorter; then the page is printed and not written.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import karat

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
SHOWN = ("Acc", "MCC", "CEN", "rpCEN", "EMA", "AUNU", "AU1U", "LogL", "MSE")
MORE = (
    "KapS",
    "MFM",
    "MAvA",
    "MAvG",
    "AU1P",
    "AUNP",
    "SAUC",
    "PAUC",
    "MAPR",
    "MAE",
    "tMCC",
    "rCEN",
    "pCEN",
    "RCI",
    "NIT",
)
SAMPLES, POPULATION, LEVEL = 2000, 4_000_000, 0.95
METHODS = ("auto", "percentile", "basic", "bca")


def sample(rng: np.random.Generator, n: int, k: int) -> tuple[Any, Any]:
    """Classes with frequencies k : k - 1 : ... : 1, and the softmax of normal numbers, that of the class 1.5 higher."""
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / (k * (k + 1) / 2))
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1.5
    p = np.exp(z)
    return y, p / p.sum(axis=1, keepdims=True)


@cache
def truth(k: int, symbols: tuple[str, ...]) -> dict[str, float]:
    """Of a sample so large that its own error does not matter."""
    return karat.evaluate(*sample(np.random.default_rng(k), POPULATION, k), positive=0).values(symbols)


Shares = tuple[float, float, float]


def coverage(k: int, n: int, samples: int, symbols: tuple[str, ...], method: str = "auto") -> dict[str, Shares]:
    """Symbol to the shares of intervals that hold the truth, that lie above it, and that lie below it."""
    expected, rng = truth(k, symbols), np.random.default_rng([k, n])
    above, below = dict.fromkeys(symbols, 0), dict.fromkeys(symbols, 0)
    for i in range(samples):
        e = karat.evaluate(*sample(rng, n, k), labels=range(k), positive=0)
        found = e.intervals(symbols, level=LEVEL, method=method, seed=i, workers=1)
        for symbol in symbols:
            one = found[symbol]
            above[symbol] += not one.low <= expected[symbol]  # an interval that can't be given misses
            below[symbol] += one.low <= expected[symbol] and not expected[symbol] <= one.high
    return {s: (1 - (above[s] + below[s]) / samples, above[s] / samples, below[s] / samples) for s in symbols}


def page(samples: int) -> Iterator[str]:
    """The parts of the page."""
    error = 1.96 * math.sqrt(LEVEL * (1 - LEVEL) / samples)
    yield HEAD.format(samples=samples, level=LEVEL, population=POPULATION, error=error)
    sizes = [(k, n) for n in (200, 2000) for k in (2, 3, 5)]
    both = (*SHOWN, *MORE)
    columns = [coverage(k, n, samples, both if n == 200 else SHOWN) for k, n in sizes]
    yield table([f"n = {n:,}, {k} classes" for k, n in sizes], columns, both)
    yield WHY
    yield table(list(METHODS), [coverage(5, 200, samples, SHOWN, method) for method in METHODS], SHOWN)
    yield EXCEPTIONS
    ten = [coverage(10, 200, samples, both), coverage(10, 200, samples, ("AUNU", "AU1U"), "analytic")]
    yield table(["auto", "analytic"], ten, both)
    yield AREAS
    kinds = [(n, method) for n in (200, 2000) for method in ("auto", "analytic")]
    areas = [coverage(2, n, samples, ("AUC",), method) for n, method in kinds]
    yield table([f"n = {n:,}, {method}" for n, method in kinds], areas, ("AUC",))


HEAD = """# How often intervals hold the truth

Written by `python benchmarks/coverage.py`, not by hand.

{samples:,} samples of a population of unequal classes (frequencies k : k - 1 : ... : 1; the softmax of normal numbers),
an interval of level {level} of each with 1,000 replicates, and the share that holds the population's value (that of
{population:,} cases). With so many samples a true share of {level} shows within {error:.3f}. In brackets: how often the
interval lay above and below the truth. Shares outside 0.93 to 0.97 are set in bold.

## `method="auto"`, which is the default
"""
WHY = """
## Why not one method for all: n = 200, 5 classes

Counts make entropies look smaller and errors more orderly than they are, and resampling does it once more: percentiles
are off by twice the bias. BCa mends a small bias, the basic interval a larger one; of measures without bias the basic
interval is the worst. `auto` looks at where the value lies among the replicates.
"""
EXCEPTIONS = """
## Exceptions: n = 200, 10 classes

Two cases for each cell of the table are too few for measures of its disorder (CEN, rCEN, RCI; rCEN already with five
classes): their bias is several times their standard error, and resampling can't know all of it. Where it shifts a
measure by more than two standard errors, the interval's `reason` says so. The rarest class has about four cases: few
for averages in which every class counts the same (MAvA, MAvG, AUNU, AU1U, SAUC, PAUC, MAPR). Losses, agreement and
averages by frequency cover. The second column is the formula (`method="analytic"`), which can't be given where a class
has a single case.
"""
AREAS = """
## An area by DeLong's formula, two classes

The normal interval of an area near 1 is too symmetric; `auto` takes it only if every class has 1,000 cases.
"""


def table(names: list[str], columns: list[dict[str, Shares]], symbols: tuple[str, ...]) -> str:
    """Rows of measures."""
    lines = [f"| | {' | '.join(names)} |", f"| --- |{' --- |' * len(names)}"]
    for symbol in symbols:
        found = (column.get(symbol) for column in columns)
        lines.append(f"| {symbol} | {' | '.join('' if x is None else cell(*x) for x in found)} |")
    return "\n".join(lines)


def cell(held: float, above: float, below: float) -> str:
    """A share, set in bold if it is not what it should be."""
    mark = "" if 0.93 <= held <= 0.97 else "**"
    return f"{mark}{held:.3f}{mark} ({above:.3f}, {below:.3f})"


def main() -> None:
    """Write the page, or print a short version."""
    parser = argparse.ArgumentParser(description="The share of intervals that hold the truth.")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="samples of each kind")
    asked = parser.parse_args()
    parts = []
    for part in page(asked.samples):
        parts.append(part)
        print(part, flush=True)
    if asked.samples == SAMPLES:
        PAGE.write_text("\n".join([*parts, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
