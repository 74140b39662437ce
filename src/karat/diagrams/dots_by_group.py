"""The dot plot of a measure by group: a value and an interval for each, those of small groups faded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import TableDiagram, columns_of, diagram
from karat.diagrams.familiar_keywords import familiar

FADED = 0.35
"""Of the ink, for a group of few cases."""
FEW_CASES = 30
"""Below it a group is faded, unless another number is given."""
MOST_DOTS = 60
"""Groups that can be told apart: of more, the lowest and the highest are drawn."""
NAME = 7.5
"""Points of a group's name."""


@diagram(name="group_dots", title="Measure by group", cite="cleveland1984", aliases=("dot_plot", "measure_by_group"))
class GroupDots(TableDiagram):
    """What is a measure worth in each group of the cases, and how surely?"""

    in_gallery = False
    columns = "columns `group`, `value`, `low`, `high` and `cases`"
    may_lack = ("value", "low", "high")
    groups: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    cases: Array
    overall: float | None = None
    """the value of all cases: a line"""
    axis: str = "value"
    few: int = FEW_CASES

    @classmethod
    def of(
        cls,
        groups: Any,
        value: Any,
        low: Any,
        high: Any,
        cases: Any,
        *,
        overall: float | None = None,
        axis: str = "value",
        few: int = FEW_CASES,
        name: str = "",
    ) -> Self:
        """Of the groups, their values, the ends of their intervals (nan: none) and their numbers of cases."""
        x = [np.asarray(part, float) for part in (value, low, high, cases)]
        labels = tuple(map(str, groups))
        if not labels or any(part.shape != (len(labels),) for part in x):
            sizes = ", ".join(str(part.size) for part in x)
            raise InputError(f"there are {len(labels)} groups and {sizes} values, ends and numbers of cases; give one "
                             "of each for every group.")  # fmt: skip
        if not np.isfinite(x[0]).any():
            raise InputError("no group has a value; there is nothing to draw.")
        return cls(
            model=name, groups=labels, value=x[0], low=x[1], high=x[2], cases=x[3], overall=overall, axis=axis, few=few
        )

    @classmethod
    @familiar
    def from_table(
        cls,
        table: Mapping[str, Any],
        *,
        overall: float | None = None,
        axis: str = "value",
        few: int = FEW_CASES,
        name: str = "",
    ) -> Self:
        """Of a table with the columns `group`, `value`, `low`, `high` and `cases`.

        Parameters
        ----------
        table : dict of columns
            As `karat.evaluate(...).by(...)[measure].to_table()` has them.
        overall : float, optional
            The value of all cases: a line.
        axis : str, optional
            What stands at the axis.
        few : int, optional
            Groups with fewer cases are faded.
        name : str, optional
            The title of the figure.

        Returns
        -------
        GroupDots
            A record of the values and intervals.
        """
        columns = columns_of(table, "group", "value", "low", "high", "cases")
        return cls.of(*columns, overall=overall, axis=axis, few=few, name=name)

    @property
    def drawn(self) -> Array:
        """The places of the groups that are drawn, from the lowest value to the highest."""
        there = np.flatnonzero(np.isfinite(self.value))
        order = there[np.argsort(self.value[there], kind="stable")]
        half = MOST_DOTS // 2
        return order if len(order) <= MOST_DOTS else np.concatenate([order[:half], order[-half:]])

    @property
    def figure_size(self) -> tuple[float, float]:
        """It grows with the number of groups and the length of their names."""
        beside = min(max(drawing.width_of(text, NAME) for text in self._names), 2.2)
        return 3.4 + beside, 0.9 + 0.17 * len(self.drawn)

    @property
    def _names(self) -> list[str]:
        return [f"{self.groups[i]} ({self.cases[i]:.0f})" for i in self.drawn]

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A dot and a bar for each group, the lowest value at the bottom; a line for all cases."""
        colour = style.pop("color", drawing.colours()[0])
        for y, i in enumerate(self.drawn):
            ink = FADED if self.cases[i] < self.few else 1.0
            if np.isfinite([self.low[i], self.high[i]]).all():
                ax.plot((self.low[i], self.high[i]), (y, y), color=colour, alpha=ink, linewidth=1.2)
            ax.plot(self.value[i], y, "o", color=colour, alpha=ink, markersize=4, gid="series", **style)
        if self.overall is not None and np.isfinite(self.overall):
            ax.axvline(self.overall, color=drawing.GREY, linewidth=0.8, linestyle="--", zorder=0)
        names = [drawing.folded(text, 2.2, drawing.points(NAME)) for text in self._names]
        ax.set_yticks(range(len(names)), names, fontsize=drawing.points(NAME))
        ax.set(xlabel=self.axis, ylim=(-0.6, len(names) - 0.4))
        left = len(np.flatnonzero(np.isfinite(self.value))) - len(names)
        if left:
            ax.set_title(
                f"{label}{': ' * bool(label)}the lowest and highest {MOST_DOTS // 2}; {left} between are not drawn"
            )
        elif label:
            ax.set_title(label)
