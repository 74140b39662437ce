"""What another program defines otherwise, rebuilt from what karat measures: by this, and no more, the two differ."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.evaluation import Evaluation, evaluate
from karat.measures.lookup import find
from karat.statistics import ClassBins, Counts, Margins, Pairs, ProbabilitySums

LN2 = math.log(2)
EPS = float(np.finfo(float).eps)
Rebuilt = Callable[..., Any]


def each(e: Evaluation, symbol: str, **options: Any) -> Array:
    """The measure of every class."""
    measure = find(symbol).at(**options) if options else find(symbol)
    return np.array(e.per_class([measure]).columns[measure.symbol], float)


def log_loss(e: Evaluation, eps: float) -> float:
    """In nats, clipped at eps (karat: bits, 1e-5)."""
    return float(e[find("LogL").at(eps=eps)] * LN2)


def au1p_by_pairs(e: Evaluation) -> float:
    """Each pair of classes weighted by its share of the cases (karat and mlr: by the prior of the first class)."""
    a, m = e.statistics[Pairs].against_each, e.statistics[Pairs].weight
    pairs = [(m[j] + m[k], (a[j, k] + a[k, j]) / 2) for j in range(len(m)) for k in range(j)]
    return float(sum(w * x for w, x in pairs) / sum(w for w, _ in pairs))


def off_diagonal(table: Any) -> Array:
    """With nothing on the diagonal, where a class would meet itself."""
    return np.where(np.eye(len(table), dtype=bool), math.nan, table)


def of_the_top(e: Evaluation, value: Callable[[Any, Any], float], symbol: str) -> float:
    """The calibration error of the decisions; of two classes, that of the positive's probability."""
    if len(e.classes) > 2:
        return float(e[symbol])
    bins = e.statistics[ClassBins]
    return float(value(bins.weight[1], np.abs(bins.forecast[1] - bins.hits[1])))


def isotonic_distance(e: Evaluation) -> list[float]:
    """The mean square distance of the forecasts from the isotonic fit."""
    tables = [e.statistics.table_of_class(j) for j in range(len(e.classes))]
    w = [t.positive + t.negative for t in tables]
    return [float((v * (t.scores - t.isotonic) ** 2).sum() / v.sum()) for v, t in zip(w, tables, strict=True)]


def each_trapezoid(e: Evaluation) -> list[float]:
    """The area under the precision-recall curve, its points joined by straight lines."""
    areas = []
    for j in range(len(e.classes)):
        t = e.statistics.table_of_class(j)
        tp, fp = t.true_positives[1:], t.false_positives[1:]
        areas.append(float(np.trapezoid(np.append(1.0, tp / (tp + fp)), np.append(0.0, tp / tp[-1]))))
    return areas


def micro_auc(e: Evaluation) -> float:
    """All one-against-rest decisions in one pot, by their probabilities: an AUC of n k cases."""
    source: Any = e.statistics.source
    hit = np.eye(len(e.classes), dtype=int)[source.truth[0]]
    return float(evaluate(hit.ravel(), y_score=source.scores[0].ravel())["AUC"])


def pairwise_probabilities(e: Evaluation) -> Array:
    """How much more of a class's probability its own cases have than those of another, from 0 to 1."""
    mean = e.statistics[ProbabilitySums].relative.table
    return off_diagonal((np.diag(mean)[:, None] - mean.T + 1) / 2)


def brier_scaled_by_mean_forecast(e: Evaluation) -> float:
    """1 - BS / f (1 - f), f the mean forecast."""
    source: Any = e.statistics.source
    f = float(source.scores[0, :, 1].mean())
    return float(1 - e["BS"] / (f * (1 - f)))


def rounded(symbol: str) -> Rebuilt:
    """A measure of every class, its forecasts rounded to 8 digits."""
    return lambda e: each(e, symbol, digits=8)


def in_digits(digits: int) -> Rebuilt:
    """A measure as it is printed."""
    return lambda e, symbol: round(1 - e["CEN"] if symbol == "1-CEN" else e[symbol], digits)


REBUILT: dict[str, Rebuilt] = {
    "BAcc": lambda e: e["BAcc"],
    "accuracy_of_class": lambda e: e["TPR"] * e["Prev"] + e["TNR"] * (1 - e["Prev"]),
    "au1p_by_pairs": au1p_by_pairs,
    "brier_scaled_by_mean_forecast": brier_scaled_by_mean_forecast,
    "chance_accuracy": lambda e: 1 - (1 - e["Acc"]) / (1 - e["KapS"]),
    "completeness": lambda e: e["MI"] / e["H_Y"],
    "confusion_matrix": lambda e: e.statistics[Counts].table,
    "decimal_dp": lambda e: e["DP"] / math.log(10),
    "detection_rate": lambda e: each(e, "TPR") * each(e, "Prev"),
    "each_folded_auc": lambda e: np.maximum(each(e, "AUC"), 1 - each(e, "AUC")),
    "each_rounded_BS": rounded("BS"),
    "each_rounded_REL": rounded("REL"),
    "each_rounded_RES": rounded("RES"),
    "each_rounded_UNC": rounded("UNC"),
    "each_trapezoid": each_trapezoid,
    "errors_in_percent": lambda e: 100 * e["EC"],
    "explained_log_loss": lambda e: 1 - e["LogL"] / e["H_X"],
    "four_digits": in_digits(4),
    "information_in_nats": lambda e: e["MI"] * LN2,
    "information_of_joint": lambda e: e["MI"] / e["H_XY"],
    "information_score": lambda e: math.log2(e["PPV"] / e["Prev"]),
    "isotonic_brier": lambda e: each(e, "UNC") - each(e, "DSC"),
    "isotonic_distance": isotonic_distance,
    "largest_entropies": lambda e: e["H_UX"] + e["H_UY"],
    "lift_score": lambda e: e["PPV"] / e["Prev"],
    "log_loss_1e15": lambda e: log_loss(e, 1e-15),
    "log_loss_eps": lambda e: log_loss(e, EPS),
    "log_loss_eps_bits": lambda e: log_loss(e, EPS) / LN2,
    "micro_auc": micro_auc,
    "minus_log_loss_1e15": lambda e: -log_loss(e, 1e-15),
    "netcal_ece": lambda e: of_the_top(e, lambda w, gap: gap.sum() / w.sum(), "ECE"),
    "netcal_mce": lambda e: of_the_top(e, lambda w, gap: (gap / w).max(), "MCE"),
    "normalised_information": lambda e: 2 * e["MI"] / (e["H_X"] + e["H_Y"]),
    "one_minus_brier": lambda e: 1 - e["Brier"],
    "one_minus_cen": lambda e: 1 - e["CEN"],
    "one_minus_mcen": lambda e: 1 - e["MCEN"],
    "pairwise_auc": lambda e: off_diagonal(e.statistics[Pairs].against_each),
    "pairwise_auc_or_0": lambda e: np.nan_to_num(e.statistics[Pairs].against_each),
    "pairwise_margins": lambda e: off_diagonal(e.statistics[Margins].against_each),
    "pairwise_probabilities": pairwise_probabilities,
    "probabilistic_matrix": lambda e: e.statistics[ProbabilitySums].relative.table,
    "root_of_product": lambda e: math.sqrt(e["SensPPA_product"]),
    "sum_of_parts": lambda e: e["UNC"] + e["REL"] - e["RES"],
    "three_digits": in_digits(3),
    "triangle": lambda e, of: [e[f"{of}_{part}"] for part in ("DH", "2MI" if of == "ET" else "MI", "VI")],
    "twice_information": lambda e: 2 * e["MI"],
    "yules_q": lambda e: (e["OR"] - 1) / (e["OR"] + 1),
}
"""By the names of `peer_names.csv`, where a second word is an argument."""


def rebuilt(e: Evaluation, how: str) -> Any:
    """The other program's number from karat's."""
    name, *words = how.split()
    return REBUILT[name](e, *words)
