"""The variance of an area under a ROC curve, if the scores of both sides are normal up to a monotone transformation."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from karat.statistics import ScoreTable


def obuchowski_variance(table: ScoreTable) -> float:
    """By Obuchowski & McClish (1997), as pROC computes it: the curve's parameters from a least-squares line through its
    points on normal axes (specificity on sensitivity), and without the covariance of the two parameters. nan with
    fewer than two points inside."""
    with np.errstate(invalid="ignore"):
        fpr, tpr = table.rates
        x, y = ndtri(tpr), ndtri(1 - fpr)
    inside = np.isfinite(x) & np.isfinite(y)
    if len(set(x[inside].tolist())) < 2:
        return math.nan
    x, y = x[inside], y[inside]
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum())
    start = float(y.mean() - slope * x.mean())
    own, others = float(table.positive.sum()), float(table.negative.sum())
    kappa, spread = others / own, 1 + slope**2
    height = math.exp(-(start**2) / (2 * spread)) / math.sqrt(2 * math.pi * spread)
    tilt = -height * start * slope / spread
    start_variance = 1 + slope**2 / kappa + start**2 / 2
    slope_variance = slope**2 * (1 + kappa) / (2 * kappa)
    return (height**2 * start_variance + tilt**2 * slope_variance) / own
