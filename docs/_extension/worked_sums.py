"""The steps of measures that are sums, on the twelve cases of the worked example.

They are written from the definitions and the cases alone: nothing here asks karat for a value, and a test compares the
last number of each with karat's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
from worked_steps import Steps, total

CLASSES = "abc"
TRUTH = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c"]
PROBABILITIES = np.array([
    [0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.5, 0.2, 0.3], [0.2, 0.7, 0.1],
    [0.1, 0.8, 0.1], [0.5, 0.4, 0.1], [0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.6, 0.2, 0.2],
])  # fmt: skip
Y = np.array(["abc".index(c) for c in TRUTH])
P = PROBABILITIES
PREDICTED = P.argmax(axis=1)
N = len(Y)
C = np.zeros((3, 3), int)
np.add.at(C, (Y, PREDICTED), 1)
T, U = C.sum(axis=1), C.sum(axis=0)
CORRECT = np.trace(C)
OWN = [float(p[y]) for p, y in zip(P, Y, strict=True)]
"""The probability of the true class."""
PAIRS = list(permutations(range(3), 2))
ROC = [(sum(P[Y == 0, 0] >= x), sum(P[Y != 0, 0] >= x)) for x in sorted(set(P[:, 0]), reverse=True)]
"""(true positives, false positives) of class a from each probability on."""

Sums = Callable[[Steps], str]
SUMS: dict[str, Sums] = {}
"""Symbol to a function that takes the steps and gives the expression of the value."""


def sums(*symbols: str) -> Callable[[Sums], Sums]:
    def declared(function: Sums) -> Sums:
        SUMS.update(dict.fromkeys(symbols, function))
        return function

    return declared


def steps_of(symbol: str) -> Steps | None:
    """All steps of a measure; None if it is not a sum."""
    if symbol not in SUMS:
        return None
    steps = Steps()
    steps.let(symbol, SUMS[symbol](steps))
    return steps


def plain(**expressions: str) -> None:
    for symbol, expression in expressions.items():
        SUMS[symbol] = lambda _, expression=expression: expression


ACCURACY = f"{total(C[j, j] for j in range(3))} / {N}"
RECALLS = [f"({C[j, j]} / {T[j]})" for j in range(3)]
SHARES = [f"{t} / {N}" for t in T]
SQUARED = [
    " + ".join(f"(1 - {x:g}) ** 2" if j == y else f"{x:g} ** 2" for j, x in enumerate(p))
    for p, y in zip(P, Y, strict=True)
]
OUTCOME = [int(y == 0) for y in Y]
FALSE = [f"{1 - x:.1g}" for x in OWN]


def entropy(counts: np.ndarray, log: str = "log2") -> str:
    return f"-{total(f'{x} / {N} * {log}({x} / {N})' for x in np.ravel(counts) if x)}"


plain(
    Acc=ACCURACY,
    MFM=f"{total(f'2 * {C[j, j]} / ({T[j]} + {U[j]})' for j in range(3))} / 3",
    MAvA=f"{total(RECALLS)} / 3",
    MAvG=f"({' * '.join(RECALLS)}) ** (1 / 3)",
    MCC=f"({CORRECT} * {N} - {total(f'{t} * {u}' for t, u in zip(T, U, strict=True))})"
    f" / sqrt(({N} ** 2 - {total(f'{u} ** 2' for u in U)}) * ({N} ** 2 - {total(f'{t} ** 2' for t in T)}))",
    AccRelabel=f"max({', '.join(f'{C[0, i]} + {C[1, j]} + {C[2, k]}' for i, j, k in permutations(range(3)))}) / {N}",
    EC=f"{total(C[i, j] for i, j in PAIRS if C[i, j])} * 1 / {N}",
    H_X=entropy(T),
    H_Y=entropy(U),
    H_XY=entropy(C),
    MPR=f"{total(f'{x:g}' for x in OWN)} / {N}",
    MAE=f"{total(f'2 * {x}' for x in FALSE)} / ({N} * 3)",
    LogL=f"-{total(f'log2({x:g})' for x in OWN)} / {N}",
    LogLoss=f"-{total(f'ln({x:g})' for x in OWN)} / {N}",
    Niche=f"{total(f'{P[i, PREDICTED[i]]:g}' for i in range(N) if PREDICTED[i] != Y[i])} / {N}",
    UNC=f"{T[0]} / {N} * (1 - {T[0]} / {N})",
    BS=f"{total(f'({p:g} - {x}) ** 2' for p, x in zip(P[:, 0], OUTCOME, strict=True))} / {N}",
    DD=f"{total(f'{p:g}' for p in P[Y == 0, 0])} / {T[0]} - {total(f'{p:g}' for p in P[Y != 0, 0])} / {N - T[0]}",
)


@sums("KapS")
def _(s: Steps) -> str:
    s.let("Acc", ACCURACY)
    s.let("P_E", f"{total(f'{t} * {u}' for t, u in zip(T, U, strict=True))} / {N} ** 2")
    return "(Acc - P_E) / (1 - P_E)"


def correlated(s: Steps, log: str) -> None:
    s.let("Acc", ACCURACY)
    s.let("MCC", SUMS["MCC"](s))
    if log:
        s.let("k", f"1.012 * (1 + 0.18924 / {log}(3) - 0.06694 / {log}(3) ** 2)")


CORE = "(1 - MCC) * (1 - log4(1 - Acc)) * (1 - 1 / 3)"
for symbol, log, divided in (
    ("coreMCC", "", CORE),
    ("tMCC", "log2", f"1 / k * {CORE}"),
    ("tMCC_ln", "ln", f"1 / k * {CORE}"),
):
    SUMS[symbol] = lambda s, log=log, divided=divided: correlated(s, log) or divided


def confusion_entropy(s: Steps, table: np.ndarray, weight: str = "{d}", less: bool = False) -> str:
    """CEN of a table, each class weighted by its row and column, maybe without the diagonal."""
    name = "MCEN" if less else "CEN"
    weights = []
    for j in range(3):
        d = table[j].sum() + table[:, j].sum() - less * table[j, j]
        cells = [x for k in range(3) if k != j for x in (table[j, k], table[k, j]) if x]
        s.let(f"{name}_{CLASSES[j]}", "-" + total(f"{x:.12g} / {d:.12g} * log4({x:.12g} / {d:.12g})" for x in cells))
        weights.append(f"({d:.12g} - 2 * {table[j, j]:.12g})" if weight == "off" else f"{d:.12g}")
    whole = f"(2 * {table.sum():.12g} - {np.trace(table):.12g})" if less else f"(2 * {table.sum():.12g})"
    return total(f"{w} / {whole} * {name}_{c}" for w, c in zip(weights, CLASSES, strict=True))


SUMMED = np.array([P[j == Y].sum(axis=0) for j in range(3)]).round(12)
TABLES = {"": C, "r": C / T[:, None], "p": SUMMED, "rp": SUMMED / T[:, None]}
for prefix, table in TABLES.items():
    SUMS[f"{prefix}CEN"] = lambda s, table=table: confusion_entropy(s, table)
    SUMS[f"{prefix}CEN_offdiagonal"] = lambda s, table=table: confusion_entropy(s, table, "off")
SUMS["MCEN"] = lambda s: confusion_entropy(s, C, less=True)


@sums("CEN_j")
def _(s: Steps) -> str:
    d = T[0] + U[0]
    return "-" + total(f"{x} / {d} * log4({x} / {d})" for k in (1, 2) for x in (C[0, k], C[k, 0]) if x)


TP, FN, FP, TN = C[0, 0], T[0] - C[0, 0], U[0] - C[0, 0], N - T[0] - U[0] + C[0, 0]
for symbol, beta in (("F1", "1"), ("F2", "2"), ("F0.5", "0.5")):
    SUMS[symbol] = lambda _, b=beta: f"(1 + {b} ** 2) * {TP} / ((1 + {b} ** 2) * {TP} + {b} ** 2 * {FN} + {FP})"
plain(NEC=f"(1 - {TP} / {T[0]}) * 0.5 + {FP} / {N - T[0]} * (1 - 0.5)")
BOTH = "log2(3 * 3)"


@sums("ET_DH")
def _(s: Steps) -> str:
    s.let("H_X", entropy(T))
    s.let("H_Y", entropy(U))
    return f"(2 * log2(3) - H_X - H_Y) / {BOTH}"


def informed(s: Steps) -> None:
    for name, counts in (("H_X", T), ("H_Y", U), ("H_XY", C)):
        s.let(name, entropy(counts))


SUMS["ET_2MI"] = lambda s: informed(s) or f"2 * (H_X + H_Y - H_XY) / {BOTH}"
SUMS["ET_VI"] = lambda s: informed(s) or f"(2 * H_XY - H_X - H_Y) / {BOTH}"


def mean_probabilities(s: Steps) -> None:
    """p_jk: the mean probability of class k among the cases of class j."""
    for j, k in np.ndindex(3, 3):
        s.let(f"p_{CLASSES[j]}{CLASSES[k]}", f"{total(f'{x:g}' for x in P[j == Y, k])} / {T[j]}", shown=j == k)


SUMS["MAPR"] = lambda s: mean_probabilities(s) or "(p_aa + p_bb + p_cc) / 3"


@sums("PAUC")
def _(s: Steps) -> str:
    mean_probabilities(s)
    pairs = ((CLASSES[j], CLASSES[k]) for j, k in PAIRS)
    return f"{total(f'(p_{j}{j} - p_{k}{j} + 1) / 2' for j, k in pairs)} / (3 * 2)"


def squared_errors(s: Steps) -> str:
    for i, expression in enumerate(SQUARED, 1):
        s.let(f"e_{i}", expression, shown=i <= 2)
    return total(f"e_{i}" for i in range(1, N + 1))


SUMS["MSE"] = lambda s: f"{squared_errors(s)} / ({N} * 3)"
SUMS["Brier"] = SUMS["BrierLoss"] = lambda s: f"{squared_errors(s)} / {N}"


@sums("D2Brier")
def _(s: Steps) -> str:
    s.let("Brier", SUMS["Brier"](s))
    return f"1 - Brier / {total(f'{x} * (1 - {x})' for x in SHARES)}"


@sums("D2LogLoss")
def _(s: Steps) -> str:
    s.let("LogLoss", SUMS["LogLoss"](s))
    s.let("H_X", entropy(T, "ln"))
    return "1 - LogLoss / H_X"


@sums("Spherical")
def _(s: Steps) -> str:
    for i, (p, own) in enumerate(zip(P, OWN, strict=True), 1):
        s.let(f"q_{i}", f"{own:g} / sqrt{total(f'{x:g} ** 2' for x in p)}", shown=i <= 2)
    return f"{total(f'q_{i}' for i in range(1, N + 1))} / {N}"


def groups(j: int) -> list[tuple[float, int, int]]:
    """Cases with equal probabilities of class j: (probability, cases, cases of the class)."""
    column = P[:, j]
    return [(float(x), int(sum(column == x)), int(sum((column == x) & (j == Y)))) for x in sorted(set(column))]


def gaps(j: int, power: str) -> str:
    """Weighted gaps between the probabilities of groups and the shares of the class in them."""
    gap = "{n} * ({x:g} - {m} / {n}) ** 2" if power == "squared" else "{n} * abs({x:g} - {m} / {n})"
    return total(gap.format(x=x, n=n, m=m) for x, n, m in groups(j))


def of_classes(s: Steps, power: str, whole: str) -> str:
    for j, name in enumerate(CLASSES):
        s.let(f"g_{name}", gaps(j, power) + whole)
    return "(g_a + g_b + g_c) / 3"


SUMS["CalL"] = lambda s: of_classes(s, "squared", f" / {N}")
SUMS["CalL_sum"] = lambda s: of_classes(s, "squared", "")
SUMS["cwECE"] = lambda s: of_classes(s, "absolute", f" / {N}")
plain(
    REL=f"{gaps(0, 'squared')} / {N}",
    RES=f"{total(f'{n} * ({m} / {n} - {T[0]} / {N}) ** 2' for _, n, m in groups(0))} / {N}",
    OVL=total(f"min({m} / {T[0]}, {n - m} / {N - T[0]})" for _, n, m in groups(0)),
)
RECALIBRATED = f"{total(f'{n} * ({m} / {n}) * (1 - {m} / {n})' for _, n, m in groups(0) if 0 < m < n)} / {N}"
"""Shares of the class in groups already rise with their probabilities, so they are what isotonic regression gives."""


@sums("MCB")
def _(s: Steps) -> str:
    s.let("BS", SUMS["BS"](s))
    s.let("BS_isotonic", RECALIBRATED)
    return "BS - BS_isotonic"


@sums("DSC")
def _(s: Steps) -> str:
    s.let("UNC", SUMS["UNC"](s))
    s.let("BS_isotonic", RECALIBRATED)
    return "UNC - BS_isotonic"


for symbol in ("CalB", "CalB_consecutive", "CalB_caruana"):  # windows of one case
    SUMS[symbol] = SUMS["cwECE"]


@sums("CalB_printed")
def _(s: Steps) -> str:
    for j, name in enumerate(CLASSES):
        *others, (x, n, m) = groups(j)
        left = [(x, n, m, n) for x, n, m in others] + [(x, n, m, n - 1)] * (n > 1)
        s.let(f"g_{name}", f"{total(f'{times} * abs({x:g} - {m} / {n})' for x, n, m, times in left)} / ({N} - 1)")
    return "(g_a + g_b + g_c) / 3"


SURE = P.max(axis=1)
CONFIDENT = [(float(x), int(sum(x == SURE)), int(sum((x == SURE) & (PREDICTED == Y)))) for x in sorted(set(SURE))]
plain(
    ECE=total(f"{n} / {N} * abs({x:g} - {m} / {n})" for x, n, m in CONFIDENT),
    MCE=f"max({', '.join(f'abs({x:g} - {m} / {n})' for x, n, m in CONFIDENT)})",
)


def wins(own: np.ndarray, others: np.ndarray) -> str:
    """How many of the others each score is above; half of those that equal it."""
    counts = (float(sum(x > others) + sum(x == others) / 2) for x in sorted(own, reverse=True))
    return f"{total(f'{x:g}' for x in counts)} / ({len(own)} * {len(others)})"


def areas_of_classes(s: Steps) -> list[str]:
    for j, name in enumerate(CLASSES):
        s.let(f"AUC_{name}", wins(P[j == Y, j], P[j != Y, j]))
    return [f"AUC_{name}" for name in CLASSES]


def areas_of_pairs(s: Steps) -> list[tuple[int, str]]:
    for j, k in PAIRS:
        s.let(f"AUC_{CLASSES[j]}{CLASSES[k]}", wins(P[j == Y, j], P[k == Y, j]))
    return [(j, f"AUC_{CLASSES[j]}{CLASSES[k]}") for j, k in PAIRS]


SUMS["AUC"] = lambda s: wins(P[Y == 0, 0], P[Y != 0, 0])
SUMS["AUNU"] = lambda s: f"{total(areas_of_classes(s))} / 3"
SUMS["AUNP"] = lambda s: total(f"{share} * {area}" for share, area in zip(SHARES, areas_of_classes(s), strict=True))
SUMS["AU1U"] = lambda s: f"{total(area for _, area in areas_of_pairs(s))} / (3 * 2)"
SUMS["AU1P"] = lambda s: f"{total(f'{SHARES[j]} * {area}' for j, area in areas_of_pairs(s))} / 2"
SUMS["AU1P_printed"] = lambda s: f"{total(f'{SHARES[j]} * {area}' for j, area in areas_of_pairs(s))} / (3 * 2)"


@sums("AU1W")
def _(s: Steps) -> str:
    areas_of_pairs(s)
    two = ((0, 1), (0, 2), (1, 2))
    names = {(j, k): f"(AUC_{CLASSES[j]}{CLASSES[k]} + AUC_{CLASSES[k]}{CLASSES[j]}) / 2" for j, k in two}
    return f"{total(f'({T[j]} + {T[k]}) / {N} * {names[j, k]}' for j, k in two)} / 2"


@sums("SAUC")
def _(s: Steps) -> str:
    for j, k in PAIRS:
        ahead = [f"{sum(max(0, x - z) for z in P[k == Y, j]):.4g}" for x in P[j == Y, j]]
        s.let(f"S_{CLASSES[j]}{CLASSES[k]}", f"{total(ahead)} / ({T[j]} * {T[k]})")
    return f"{total(f'S_{CLASSES[j]}{CLASSES[k]}' for j, k in PAIRS)} / (3 * 2)"


plain(
    AP=total(
        f"({now} / {T[0]} - {before} / {T[0]}) * {now} / ({now} + {alarms})"
        for (now, alarms), (before, _) in zip(ROC, [(0, 0), *ROC], strict=False)
        if now > before
    ),
    KS=f"max({', '.join(f'{hits} / {T[0]} - {alarms} / {N - T[0]}' for hits, alarms in ROC[:5])})",
)


def partial_area(s: Steps) -> str:
    """The curve leaves FPR 0 at the recall of the highest scores, and rises on a line to its next point."""
    (hits, _), (more, alarms) = ROC[1], ROC[2]
    s.let("TPR_0", f"{hits} / {T[0]}")
    s.let("TPR_f", f"TPR_0 + ({more} / {T[0]} - TPR_0) * 0.1 / ({alarms} / {N - T[0]})")
    return "0.1 * (TPR_0 + TPR_f) / 2"


SUMS["partAUC"] = partial_area


@sums("partAUC_standardised")
def _(s: Steps) -> str:
    s.let("partAUC", partial_area(s))
    return "1 / 2 * (1 + (partAUC - 0.1 ** 2 / 2) / (0.1 - 0.1 ** 2 / 2))"


ADDED_UP = "; ".join(", ".join(f"{x:g}" for x in row) for row in SUMMED)
EQUAL = (
    "Cases with equal probabilities form a group, which adds its size times the gap between their probability and the "
    "share of the class among them."
)
BEATEN = (
    "Each case of the class, the most probable first, is above so many of the others; equal probabilities count half."
)
CURVE = "From the highest probability of a down, "
NOTES = {
    **dict.fromkeys(("AUC", "AUNU", "AUNP", "AU1U", "AU1P", "AU1P_printed", "AU1W"), BEATEN),
    "SAUC": "By how much each case of one class is above those of the other, added up.",
    "MSE": "The squared error of a case is summed over the classes; the first two are written out.",
    "Brier": "The squared error of a case is summed over the classes; the first two are written out.",
    "Spherical": "The first two cases are written out.",
    "MAE": "The errors of a case sum to twice what the true class lacks to 1.",
    "MAPR": "Mean probability of each class among its own cases:",
    "PAUC": "Mean probabilities of a class among its own cases (shown) and among those of another class:",
    "EC": "Every error costs 1.",
    "H_XY": "Cells without a case add nothing.",
    "CEN": "Cells off the diagonal, of rows and columns; 4 = 2(N - 1) is the base.",
    "pCEN": f"Probabilities added up by true class: {ADDED_UP}. Of these, cells off the diagonal; 4 is the base.",
    "AccRelabel": "All six ways to name the predicted classes:",
    "REL": EQUAL, "CalL": EQUAL, "CalL_sum": EQUAL, "cwECE": EQUAL,
    "RES": "Groups of equal probabilities: size times the squared gap between their share of a and that of all cases.",
    "OVL": "The smaller share of both sides, at each probability.",
    "CalB": f"Twelve cases make windows of one case. {EQUAL}",
    "CalB_printed": f"Twelve cases make windows of one case, and as printed the last window is left out. {EQUAL}",
    "ECE": "By confidence 0.5, 0.6, 0.7 and 0.8: the gap between it and the accuracy of these cases.",
    "MCB": "The shares of a rise with the probabilities already, so isotonic regression leaves them as they are.",
    "AP": f"{CURVE}the gain in recall times the precision.",
    "KS": f"{CURVE}true positive rate minus false positive rate; further down it falls.",
    "partAUC": "The line from recall 0.4 at no false positive to the next point, up to a false positive rate of 0.1.",
}  # fmt: skip
"""What is to be said before the steps."""
ALIKE = {
    "BrierLoss": "Brier", "D2Brier": "Brier", "MCE": "ECE", "DSC": "MCB",
    "CalB_consecutive": "CalB", "CalB_caruana": "CalB",
    "partAUC_standardised": "partAUC", "CEN_j": "CEN", "MCEN": "CEN", "CEN_offdiagonal": "CEN",
    **{f"{prefix}CEN{rest}": "pCEN" for prefix in ("p", "rp") for rest in ("", "_offdiagonal")},
    "rCEN": "CEN", "rCEN_offdiagonal": "CEN",
}  # fmt: skip
POINTS = ", ".join(f"({alarms}/{N - T[0]}, {hits}/{T[0]})" for hits, alarms in ROC)
INTEGRALS = dict.fromkeys(
    ("AUPRC", "H", "H_2014", "H_severity"), f"Points of the ROC curve, (FPR, TPR): (0, 0), {POINTS}."
)
"""What an integral is taken over; between the points it is solved in closed form."""


def note_of(symbol: str) -> str:
    """What is to be said before the steps of a measure."""
    return NOTES.get(ALIKE.get(symbol, symbol), "")
