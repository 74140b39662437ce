"""Intervals of calibration errors in bins. A sum of absolute gaps is too large wherever a gap is near 0, the more the
fewer cases there are; resampling the cases makes it larger once more. Here bins whose gap could be chance count as
calibrated, outcomes are drawn again from that (Broecker & Smith 2007, Vaicenavicius et al. 2019), and what such draws
add to the error is taken off."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.core.validation import too_few
from karat.intervals.bounds import REASON
from karat.intervals.interval_ends import Ends, quantile
from karat.intervals.rate_interval import most_unseen
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
    clear |= ((stated >= 1) & (hits < weight)) | ((stated <= 0) & (hits > 0))  # what was sure can't be off by chance
    likely = np.clip(np.where(clear, smooth, stated), 0.0, 1.0)
    rng = stream(resampling.seed, 1 << 26)
    cases = rng.multinomial(round(float(weight.sum())), weight / weight.sum(), resampling.replicates)
    drawn = type(bins)(cases.astype(float), cases * stated, rng.binomial(cases, likely).astype(float))
    values = np.sort(m.values(drawn))
    centre = float(m.values(type(bins)(weight, weight * stated, weight * likely)))
    above, middle = quantile(values, (1 + resampling.level) / 2), quantile(values, 0.5)
    # gaps that were taken for chance may be real: above, nothing is taken off
    low, high = value - (above - centre), value + (above - middle)
    unseen = _with_unseen(m, bins, resampling.level) if ((hits == weight) | (hits == 0)).all() else high
    reasons = [too_few(resampling.replicates, resampling.level), REASON if unseen > high else ""]
    low, high = (min(max(x, extremes[0]), extremes[1]) for x in (low, max(high, unseen)))
    return Ends(low, high, "consistency", "; ".join(filter(None, [*reasons, _told(value, low, high)])))


def _with_unseen(m: MeasureOf, bins: Any, level: float) -> float:
    """The error of bins whose cases all went one way, if the largest share that so many cases need not show went the
    other: in all bins, or in one of them."""
    weight, forecast, hits = (np.asarray(x, float) for x in (bins.weight, bins.forecast, bins.hits))
    shares = [np.full(len(weight), most_unseen(float(weight.sum()), level))]
    for place in np.flatnonzero(weight > 0).tolist():
        shares.append(np.where(np.arange(len(weight)) == place, most_unseen(float(weight[place]), level), 0.0))
    off = (type(bins)(weight, forecast, hits + share * (weight - 2 * hits)) for share in shares)
    return max(float(m.values(b)) for b in off)


def _told(value: float, low: float, high: float) -> str:
    if low <= value <= high:
        return ""
    return "the interval is corrected for the part of the error that sampling noise alone explains"
