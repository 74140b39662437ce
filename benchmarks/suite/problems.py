"""Labels and probabilities that know something of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def predictions(n: int, k: int, *, complementary: bool = False, seed: int = 0) -> tuple[Any, Any]:
    """(labels 0..k-1 [n], probabilities [n, k]): a softmax; `complementary` makes two columns exactly [1 - p, p]."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    z = rng.normal(size=(n, k))
    z[np.arange(n), y] += 1
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    return y, np.stack([1 - p[:, 1], p[:, 1]], axis=1) if complementary else p
