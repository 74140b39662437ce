"""How often models that do not differ are called different once their rows are gone, and how often an interval holds
the difference: by the blocks that an accumulator keeps, beside the rows themselves and beside replicates in which every
row has a Poisson weight of its own.

    python benchmarks/block_level.py [samples] [first seed] [0 or 1]

Two models whose scores were exchanged case by case at random, so that they do not differ: 2,000 cases, half of them
positive (0), or 20,000, 3 % positive (1). They are accumulated one by one, so that accuracies are compared by blocks,
too, and not by a count of cases that one model alone has right.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

import numpy as np

import karat

MEASURES = ("LogLoss", "AUC", "Acc")
POPULATIONS = {"2,000 cases, half positive": (2000, 0.0), "20,000 cases, 3 % positive": (20_000, -4.6)}
REPLICATES = 200


def drawn(rng: np.random.Generator, n: int, shift: float) -> tuple[Any, dict[str, Any]]:
    """Truth, and the probabilities of two models that do not differ."""
    z = rng.normal(shift, 1.5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(np.int8)
    p, q = (1 / (1 + np.exp(-(z + rng.normal(0, sd, n)))) for sd in (0.4, 0.9))
    swap = rng.random(n) < 0.5
    return y, {"a": np.where(swap, p, q).astype(np.float32), "b": np.where(swap, q, p).astype(np.float32)}


def added_up(y: Any, proba: Any) -> karat.Evaluation:
    """A model whose rows were let go."""
    a = karat.Accumulator(exact=False, paired=True)
    a.update(y, proba)
    return a.evaluation()


def values(y: Any, p: Any, weight: Any) -> dict[str, Any]:
    """The measures of replicates [R], by the weight of each row in them [R, n]."""
    hit = np.where(y == 1, p, 1 - p).astype(float)
    n = weight.sum(axis=1)
    order = np.argsort(p, kind="stable")
    w, own = weight[:, order], y[order] == 1
    below = np.cumsum(w * ~own, axis=1)
    auc = (w * own * below).sum(axis=1) / (w[:, own].sum(axis=1) * w[:, ~own].sum(axis=1))
    return {"LogLoss": weight @ -np.log(hit) / n, "AUC": auc, "Acc": weight @ ((p > 0.5) == y) / n}


def by_poisson(y: Any, proba: dict[str, Any], rng: np.random.Generator) -> dict[str, tuple[float, float, float]]:
    """(p, low, high) of replicates with a weight for each row."""
    from scipy.stats import t

    weight = np.vstack([np.ones(len(y)), rng.poisson(1, (REPLICATES, len(y)))])
    a, b = (values(y, p, weight) for p in proba.values())
    out = {}
    for name in MEASURES:
        d = a[name] - b[name]
        error, far = d[1:].std(ddof=1), t.ppf(0.975, REPLICATES - 1)
        out[name] = (2 * t.sf(abs(d[0]) / error, REPLICATES - 1), d[0] - far * error, d[0] + far * error)
    return out


def main() -> None:
    samples, first, which = (int(x) for x in (*sys.argv[1:], *("500", "0", "0")[len(sys.argv) - 1 :]))
    title, (n, shift) = list(POPULATIONS.items())[which]
    found: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for seed in range(first, first + samples):
        rng = np.random.default_rng(seed)
        y, proba = drawn(rng, n, shift)
        ways = {"blocks": karat.compare({m: added_up(y, p) for m, p in proba.items()}, measures=MEASURES)}
        ways |= {"rows": karat.compare(proba, y, measures=MEASURES)}
        each = {w: {m: c["a", "b"][m] for m in MEASURES} for w, c in ways.items()}
        judged = {w: {m: (d.p, d.low, d.high) for m, d in of.items()} for w, of in each.items()}
        for way, of in (judged | {"Poisson weights": by_poisson(y, proba, rng)}).items():
            for name, (p, low, high) in of.items():
                found[way, name].append((p, low <= 0 <= high))
        if (seed + 1 - first) % 50 == 0:
            show(title, found)


def show(title: str, found: Any) -> None:
    """So far."""
    print(f"{title}, {len(found['rows', 'AUC'])} samples\n")
    print("| by | measure | p < 5 % | p < 1 % | interval holds 0 |\n|---|---|---|---|---|")
    for (way, name), each in found.items():
        p, holds = (np.array(x) for x in zip(*each, strict=True))
        print(f"| {way} | {name} | {(p < 0.05).mean():.3f} | {(p < 0.01).mean():.3f} | {holds.mean():.3f} |")
    print(flush=True)


if __name__ == "__main__":
    main()
