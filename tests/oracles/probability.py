"""Measures of the estimated probabilities: mean rates, scores and their decompositions."""

from __future__ import annotations

import math

from .case import Case, Oracle, class_weights, present_classes, total_weight

FLOOR = 1e-5  # Ferri 2009: the smallest probability inside the logarithm


def mapr(case: Case) -> float:
    """Ferri 2009, section 3.1 (MAPR): mean over the present classes of the mean probability of the true class."""
    if case.p is None:
        return math.nan
    present = present_classes(case)
    m = class_weights(case)
    total = 0.0
    for j in present:
        for y, w, row in zip(case.y, case.w, case.p, strict=True):
            if y == j:
                total += w * row[j] / m[j]
    return total / len(present)


def mpr(case: Case) -> float:
    """Ferri 2009, section 3.1 (MPR): mean probability of the true class."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        total += w * row[y]
    return total / total_weight(case)


def mae(case: Case) -> float:
    """Ferri 2009, section 3.1 (MAE): mean of |f(i,j) - p(i,j)| over examples and classes."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        for j in range(case.k):
            f = 1.0 if y == j else 0.0
            total += w * abs(f - row[j])
    return total / (total_weight(case) * case.k)


def mse(case: Case) -> float:
    """Ferri 2009, section 3.1 (MSE): mean of (f(i,j) - p(i,j))^2 over examples and classes."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        for j in range(case.k):
            f = 1.0 if y == j else 0.0
            total += w * (f - row[j]) ** 2
    return total / (total_weight(case) * case.k)


def brier(case: Case) -> float:
    """Brier 1950: the squared errors are summed over the classes, c MSE."""
    return case.k * mse(case)


def log_loss(case: Case) -> float:
    """Ferri 2009, section 3.1 (LogL): in bits, probabilities below 1e-5 count as 1e-5."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        total -= w * math.log2(max(row[y], FLOOR))
    return total / total_weight(case)


def niche(case: Case) -> float:
    """Ferri 2009, section 3.2: mean over all examples of the probability of the decided class where it is wrong."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, d, w, row in zip(case.y, case.d, case.w, case.p, strict=True):
        if d >= len(row):
            return math.nan
        if d != y:
            total += w * row[d]
    return total / total_weight(case)


def spherical(case: Case) -> float:
    """Good 1971; Gneiting & Raftery 2007: mean of p_true / ||p||_2."""
    if case.p is None:
        return math.nan
    total = 0.0
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        norm = math.sqrt(math.fsum(value**2 for value in row))
        if norm == 0:
            return math.nan
        total += w * row[y] / norm
    return total / total_weight(case)


def _forecasts(case: Case) -> list[tuple[float, float, float]] | None:
    """(forecast of the positive class, 1 or 0 as the case is positive or not, weight) of each example."""
    if case.p is None or case.positive is None:
        return None
    rows = []
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        rows.append((row[case.positive], 1.0 if y == case.positive else 0.0, w))
    return rows


def _groups(rows: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """(forecast, weight of the positives, weight) of each distinct forecast, ascending."""
    groups = []
    for forecast in sorted({f for f, _, _ in rows}):
        positives = math.fsum(w * x for f, x, w in rows if f == forecast)
        weight = math.fsum(w for f, _, w in rows if f == forecast)
        if weight > 0:
            groups.append((forecast, positives, weight))
    return groups


def binary_brier(case: Case) -> float:
    """Prati 2011, section 5.1 (BS): mean of (y_n - x_n)^2."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    return math.fsum(w * (f - x) ** 2 for f, x, w in rows) / total_weight(case)


def _base_rate(rows: list[tuple[float, float, float]]) -> float:
    return math.fsum(w * x for _, x, w in rows) / math.fsum(w for _, _, w in rows)


def uncertainty(case: Case) -> float:
    """Murphy 1973; Prati 2011, eq. (9): UNC = pi (1 - pi)."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    return _base_rate(rows) * (1 - _base_rate(rows))


def reliability(case: Case) -> float:
    """Murphy 1973; Prati 2011, eq. (9): REL = mean over groups of equal forecasts of (y_g - o_g)^2."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    total = 0.0
    for forecast, positives, weight in _groups(rows):
        total += weight * (forecast - positives / weight) ** 2
    return total / total_weight(case)


def resolution(case: Case) -> float:
    """Murphy 1973; Prati 2011, eq. (9): RES = mean over groups of equal forecasts of (o_g - pi)^2."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    total = 0.0
    for _, positives, weight in _groups(rows):
        total += weight * (positives / weight - _base_rate(rows)) ** 2
    return total / total_weight(case)


def brier_skill(case: Case) -> float:
    """Prati 2011, section 5.3 (BSS): 1 - BS / UNC, the base rate is the reference."""
    reference = uncertainty(case)
    if reference == 0:
        return math.nan
    return 1 - binary_brier(case) / reference


def discrimination_distance(case: Case) -> float:
    """Prati 2011, section 5.4: mean forecast of the positives minus that of the negatives."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    positives = math.fsum(w for _, x, w in rows if x == 1)
    negatives = math.fsum(w for _, x, w in rows if x == 0)
    if positives == 0 or negatives == 0:
        return math.nan
    mean_positive = math.fsum(w * f for f, x, w in rows if x == 1) / positives
    mean_negative = math.fsum(w * f for f, x, w in rows if x == 0) / negatives
    return mean_positive - mean_negative


def overlap(case: Case) -> float:
    """Prati 2011, section 5.4: sum over forecasts of min(P(y|x), P(y|not x))."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    positives = math.fsum(w for _, x, w in rows if x == 1)
    negatives = math.fsum(w for _, x, w in rows if x == 0)
    if positives == 0 or negatives == 0:
        return math.nan
    total = 0.0
    for _, group_positives, weight in _groups(rows):
        total += min(group_positives / positives, (weight - group_positives) / negatives)
    return total


def _recalibrated_brier(rows: list[tuple[float, float, float]]) -> float:
    """Brier score after isotonic regression by pool adjacent violators (equal forecasts pooled first)."""
    blocks: list[list[float]] = []  # [weight of the positives, weight]
    for _, positives, weight in _groups(rows):
        blocks.append([positives, weight])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1][0] += last[0]
            blocks[-1][1] += last[1]
    total = 0.0
    weights = 0.0
    for positives, weight in blocks:
        rate = positives / weight
        total += positives * (rate - 1) ** 2 + (weight - positives) * rate**2
        weights += weight
    return total / weights


def miscalibration(case: Case) -> float:
    """Dimitriadis, Gneiting & Jordan 2021 (CORP): MCB = BS - BS of the recalibrated forecasts."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    return binary_brier(case) - _recalibrated_brier(rows)


def discrimination(case: Case) -> float:
    """Dimitriadis, Gneiting & Jordan 2021 (CORP): DSC = UNC - BS of the recalibrated forecasts."""
    rows = _forecasts(case)
    if rows is None:
        return math.nan
    return uncertainty(case) - _recalibrated_brier(rows)


ORACLES: dict[str, Oracle] = {
    "MAPR": mapr,
    "MPR": mpr,
    "MAE": mae,
    "MSE": mse,
    "Brier": brier,
    "LogL": log_loss,
    "Niche": niche,
    "Spherical": spherical,
    "BS": binary_brier,
    "UNC": uncertainty,
    "REL": reliability,
    "RES": resolution,
    "BSS": brier_skill,
    "DD": discrimination_distance,
    "OVL": overlap,
    "MCB": miscalibration,
    "DSC": discrimination,
}
