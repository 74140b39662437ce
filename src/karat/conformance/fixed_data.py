"""Cases that every installed library is asked about: made by whole numbers, so that they are the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from karat.core.arithmetic import Array
from karat.evaluation import Evaluation, evaluate


@dataclass(frozen=True, eq=False)
class FixedData:
    """Cases of k classes with probabilities, predicted classes, groups, and a second model."""

    name: str
    y: Array
    p: Array
    weight: Array | None = None

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.p.shape[1])

    @property
    def predicted(self) -> Array:
        """The classes of the highest probability."""
        return np.asarray(self.p.argmax(axis=1))

    @property
    def score(self) -> Array:
        """What libraries want: of two classes the probability of the second."""
        return self.p[:, 1] if self.k == 2 else self.p

    @property
    def groups(self) -> Array:
        """Three groups of cases."""
        return np.array(["a", "b", "c"])[np.arange(len(self.y)) ** 2 % 7 % 3]

    @cached_property
    def evaluated(self) -> Evaluation:
        """As karat evaluates them."""
        given: dict[str, Any] = {} if self.weight is None else {"sample_weight": self.weight}
        positive = 1 if self.k == 2 else None
        return evaluate(self.y, self.score, labels=list(range(self.k)), positive=positive, **given)


def _made(k: int, n: int, step: int) -> tuple[Array, Array]:
    """Truth and probabilities in steps of 1/64, the true class preferred; with ties."""
    i = np.arange(n)
    y = i * i % 11 * 7 % (k + 1) % k
    parts = np.stack([(i * (step + 3 * j) + j * j) % 13 for j in range(k)], axis=1) + 1
    parts[i, y] += i % 9
    share = np.floor(parts * 64 / parts.sum(axis=1, keepdims=True)).astype(int)
    share[i, parts.argmax(axis=1)] += 64 - share.sum(axis=1)
    return y, share / 64


def fixed_data() -> tuple[FixedData, ...]:
    """Two classes, four classes, and two classes with weights."""
    two, four = _made(2, 240, 5), _made(4, 300, 7)
    weights = (np.arange(240) * 17 % 8 + 1) / 4
    return (
        FixedData("two classes", *two),
        FixedData("four classes", *four),
        FixedData("two classes, weighted", *two, weights),
    )
