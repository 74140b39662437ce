"""Ranking measures: the areas under the ROC curve, precision-recall curve and cost curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from scipy.integrate import quad
from scipy.stats import beta

from .case import Case, Oracle, class_weights, present_classes, total_weight

PARTIAL = 0.1  # the false positive rate at which the partial areas end


def _precedes(a: float, b: float) -> float:
    """I(a, b) = 1, 1/2, 0 for a >, =, < b."""
    return 1.0 if a > b else 0.5 if a == b else 0.0


def _over_pairs(case: Case, j: int, others: list[int], credit: Callable[[float, float], float]) -> float:
    """Weighted mean of credit(p_ij, p_tj) over i of class j and t of one of the other classes."""
    assert case.p is not None
    value = 0.0
    weight = 0.0
    for i in range(len(case.y)):
        for t in range(len(case.y)):
            if case.y[i] == j and case.y[t] in others:
                pair = case.w[i] * case.w[t]
                value += pair * credit(case.p[i][j], case.p[t][j])
                weight += pair
    return math.nan if weight == 0 else value / weight


def _one_against_one(case: Case, credit: Callable[[float, float], float], prior: bool) -> float:
    """Mean over the ordered pairs of present classes, uniform or with the prior of the first class."""
    present = present_classes(case)
    if case.p is None or len(present) < 2:
        return math.nan
    m = class_weights(case)
    W = total_weight(case)
    total = 0.0
    for j in present:
        for k in present:
            if j != k:
                share = m[j] / W if prior else 1 / len(present)
                total += share * _over_pairs(case, j, [k], credit)
    return total / (len(present) - 1)


def _one_against_rest(case: Case, prior: bool) -> float:
    present = present_classes(case)
    if case.p is None or len(present) < 2:
        return math.nan
    m = class_weights(case)
    W = total_weight(case)
    total = 0.0
    for j in present:
        share = m[j] / W if prior else 1 / len(present)
        total += share * _over_pairs(case, j, [k for k in present if k != j], _precedes)
    return total


def au1u(case: Case) -> float:
    """Ferri 2009, section 3.1; Wang 2013, eq. (16); Hand & Till 2001 (M)."""
    return _one_against_one(case, _precedes, prior=False)


def au1p(case: Case) -> float:
    """Ferri 2009, section 3.1, with the prefactor 1/(c-1)."""
    return _one_against_one(case, _precedes, prior=True)


def au1p_printed(case: Case) -> float:
    """Ferri 2009, section 3.1, with the prefactor 1/(c(c-1)) as printed."""
    present = present_classes(case)
    return au1p(case) / len(present)


def aunu(case: Case) -> float:
    """Ferri 2009, section 3.1; Wang 2013, eq. (14): each class against the rest, uniform."""
    return _one_against_rest(case, prior=False)


def aunp(case: Case) -> float:
    """Ferri 2009, section 3.1; Wang 2013, eq. (15): each class against the rest, prior."""
    return _one_against_rest(case, prior=True)


def scored_auc(case: Case) -> float:
    """Ferri 2009, section 3.1 (SAUC), comparing p(i,j) with p(t,j)."""
    return _one_against_one(case, lambda a, b: max(0.0, a - b), prior=False)


def probabilistic_auc(case: Case) -> float:
    """Ferri 2009, section 3.1 (PAUC): mean over ordered pairs of (p_jj - p_kj + 1) / 2, p_kj = mean p_.j of class k."""
    present = present_classes(case)
    if case.p is None or len(present) < 2:
        return math.nan
    m = class_weights(case)

    def mean_probability(k: int, j: int) -> float:
        assert case.p is not None
        return math.fsum(w * row[j] for y, w, row in zip(case.y, case.w, case.p, strict=True) if y == k) / m[k]

    total = 0.0
    for j in present:
        for k in present:
            if j != k:
                total += (mean_probability(j, j) - mean_probability(k, j) + 1) / 2
    return total / (len(present) * (len(present) - 1))


def auc(case: Case) -> float:
    """Prati 2011, section 4.1; Mann & Whitney 1947: the positive class against the rest by its own column."""
    if case.p is None or case.positive is None:
        return math.nan
    rest = [k for k in range(case.k) if k != case.positive]
    return _over_pairs(case, case.positive, rest, _precedes)


def gini(case: Case) -> float:
    """Prati 2011, section 4.1: 2 AUC - 1."""
    return 2 * auc(case) - 1


def _vertices(case: Case) -> list[tuple[float, float]]:
    """(TP, FP) for the thresholds +inf and each distinct score of the positive column, descending."""
    assert case.p is not None
    assert case.positive is not None
    scores = sorted({row[case.positive] for row, w in zip(case.p, case.w, strict=True) if w > 0}, reverse=True)
    points = [(0.0, 0.0)]
    for threshold in scores:
        tp = 0.0
        fp = 0.0
        for y, w, row in zip(case.y, case.w, case.p, strict=True):
            if row[case.positive] >= threshold:
                if y == case.positive:
                    tp += w
                else:
                    fp += w
        points.append((tp, fp))
    return points


def _roc(case: Case) -> list[tuple[float, float]] | None:
    """(fpr, tpr) of the ROC vertices; None where one of the two classes is missing."""
    if case.p is None or case.positive is None:
        return None
    points = _vertices(case)
    positives, negatives = points[-1]
    if positives == 0 or negatives == 0:
        return None
    return [(fp / negatives, tp / positives) for tp, fp in points]


def average_precision(case: Case) -> float:
    """Sum of (R_n - R_{n-1}) P_n over the distinct thresholds, descending (Prati 2011, section 4.3)."""
    if case.p is None or case.positive is None:
        return math.nan
    points = _vertices(case)
    positives = points[-1][0]
    if positives == 0:
        return math.nan
    value = 0.0
    for (tp_before, _), (tp, fp) in itertools.pairwise(points):
        value += (tp - tp_before) / positives * (tp / (tp + fp))
    return value


def area_under_precision_recall(case: Case) -> float:
    """Davis & Goadrich 2006, section 4: between two points FP grows linearly with TP."""
    if case.p is None or case.positive is None:
        return math.nan
    points = _vertices(case)
    positives = points[-1][0]
    if positives == 0:
        return math.nan
    area = 0.0
    for (tp_a, fp_a), (tp_b, fp_b) in itertools.pairwise(points):
        if tp_b == tp_a:
            continue
        slope = (fp_b - fp_a) / (tp_b - tp_a)
        if tp_a == 0 and fp_a == 0:
            area += tp_b * tp_b / (tp_b + fp_b)
            continue

        def precision(tp: float, tp_a: float = tp_a, fp_a: float = fp_a, slope: float = slope) -> float:
            return tp / (tp + fp_a + slope * (tp - tp_a))

        area += quad(precision, tp_a, tp_b, epsabs=1e-13, epsrel=1e-12)[0]
    return area / positives


def partial_auc(case: Case) -> float:
    """McClish 1989: area under the ROC polygon for fpr in [0, 0.1]."""
    roc = _roc(case)
    if roc is None:
        return math.nan
    area = 0.0
    for (x_a, y_a), (x_b, y_b) in itertools.pairwise(roc):
        if x_a >= PARTIAL or x_b == x_a:
            continue
        end = min(x_b, PARTIAL)
        y_end = y_a + (y_b - y_a) * (end - x_a) / (x_b - x_a)
        area += (end - x_a) * (y_a + y_end) / 2
    return area


def partial_auc_standardised(case: Case) -> float:
    """McClish 1989: (1 + (A - min)/(max - min)) / 2."""
    smallest = PARTIAL**2 / 2
    largest = PARTIAL
    return (1 + (partial_auc(case) - smallest) / (largest - smallest)) / 2


def kolmogorov_smirnov(case: Case) -> float:
    """Kolmogorov-Smirnov distance of the scores of the two classes, max |tpr - fpr| over the thresholds."""
    roc = _roc(case)
    if roc is None:
        return math.nan
    return max(abs(y - x) for x, y in roc)


def _lower_envelope(lines: list[tuple[float, float]]) -> list[tuple[float, float, float, float]]:
    """The minimum of the lines a + b c over c in [0, 1], as pieces (from, to, a, b)."""
    start = 0.0
    a, b = min(lines)
    pieces = []
    while start < 1:
        end = 1.0
        following = (a, b)
        for other_a, other_b in lines:
            if other_b < b:
                crossing = (other_a - a) / (b - other_b)
                if crossing < end or (crossing == end and other_b < following[1]):
                    end = crossing
                    following = (other_a, other_b)
        end = max(start, end)
        pieces.append((start, end, a, b))
        if following == (a, b):
            break
        start = end
        a, b = following
    return pieces


def _expected_minimum(lines: list[tuple[float, float]], shape_1: float, shape_2: float) -> float:
    """Integral over c of the minimum of the lines, with the density of Beta(shape_1, shape_2)."""
    total = 0.0
    for start, end, a, b in _lower_envelope(lines):

        def integrand(c: float, a: float = a, b: float = b) -> float:
            return (a + b * c) * float(beta.pdf(c, shape_1, shape_2))

        if end > start:
            total += quad(integrand, start, end, epsabs=1e-12, epsrel=1e-9)[0]
    return total


def h_measure(case: Case, shape_1: float, shape_2: float) -> float:
    """Hand 2009: 1 - L / L_max, L = integral of min_t [c pi0 (1 - F0(t)) + (1 - c) pi1 F1(t)] u(c) dc."""
    roc = _roc(case)
    if roc is None:
        return math.nan
    positives, negatives = _vertices(case)[-1]
    pi_1 = positives / (positives + negatives)
    pi_0 = negatives / (positives + negatives)
    # c pi0 fpr + (1 - c) pi1 (1 - tpr), written as a + b c
    lines = [(pi_1 * (1 - tpr), pi_0 * fpr - pi_1 * (1 - tpr)) for fpr, tpr in roc]
    trivial = [(pi_1, -pi_1), (0.0, pi_0)]
    loss = _expected_minimum(lines, shape_1, shape_2)
    return 1 - loss / _expected_minimum(trivial, shape_1, shape_2)


def _prior(case: Case) -> float:
    """pi_1, the share of the positive class; undefined where one of the two classes is missing."""
    if case.positive is None or _roc(case) is None:
        return math.nan
    return class_weights(case)[case.positive] / total_weight(case)


def h(case: Case) -> float:
    """Hand 2009: H-measure with the cost distribution Beta(2, 2)."""
    return h_measure(case, 2, 2)


def h_2014(case: Case) -> float:
    """Hand & Anagnostopoulos 2014: H-measure with Beta(1 + pi1, 1 + pi0), whose mode is c = pi1."""
    pi_1 = _prior(case)
    return h_measure(case, 1 + pi_1, 2 - pi_1)


def h_severity(case: Case) -> float:
    """Anagnostopoulos & Hand, package hmeasure: Beta(2, 1 + 1/SR), severity ratio SR = pi1 / pi0."""
    pi_1 = _prior(case)
    return h_measure(case, 2, 1 + (1 - pi_1) / pi_1)


ORACLES: dict[str, Oracle] = {
    "AU1U": au1u,
    "AU1P": au1p,
    "AUNU": aunu,
    "AUNP": aunp,
    "AU1P_printed": au1p_printed,
    "SAUC": scored_auc,
    "PAUC": probabilistic_auc,
    "AUC": auc,
    "Gini": gini,
    "AP": average_precision,
    "AUPRC": area_under_precision_recall,
    "partAUC": partial_auc,
    "partAUC_standardised": partial_auc_standardised,
    "KS": kolmogorov_smirnov,
    "H": h,
    "H_2014": h_2014,
    "H_severity": h_severity,
}
