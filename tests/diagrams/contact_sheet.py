"""Every diagram of few and many models and classes, short and long names, few and many cases: what must be legible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from diagrams import CURVES, many
from karat.data import Predictions
from karat.diagrams import (
    CriticalDifferenceFigure,
    Dendrogram,
    Ranks,
    SensitivityFigure,
    WinLossEqualFigure,
    diagrams,
)
from karat.statistics import Summary

SHORT, LONG = "m{}", "GradientBoosting with MANY_WORDS and no end of its long name {}"
"""Names of models: two letters, and sixty and more, some of them wide."""
OF_MODELS = [kind for kind in diagrams.values() if hasattr(kind, "of_models")]


@cache
def models(number: int, name: str, n: int) -> dict[str, Summary]:
    """Models of two classes, the later the better."""
    rng = np.random.default_rng(number + n)
    y = np.append([1, 0], rng.integers(0, 2, max(n - 2, 0)))[:n]
    truth = np.array(["ok", "fraud"])[y]
    found = {}
    for i in range(number):
        p = 1 / (1 + np.exp(-rng.normal(size=len(y)) - (0.5 + 2 * i / number) * (2 * y - 1)))
        found[name.format(i)] = Summary(Predictions.of(truth, p, labels=["ok", "fraud"], positive="fraud"))
    return found


@cache
def classes(number: int, name: str, n: int = 600) -> Summary:
    """One model of so many classes."""
    y, p = many(number, n)
    names = [name.format(i) for i in range(number)]
    return Summary(Predictions.of(np.array(names)[y], p, labels=names))


def of_tables(number: int, name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Figures of tables, with so many names."""
    rng = np.random.default_rng(number)
    names = [name.format(i) for i in range(number)]
    size = f"{number} {'long' if name == LONG else 'short'} names"
    if number > 1:
        ranks = dict(zip(names, 1 + (number - 1) * np.sort(rng.random(number)), strict=True))
        values = {n: rng.random(9) for n in names}
        yield f"critical_difference, {size}", lambda: CriticalDifferenceFigure.of(ranks, number / 4, datasets=12)
        yield f"dendrogram, {size}", lambda: Dendrogram.of_values(values)
    wins = {n: tuple(rng.random(2) / 2) for n in names}
    placed = {n: rng.integers(1, number + 1, 6) for n in names}
    ends = {n: (np.mean(r) - 0.4, np.mean(r) + 0.4) for n, r in placed.items()}
    wrong = {n: np.sort(rng.random(5)) / 2 for n in names}
    yield f"win_loss_equal, {size}", lambda: WinLossEqualFigure.of(wins, name="arbiter: AUC")
    yield f"ranks, {size}", lambda: Ranks.of(placed, intervals=ends, name="arbiter: AUC")
    yield f"sensitivity, {size}", lambda: SensitivityFigure.of([0, 10, 20, 30, 40], wrong)


def of_models(
    kind: Any, number: int, name: str, n: int = 300
) -> Iterator[tuple[str, Callable[[], Any], dict[str, str]]]:
    """A diagram of so many models: on one axes, and side by side if it can be either."""
    title = f"{kind.name}, {number} {'long' if name == LONG else 'short'} models, {n} cases"
    yield title, lambda: kind.of_models(models(number, name, n)), {}
    if kind.made_from == "predictions" and kind.apart != "always" and 1 < number <= 8:
        yield f"{title}, multiples", lambda: kind.of_models(models(number, name, n)), {"layout": "multiples"}


def of_classes(kind: Any, number: int, name: str) -> Iterator[tuple[str, Callable[[], Any], dict[str, str]]]:
    """A diagram of each class of a model."""
    title = f"{kind.name}, {number} {'long' if name == LONG else 'short'} classes"
    if kind in CURVES:
        yield title, lambda: kind.of_classes(classes(number, name)), {}
        if kind.apart != "always":
            yield f"{title}, multiples", lambda: kind.of_classes(classes(number, name)), {"layout": "multiples"}
    elif kind.name == "confusion_matrix" or not kind.two_classes:
        yield title, lambda: kind.of_models({"model": classes(number, name)}), {}


def sheet(large: int = 1_000_000) -> Iterator[tuple[str, Callable[[], Any], dict[str, str]]]:
    """Everything: a title, how it is made, and options of its drawing."""
    for name in (SHORT, LONG):
        for number in (1, 3, 8, 30):
            yield from ((title, make, {}) for title, make in of_tables(number, name))
        for kind in OF_MODELS:
            for number in (1, 3, 8, 30):
                yield from of_models(kind, number, name)
            for number in (4, 6, 26):
                yield from of_classes(kind, number, name)
    for kind in OF_MODELS:
        for n in (1, 30, large):
            yield from of_models(kind, 1, SHORT, n)
