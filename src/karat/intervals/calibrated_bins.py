"""Intervals of calibration errors in bins. A sum of absolute gaps is too large wherever a gap is near 0, the more the
fewer cases there are; resampling the cases makes it larger once more. Here bins whose gap could be chance count as
calibrated, outcomes are drawn again from that (Broecker & Smith 2007, Vaicenavicius et al. 2019), and what such draws
add to the error is taken off."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.validation import too_few
from karat.intervals.interval_ends import Ends, quantile
from karat.measures.value import MeasureOf
from karat.resampling.draws import Resampling, stream

CLEAR = 2.5
"""Standard errors by which the gap of a bin must differ from 0 to be taken for more than chance."""


def of_bins(m: MeasureOf, bins: Any, value: float, resampling: Resampling, extremes: tuple[float, float]) -> Ends:
    """The interval of a measure of bins (weight, forecast, hits: of the cases in each)."""
    weight, forecast, hits = (np.asarray(x, float) for x in (bins.weight, bins.forecast, bins.hits))
    smooth = (hits + 0.5) / (weight + 1)  # a bin whose cases are all right still has some spread
    with np.errstate(divide="ignore", invalid="ignore"):
        stated = np.where(weight > 0, forecast / weight, 0.0)
        spread = np.sqrt(smooth * (1 - smooth) / weight)
        clear = (weight > 0) & (np.abs(hits / weight - stated) > CLEAR * spread)
    likely = np.clip(np.where(clear, smooth, stated), 0.0, 1.0)
    rng = stream(resampling.seed, 1 << 26)
    cases = rng.multinomial(round(float(weight.sum())), weight / weight.sum(), resampling.replicates)
    drawn = type(bins)(cases.astype(float), cases * stated, rng.binomial(cases, likely).astype(float))
    values = np.sort(m.values(drawn))
    centre = float(m.values(type(bins)(weight, weight * stated, weight * likely)))
    above, middle = quantile(values, (1 + resampling.level) / 2), quantile(values, 0.5)
    # gaps that were taken for chance may be real: above, nothing is taken off
    low, high = value - (above - centre), value + (above - middle)
    low, high = (min(max(x, extremes[0]), extremes[1]) for x in (low, high))
    reasons = too_few(resampling.replicates, resampling.level), _told(value, low, high)
    return Ends(low, high, "consistency", "; ".join(filter(None, reasons)))


def _told(value: float, low: float, high: float) -> str:
    if low <= value <= high:
        return ""
    return "chance alone makes the error this large; the interval is of what it would be without"
