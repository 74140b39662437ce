"""Expected costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .case import Case, Oracle
from .rates import fpr, tpr


def expected_cost(case: Case) -> float:
    """Prati 2011, eq. (1): sum of P(x, y) cost(x, y) with the cost 1 for every wrong decision."""
    table = case.C
    s = math.fsum(cell for row in table for cell in row)
    total = 0.0
    for x in range(case.k):
        for y in range(case.l):
            cost = 0.0 if x == y else 1.0
            total += table[x][y] / s * cost
    return total


def EC_weighted(case: Case, cost: Sequence[Sequence[float]], prior: Sequence[float]) -> float:
    """Prati 2011, eq. (1): sum of P(y | x) prior(x) cost(x, y) for a target prior and any cost matrix."""
    table = case.C
    total = 0.0
    for x in range(case.k):
        if prior[x] == 0:
            continue
        row_sum = math.fsum(table[x])
        if row_sum == 0:
            return math.nan
        for y in range(case.l):
            total += prior[x] * table[x][y] / row_sum * cost[x][y]
    return total


def NEC(case: Case, pc: float) -> float:
    """Drummond & Holte 2006; Prati 2011, eqs (3)-(5): normalised expected cost (1 - tpr) PC + fpr (1 - PC)."""
    return (1 - tpr(case)) * pc + fpr(case) * (1 - pc)


ORACLES: dict[str, Oracle] = {
    "EC": expected_cost,
}
