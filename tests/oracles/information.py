"""Information measures of the joint distribution of truth X and decision Y, in bits."""

from __future__ import annotations

import math

from .case import Case, Oracle


def _joint(case: Case) -> list[list[float]]:
    """P(x, y), the k x l table divided by its sum."""
    table = case.C
    s = math.fsum(cell for row in table for cell in row)
    return [[cell / s for cell in row] for row in table]


def _marginal_x(case: Case) -> list[float]:
    return [math.fsum(row) for row in _joint(case)]


def _marginal_y(case: Case) -> list[float]:
    joint = _joint(case)
    return [math.fsum(joint[i][j] for i in range(case.k)) for j in range(case.l)]


def _entropy(distribution: list[float]) -> float:
    """-sum p log2 p with 0 log 0 = 0 (Shannon 1948)."""
    h = 0.0
    for p in distribution:
        if p > 0:
            h += p * math.log2(1 / p)
    return h


def h_x(case: Case) -> float:
    """Valverde-Albacete 2014: entropy of the truth, H(P_X)."""
    return _entropy(_marginal_x(case))


def h_y(case: Case) -> float:
    """Valverde-Albacete 2014: entropy of the decisions, H(P_Y)."""
    return _entropy(_marginal_y(case))


def h_xy(case: Case) -> float:
    """Valverde-Albacete 2014: joint entropy, H(P_XY)."""
    return _entropy([cell for row in _joint(case) for cell in row])


def h_x_given_y(case: Case) -> float:
    """Valverde-Albacete 2014: sum_y P(y) H(X | Y = y)."""
    joint = _joint(case)
    h = 0.0
    for j, p_y in enumerate(_marginal_y(case)):
        if p_y > 0:
            h += p_y * _entropy([joint[i][j] / p_y for i in range(case.k)])
    return h


def h_y_given_x(case: Case) -> float:
    """Valverde-Albacete 2014: sum_x P(x) H(Y | X = x)."""
    joint = _joint(case)
    h = 0.0
    for i, p_x in enumerate(_marginal_x(case)):
        if p_x > 0:
            h += p_x * _entropy([joint[i][j] / p_x for j in range(case.l)])
    return h


def mutual_information(case: Case) -> float:
    """Valverde-Albacete 2014: sum P(x, y) log2 P(x, y) / (P(x) P(y))."""
    joint = _joint(case)
    p_x = _marginal_x(case)
    p_y = _marginal_y(case)
    mi = 0.0
    for i in range(case.k):
        for j in range(case.l):
            if joint[i][j] > 0:
                mi += joint[i][j] * math.log2(joint[i][j] / (p_x[i] * p_y[j]))
    return mi


def variation_of_information(case: Case) -> float:
    """Meila 2007; Valverde-Albacete 2014: VI = H(X|Y) + H(Y|X)."""
    return h_x_given_y(case) + h_y_given_x(case)


def h_ux(case: Case) -> float:
    """Valverde-Albacete 2014: entropy of the uniform distribution of k classes."""
    return math.log2(case.k)


def h_uy(case: Case) -> float:
    """Valverde-Albacete 2014: entropy of the uniform distribution of l decisions."""
    return math.log2(case.l)


def delta_h_x(case: Case) -> float:
    """Valverde-Albacete 2014: log2 k - H_X."""
    return h_ux(case) - h_x(case)


def delta_h_y(case: Case) -> float:
    """Valverde-Albacete 2014: log2 l - H_Y."""
    return h_uy(case) - h_y(case)


def delta_h(case: Case) -> float:
    """Valverde-Albacete 2014: sum of the two differences from uniformity."""
    return delta_h_x(case) + delta_h_y(case)


def k_x(case: Case) -> float:
    """Valverde-Albacete 2014: perplexity of the truth, 2^H_X."""
    return float(2 ** h_x(case))


def m_y(case: Case) -> float:
    """Valverde-Albacete 2014: perplexity of the decisions, 2^H_Y."""
    return float(2 ** h_y(case))


def k_x_given_y(case: Case) -> float:
    """Valverde-Albacete 2014: remaining perplexity, 2^H_X|Y."""
    return float(2 ** h_x_given_y(case))


def m_y_given_x(case: Case) -> float:
    """Valverde-Albacete 2014: 2^H_Y|X."""
    return float(2 ** h_y_given_x(case))


def delta_x(case: Case) -> float:
    """Valverde-Albacete 2014: delta_X = k / k_X."""
    return case.k / k_x(case)


def delta_y(case: Case) -> float:
    """Valverde-Albacete 2014: delta_Y = l / m_Y."""
    return case.l / m_y(case)


def mu(case: Case) -> float:
    """Valverde-Albacete 2014: information transfer factor, 2^MI."""
    return float(2 ** mutual_information(case))


def ema(case: Case) -> float:
    """Valverde-Albacete 2014, eq. (3): entropy-modulated accuracy, 1 / k_X|Y."""
    return 1 / k_x_given_y(case)


def nit(case: Case) -> float:
    """Valverde-Albacete 2014, eq. (5): normalised information transfer, mu / k."""
    return mu(case) / case.k


def rci(case: Case) -> float:
    """Sindhwani 2001; Wang 2013: relative classifier information, MI / H_X."""
    if sum(1 for p in _marginal_x(case) if p > 0) < 2:
        return math.nan
    return mutual_information(case) / h_x(case)


def _over(numerator: float, denominator: float) -> float:
    return math.nan if denominator == 0 else numerator / denominator


def et_dh(case: Case) -> float:
    """Valverde-Albacete 2014, eq. (6): first coordinate of the entropy triangle."""
    return _over(delta_h(case), h_ux(case) + h_uy(case))


def et_2mi(case: Case) -> float:
    """Valverde-Albacete 2014, eq. (6): second coordinate of the entropy triangle."""
    return _over(2 * mutual_information(case), h_ux(case) + h_uy(case))


def et_vi(case: Case) -> float:
    """Valverde-Albacete 2014, eq. (6): third coordinate of the entropy triangle."""
    return _over(variation_of_information(case), h_ux(case) + h_uy(case))


def etx_dh(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of X, Delta H_X / log2 k."""
    return _over(delta_h_x(case), h_ux(case))


def etx_mi(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of X, MI / log2 k."""
    return _over(mutual_information(case), h_ux(case))


def etx_vi(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of X, H_X|Y / log2 k."""
    return _over(h_x_given_y(case), h_ux(case))


def ety_dh(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of Y, Delta H_Y / log2 l."""
    return _over(delta_h_y(case), h_uy(case))


def ety_mi(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of Y, MI / log2 l."""
    return _over(mutual_information(case), h_uy(case))


def ety_vi(case: Case) -> float:
    """Valverde-Albacete 2014: split triangle of Y, H_Y|X / log2 l."""
    return _over(h_y_given_x(case), h_uy(case))


ORACLES: dict[str, Oracle] = {
    "H_X": h_x,
    "H_Y": h_y,
    "H_XY": h_xy,
    "H_X|Y": h_x_given_y,
    "H_Y|X": h_y_given_x,
    "MI": mutual_information,
    "VI": variation_of_information,
    "H_UX": h_ux,
    "H_UY": h_uy,
    "DH_X": delta_h_x,
    "DH_Y": delta_h_y,
    "DH": delta_h,
    "k_X": k_x,
    "m_Y": m_y,
    "k_X|Y": k_x_given_y,
    "m_Y|X": m_y_given_x,
    "delta_X": delta_x,
    "delta_Y": delta_y,
    "mu": mu,
    "EMA": ema,
    "NIT": nit,
    "RCI": rci,
    "ET_DH": et_dh,
    "ET_2MI": et_2mi,
    "ET_VI": et_vi,
    "ETX_DH": etx_dh,
    "ETX_MI": etx_mi,
    "ETX_VI": etx_vi,
    "ETY_DH": ety_dh,
    "ETY_MI": ety_mi,
    "ETY_VI": ety_vi,
}
