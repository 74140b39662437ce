"""Measures of the decisions: accuracy, kappa, macro averages, Matthews' coefficient."""

from __future__ import annotations

import itertools
import math

from .case import Case, Oracle


def _square(case: Case) -> list[list[float]]:
    """The confusion matrix padded with empty rows and columns until it is square."""
    table = case.C
    size = max(case.k, case.l)
    return [[table[i][j] if i < case.k and j < case.l else 0.0 for j in range(size)] for i in range(size)]


def _sum(table: list[list[float]]) -> float:
    return math.fsum(cell for row in table for cell in row)


def _row(table: list[list[float]], i: int) -> float:
    return math.fsum(table[i])


def _column(table: list[list[float]], j: int) -> float:
    return math.fsum(row[j] for row in table)


def accuracy(case: Case) -> float:
    """Ferri 2009, section 3.1 (Acc); the diagonal of a k x l table has min(k, l) cells (Valverde-Albacete 2014)."""
    hits = 0.0
    total = 0.0
    for truth, decision, weight in zip(case.y, case.d, case.w, strict=True):
        total += weight
        if truth == decision:
            hits += weight
    return hits / total


def kappa(case: Case) -> float:
    """Cohen 1960; Ferri 2009, section 3.1 (KapS)."""
    table = _square(case)
    s = _sum(table)
    agreement = 0.0
    chance = 0.0
    for i in range(len(table)):
        agreement += table[i][i] / s
        chance += (_row(table, i) / s) * (_column(table, i) / s)
    if chance == 1.0:
        return math.nan
    return (agreement - chance) / (1 - chance)


def mean_f_measure(case: Case) -> float:
    """Ferri 2009, section 3.1 (MFM): mean over the present classes of the F-measure 2 TP / (t + u)."""
    table = case.C
    values = []
    for j in range(case.k):
        t_j = _row(table, j)
        if t_j > 0:
            values.append(2 * table[j][j] / (t_j + _column(table, j)))
    return math.fsum(values) / len(values)


def macro_arithmetic(case: Case) -> float:
    """Ferri 2009, section 3.1 (MAvA): arithmetic mean of the recalls of the present classes."""
    table = case.C
    recalls = [table[j][j] / _row(table, j) for j in range(case.k) if _row(table, j) > 0]
    return math.fsum(recalls) / len(recalls)


def macro_geometric(case: Case) -> float:
    """Ferri 2009, section 3.1 (MAvG): geometric mean of the recalls of the present classes."""
    table = case.C
    recalls = [table[j][j] / _row(table, j) for j in range(case.k) if _row(table, j) > 0]
    product = 1.0
    for recall in recalls:
        product *= recall
    return float(product ** (1 / len(recalls)))


def mcc(case: Case) -> float:
    """Gorodkin 2004; Jurman & Furlanello, eq. (2) as a triple sum, with f != k in the inner sums; 0/0 = 0."""
    table = _square(case)
    n = range(len(table))
    numerator = 0.0
    for k in n:
        for l in n:
            for m in n:
                numerator += table[k][k] * table[m][l] - table[l][k] * table[k][m]
    columns = 0.0
    rows = 0.0
    for k in n:
        column_k = 0.0
        row_k = 0.0
        for l in n:
            column_k += table[l][k]
            row_k += table[k][l]
        other_columns = 0.0
        other_rows = 0.0
        for f in n:
            for g in n:
                if f != k:
                    other_columns += table[g][f]
                    other_rows += table[f][g]
        columns += column_k * other_columns
        rows += row_k * other_rows
    if columns == 0 or rows == 0:
        return 0.0
    return numerator / (math.sqrt(columns) * math.sqrt(rows))


def mcc01(case: Case) -> float:
    """Jurman & Furlanello: the coefficient moved to [0, 1], (MCC + 1) / 2."""
    return (mcc(case) + 1) / 2


def core_mcc(case: Case) -> float:
    """Jurman & Furlanello: (1 - MCC)(1 - log_{2N-2}(1 - ACC))(1 - 1/N), 0 for a perfect table."""
    if case.l != case.k:
        return math.nan
    table = case.C
    n = case.k
    wrong = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                wrong += table[i][j]
    error = wrong / _sum(table)
    if n == 1 or error == 0:
        return 0.0
    return (1 - mcc(case)) * (1 - math.log(error) / math.log(2 * n - 2)) * (1 - 1 / n)


def _transformed(case: Case, log_n: float) -> float:
    if case.l != case.k:
        return math.nan
    if case.k == 1:
        return 0.0
    return core_mcc(case) / (1.012 * (1 + 0.18924 / log_n - 0.06694 / log_n**2))


def tmcc(case: Case) -> float:
    """Jurman & Furlanello: transformed MCC, core / k with k in log2 N."""
    return _transformed(case, math.log2(case.k))


def tmcc_ln(case: Case) -> float:
    """Jurman & Furlanello: transformed MCC, core / k with k in ln N."""
    return _transformed(case, math.log(case.k))


def accuracy_relabelled(case: Case) -> float:
    """Valverde-Albacete & Pelaez-Moreno 2014: accuracy after the best injective relabelling of the outputs."""
    table = case.C
    best = 0.0
    small, large = min(case.k, case.l), max(case.k, case.l)
    for chosen in itertools.permutations(range(large), small):
        covered = 0.0
        for a, b in enumerate(chosen):
            covered += table[a][b] if case.k <= case.l else table[b][a]
        best = max(best, covered)
    return best / _sum(table)


ORACLES: dict[str, Oracle] = {
    "Acc": accuracy,
    "KapS": kappa,
    "MFM": mean_f_measure,
    "MAvA": macro_arithmetic,
    "MAvG": macro_geometric,
    "MCC": mcc,
    "MCC01": mcc01,
    "tMCC": tmcc,
    "tMCC_ln": tmcc_ln,
    "coreMCC": core_mcc,
    "AccRelabel": accuracy_relabelled,
}
