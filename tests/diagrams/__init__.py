"""Diagrams against literal loops over their definitions, identities, other programs, and what is seen on the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.diagrams import diagrams
from karat.diagrams.prediction_diagram import ModelsDiagram, PredictionDiagram

CURVES = [k for k in diagrams.values() if issubclass(k, PredictionDiagram) and k.two_classes]
OF_PREDICTIONS = [k for k in diagrams.values() if issubclass(k, PredictionDiagram | ModelsDiagram)]


@dataclass(frozen=True, eq=False)
class Binary:
    """Two classes with everything that makes trouble: ties, forecasts of 0 and 1, weights."""

    name: str
    y: Any
    p: Any
    w: Any = None

    def __repr__(self) -> str:
        return self.name

    @property
    def arguments(self) -> dict[str, Any]:
        """As diagrams take them."""
        return {"y_true": self.y, "y_proba": self.p, "sample_weight": self.w}

    @property
    def columns(self) -> dict[str, Any]:
        """As an evaluation takes them, which asks about one column of 0 and 1."""
        return self.arguments | {"y_proba": np.column_stack([1 - self.p, self.p])}

    @property
    def weight(self) -> Any:
        """Ones, if there is none."""
        return np.ones(len(self.y)) if self.w is None else self.w


def binaries() -> list[Binary]:
    """Small data of both classes."""
    rng = np.random.default_rng(20110502)
    made = []
    for n in (2, 5, 25, 60):
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        p = rng.random(n) * 0.6 + 0.4 * y * rng.random(n)
        made.append(Binary(f"n{n}", y, p))
        made.append(Binary(f"n{n}-ties", y, np.round(p, 1)))
        made.append(Binary(f"n{n}-weights", y, np.round(p, 1), rng.random(n) + 0.1))
        made.append(Binary(f"n{n}-whole-weights", y, np.round(p, 2), rng.integers(1, 4, n).astype(float)))
    y = np.array([0, 1, 1, 0, 1, 0, 0])
    made.append(Binary("zero-weights", y, np.array([1, 0.9, 0.2, 0.2, 0.5, 0.5, 0]), np.array([0, 1, 2, 1, 0, 1, 1.0])))
    made.append(Binary("perfect", y, y * 1.0))
    made.append(Binary("wrong", y, 1.0 - y))
    made.append(Binary("constant", y, np.full(7, 0.3)))
    made.append(Binary("rare", np.arange(80) // 77, np.round(rng.random(80), 2)))
    return made


BINARIES = binaries()


def many(k: int, n: int = 150, seed: int = 7) -> tuple[Any, Any]:
    """Truth and probabilities of k classes, some of them frequent."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(k), rng.choice(k, n - k, p=np.arange(1, k + 1) / (k * (k + 1) / 2)))
    z = np.exp(rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y])
    return y, z / z.sum(axis=1, keepdims=True)
