"""The chart of a measure over time: its values, the limits that a reference sets, and where it changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.diagrams import drawing
from karat.diagrams.diagram import TableDiagram, columns_of, diagram
from karat.diagrams.familiar_keywords import familiar

MOST_NAMES = 10
"""Periods that are named below the axis."""
NUMBERS = ("value", "low", "high", "limit_low", "limit_high")


@diagram(name="course", title="Measure over time", cite="shewhart1931", aliases=("control_chart", "measure_over_time"))
class CourseChart(TableDiagram):
    """How does a measure run over time, and when is it beyond its limits?"""

    in_gallery = False
    columns = "columns `period`, `value`, `low`, `high`, `limit_low` and `limit_high`"
    may_lack = NUMBERS
    periods: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    limit_low: Array
    limit_high: Array
    changed: str = ""
    """the first period after a significant change"""
    axis: str = "value"

    @classmethod
    def of(
        cls,
        periods: Any,
        value: Any,
        low: Any,
        high: Any,
        limit_low: Any,
        limit_high: Any,
        *,
        changed: str = "",
        axis: str = "value",
        name: str = "",
    ) -> Self:
        """Of the periods, their values, the ends of their intervals and their limits (nan: none)."""
        labels = tuple(map(str, periods))
        x = [np.asarray(part, float) for part in (value, low, high, limit_low, limit_high)]
        if not labels or any(part.shape != (len(labels),) for part in x):
            sizes = ", ".join(str(part.size) for part in x)
            raise InputError(f"there are {len(labels)} periods and {sizes} values, ends and limits; give one of each "
                             "for every period.")  # fmt: skip
        if not np.isfinite(x[0]).any():
            raise InputError("no period has a value; there is nothing to draw.")
        if changed and changed not in labels:
            raise InputError(f"changed is {changed!r}, which is none of the periods {labels[0]} to {labels[-1]}.")
        numbers: dict[str, Any] = dict(zip(NUMBERS, x, strict=True))
        return cls(model=name, periods=labels, **numbers, changed=changed, axis=axis)

    @classmethod
    @familiar
    def from_table(cls, table: Mapping[str, Any], *, changed: str = "", axis: str = "value", name: str = "") -> Self:
        """Of a table with the columns `period`, `value`, `low`, `high`, `limit_low` and `limit_high`.

        Parameters
        ----------
        table : dict of columns
            As `karat.course(...)` of one measure has them in its `to_table()`.
        changed : str, optional
            The first period after a change: a line.
        axis : str, optional
            What stands at the axis.
        name : str, optional
            The title of the figure.

        Returns
        -------
        CourseChart
            A record of the values and limits.
        """
        return cls.of(*columns_of(table, "period", *NUMBERS), changed=changed, axis=axis, name=name)

    @property
    def outside(self) -> Array:
        """[periods]: is it beyond its limits?"""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.value < self.limit_low) | (self.value > self.limit_high))

    @property
    def figure_size(self) -> tuple[float, float]:
        """Wider than high."""
        return 5.6, 3.0

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A line with a dot for each period, those beyond the limits marked; the limits as a band."""
        x = np.arange(len(self.periods))
        colour = style.pop("color", drawing.colours()[0])
        known = np.isfinite(self.limit_low) & np.isfinite(self.limit_high)
        if known.any():
            band = {"step": "mid", "color": drawing.GREY, "alpha": 0.18, "linewidth": 0}
            ax.fill_between(x, self.limit_low, self.limit_high, where=known, label="limits of the reference", **band)
        ends = np.isfinite(self.low) & np.isfinite(self.high)
        ax.vlines(x[ends], self.low[ends], self.high[ends], color=colour, alpha=0.35, linewidth=1)
        ax.plot(x, self.value, "o-", color=colour, markersize=3.5, linewidth=1.2, gid="series", **style)
        out = self.outside
        if out.any():
            marks = {"markersize": 8, "markerfacecolor": "none", "markeredgecolor": drawing.colours()[1]}
            ax.plot(x[out], self.value[out], "o", linestyle="none", label="beyond the limits", **marks)
        if self.changed:
            at = self.periods.index(self.changed) - 0.5
            words = f"changed: {self.changed}"
            ax.axvline(at, color=drawing.colours()[1], linewidth=1, linestyle="--", label=words, zorder=0)
        step = -(-len(x) // MOST_NAMES)
        ax.set_xticks(x[::step], self.periods[::step], rotation=30, ha="right", rotation_mode="anchor")
        ax.set(ylabel=self.axis, xlim=(-0.7, len(x) - 0.3))
        if label:
            ax.set_title(label)
        drawing.legend(ax)
