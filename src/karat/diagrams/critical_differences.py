"""The critical-difference diagram: average ranks of models over data sets, and which do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.hooks import compare_across
from karat.diagrams import drawing
from karat.diagrams.diagram import TableDiagram, columns_of, diagram
from karat.diagrams.familiar_keywords import familiar
from karat.statistics.ranks import alike

NAME, WIDEST, RULER = 7.5, 2.6, 2.8
"""Points of a name; inches that the names have on one side at the most, and that the ruler has at the least."""
MOST_TICKS = 12
"""Ranks that can be written along the ruler."""


@diagram(name="critical_difference", cite="demsar2006", aliases=("cd_diagram", "cd"))
class CriticalDifferenceFigure(TableDiagram):
    """Which models have significantly different average ranks over many data sets?"""

    columns = "columns `model`, `dataset` and `value`, or columns `model` and `rank` and a critical difference"
    models: tuple[str, ...]
    """from the best rank to the worst"""
    ranks: Array
    critical_difference: float
    cliques: tuple[tuple[str, ...], ...]
    """groups of models whose ranks differ by less"""
    level: float = 0.95
    datasets: int = 0

    @classmethod
    def of(
        cls,
        ranks: dict[str, float],
        critical_difference: float,
        *,
        cliques: tuple[tuple[str, ...], ...] | None = None,
        level: float = 0.95,
        datasets: int = 0,
        name: str = "",
    ) -> Self:
        """Of average ranks.

        Parameters
        ----------
        ranks : dict
            Model to its average rank; 1 is the best.
        critical_difference : float
            Ranks that differ by less do not differ significantly.
        cliques : tuple of tuples of str, optional
            Groups of models; by default the longest runs of ranks within the critical difference.
        level : float, optional
            The confidence of the test.
        datasets : int, optional
            The number of data sets.
        name : str, optional
            The title of the figure.

        Returns
        -------
        CriticalDifferenceFigure
            A record of the ranks and groups.
        """
        if len(ranks) < 2:
            raise InputError(f"{len(ranks)} model was given; a comparison of ranks needs at least two.")
        order = sorted(ranks, key=lambda m: (ranks[m], m))
        values = np.array([ranks[m] for m in order], float)
        if not (np.isfinite([*values, critical_difference]).all() and critical_difference >= 0):
            raise InputError("a rank or the critical difference is not finite, or negative; give finite numbers.")
        if cliques is None:
            cliques = tuple(tuple(order[run]) for run in alike(values, critical_difference))
        return cls(
            model=name,
            models=tuple(order),
            ranks=values,
            critical_difference=float(critical_difference),
            cliques=cliques,
            level=level,
            datasets=datasets,
        )

    @classmethod
    @familiar
    def from_table(
        cls,
        table: Mapping[str, Any],
        *,
        critical_difference: float | None = None,
        measure: str | None = None,
        lower_is_better: bool | None = None,
        level: float = 0.95,
        **options: Any,
    ) -> Self:
        """Of a table of results, or of ranks.

        Parameters
        ----------
        table : dict of columns
            `model`, `dataset` and `value` (and others that `karat.compare_across` knows); or `model` and `rank`.
        critical_difference : float, optional
            For a table of ranks.
        measure : str, optional
            The measure whose values the table holds.
        lower_is_better : bool, optional
            Are lower values better?
        level : float, optional
            The confidence of the test.
        **options : Any
            `name=`, how it will look, `ax=`.

        Returns
        -------
        CriticalDifferenceFigure
            A record of the ranks and groups.
        """
        if {"model", "dataset", "value"} <= set(table):
            if critical_difference is not None:
                raise InputError("the critical difference of results follows from them; leave critical_difference out.")
            across = compare_across(table, measure, lower_is_better=lower_is_better, level=level)
            cd = across.critical_difference
            ranks = dict(zip(cd.names, cd.average_ranks, strict=True))
            return cls.of(ranks, cd.cd, cliques=cd.cliques, level=level, datasets=cd.n, **options)
        if critical_difference is None:
            raise InputError(
                "critical_difference is drawn from a table with the columns model, dataset and value, or with model "
                f"and rank and {option('critical_difference')}NUMBER; the columns are {', '.join(list(table)[:12])}."
            )
        if measure is not None or lower_is_better is not None:
            raise InputError("ranks already show which model is better; leave measure and lower_is_better out.")
        names, places = columns_of(table, "model", "rank")
        return cls.of(dict(zip(map(str, names), places, strict=True)), critical_difference, level=level, **options)

    @property
    def figure_size(self) -> tuple[float, float]:
        """It grows with the number of models and the length of their names; very long ones are folded."""
        beside = sum(min(drawing.width_of(text, NAME), WIDEST) for text in self._longest)
        lines = sum(1 for _ in self._on_left) * max(1, round(max(map(len, self.models)) / 60 + 0.5))
        return max(5.4, RULER + beside), 0.95 + 0.2 * lines + 0.07 * len(self.cliques)

    @property
    def _on_left(self) -> range:
        """The places of the models whose names stand left of the ruler: the better half."""
        return range(-(-len(self.models) // 2))

    def _called(self, i: int) -> str:
        value = drawing.number(float(self.ranks[i]))
        return f"{self.models[i]}  {value}" if i in self._on_left else f"{value}  {self.models[i]}"

    @property
    def _longest(self) -> tuple[str, str]:
        """The longest text on the left and on the right."""
        texts = [self._called(i) for i in range(len(self.models))]
        left = len(self._on_left)
        return max(texts[:left], key=len), max(texts[left:], key=len)

    def _set_scale(self, ax: Any, low: int, high: int, depth: float) -> list[float]:
        """Ranks in the middle, and as much room on both sides as the names need, or a third; gives that room in
        inches."""
        across = ax.figure.get_figwidth() * (0.96 if drawing.is_our_own(ax.figure) else ax.get_position().width)
        room = [min(drawing.width_of(text, NAME) + 0.12, WIDEST, 0.36 * across) for text in self._longest]
        inch = (high - low) / (across - sum(room) - 0.1)
        ax.set(xlim=(low - (room[0] + 0.05) * inch, high + (room[1] + 0.05) * inch), ylim=(-depth - 0.4, 1.5))
        return room

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A ruler of ranks; names left and right of it; a bar over each group."""
        k = len(self.models)
        low, high = 1, max(k, int(np.ceil(self.ranks.max())))
        ax.set_axis_off()
        left = len(self._on_left)
        step = 0.55
        depth = step * (left + 0.6) + 0.22 * len(self.cliques)
        room = self._set_scale(ax, low, high, depth)
        ax.plot((low, high), (0, 0), color=drawing.ink(), linewidth=1.0, gid="series")
        for tick in range(low, high + 1, -(-(high - low) // MOST_TICKS)):
            ax.plot((tick, tick), (0, 0.14), color=drawing.ink(), linewidth=0.8)
            ax.text(tick, 0.22, str(tick), ha="center", va="bottom", fontsize=drawing.points(7))
        for i, group in enumerate(self.cliques):
            places = [self.ranks[self.models.index(m)] for m in group]
            y = -0.18 - 0.2 * i
            ends = (min(places) - 0.04, max(places) + 0.04)
            ax.plot(ends, (y, y), color=drawing.colours()[0], linewidth=3, solid_capstyle="butt")
        base = 0.2 * len(self.cliques) + 0.25
        for i, rank in enumerate(self.ranks):
            on_left = i in self._on_left
            y = -base - step * (i if on_left else k - 1 - i) - 0.2
            edge = low if on_left else high
            ax.plot((rank, rank, edge), (0, y, y), color=drawing.GREY, linewidth=0.8)
            text = drawing.folded(self._called(i), room[not on_left], drawing.points(NAME))
            ax.annotate(text, (edge, y), (-3 if on_left else 3, 0), textcoords="offset points",
                        fontsize=drawing.points(NAME), ha="right" if on_left else "left", va="center")  # fmt: skip
        cd = self.critical_difference
        length = min(cd, high - low)
        ax.plot((low, low + length), (1.0, 1.0), color=drawing.ink(), linewidth=1.6)
        for end in (low, low + length):
            ax.plot((end, end), (0.9, 1.1), color=drawing.ink(), linewidth=1.0)
        text = f"critical difference {drawing.number(cd)} ({drawing.percent(self.level)})"
        ax.text(low, 1.12, text, ha="left", va="bottom", fontsize=drawing.points(7))
        if label:
            ax.set_title(label)
