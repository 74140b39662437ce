"""A diagram: numbers taken from a statistic, and a drawing of them. `compute` makes numbers, `draw` only artists."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeVar

from karat.core.errors import InputError
from karat.core.plain_data import plain
from karat.core.registry import Registry
from karat.core.validation import whole
from karat.diagrams import drawing
from karat.diagrams.values import brief

D = TypeVar("D", bound="type[Diagram]")

diagrams: Registry[Any] = Registry("diagram")
"""All that were declared."""


def diagram(*, name: str, cite: str, aliases: tuple[str, ...] = ()) -> Callable[[D], D]:
    """Declare a diagram. What it shows is its docstring; it joins the catalogue, `karat plot` and the tests."""

    def declare(kind: D) -> D:
        kind.name, kind.symbol, kind.aliases, kind.cite = name, name, aliases, cite
        kind.__repr__ = Diagram.__repr__  # type: ignore[method-assign]
        kind.shows = (inspect.getdoc(kind) or "").split("\n")[0]
        diagrams.add(kind)
        return kind

    return declare


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagram:
    """A frozen record whose fields are the data."""

    name: ClassVar[str]
    symbol: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    cite: ClassVar[str]
    shows: ClassVar[str]
    compute: ClassVar[Callable[..., Any]]
    """The numbers, from a statistic (or from those of several models) and options that are named."""
    from_table: ClassVar[Callable[..., Any]]
    """From named columns: for diagrams that are not made from predictions."""
    projection: ClassVar[str | None] = None
    """What kind of axes it is drawn on."""
    size: ClassVar[tuple[float, float] | None] = None
    apart: ClassVar[str] = ""
    """Several of them are drawn on axes of their own: "always", "classes" of one model, or "models" too if asked."""
    headline: ClassVar[str] = "area"
    """The field that says how high or low it is among others of its kind."""
    averages: ClassVar[bool] = False
    """Is it a curve whose mean over classes or folds means something?"""

    model: str = ""
    """What the legend calls it."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: lists for arrays, None for what is undefined or infinite."""
        return {"diagram": self.name} | {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def plot(self, ax: Any = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw on these axes, or on new ones. `name` is what the legend calls it; `style` goes to the main artist."""
        self._drawn_on(ax, name, style)
        self.settle(self.ax_)  # type: ignore[attr-defined]
        return self

    def _drawn_on(self, ax: Any, name: str | None, style: dict[str, Any]) -> None:
        with drawing.styled(self.projection) as plt:
            if ax is None:
                figure, ax = plt.subplots(figsize=self.figure_size, subplot_kw={"projection": self.projection})
                figure.karat_height = figure.get_figheight()
            elif getattr(ax, "name", None) != (self.projection or "rectilinear"):
                wanted = f"{self.projection} axes; make them with projection={self.projection!r}"
                raise InputError(
                    f"{self.name} is drawn on {wanted if self.projection else 'ordinary axes; give those'}."
                )
            self.draw(ax, self.model if name is None else name, **drawing.spelled_out(style))
            if hasattr(ax.figure, "karat_height"):
                drawing.broken_labels(ax)
        object.__setattr__(self, "ax_", ax)
        object.__setattr__(self, "figure_", ax.figure)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Make the artists."""
        raise NotImplementedError

    def settle(self, ax: Any) -> None:
        """Fit what was drawn to the room that it got."""

    @property
    def figure_size(self) -> tuple[float, float] | None:
        """Width and height in inches of a figure of its own; None: those of the style."""
        return self.size

    @classmethod
    def alike(cls, members: Sequence[Any]) -> dict[str, Any]:
        """How several are drawn beside each other, so that they can be compared: more for `draw`."""
        return {}

    def save(self, path: Any) -> Self:
        """Write the figure to a file (.svg, .pdf, .png), drawing it first if it was not yet. Text stays text."""
        drawing.save(self, path)
        return self

    @classmethod
    def options(cls) -> list[str]:
        """What `compute` can be told."""
        made = cls.compute if hasattr(cls, "compute") else cls.from_table
        return [p.name for p in inspect.signature(made).parameters.values() if p.kind is p.KEYWORD_ONLY]

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        """An option that `compute` does not know is an error, and so are draws that can't be made."""
        for option, value in options.items():
            if option in BORDER:
                raise InputError(f"{option} belongs to the predictions, not to {cls.name}; say it where they are read.")
            if option not in cls.options():
                raise InputError(f"{cls.name} has no option {option!r}; it has {', '.join(cls.options()) or 'none'}.")
            if option in DRAWS:
                whole(option, value, DRAWS[option])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return drawing.shown_in_notebook(self)

    def __repr__(self) -> str:
        return f"<{self.name}{self._whose}: {brief({f.name: getattr(self, f.name) for f in fields(self)})}>"

    @property
    def _whose(self) -> str:
        """Which model it shows, and which class of it."""
        positive = getattr(self, "positive", None)
        shown = "" if positive is None or str(positive) == self.model else f" (positive: {positive})"
        return (f" of {self.model}" if self.model else "") + shown


DRAWS = {"replicates": 1, "seed": 0}
"""Options that say how numbers are drawn, and the least that they can be: checked even where nothing is drawn."""

BORDER = ("y_score", "labels", "sample_weight", "normalise", "columns", "reject")
"""What goes to the check of the predictions; all other options go to `compute`."""
