"""The ROC graph: each classifier is a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError
from karat.core.table import Table
from karat.core.words import counted, short
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.panel import UNIT, Axis, Line, Panel
from karat.diagrams.prediction_diagram import ModelsDiagram
from karat.diagrams.roc_curves import condition_of
from karat.measures.rates import false_positive_rate, true_positive_rate
from karat.statistics import Binary
from karat.statistics.roc_hull import ALWAYS, NEVER, Condition, breaks, normalised_cost, upper_hull

CONDITION_LINE: dict[str, Any] = {"color": drawing.COLOURS[1], "linewidth": 0.9, "linestyle": (0, (4, 2))}
"""Where the operating condition is."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Points(ModelsDiagram):
    """Crisp classifiers by their rates, with the two trivial ones: what ROC graph and cost lines are made of."""

    on_page = True
    statistic = Binary
    two_classes = True
    fpr: Array
    tpr: Array
    hull: tuple[str, ...]
    """the models that some operating condition makes the best, from always negative to always positive"""
    hull_fpr: Array
    hull_tpr: Array
    never_optimal: tuple[str, ...]
    """models that no operating condition makes better than all others"""
    breaks: Array
    """hull[i] is best for a probability cost between breaks[i] and breaks[i + 1]"""
    condition: Condition | None = None
    best: str | None = None
    """the model that is best under the condition"""

    @classmethod
    def compute(
        cls,
        statistics: Mapping[str, Binary],
        *,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        prevalence: float | None = None,
    ) -> Self:
        """From the table of each model."""
        rates = {}
        for name, b in statistics.items():
            if not (b.tp + b.fn > 0 and b.fp + b.tn > 0):
                missing = "positive" if b.fp + b.tn > 0 else "negative"
                raise InputError(
                    f"{cls.name} is not available: {name} has no {missing} case; give cases of both classes."
                )
            rates[name] = float(false_positive_rate.value_of(b)), float(true_positive_rate.value_of(b))
        first = next(iter(statistics.values()))
        share = float((first.tp + first.fn) / (first.tp + first.fn + first.fp + first.tn))
        return cls.from_points(rates, condition_of(cost_fp, cost_fn, prevalence, share))

    @classmethod
    def from_points(cls, points: Mapping[str, tuple[float, float]], condition: Condition | None = None) -> Self:
        """From the rates of each model.

        Parameters
        ----------
        points : dict
            Model to (false positive rate, true positive rate).
        condition : Condition, optional
            The costs of errors and the prevalence.

        Returns
        -------
        Diagram
            A record of the points and their convex hull.

        Examples
        --------
        >>> ROCGraph.from_points({"A": (0.1, 0.65), "D": (0.3, 0.5)}).never_optimal
        ('D',)
        """
        if not points:
            raise InputError(f"{cls.name} was given no model; give at least one.")
        names = (NEVER, ALWAYS, *(str(name) for name in points))
        places = np.asarray([(0.0, 0.0), (1.0, 1.0), *points.values()], float)
        if not ((places >= 0) & (places <= 1)).all():
            raise InputError("a point lies outside the unit square; give (fpr, tpr), each a share.")
        fpr, tpr = places.T
        at = upper_hull(fpr, tpr)
        best = None
        if condition is not None:
            best = names[at[int(normalised_cost(fpr[at], tpr[at], condition.pc).argmin())]]
        on_hull = {names[i] for i in at}
        corner = {(fpr[i], tpr[i]) for i in at}
        never = tuple(n for i, n in enumerate(names) if n not in on_hull and (fpr[i], tpr[i]) not in corner)
        return cls(
            models=names[2:],
            fpr=fpr[2:],
            tpr=tpr[2:],
            hull=tuple(names[i] for i in at),
            hull_fpr=fpr[at],
            hull_tpr=tpr[at],
            never_optimal=never,
            breaks=breaks(fpr[at], tpr[at]),
            condition=condition,
            best=best,
        )

    @property
    def crowd(self) -> tuple[str, ...]:
        """Of very many models those that are never optimal: they look alike, and have one name in common."""
        if len(self.models) <= drawing.MOST_NAMED:
            return ()
        return tuple(model for model in self.models if model in self.never_optimal)

    def called(self, model: str) -> str:
        """What the legend says of a model; of a crowd, only of its first."""
        if crowd := self.crowd if model in self.crowd else ():
            return f"{counted(len(crowd), 'other')} (never optimal)" if model == crowd[0] else "_"
        return f"{model} (never optimal)" if model in self.never_optimal else model

    def lines(self, ends: Callable[[float, float], tuple[Any, Any]]) -> list[Line]:
        """What a page draws of each model: (x, y) of its two rates."""
        labels = ["never the best" if model in self.never_optimal else "" for model in self.models]
        rates = zip(self.models, labels, self.fpr.tolist(), self.tpr.tolist(), strict=True)
        return [Line(*ends(fpr, tpr), label, model) for model, label, fpr, tpr in rates]

    @property
    def operating_ranges(self) -> Table:
        """For which operating conditions each model is the best: between two probability costs, or two slopes."""
        low, high = self.breaks[:-1], self.breaks[1:]
        with np.errstate(divide="ignore"):
            ends = {"pc_from": low, "pc_to": high, "slope_from": 1 / high - 1, "slope_to": 1 / low - 1}
        columns = {name: values.tolist() for name, values in ends.items()}
        return Table({"best": list(self.hull)} | columns, "for PC between, use")


@diagram(name="roc_graph", title="ROC graph", cite="prati2011")
class ROCGraph(Points):
    """Which recall and false positive rate do the predictions reach, and which models are never optimal?

    `cost_fp=`, `cost_fn=` and `prevalence=` give the operating condition: the line of equal cost through the best
    classifier is drawn.
    """

    def panel(self) -> Panel:
        """A point for each model, and the hull."""
        points = self.lines(lambda fpr, tpr: ([fpr], [tpr]))
        references = {"chance": (UNIT, UNIT), "convex hull": (self.hull_fpr, self.hull_tpr)}
        x, y = Axis("false positive rate", UNIT), Axis("true positive rate", UNIT)
        return Panel(x, y, points, references, points=True)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A point for each model, the hull, and the line of equal cost through the best."""
        drawing.reference(ax, (0, 1), (0, 1), "chance")
        ax.plot(self.hull_fpr, self.hull_tpr, color=drawing.ink(), linewidth=1.0, label="convex hull", zorder=2)
        ax.fill_between(self.hull_fpr, self.hull_tpr, color=drawing.ink(), alpha=0.04, linewidth=0)
        ax.plot((0, 1), (0, 1), "s", color=drawing.ink(), markersize=4, clip_on=False, zorder=3)
        for name, x, y in zip(self.models, self.fpr, self.tpr, strict=True):
            look = drawing.next_points(ax) | {"s": 30, "zorder": 4}
            if name in self.never_optimal:
                look["facecolor"] = drawing.setting("axes.facecolor")
            if name in self.crowd:
                look |= {"color": drawing.PALE, "marker": "o", "s": 12, "zorder": 3.5, "gid": drawing.OTHERS}
            ax.scatter([x], [y], label=self.called(name), **look | style)
        for name, x, y, offset in ((NEVER, 0, 0, (6, -1)), (ALWAYS, 1, 1, (-6, 3))):
            ha = "left" if x == 0 else "right"
            ax.annotate(
                name,
                (x, y),
                offset,
                textcoords="offset points",
                fontsize=drawing.points(6.5),
                color=drawing.GREY,
                ha=ha,
            )
        if self.condition is not None:
            self._iso_performance(ax)
        drawing.square(ax, "False positive rate", f"True positive rate (recall){self.of_whom}", 0.03)
        drawing.legend(ax, "lower right")

    def _iso_performance(self, ax: Any) -> None:
        """The line of equal expected cost through the best classifier."""
        assert self.condition is not None
        at = self.hull.index(str(self.best))
        point, slope = (self.hull_fpr[at], self.hull_tpr[at]), self.condition.slope
        look = CONDITION_LINE | {"label": f"equal cost (slope {drawing.number(slope)}): {self.best}"}
        if np.isinf(slope):
            ax.axvline(point[0], **look)
        else:
            ax.axline(point, slope=slope, **look)


@diagram(name="cost_lines", title="Cost lines", cite="drummond2006", aliases=("cost_line",))
class CostLines(Points):
    """What does each model cost for all costs and class frequencies, and which is cheapest where?"""

    size = (4.4, 3.2)

    @property
    def envelope(self) -> tuple[Array, Array]:
        """(PC, cost) of the corners of the lower envelope."""
        at = np.append(np.arange(len(self.hull)), len(self.hull) - 1)
        return self.breaks, normalised_cost(self.hull_fpr[at], self.hull_tpr[at], self.breaks)

    def panel(self) -> Panel:
        """A line for each model, the trivial ones, and the lower envelope."""
        never, always = (f"{when} predict {short(str(self.positive), 24)}" for when in ("never", "always"))
        lines = self.lines(lambda fpr, tpr: (UNIT, (fpr, 1 - tpr)))
        references = {never: (UNIT, UNIT), always: (UNIT, (1.0, 0.0)), "lower envelope": self.envelope}
        return Panel(Axis("probability cost PC", UNIT), Axis("normalised expected cost"), lines, references)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A line for each model, the trivial ones, and the lower envelope."""
        drawing.reference(ax, (0, 1), (0, 1), NEVER)
        drawing.reference(ax, (0, 1), (1, 0), ALWAYS, linestyle=(0, (6, 2)))
        for name, fpr, tpr in zip(self.models, self.fpr, self.tpr, strict=True):
            look = drawing.next_series(ax) | style
            if name in self.never_optimal:
                look |= {"linewidth": 0.8}
            if name in self.crowd:
                look |= {"color": drawing.PALE, "linewidth": 0.6, "linestyle": "-", "gid": drawing.OTHERS}
            ax.plot((0, 1), (fpr, 1 - tpr), label=self.called(name), **look)
        x, y = self.envelope
        ax.plot(x, y, color=drawing.ink(), linewidth=2.4, alpha=0.35, label="lower envelope", zorder=1.8)
        last = -1.0
        for cut, height in zip(x[1:-1], y[1:-1], strict=True):
            ax.plot((cut, cut), (0, height), color=drawing.PALE, linewidth=0.6, zorder=1)
            if cut - last > 0.05:
                side, shift = ("left", 1) if cut < 0.9 else ("right", -1)
                place: dict[str, Any] = {"textcoords": "offset points", "fontsize": drawing.points(6), "ha": side}
                drawing.halo([ax.annotate(drawing.number(float(cut)), (cut, 0), (shift, 2), **place)])
                last = cut
        if self.condition is not None:
            text = f"PC {drawing.number(self.condition.pc)}: {self.best}"
            ax.axvline(self.condition.pc, label=text, **CONDITION_LINE)
        highest = max(0.52, 1.05 * float(max(self.fpr.max(), 1 - self.tpr.min())))
        ax.set(xlim=(0, 1), ylim=(0, min(highest, 1)), ylabel="Normalised expected cost")
        ax.set_xlabel(rf"Probability cost $PC${self.of_whom}")
        drawing.legend(ax)
