"""A diagram: numbers taken from a statistic, and a drawing of them. `compute` makes numbers, `draw` only artists."""

from __future__ import annotations

import copy
import inspect
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast, dataclass_transform

import numpy as np

from karat.core.arithmetic import Array
from karat.core.errors import InputError, quoted
from karat.core.record import Record
from karat.core.registry import Registry
from karat.core.validation import number_between, whole
from karat.core.whole_files import write_whole
from karat.core.words import number
from karat.diagrams import drawing
from karat.diagrams.familiar_keywords import OF_FIGURES, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from karat.diagrams.several import Several
    from karat.statistics import Summary


@dataclass(frozen=True, eq=False, repr=False)
class Picture(Record):
    """A record that can be drawn: a diagram, or several of them."""

    _repr_html_ = None  # type: ignore[assignment]  # a notebook shows the picture, not a table

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw on these axes, or on new ones."""
        raise NotImplementedError

    def keep_look(self, look: Mapping[str, Any]) -> None:
        """How it will be drawn, as was said when it was made."""
        object.__setattr__(self, "_look", dict(look))  # a record is frozen, and this is no part of its data

    @property
    def _kept_look(self) -> dict[str, Any]:
        look: dict[str, Any] = vars(self).get("_look", {})
        return look

    @property
    def is_drawn(self) -> bool:
        """Was it drawn already?"""
        return "_place" in vars(self)

    @property
    def figure_(self) -> Figure:
        """The figure that it was drawn on."""
        return self._drawn_at()[1]

    def _drawn_at(self) -> tuple[Any, Figure]:
        if not self.is_drawn:
            raise AttributeError("it is not drawn yet; call plot() first.")
        place: tuple[Any, Figure] = vars(self)["_place"]
        return place

    def _keep_place(self, axes: Any, figure: Any) -> None:
        object.__setattr__(self, "_place", (axes, figure))  # a record is frozen, and this is no part of its data

    def save(self, path: Any) -> Self:
        """Write the figure to a file, drawing it first if needed.

        Parameters
        ----------
        path : str or pathlib.Path
            A file that ends in .svg, .pdf or .png. Text stays text in .svg and .pdf.

        Returns
        -------
        Picture
            Itself.

        Raises
        ------
        InputError
            If the file has another ending, or can't be written.
        """
        if Path(path).suffix.lower() not in (".svg", ".pdf", ".png"):
            raise InputError(f"{path} is no file that a figure can be written to; name it .svg, .pdf or .png.")
        picture, form = io.BytesIO(), Path(path).suffix[1:].lower()
        with drawing.styled():
            figure = (self if self.is_drawn else self.plot()).figure_
            figure.savefig(picture, format=form, metadata=UNDATED.get(form))
        write_whole(path, picture.getvalue())
        return self

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """What a notebook shows: the picture, unless drawing is not installed or it is on display already."""
        bundle = {"text/plain": repr(self)}
        if not self.is_drawn:
            buffer = io.StringIO()
            try:
                with drawing.styled() as plt:
                    figure = copy.copy(self).plot().figure_
                    figure.savefig(buffer, format="svg")
                    plt.close(figure)
            except InputError:
                return bundle
            bundle["image/svg+xml"] = buffer.getvalue()
        return bundle


UNDATED: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""The same figure is the same bytes, whenever it is written."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagram(Picture):
    """A frozen record whose fields are the data."""

    name: ClassVar[str]
    symbol: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    cite: ClassVar[str]
    shows: ClassVar[str]
    title: ClassVar[str]
    """What stands above it on a page."""
    made_from: ClassVar[Literal["predictions", "models", "table"]]
    """The predictions of one model, those of several at once, or a table of named columns."""
    on_page: ClassVar[bool] = False
    """Does it belong on the page of `karat.report`?"""
    in_gallery: ClassVar[bool] = True
    """Does it belong in the gallery?"""
    projection: ClassVar[str | None] = None
    """What kind of axes it is drawn on."""
    size: ClassVar[tuple[float, float] | None] = None
    apart: ClassVar[str] = ""
    """Several of them are drawn on axes of their own: "always", "classes" of one model, or "models" too if asked."""
    headline: ClassVar[str] = "area"
    """The field that says how high or low it is among others of its kind."""
    averages: ClassVar[bool] = False
    """Is it a curve whose mean over classes or folds means something?"""
    of_area: ClassVar[str] = "area"
    """What the area under the curve is called."""

    model: str = ""
    """What the legend calls it."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: lists for arrays, None for what is undefined or infinite."""
        return {"diagram": self.name} | super().to_dict()

    def plot(self, ax: Any = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        name : str, optional
            What the legend calls it; by default the name of the model.
        **style : Any
            Options of the drawing, and properties of the main artist (`color`, `linewidth`, ...). Keywords of
            scikit-learn's displays are understood.

        Returns
        -------
        Diagram
            Itself; `ax_` and `figure_` are where it was drawn.
        """
        look = self._kept_look | look_of(type(self), style)
        called = look.pop("name", name)
        self._draw_on(ax, called, look)
        with drawing.styled(self.projection):
            self.settle([(self, self.ax_)])
        return self

    @property
    def ax_(self) -> Axes:
        """The axes that it was drawn on."""
        ax: Axes = self._drawn_at()[0]
        return ax

    def _draw_on(self, ax: Any, name: str | None, style: dict[str, Any]) -> None:
        look = dict(style)
        despine = look.pop("despine", None)
        with drawing.styled(self.projection) as plt:
            if ax is None:
                ax = drawing.new_axes(plt, self.figure_size, self.projection)
            elif getattr(ax, "name", None) != (self.projection or "rectilinear"):
                wanted = f"{self.projection} axes; make them with projection={self.projection!r}"
                raise InputError(
                    f"{self.name} is drawn on {wanted if self.projection else 'ordinary axes; give those'}."
                )
            try:
                self.draw(ax, self.model if name is None else name, **drawing.spelled_out(look))
            except (AttributeError, TypeError, ValueError) as trouble:
                if not look or isinstance(trouble, InputError):
                    raise
                words = ", ".join(f"{word}={value!r}" for word, value in look.items())
                raise InputError(f"{self.name} can't be drawn with {words} ({_first_line(trouble)}).") from trouble
            if despine is not None:
                ax.spines[["top", "right"]].set_visible(not despine)
            if drawing.is_our_own(ax.figure):
                drawing.broken_labels(ax)
                drawing.broken_title(ax)
            elif self.projection is None and not drawing.is_part(ax.figure):
                drawing.fit_given(ax)
        self._keep_place(ax, ax.figure)

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Make the artists."""
        raise NotImplementedError

    @classmethod
    def settle(cls, drawn: Sequence[tuple[Any, Any]]) -> None:
        """Fit what was drawn on a figure, each on its axes, to the room that it got."""

    @property
    def figure_size(self) -> tuple[float, float] | None:
        """Width and height in inches of a figure of its own; None: those of the style."""
        return self.size

    @classmethod
    def alike(cls, members: Sequence[Any]) -> dict[str, Any]:
        """How several are drawn beside each other, so that they can be compared: more for `draw`."""
        return {}

    @classmethod
    def options(cls) -> list[str]:
        """What it can be told."""
        raise NotImplementedError

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        """An option that it does not have is an error, and so are draws that can't be made."""
        for option, value in options.items():
            if option in BORDER:
                raise InputError(f"{option} belongs to the predictions; give it to karat.evaluate, not to {cls.name}.")
            if option not in cls.options() and option in OF_FIGURES:
                raise InputError(f"{cls.name} has no option {option!r}; {OF_FIGURES[option]}.")
            if option not in cls.options():
                raise InputError(f"{cls.name} has no option {option!r}; it has {', '.join(cls.options()) or 'none'}.")
            if option in DRAWS:
                whole(option, value, DRAWS[option])

    def __repr__(self) -> str:
        """In a line: the numbers, and the models or classes, or how many points the longest curve has."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        numbers = {name.replace("_", " "): value for name, value in values.items() if isinstance(value, float)}
        facts = [f"{name} {number(value)}" for name, value in numbers.items()]
        names = next((values[name] for name in ("models", "classes", "names") if name in values), ())
        points = max((len(v) for v in values.values() if isinstance(v, np.ndarray) and v.ndim == 1), default=0)
        if names:
            facts.append(", ".join(map(str, names[:6])) + (f", {len(names) - 6} more" if len(names) > 6 else ""))
        elif points:
            facts.append(f"{points} points")
        return f"<{self.name}{self._subject}: {', '.join(facts) or 'see to_dict()'}>"

    @property
    def _subject(self) -> str:
        """Which model it shows, and which class of it."""
        positive = getattr(self, "positive", None)
        against_rest = "" if positive is None or str(positive) == self.model else f" (positive: {positive})"
        return (f" of {self.model}" if self.model else "") + against_rest


def level_of(interval: float | bool | None) -> float | None:
    """The level of an interval: 0.95 if one was asked for and no level said; None if none was."""
    if interval is None or interval is False:
        return None
    return 0.95 if interval is True else number_between("interval", interval, 0, 1, ends="()")


def range_of(what: str, given: Any, *, upwards: bool = False) -> tuple[float, float]:
    """From where to where: two numbers from 0 to 1, the lower one first; a single one is the end, or (`upwards`) the
    start, of a range that begins at 0 or ends at 1."""
    alone = isinstance(given, float | int) and not isinstance(given, bool)
    try:
        low, high = ((given, 1.0) if upwards else (0.0, given)) if alone else given
    except (TypeError, ValueError):
        raise InputError(f"{what} is {quoted([given])}; give two numbers, the lower one first.") from None
    low, high = (number_between(what, end, 0, 1) for end in (low, high))
    if low >= high:
        raise InputError(f"{what} is from {low:g} to {high:g}; give the lower number first.")
    return low, high


def _first_line(trouble: Exception) -> str:
    return str(trouble).split("\n")[0].rstrip(".")


if TYPE_CHECKING:

    class CatalogueDiagram(Diagram):
        """What editors know of a diagram that is called by its name: how it can be made (`made_from` says which of
        these it has), and that it has more fields. Whoever wants to know those imports the class itself."""

        @classmethod
        def from_predictions(
            cls, y_true: Any, y_proba: Any = None, y_pred: Any = None, *, name: str = "", **options: Any
        ) -> Self: ...
        @classmethod
        def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self: ...
        @classmethod
        def from_matrix(cls, matrix: Any, labels: Any = None, **options: Any) -> Self: ...
        @classmethod
        def from_table(cls, table: Mapping[str, Any], **options: Any) -> Self: ...
        @classmethod
        def from_cv_results(cls, cv_results: Mapping[str, Any], X: Any, y: Any, **options: Any) -> Several: ...
        @classmethod
        def for_each_class(cls, y_true: Any, y_proba: Any = None, y_pred: Any = None, **options: Any) -> Several: ...
        @classmethod
        def of(cls, *data: Any, **options: Any) -> Self: ...
        @classmethod
        def of_models(cls, models: Mapping[str, Summary], **options: Any) -> Self | Several: ...
        def __getattr__(self, field: str) -> Any: ...

else:
    CatalogueDiagram = Diagram

diagrams: Registry[type[CatalogueDiagram]] = Registry("diagram")
"""All that were declared."""

DRAWS = {"replicates": 1, "seed": 0}
"""Options that say how numbers are drawn, and the least that they can be: checked even where nothing is drawn."""

BORDER = ("y_score", "labels", "sample_weight", "normalise", "columns", "reject")
"""What goes to the check of the predictions; all other options go to `compute`."""

D = TypeVar("D", bound=type[Diagram])


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
def diagram(*, name: str, cite: str, title: str = "", aliases: tuple[str, ...] = ()) -> Callable[[D], D]:
    """Declare a diagram.

    The class becomes a frozen dataclass; the first line of its docstring is what it shows. It joins the catalogue,
    `karat.diagrams`, `karat plot` and the tests; the page and the gallery, if it says so.

    Parameters
    ----------
    name : str
        What it is called by.
    cite : str
        A key of `core/references.bib`.
    title : str, optional
        What stands above it; by default its name.
    aliases : tuple of str, optional
        Other names.

    Returns
    -------
    callable
        A decorator of classes.
    """

    def declare(kind: D) -> D:
        if "__dataclass_fields__" not in vars(kind):
            kind = cast(D, dataclass(frozen=True, eq=False, kw_only=True)(kind))
        kind.__repr__ = Diagram.__repr__  # type: ignore[method-assign]  # not that of a dataclass, which is long
        shows = (inspect.getdoc(kind) or "").split("\n")[0]
        above = title or name.replace("_", " ").capitalize()
        diagrams.declare(cast(Any, kind), name, aliases=aliases, cite=cite, shows=shows, title=above)
        return kind

    return declare


def options_of(function: Callable[..., Any]) -> list[str]:
    """The options of a function: what is given to it by name only."""
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]


@dataclass(frozen=True, eq=False, kw_only=True)
class TableDiagram(Diagram):
    """A diagram of a table."""

    made_from = "table"
    columns: ClassVar[str]
    """Which columns the table has, in words."""
    may_lack: ClassVar[tuple[str, ...]] = ()
    """Columns in which values may be missing."""

    from_table: ClassVar[Callable[..., Any]]
    """From named columns, and options that are named."""

    @classmethod
    def options(cls) -> list[str]:
        """What `from_table` can be told."""
        return options_of(cls.from_table)


def columns_of(table: Mapping[str, Any], *names: str) -> list[list[Any]]:
    """These columns of a table, as lists."""
    missing = [name for name in names if name not in table]
    if missing:
        raise InputError(
            f"the table has no column {missing[0]!r}; it needs {', '.join(names)} and has {', '.join(table)}."
        )
    return [np.asarray(table[name]).tolist() for name in names]


def number_columns(table: Mapping[str, Any]) -> dict[str, Array]:
    """The columns that hold numbers."""
    arrays = {name: np.asarray(values) for name, values in table.items()}
    numbers = {name: values for name, values in arrays.items() if values.dtype.kind in "iuf"}
    if not numbers:
        raise InputError(f"the table has no column of numbers; its columns are {', '.join(table)}.")
    return numbers
