"""From replicates to the ends of an interval: percentile, basic and BCa."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from karat.core.arithmetic import Array
from karat.core.validation import too_few

BIASED = 0.3
"""With fewer than this share of replicates on one side of the value, resampling shifts a measure more than percentiles
can mend; "auto" then turns to the basic interval, which takes the shift off twice."""
STRAINED = 0.02
"""With fewer than this share on one side, the user is told."""
JACKKNIFE = 200
"""Groups left out in turn for the acceleration, where there are more cases than that."""


class Ends(NamedTuple):
    """Of an interval, how they were found, and what to know about it."""

    low: float
    high: float
    method: str
    reason: str = ""


FAR = "resampling shifts it by more than two standard errors: with so few cases the interval may well miss"
SAME = "every replicate gives this value, so that resampling can't tell how uncertain it is"


def ends(
    method: str, value: float, x: Array, level: float, acceleration: float | None, extremes: tuple[float, float]
) -> Ends:
    """The interval of one measure, from the replicates in which it is defined; `extremes` are the ends of its range.
    BCa without an acceleration (None) corrects the bias alone, and is called "bc"."""
    corrected = "bca" if acceleration is not None else "bc"
    x = np.sort(x)
    if x[0] == x[-1] == value:
        return Ends(value, value, corrected if method in ("auto", "bca") else method, SAME)
    tail = (1 - level) / 2
    under = (int(x.searchsorted(value, "left")) + int(x.searchsorted(value, "right"))) / (2 * len(x))
    if method == "auto":
        method = "bca" if BIASED <= under <= 1 - BIASED else "percentile" if value in extremes else "basic"
    note = too_few(len(x), level) or ("" if STRAINED <= under <= 1 - STRAINED or value in extremes else FAR)
    if method != "bca":
        low, high = quantile(x, tail), quantile(x, 1 - tail)
        return (
            Ends(low, high, method, note) if method == "percentile" else Ends(*_turned(low, high, value), method, note)
        )
    if not 0 < under < 1:
        side = "below" if under == 0 else "above"
        return Ends(math.nan, math.nan, corrected, f"no replicate is {side} the value: its bias is too large for BCa")
    z = float(ndtri(under))
    low, high = (quantile(x, _shifted(z, float(ndtri(p)), acceleration or 0.0)) for p in (tail, 1 - tail))
    return Ends(low, high, corrected, note)


def _turned(low: float, high: float, value: float) -> tuple[float, float]:
    return 2 * value - high, 2 * value - low


def _shifted(z: float, at: float, acceleration: float) -> float:
    """The share of replicates that takes the place of Phi(at) (Efron 1987)."""
    return float(ndtr(z + (z + at) / (1 - acceleration * (z + at))))


def quantile(x: Array, share: float) -> float:
    """Of ascending values: between those at share * (R + 1), but never beyond the ends."""
    at = min(max(share * (len(x) + 1) - 1, 0.0), len(x) - 1.0)
    low = math.floor(at)
    a, b = float(x[low]), float(x[min(low + 1, len(x) - 1)])
    return a if a == b else a + (at - low) * (b - a)


def acceleration(left_out: Array, times: Array, stratum: Array) -> float:
    """Of the values with one case (or group) of a stratum left out, each occurring so many times: a sixth of the
    skewness of their influence within the strata; 0 where it can't be told."""
    squares = cubes = 0.0
    for s in np.unique(stratum):
        kept = np.isfinite(left_out) & (times > 0) & (stratum == s)
        if kept.any():
            x, m = left_out[kept], times[kept]
            d = (m @ x) / m.sum() - x
            squares, cubes = squares + float(m @ d**2), cubes + float(m @ d**3)
    return 0.0 if squares <= 1e-300 else cubes / (6 * squares**1.5)
