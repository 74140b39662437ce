"""Problems to test on: random, small, with everything that makes trouble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import karat
from karat.evaluation import Evaluation
from oracles.case import Case


@dataclass(frozen=True)
class Problem:
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
        return karat.evaluate(
            self.y, self.p, self.d, labels=range(self.k), sample_weight=self.w, positive=self.positive, reject=reject
        )

    def case(self) -> Case:
        """For an oracle."""
        listed = [None if x is None else np.asarray(x).tolist() for x in (self.y, self.p, self.d, self.w)]
        return Case.of(*listed, k=self.k, l=self.l, positive=self.positive)


def probabilities(rng: np.random.Generator, n: int, k: int, sharpness: float = 2.0) -> Any:
    """n random distributions over k classes."""
    z = np.exp(sharpness * rng.normal(size=(n, k)))
    return z / z.sum(axis=1, keepdims=True)


def rounded(p: Any, parts: int) -> Any:
    """Probabilities in multiples of 1/parts that still sum to one: many ties, zeros and ones."""
    whole = np.floor(p * parts).astype(int)
    whole[np.arange(len(p)), p.argmax(axis=1)] += parts - whole.sum(axis=1)
    return whole / parts


def problems() -> list[Problem]:
    """Classes 1 to 5; ties; absent classes; weights; given decisions; a reject column; tiny and skewed data."""
    rng = np.random.default_rng(20090815)
    made = []
    for k in (2, 3, 5):
        for n in (1, 2, 7, 40, 150):
            y = rng.integers(0, k, n)
            p = probabilities(rng, n, k)
            made.append(Problem(f"k{k}-n{n}", y, p, k=k, l=k))
            made.append(Problem(f"k{k}-n{n}-ties", y, rounded(p, 10), k=k, l=k, positive=0))
            made.append(Problem(f"k{k}-n{n}-decided", y, p, d=rng.integers(0, k, n), k=k, l=k))
            made.append(Problem(f"k{k}-n{n}-weighted", y, rounded(p, 10), w=rng.random(n) + 0.1, k=k, l=k))
            made.append(Problem(f"k{k}-n{n}-zero-weights", y, p, w=np.append(1.0, rng.integers(0, 3, n - 1)), k=k, l=k))
            made.append(Problem(f"k{k}-n{n}-rejects", y, p, d=rng.integers(0, k + 1, n), k=k, l=k + 1))
        absent = rng.integers(0, k - 1, 30)
        p = probabilities(rng, 30, k)
        made.append(Problem(f"k{k}-absent", absent, p, k=k, l=k, positive=0))
        made.append(Problem(f"k{k}-absent-positive", absent, p, k=k, l=k, positive=k - 1))
        made.append(Problem(f"k{k}-one-class", np.zeros(12, int), probabilities(rng, 12, k), k=k, l=k))
        perfect = rng.integers(0, k, 25)
        made.append(Problem(f"k{k}-perfect", perfect, np.eye(k)[perfect], k=k, l=k))
        made.append(Problem(f"k{k}-wrong", perfect, np.eye(k)[(perfect + 1) % k], k=k, l=k))
        made.append(Problem(f"k{k}-constant", perfect, np.full((25, k), 1 / k), k=k, l=k))
        made.append(Problem(f"k{k}-sharp", rng.integers(0, k, 60), probabilities(rng, 60, k, 40.0), k=k, l=k))
    made.append(Problem("k1", np.zeros(5, int), np.ones((5, 1)), k=1, l=1, positive=0))
    skewed = (rng.random(150) < 0.04).astype(int)
    made.append(Problem("skewed", skewed, probabilities(rng, 150, 2), k=2, l=2))
    return made
