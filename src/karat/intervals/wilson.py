"""Intervals of plain rates: so many of so many."""

from __future__ import annotations

import math

from scipy.special import ndtri


def wilson(cases: float, of: float, level: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share: the shares that a score test at this level does not reject."""
    z = float(ndtri((1 + level) / 2))
    share, square = cases / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return (0.0 if cases == 0 else middle - half), (1.0 if cases == of else middle + half)
