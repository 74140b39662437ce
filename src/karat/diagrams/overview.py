"""The default picture of some models: a few diagrams side by side, chosen by what was given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from karat.core.errors import InputError, type_words
from karat.core.measure import measures
from karat.core.plain_data import plain
from karat.core.statistic import Needs
from karat.core.table import Table
from karat.diagrams import drawing
from karat.diagrams.calls import function_of
from karat.diagrams.confusion_matrices import MOST_CELLS, ConfusionMatrix
from karat.diagrams.diagram import Picture, diagrams
from karat.diagrams.familiar_keywords import OF_FIGURES
from karat.diagrams.roc_curves import frame
from karat.diagrams.several import Averaged, Several
from karat.statistics import Counts, Summary
from karat.statistics.summary import summaries_of, summary_of

ONE_CLASS = ("roc_curve", "precision_recall", "reliability", "confusion_matrix")
"""What is shown where there is a positive class."""
ALL_CLASSES = ("confusion_matrix", "roc_curve", "reliability", "coverage_risk")
"""What is shown where all classes count."""
MOST_MATRICES = 4
"""Models that have their confusion matrices drawn; of more, points of one graph."""
MOST_CLASSES = 12
"""Classes whose curves can still be told from each other."""


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Picture):
    """Diagrams side by side, each a record of its own: `overview["roc_curve"]`."""

    diagrams: dict[str, Picture]

    def __getitem__(self, name: str) -> Picture:
        return self.diagrams[diagrams[name].name]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: the name of each diagram to its data."""
        return {name: plain(picture) for name, picture in self.diagrams.items()}

    def to_table(self) -> Table:
        """The diagrams, and what they show."""
        kinds = [diagrams[name] for name in self.diagrams]
        return Table({"diagram": [k.name for k in kinds], "shows": [k.shows for k in kinds]})

    def __repr__(self) -> str:
        return f"<overview: {', '.join(self.diagrams)}>"

    @property
    def ax_(self) -> Any:
        """The axes, in the order of the pictures."""
        return self._drawn_at()[0]

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw all diagrams side by side on a new figure.

        Parameters
        ----------
        ax : None
            An overview makes its own axes; to draw on given ones, name a diagram.

        Returns
        -------
        Overview
            Itself; `ax_` is the list of axes, `figure_` the figure.
        """
        if ax is not None or style:
            given = "ax" if ax is not None else next(iter(style))
            raise InputError(f"{given} goes with one diagram; name it, for example plot('roc_curve', {given}=...).")
        parts = [part for picture in self.diagrams.values() for part in _parts(picture)]
        across = min(len(parts), 2 if len(parts) in (2, 4) else 3)
        down = math.ceil(len(parts) / across)
        with drawing.styled() as plt:
            room = CELL[0], CELL[1] + drawing.ROW * min(max(_entries(p) for _, p in parts), drawing.LONGEST_LEGEND)
            size = drawing.user_size() or drawing.enlarged((room[0] * across, room[1] * down))
            figure, grid = plt.subplots(down, across, figsize=size, squeeze=False)
            places = grid.ravel().tolist()
            for place in places[len(parts) :]:
                place.remove()
            shared: dict[str, Any] = {}
            for (title, picture), place in zip(parts, places, strict=False):
                picture.plot(place, **_look(picture, parts))
                place.set_title(title)
                place.set_anchor("N")
                side = min(size[0] / across, size[1] / down) - 1.1  # about that of square axes
                drawing.broken_labels(place, (side, side))
                shared |= _legend(place, picture)
            if shared:
                figure.legend(shared.values(), shared, loc="outside lower center", ncols=min(len(shared), MOST_CLASSES))
            drawn = [(part[1], place) for part, place in zip(parts, places, strict=False)]
            ConfusionMatrix.settle([pair for pair in drawn if isinstance(pair[0], ConfusionMatrix)])
        self._keep_place(places[: len(parts)], figure)
        return self


CELL = (3.3, 3.2)
"""Inches of each diagram, without its legend."""
LINE = 0.08
"""Of the height of the axes: a line of a label more."""


def _look(picture: Picture, parts: list[tuple[str, Picture]]) -> dict[str, Any]:
    """Confusion matrices have one scale of colours, and a colour bar only where no numbers can be read."""
    if not isinstance(picture, ConfusionMatrix):
        return {}
    matrices = [other for _, other in parts if isinstance(other, ConfusionMatrix)]
    return picture.alike(matrices) | {"bar": picture.table.size > MOST_CELLS}


def _entries(picture: Picture) -> int:
    """About how many entries its legend has."""
    return len(picture) + 1 if isinstance(picture, Several) else 0


def _legend(ax: Any, picture: Picture) -> dict[str, Any]:
    """A short legend lies below the axes, where it covers nothing. Of a long one the series, which are those of other
    diagrams too, go to the figure: name to handle."""
    named = list(zip(*ax.get_legend_handles_labels(), strict=True))
    named.sort(key=lambda entry: drawing.is_reference(entry[0]))
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    shared: dict[str, Any] = {}
    if len(named) > drawing.LONGEST_LEGEND and isinstance(picture, Several):
        series = [handle for handle, _ in named if handle.get_gid() == "series"]
        shared = dict(zip((m.model for m in picture.members), series, strict=False))
        named = [entry for entry in named if entry[0] not in series]
    if named:
        below = -0.19 - LINE * ax.get_xlabel().count("\n")
        ax.legend(*zip(*named, strict=True), loc="upper center", bbox_to_anchor=(0.5, below), frameon=False)
    return shared


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MacroROC(Averaged):
    """The mean over the classes of one model's ROC curves, beside those of others."""

    name = "roc_curve"
    title = "ROC curve, macro average"

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """A line like that of one class."""
        text = f"{label} ({self.area_name} {drawing.number(self.area)})"
        ax.plot(*drawing.simplified(self.x, self.y), label=text, **drawing.next_series(ax) | style)
        frame(ax, "mean over classes")


def _parts(picture: Picture) -> list[tuple[str, Picture]]:
    """What gets axes of its own, with its title: of confusion matrices each."""
    members: list[Any] = list(picture.members) if isinstance(picture, Several) else [picture]
    title = members[0].title
    if members[0].apart != "always":
        return [(title, picture)]
    return [(f"{title}: {m.model}" if m.model else title, m) for m in members]


def panel_of(models: Any, *, positive: Any = None, **options: Any) -> Overview:
    """The default diagrams of one model or of several, chosen by what was given.

    With a positive class: ROC curve, precision-recall curve, reliability diagram and confusion matrix; with several
    classes: confusion matrix, ROC curves by class (of several models their macro averages), reliability diagrams by
    class, and the risk-coverage curve. What the predictions don't allow is left out.

    Parameters
    ----------
    models : evaluation, comparison or dict of evaluations
        What `karat.evaluate` or `karat.compare` returns, or {model: evaluation}.
    positive : label, optional
        The positive class, if it is not that of the evaluations.
    **options : Any
        Options of diagrams, such as `band=0.95`, for all that have them.

    Returns
    -------
    Overview
        `.plot()` draws it; `overview["roc_curve"]` is one of the diagrams.

    Raises
    ------
    InputError
        If nothing can be drawn, or no diagram has an option.
    """
    summaries = _summaries(models)
    first = next(iter(summaries.values()))
    one_class = positive is not None or first.source.positive is not None
    names = [name for name in (ONE_CLASS if one_class else ALL_CLASSES) if _available(name, summaries)]
    if len(summaries) > MOST_MATRICES and "confusion_matrix" in names:
        names.remove("confusion_matrix")
        names += ["roc_graph"] if one_class else []
    _refuse_unknown(options, names)
    pictures = {name: _picture(name, summaries, positive, one_class, options) for name in names}
    shown = {name: picture for name, picture in pictures.items() if picture is not None}
    if not shown:
        raise InputError("nothing can be drawn of these predictions; name a diagram (`karat diagrams` lists them).")
    return Overview(shown)


def _summaries(models: Any) -> dict[str, Summary]:
    given = models if isinstance(models, Mapping) else getattr(models, "models", models)
    return summaries_of(given) if isinstance(given, Mapping) else {"": summary_of(given)}


def _available(name: str, models: Mapping[str, Summary]) -> bool:
    """Can the diagram be made of these models? It needs two classes with cases, unless it counts predictions."""
    kind: Any = diagrams[name]
    if any(s.lacks(kind.statistic) for s in models.values()):
        return False
    added = [s.source.added for s in models.values() if s.source.added is not None]
    if name == "coverage_risk" and not all(a.tells_confidence for a in added):
        return False
    if name == "coverage_risk":  # of predictions that were all made by the scores
        return not any(s.lacks(Counts) or len(s.source.outputs) > len(s.source.classes) for s in models.values())
    classes = int((next(iter(models.values())).source.class_weight > 0).sum())
    return classes > 1 or kind.statistic.needs is Needs.DECISIONS


def _picture(
    name: str, models: Mapping[str, Summary], positive: Any, one_class: bool, options: Mapping[str, Any]
) -> Picture | None:
    """A diagram of the positive class, of all classes of one model, or of the averages over classes of several."""
    kind: Any = diagrams[name]
    own = {word: value for word, value in options.items() if word in kind.options()}
    if one_class and kind.two_classes:
        own["positive"] = positive
    if one_class or not kind.two_classes:
        return _of_models(kind, models, own)
    if len(models) == 1:
        (summary,) = models.values()
        few = len(summary.source.classes) <= MOST_CLASSES
        return kind.of_classes(summary, **own) if few or kind.averages else None
    if not kind.averages:
        return None
    means = {model: kind.of_classes(summary, **own).means[0] for model, summary in models.items()}
    return Several.of(
        MacroROC(model=model, x=m.x, y=m.y, area=m.area, area_name=m.area_name) for model, m in means.items()
    )


def _of_models(kind: Any, models: Mapping[str, Summary], own: Mapping[str, Any]) -> Picture:
    if kind.made_from == "models" or len(models) > 1:
        return kind.of_models(models, **own)  # type: ignore[no-any-return]
    ((name, summary),) = models.items()
    return kind.of(summary, name=name, **own)  # type: ignore[no-any-return]


def _refuse_unknown(options: Mapping[str, Any], names: list[str]) -> None:
    known = {option for name in names for option in diagrams[name].options()}
    for option in options:
        if option not in known and option in OF_FIGURES:
            raise InputError(f"there is no option {option!r}; {OF_FIGURES[option]}.")
        if option not in known:
            raise InputError(
                f"none of {', '.join(names)} has an option {option!r}; they have {', '.join(sorted(known))}."
            )


def plot_of(models: Any, name: str | None = None, *, ax: Any = None, **options: Any) -> Any:
    """Draw a diagram of one model or of several; without a name the default ones.

    Parameters
    ----------
    models : evaluation, comparison or dict of evaluations
        What `karat.evaluate` or `karat.compare` returns, or {model: evaluation}.
    name : str, optional
        The name of a diagram; by default `panel_of` chooses.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on, for one diagram.
    **options : Any
        Options of the diagram, and how it looks. A diagram of one class against the rest shows each of them if there
        are more than two and `positive` was not given.

    Returns
    -------
    Diagram, Several or Overview
        What was drawn; `.ax_` and `.figure_` are where.
    """
    if name is None:
        return panel_of(models, **options).plot(ax)
    if not isinstance(name, str):
        raise InputError(f"name is {type_words(name)}; name one diagram, and draw several by several calls.")
    if name not in diagrams and name in measures:
        raise InputError(
            f"{name} is a measure, not a diagram; e[{name!r}] is its value, and 'threshold_curve' shows measures by "
            "threshold."
        )
    kind: Any = diagrams[name]
    if kind.made_from == "table":
        raise InputError(f"{kind.name} is made from a table of results; call karat.diagrams.{kind.name}(table).")
    summaries = _summaries(models)
    if kind.made_from == "predictions" and kind.two_classes and not AGAINST_REST & set(options):
        source = next(iter(summaries.values())).source
        options["each_class"] = source.positive is None and len(source.classes) > 2 and len(summaries) == 1
    picture = function_of(kind)(summaries.get("", summaries) if len(summaries) == 1 else summaries, **options)
    return picture.plot(ax)


AGAINST_REST = {"positive", "pos_label", "each_class", "classes"}
"""What says which class is shown against the rest."""
