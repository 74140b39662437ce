"""Decisions under costs, with loops: scores to decide by, and what decisions cost."""

from __future__ import annotations

from typing import Any

import numpy as np

COST = [[0.0, 1.0], [5.0, 0.0]]


def scored(seed: int = 1, n: int = 60, digits: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, np.clip(np.round(0.3 * y + rng.normal(0.35, 0.2, n), digits), 0, 1)


def literal_cost(y: Any, d: Any, cost: Any, prior: Any) -> float:
    """Mean cost of the cases of each class, averaged by prior."""
    found = 0.0
    for j, share in enumerate(prior):
        mine = [cost[j][b] for a, b in zip(y, d, strict=True) if a == j]
        found += share * sum(mine) / len(mine)
    return found


def literal_rule(row: Any, cost: Any, new: Any, old: Any) -> int:
    moved = [p * a / b for p, a, b in zip(row, new, old, strict=True)]
    total = sum(moved)
    worth = [sum(moved[j] / total * cost[j][d] for j in range(len(row))) for d in range(len(cost[0]))]
    return worth.index(min(worth))
