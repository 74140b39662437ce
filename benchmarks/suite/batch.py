"""Many small evaluations at once, as studies of measures need them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import karat

from .measuring import Row, insist_on_agreement, times_faster
from .others import scikit_learn

FERRI = karat.catalogue.papers[:18]
"""The measures of Ferri et al."""
SHARED = ("Acc", "KapS", "MFM", "MAvA", "AUC", "MAE", "MSE", "LogL")
LOOPED = 200


def rows(quick: bool) -> Iterator[Row]:
    """Evaluations of 100 cases of two classes."""
    B = 20_000 if quick else 200_000
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (B, 100))
    p = 1 / (1 + np.exp(-rng.normal(2.0 * y - 1, 1.5)))
    peers = [scikit_learn(y[b], np.stack([1 - p[b], p[b]], axis=1), SHARED) for b in range(LOOPED)]
    found = karat.evaluate_batch(y, p, FERRI)
    found["AUC"] = found["AUNU"]
    for b, peer in enumerate(peers):
        insist_on_agreement({symbol: float(found[symbol][b]) for symbol in found}, peer())
    yield times_faster(
        f"one of {B:,} evaluations, 18 measures, n = 100",
        lambda: karat.evaluate_batch(y, p, FERRI),
        lambda: [peer() for peer in peers],
        f"scikit-learn, {len(SHARED)} measures,",
        5_000.0,
        rounds=3 if quick else 5,
        per=(B, LOOPED),
    )
