"""A diagram: numbers taken from a statistic, and a drawing of them. `compute` makes numbers, `draw` only artists."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from karat.core.errors import InputError
from karat.core.registry import Registry
from karat.core.statistic import Statistic
from karat.core.table import Table
from karat.data import Matrix, Predictions
from karat.data.labels import positive_place
from karat.diagrams import drawing
from karat.statistics import Summary

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
    averages: ClassVar[bool] = False
    """Is it a curve whose mean over classes or folds means something?"""

    model: str = ""
    """What the legend calls it."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: lists for arrays, None for what is undefined or infinite."""
        return {"diagram": self.name} | {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def plot(self, ax: Any = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw on these axes, or on new ones. `name` is what the legend calls it; `style` goes to the main artist."""
        with drawing.styled(self.projection) as plt:
            if ax is None:
                figure, ax = plt.subplots(figsize=self.size, subplot_kw={"projection": self.projection})
                figure.karat_height = figure.get_figheight()
            elif getattr(ax, "name", None) != (self.projection or "rectilinear"):
                wanted = f"{self.projection} axes; make them with projection={self.projection!r}"
                raise InputError(
                    f"{self.name} is drawn on {wanted if self.projection else 'ordinary axes; give those'}."
                )
            self.draw(ax, self.model if name is None else name, **drawing.spelled_out(style))
        object.__setattr__(self, "ax_", ax)
        object.__setattr__(self, "figure_", ax.figure)
        return self

    def draw(self, ax: Any, label: str, **style: Any) -> None:
        """Make the artists."""
        raise NotImplementedError

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
        """An option that `compute` does not know is an error."""
        for option in options:
            if option not in cls.options():
                raise InputError(f"{cls.name} has no option {option!r}; it has {', '.join((*cls.options(), *BORDER))}.")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return drawing.shown_in_notebook(self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{f.name}{_brief(getattr(self, f.name))}" for f in fields(self))
        return f"<{self.name}: {sizes}>"


BORDER = ("y_score", "labels", "sample_weight", "normalise", "columns", "reject")
"""What goes to the check of the predictions; all other options go to `compute`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionDiagram(Diagram):
    """A diagram of the predictions of one model."""

    statistic: ClassVar[type[Statistic]]
    two_classes: ClassVar[bool] = True
    """Is it a diagram of one class against the rest?"""

    positive: Any = None
    """The class that is shown against the rest."""

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        positive: Any = None,
        name: str = "",
        **options: Any,
    ) -> Self:
        """Of labels and probabilities (scores: `y_score=`), as `karat.evaluate` takes them; `name` is what the legend
        will call it. Nothing is drawn before `.plot()`."""
        return cls.of(_summary(y_true, y_proba, y_pred, positive, options), positive=positive, name=name, **options)

    @classmethod
    def from_matrix(
        cls, matrix: Any, labels: Any = None, *, positive: Any = None, name: str = "", **options: Any
    ) -> Self:
        """Of a bare confusion matrix, rows the truth."""
        return cls.of(Summary(Matrix.of(matrix, labels, positive)), positive=positive, name=name, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, name: str | None = None, **options: Any) -> Self:
        """Of what a fitted scikit-learn classifier says about X."""
        said = _said_by(estimator, X)
        shown = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, name=shown, **{"labels": list(estimator.classes_)} | said | options)

    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], X: Any, y: Any, **options: Any) -> Several:
        """One for each fold of scikit-learn's `cross_validate(..., return_estimator=True, return_indices=True)`."""
        if not {"estimator", "indices"} <= set(cv_results):
            raise InputError(
                "cv_results lacks its estimators or indices; call cross_validate with return_estimator=True and "
                "return_indices=True."
            )
        folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        members = [
            cls.from_estimator(estimator, _rows(X, test), _rows(y, test), name=f"fold {i}", **options)
            for i, (estimator, test) in enumerate(folds, 1)
        ]
        return Several.of(members, ("macro",) if cls.averages else ())

    @classmethod
    def for_each_class(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        averages: Iterable[str] = ("macro",),
        **options: Any,
    ) -> Several:
        """One for each class against the rest, with the averages of the curves over the classes ("macro": each class
        counts the same, "weighted": by its frequency)."""
        return cls.of_classes(_summary(y_true, y_proba, y_pred, None, options), averages=averages, **options)

    @classmethod
    def of_classes(cls, summary: Summary, *, averages: Iterable[str] = ("macro",), **options: Any) -> Several:
        """The same of a summary."""
        if "positive" in options:
            raise InputError("positive was given, and each class is shown against the rest; leave it out.")
        if not cls.two_classes:
            raise InputError(f"{cls.name} shows all classes together; use from_predictions().")
        classes = summary.source.classes
        weight = _class_weight(summary)
        members = [
            cls.of(summary, positive=c, name=str(c), **options)
            for c, w in zip(classes, weight, strict=True)
            if 0 < w < weight.sum()
        ]
        shares = [float(w) for w in weight if 0 < w < weight.sum()]
        return Several.of(members, averages if cls.averages else (), shares)

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "", **options: Any) -> Self:
        """Of the statistics of some predictions."""
        cls.check(options)
        statistic, shown = cls.taken(summary, positive)
        record: Self = cls.compute(statistic, **options)
        object.__setattr__(record, "model", name)
        object.__setattr__(record, "positive", shown)
        return record

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Several:
        """One for each model, to be drawn together."""
        return Several.of([cls.of(s, positive=positive, name=name, **options) for name, s in models.items()])

    @classmethod
    def taken(cls, summary: Summary, positive: Any) -> tuple[Any, Any]:
        """The statistic that it is computed from, and the class that is shown against the rest."""
        return taken(cls, summary, positive)

    def named(self, label: str, value: str) -> str | None:
        """A legend entry: the model and a number that belongs to it."""
        return f"{label} ({value})" if label else value

    @property
    def who(self) -> str:
        """Which class is positive, for the figure."""
        return f"positive: {self.positive}"


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelsDiagram(Diagram):
    """A diagram of several models at once, whose meaning lies in their comparison."""

    statistic: ClassVar[type[Statistic]]
    two_classes: ClassVar[bool] = False

    models: tuple[str, ...]
    positive: Any = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_proba: Any = None,
        y_pred: Any = None,
        *,
        positive: Any = None,
        name: str = "model",
        **options: Any,
    ) -> Self:
        """Of labels and decisions (or probabilities), as `karat.evaluate` takes them; of several models if decisions or
        probabilities are given as {model: ...}."""
        border = {option: options.pop(option) for option in BORDER if option in options}
        said = y_pred if y_proba is None else y_proba
        named = said if isinstance(said, Mapping) else {name: said}
        summaries = {}
        for model, values in named.items():
            proba, pred = (None, values) if y_proba is None else (values, None)
            summaries[str(model)] = _summary(y_true, proba, pred, positive, dict(border))
        return cls.of_models(summaries, positive=positive, **options)

    @classmethod
    def from_matrices(
        cls, matrices: Mapping[str, Any], labels: Any = None, *, positive: Any = None, **options: Any
    ) -> Self:
        """Of bare confusion matrices {model: matrix}, rows the truth."""
        models = {str(name): Summary(Matrix.of(m, labels, positive)) for name, m in matrices.items()}
        return cls.of_models(models, positive=positive, **options)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Of what a fitted scikit-learn classifier, or several {model: classifier}, say about X."""
        several = estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
        border = {option: options.pop(option) for option in BORDER if option in options}
        models = {
            name: _summary(y, None, e.predict(X), options.get("positive"), {"labels": list(e.classes_)} | border)
            for name, e in several.items()
        }
        return cls.of_models(models, **options)

    @classmethod
    def of_models(cls, models: Mapping[str, Summary], *, positive: Any = None, **options: Any) -> Self:
        """Of the statistics of each model."""
        if not models:
            raise InputError(f"{cls.name} was given no model; give at least one.")
        cls.check(options)
        found = {name: taken(cls, summary, positive) for name, summary in models.items()}
        shown = {one for _, one in found.values()}
        if len(shown) > 1:
            raise InputError(
                f"the models have different positive classes ({', '.join(map(str, shown))}); say positive=."
            )
        record: Self = cls.compute({name: statistic for name, (statistic, _) in found.items()}, **options)
        object.__setattr__(record, "positive", shown.pop())
        return record

    @classmethod
    def of(cls, summary: Summary, *, positive: Any = None, name: str = "model", **options: Any) -> Self:
        """Of one model."""
        return cls.of_models({name: summary}, positive=positive, **options)

    @property
    def who(self) -> str:
        """Which class is positive, for the figure."""
        return f"positive: {self.positive}"


def taken(kind: Any, summary: Summary, positive: Any) -> tuple[Any, Any]:
    """The statistic that a diagram is computed from, and the class that is shown against the rest."""
    lacking = summary.lacks(kind.statistic)
    if lacking:
        raise InputError(f"{kind.name} can't be had: {lacking}.")
    if not kind.two_classes:
        return summary.get(kind.statistic), None
    place = place_of(summary, positive, kind.name)
    shown = summary.source.classes[place]
    if kind.statistic.per_class == "each":
        return summary.table_of_class(place), shown
    statistic = summary.get(kind.statistic)
    parts = (np.asarray(getattr(statistic, f.name))[..., place] for f in fields(statistic))
    return type(statistic)(*parts), shown


@dataclass(frozen=True, eq=False)
class Several:
    """Diagrams of one kind that belong together: the classes of one model, the folds of a cross-validation, models."""

    members: tuple[Diagram, ...]
    means: tuple[Diagram, ...] = ()

    @classmethod
    def of(cls, members: Iterable[Diagram], averages: Iterable[str] = (), shares: list[float] | None = None) -> Several:
        """These diagrams, and averages of their curves."""
        from karat.diagrams.averages import averaged

        found = tuple(members)
        averages = (averages,) if isinstance(averages, str) else averages
        if not found:
            raise InputError("there is nothing to draw: no class has both cases and a rest.")
        return cls(found, tuple(averaged(found, how, shares) for how in averages))

    def __iter__(self) -> Iterator[Diagram]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, key: Any) -> Diagram:
        for member in (*self.members, *self.means):
            if key == member.model or key == getattr(member, "positive", None):
                return member
        raise KeyError(key)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "diagram": self.members[0].name,
            "members": [m.to_dict() for m in self.members],
            "averages": [m.to_dict() for m in self.means],
        }

    def plot(self, ax: Any = None, *, layout: str | None = None, **style: Any) -> Several:
        """All on one axes ("overlaid"), or each on its own ("multiples"): as suits the diagram, unless it is said."""
        first = self.members[0]
        if layout is None:
            alone = first.apart == "always" or (first.apart == "classes" and self._are_classes)
            layout = "multiples" if alone and len(self.members) > 1 and ax is None else "overlaid"
        if layout == "overlaid" and first.apart == "always" and len(self.members) > 1:
            raise InputError(f"{first.name} can't be drawn over another; use layout='multiples', without ax.")
        if layout == "overlaid":
            for member in (*self.members, *self.means):
                ax = member.plot(ax, **style).ax_  # type: ignore[attr-defined]
            self._name_axes(ax)
            figure = ax.figure
        elif layout == "multiples":
            if ax is not None:
                raise InputError("small multiples make their own axes; leave ax out, or use layout='overlaid'.")
            figure, ax = self._multiples(style)
        else:
            raise InputError(f"layout is {layout!r}; it is 'overlaid' or 'multiples'.")
        object.__setattr__(self, "ax_", ax)
        object.__setattr__(self, "figure_", figure)
        return self

    def save(self, path: Any) -> Several:
        """Write the figure to a file (.svg, .pdf, .png), drawing it first if it was not yet."""
        drawing.save(self, path)
        return self

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return drawing.shown_in_notebook(self)

    def _multiples(self, style: dict[str, Any]) -> tuple[Any, Any]:
        across = min(4, math.ceil(math.sqrt(len(self.members))))
        width, height = 2.5, 2.5
        down = math.ceil(len(self.members) / across)
        first = self.members[0]
        with drawing.styled(first.projection) as plt:
            if first.size is not None:
                width, height = 0.75 * first.size[0], 0.8 * first.size[1]
            figure, grid = plt.subplots(
                down,
                across,
                figsize=(across * width, down * height),
                squeeze=False,
                subplot_kw={"projection": first.projection},
            )
            places = grid.ravel().tolist()
            for member, place in zip(self.members, places, strict=False):
                member.plot(place, **style)
                _tidy(place, member)
            _name_references(figure, places[0])
            for i, place in enumerate(places):
                place.set_visible(i < len(self.members))
                if i % across:
                    place.set_ylabel("")
                if i + across < len(self.members):
                    place.set_xlabel("")
        return figure, grid

    @property
    def _are_classes(self) -> bool:
        return len({getattr(m, "positive", None) for m in self.members}) > 1

    def _name_axes(self, ax: Any) -> None:
        """Where the members are classes, no one of them is the positive one."""
        if self._are_classes:
            for axis in (ax.xaxis, ax.yaxis):
                text = axis.get_label()
                for member in self.members:
                    text.set_text(text.get_text().replace(f"({getattr(member, 'who', '')})", "(class against rest)"))


def plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Table):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def columns_of(table: Mapping[str, Any], *names: str) -> list[list[Any]]:
    """These columns of a table, as lists."""
    missing = [name for name in names if name not in table]
    if missing:
        raise InputError(
            f"the table has no column {missing[0]!r}; it needs {', '.join(names)} and has {', '.join(table)}."
        )
    return [np.asarray(table[name]).tolist() for name in names]


def number_columns(table: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that hold numbers."""
    found = {name: np.asarray(values) for name, values in table.items()}
    kept = {name: values for name, values in found.items() if values.dtype.kind in "iuf"}
    if not kept:
        raise InputError(f"the table has no column of numbers; its columns are {', '.join(table)}.")
    return kept


def a_number(value: Any, name: str) -> float:
    """A finite number; anything else is an error."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InputError(f"{name} is {value!r}; give a finite number.")
    return float(value)


def at_least_one(value: Any, name: str) -> int:
    """A whole number of at least 1; anything else is an error."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} is {value!r}; give a whole number of at least 1.")
    return int(value)


def place_of(summary: Summary, positive: Any, what: str) -> int:
    """The place of the class that is shown against the rest."""
    source = summary.source
    if positive is None:
        if source.positive is None:
            hint = "say positive=<class>, or use for_each_class()"
            raise InputError(f"{what} shows one class against the rest, and which was not said; {hint}.")
        return source.positive
    place = positive_place(positive, list(source.classes))
    assert place is not None
    return place


def _summary(y_true: Any, y_proba: Any, y_pred: Any, positive: Any, options: dict[str, Any]) -> Summary:
    """The statistics of what was given; takes its options out of `options`."""
    if isinstance(y_true, Summary):
        return y_true
    border = {name: options.pop(name) for name in BORDER if name in options}
    return Summary(Predictions.of(y_true, y_proba, y_pred, positive=positive, **border))


def _class_weight(summary: Summary) -> Any:
    source = summary.source
    return source.table.sum(axis=1) if isinstance(source, Matrix) else source.class_weight


def _said_by(estimator: Any, X: Any) -> dict[str, Any]:
    """What a fitted classifier says: probabilities, else scores, else decisions."""
    if not hasattr(estimator, "classes_"):
        raise InputError(f"{type(estimator).__name__} has no classes_; give a classifier that was fitted.")
    if hasattr(estimator, "predict_proba"):
        return {"y_proba": np.asarray(estimator.predict_proba(X))}
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(X))
        # one column is the score of the second class; both are said, so that either can be the positive one
        return {"y_score": np.column_stack([-score, score]) if score.ndim == 1 else score}
    return {"y_pred": estimator.predict(X)}


def _rows(data: Any, places: Any) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if hasattr(data, "take") and not isinstance(data, np.ndarray):
        return data.take(places)
    return data[places] if hasattr(data, "shape") else [data[i] for i in places]


def _brief(value: Any) -> str:
    return str(list(value.shape)) if isinstance(value, np.ndarray) and value.ndim else f" {value!r}"


def _name_references(figure: Any, ax: Any) -> None:
    """One legend for the lines that all small pictures are compared with."""
    entries = [
        (handle, text)
        for handle, text in zip(*ax.get_legend_handles_labels(), strict=True)
        if str(getattr(handle, "get_gid", str)()).startswith("reference")
    ]
    if entries:
        figure.legend(*zip(*entries, strict=True), loc="outside lower center", ncols=4)


def _tidy(ax: Any, member: Diagram) -> None:
    """A small picture: what its legend said of the series is its title, and the class is named there too."""
    entries = zip(*ax.get_legend_handles_labels(), strict=True)
    series = [text for handle, text in entries if str(getattr(handle, "get_gid", str)()) == "series"]
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    if member.apart == "always" and ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=5.5, loc="best")
    if not ax.get_title(loc="left"):
        ax.set_title(series[0] if len(series) == 1 else member.model, fontsize=7.5)
    for axis in (ax.xaxis, ax.yaxis):
        text = axis.get_label()
        text.set_text(text.get_text().replace(f" ({getattr(member, 'who', '')})", ""))
        text.set_fontsize(6.5)
