"""ROC AUC of two models without rows, compared by blocks, beside DeLong's test on the rows: how often each calls models
different that do not differ, and that do.

    python benchmarks/block_delong.py [samples] [first seed]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from block_level import added_up
from scipy.stats import norm, rankdata

import karat

POPULATIONS = {
    "500 cases, half positive": (500, 0.0, 1.1),
    "2,000 cases, half positive": (2000, 0.0, 0.72),
    "20,000 cases, 3 % positive": (20_000, -4.6, 0.85),
    "20,000 cases, half positive": (20_000, 0.0, 0.52),
}
"""Cases, the middle of their logits, and the noise of a worse model than that of 0.4."""


def drawn(rng: np.random.Generator, n: int, shift: float, noise: float, exchanged: bool) -> tuple[Any, list[Any]]:
    """Truth and the probabilities of two models; scores that are exchanged case by case do not differ."""
    z = rng.normal(shift, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int8)
    p, q = ((1 / (1 + np.exp(-(z + rng.normal(0, sd, n))))).astype(np.float32) for sd in (0.4, noise))
    swap = (rng.random(n) < 0.5) & exchanged
    return y, [np.where(swap, q, p), np.where(swap, p, q)]


def delong(y: Any, proba: list[Any]) -> tuple[float, float]:
    """(p, standard error) of the difference of two ROC AUC."""
    own, above, below = y == 1, [], []
    for p in proba:
        rank = rankdata(p)
        above.append((rank[own] - rankdata(p[own])) / (~own).sum())
        below.append((rank[~own] - rankdata(p[~own])) / own.sum())
    s = np.cov(above) / own.sum() + np.cov(below) / (~own).sum()
    error = float(np.sqrt(s[0, 0] + s[1, 1] - 2 * s[0, 1]))
    return float(2 * norm.sf(abs(above[0].mean() - above[1].mean()) / error)), error


def main() -> None:
    samples, first = (int(x) for x in (*sys.argv[1:], *("500", "0")[len(sys.argv) - 1 :]))
    print("| models | cases | blocks: p < 5 % | DeLong: p < 5 % | same verdict | width of intervals, DeLong's = 1 |")
    print("|---|---|---|---|---|---|")
    for title, (n, shift, noise) in POPULATIONS.items():
        for equal in (True, False):
            found = []
            for seed in range(first, first + samples):
                y, proba = drawn(np.random.default_rng((seed, equal)), n, shift, 0.9 if equal else noise, equal)
                models = {name: added_up(y, p) for name, p in zip("ab", proba, strict=True)}
                d = karat.compare(models, measures=["AUC"])["a", "b"]["AUC"]
                p, error = delong(y, proba)
                found.append((d.p < 0.05, p < 0.05, (d.high - d.low) / (2 * norm.ppf(0.975) * error)))
            blocks, rows, width = np.array(found, float).T
            print(f"| {'equal' if equal else 'unequal'} | {title} | {blocks.mean():.1%} | {rows.mean():.1%} | "
                  f"{(blocks == rows).mean():.1%} | {np.median(width):.3f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
