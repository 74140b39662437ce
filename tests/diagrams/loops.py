"""What the curves are by definition: plain loops over cases and thresholds, as ROCR, pROC, Weka and textbooks say."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

from diagrams import Binary

Table = tuple[float, float, float, float]
"""TP, FP, FN, TN."""


@cache
def thresholds(b: Binary) -> list[float]:
    """+inf, and the distinct scores of cases that weigh anything, from the highest."""
    return [math.inf, *sorted({float(s) for s, w in zip(b.p, b.weight, strict=True) if w > 0}, reverse=True)]


@cache
def table(b: Binary, threshold: float) -> Table:
    """Cases whose score reaches the threshold are decided positive."""
    cells = [0.0, 0.0, 0.0, 0.0]
    for y, s, w in zip(b.y, b.p, b.weight, strict=True):
        cells[(0 if y == 1 else 1) if s >= threshold else (2 if y == 1 else 3)] += float(w)
    return cells[0], cells[1], cells[2], cells[3]


def over(part: float, whole: float) -> float:
    """Part of the whole, nan of nothing."""
    return part / whole if whole else math.nan


@cache
def rocr(b: Binary, measure: str) -> list[float]:
    """A measure of ROCR's performance() at each threshold from +inf down."""
    found = []
    for t in thresholds(b):
        tp, fp, fn, tn = table(b, t)
        p, n = tp + fn, fp + tn
        found.append(
            {
                "tpr": over(tp, p),
                "fpr": over(fp, n),
                "fnr": over(fn, p),
                "prec": over(tp, tp + fp),
                "rec": over(tp, p),
                "rpp": over(tp + fp, p + n),
                "lift": over(over(tp, p), over(tp + fp, p + n)),
                "spec": over(tn, n),
                "sens": over(tp, p),
                "acc": over(tp + tn, p + n),
            }[measure]
        )
    return found


def mann_whitney(b: Binary) -> float:
    """How much of the pairs of a positive and a negative case is in the right order; ties are half right."""
    right = whole = 0.0
    for y, s, w in zip(b.y, b.p, b.weight, strict=True):
        for z, t, v in zip(b.y, b.p, b.weight, strict=True):
            if y == 1 and z == 0:
                whole += w * v
                right += w * v * ((s > t) + 0.5 * (s == t))
    return right / whole


def lowest_cost(b: Binary, pc: float) -> float:
    """ROCR's ecost: the lowest normalised expected cost of any threshold, those of the trivial classifiers too."""
    costs = []
    for t in thresholds(b):
        tp, fp, fn, tn = table(b, t)
        costs.append(fn / (tp + fn) * pc + fp / (fp + tn) * (1 - pc))
    return min(costs)


def brier_cost(b: Binary, c: float, prevalence: float | None = None) -> float:
    """2 [c (1 - pi) FPR + (1 - c) pi FNR], a case being decided positive if its forecast exceeds c."""
    tp, fp, fn, tn = table(b, math.nextafter(c, 2))
    pi = (tp + fn) / (tp + fp + fn + tn) if prevalence is None else prevalence
    return 2 * (c * (1 - pi) * fp / (fp + tn) + (1 - c) * pi * fn / (tp + fn))


def net_benefit(b: Binary, threshold: float) -> float:
    """Vickers and Elkin: TP/n - FP/n t/(1 - t)."""
    tp, fp, fn, tn = table(b, threshold)
    return (tp - fp * threshold / (1 - threshold)) / (tp + fp + fn + tn)


def davis_goadrich(b: Binary, recall: float) -> float:
    """Precision at a recall: between two thresholds, FP grows linearly with TP."""
    whole = sum(float(w) for y, w in zip(b.y, b.weight, strict=True) if y == 1)
    wanted = recall * whole
    cells = [table(b, t)[:2] for t in thresholds(b)]
    for (tp0, fp0), (tp1, fp1) in itertools.pairwise(cells):
        if tp0 < wanted <= tp1 or (tp0 <= wanted < tp1):
            fp = fp0 + (wanted - tp0) * (fp1 - fp0) / (tp1 - tp0)
            return wanted / (wanted + fp)
    raise AssertionError(recall)


def hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those of which some direction between up and left makes the best: they lie above each line of two others."""
    corners = []
    distinct = sorted(set(points))
    for x, y in distinct:
        below = any(
            a < x < c and y <= b + (d - b) * (x - a) / (c - a) + 1e-12 for a, b in distinct for c, d in distinct
        )
        below |= any(a == x and b > y for a, b in distinct) and (x, y) != (0.0, 0.0)
        if not below:
            corners.append((x, y))
    return corners


def murphy(b: Binary) -> tuple[float, float, float]:
    """Reliability, resolution, uncertainty of groups of identical forecasts."""
    groups: dict[float, list[float]] = {}
    for y, s, w in zip(b.y, b.p, b.weight, strict=True):
        if w > 0:
            group = groups.setdefault(float(s), [0.0, 0.0])
            group[0] += float(w)
            group[1] += float(w) * int(y)
    total = sum(w for w, _ in groups.values())
    base = sum(h for _, h in groups.values()) / total
    rel = sum(w * (f - h / w) ** 2 for f, (w, h) in groups.items()) / total
    res = sum(w * (h / w - base) ** 2 for w, h in groups.values()) / total
    return rel, res, base * (1 - base)


def in_bins(b: Binary, bins: int) -> list[tuple[float, float, float]]:
    """(weight, mean forecast, frequency) of each bin (a, b] that holds a case, the first also holding 0."""
    cells = [[0.0, 0.0, 0.0] for _ in range(bins)]
    for y, s, w in zip(b.y, b.p, b.weight, strict=True):
        place = next(i for i in range(bins) if s <= (i + 1) / bins or i == bins - 1)
        for i, value in enumerate((w, w * s, w * y)):
            cells[place][i] += float(value)
    return [(w, f / w, h / w) for w, f, h in cells if w > 0]


def coverage_and_risk(y: Any, p: Any, w: Any, certainty: float) -> tuple[float, float]:
    """Of the cases whose highest probability reaches this certainty: their share, and the share of errors in them."""
    covered = wrong = whole = 0.0
    for truth, row, weight in zip(y, p, w, strict=True):
        whole += weight
        if max(row) >= certainty:
            covered += weight
            wrong += weight * (list(row).index(max(row)) != truth)
    return covered / whole, wrong / covered
