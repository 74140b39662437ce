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


@diagram(name="critical_difference", cite="demsar2006", aliases=("cd_diagram", "cd"))
class CriticalDifferenceFigure(TableDiagram):
    """Which models have significantly different average ranks over many data sets?"""

    columns = "columns `model`, `dataset` and `value`, or columns `model` and `rank` and a critical difference"
    size = (5.4, 2.2)
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
            raise InputError("ranks say themselves which model is better; leave measure and lower_is_better out.")
        names, places = columns_of(table, "model", "rank")
        return cls.of(dict(zip(map(str, names), places, strict=True)), critical_difference, level=level, **options)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A ruler of ranks; names left and right of it; a bar over each group."""
        k = len(self.models)
        low, high = 1, max(k, int(np.ceil(self.ranks.max())))
        ax.set_axis_off()
        left = int(np.ceil(k / 2))
        step = 0.55
        depth = step * (left + 0.6) + 0.22 * len(self.cliques)
        ax.set(xlim=(low - 0.28 * (high - low) - 0.3, high + 0.28 * (high - low) + 0.3), ylim=(-depth - 0.4, 1.5))
        ax.plot((low, high), (0, 0), color=drawing.ink(), linewidth=1.0, gid="series")
        for tick in range(low, high + 1):
            ax.plot((tick, tick), (0, 0.14), color=drawing.ink(), linewidth=0.8)
            ax.text(tick, 0.22, str(tick), ha="center", va="bottom", fontsize=drawing.points(7))
        for i, group in enumerate(self.cliques):
            places = [self.ranks[self.models.index(m)] for m in group]
            y = -0.18 - 0.2 * i
            ends = (min(places) - 0.04, max(places) + 0.04)
            ax.plot(ends, (y, y), color=drawing.colours()[0], linewidth=3, solid_capstyle="butt")
        base = 0.2 * len(self.cliques) + 0.25
        for i, (model, rank) in enumerate(zip(self.models, self.ranks, strict=True)):
            on_left, value = i < left, drawing.number(float(rank))
            y = -base - step * (i if on_left else k - 1 - i) - 0.2
            edge = low - 0.1 if on_left else high + 0.1
            ax.plot((rank, rank, edge + (0.06 if on_left else -0.06)), (0, y, y), color=drawing.GREY, linewidth=0.8)
            ax.text(edge, y, f"{model}  {value}" if on_left else f"{value}  {model}", fontsize=drawing.points(7.5),
                    ha="right" if on_left else "left", va="center")  # fmt: skip
        cd = self.critical_difference
        length = min(cd, high - low)
        ax.plot((low, low + length), (1.0, 1.0), color=drawing.ink(), linewidth=1.6)
        for end in (low, low + length):
            ax.plot((end, end), (0.9, 1.1), color=drawing.ink(), linewidth=1.0)
        text = f"critical difference {drawing.number(cd)} ({drawing.percent(self.level)})"
        ax.text(low + length / 2, 1.12, text, ha="center", va="bottom", fontsize=drawing.points(7))
        if label:
            ax.set_title(label)
