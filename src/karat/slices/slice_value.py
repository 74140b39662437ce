"""What a slice is worth, on cases that did not find it: its mean loss, an interval, and how likely that is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from karat.core.arithmetic import Array
from karat.intervals.interval_ends import studentised
from karat.intervals.rate_interval import of_rate
from karat.resampling.influence import Influence
from karat.slices.slice_search import Losses
from karat.statistics.p_values import never_0

DRAWS = 9999
"""Random subsets that a slice is held against, at most."""
ENOUGH = 20
"""The drawing ends when so many subsets had a loss as high (Besag & Clifford 1991)."""
LARGE = 2000
"""Cases of a slice from which on Welch's t test takes the place of the drawing."""
FEWEST = 2


class SliceValue(NamedTuple):
    """Of the cases of a slice."""

    value: float
    low: float
    high: float


def slice_value(losses: Losses, level: float, extremes: tuple[float, float]) -> SliceValue:
    """The mean loss of the cases of a slice, with its interval."""
    value = mean_loss(losses)
    if losses.counted:
        low, high, _ = of_rate(float(losses.loss.sum()), float(len(losses.loss)), level)
        return SliceValue(value, low, high)
    ends = studentised(influence_of_mean(losses), level, extremes)
    return SliceValue(value, ends.low, ends.high)


def mean_loss(losses: Losses) -> float:
    """Weighted, if there are weights; nan of no cases."""
    w = losses.weight
    total = float(len(losses.loss)) if w is None else float(w.sum())
    return float(losses.loss.sum() if w is None else w @ losses.loss) / total if total > 0 else math.nan


def influence_of_mean(losses: Losses) -> Influence:
    """What each case adds to a mean."""
    n = len(losses.loss)
    w = np.ones(n) if losses.weight is None else losses.weight
    value = mean_loss(losses)
    left = w.sum() - w
    shares = np.full(n, 1 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = (w @ losses.loss - w * losses.loss) / left
    return Influence(value, (value - without) * (1 - shares), shares, np.ones(n), np.zeros(n, np.int64))


def p_of_slice(losses: Losses, inside: Array, rng: np.random.Generator) -> float:
    """Two-sided: twice the chance that as many cases, drawn at random, have a mean loss as far above the others'.

    Of errors it is Fisher's exact test. Of other losses (and with weights) the mean is taken in standard errors, so
    that a slice whose losses vary more, but are not higher, is not claimed (Janssen 1997); the chance is that of random
    subsets, of large slices Welch's t test."""
    m = int(inside.sum())
    if m < FEWEST or len(inside) - m < FEWEST:
        return 1.0
    if losses.counted:
        return min(1.0, 2 * never_0(_fisher(losses.loss, inside)))
    w = np.ones(len(inside)) if losses.weight is None else losses.weight
    seen = _welch(losses.loss, w, np.flatnonzero(inside))
    if not seen[0] > 0:
        return 1.0
    if m >= LARGE:
        return min(1.0, 2 * never_0(float(stdtr(seen[1], -seen[0]))))
    as_high, drawn = 0, 0
    while drawn < DRAWS and as_high < ENOUGH:
        drawn += 1
        as_high += _welch(losses.loss, w, rng.choice(len(inside), m, replace=False, shuffle=False))[0] >= seen[0]
    return min(1.0, 2 * (as_high / drawn if as_high == ENOUGH else (as_high + 1) / (drawn + 1)))


def _fisher(errors: Array, inside: Array) -> float:
    """The chance of so many errors in the slice, or more, were they spread over all cases at random."""
    from scipy.stats import hypergeom

    return float(hypergeom.sf(errors[inside].sum() - 1, len(errors), errors.sum(), inside.sum()))


def _welch(loss: Array, weight: Array, at: Array) -> tuple[float, float]:
    """How many standard errors the mean loss of these cases is above that of the others, and degrees of freedom."""
    total, first, second, square = _moments(loss, weight)
    inner = _moments(loss[at], weight[at])
    outer = (total - inner[0], first - inner[1], second - inner[2], square - inner[3])
    means, variances = [], []
    for w, wx, wwxx, ww in (inner, outer):
        x = wx / w
        means.append(x)
        variances.append(max(wwxx[0] - 2 * x * wwxx[1] + x * x * ww, 0.0) / w**2)
    error = math.sqrt(sum(variances))
    apart = means[0] - means[1]
    if error <= 0:
        return (math.inf if apart > 0 else -math.inf if apart < 0 else 0.0), 1.0
    m = len(at)
    below = variances[0] ** 2 / (m - 1) + variances[1] ** 2 / max(len(loss) - m - 1, 1)
    return apart / error, sum(variances) ** 2 / below


def _moments(loss: Array, weight: Array) -> tuple[float, float, Array, float]:
    """Sums of w, of w x, of (w^2 x^2, w^2 x), of w^2."""
    wx = weight * loss
    return float(weight.sum()), float(wx.sum()), np.array([float(wx @ wx), float(wx @ weight)]), float(weight @ weight)
