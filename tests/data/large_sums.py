"""How rounding grows with the number of cases: `python tests/data/large_sums.py` prints a table for docs/trust.md.

Every family of measures of two classes, beside its definition in sums of 64 binary digits (whole numbers stay whole).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import karat

SIZES = (100_000, 1_000_000, 10_000_000, 30_000_000)
FAMILIES = {
    "accuracy, kappa, MCC, F1": ("Acc", "KapS", "MCC", "F1"),
    "ROC AUC": ("AUC",),
    "log loss, Brier score": ("LogLoss", "Brier"),
    "means of the probabilities (MPR, MAPR, PAUC)": ("MPR", "MAPR", "PAUC"),
    "margins (SAUC)": ("SAUC",),
    "calibration (CalL, CalB, ECE)": ("CalL", "CalB", "ECE"),
}
KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "calibrated": (lambda u: u, lambda p: p),
    "sure, and mostly right": (lambda u: np.where(u < 0.5, 0.05 * u**2 + 1e-9, 1 - 0.05 * u**2), lambda p: p),
    "rare, and badly calibrated": (lambda u: 0.4 * u + 0.3, lambda p: 0.002),
}
"""Probabilities from uniform numbers, and how often they come true."""


def by_definition(p: Any, y: Any) -> dict[str, float]:
    """The measures from sorted cases without ties, in extended precision."""
    n = len(p)
    order = np.argsort(p)
    x, hit = p[order].astype(np.longdouble), y[order]
    ones = int(hit.sum())
    zeros = n - ones
    decided = x > 0.5
    tp, fp = int((decided & hit).sum()), int((decided & ~hit).sum())
    fn, tn = ones - tp, zeros - fp
    found = {"Acc": Fraction(tp + tn, n), "F1": Fraction(2 * tp, 2 * tp + fp + fn)}
    chance = Fraction((tp + fp) * ones + (fn + tn) * zeros, n * n)
    found["KapS"] = (found["Acc"] - chance) / (1 - chance)
    found["MCC"] = Fraction(tp * tn - fp * fn, math.isqrt((tp + fp) * (fn + tn) * ones * zeros * 4**60)) * 2**60
    below = np.cumsum(~hit)
    found["AUC"] = Fraction(int(below[hit].sum()), ones * zeros)
    of_truth = np.where(hit, x, 1 - x)
    found["LogLoss"] = -np.log(of_truth).sum() / n
    squared = ((x - hit) ** 2).sum()
    found["Brier"] = 2 * squared / n  # summed over both classes
    found["CalL"] = squared / n  # without ties a segment is a case
    found["MPR"] = of_truth.sum() / n
    found["MAPR"] = (of_truth[hit].sum() / ones + of_truth[~hit].sum() / zeros) / 2
    found["PAUC"] = found["MAPR"]
    mass = np.cumsum(np.where(hit, 0, x))
    found["SAUC"] = ((x * below - mass)[hit].sum() / ones) / zeros
    found["CalB"] = windows(x, hit, max(1, n // 10))
    found["ECE"] = bins(np.where(decided, x, 1 - x), decided == hit)
    return {name: float(value) for name, value in found.items()}


def windows(x: Any, hit: Any, size: int) -> Any:
    """Mean over all windows of neighbours of the mean distance from the share of hits."""
    sums, hits = (np.append(np.longdouble(0), np.cumsum(v.astype(np.longdouble))) for v in (x, hit))
    start = np.arange(len(x) - size + 1)
    stop = start + size
    share = (hits[stop] - hits[start]) / size
    middle = np.clip(np.searchsorted(x, share), start, stop)
    below = share * (middle - start) - (sums[middle] - sums[start])
    above = (sums[stop] - sums[middle]) - share * (stop - middle)
    return (below + above).sum() / size / len(start)


def bins(confidence: Any, right: Any) -> Any:
    """The expected calibration error in ten bins (0, 0.1], ..., (0.9, 1]."""
    where = np.searchsorted(np.arange(11) / 10, confidence.astype(float)) - 1
    parts = [where == i for i in range(10)]
    return sum(abs(confidence[part].sum() - int(right[part].sum())) for part in parts) / len(right)


def errors(kind: str, n: int, seed: int = 0) -> dict[str, float]:
    """How far each measure is from its definition."""
    rng, (probability, truth) = np.random.default_rng(seed), KINDS[kind]
    p = rng.permutation(np.unique(probability(rng.random(n))))
    y = rng.random(len(p)) < truth(p)
    e = karat.evaluate(y.astype(int), p)
    return {name: abs(e[name] - value) for name, value in by_definition(p, y).items()}


def main() -> None:
    """The largest error of each family over all kinds of data."""
    sizes = [int(float(x)) for x in sys.argv[1:]] or SIZES
    worst = {n: [errors(kind, n) for kind in KINDS] for n in sizes}
    print("| measures | " + " | ".join(f"{n:,} cases" for n in sizes) + " |")
    print("|---|" + "--:|" * len(sizes))
    for family, names in FAMILIES.items():
        cells = (max(found[name] for found in worst[n] for name in names) for n in sizes)
        print(f"| {family} | " + " | ".join(f"{x:.0e}" for x in cells) + " |")


if __name__ == "__main__":
    main()
