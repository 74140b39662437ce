"""Confusion entropy and its variants."""

from __future__ import annotations

import math

from .case import Case, Oracle

Table = list[list[float]]


def _plogp(p: float, base: float) -> float:
    """The term -p log_base p, 0 for p = 0."""
    return 0.0 if p == 0 else -p * math.log(p) / math.log(base)


def _mass(table: Table, j: int) -> float:
    """D_j, everything in row j and column j (the diagonal cell twice)."""
    total = 0.0
    for k in range(len(table)):
        total += table[j][k] + table[k][j]
    return total


def _class_entropy(table: Table, j: int) -> float:
    """CEN_j from the misclassification probabilities P^j_jk and P^j_kj."""
    n = len(table)
    mass = _mass(table, j)
    if n == 1 or mass == 0:
        return 0.0
    entropy = 0.0
    for k in range(n):
        if k != j:
            entropy += _plogp(table[j][k] / mass, 2 * (n - 1))
            entropy += _plogp(table[k][j] / mass, 2 * (n - 1))
    return entropy


def _entropy(table: Table | None, off_diagonal: bool = False) -> float:
    """Overall confusion entropy, sum of P_j CEN_j."""
    if table is None or any(len(row) != len(table) for row in table):
        return math.nan
    s = math.fsum(cell for row in table for cell in row)
    value = 0.0
    for j in range(len(table)):
        share = _mass(table, j)
        if off_diagonal:
            share -= 2 * table[j][j]
        value += share / (2 * s) * _class_entropy(table, j)
    return value


def _relative(table: Table | None) -> Table | None:
    """Each row divided by its sum; an absent class keeps its row of zeros."""
    if table is None:
        return None
    rows = []
    for row in table:
        total = math.fsum(row)
        rows.append([cell / total if total > 0 else 0.0 for cell in row])
    return rows


def _probabilistic(case: Case) -> Table | None:
    """Wang 2013, eq. (12): the sum of the probabilities p(s, j) over the examples of class i."""
    if case.p is None:
        return None
    table = [[0.0] * len(case.p[0]) for _ in range(case.k)]
    for truth, row, weight in zip(case.y, case.p, case.w, strict=True):
        for j, value in enumerate(row):
            table[truth][j] += weight * value
    return table


def cen(case: Case) -> float:
    """Wei 2010; Wang 2013, eqs (7)-(11); Jurman & Furlanello, eq. (1)."""
    return _entropy(case.C)


def relative_cen(case: Case) -> float:
    """Wang 2013, Table 8 (rCEN): confusion entropy of the row-normalised confusion matrix."""
    return _entropy(_relative(case.C))


def probabilistic_cen(case: Case) -> float:
    """Wang 2013, eq. (12) (pCEN)."""
    return _entropy(_probabilistic(case))


def relative_probabilistic_cen(case: Case) -> float:
    """Wang 2013, eqs (5)-(11) (rpCEN)."""
    return _entropy(_relative(_probabilistic(case)))


def cen_off_diagonal(case: Case) -> float:
    """Wang 2013 as its numbers were computed: P_j without the diagonal in the numerator; of the confusion matrix."""
    return _entropy(case.C, off_diagonal=True)


def relative_cen_off_diagonal(case: Case) -> float:
    """Wang 2013 as its numbers were computed: the off-diagonal P_j, of the row-normalised confusion matrix."""
    return _entropy(_relative(case.C), off_diagonal=True)


def probabilistic_cen_off_diagonal(case: Case) -> float:
    """Wang 2013 as its numbers were computed: the off-diagonal P_j, of the matrix of eq. (12)."""
    return _entropy(_probabilistic(case), off_diagonal=True)


def relative_probabilistic_cen_off_diagonal(case: Case) -> float:
    """Wang 2013, values of M1, M2 and M3: the off-diagonal P_j, of the matrix of eq. (5)."""
    return _entropy(_relative(_probabilistic(case)), off_diagonal=True)


def modified_cen(case: Case) -> float:
    """Delgado & Nunez-Gonzalez 2019 (MCEN): the diagonal cell counts once in row and column j together."""
    if case.l != case.k:
        return math.nan
    table = case.C
    n = case.k
    if n == 1:
        return 0.0
    alpha = 0 if n == 2 else 1
    s = math.fsum(cell for row in table for cell in row)
    trace = math.fsum(table[j][j] for j in range(n))
    value = 0.0
    for j in range(n):
        mass = _mass(table, j) - table[j][j]
        if mass > 0:
            entropy = 0.0
            for k in range(n):
                if k != j:
                    entropy += _plogp(table[j][k] / mass, 2 * (n - 1))
                    entropy += _plogp(table[k][j] / mass, 2 * (n - 1))
            value += mass / (2 * s - alpha * trace) * entropy
    return value


def class_cen(case: Case) -> float:
    """Wang 2013, eqs (7)-(9): confusion entropy CEN_j of the positive class."""
    if case.l != case.k or case.positive is None:
        return math.nan
    return _class_entropy(case.C, case.positive)


ORACLES: dict[str, Oracle] = {
    "CEN": cen,
    "rCEN": relative_cen,
    "pCEN": probabilistic_cen,
    "rpCEN": relative_probabilistic_cen,
    "CEN_offdiagonal": cen_off_diagonal,
    "rCEN_offdiagonal": relative_cen_off_diagonal,
    "pCEN_offdiagonal": probabilistic_cen_off_diagonal,
    "rpCEN_offdiagonal": relative_probabilistic_cen_off_diagonal,
    "MCEN": modified_cen,
    "CEN_j": class_cen,
}
