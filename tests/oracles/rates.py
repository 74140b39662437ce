"""Two-class rates: the positive class against all the rest."""

from __future__ import annotations

import math

from .case import Case, Oracle


def counts(case: Case) -> tuple[float, float, float, float]:
    """(TP, FN, FP, TN), the weights of the four kinds of cases (Prati 2011, section 2)."""
    tp = fn = fp = tn = 0.0
    for truth, decision, weight in zip(case.y, case.d, case.w, strict=True):
        if truth == case.positive and decision == case.positive:
            tp += weight
        elif truth == case.positive:
            fn += weight
        elif decision == case.positive:
            fp += weight
        else:
            tn += weight
    if case.positive is None:
        return math.nan, math.nan, math.nan, math.nan
    return tp, fn, fp, tn


def _ratio(numerator: float, denominator: float) -> float:
    """A quotient that is undefined where the denominator is 0."""
    return math.nan if denominator == 0 else numerator / denominator


def _ratio_or_inf(numerator: float, denominator: float) -> float:
    """A quotient where a positive number over 0 is infinite and 0/0 is undefined."""
    if denominator == 0:
        return math.inf if numerator > 0 else math.nan
    return numerator / denominator


def tpr(case: Case) -> float:
    """Prati 2011, section 2: true positive rate (recall, sensitivity) TP / (TP + FN)."""
    tp, fn, _, _ = counts(case)
    return _ratio(tp, tp + fn)


def fpr(case: Case) -> float:
    """Prati 2011, section 2: false positive rate FP / (FP + TN)."""
    _, _, fp, tn = counts(case)
    return _ratio(fp, fp + tn)


def tnr(case: Case) -> float:
    """Prati 2011, section 2: true negative rate (specificity) TN / (FP + TN)."""
    _, _, fp, tn = counts(case)
    return _ratio(tn, fp + tn)


def fnr(case: Case) -> float:
    """Prati 2011, section 2: false negative rate FN / (TP + FN)."""
    tp, fn, _, _ = counts(case)
    return _ratio(fn, tp + fn)


def ppv(case: Case) -> float:
    """Prati 2011, eq. (6): precision TP / (TP + FP)."""
    tp, _, fp, _ = counts(case)
    return _ratio(tp, tp + fp)


def npv(case: Case) -> float:
    """Negative predictive value TN / (TN + FN)."""
    _, fn, _, tn = counts(case)
    return _ratio(tn, tn + fn)


def f_beta(case: Case, beta: float) -> float:
    """Van Rijsbergen 1979: (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP)."""
    tp, fn, fp, _ = counts(case)
    return _ratio((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp)


def f1(case: Case) -> float:
    """Van Rijsbergen 1979, beta = 1."""
    return f_beta(case, 1)


def f2(case: Case) -> float:
    """Van Rijsbergen 1979, beta = 2."""
    return f_beta(case, 2)


def f_half(case: Case) -> float:
    """Van Rijsbergen 1979, beta = 1/2."""
    return f_beta(case, 0.5)


def jaccard(case: Case) -> float:
    """Jaccard 1901: TP / (TP + FP + FN)."""
    tp, fn, fp, _ = counts(case)
    return _ratio(tp, tp + fp + fn)


def informedness(case: Case) -> float:
    """Youden 1950: tpr + tnr - 1."""
    return tpr(case) + tnr(case) - 1


def markedness(case: Case) -> float:
    """Powers 2011: PPV + NPV - 1."""
    return ppv(case) + npv(case) - 1


def balanced_accuracy(case: Case) -> float:
    """Ferri 2009, section 3.1: AUC_b = (tpr + tnr) / 2."""
    return (tpr(case) + tnr(case)) / 2


def g_mean(case: Case) -> float:
    """Kubat & Matwin 1997: sqrt(tpr tnr)."""
    return math.sqrt(tpr(case) * tnr(case))


def odds_ratio(case: Case) -> float:
    """Ferri 2009, section 3.1: TP TN / (FP FN)."""
    tp, fn, fp, tn = counts(case)
    return _ratio_or_inf(tp * tn, fp * fn)


def discriminant_power(case: Case) -> float:
    """Ferri 2009, section 3.1: (sqrt 3 / pi) ln(odds ratio)."""
    ratio = odds_ratio(case)
    if ratio == 0:
        return -math.inf
    return math.sqrt(3) / math.pi * math.log(ratio)


def likelihood_ratio_positive(case: Case) -> float:
    """Positive likelihood ratio tpr / fpr."""
    return _ratio_or_inf(tpr(case), fpr(case))


def likelihood_ratio_negative(case: Case) -> float:
    """Negative likelihood ratio fnr / tnr."""
    return _ratio_or_inf(fnr(case), tnr(case))


def prevalence(case: Case) -> float:
    """Prati 2011, section 2: p(x) = (TP + FN) / n."""
    tp, fn, fp, tn = counts(case)
    return _ratio(tp + fn, tp + fn + fp + tn)


def predicted_positive(case: Case) -> float:
    """Prati 2011, eq. (7): p(y) = (TP + FP) / n."""
    tp, fn, fp, tn = counts(case)
    return _ratio(tp + fp, tp + fn + fp + tn)


def sensitivity_ppa_mean(case: Case) -> float:
    """Ferri 2009, section 3.1: arithmetic mean of sensitivity and positive predictive accuracy."""
    return (tpr(case) + ppv(case)) / 2


def sensitivity_ppa_product(case: Case) -> float:
    """Ferri 2009, section 3.1: product of sensitivity and positive predictive accuracy."""
    return tpr(case) * ppv(case)


ORACLES: dict[str, Oracle] = {
    "TPR": tpr,
    "FPR": fpr,
    "TNR": tnr,
    "FNR": fnr,
    "PPV": ppv,
    "NPV": npv,
    "F1": f1,
    "F2": f2,
    "F0.5": f_half,
    "Jaccard": jaccard,
    "BM": informedness,
    "MK": markedness,
    "BAcc": balanced_accuracy,
    "GMean": g_mean,
    "OR": odds_ratio,
    "DP": discriminant_power,
    "LRP": likelihood_ratio_positive,
    "LRN": likelihood_ratio_negative,
    "Prev": prevalence,
    "PredPos": predicted_positive,
    "SensPPA_mean": sensitivity_ppa_mean,
    "SensPPA_product": sensitivity_ppa_product,
}
