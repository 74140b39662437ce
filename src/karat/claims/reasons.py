"""When a measure has no value: each reason that measures give, said a second time as a condition on the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from karat.claims.trial_problems import TrialProblem, troublesome
from karat.evaluation import Evaluation, evaluate_matrix


@dataclass(frozen=True)
class Facts:
    """Of a table, counted cell by cell: one class against the rest, and which classes were seen."""

    table: list[list[float]]
    tp: float
    fn: float
    fp: float
    tn: float
    seen: int
    """classes with cases"""
    k: int
    l: int
    n: int
    """cases"""

    @classmethod
    def of(cls, table: Any, j: int, n: int) -> Facts:
        """Class j against the rest."""
        tp = fn = fp = tn = 0.0
        for a, row in enumerate(table):
            for b, x in enumerate(row):
                tp, fn = tp + x * (a == b == j), fn + x * (a == j != b)
                fp, tn = fp + x * (a != j == b), tn + x * (a != j and b != j)
        return cls(table, tp, fn, fp, tn, sum(sum(row) > 0 for row in table), len(table), len(table[0]), n)

    @property
    def side(self) -> bool:
        """Has the class, or the rest, no case?"""
        return self.tp + self.fn == 0 or self.fp + self.tn == 0


Meaning = Callable[[Facts], bool]
ONE_CELL = "there is only one class and one decision, so the triangle has no extent"
SQUARE = "there are more or fewer decisions than classes, and it is defined for square tables only"
COMPLETE = "all cases are of one class and all decisions name it, so agreement by chance is already complete"
PRIOR_ONLY = "a class has a prior but no case"
MEANINGS: dict[str, Meaning] = {
    "": lambda f: False,
    SQUARE: lambda f: f.k != f.l,
    COMPLETE: lambda f: any(row[i : i + 1] == [sum(map(sum, f.table))] for i, row in enumerate(f.table)),
    ONE_CELL: lambda f: f.k == f.l == 1,
    "there is only one class, so the triangle has no extent": lambda f: f.k == 1,
    "there is only one decision, so the triangle has no extent": lambda f: f.l == 1,
    PRIOR_ONLY: lambda f: f.seen < f.k,
    "all cases are of one class, so there is nothing to be told": lambda f: f.seen == 1,
    "fewer than two classes have cases": lambda f: f.seen < 2,
    "no case is of the class": lambda f: f.tp + f.fn == 0,
    "every case is of the class": lambda f: f.fp + f.tn == 0,
    "one of the two sides, the class or the rest, has no case": lambda f: f.side,
    "the class was never decided": lambda f: f.tp + f.fp == 0,
    "the class was always decided": lambda f: f.fn + f.tn == 0,
    "the class was never or always decided": lambda f: f.tp + f.fp == 0 or f.fn + f.tn == 0,
    "no case is of the class and it was never decided": lambda f: f.tp + f.fn + f.fp == 0,
    "no case is of the class, or it was never decided": lambda f: f.tp + f.fn == 0 or f.tp + f.fp == 0,
    "the class is never decided, or one of the two sides has no case": lambda f: f.tp + f.fp == 0 or f.side,
    "the class is always decided, or one of the two sides has no case": lambda f: f.fn + f.tn == 0 or f.side,
    "both products of the 2 x 2 table are 0": lambda f: f.tp * f.tn == 0 == f.fp * f.fn,
    "there are as few cases as one window holds": lambda f: f.n == max(1, f.n // 10),
    "some case was rejected, and a rejection has no probability": lambda f: sum(sum(r[f.k :]) for r in f.table) > 0,
}
"""When each reason holds, said a second time."""
ODD_TABLES = ([[3.0, 2.0]], [[3.0], [2.0]], [[0.0], [2.0]], [[5.0]], [[0.0, 0.0], [0.0, 4.0]], [[0.0, 4.0], [0.0, 0.0]])


@cache
def troubled() -> tuple[tuple[Evaluation, Facts], ...]:
    """The problems that make trouble, and bare tables of odd shapes."""
    one = TrialProblem("k1-rejects", [0, 0, 0], np.ones((3, 1)), [0, 1, 0], k=1, l=2, positive=0)
    rows = ((q.evaluated(), Facts.of(q.table(), q.positive, len(q.y))) for q in (*troublesome(), one))
    bare = ((evaluate_matrix(t, positive=0), Facts.of(t, 0, int(sum(map(sum, t))))) for t in ODD_TABLES)
    return *rows, *bare
