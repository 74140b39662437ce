"""The entropy triangles: where the room for information goes (Valverde-Albacete and Pelaez-Moreno 2014)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from karat.core.arithmetic import TOLERANCE, Array
from karat.core.errors import InputError
from karat.core.measure import measures
from karat.core.validation import whole
from karat.diagrams import drawing
from karat.diagrams.diagram import diagram
from karat.diagrams.prediction_diagram import ModelsDiagram, PredictionDiagram
from karat.measures.agreement import accuracy, accuracy_after_relabelling
from karat.resampling import posterior
from karat.statistics import Counts

MOST_NAMED = 20
"""Points of a triangle that can all be named."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Triangle(ModelsDiagram):
    """Three shares that sum to one, of each model: a point of a ternary diagram."""

    on_page = True
    projection = "ternary"
    size = (5.6, 3.9)
    statistic = Counts
    shares: dict[str, Array]
    """name of the triangle to [models, 3]: imbalance, information, variation"""
    colour: str
    """the symbol that the points are coloured by"""
    values: Array
    cross_labelled: tuple[bool, ...] = ()
    """would exchanging its labels raise the model's accuracy? The triangle alone can't tell: it is blind to names"""
    cloud: dict[str, Array] | None = None
    """[models, draws, 3]: where each model might be, with other cases of the same kind (Dirichlet posterior)"""

    @classmethod
    def compute(
        cls,
        statistics: Mapping[str, Counts],
        *,
        colour: str = "EMA",
        cloud: int = 0,
        prior: Any = None,
        seed: int = 0,
    ) -> Self:
        """The coordinates of each model; `cloud` draws from the posterior of its table (`prior` added to each cell)."""
        m = measures[colour]
        if m.statistic is not Counts or m.classwise:
            raise InputError(
                f"{m.label} can't colour the points; name a measure of predicted labels over all classes, such as EMA."
            )
        parts: dict[str, Array] = {}
        for name, symbols in cls.triangles().items():
            parts[name] = np.array([[float(measures[s].value_of(c)) for s in symbols] for c in statistics.values()])
            if np.isnan(parts[name]).any():
                raise InputError(f"{cls.name} has no extent for one class; give at least two classes.")
        clouds = None
        if cloud:
            cloud = whole("cloud", cloud)
            drawn = [
                Counts(np.concatenate(list(posterior(c.table, prior, cloud, seed, place=i))))
                for i, c in enumerate(statistics.values())
            ]
            clouds = {
                name: np.stack([np.stack([measures[s].value_of(c) for s in symbols], -1) for c in drawn])
                for name, symbols in cls.triangles().items()
            }
        values = np.array([float(m.value_of(c, **m.formula_parameters)) for c in statistics.values()])
        crossed = tuple(
            bool(accuracy_after_relabelling.value_of(c) > accuracy.value_of(c) + TOLERANCE) for c in statistics.values()
        )
        return cls(
            models=tuple(statistics), shares=parts, colour=m.symbol, values=values, cross_labelled=crossed, cloud=clouds
        )

    @classmethod
    def triangles(cls) -> dict[str, tuple[str, str, str]]:
        """Name to the symbols of its coordinates: imbalance, information, variation."""
        raise NotImplementedError

    def draw(self, ax: Any, label: str, *, annotate: bool = True, zoom: bool = False, **style: Any) -> None:
        """A point for each model, coloured by the measure; the zones of the paper's sixth figure. `zoom` shows the
        smallest part of the triangle that holds all points."""
        own = drawing.is_our_own(ax.figure)
        if own:  # room for the names on the right, which no layout of matplotlib sees
            ax.figure.set_layout_engine("none")
            ax.set_position((0.2, 0.14, 0.5, 0.74))
        floor = self._floor() if zoom else np.zeros(3)
        self._frame(ax, zones=own and not floor.any())
        if floor.any():
            ax.set_ternary_min(floor[1], floor[2], floor[0])
        if self.cloud is not None:
            for name in self.shares:
                for model in self.cloud[name]:
                    ax.scatter(model[:, 1], model[:, 2], model[:, 0], s=2, color=drawing.GREY, alpha=0.15, linewidth=0)
        points = None
        spread = float(np.ptp(self.values)) > 1e-9
        for marker, (name, shares) in zip("os", self.shares.items(), strict=False):
            look = {
                "c": self.values,
                "cmap": "viridis",
                "s": 34,
                "marker": marker,
                "edgecolor": drawing.ink(),
                "clip_on": False,
                "zorder": 4,
            }
            limits = {} if spread else {"vmin": 0, "vmax": 1}
            # top, left, right: information, variation, imbalance
            points = ax.scatter(
                shares[:, 1],
                shares[:, 2],
                shares[:, 0],
                label=CALLED.get(name, name),
                linewidth=0.5,
                **look | limits | style,
            )
        both = list(self.shares.values())
        if len(both) > 1:
            for one, other in zip(*both, strict=True):
                ax.plot(*np.stack([one, other])[:, [1, 2, 0]].T, color=drawing.ink(), linewidth=0.6, zorder=3)
            ax.legend(loc="upper left", bbox_to_anchor=(0.75, 1.1))
        if annotate:
            named = self._named(both[0])
            if own:
                self._names(ax, both[0], named, floor)
            else:
                self._names_at_points(ax, both[0], named)
        beside = {"cax": ax.inset_axes((-0.3, 0.35, 0.04, 0.5))} if own else {"ax": ax, "shrink": 0.5, "pad": 0.15}
        bar = ax.figure.colorbar(points, **beside)
        bar.set_label(measures[self.colour].title)
        bar.ax.yaxis.set_label_position("left")

    def _floor(self) -> Array:
        """The least of each share, rounded down to a twentieth: the corner-to-side limits of a smaller triangle."""
        points = [*self.shares.values(), *(c.reshape(-1, 3) for c in (self.cloud or {}).values())]
        return np.asarray(np.floor(20 * np.concatenate(points).min(axis=0) + TOLERANCE).clip(0) / 20)

    def _named(self, shares: Array) -> Array:
        """The models that are named, from the top down: all, or of many the lowest and the highest by the measure."""
        order = np.argsort(-shares[:, 1], kind="stable")
        if len(order) <= MOST_NAMED:
            return order
        ranks = np.argsort(np.argsort(self.values, kind="stable"), kind="stable")[order]
        return order[(ranks < drawing.ENDS) | (ranks >= len(order) - drawing.ENDS)]

    def _names(self, ax: Any, shares: Array, order: Array, floor: Array) -> None:
        """The names in a column right of the triangle, from the top down as their points are, joined to them by a thin
        line: points of good models lie close together."""
        side = 1 - floor.sum()
        seen = (shares - floor) / side  # within the part of the triangle that is shown
        step = min(0.075, 0.95 / len(order))
        heights: list[float] = []
        for i in order:
            heights.append(min(float(seen[i, 1]), heights[-1] - step if heights else 1.0))
        lift = max(0.0, 0.02 - heights[-1])
        names = []
        for i, below in zip(order, heights, strict=True):
            height = below + lift
            imbalance, information, variation = shares[i]
            # a point outside the triangle, whose three coordinates still sum to one
            right = 1.18 - height / 2
            end = (floor[[1, 2, 0]] + side * np.array((height, 1 - height - right, right))).tolist()
            ax.plot(*zip((information, variation, imbalance), end, strict=True),
                    color=drawing.GREY, linewidth=0.4, clip_on=False, zorder=1)  # fmt: skip
            names.append(ax.text(*end, f" {self._called(i)}", fontsize=drawing.points(6.5), ha="left", va="center"))
        _make_room(ax, names)

    def _names_at_points(self, ax: Any, shares: Array, order: Array) -> None:
        """The names beside their points, towards the middle: axes that were given need have no room on the right. Those
        of points that are close together are set one below the other."""
        size = drawing.points(6.5)
        step = 1.3 * size / 72 / max(drawing.axes_size(ax)[1], 0.1)
        height = 1.0 + step
        for i in order:
            imbalance, information, variation = shares[i].tolist()
            height = min(information, height - step)
            moved = information - height
            left = imbalance > variation
            inside = drawing.axes_size(ax)[0] * (1 - height)  # beyond its sides are ticks and their names
            name = drawing.shortened(self._called(i), min(1.4, inside), size)
            text = f"{name}  " if left else f"  {name}"
            place = (height, variation + moved / 2, imbalance + moved / 2)
            ax.text(*place, text, fontsize=size, ha="right" if left else "left", va="center")

    def _called(self, i: int) -> str:
        """A model, whether its labels are exchanged, and its value."""
        crossed = " (cross-labelled)" if self.cross_labelled[i] else ""
        return f"{self.models[i]}{crossed} ({drawing.number(float(self.values[i]))})"

    def _frame(self, ax: Any, zones: bool) -> None:
        information, variation, imbalance = self.corner_labels
        ax.set_tlabel(information)
        ax.set_llabel(variation)
        ax.set_rlabel(imbalance)
        for axis in (ax.taxis, ax.laxis, ax.raxis):
            axis.set_label_position("tick1")
            drawing.halo([axis.label, *(tick.label1 for tick in axis.get_major_ticks())])
        ax.grid(visible=True)
        for text, place in ZONES if zones else ():
            ax.text(
                *place, text, fontsize=drawing.points(6.5), color=drawing.GREY, style="italic", ha="center", va="center"
            )

    corner_labels: ClassVar[tuple[str, str, str]]


ZONES = (
    ("best", (1.12, -0.06, -0.06)),
    ("worst", (0.03, 0.87, 0.1)),
    ("specialised (majority)", (0.03, 0.28, 0.69)),
)
"""What a model is that lies in a corner of the whole triangle."""


def _make_room(ax: Any, names: list[Any]) -> None:
    """The figure grows to the right by what the names need; the triangle keeps its size."""
    figure = ax.figure
    width = figure.get_figwidth()
    ax.apply_aspect()
    # measured without a canvas, whose pixels may be others than those of the figure; letters take a little more
    starts = [float(name.get_transform().transform(name.get_unitless_position())[0]) / figure.dpi for name in names]
    widths = [1.08 * drawing.width_of(name.get_text(), name.get_fontsize()) for name in names]
    reach = max(a + b for a, b in zip(starts, widths, strict=True)) + drawing.points(0.1)
    if reach > width:
        left, bottom, across, up = ax.get_position(original=True).bounds
        figure.set_figwidth(reach)
        ax.set_position((left * width / reach, bottom, across * width / reach, up))


@diagram(name="entropy_triangle", cite="valverde2014", aliases=("et",))
class EntropyTriangle(Triangle):
    """How much of the possible information do the predictions carry, and how much is lost to errors or to imbalance?"""

    corner_labels = (r"mutual information $2MI'$", r"variation of information $VI'$", r"imbalance $\Delta H'$")

    @classmethod
    def triangles(cls) -> dict[str, tuple[str, str, str]]:
        """Truth and decisions together."""
        return {"both": ("ET_DH", "ET_2MI", "ET_VI")}


@diagram(name="split_entropy_triangle", cite="valverde2014", aliases=("split_triangle",))
class SplitEntropyTriangle(Triangle):
    """How much information do true and predicted labels share, each judged by its own balance?"""

    corner_labels = (r"mutual information $MI'$", r"remaining entropy $H'$", r"imbalance $\Delta H'$")

    @classmethod
    def triangles(cls) -> dict[str, tuple[str, str, str]]:
        """Truth and decisions by themselves."""
        return {"truth": ("ETX_DH", "ETX_MI", "ETX_VI"), "decisions": ("ETY_DH", "ETY_MI", "ETY_VI")}


CALLED = {"truth": "true labels", "decisions": "predictions"}
"""What a figure calls them."""
CHAINS: dict[str, tuple[tuple[str, str], ...]] = {
    "truth": (("DH_X", "imbalance"), ("MI", "information"), ("H_X|Y", "remaining")),
    "decisions": (("DH_Y", "imbalance"), ("MI", "information"), ("H_Y|X", "noise")),
}
PERPLEXITIES = {"truth": ("k_X", "k_X|Y"), "decisions": ("m_Y", "m_Y|X")}


@diagram(
    name="information_chain",
    title="Information diagram",
    cite="valverde2014",
    aliases=("perplexity_chain", "information_diagram"),
)
class InformationChain(PredictionDiagram):
    """How much of the entropy of the labels do the predictions explain? In bits, and as perplexities."""

    on_page = True
    size = (5.2, 2.6)
    apart = "always"
    statistic = Counts
    two_classes = False
    bits: dict[str, dict[str, float]]
    """truth and decisions: symbol to bits; each sums to log2 of the number of classes or decisions"""
    perplexity: dict[str, tuple[float, float, float]]
    """truth and decisions: as many as could be, as many as there seem to be, as many as seem to be left"""

    @classmethod
    def compute(cls, statistic: Counts) -> Self:
        """Of one table."""
        c = statistic
        bits = {of: {s: float(measures[s].value_of(c)) for s, _ in chain} for of, chain in CHAINS.items()}
        could = {"truth": float(c.k), "decisions": float(c.l)}
        left = {of: (could[of], *(float(measures[s].value_of(c)) for s in two)) for of, two in PERPLEXITIES.items()}
        return cls(bits=bits, perplexity=left)  # type: ignore[arg-type]

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Two bars, one below the other; the information is the part that they share."""
        colours = ("#BBBBBB", "#009E73", "#D55E00")
        for row, (of, chain) in enumerate(CHAINS.items()):
            start = 0.0
            for (symbol, text), colour, hatch in zip(chain, colours, ("", "", "///"), strict=True):
                bits = self.bits[of][symbol]
                ax.barh(row, bits, left=start, color=colour, alpha=0.75, hatch=hatch, edgecolor="white", height=0.55,
                        **style)  # fmt: skip
                if bits > 0.19 * sum(self.bits[of].values()):
                    ax.text(
                        start + bits / 2,
                        row,
                        f"{text}\n{drawing.number(bits)} bit{'s' * (bits != 1)}",
                        ha="center",
                        va="center",
                        fontsize=drawing.points(6.5),
                    )
                start += bits
            could, seem, rest = self.perplexity[of]
            names = ("k", "k_X", "k_{X|Y}") if of == "truth" else ("l", "m_Y", "m_{Y|X}")
            values = (could, seem, rest)
            text = r" $\rightarrow$ ".join(f"${n}$ {drawing.number(v)}" for n, v in zip(names, values, strict=True))
            beside = {"textcoords": "offset points", "fontsize": drawing.points(7), "va": "bottom"}
            ax.annotate(text, (0, row - 0.36), (3, 0), **beside)
        names = ("imbalance", "mutual information", "remaining entropy, or noise")
        for bars, name in zip(ax.containers[:3], names, strict=True):
            bars.set_label(name)
        ax.set_yticks((0, 1), tuple(CALLED.values()))
        ax.set(xlabel="Bits", ylim=(1.5, -0.65))
        drawing.legend(ax, inside=False)  # bars leave no corner free
        ax.grid(axis="y", visible=False)
        if label:
            ax.set_title(label)
