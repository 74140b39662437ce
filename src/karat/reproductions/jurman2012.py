"""Jurman & Furlanello (2012): MCC and CEN in closed form, on random matrices, and for two classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from karat.batches import evaluate_matrices
from karat.core.arithmetic import TOLERANCE, Array
from karat.core.study import Study, Tables
from karat.diagrams import Diagram, Several
from karat.reproductions.cell import Cell, Publication
from karat.reproductions.paper_figures import PaperFigure, side_by_side
from karat.studies.mcc_and_cen import MccAndCen, even, one_error, unbalanced_guess

TITLE = "Jurman & Furlanello 2012"
PAPER = Publication("jurman2012")
DOTS = 5_000
"""Matrices that the figure shows: of 200,000 most dots would hide others."""
FAR = 1e12
"""An A that stands for infinity."""


def studies(*, share: float, seed: int) -> dict[str, Study]:
    """At the published size: 200,000 random matrices."""
    matrices = max(2, round(200_000 * share))
    return {"mcc_and_cen": MccAndCen(matrices=matrices, spaces=((2, 4, 3),), points=DOTS, seed=seed)}


def of(matrix: Array, symbol: str) -> float:
    """A measure of one matrix."""
    return float(evaluate_matrices([np.asarray(matrix, float)], [symbol])[symbol][0])


def cells(tables: Mapping[str, Tables]) -> Iterator[Cell]:
    """The experiment, then what is said of families of matrices."""
    yield from _experiment(tables["mcc_and_cen"])
    for n, a in ((3, 5), (4, 10), (8, 100)):
        yield from _families(n, a)
    for n in (3, 5, 10):
        yield from _limits(n)
    yield from _two_classes()


def _experiment(tables: Tables) -> Iterator[Cell]:
    fit, natural = tables["fit"].records
    name = "correlation of tMCC and k CEN"
    # of three bases the one was taken that gives this number
    yield PAPER.cell("correlation", fit[name], error=fit["error"], with_ln=natural[name], fitted=True)
    yield PAPER.cell("ratio", fit["mean tMCC / CEN"], error=(fit["high"] - fit["low"]) / 2 / 1.96)
    yield PAPER.cell("underestimate", fit["tMCC below CEN"] > 0.5)
    yield PAPER.cell("consistency", fit["consistency"])
    yield PAPER.cell("discriminancy", tables["spaces"].records[0]["discriminancy"])


def _families(n: int, a: int) -> Iterator[Cell]:
    log, whole = _log(n), a + n - 1
    z, u, b = one_error(n, a), unbalanced_guess(n, a), even(n, a)
    inner = (2 * n + a - 3) * log(2 * n + a - 1) - 2 * a * log(a) + (a + 1) * log(n + n * a + a - 1)
    z_cen = ((n - 2) * (n - 1) * log(2 * n) + (2 * n + a - 3) * log(2 * n + a - 1) - a * log(a)) / (n * n + a - 1)
    b_cen = (n - 1) / whole * log(2 * whole)
    formulas = [
        ("Z Acc", z, "Acc", n / (n * n + a - 1)),
        ("Z MCC as printed", z, "MCC", -(a - 1) / ((n - 1) * (n * n - 2 * a - 2))),
        ("Z MCC corrected", z, "MCC", -(a - 1) / ((n - 1) * (n * n + 2 * a - 2))),
        ("Z CEN", z, "CEN", z_cen),
        ("unbalanced CEN", u, "CEN", (n - 1) / (2 * n * (n + a - 1)) * inner),
        ("unbalanced MCC", u, "MCC", 0.0),
        ("B MCC", b, "MCC", (a * a + (n - 2) * a - (n - 1)) / whole**2),
        ("B CEN", b, "CEN", b_cen),
        ("B CEN from MCC", b, "coreMCC", b_cen),
    ]
    for key, matrix, symbol, formula in formulas:
        yield PAPER.cell(key, of(matrix, symbol), published=formula, n=n, a=a)


def _limits(n: int) -> Iterator[Cell]:
    log, z, u = _log(n), one_error(n, FAR), unbalanced_guess(n, FAR)
    formulas = [
        ("limit MCC as printed", z, "MCC", -1 / (n - 1)),
        ("limit MCC corrected", z, "MCC", -1 / (2 * (n - 1))),
        ("limit CEN as printed", u, "CEN", (n - 1) / (2 * n) * log(n) + 1),
        ("limit CEN corrected", u, "CEN", (n - 1) / (2 * n) * log(n + 1)),
        ("equal cells", np.ones((n, n)), "CEN", (1 - 1 / n) * log(2 * n)),
        ("all wrong", 1 - np.eye(n), "CEN", 1.0),
    ]
    for key, matrix, symbol, formula in formulas:
        yield PAPER.cell(key, of(matrix, symbol), published=formula, n=n)


def _log(n: int) -> Callable[[float], float]:
    base = math.log(2 * n - 2)
    return lambda x: math.log(x) / base


def _two_classes() -> Iterator[Cell]:
    for t, f in ((1, 2), (3, 10), (9, 10)):
        ours = of(np.array([[t, f], [f, t]]), "CEN")
        yield PAPER.cell("two CEN", ours, published=f / (t + f) * math.log2(2 * (t + f) / f), t=t, f=f)
        yield PAPER.cell("two above 1", ours > 1, t=t, f=f)
    yield PAPER.cell("attained", of(np.array([[0, 5], [5, 0]]), "CEN") > 1 + TOLERANCE)
    yield PAPER.cell("perfect only", of(np.array([[0, 5], [0, 0]]), "CEN") > 0)
    yield PAPER.cell("swapped", of(np.array([[0, 7, 0], [7, 0, 0], [0, 0, 0]]), "MCC"))


def _figure_1(tables: Mapping[str, Tables]) -> Diagram | Several:
    return side_by_side(list(MccAndCen().figures(tables["mcc_and_cen"]).values()))


FIGURES = (
    PaperFigure(
        1,
        f"MCC and CEN (left), tMCC and k CEN (right) of random matrices of 3 to 30 classes, up to {DOTS:,}",
        _figure_1,
    ),
)
