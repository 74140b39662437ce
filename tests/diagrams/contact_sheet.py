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


Drawing = tuple[str, Callable[[], Any]]
"""A title, and what draws the figure."""


def of_tables(number: int, name: str) -> Iterator[Drawing]:
    """Figures of tables, with so many names."""
    rng = np.random.default_rng(number)
    names = [name.format(i) for i in range(number)]
    size = f"{number} {'long' if name == LONG else 'short'} names"
    if number > 1:
        ranks = dict(zip(names, 1 + (number - 1) * np.sort(rng.random(number)), strict=True))
        values = {n: rng.random(9) for n in names}
        yield (
            f"critical_difference, {size}",
            _figure(lambda: CriticalDifferenceFigure.of(ranks, number / 4, datasets=12)),
        )
        yield f"dendrogram, {size}", _figure(lambda: Dendrogram.of_values(values))
    wins = {n: tuple(rng.random(2) / 2) for n in names}
    placed = {n: rng.integers(1, number + 1, 6) for n in names}
    ends = {n: (np.mean(r) - 0.4, np.mean(r) + 0.4) for n, r in placed.items()}
    wrong = {n: np.sort(rng.random(5)) / 2 for n in names}
    yield f"win_loss_equal, {size}", _figure(lambda: WinLossEqualFigure.of(wins, name="arbiter: AUC"))
    yield f"ranks, {size}", _figure(lambda: Ranks.of(placed, intervals=ends, name="arbiter: AUC"))
    yield f"sensitivity, {size}", _figure(lambda: SensitivityFigure.of([0, 10, 20, 30, 40], wrong))


def of_models(kind: Any, number: int, name: str, n: int = 300) -> Iterator[Drawing]:
    """A diagram of so many models: on one axes, and side by side if it can be either."""
    title = f"{kind.name}, {number} {'long' if name == LONG else 'short'} models, {n} cases"
    yield title, _figure(lambda: kind.of_models(models(number, name, n)))
    if kind.made_from == "predictions" and kind.apart != "always" and 1 < number <= 8:
        yield f"{title}, multiples", _figure(lambda: kind.of_models(models(number, name, n)), layout="multiples")


def of_classes(kind: Any, number: int, name: str) -> Iterator[Drawing]:
    """A diagram of each class of a model."""
    title = f"{kind.name}, {number} {'long' if name == LONG else 'short'} classes"
    if kind in CURVES:
        yield title, _figure(lambda: kind.of_classes(classes(number, name)))
        if kind.apart != "always":
            yield f"{title}, multiples", _figure(lambda: kind.of_classes(classes(number, name)), layout="multiples")
    elif kind.name == "confusion_matrix" or not kind.two_classes:
        yield title, _figure(lambda: kind.of_models({"model": classes(number, name)}))


OF_A_USER = {"font.size": 11, "axes.grid": False, "figure.facecolor": "#fdf6e3", "axes.facecolor": "#fdf6e3",
             "axes.prop_cycle": "cycler('color', ['#268bd2', '#dc322f', '#859900'])"}  # fmt: skip
"""What users set."""


def on_given_axes(kind: Any, number: int, name: str) -> Iterator[Drawing]:
    """The same on the left one of two axes of somebody who has a style of his own."""
    alone = kind.apart == "always" and kind.made_from == "predictions"
    wanted = 1 if alone else number

    def draw() -> Any:
        import matplotlib.pyplot as plt

        with plt.rc_context(OF_A_USER):
            if kind.projection == "ternary":
                import mpltern  # noqa: F401 - makes the projection known
            figure = plt.figure(figsize=(10, 5), layout="constrained")
            ax = figure.add_subplot(1, 2, 1, projection=kind.projection)
            figure.add_subplot(1, 2, 2).plot([0, 1], [1, 0])
            kind.of_models(models(wanted, name, 300)).plot(ax)
        return figure

    yield f"{kind.name}, {wanted} {'long' if name == LONG else 'short'} models, given axes", draw


def _figure(make: Callable[[], Any], **look: Any) -> Callable[[], Any]:
    """What draws a diagram on a figure of karat's own."""
    return lambda: make().plot(**look).figure_


def sheet(large: int = 1_000_000) -> Iterator[Drawing]:
    """Everything."""
    for name in (SHORT, LONG):
        for number in (1, 3, 8, 30):
            yield from of_tables(number, name)
        for kind in OF_MODELS:
            for number in (1, 3, 8, 30):
                yield from of_models(kind, number, name)
            for number in (2, 4, 6, 26):
                yield from of_classes(kind, number, name)
            for number in (3, 8):
                yield from on_given_axes(kind, number, name)
    for kind in OF_MODELS:
        for n in (1, 30, large):
            yield from of_models(kind, 1, SHORT, n)
        for n in (1, 30):
            yield from of_models(kind, 3, LONG, n)
