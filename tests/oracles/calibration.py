"""Calibration measures."""

from __future__ import annotations

import math
from collections.abc import Callable

from .case import Case, Oracle, argmax, present_classes, total_weight

BINS = 10


def _calibration_loss(case: Case, j: int) -> float:
    """Sum over the segments of equal p_.j of w (p_ij - mean of f_.j in the segment)^2."""
    assert case.p is not None
    total = 0.0
    for value in sorted({row[j] for row in case.p}):
        members = [i for i in range(len(case.y)) if case.p[i][j] == value]
        weight = math.fsum(case.w[i] for i in members)
        if weight > 0:
            hits = math.fsum(case.w[i] for i in members if case.y[i] == j)
            total += weight * (value - hits / weight) ** 2
    return total


def cal_loss_sum(case: Case) -> float:
    """Ferri 2009, section 3.1 (CalL), the sums as printed."""
    if case.p is None:
        return math.nan
    present = present_classes(case)
    return math.fsum(_calibration_loss(case, j) for j in present) / len(present)


def cal_loss(case: Case) -> float:
    """Ferri 2009, section 3.1 (CalL), mean over the examples; Flach & Matsubara 2007."""
    return cal_loss_sum(case) / total_weight(case)


Pairs = list[tuple[float, float]]


def _by_bins(case: Case, of_class: Callable[[Pairs, int], float]) -> float:
    """Mean over the present classes of of_class((p_ij, f_ij) sorted by p_ij, s); each of several examples of equal p_ij
    counts with the mean outcome of all of them, so that no order among them matters."""
    if case.p is None or any(w != 1 for w in case.w):
        return math.nan
    m = len(case.y)
    s = max(1, m // 10)
    present = present_classes(case)
    total = 0.0
    for j in present:
        order = sorted(range(m), key=lambda i, j=j: case.p[i][j])  # type: ignore[misc]
        outcomes: dict[float, list[float]] = {}
        for i in range(m):
            outcomes.setdefault(case.p[i][j], []).append(1.0 if case.y[i] == j else 0.0)
        mean = {x: math.fsum(f) / len(f) for x, f in outcomes.items()}
        total += of_class([(case.p[i][j], mean[case.p[i][j]]) for i in order], s)
    return total / len(present)


def _rate(window: Pairs) -> float:
    return math.fsum(f for _, f in window) / len(window)


def _absolute(window: Pairs) -> float:
    """Sum over the window of |p - mean f|."""
    rate = _rate(window)
    return math.fsum(abs(p - rate) for p, _ in window)


def _overlapping(pairs: Pairs, s: int) -> float:
    m = len(pairs)
    windows = [pairs[b : b + s] for b in range(m - s + 1)]
    return math.fsum(_absolute(window) / s for window in windows) / len(windows)


def _printed(pairs: Pairs, s: int) -> float:
    m = len(pairs)
    if m == s:
        return math.nan
    return math.fsum(_absolute(pairs[b : b + s]) for b in range(m - s)) / (m - s)


def _consecutive(pairs: Pairs, s: int) -> float:
    bins = [pairs[b : b + s] for b in range(0, len(pairs), s)]
    return math.fsum(_absolute(window) / len(window) for window in bins) / len(bins)


def _caruana(pairs: Pairs, s: int) -> float:
    m = len(pairs)
    total = 0.0
    for b in range(m - s + 1):
        window = pairs[b : b + s]
        total += abs(math.fsum(p for p, _ in window) / s - _rate(window))
    return total / (m - s + 1)


def cal_bins(case: Case) -> float:
    """Ferri 2009, section 3.1 (CalB): all m-s+1 windows of s = m/10 examples, mean |p - f| in each."""
    return _by_bins(case, _overlapping)


def cal_bins_printed(case: Case) -> float:
    """Ferri 2009, section 3.1 (CalB) as printed: m-s windows, the inner sum without 1/s."""
    return _by_bins(case, _printed)


def cal_bins_consecutive(case: Case) -> float:
    """Ferri 2009, section 3.1 (CalB), prose: consecutive bins; the last takes what is left."""
    return _by_bins(case, _consecutive)


def cal_bins_caruana(case: Case) -> float:
    """Caruana & Niculescu-Mizil 2004 (CAL): |mean p - mean f| in each overlapping window."""
    return _by_bins(case, _caruana)


def _bin(value: float) -> int:
    """Number of the bin [0, .1], (.1, .2], ..., (.9, 1] that holds the value."""
    for b in range(BINS):
        if value <= (b + 1) / BINS:
            return b
    return BINS - 1


def _gaps(triples: list[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """(share of the weight, |mean confidence - mean hit|) of each non-empty bin; triples (confidence, hit, weight)."""
    total = math.fsum(w for _, _, w in triples)
    gaps = []
    for b in range(BINS):
        members = [triple for triple in triples if _bin(triple[0]) == b]
        weight = math.fsum(w for _, _, w in members)
        if weight > 0:
            confidence = math.fsum(w * c for c, _, w in members) / weight
            frequency = math.fsum(w * hit for _, hit, w in members) / weight
            gaps.append((weight / total, abs(confidence - frequency)))
    return gaps


def _top_label(case: Case) -> list[tuple[float, float, float]]:
    assert case.p is not None
    triples = []
    for y, w, row in zip(case.y, case.w, case.p, strict=True):
        top = argmax(row)
        triples.append((row[top], 1.0 if top == y else 0.0, w))
    return triples


def ece(case: Case) -> float:
    """Naeini 2015; Guo 2017, eq. (3): expected calibration error of the top label, 10 equal-width bins."""
    if case.p is None:
        return math.nan
    return math.fsum(share * gap for share, gap in _gaps(_top_label(case)))


def mce(case: Case) -> float:
    """Naeini 2015; Guo 2017, eq. (4): maximum calibration error of the top label."""
    if case.p is None:
        return math.nan
    return max(gap for _, gap in _gaps(_top_label(case)))


def classwise_ece(case: Case) -> float:
    """Kull 2019: mean over all declared classes of the calibration error of their column."""
    if case.p is None:
        return math.nan
    total = 0.0
    for j in range(case.k):
        triples = [(row[j], 1.0 if y == j else 0.0, w) for y, w, row in zip(case.y, case.w, case.p, strict=True)]
        total += math.fsum(share * gap for share, gap in _gaps(triples))
    return total / case.k


ORACLES: dict[str, Oracle] = {
    "CalL": cal_loss,
    "CalL_sum": cal_loss_sum,
    "CalB": cal_bins,
    "CalB_printed": cal_bins_printed,
    "CalB_consecutive": cal_bins_consecutive,
    "CalB_caruana": cal_bins_caruana,
    "ECE": ece,
    "MCE": mce,
    "cwECE": classwise_ece,
}
