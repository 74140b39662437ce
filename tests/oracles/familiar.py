"""What scikit-learn defines otherwise, from its documentation: 0 where a rate is 0/0, nats, a halved score."""

from __future__ import annotations

import math

from .case import Case, Oracle, class_weights, present_classes, total_weight
from .ranking import auc, average_precision
from .rates import counts

EPS = 2.220446049250313e-16


def _or_zero(numerator: float, denominator: float) -> float:
    """zero_division="warn" is 0."""
    return 0.0 if denominator == 0 else numerator / denominator


def precision(case: Case) -> float:
    """precision_score: tp / (tp + fp)."""
    tp, _, fp, _ = counts(case)
    return _or_zero(tp, tp + fp)


def recall(case: Case) -> float:
    """recall_score: tp / (tp + fn)."""
    tp, fn, _, _ = counts(case)
    return _or_zero(tp, tp + fn)


def f1_score(case: Case) -> float:
    """f1_score: 2 * tp / (2 * tp + fp + fn)."""
    tp, fn, fp, _ = counts(case)
    return _or_zero(2 * tp, 2 * tp + fp + fn)


def jaccard_score(case: Case) -> float:
    """jaccard_score: the size of the intersection divided by the size of the union."""
    tp, fn, fp, _ = counts(case)
    return _or_zero(tp, tp + fp + fn)


def log_loss(case: Case) -> float:
    """log_loss: the mean of -log(p of the true class), p clipped to [eps, 1 - eps]."""
    if case.p is None:
        return math.nan
    loss = 0.0
    for truth, row, weight in zip(case.y, case.p, case.w, strict=True):
        loss -= weight * math.log(max(row[truth], EPS))
    return loss / total_weight(case)


def brier_sum(case: Case) -> float:
    """The mean over the cases of the sum over the classes of squared differences."""
    if case.p is None:
        return math.nan
    loss = 0.0
    for truth, row, weight in zip(case.y, case.p, case.w, strict=True):
        for j in range(case.k):
            loss += weight * ((1.0 if j == truth else 0.0) - row[j]) ** 2
    return loss / total_weight(case)


def brier_score_loss(case: Case) -> float:
    """brier_score_loss, scale_by_half="auto": halved for two classes."""
    return brier_sum(case) / 2 if case.k == 2 else brier_sum(case)


def average_precision_or_zero(case: Case) -> float:
    """average_precision_score: 0 where there is no positive case."""
    tp, fn, _, _ = counts(case)
    if case.p is None:
        return math.nan
    return 0.0 if tp + fn == 0 else average_precision(case)


def one_against_one(case: Case) -> float:
    """roc_auc_score, multi_class="ovo", average="weighted": the mean over pairs, weighted by their cases."""
    if case.p is None:
        return math.nan
    present, m = present_classes(case), class_weights(case)
    above = below = 0.0
    for a in present:
        for b in present:
            if a < b:
                of_pair = 0.0
                for positive in (a, b):
                    kept = [i for i in range(len(case.y)) if case.y[i] in (a, b)]
                    part = Case(
                        [case.y[i] for i in kept],
                        [case.d[i] for i in kept],
                        [case.w[i] for i in kept],
                        case.k,
                        case.l,
                        [case.p[i] for i in kept],
                        positive,
                    )
                    of_pair += auc(part) / 2
                above += (m[a] + m[b]) * of_pair
                below += m[a] + m[b]
    return math.nan if below == 0 else above / below


def d2_log_loss(case: Case) -> float:
    """d2_log_loss_score: 1 - log loss / log loss of the class frequencies."""
    frequencies = [m_j / total_weight(case) for m_j in class_weights(case)]
    if case.p is None or len(present_classes(case)) < 2:
        return math.nan
    return 1 - log_loss(case) / -sum(f * math.log(f) for f in frequencies if f > 0)


def d2_brier(case: Case) -> float:
    """d2_brier_score: 1 - Brier score / Brier score of the class frequencies."""
    frequencies = [m_j / total_weight(case) for m_j in class_weights(case)]
    if case.p is None or len(present_classes(case)) < 2:
        return math.nan
    reference = 0.0
    for truth, weight in zip(case.y, case.w, strict=True):
        for j in range(case.k):
            reference += weight * ((1.0 if j == truth else 0.0) - frequencies[j]) ** 2
    return 1 - brier_sum(case) / (reference / total_weight(case))


ORACLES: dict[str, Oracle] = {
    "Precision": precision,
    "Recall": recall,
    "F1Score": f1_score,
    "JaccardScore": jaccard_score,
    "LogLoss": log_loss,
    "BrierLoss": brier_score_loss,
    "AveragePrecision": average_precision_or_zero,
    "AU1W": one_against_one,
    "D2LogLoss": d2_log_loss,
    "D2Brier": d2_brier,
}
