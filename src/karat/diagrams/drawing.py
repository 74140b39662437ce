"""How things look: the user's settings, one style sheet for the rest, a colour and a dash for each series, and curves
that hold what a pixel can show."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from karat.core import words
from karat.core.arithmetic import Array
from karat.core.errors import InputError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#555555")
"""Okabe and Ito's, without the yellow that white paper swallows."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 2)))
"""One for each series, in widths of the line."""
MOST_NAMED = 12
"""Beyond so many series no legend can be read."""
ENDS = 3
"""Of more so many of the highest and of the lowest are named."""
OTHERS = "reference others"
"""What the rest of them is."""
MARKERS = "osD^vP*Xh<>"
GREY, PALE = "#777777", "#BBBBBB"
STYLE = Path(__file__).with_name("karat.mplstyle")

COLUMNS = 2000
"""Pixels across a figure at its finest: no printed line shows more."""
STEPS = 24
"""Points on a curved piece between two thresholds: more than a printed line can show."""


@contextlib.contextmanager
def styled(projection: str | None = None) -> Iterator[Any]:
    """pyplot, in karat's style where the user has none; with the projection known."""
    try:
        import matplotlib.pyplot as plt

        if projection == "ternary":
            import mpltern  # noqa: F401 - makes the projection known
    except ImportError as missing:
        raise InputError(
            f"drawing needs {missing.name}, which is not installed; run `pip install {missing.name}`."
        ) from None
    own: Any = _left_to_karat()
    with plt.rc_context(own):
        yield plt
        interactive = plt.isinteractive()
    if interactive:  # a notebook turns it on when it draws first; leaving the style would turn it off again
        plt.ion()


INKS = ("text.color", "figure.facecolor", "axes.facecolor", "axes.edgecolor", "axes.labelcolor", "xtick.color",
        "ytick.color", "grid.color")  # fmt: skip
"""Colours that are chosen together: one of the user's, and none is karat's."""


def _matplotlib() -> Any:
    import matplotlib

    return matplotlib


@cache
def _style() -> dict[str, Any]:
    return dict(_matplotlib().rc_params_from_file(STYLE, use_default_template=False))


def _left_to_karat() -> dict[str, Any]:
    """Karat's style without what the user has set, by a style sheet, `rcParams` or a matplotlibrc file."""
    mpl, style = _matplotlib(), _style()
    changed = {key for key in (*style, *INKS) if mpl.rcParams[key] != mpl.rcParamsDefault[key]}
    if changed & set(INKS):
        changed |= {key for key in style if key.endswith("color")}
    if "font.size" in changed:  # the other sizes are relative to it
        changed |= {key for key in style if key.endswith("size") and key.partition(".")[0] in SIZED}
    return {key: value for key, value in style.items() if key not in changed}


SIZED = ("axes", "xtick", "ytick", "legend", "font")
"""What of a figure has a font size."""


def setting(key: str) -> Any:
    """What matplotlib's rcParams say."""
    return _matplotlib().rcParams[key]


def points(size: float) -> float:
    """A font size, or a length, that was chosen for a font of 8 points, for the user's font size."""
    return float(size * setting("font.size") / FONT)


FONT = 8.0
"""The font size that sizes and distances are given for."""


def ink() -> str:
    """The colour of what is written, and of black lines."""
    colour: str = setting("text.color")
    return colour


def colours() -> list[str]:
    """The colours of series, in their order: karat's, or those of the user's cycle."""
    of_cycle = setting("axes.prop_cycle").by_key().get("color", COLOURS)
    return list(of_cycle)


def new_axes(plt: Any, size: tuple[float, float] | None, projection: str | None) -> Any:
    """Axes on a figure of karat's own making, which has the size that the user has set, or may grow."""
    figure, ax = plt.subplots(figsize=user_size() or enlarged(size), subplot_kw={"projection": projection})
    adopt(figure)
    return ax


def enlarged(size: tuple[float, float] | None) -> tuple[float, float]:
    """A size in inches (that of the style if there is none) for the user's font size."""
    width, height = size or _style()["figure.figsize"]
    return points(width), points(height)


def user_size() -> tuple[float, float] | None:
    """The size of figures that the user has set, if any."""
    size = tuple(setting("figure.figsize"))
    return None if size == tuple(_style()["figure.figsize"]) else size


def adopt(figure: Any) -> None:
    """Remember that a figure is karat's own, and how high it is before any legend, unless the user has set its size."""
    figure.karat_height = None if user_size() else figure.get_figheight()


def is_our_own(figure: Any) -> bool:
    """Did karat make the figure?"""
    return hasattr(figure, "karat_height")


def is_part(figure: Any) -> bool:
    """Is it a figure of small pictures, which are not all there yet?"""
    return bool(getattr(figure, "karat_parts", False))


def next_series(ax: Any) -> dict[str, Any]:
    """Colour and dash of the next series on these axes."""
    i = sum(1 for artist in ax.get_children() if artist.get_gid() == "series")
    cycle = colours()
    return {"color": cycle[i % len(cycle)], "linestyle": DASHES[i % len(DASHES)], "gid": "series"}


def next_points(ax: Any) -> dict[str, Any]:
    """Colour and marker of the next series of points on these axes."""
    i = sum(1 for artist in ax.get_children() if artist.get_gid() == "series")
    cycle = colours()
    return {"color": cycle[i % len(cycle)], "marker": MARKERS[i % len(MARKERS)], "gid": "series"}


def lay_out(figure: Any) -> None:
    """Give everything on a figure its place, as drawing it would."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    for ax in figure.axes:
        ax.apply_aspect()


def recolour(artists: list[Any], series: list[Any], colour: str, dash: Any) -> None:
    """Give a series, and what else is drawn in its colour, another one."""
    old = _colour(series[0]) if series else None
    for artist in artists:
        if artist in series:
            artist.set(color=colour, linestyle=dash)
        elif artist.get_gid() == "band":
            artist.set_facecolor(colour)
        elif _colour(artist) == old:
            artist.set_color(colour)


def fade(artists: list[Any], series: list[Any], label: str | None) -> None:
    """Make a series faint and nameless (or name it for all such); what else is drawn in its colour vanishes."""
    old = _colour(series[0]) if series else None
    for artist in artists:
        if artist in series:
            artist.set(
                color=PALE, linewidth=0.6, linestyle="-", markersize=2, zorder=1.4, label=label or "_", gid=OTHERS
            )
            label = None
        elif artist.get_gid() in ("refinement", "band") or (old is not None and _colour(artist) == old):
            artist.set_visible(False)


def _colour(artist: Any) -> Any:
    """The colour that an artist is drawn in, opaque; None if it has none, or several. Lines know theirs by name,
    collections as rows of numbers."""
    from matplotlib.colors import to_hex, to_rgba_array

    named = getattr(artist, "get_color", lambda: None)()
    rows: Any = [] if named is None else to_rgba_array(named)
    return to_hex(rows[0][:3]) if len(rows) == 1 else None


def first_here(ax: Any, what: str) -> bool:
    """Is this the first of its kind on these axes? Reference lines are drawn once, however many series there are."""
    return not any(artist.get_gid() == what for artist in ax.get_children())


def reference(ax: Any, x: Any, y: Any, label: str | None = None, **style: Any) -> None:
    """A thin grey line to compare with, drawn once."""
    gid = f"reference {hash((tuple(x), tuple(y)))}"
    if first_here(ax, gid):
        known = ax.get_legend_handles_labels()[1]
        (line,) = ax.plot(x, y, **{"color": GREY, "linewidth": 0.8, "linestyle": (0, (2, 2)), "zorder": 1.5} | style)
        line.set_gid(gid)
        if label and label not in known:
            line.set_label(label)


def sample(ax: Any, text: str, *, area: bool = False, **style: Any) -> None:
    """An entry of the legend that says once what is drawn in the colour of each series: an area, lines, or nothing."""
    gid = f"reference {text}"
    if first_here(ax, gid):
        if area:
            ax.fill_between([], [], color=GREY, alpha=0.3, linewidth=0, gid=gid, label=text)
        else:
            ax.plot([], [], **{"color": GREY, "linewidth": 1.0, "alpha": 0.7, "gid": gid, "label": text} | style)


def halo(texts: Iterable[Any]) -> None:
    """Texts that lines may run behind: they are cut off around the letters."""
    from matplotlib.patheffects import withStroke

    for text in texts:
        text.set_path_effects([withStroke(linewidth=points(2.5), foreground=setting("axes.facecolor"))])


def square(ax: Any, x: str, y: str, room: float = 0.02) -> None:
    """Two shares against each other: the same scale on both axes."""
    ax.set(xlim=(-room, 1 + room), ylim=(-room, 1 + room), xlabel=x, ylabel=y)
    # standing on the bottom of its place: the layout then knows at once how far down its labels reach
    ax.set_aspect("equal", adjustable="box", anchor="S")


def legend(ax: Any, corner: str | None = None, *, inside: bool = True) -> None:
    """The legend, if anything has a name: the series first, then what they are compared with. It lies below the axes of
    a figure of karat's own making, which grows by its height; a short one in the corner that the diagram leaves free.
    Axes that were given have no such room: there a short one goes where it covers least, if it may lie `inside`, and
    the names of a long one are shortened."""
    named = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not named:
        return
    named.sort(key=lambda entry: is_reference(entry[0]))
    names = [text for _, text in named]
    own = is_our_own(ax.figure)
    short = len(names) <= LONGEST_LEGEND and max(map(len, names)) <= WIDEST_ENTRY
    if own and not (corner and short):
        below(ax, named)
    elif is_part(ax.figure):
        ax.legend(*zip(*named, strict=True), loc="upper right")  # taken apart when all small pictures are there
    elif short and (inside or own):
        ax.legend(*zip(*named, strict=True), loc=corner or "best")
    else:
        _below_given(ax, named)


def _below_given(ax: Any, named: list[tuple[Any, str]]) -> None:
    """A legend right under the names of the axis, which leaves room to the axes."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.figure
    width, height = axes_size(ax)
    names, columns, letters = _fitted([text for _, text in named], width, MOST_OF_GIVEN * height)
    reach = ax.xaxis.get_tightbbox()
    under = 0.0 if reach is None else max(0.0, ax.bbox.y0 - reach.y0) / figure.dpi
    place = ax.transAxes + ScaledTranslation(0, -under - points(0.05), figure.dpi_scale_trans)
    look: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": place}
    if letters < 1:  # the axes are somebody else's, and have to stay legible
        look["fontsize"] = letters * size_of(LEGEND)
    ax.legend([handle for handle, _ in named], names, ncols=columns, borderaxespad=0, **look)


MOST_OF_GIVEN = 0.35
"""The share of the height of given axes that a legend may have."""
LETTERS, SMALLEST = (1.0, 0.9, 0.8, 0.7), 5.5
"""The shares of the user's size that its letters may shrink to, and points that they have at the least."""


def axes_size(ax: Any) -> tuple[float, float]:
    """Width and height of some axes, in inches."""
    size = ax.get_position().size * ax.figure.get_size_inches()
    return float(size[0]), float(size[1])


def fit_given(ax: Any) -> None:
    """Break the names and the title of axes that were given if they are longer than those will be; a legend below moves
    out of their way."""
    width, height = room_of(ax)
    lines = ax.get_xlabel().count("\n")
    broken_labels(ax, (width, height))
    broken_title(ax, width)
    legend = ax.get_legend()
    if legend is not None and ax.get_xlabel().count("\n") > lines and _is_below(ax, legend):
        named = list(zip(*ax.get_legend_handles_labels(), strict=True))
        _below_given(ax, sorted(named, key=lambda entry: is_reference(entry[0])))


def _is_below(ax: Any, legend: Any) -> bool:
    return bool(legend.get_window_extent().y1 < ax.bbox.y0)


def room_of(ax: Any) -> tuple[float, float]:
    """The size of axes that were given, in inches, as a layout will leave it beside a legend below them."""
    width, height = axes_size(ax)
    legend = ax.get_legend()
    if legend is not None and ax.figure.get_layout_engine() is not None:
        taken = float(legend.get_window_extent().height) / ax.figure.dpi
        height = max(0.3 * height, height - taken) if _is_below(ax, legend) else height
    return width, height


def _fitted(names: list[str], width: float, height: float) -> tuple[list[str], int, float]:
    """The names of a legend that is no larger than this, in inches, its columns, and the size of its letters: folded,
    in smaller letters if that makes room for them, else shortened, in two columns if need be."""
    letters = 1.0
    for letters in (share for share in LETTERS if share == 1 or share * size_of(LEGEND) >= SMALLEST):
        whole = [folded(text, width / letters - points(SAMPLE), LEGEND) for text in names]
        columns = _columns(whole, width / letters)
        lines = len(whole) + sum(text.count("\n") for text in whole)
        if letters * points(ROW) * -(-lines // columns) <= height:
            return whole, columns, letters
        names = _without_common_note(names)
    width, height = width / letters, height / letters
    columns = 2 if points(ROW) * len(names) > height and width > 2 * points(SAMPLE + GAP + NARROWEST) else 1
    room = width / columns - points(SAMPLE + GAP)
    short = [shortened(text, room, LEGEND) for text in names]
    if len({kept.endswith(")") for text, kept in zip(names, short, strict=True) if text.endswith(")")}) == 2:
        short = [_without_middle(_without_note(text), room, LEGEND) for text in names]  # all of them have one, or none
    if len(set(short)) < len(set(names)):  # it was the brackets that told them apart
        short = [_without_middle(text, room, LEGEND) for text in names]
    return short, columns, letters


def _without_common_note(names: list[str]) -> list[str]:
    """Names without what all of them have in brackets behind them, which tells none from another.

    >>> _without_common_note(["F1 (model)", "MCC (model)"]), _without_common_note(["a (1)", "b (2)"])
    (['F1', 'MCC'], ['a (1)', 'b (2)'])
    """
    same = len({text.rpartition(" (")[2] for text in names}) == 1 < len(names)
    return [_without_note(text) for text in names] if same else names


def _without_note(text: str) -> str:
    """A name without what stands in brackets behind it."""
    return text.rpartition(" (")[0] or text if text.endswith(")") else text


def shortened(text: str, width: float, size: str | float) -> str:
    """A text no wider than this, in inches: without some of its middle, as names differ at their ends. What stands in
    brackets behind a name stays whole, or goes."""
    name, bracket, note = text.rpartition(" (")
    if bracket and note.endswith(")") and width_of(text, size) > width:
        behind = bracket + note
        found = _without_middle(name, width - width_of(behind, size), size)
        if len(found) >= min(len(name), TELLING) and width_of(found + behind, size) <= width:
            return found + behind
        return _without_middle(name, width, size)
    return _without_middle(text, width, size)


def _without_middle(text: str, width: float, size: str | float) -> str:
    kept = len(text)
    found = text
    while width_of(found, size) > width and kept > FEWEST:
        kept -= 1
        head = kept // 3
        found = f"{text[:head]}…{text[len(text) - kept + head :]}"
    return found


TELLING = 12
"""Letters of a shortened name that still tell it from others."""


LONGEST_LEGEND, WIDEST_ENTRY = 5, 30
"""Entries of a legend, and letters of the longest, that find room in a corner of the axes."""


def below(ax: Any, named: list[tuple[Any, str]]) -> None:
    """One legend for the whole figure, under all that is on it."""
    figure = ax.figure
    for known in (ax.get_legend(), *figure.legends):
        if known is not None:
            known.remove()
    width = figure.get_figwidth()
    names = [folded(text, width - points(SAMPLE), LEGEND) for _, text in named]
    columns = _columns(names, width)
    if is_our_own(figure) and figure.karat_height is not None:
        rows = -(-(len(names) + sum(text.count("\n") for text in names)) // columns)
        figure.set_figheight(figure.karat_height + points(0.1 + ROW * rows))
    figure.legend([handle for handle, _ in named], names, loc="outside lower center", ncols=columns)


ROW, SAMPLE, GAP, NARROWEST = 0.152, 0.5, 0.1, 1.2
"""Inches of a legend: the height of an entry, the width of a sample of the line, between columns, and of a name that
still tells something."""
LEGEND, TITLE, TICK = "legend.fontsize", "axes.titlesize", "ytick.labelsize"
"""What says how large a text is."""


def size_of(setting_name: str) -> float:
    """The size of letters, in points, that a setting has."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=setting(setting_name)).get_size_in_points())


def width_of(text: str, size: str | float) -> float:
    """The inches of the longest line of a text, in points or in the size that a setting has."""
    wanted = setting(size) if isinstance(size, str) else size
    return max(_width(line, wanted, setting("font.size"), tuple(setting("font.family"))) for line in text.split("\n"))


@lru_cache(10_000)
def _width(line: str, size: str | float, _font_size: float, _family: tuple[str, ...]) -> float:
    """In inches; of the settings, which it depends on, it is told that it may be kept."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    wide, _, _ = text_to_path.get_text_width_height_descent(line, FontProperties(size=size), line.count("$") > 1)
    return float(wide) / 72


def folded(text: str, width: float, size: str | float) -> str:
    """A text in as many lines as it takes to be no wider than this, in inches."""
    return "\n".join(_folded_line(line, width, size) for line in text.split("\n"))


def _folded_line(line: str, width: float, size: str | float) -> str:
    whole = width_of(line, size)
    letters = len(line)
    while whole > width and letters > FEWEST:
        letters = max(FEWEST, min(letters - 1, int(letters * width / whole)))
        narrow = _filled(line, letters)
        whole = width_of(narrow, size)
    return _filled(line, letters) if letters < len(line) else line


def _filled(line: str, letters: int) -> str:
    """Lines of so many letters. What stands in brackets at the end is not torn apart, if there is room for it.

    >>> _filled("a name of many words (AP 0.783)", 24)
    'a name of many words\\n(AP 0.783)'
    """
    head, bracket, note = line.rpartition(" (")
    if bracket and len(note) < letters:
        line = f"{head} (" + note.replace(" ", GLUE)
    return textwrap.fill(line, letters).replace(GLUE, " ")


GLUE = "\ue000"
"""A letter that nobody uses, and that no line is broken at."""


FEWEST = 8
"""Letters of a line, at the least."""


def _columns(names: list[str], width: float = 3.6) -> int:
    """How many columns of a legend fit side by side: each is a sample of the line and the longest name."""
    longest = max(width_of(name, LEGEND) for name in names)
    return max(1, min(len(names), 4, int(width / (points(SAMPLE + GAP) + longest))))


def is_reference(artist: Any) -> bool:
    """Is it something that the series are compared with?"""
    return str(getattr(artist, "get_gid", str)()).startswith("reference")


def broken_labels(ax: Any, room: tuple[float, float] | None = None) -> None:
    """The class in a label that is longer than its axis, or than this room, goes to a line of its own, or more."""
    width, height = room or ax.figure.get_size_inches() - EDGES
    for axis, length in ((ax.xaxis, width), (ax.yaxis, height)):
        text = axis.get_label()
        if width_of(text.get_text(), text.get_fontsize()) > length:
            parts = "\n(".join(text.get_text().rsplit(" (", 1))
            text.set_text(folded(parts, length, text.get_fontsize()))


def broken_title(ax: Any, room: float | None = None) -> None:
    """A title that is wider than its figure, or than this room, has several lines."""
    for place in ("left", "center", "right"):
        if text := ax.get_title(loc=place):
            width = room or ax.figure.get_figwidth() - EDGES[0]
            ax.set_title(folded(text, width, TITLE), loc=place)


EDGES = (0.75, 0.45)
"""Inches of a figure beside and below its axes, about."""


def same_limits(axes: list[Any]) -> None:
    """One scale for all of these axes, which holds what any of them shows."""
    for side in ("xlim", "ylim"):
        ends = [getattr(ax, f"get_{side}")() for ax in axes if ax.name == "rectilinear"]
        if ends:
            low, high = min(map(min, ends)), max(map(max, ends))
            for ax, (first, last) in zip(axes, ends, strict=True):
                getattr(ax, f"set_{side}")(*((low, high) if first <= last else (high, low)))


def from_zero(ax: Any) -> None:
    """The vertical axis begins at 0, and still grows with the series to come."""
    ax.set_ylim(bottom=0, auto=None)
    top = float(ax.dataLim.y1)  # of bars, too, and not of lines across the whole axes
    if np.isfinite(top) and ax.get_ylim()[1] < 1.02 * top:  # heights that are all the same have no margin
        ax.set_ylim(top=1.1 * top)


def simplified(x: Array, y: Array, keep: Any = ()) -> tuple[Array, Array]:
    """The points of a curve that a figure can show, and exactly those at the places `keep`."""
    if len(x) <= 2 * COLUMNS:
        return x, y
    places = visible_places(x, y, keep)
    return x[places], y[places]


def visible_places(x: Array, y: Array, keep: Any = (), columns: int = COLUMNS) -> Array:
    """Where on a curve the points are that so many columns of pixels can show: the first, the last, the lowest and the
    highest of each, and the places `keep`. A short curve is left as it is."""
    n = len(x)
    if n <= 2 * columns:
        return np.arange(n)
    span = float(x[-1] - x[0]) if x[-1] != x[0] else 1.0
    rises = float(np.ptp(y)) or 1.0
    # columns along the curve's own length, so that a steep part keeps its points too
    along = np.cumsum(np.abs(np.diff(x, prepend=x[0])) / abs(span) + np.abs(np.diff(y, prepend=y[0])) / rises)
    column = np.floor(along / max(along[-1], 1e-300) * columns)
    starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    ends = np.append(starts[1:], n) - 1
    places: list[Any] = [starts, ends, np.asarray(keep, np.intp), [0, n - 1]]
    if not (np.diff(y) >= 0).all():
        places += [_extremes(y, starts, ends), _extremes(-y, starts, ends)]
    return np.unique(np.concatenate(places).astype(np.intp))


def refined(tp: Array, fp: Array, across: Array) -> tuple[Array, Array]:
    """(tp, fp) after each threshold, and between two whose places `across` the axes are far apart. There both grow in a
    straight line (Davis and Goadrich 2006), so that shares of them, such as precision and risk, bend."""
    rise, run = np.diff(tp), np.diff(fp)
    wide = np.diff(across) > 1 / COLUMNS
    bends = wide & (run * tp[:-1] != fp[:-1] * rise)
    if not bends.any():
        return tp[1:], fp[1:]
    count = np.where(bends, STEPS, 1)
    start = np.repeat(np.arange(len(rise)), count)
    part = (np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + 1) / count[start]
    return tp[:-1][start] + part * rise[start], fp[:-1][start] + part * run[start]


def thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """Points of which no two fall on one pixel; few points are left as they are."""
    if len(x) <= 2 * COLUMNS:
        return x, y
    kept = np.unique(np.round(x * COLUMNS / 2) * COLUMNS * 2 + np.round(y * COLUMNS / 2), return_index=True)[1]
    return x[kept], y[kept]


def _extremes(y: Array, starts: Array, ends: Array) -> Array:
    """The place of the highest point between each start and end."""
    highest = np.repeat(np.maximum.reduceat(y, starts), ends - starts + 1)
    hits = np.flatnonzero(y == highest)
    return hits[np.searchsorted(hits, starts)]


def spelled_out(style: dict[str, Any]) -> dict[str, Any]:
    """Properties of lines by their full names: `c` is `color`, `ls` is `linestyle`."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(style, Line2D))


def written_ticks(axis: Any) -> list[str]:
    """The labels of an axis whose ticks were given; none where they follow the numbers."""
    from matplotlib.ticker import FixedLocator

    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    return list(axis.get_major_formatter().format_ticks(axis.get_majorticklocs()))


def capital(text: str) -> str:
    """With a capital letter at the beginning.

    >>> capital("net benefit of A")
    'Net benefit of A'
    """
    return text[:1].upper() + text[1:]


percent = words.percent


def number(value: float, digits: int = words.DIGITS) -> str:
    """A number on a figure, with the minus sign of the ticks.

    >>> number(-0.0123), number(0.5)
    ('−0.0123', '0.500')
    """
    return words.number(value, digits).replace("-", "\N{MINUS SIGN}")


def grouped(value: float) -> str:
    """The same of an amount: its thousands are told apart.

    >>> grouped(190627.4), grouped(-3.25)
    ('190,627', '−3.25')
    """
    return f"{value:,.0f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 1000 else number(value)
