"""Intervals of plain rates: so many of so many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from scipy.special import ndtri

from karat.core.arithmetic import Number

Share = Callable[[Any], tuple[Number, Number]]

RATES: dict[str, Share] = {
    "Acc": lambda c: (c.sums.trace, c.sums.total),
    "EC": lambda c: (c.sums.wrong, c.sums.total),
    "TPR": lambda b: (b.tp, b.tp + b.fn),
    "FNR": lambda b: (b.fn, b.tp + b.fn),
    "FPR": lambda b: (b.fp, b.fp + b.tn),
    "TNR": lambda b: (b.tn, b.fp + b.tn),
    "PPV": lambda b: (b.tp, b.tp + b.fp),
    "NPV": lambda b: (b.tn, b.tn + b.fn),
    "Prev": lambda b: (b.tp + b.fn, b.tp + b.fn + b.fp + b.tn),
    "PredPos": lambda b: (b.tp + b.fp, b.tp + b.fn + b.fp + b.tn),
    "Jaccard": lambda b: (b.tp, b.tp + b.fp + b.fn),
}
"""Measures that are a number of cases over a number of cases: both, from the measure's statistic."""


def wilson(cases: float, of: float, level: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share: the shares that a score test at this level does not reject."""
    z = float(ndtri((1 + level) / 2))
    share, square = cases / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return (0.0 if cases == 0 else middle - half), (1.0 if cases == of else middle + half)
