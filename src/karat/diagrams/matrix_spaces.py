"""Many confusion matrices at once: where they lie in the entropy triangle, and what two measures make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import TableDiagram, columns_of, diagram, number_columns
from karat.diagrams.familiar_keywords import familiar

APART = 0.006
"""How far from its place a point lies: so that accuracies at the same place are all seen."""


@diagram(name="accuracy_triangle", cite="valverde2014", aliases=("census_triangle",))
class AccuracyTriangle(TableDiagram):
    """Where in the entropy triangle are confusion matrices of the same accuracy?

    Each accuracy has its colour. Points of several accuracies at one place are set around it, so that it can be seen
    where they mix: there accuracy does not tell how much information is transferred.
    """

    columns = "columns `accuracy`, `imbalance` and `information`"
    projection = "ternary"
    size = (4.4, 3.6)
    apart = "always"
    in_gallery = False  # it shows a study, not models; docs/reproductions has it
    accuracy: Array
    imbalance: Array
    information: Array

    @classmethod
    def of(cls, accuracy: Any, imbalance: Any, information: Any, *, name: str = "") -> Self:
        """Of the accuracy of each place, and its two coordinates; the third is what is left of one."""
        held = [np.asarray(v, float) for v in (accuracy, imbalance, information)]
        if len({v.shape for v in held}) > 1 or not held[0].size:
            raise InputError("accuracy, imbalance and information differ in length, or are empty; give one for each.")
        if not all(((v >= 0) & (v <= 1)).all() for v in held):
            raise InputError("accuracy, imbalance and information must all lie between 0 and 1; correct those outside.")
        return cls(model=name, accuracy=held[0], imbalance=held[1], information=held[2])

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, name: str = "") -> Self:
        """Of columns `accuracy`, `imbalance` and `information`: `karat study census` writes such a table."""
        return cls.of(*columns_of(table, "accuracy", "imbalance", "information"), name=name)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A small point for each place and accuracy, and a legend of the accuracies."""
        levels, level = np.unique(self.accuracy, return_inverse=True)
        turn = 2 * np.pi * level / len(levels)
        aside = APART if len(levels) > 1 else 0.0
        imbalance = self.imbalance + aside * np.cos(turn)
        information = self.information + aside * np.sin(turn)
        shares = np.clip([information, 1 - information - imbalance, imbalance], 0, 1)
        many = len(level) > 200
        look = {"s": 3, "cmap": "viridis", "linewidth": 0, "rasterized": many, "antialiased": not many, "gid": "series"}
        span = {"vmin": 0, "vmax": max(1.0, 1.05 * (len(levels) - 1))}
        points = ax.scatter(*(shares / shares.sum(axis=0)), c=level, **look | span | style)
        colours = points.cmap(points.norm(np.arange(len(levels))))
        self._frame(ax)
        _legend(ax, {drawing.number(float(a)): colour for a, colour in zip(levels, colours, strict=True)})
        if label:
            ax.set_title(label, pad=drawing.points(14))

    def _frame(self, ax: Any) -> None:
        for set_label, text in (
            (ax.set_tlabel, r"mutual information $2MI'$"),
            (ax.set_llabel, r"variation of information $VI'$"),
            (ax.set_rlabel, r"imbalance $\Delta H'$"),
        ):
            set_label(text)
        for axis in (ax.taxis, ax.laxis, ax.raxis):
            axis.set_label_position("tick1")
        ax.grid(visible=True)


def _legend(ax: Any, colours: dict[str, Any]) -> None:
    """A legend of this triangle alone: beside another one the same colour is another accuracy."""
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    dots = [Line2D([], [], marker="o", markersize=3, linestyle="", color=colour) for colour in colours.values()]
    # no layout of matplotlib sees it: right of the upper corner, where a triangle leaves its axes free
    place: dict[str, Any] = {"loc": "upper right", "bbox_to_anchor": (1.07, 1.07), "borderaxespad": 0, "frameon": False}
    place |= {"handlelength": 0.8, "handletextpad": 0.4, "alignment": "left"}
    ax.add_artist(Legend(ax, dots, list(colours), title="accuracy", **place))


@diagram(name="measure_scatter", cite="jurman2012", aliases=("scatter",))
class MeasureScatter(TableDiagram):
    """What do two measures say of the same models or confusion matrices?"""

    columns = "two columns of numbers, and another one for the colour if it is named"
    size = (4.2, 3.4)
    apart = "always"
    in_gallery = False
    headline = "correlation"
    x: Array
    y: Array
    axes: tuple[str, str]
    """what the two are called"""
    colour: str = ""
    colours: Array | None = None
    correlation: float
    """Pearson's; nan where one of the two does not vary"""

    @classmethod
    def of(
        cls, x: Any, y: Any, *, axes: Any = ("x", "y"), colours: Any = None, colour: str = "", name: str = ""
    ) -> Self:
        """Of the values of each measure; `colours` are numbers that the points are coloured by."""
        one, two = np.asarray(x, float), np.asarray(y, float)
        by = None if colours is None else np.asarray(colours, float)
        if one.shape != two.shape or one.size < 2 or (by is not None and by.shape != one.shape):
            raise InputError("the two measures differ in length, or have one value; give two or more of each.")
        known = np.isfinite(one) & np.isfinite(two)
        spread = known.sum() > 1 and np.ptp(one[known]) > 0 and np.ptp(two[known]) > 0
        r = float(np.corrcoef(one[known], two[known])[0, 1]) if spread else float("nan")
        first, second = map(str, axes)
        return cls(model=name, x=one, y=two, axes=(first, second), colour=colour, colours=by, correlation=r)

    @classmethod
    @familiar
    def from_table(
        cls, table: Mapping[str, Any], *, x: str = "", y: str = "", colour: str = "", name: str = ""
    ) -> Self:
        """Of the columns `x` and `y` (by default the first two of numbers), coloured by the column `colour`."""
        free = [column for column in number_columns(table) if column not in (x, y, colour)]
        if len(free) < 2 - bool(x) - bool(y):
            raise InputError(f"the table has {len(number_columns(table))} columns of numbers; a scatter needs two.")
        first = x or free.pop(0)
        second = y or free.pop(0)
        held = columns_of(table, first, second, *([colour] if colour else []))
        return cls.of(*held[:2], axes=(first, second), colours=held[2] if colour else None, colour=colour, name=name)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A dot for each, and their correlation."""
        look: dict[str, Any] = {"s": 4, "linewidth": 0, "alpha": 0.7, "rasterized": len(self.x) > 500, "gid": "series"}
        look |= {"color": drawing.colours()[0]} if self.colours is None else {"c": self.colours, "cmap": "viridis"}
        points = ax.scatter(self.x, self.y, **look | style)
        if self.colours is not None:
            ax.figure.colorbar(points, ax=ax, shrink=0.8, label=drawing.capital(self.colour))
        self.settle([(self, ax)])
        r = f"correlation {drawing.number(self.correlation)}"
        ax.set_title(f"{label} ({r})" if label else drawing.capital(r))

    @classmethod
    def settle(cls, drawn: Sequence[tuple[Any, Any]]) -> None:
        """Name both axes, beside another scatter too: there they are others."""
        for scatter, ax in drawn:
            ax.set(xlabel=scatter.axes[0], ylabel=scatter.axes[1])
