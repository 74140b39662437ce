"""Problems that declarations are tried on: corners, random ones, such as tell nothing, and everything that makes
trouble; and when a measure has no value there: each reason that measures give, said a second time as a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.core.statistic import Needs
from karat.evaluation import Evaluation, evaluate, evaluate_matrix

NUMBERS_OF_CLASSES = (2, 3, 4, 5)


@dataclass(frozen=True)
class TrialProblem:
    """Truth, probabilities, decisions (None: the most probable class), weights, of k classes; l decision columns."""

    name: str
    y: Any
    p: Any
    d: Any = None
    w: Any = None
    k: int = 2
    l: int = 2
    positive: int = 1

    def __repr__(self) -> str:
        return self.name

    def evaluated(self) -> Evaluation:
        """By karat."""
        reject = self.k if self.l > self.k else None
        return evaluate(
            self.y, self.p, self.d, labels=range(self.k), sample_weight=self.w, positive=self.positive, reject=reject
        )

    def with_positive(self, j: int) -> TrialProblem:
        """The same with another positive class."""
        return replace(self, positive=j)

    def table(self) -> list[list[float]]:
        """Truth and decisions, counted case by case."""
        decided = np.argmax(self.p, axis=1) if self.d is None else self.d
        weights = np.ones(len(self.y)) if self.w is None else self.w
        table = [[0.0] * self.l for _ in range(self.k)]
        for y, d, w in zip(self.y, decided, weights, strict=True):
            table[int(y)][int(d)] += float(w)
        return table


def probabilities(rng: np.random.Generator, n: int, k: int, sharpness: float = 2.0) -> Array:
    """n random distributions over k classes."""
    z = np.exp(sharpness * rng.normal(size=(n, k)))
    return np.asarray(z / z.sum(axis=1, keepdims=True))


def rounded(p: Any, parts: int) -> Array:
    """Probabilities in multiples of 1/parts that still sum to one: many ties, zeros and ones."""
    whole = np.floor(p * parts).astype(int)
    whole[np.arange(len(p)), p.argmax(axis=1)] += parts - whole.sum(axis=1)
    return np.asarray(whole / parts)


def troublesome() -> list[TrialProblem]:
    """Classes 1 to 5; ties; absent classes; weights; given decisions; a reject column; tiny and skewed data."""
    rng = np.random.default_rng(20090815)
    problems = [problem for k in (2, 3, 5) for problem in _troublesome_of(rng, k)]
    problems.append(TrialProblem("k1", np.zeros(5, int), np.ones((5, 1)), k=1, l=1, positive=0))
    skewed = (rng.random(150) < 0.04).astype(int)
    problems.append(TrialProblem("skewed", skewed, probabilities(rng, 150, 2), k=2, l=2))
    return problems


def _troublesome_of(rng: np.random.Generator, k: int) -> Iterator[TrialProblem]:
    for n in (1, 2, 7, 40, 150):
        y = rng.integers(0, k, n)
        p = probabilities(rng, n, k)
        yield TrialProblem(f"k{k}-n{n}", y, p, k=k, l=k)
        yield TrialProblem(f"k{k}-n{n}-ties", y, rounded(p, 10), k=k, l=k, positive=0)
        yield TrialProblem(f"k{k}-n{n}-decided", y, p, d=rng.integers(0, k, n), k=k, l=k)
        yield TrialProblem(f"k{k}-n{n}-weighted", y, rounded(p, 10), w=rng.random(n) + 0.1, k=k, l=k)
        yield TrialProblem(f"k{k}-n{n}-zero-weights", y, p, w=np.append(1.0, rng.integers(0, 3, n - 1)), k=k, l=k)
        yield TrialProblem(f"k{k}-n{n}-rejects", y, p, d=rng.integers(0, k + 1, n), k=k, l=k + 1)
    absent = rng.integers(0, k - 1, 30)
    p = probabilities(rng, 30, k)
    yield TrialProblem(f"k{k}-absent", absent, p, k=k, l=k, positive=0)
    yield TrialProblem(f"k{k}-absent-positive", absent, p, k=k, l=k, positive=k - 1)
    yield TrialProblem(f"k{k}-one-class", np.zeros(12, int), probabilities(rng, 12, k), k=k, l=k)
    perfect = rng.integers(0, k, 25)
    yield TrialProblem(f"k{k}-perfect", perfect, np.eye(k)[perfect], k=k, l=k)
    yield TrialProblem(f"k{k}-wrong", perfect, np.eye(k)[(perfect + 1) % k], k=k, l=k)
    yield TrialProblem(f"k{k}-constant", perfect, np.full((25, k), 1 / k), k=k, l=k)
    yield TrialProblem(f"k{k}-sharp", rng.integers(0, k, 60), probabilities(rng, 60, k, 40.0), k=k, l=k)


@cache
def of_two_classes() -> tuple[TrialProblem, ...]:
    """Random problems of two classes without rejected cases, whose columns mirror each other exactly."""
    rng = np.random.default_rng(2)
    problems = []
    for n in (5, 20, 60):
        for share in (0.2, 0.5):
            second = rng.integers(0, 65, n) / 64
            y, p = (rng.random(n) < share).astype(int), np.column_stack([1 - second, second])
            problems += [TrialProblem("", y, p), TrialProblem("", y, p, d=rng.integers(0, 2, n))]
            problems += [TrialProblem("", y, p, w=rng.integers(1, 5, n) / 4)]
    return tuple(problems)


def certain(k: int, y: Any, d: Any, positive: int = 1) -> Evaluation:
    """Cases decided with probability one."""
    y, d = np.asarray(y), np.asarray(d)
    return evaluate(y, np.eye(k)[d], d, labels=range(k), positive=positive)


def perfect(k: int, counts: list[int]) -> list[Evaluation]:
    """Everything right and certain; every class positive once."""
    y = np.repeat(np.arange(k), counts)
    return [certain(k, y, y, j) for j in range(k)]


def forecast_table(k: int, table: Any, positive: int) -> Evaluation:
    """Decisions as in the table, and the same forecast for all cases of a class: its row."""
    table = np.asarray(table)
    y, d = (np.repeat(axis, table.ravel()) for axis in np.indices(table.shape).reshape(2, -1))
    p = (table / np.maximum(table.sum(axis=1, keepdims=True), 1))[y]
    return evaluate(y, p, d, labels=range(k), positive=positive)


@cache
def extremes(k: int) -> tuple[Evaluation, ...]:
    """Problems at the corners: all right; all wrong, in order and in disorder; one class; no information."""
    cycle = np.arange(3 * k) % k
    two = np.arange(4) % 2
    offs = np.ones((k, k), int) - np.eye(k, dtype=int)
    corners = perfect(k, [3] * k)
    for j in range(k):
        corners += [
            certain(k, cycle, (cycle + 1) % k, j),
            certain(k, two, 1 - two, j),  # two classes taken for one another, the others without cases
            certain(k, [j] * 4, [j] * 4, j),
            certain(k, [j] * 4, [(j + 1) % k] * 4, j),
            certain(k, cycle, np.full(3 * k, j), j),
            certain(k, cycle, np.full(3 * k, (j + 1) % k), j),
            certain(k, np.r_[j, np.full(999, (j + 1) % k)], np.r_[(j + 1) % k, np.full(999, j)], j),
            forecast_table(k, 2 * offs, j),
            forecast_table(k, 36 * np.eye(k, dtype=int) + 100 * offs, j),
            forecast_table(k, offs + np.eye(k, dtype=int), j),
        ]
    return tuple(corners)


@cache
def ordinary(k: int) -> tuple[Evaluation, ...]:
    """Random problems and random tables, skewed and not, with and without classes that lack cases."""
    rng = np.random.default_rng(k)
    evaluations = []
    for n in (1, 2, 5, 12, 25, 60):
        for sharpness in (0.5, 3.0):
            y, p = rng.choice(k, n, p=rng.dirichlet(np.ones(k))), probabilities(rng, n, k, sharpness)
            labels: dict[str, Any] = {"labels": range(k), "positive": int(rng.integers(k))}
            evaluations += [evaluate(y, p, **labels), evaluate(y, rounded(p, 8), rng.integers(0, k, n), **labels)]
            evaluations += [evaluate(y, p, sample_weight=rng.random(n) + 0.01, **labels)]
    for highest in (2, 4, 30, 10**6):
        for _ in range(6):
            table = rng.integers(0, highest, (k, k)) * rng.integers(0, 2, (k, k)) + np.eye(k, dtype=int)
            evaluations.append(evaluate_matrix(rng.permutation(table), positive=0))
    return tuple(evaluations)


@cache
def telling_nothing(needs: Needs) -> tuple[Evaluation, ...]:
    """Decisions independent of the truth; or the frequencies of the classes, forecast for every case."""
    rng = np.random.default_rng(5)
    evaluations = []
    for k in (2, 3, 4):
        for _ in range(8):
            if needs is Needs.DECISIONS:
                decided = rng.integers(0, 5, k) + (np.arange(k) == rng.integers(k))
                evaluations.append(evaluate_matrix(np.outer(rng.integers(1, 9, k), decided), positive=1))
            else:
                shares = rng.multinomial(64 - k, rng.dirichlet(np.ones(k))) + 1  # of 64, so that frequencies are exact
                y = rng.permutation(np.repeat(np.arange(k), shares))
                evaluations.append(evaluate(y, np.tile(shares / 64, (64, 1)), labels=range(k), positive=1))
    return tuple(evaluations)


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
ONE_CELL = "there is only one true and one predicted class, so the triangle has no extent"
SQUARE = "the predictions have more or fewer classes than the truth, and it is defined for square tables only"
COMPLETE = "all cases belong to one class and all are predicted as it, so chance agreement is already complete"
PRIOR_ONLY = "a class has a prior but no case"
MEANINGS: dict[str, Meaning] = {
    "": lambda f: False,
    SQUARE: lambda f: f.k != f.l,
    COMPLETE: lambda f: any(row[i : i + 1] == [sum(map(sum, f.table))] for i, row in enumerate(f.table)),
    ONE_CELL: lambda f: f.k == f.l == 1,
    "there is only one true class, so the triangle has no extent": lambda f: f.k == 1,
    "there is only one predicted class, so the triangle has no extent": lambda f: f.l == 1,
    PRIOR_ONLY: lambda f: f.seen < f.k,
    "all cases belong to one class, so there is nothing to predict": lambda f: f.seen == 1,
    "fewer than two classes have cases": lambda f: f.seen < 2,
    "the class has no cases": lambda f: f.tp + f.fn == 0,
    "every case belongs to the class": lambda f: f.fp + f.tn == 0,
    "one of the two sides, the class or the rest, has no case": lambda f: f.side,
    "the class was never predicted": lambda f: f.tp + f.fp == 0,
    "the class was always predicted": lambda f: f.fn + f.tn == 0,
    "the class was never or always predicted": lambda f: f.tp + f.fp == 0 or f.fn + f.tn == 0,
    "the class has no cases and was never predicted": lambda f: f.tp + f.fn + f.fp == 0,
    "the class has no cases, or was never predicted": lambda f: f.tp + f.fn == 0 or f.tp + f.fp == 0,
    "the class was never predicted, or one of the two sides has no case": lambda f: f.tp + f.fp == 0 or f.side,
    "the class was always predicted, or one of the two sides has no case": lambda f: f.fn + f.tn == 0 or f.side,
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
