"""The input of every oracle: one problem written down as plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One problem, as plain lists: what a person would write down."""

    y: list[int]
    """Truth, 0..k-1."""
    d: list[int]
    """Decisions, 0..l-1."""
    w: list[float]
    """Weights."""
    k: int
    """Declared number of classes."""
    l: int
    """Number of decision columns (l = k + 1 with a reject column)."""
    p: list[list[float]] | None = None
    """Estimated probabilities, one row per example."""
    positive: int | None = 1
    """The positive class of the two-class measures."""

    @property
    def C(self) -> list[list[float]]:
        """Confusion matrix, rows = truth (Jurman & Furlanello, section 2)."""
        table = [[0.0] * self.l for _ in range(self.k)]
        for truth, decision, weight in zip(self.y, self.d, self.w, strict=True):
            table[truth][decision] += weight
        return table

    @staticmethod
    def of(
        y: Sequence[int],
        p: Sequence[Sequence[float]] | None,
        d: Sequence[int] | None = None,
        w: Sequence[float] | None = None,
        k: int | None = None,
        l: int | None = None,
        positive: int | None = 1,
    ) -> Case:
        """Fill in what is not given: decisions = argmax of p (first maximum), weights = 1."""
        truth = [int(label) for label in y]
        rows = None if p is None else [[float(value) for value in row] for row in p]
        if d is not None:
            decisions = [int(label) for label in d]
        elif rows is not None:
            decisions = [argmax(row) for row in rows]
        else:
            raise ValueError("decisions or probabilities are needed")
        if k is None:
            k = len(rows[0]) if rows else max(truth + decisions) + 1
        if l is None:
            l = max([k] + [label + 1 for label in decisions])
        weights = [1.0] * len(truth) if w is None else [float(weight) for weight in w]
        return Case(truth, decisions, weights, k, l, rows, positive)

    @staticmethod
    def of_matrix(matrix: Sequence[Sequence[float]], positive: int | None = 1) -> Case:
        """One weighted case per non-zero cell of a confusion matrix (rows = truth)."""
        y, d, w = [], [], []
        for i, row in enumerate(matrix):
            for j, cell in enumerate(row):
                if cell != 0:
                    y.append(i)
                    d.append(j)
                    w.append(float(cell))
        return Case(y, d, w, len(matrix), len(matrix[0]), None, positive)


Oracle = Callable[[Case], float]


def argmax(row: Sequence[float]) -> int:
    """Index of the first maximum."""
    best = 0
    for j in range(len(row)):
        if row[j] > row[best]:
            best = j
    return best


def total_weight(case: Case) -> float:
    """W, the sum of the weights."""
    total = 0.0
    for weight in case.w:
        total += weight
    return total


def class_weights(case: Case) -> list[float]:
    """m_j, the weight of each declared class."""
    m = [0.0] * case.k
    for truth, weight in zip(case.y, case.w, strict=True):
        m[truth] += weight
    return m


def present_classes(case: Case) -> list[int]:
    """J, the declared classes that occur with a positive weight."""
    return [j for j, m_j in enumerate(class_weights(case)) if m_j > 0]
