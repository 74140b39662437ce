"""Diagrams of one kind that belong together, drawn on one axes or side by side, and averages of their curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from karat.core import words
from karat.core.arithmetic import Array
from karat.core.errors import InputError, option
from karat.core.plain_data import plain
from karat.core.table import Table
from karat.core.validation import finite
from karat.diagrams import drawing
from karat.diagrams.diagram import Diagram, Picture
from karat.diagrams.familiar_keywords import drawing_options, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Several(Picture):
    """Diagrams of one kind that belong together: the classes of one model, the folds of a cross-validation, models."""

    members: tuple[Diagram, ...]
    means: tuple[Diagram, ...] = ()

    @classmethod
    def of(cls, members: Iterable[Diagram], averages: Iterable[str] = (), shares: list[float] | None = None) -> Several:
        """These diagrams, and averages of their curves."""
        diagrams = tuple(members)
        averages = (averages,) if isinstance(averages, str) else averages
        if not diagrams:
            raise InputError("there is nothing to draw: no class has both positive and negative cases.")
        return cls(diagrams, tuple(averaged(diagrams, average, shares) for average in averages))

    @classmethod
    def of_folds(cls, members: Iterable[Diagram], spread: float | None) -> Several:
        """Those of the folds of a cross-validation; the mean of their curves, and how much they differ: so many
        standard deviations to either side."""
        diagrams = tuple(members)
        if spread is not None and not finite("spread", spread) > 0:
            raise InputError(f"spread is {spread}; give a number of standard deviations above 0, or None.")
        return cls(diagrams, (mean_over_folds(diagrams, spread),) if diagrams and diagrams[0].averages else ())

    def __iter__(self) -> Iterator[Diagram]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, key: Any) -> Diagram:
        for member in (*self.members, *self.means):
            if key == member.model or key == getattr(member, "positive", None):
                return member
        raise KeyError(key)

    def __repr__(self) -> str:
        lines = [repr(m) for m in (*self.members, *self.means)]
        more = [f"... {len(lines) - drawing.MOST_NAMED} more"] if len(lines) > drawing.MOST_NAMED else []
        return "\n".join([*lines[: drawing.MOST_NAMED], *more])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {"diagram": self.members[0].name, "members": plain(self.members), "averages": plain(self.means)}

    def to_table(self) -> Table:
        """A row for each of them."""
        rows = [m.to_table() for m in (*self.members, *self.means)]
        names = dict.fromkeys(name for row in rows for name in row.columns["what"])
        values = [dict(zip(row.columns["what"], row.columns["value"], strict=True)) for row in rows]
        return Table({name: [row.get(name) for row in values] for name in names})

    def plot(self, ax: Any = None, *, layout: str | None = None, **style: Any) -> Self:
        """Draw them all.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        layout : {"overlaid", "multiples"}, optional
            All on one axes, or each on its own; by default as suits the diagram.
        **style : Any
            Options of the drawing, and properties of the main artists.

        Returns
        -------
        Several
            Itself; `ax_` and `figure_` are where they were drawn.
        """
        look = self._kept_look | style
        first = self.members[0]
        if layout is None:
            alone = first.apart == "always" or (first.apart == "classes" and self._are_classes)
            layout = "multiples" if alone and len(self.members) > 1 and ax is None else "overlaid"
        if layout == "overlaid" and first.apart == "always" and len(self.members) > 1:
            raise InputError(f"{first.name} can't be drawn over another; use {option('multiples')}.")
        if layout == "overlaid":
            ax = self._overlaid(ax, look)
            figure = ax.figure
        elif layout == "multiples":
            if ax is not None:
                raise InputError("small multiples make their own axes; leave ax out, or use layout='overlaid'.")
            figure, ax = self._multiples(look_of(type(first), look))
        else:
            raise InputError(f"layout is {layout!r}; it is 'overlaid' or 'multiples'.")
        self._keep_place(ax, figure)
        return self

    def _overlaid(self, ax: Any, look: dict[str, Any]) -> Any:
        """All on one axes, which it gives back."""
        of_diagram = drawing_options(type(self.members[0]))
        look = self.members[0].alike(self.members) | look
        behind = BEHIND_A_BAND if any(m.band for m in self.means if isinstance(m, Averaged)) else {}
        artists: list[list[Any]] = []
        for member in (*self.members, *self.means):
            before = set() if ax is None else set(ax.get_children())
            averages = isinstance(member, Averaged)
            own = {word: value for word, value in look.items() if not (averages and word in of_diagram)}
            ax = member.plot(ax, **({} if averages else behind) | own).ax_
            artists.append([artist for artist in ax.get_children() if artist not in before])
        if len(self.members) > drawing.MOST_NAMED:
            self._name_the_ends(ax, artists)
        self._name_axes(ax)
        self._name_once(ax)
        return ax

    @property
    def ax_(self) -> Axes | Array:
        """The axes that all were drawn on; of small multiples the grid of them."""
        axes: Axes | Array = self._drawn_at()[0]
        return axes

    def _multiples(self, style: dict[str, Any]) -> tuple[Any, Any]:
        """Each on axes of its own; one scale for all, named at the left and at the bottom."""
        first = self.members[0]
        with drawing.styled(first.projection) as plt:
            figure, grid = self._grid(plt)
            drawn = list(zip(self.members, grid.ravel().tolist(), strict=False))
            bar = drawing.points(OF_A_BAR) if hasattr(first, "unit") else 0.0
            width = (figure.get_figwidth() - bar) / grid.shape[1] - drawing.points(BESIDE)
            entries: list[tuple[Any, str]] = []
            for member, place in drawn:
                member._draw_on(place, None, first.alike(self.members) | style)
                entries += self._tidy(place, member, width)
            for place in grid.ravel()[len(drawn) :]:
                place.set_visible(False)
            self._join_axes(grid)
            _grow_by_titles(figure, grid)
            drawing.adopt(figure)
            figure.karat_parts = False
            if named := one_each(entries):
                drawing.below(grid[0, 0], named)
            maps = [image for _, place in drawn for image in place.images]
            if maps:
                figure.colorbar(maps[0], ax=grid, shrink=0.6, panchor=False, label=first.unit)  # type: ignore[attr-defined]
            first.settle(drawn)
        return figure, grid

    def _grid(self, plt: Any) -> tuple[Any, Any]:
        """A figure with as many axes as are needed, or a few more."""
        first, number = self.members[0], len(self.members)
        across = min(4, math.ceil(math.sqrt(number)))
        down = math.ceil(number / across)
        width, height = 2.5, 2.5
        if (size := first.figure_size) is not None:
            width, height = 0.75 * size[0], 0.8 * size[1]
        room = drawing.user_size() or drawing.enlarged((across * width, down * height))
        figure, grid = plt.subplots(
            down, across, squeeze=False, figsize=room, subplot_kw={"projection": first.projection}
        )
        figure.karat_parts = True
        return figure, grid

    def _join_axes(self, grid: Any) -> None:
        """Axes of one scale are named once for each row and column; maps of other classes, rows of other names or in
        another order, keep their names."""
        number, across = len(self.members), grid.shape[1]
        places = grid.ravel().tolist()[:number]
        maps = any(place.images for place in places)
        if not maps:
            drawing.same_limits(places)
        same = not maps or len({(m.classes, m.outputs) for m in self.members}) == 1  # type: ignore[attr-defined]
        for i, place in enumerate(places):
            left, bottom = i % across == 0, i + across >= number
            if not left:
                place.set_ylabel("")
            if not bottom:
                place.set_xlabel("")
            if same and place.name == "rectilinear":  # a triangle has three axes, and names each of them
                place.tick_params(labelbottom=bottom)
                own = drawing.written_ticks(place.yaxis) != drawing.written_ticks(grid[i // across, 0].yaxis)
                if place.yaxis.get_ticks_position() != "right":  # where they are on the right they are its own
                    place.tick_params(labelleft=left or own)

    def _tidy(self, ax: Any, member: Diagram, width: float) -> list[tuple[Any, str]]:
        """A small picture: what its legend said of its only series is its title, and so is the class, if each picture
        shows another one. The rest of the legend is that of all pictures."""
        entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
        series = [text for handle, text in entries if str(getattr(handle, "get_gid", str)()) == "series"]
        only = series[0] if len(series) == 1 else ""
        if ax.get_legend() is not None:
            ax.get_legend().remove()
        small = drawing.points(6.5)
        title = ax.get_title(loc="left") or only or member.model
        ax.set_title(drawing.folded(title, width, drawing.points(7.5)), fontsize=drawing.points(7.5))
        ax.tick_params(labelsize=small)
        for axis in (ax.xaxis, ax.yaxis):
            text = axis.get_label()
            text.set_fontsize(small)
            if self._are_classes:
                text.set_text(text.get_text().replace(f" ({getattr(member, 'who', '')})", ""))
        drawing.broken_labels(ax, (width, width))
        called = {str(getattr(member, "positive", "")): "this class"} if self._are_classes else {}
        rest = [entry for entry in entries if entry[1] != only]
        of_member = [(h, text.removeprefix(f"{member.model} ").removesuffix(f" ({member.model})")) for h, text in rest]
        return [(handle, called.get(text, text)) for handle, text in of_member]

    @property
    def _are_classes(self) -> bool:
        return len({getattr(m, "positive", None) for m in self.members}) > 1

    def _name_the_ends(self, ax: Any, artists: list[list[Any]]) -> None:
        """Of very many only the highest and the lowest have a colour and a name; the others lie faintly between."""
        values = [float(getattr(m, m.headline, 0.0)) for m in self.members]
        order = sorted(range(len(values)), key=values.__getitem__)
        named = [*order[: drawing.ENDS], *order[-drawing.ENDS :]]
        text: str | None = f"{len(values) - len(named)} others"
        with drawing.styled():
            cycle = drawing.colours()
        for i, of_member in enumerate(artists[: len(values)]):
            series = [artist for artist in of_member if artist.get_gid() == "series"]
            if i in named:
                place = named.index(i)
                drawing.recolour(of_member, series, cycle[place % len(cycle)], drawing.DASHES[place % drawing.ENDS])
            else:
                drawing.fade(of_member, series, text)
                text = None
        with drawing.styled():
            drawing.legend(ax)

    def _name_once(self, ax: Any) -> None:
        """References that differ in their number only, as the prevalences of classes do, have one name."""
        entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
        kept = dict(one_each(entries))
        if len(kept) < len(entries):
            for handle, _ in entries:
                handle.set_label(kept.get(handle, "_"))
            with drawing.styled():
                drawing.legend(ax)

    def _name_axes(self, ax: Any) -> None:
        """Where the members are classes, no one of them is the positive one."""
        if self._are_classes:
            for axis in (ax.xaxis, ax.yaxis):
                text = axis.get_label()
                words = " ".join(text.get_text().split())  # in one line again
                for member in self.members:
                    words = words.replace(f"({getattr(member, 'who', '')})", "(one class vs. rest)")
                text.set_text(words)
            if drawing.is_our_own(ax.figure):
                with drawing.styled():
                    drawing.broken_labels(ax)


BEHIND_A_BAND = {"linewidth": 0.8, "alpha": 0.7}
"""The curves of folds, where their mean and how much they differ is what is looked at."""
BESIDE, OF_A_BAR = 0.5, 0.7
"""Inches beside small axes: the names of their ticks; and beside all of them, a bar of colours."""


def _grow_by_titles(figure: Any, grid: Any) -> None:
    """Room for titles and labels, which the layout does not see above axes of a fixed aspect; none where the user has
    set the size."""
    if not drawing.user_size():
        lines = [max(ax.get_title(loc="left").count("\n") + 1 for ax in row) for row in grid]
        figure.set_figheight(figure.get_figheight() + drawing.points(TITLE_LINE * sum(lines) + BELOW))


TITLE_LINE, BELOW = 0.15, 0.45
"""Inches of a line of a small title, and of what is written below the last row."""


def one_each(entries: Iterable[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Entries of a legend, each once; references that differ in their number only are one, without the number."""
    named = {text: handle for handle, text in reversed(list(entries))}
    found: dict[str, list[str]] = {}
    for text in reversed(list(named)):
        stem = text.rpartition(" ")[0] if drawing.is_reference(named[text]) and text[-1].isdigit() else text
        found.setdefault(stem, []).append(text)
    return [(named[texts[0]], texts[0] if len(texts) == 1 else stem) for stem, texts in found.items()]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Averaged(Diagram):
    """The average of some curves."""

    name = "average"
    x: Array
    y: Array
    area: float
    area_name: str = "area"
    """what the area under these curves is called"""
    area_sd: float | None = None
    """the standard deviation of the areas"""
    band: tuple[Array, Array] | None = None
    """low and high at each x"""
    band_words: str = ""
    """what the band is"""

    @classmethod
    def options(cls) -> list[str]:
        """None."""
        return []

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A thick line in black, on its band."""
        if self.band is not None:
            x, low, high = self.x, *self.band
            kept = np.union1d(drawing.visible_places(x, low), drawing.visible_places(x, high))
            area = {"color": drawing.GREY, "alpha": 0.25, "linewidth": 0, "zorder": 1.3, "gid": "reference band"}
            ax.fill_between(x[kept], low[kept], high[kept], label=self.band_words, **area)
        x, y = drawing.simplified(self.x, self.y)
        around = "" if self.area_sd is None else f" ± {drawing.number(self.area_sd, 2)}"
        text = f"{label} ({self.area_name} {drawing.number(self.area)}{around})"
        dash = (0, (4, 1.5)) if label.startswith("weighted") else "-"
        ax.plot(
            x, y, **{"color": drawing.ink(), "linewidth": 1.8, "linestyle": dash, "label": text, "zorder": 3} | style
        )
        drawing.legend(ax)


def averaged(curves: Sequence[Any], average: str, shares: list[float] | None = None) -> Averaged:
    """The mean of the curves, each counting the same ("macro") or by its share ("weighted")."""
    if average not in ("macro", "weighted"):
        raise InputError(f"averages holds {average!r}; an average of curves is 'macro' or 'weighted'.")
    weight = np.ones(len(curves)) if average == "macro" or shares is None else np.asarray(shares)
    x, y = vertical_mean([c.xy for c in curves], weight / weight.sum())
    area = float(np.trapezoid(y, x))
    return Averaged(model=f"{average} average", x=x, y=y, area=area, area_name=curves[0].of_area)


def mean_over_folds(curves: Sequence[Any], spread: float | None) -> Averaged:
    """The mean of the curves, and a band of so many standard deviations; one fold has none."""
    number = len(curves)
    held = [c.xy for c in curves]
    x, y = vertical_mean(held, np.full(number, 1 / number))
    areas = [float(np.trapezoid(heights, at)) for at, heights in held]
    mean = Averaged(
        model=f"mean over {words.counted(number, 'fold')}",
        x=x,
        y=y,
        area=float(np.mean(areas)),
        area_name=curves[0].of_area,
        area_sd=float(np.std(areas, ddof=1)) if number > 1 else None,
    )
    if spread is None or number == 1:
        return mean
    half = spread * vertical_deviation(held, y)
    low, high = curves[0].limits(x)
    band = np.clip(y - half, low, high), np.clip(y + half, low, high)
    return replace(
        mean, band=band, band_words=f"± {spread:g} standard deviation{'s' * (spread != 1)} over {number} folds"
    )


def vertical_mean(curves: list[tuple[Array, Array]], weight: Array) -> tuple[Array, Array]:
    """The weighted mean height of curves of straight pieces (x rising) at all their corners, from the left and from the
    right of each: so a jump of one curve is a smaller jump of the mean, and the area is the mean of the areas."""
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    mean = sum(w * heights for w, heights in zip(weight, _heights(curves, grid), strict=True))
    return np.repeat(grid, 2), np.asarray(mean).T.ravel()


def vertical_deviation(curves: list[tuple[Array, Array]], mean: Array) -> Array:
    """The standard deviation of the heights around their mean, at the same places."""
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    squares = sum((heights.T.ravel() - mean) ** 2 for heights in _heights(curves, grid))
    return np.sqrt(np.asarray(squares) / (len(curves) - 1))


def _heights(curves: list[tuple[Array, Array]], grid: Array) -> Iterator[Array]:
    """[2, grid]: the height of each curve, from the left and from the right."""
    return (np.stack(limits_at(x, y, grid)) for x, y in curves)


def limits_at(x: Array, y: Array, grid: Array) -> tuple[Array, Array]:
    """The height of a curve just left and just right of each point of the grid."""
    low, high = np.searchsorted(x, grid, "left"), np.searchsorted(x, grid, "right")
    between = np.interp(grid, x, y)
    here = low < high
    last = len(x) - 1
    return np.where(here, y[np.minimum(low, last)], between), np.where(here, y[np.maximum(high - 1, 0)], between)
