"""What a peer defines otherwise, rebuilt from what karat measures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import karat
from karat import Evaluation
from karat.measures.lookup import find
from karat.statistics import ClassBins, Pairs
from peers import named

LN2 = math.log(2)
EPS = float(np.finfo(float).eps)
VERIFICATION = named("bs=BS reliability=REL resolution=RES uncertainty=UNC")


def log_loss(eps: float) -> Callable[[Evaluation], float]:
    """In nats, clipped at eps (karat: bits, 1e-5)."""
    return lambda e: e[find("LogL").at(eps=eps)] * LN2


def au1p_of_mlr3(e: Evaluation) -> float:
    """Each pair of classes weighted by its share of the cases (karat and mlr: by the prior of the first class)."""
    a, m = e.statistics[Pairs].against_each, e.statistics[Pairs].weight
    pairs = [(m[j] + m[k], (a[j, k] + a[k, j]) / 2) for j in range(len(m)) for k in range(j)]
    return float(sum(w * x for w, x in pairs) / sum(w for w, _ in pairs))


def off_diagonal(table: Any) -> Any:
    """With nothing on the diagonal, where a class would meet itself."""
    return np.where(np.eye(len(table), dtype=bool), math.nan, table)


def of_the_top(e: Evaluation, value: Callable[[Any, Any], float], symbol: str) -> float:
    """The calibration error of the decisions; of two classes, that of the positive's probability."""
    if len(e.classes) > 2:
        return e[symbol]
    bins = e.statistics[ClassBins]
    return value(bins.weight[1], np.abs(bins.forecast[1] - bins.hits[1]))


def isotonic(e: Evaluation) -> list[float]:
    """The mean square distance of the forecasts from the isotonic fit."""
    tables = [e.statistics.table_of_class(j) for j in range(len(e.classes))]
    w = [t.positive + t.negative for t in tables]
    return [float((v * (t.scores - t.isotonic) ** 2).sum() / v.sum()) for v, t in zip(w, tables, strict=True)]


def trapezoids(e: Evaluation) -> list[float]:
    """The area under the precision-recall curve, its points joined by straight lines."""
    areas = []
    for j in range(len(e.classes)):
        t = e.statistics.table_of_class(j)
        tp, fp = t.true_positives[1:], t.false_positives[1:]
        areas.append(np.trapezoid(np.append(1.0, tp / (tp + fp)), np.append(0.0, tp / tp[-1])))
    return areas


def micro_auc(e: Evaluation) -> float:
    """All one-against-rest decisions in one pot, by their probabilities: an AUC of n k cases."""
    source = e.statistics.source
    hit = np.eye(len(e.classes), dtype=int)[source.truth[0]]
    return karat.evaluate(hit.ravel(), y_score=source.scores[0].ravel())["AUC"]


def normalised_information(e: Evaluation) -> float:
    """Mutual information as a share of the mean of the two entropies."""
    return 2 * e["MI"] / (e["H_X"] + e["H_Y"])


def completeness(e: Evaluation) -> float:
    """The share of the decisions' entropy that is information."""
    return e["MI"] / e["H_Y"]
