"""Figures that studies of measures need: how measures group, who wins against whom, ranks, and sensitivity."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.measure import measures
from karat.diagrams import drawing
from karat.diagrams.diagram import TableDiagram, columns_of, diagram, number_columns
from karat.diagrams.familiar_keywords import familiar


def folded_rows(names: tuple[str, ...]) -> list[str]:
    """Names down the side of a figure, none of them wider than its half."""
    return [drawing.folded(name, 2.0, drawing.TICK) for name in names]


def size_of_rows(names: tuple[str, ...], least: tuple[float, float]) -> tuple[float, float]:
    """Inches of a figure with a row, or as many lines as it needs, for each of these names."""
    texts = folded_rows(names)
    wide = max(drawing.width_of(text, drawing.TICK) for text in texts)
    lines = max(text.count("\n") + 1 for text in texts)
    return max(least[0], 3.2 + wide), max(least[1], 1.0 + 0.14 * len(names) * lines)


@diagram(name="dendrogram", cite="ferri2009", aliases=("measure_dendrogram",))
class Dendrogram(TableDiagram):
    """Which measures are correlated? Joined where their mean correlation is one less the distance."""

    columns = "a column of values for each measure, a row for each evaluation"
    names: tuple[str, ...]
    """in the order of the leaves"""
    links: Array
    """[names - 1, 4] as scipy has them: two groups, distance, size"""
    tree: dict[str, Any]
    """what is drawn: coordinates of each join"""

    @classmethod
    def of(cls, correlation: Any, names: Any, *, name: str = "") -> Self:
        """Of a table of correlations: distance one less the correlation, groups joined at their mean distance."""
        from scipy.cluster.hierarchy import dendrogram, linkage
        from scipy.spatial.distance import squareform

        r = np.asarray(correlation, float)
        labels = [str(n) for n in names]
        if r.shape != (len(labels), len(labels)) or len(labels) < 2:
            raise InputError(f"the correlations have the shape {r.shape} for {len(labels)} names; give a square table.")
        if not np.isfinite(r).all() or np.abs(r - r.T).max() > 1e-9:
            raise InputError("the correlations are not finite and symmetric; leave constant measures out.")
        distance = 1 - (r + r.T) / 2
        np.fill_diagonal(distance, 0)
        links = linkage(squareform(distance, checks=False), "average")
        tree = dendrogram(links, labels=labels, no_plot=True)
        return cls(
            model=name, names=tuple(tree["ivl"]), links=links, tree={"across": tree["dcoord"], "along": tree["icoord"]}
        )

    @classmethod
    def of_values(cls, values: Mapping[str, Any], *, name: str = "") -> Self:
        """Of values of each measure on the same evaluations, better being higher for all: their Pearson correlation."""
        if len({np.size(v) for v in values.values()}) > 1:
            raise InputError("the measures have different numbers of values; give one for each evaluation.")
        table = np.array([np.asarray(v, float) for v in values.values()])
        if table.ndim != 2 or table.shape[1] < 3 or not np.isfinite(table).all():
            raise InputError("a dendrogram needs finite values of each measure on the same three evaluations or more.")
        flat = [n for n, row in zip(values, table, strict=True) if np.ptp(row) == 0]
        if flat:
            raise InputError(
                f"{', '.join(flat)} is the same for all; a constant correlates with nothing: leave it out."
            )
        return cls.of(np.corrcoef(table), list(values), name=name)

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, name: str = "") -> Self:
        """Of a column of values for each measure, a row for each evaluation; other columns are left out."""
        return cls.of_values(number_columns(table), name=name)

    @property
    def figure_size(self) -> tuple[float, float]:
        """It grows with the number of names."""
        return size_of_rows(self.names, (4.6, 3.6))

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Names down the side, distance along the bottom."""
        for across, along in zip(self.tree["across"], self.tree["along"], strict=True):
            ax.plot(across, along, **{"color": drawing.colours()[0], "linewidth": 1.1, "gid": "series"} | style)
        ax.set_yticks([5 + 10 * i for i in range(len(self.names))], folded_rows(self.names))
        ax.set(
            xlabel="Distance (1 \N{MINUS SIGN} correlation)", xlim=(max(float(self.links[:, 2].max()) * 1.08, 0.01), 0)
        )
        ax.set_ylim(0, 10 * len(self.names))
        ax.yaxis.tick_right()
        ax.spines["left"].set_visible(False)
        ax.grid(axis="y", visible=False)
        if label:
            ax.set_title(label)


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsFigure(TableDiagram):
    """A row for each name, with an interval of a number that belongs to it."""

    names: tuple[str, ...]
    low: Array | None = None
    high: Array | None = None

    @property
    def figure_size(self) -> tuple[float, float]:
        """It grows with the number of rows."""
        return size_of_rows(self.names, (4.4, 3.2))

    def draw_rows(self, ax: Any, label: str) -> Array:
        """The names and the intervals; gives the height of each row."""
        rows = np.arange(len(self.names))
        if self.low is not None and self.high is not None:
            ax.hlines(rows, self.low, self.high, color=drawing.ink(), linewidth=1.2)
        ax.set_yticks(rows, folded_rows(self.names))
        ax.invert_yaxis()
        if label:
            ax.set_title(label)
        return rows


@diagram(name="win_loss_equal", title="Wins and losses", cite="wang2013", aliases=("wle", "win_loss"))
class WinLossEqualFigure(RowsFigure):
    """How often does choosing by one measure beat choosing by another? A bar from -loss to +win."""

    columns = "columns `name`, `win` and `loss`"
    win: Array
    loss: Array
    equal: Array

    @classmethod
    def of(
        cls, shares: Mapping[str, tuple[float, float]], *, intervals: Mapping[str, Any] | None = None, name: str = ""
    ) -> Self:
        """Of {name: (win, loss)}; equal is what is left of one. `intervals` are {name: (low, high)} of win - loss."""
        table = np.asarray(list(shares.values()), float).reshape(-1, 2)
        if not (len(table) and (table >= 0).all() and (table.sum(axis=1) <= 1 + 1e-9).all()):
            raise InputError(
                "shares of wins and losses must be at least 0 and not sum to more than 1; give (win, loss)."
            )
        win, loss = table.T
        low, high = _ends(intervals, list(shares))
        equal = np.maximum(1 - win - loss, 0)
        return cls(model=name, names=tuple(map(str, shares)), win=win, loss=loss, equal=equal, low=low, high=high)

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, name: str = "") -> Self:
        """Of columns `name`, `win` and `loss`; `low` and `high`, if there, are ends of an interval of win - loss."""
        names, win, loss = columns_of(table, "name", "win", "loss")
        ends = None
        if {"low", "high"} <= set(table):
            ends = dict(zip(map(str, names), zip(*columns_of(table, "low", "high"), strict=True), strict=True))
        return cls.of({str(n): (w, l) for n, w, l in zip(names, win, loss, strict=True)}, intervals=ends, name=name)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Wins to the right, losses to the left, the difference marked."""
        rows = self.draw_rows(ax, label)
        blue, red = drawing.colours()[:2]
        ax.barh(rows, self.win, color=blue, height=0.6, label="win", gid="series", **style)
        ax.barh(rows, -self.loss, color=red, height=0.6, label="loss", hatch="///", edgecolor="white", **style)
        ax.plot(self.win - self.loss, rows, "D", color=drawing.ink(), markersize=3.5, label="difference")
        ax.axvline(0, color=drawing.ink(), linewidth=0.8)
        ends = [np.abs(end) for end in (self.low, self.high) if end is not None]
        reach = max(1.1 * float(np.nanmax([self.win, self.loss, *ends])), 0.05)
        ax.set(xlim=(-reach, reach), xlabel="Share of rounds (losses left, wins right)")
        ax.xaxis.set_major_formatter(lambda x, _: drawing.percent(abs(x)))
        ax.grid(axis="y", visible=False)
        drawing.legend(ax)


@diagram(name="ranks", cite="wang2013", aliases=("rank_plot", "rank_plots"))
class Ranks(RowsFigure):
    """How does each measure (or model) rank, on average and over the data sets?"""

    columns = "a column `name` and a column of ranks for each data set"
    ranks: Array
    """[names, data sets], from the best mean rank: 1 the best, mid-ranks for ties"""
    mean: Array
    against: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, ranks: Mapping[str, Any], *, against: Any = (), intervals: Mapping[str, Any] | None = None, name: str = ""
    ) -> Self:
        """Of {name: rank on each data set}; `intervals` are {name: (low, high)} of the mean rank."""
        if len({np.size(r) for r in ranks.values()}) != 1:
            raise InputError("the ranks differ in number, or there are none; give one for each data set.")
        table = np.array([np.atleast_1d(np.asarray(r, float)) for r in ranks.values()])
        if table.ndim != 2 or not np.isfinite(table).all():
            raise InputError("the ranks differ in number or are not finite; give one for each data set.")
        order = np.argsort(table.mean(axis=1), kind="stable")
        names = tuple(str(list(ranks)[i]) for i in order)
        table = table[order]
        low, high = _ends(intervals, [list(ranks)[i] for i in order])
        mean = table.mean(axis=1)
        return cls(
            model=name, names=names, ranks=table, mean=mean, against=tuple(map(str, against)), low=low, high=high
        )

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, name: str = "") -> Self:
        """Of a column `name` and a column of ranks for each data set."""
        (names,) = columns_of(table, "name")
        ranks = number_columns(table)
        rows = np.column_stack(list(ranks.values()))
        return cls.of(dict(zip(map(str, names), rows, strict=True)), against=list(ranks), name=name)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A faint dot for each data set, a strong one for the mean."""
        rows = self.draw_rows(ax, label)
        for column in self.ranks.T:
            ax.plot(column, rows, "o", color=drawing.colours()[-3], alpha=0.35, markersize=3)
        ax.plot(self.mean, rows, "D", **{"color": drawing.colours()[0], "label": "mean rank", "gid": "series"} | style)
        ax.set(xlabel="Rank (1 is best)", xlim=(0.7, max(float(self.ranks.max()), 2) + 0.3))
        drawing.legend(ax)


def _ends(intervals: Mapping[str, Any] | None, names: list[str]) -> tuple[Array | None, Array | None]:
    """The lower and the upper ends, in the order of the names."""
    if intervals is None:
        return None, None
    if set(names) - set(intervals):
        raise InputError(f"there is no interval of {sorted(set(names) - set(intervals))[0]!r}; give one for each name.")
    low, high = np.array([intervals[n] for n in names], float).reshape(-1, 2).T
    return low, high


@diagram(name="sensitivity", cite="ferri2009", aliases=("sensitivity_lines",))
class SensitivityFigure(TableDiagram):
    """How often does each measure choose the worse of two models, the more noise there is?

    Lines of more measures than can be told apart are drawn in a panel for each family, all on one scale; those that
    choose the worse model even without noise have a panel and a scale of their own.
    """

    columns = "a column `noise` and a column of shares of wrong choices for each measure"
    size = (4.8, 3.4)
    noise: Array
    errors: dict[str, Array]
    """name to share of wrong choices at each level of noise"""
    axis: str = "Noise (%)"

    @classmethod
    def of(cls, noise: Any, errors: Mapping[str, Any], *, axis: str = "Noise (%)", name: str = "") -> Self:
        """Of levels of noise, and {measure: share of wrong choices at each}."""
        x = np.asarray(noise, float)
        lines = {str(k): np.asarray(v, float) for k, v in errors.items()}
        if not (x.size and lines):
            raise InputError("there is no noise level, or no measure, to draw; give at least one of each.")
        for symbol, line in lines.items():
            if line.shape != x.shape:
                raise InputError(f"{symbol} has {line.size} values for {x.size} levels of noise; give one for each.")
        return cls(model=name, noise=x, errors=lines, axis=axis)

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, axis: str = "Noise (%)", name: str = "") -> Self:
        """Of a column `noise` and a column of shares of wrong choices for each measure."""
        (noise,) = columns_of(table, "noise")
        errors = {k: v for k, v in number_columns(table).items() if k != "noise"}
        return cls.of(noise, errors, axis=axis, name=name)

    @property
    def panels(self) -> tuple[Self, ...]:
        """A figure for each family of measures, and one for those that are wrong more often than not without noise."""
        names: dict[str, list[str]] = {}
        for symbol, line in self.errors.items():
            names.setdefault(ASTRAY if line[0] > GUESSING else _family(symbol), []).append(symbol)
        ordered = sorted(names, key=lambda family: family == ASTRAY)
        return tuple(
            dataclasses.replace(self, model=family, errors={s: self.errors[s] for s in names[family]})
            for family in ordered
        )

    def plot(self, ax: Any = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw it: on the axes that are given; else, if there are many measures, in panels, and `ax_` is their grid."""
        if ax is not None or len(self.errors) <= MOST_LINES:
            return super().plot(ax, name=name, **style)
        panels = self.panels
        across = 1 if len(panels) == 1 else 2
        down = math.ceil(len(panels) / across)
        with drawing.styled() as plt:
            widest = max(drawing.width_of(symbol, drawing.LEGEND) for symbol in self.errors) + drawing.SAMPLE
            tallest = max(len(panel.errors) for panel in panels) + 2
            cell = (3.2 + max(widest, 0.9), max(2.3, 0.8 + drawing.ROW * tallest))
            size = drawing.user_size() or drawing.enlarged((cell[0] * across, cell[1] * down))
            figure, grid = plt.subplots(down, across, squeeze=False, figsize=size)
            for panel, place in itertools.zip_longest(panels, grid.ravel().tolist()):
                if panel is None:
                    place.set_visible(False)
                else:
                    panel._draw_on(place, None, self._kept_look | style)
                    _fit(place, panel, panels)
            title = self.model if name is None else name
            if title:
                figure.suptitle(title)
        self._keep_place(grid, figure)
        return self

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A line for each measure; measures that agree everywhere share one."""
        alike: dict[bytes, list[str]] = {}
        for symbol, line in self.errors.items():
            alike.setdefault(np.round(line, 9).tobytes(), []).append(symbol)
        for symbols in alike.values():
            look = drawing.next_series(ax) | style
            ax.plot(self.noise, self.errors[symbols[0]], label=", ".join(symbols), **look)
        drawing.reference(ax, (self.noise[0], self.noise[-1]), (GUESSING, GUESSING), "guessing")
        ax.set(xlabel=self.axis, ylabel="Share of wrong choices", ylim=(0, None))
        if label:
            ax.set_title(label)
        drawing.legend(ax)


GUESSING = 0.5
MOST_LINES = 7
"""As many as there are colours."""
ASTRAY = "Worse than guessing without noise"


def _fit(ax: Any, panel: SensitivityFigure, panels: Sequence[SensitivityFigure]) -> None:
    """A panel among others: the lines of the other families lie faintly behind it, on the same scale."""
    top = 1.02
    if panel.model != ASTRAY:
        families = [p for p in panels if p.model != ASTRAY]
        top = 1.08 * max([GUESSING, *(float(np.nanmax(line)) for p in families for line in p.errors.values())])
        others = [line for p in families if p is not panel for line in p.errors.values()]
        for i, line in enumerate(others):
            words = "other families" if not i else None
            ax.plot(panel.noise, line, color=drawing.PALE, linewidth=0.4, zorder=1.4, label=words, gid=drawing.OTHERS)
    ax.set_ylim(0, top)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _family(symbol: str) -> str:
    """What a panel calls the family of a measure."""
    return drawing.capital(measures[symbol].family.replace("_", " ")) if symbol in measures else "Other measures"
