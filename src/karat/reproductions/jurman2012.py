"""Jurman & Furlanello (2012): closed forms, the random matrices, discriminancy, two classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.batches import evaluate_matrices
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Study, Tables
from karat.reproductions.cell import Cell, truth
from karat.studies.matrices import even, one_error, unbalanced_guess
from karat.studies.mcc_and_cen import MccAndCen

TITLE = "Jurman & Furlanello 2012"
LOG2 = "the base of the logarithm in k is not given; 2 fits best"
SIGN = "printed with N² - 2A - 2 in the denominator; it is N² + 2A - 2"
LIMIT = "printed as (N-1)/(2N) log N + 1, the brackets lost: it is log(N + 1)"


def studies(*, share: float, seed: int) -> dict[str, Study]:
    """At the published size: 200,000 random matrices."""
    return {"mcc_and_cen": MccAndCen(matrices=max(2, round(200_000 * share)), spaces=((2, 4, 3),), seed=seed)}


def of(matrix: Array, symbol: str) -> float:
    """A measure of one matrix."""
    return float(evaluate_matrices([np.asarray(matrix, float)], [symbol])[symbol][0])


def cells(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """The experiment, then what is said of families of matrices."""
    yield from _experiment(tables["mcc_and_cen"])
    yield from _families()
    yield from _two_classes()


def _experiment(tables: Tables) -> Iterator[Cell]:
    fit, natural = (dict(zip(tables["fit"].columns, row, strict=True)) for row in tables["fit"].rows)
    where = "Section 2, 200,000 random matrices"
    yield Cell(
        where=where,
        what="correlation of tMCC and k CEN",
        published=0.9941477,
        digits=7,
        ours=fit["correlation of tMCC and k CEN"],
        error=fit["error"],
        correction=LOG2,
        why=f"with ln {natural['correlation of tMCC and k CEN']:.5f}",
    )
    error = (fit["high"] - fit["low"]) / 2 / 1.96
    yield Cell(
        where=where,
        what="mean ratio of tMCC and k CEN",
        published=1.000508,
        digits=6,
        ours=fit["mean tMCC / CEN"],
        error=error,
        why="no base of the logarithm gives it (1.0051 with 2, .9888 with e); a zero too many is a guess",
    )
    yield Cell(
        where=where,
        what="tMCC is a slight underestimate (mostly below CEN)",
        published="yes",
        ours=truth(fit["tMCC below CEN"] > 0.5),
        why="true of the natural logarithm, which does not give the correlation",
    )
    yield Cell(
        where=where,
        what="degree of consistency",
        published=1 - 1e-7,
        digits=7,
        ours=fit["consistency"],
        why="a correlation of .994 excludes it; no reading gives more than about .974",
    )
    space = dict(zip(tables["spaces"].columns, tables["spaces"].rows[0], strict=True))
    yield Cell(
        where="Section 2",
        what="degree of discriminancy of CEN over MCC, row sums 2 4 3",
        published=6.0,
        digits=0,
        ours=space["discriminancy"],
        why="3178 / 591 with exact ties; equality of rounded floats gives 5.4 to 9.6",
    )


def _families() -> Iterator[Cell]:
    for n, a in ((3, 5), (4, 10), (8, 100)):
        log = _log(n)
        where = f"Section 2, Z_A, N = {n}, A = {a}"
        z = one_error(n, a)
        yield Cell(where=where, what="Acc", published=n / (n * n + a - 1), ours=of(z, "Acc"), digits=12)
        yield Cell(
            where=where,
            what="MCC as printed",
            published=-(a - 1) / ((n - 1) * (n * n - 2 * a - 2)),
            ours=of(z, "MCC"),
            digits=12,
            why=SIGN,
        )
        yield Cell(
            where=where,
            what="MCC, corrected",
            published=-(a - 1) / ((n - 1) * (n * n + 2 * a - 2)),
            ours=of(z, "MCC"),
            digits=12,
            correction=SIGN,
        )
        cen = ((n - 2) * (n - 1) * log(2 * n) + (2 * n + a - 3) * log(2 * n + a - 1) - a * log(a)) / (n * n + a - 1)
        yield Cell(where=where, what="CEN", published=cen, ours=of(z, "CEN"), digits=12)
        where = f"Section 2, unbalanced random problem, N = {n}, A = {a}"
        u = unbalanced_guess(n, a)
        inner = (2 * n + a - 3) * log(2 * n + a - 1) - 2 * a * log(a) + (a + 1) * log(n + n * a + a - 1)
        yield Cell(
            where=where, what="CEN", published=(n - 1) / (2 * n * (n + a - 1)) * inner, ours=of(u, "CEN"), digits=12
        )
        yield Cell(where=where, what="MCC", published=0.0, ours=of(u, "MCC"), digits=12)
        where = f"Section 2, B, N = {n}, T = {a}, F = 1"
        whole = a + n - 1
        b = even(n, a)
        mcc = (a * a + (n - 2) * a - (n - 1)) / whole**2
        yield Cell(where=where, what="MCC", published=mcc, ours=of(b, "MCC"), digits=12)
        cen = (n - 1) / whole * log(2 * whole)
        yield Cell(where=where, what="CEN", published=cen, ours=of(b, "CEN"), digits=12)
        yield Cell(where=where, what="CEN from MCC (without k)", published=cen, ours=of(b, "coreMCC"), digits=12)
    for n in (3, 5, 10):
        log, far = _log(n), 1e12
        where = f"Section 2, limits for A, N = {n}"
        skewed = of(one_error(n, far), "MCC")
        yield Cell(where=where, what="MCC(Z_A) as printed", published=-1 / (n - 1), ours=skewed, digits=6, why=SIGN)
        half = -1 / (2 * (n - 1))
        yield Cell(where=where, what="MCC(Z_A), corrected", published=half, ours=skewed, digits=6, correction=SIGN)
        guessed = of(unbalanced_guess(n, far), "CEN")
        printed = (n - 1) / (2 * n) * log(n) + 1
        yield Cell(
            where=where,
            what="CEN of the unbalanced problem as printed",
            published=printed,
            ours=guessed,
            digits=6,
            why=LIMIT,
        )
        yield Cell(
            where=where,
            what="CEN of the unbalanced problem, corrected",
            ours=guessed,
            digits=6,
            correction=LIMIT,
            published=(n - 1) / (2 * n) * log(n + 1),
        )
        where = f"Section 2, N = {n}"
        same = (1 - 1 / n) * log(2 * n)
        yield Cell(where=where, what="CEN, all cells equal", published=same, ours=of(np.ones((n, n)), "CEN"), digits=12)
        wrong = 1 - np.eye(n)
        yield Cell(where=where, what="CEN, all wrong and even", published=1.0, ours=of(wrong, "CEN"), digits=12)


def _log(n: int) -> Any:
    base = math.log(2 * n - 2)
    return lambda x: math.log(x) / base


def _two_classes() -> Iterator[Cell]:
    where = "Section 2.1, two classes"
    for t, f in ((1, 2), (3, 10), (9, 10)):
        ours = of(np.array([[t, f], [f, t]]), "CEN")
        formula = f / (t + f) * math.log2(2 * (t + f) / f)
        yield Cell(where=where, what=f"CEN, T = {t}, F = {f}", published=formula, ours=ours, digits=12)
        yield Cell(where=where, what=f"CEN above 1, T = {t}, F = {f}", published="yes", ours=truth(ours > 1))
    none = of(np.array([[0, 5], [5, 0]]), "CEN")
    yield Cell(
        where=where,
        what="CEN above 1 is attained at T = 0",
        published="yes",
        ours=truth(none > 1 + TOLERANCE),
        why="CEN is 1 there; the highest, 1.0615, is at T / F = .359",
    )
    yield Cell(
        where="Section 2",
        what="CEN is 0 for perfect classification only",
        published="yes",
        ours=truth(of(np.array([[0, 5], [0, 0]]), "CEN") > 0),
        why="it is 0 too where wrong cells hold all there is of their classes",
    )
    swapped = of(np.array([[0, 7, 0], [7, 0, 0], [0, 0, 0]]), "MCC")
    yield Cell(where="Section 2", what="MCC is -1 for two symmetric cells", published=-1.0, ours=swapped, digits=12)
