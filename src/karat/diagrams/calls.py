"""Every diagram as a function, by its name: `karat.diagrams.roc_curve(y_true, y_proba)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from karat.core.errors import InputError, python, speaking
from karat.core.table import Table
from karat.data import Matrix, Predictions
from karat.data.estimators import answer_of
from karat.diagrams.banded_curve import BandedCurve
from karat.diagrams.diagram import BORDER
from karat.diagrams.familiar_keywords import apart
from karat.diagrams.option_docs import DATA, OPTIONS, OptionDoc, lines_of
from karat.diagrams.prediction_diagram import StatisticDiagram, as_given
from karat.statistics import Summary
from karat.statistics.summary import summaries_of, summary_of

ANSWERS = ("y_proba", "y_pred", "y_score")


def function_of(kind: type[Any]) -> Callable[..., Any]:
    """The function that makes this diagram, with the signature and the words of its declaration."""

    def call(*data: Any, **options: Any) -> Any:
        with speaking(_in_a_call):
            return _of_table(kind, data, options) if kind.made_from == "table" else _of_models(kind, data, options)

    call.__name__ = call.__qualname__ = kind.name
    call.__module__ = "karat.diagrams"
    call.__signature__ = signature_of(kind)  # type: ignore[attr-defined]
    call.__doc__ = documentation(kind)
    return call


def _in_a_call(name: str) -> str:
    return "each_class=True" if name == "each_class" else python(name)


# ------------------------------------------------------------------------------------------------ what was given


def _of_table(kind: type[Any], data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    given = dict(zip(("table",), data, strict=False)) | options
    if len(data) > 1 or "table" not in given:
        raise InputError(f"{kind.name} is made from one table; give {kind.columns}.")
    table = given.pop("table")
    columns = table.columns if isinstance(table, Table) else table
    if hasattr(columns, "to_dict") and not isinstance(columns, Mapping):  # a data frame of pandas or polars
        columns = {name: columns[name] for name in columns.columns}
    elif hasattr(columns, "to_pydict"):
        columns = columns.to_pydict()
    if not isinstance(columns, Mapping):
        raise InputError(f"{kind.name} is made from a table, not from {type(table).__name__}; give {kind.columns}.")
    return kind.from_table(columns, **given)


def _of_models(kind: type[Any], data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """One record of one model; of several models, or of each class, `Several` (or the record that shows them all)."""
    ax, each_class, each_fold = (options.pop(word, None) for word in ("ax", "each_class", "each_fold"))
    classes = _listed(options.pop("classes", ()))
    own, look = apart(kind, options)
    if each_fold:
        if classes or each_class:
            raise InputError("each_class and each_fold were both given; give one of them.")
        return _shown(_of_folds(kind, data, own), look, ax)
    if "spread" in own:
        raise InputError("spread is that of the curves of folds; pass each_fold=True too, or leave spread out.")
    models, named = models_of(kind, data, own)
    own = {word: value for word, value in own.items() if word not in (*ANSWERS, "y_true", "name")}
    if "averages" in own and not (classes or each_class):
        raise InputError("averages are those over classes; pass each_class=True too, or leave averages out.")
    if kind.made_from == "models":
        picture = kind.of_models(models, **own)
    elif classes or each_class:
        if len(models) > 1:
            raise InputError(f"each class is shown for one model, and {len(models)} were given; give one.")
        picture = kind.of_classes(next(iter(models.values())), classes=classes, **own)
    elif named:
        _need_positive(kind, models, own)
        picture = kind.of_models(models, **own)
    else:
        ((name, summary),) = models.items()
        picture = kind.of(summary, name=name, **own)
    return _shown(picture, look, ax)


def _shown(picture: Any, look: dict[str, Any], ax: Any) -> Any:
    """On these axes at once, or when it is asked for."""
    picture.keep_look(look)
    return picture if ax is None else picture.plot(ax)


def _of_folds(kind: type[Any], data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Of the folds that a model was trained in."""
    folds = getattr(data[0], "folds", ()) if len(data) == 1 else ()
    if kind.made_from != "predictions" or not folds:
        what = "what karat.evaluate_estimator(model, X, y, cv=5) returns"
        raise InputError(f"{kind.name} of each fold needs a model that was trained in folds; give {what}.")
    if "spread" in options and not kind.averages:
        raise InputError(f"{kind.name} has no mean over folds; leave spread out.")
    return kind.of_folds([summary_of(fold.evaluation) for fold in folds], **options)


def _need_positive(kind: type[Any], models: Mapping[str, Summary], options: Mapping[str, Any]) -> None:
    """Several models are drawn together for one class."""
    source = next(iter(models.values())).source
    if kind.two_classes and len(models) > 1 and options.get("positive") is None and source.positive is None:
        raise InputError(f"{kind.name} shows one class against the rest for several models; pass positive=.")


def _listed(classes: Any) -> tuple[Any, ...]:
    if classes is None:
        return ()
    return (classes,) if isinstance(classes, str) or not isinstance(classes, Iterable) else tuple(classes)


def models_of(
    kind: type[StatisticDiagram], data: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[dict[str, Summary], bool]:
    """Model to its statistics, of all that a call can be given; and whether the models were named."""
    name = str(options.get("name", ""))
    first: Any = data[0] if data else options.get("y_true")
    if _is_evaluation(first):
        return {name or _default_name(kind): summary_of(first)}, False
    if not isinstance(first, Mapping) and isinstance(getattr(first, "models", None), Mapping):
        first = first.models  # a comparison
    by_model = isinstance(first, Mapping) and bool(first)
    if by_model and all(map(_is_evaluation, first.values())):
        return summaries_of(first), True
    if by_model and all(hasattr(model, "predict") for model in first.values()):
        return {str(model): _of_estimator(kind, e, data, options) for model, e in first.items()}, True
    if hasattr(first, "predict"):
        return {name or type(first).__name__: _of_estimator(kind, first, data, options)}, False
    given = dict(options)
    if by_model:
        given["y_proba"] = first
        data = data[1:]
        _bind(kind, given, data, ("y_true", "y_pred"))
        if given.get("y_true") is None:
            raise InputError(f"{kind.name} was given predictions without the true labels; give them after the models.")
    else:
        _bind(kind, given, data, ("y_true", "y_proba", "y_pred"))
    return _of_predictions(kind, given, name)


def _is_evaluation(given: Any) -> bool:
    return isinstance(getattr(given, "statistics", given), Summary | Predictions | Matrix)


def _bind(kind: type[Any], given: dict[str, Any], data: tuple[Any, ...], names: tuple[str, ...]) -> None:
    """Give names to what was given by its place."""
    if len(data) > len(names):
        raise InputError(f"{kind.name} was given {len(data)} things by position; give at most {', '.join(names)}.")
    for name, value in zip(names, data, strict=False):
        if given.get(name) is not None:
            raise InputError(f"{kind.name} was given {name} twice; give it once.")
        given[name] = value


def _of_predictions(kind: type[Any], given: Mapping[str, Any], name: str) -> tuple[dict[str, Summary], bool]:
    """Of labels and predictions, of one model or by model."""
    border = {word: given[word] for word in BORDER if word in given and word != "y_score"} | {
        "positive": given.get("positive")
    }
    answers = {word: given[word] for word in ANSWERS if given.get(word) is not None}
    by_model = [word for word, answer in answers.items() if isinstance(answer, Mapping)]
    if by_model and len(by_model) < len(answers):
        other = next(word for word in answers if word not in by_model)
        raise InputError(f"{by_model[0]} is {{model: ...}} and {other} is not; give both by model.")
    if not by_model:
        return {name or _default_name(kind): _of_answer(kind, given.get("y_true"), answers, border)}, False
    models = dict.fromkeys(str(model) for word in by_model for model in answers[word])
    by_name = {word: {str(model): answer for model, answer in answers[word].items()} for word in by_model}
    parts = {m: {word: by_name[word][m] for word in by_model if m in by_name[word]} for m in models}
    return summaries_of({m: _of_answer(kind, given["y_true"], part, border) for m, part in parts.items()}), True


def _default_name(kind: type[Any]) -> str:
    return "model" if kind.made_from == "models" else ""


def _of_answer(kind: type[Any], y_true: Any, answer: Mapping[str, Any], border: Mapping[str, Any]) -> Summary:
    if y_true is None:
        raise InputError(f"{kind.name} needs the true labels and predictions; call it with (y_true, y_proba).")
    proba = answer.get("y_proba")
    if _is_evaluation(proba):
        return summary_of(proba)
    y_proba, y_pred = as_given(kind, y_true, proba, answer.get("y_pred"), border.get("labels"))
    scores = {"y_score": answer["y_score"]} if "y_score" in answer else {}
    return Summary(Predictions.of(y_true, y_proba, y_pred, **scores, **border))


def _of_estimator(kind: type[Any], estimator: Any, data: tuple[Any, ...], options: Mapping[str, Any]) -> Summary:
    if len(data) != 3:
        raise InputError(f"{kind.name} of a fitted model needs cases and their labels; call it with (model, X, y).")
    border = {word: options[word] for word in (*BORDER, "positive") if word in options}
    answer = answer_of(estimator, data[1], decisions=kind.made_from == "models")
    return Summary(Predictions.of(data[2], **answer | border))


# ------------------------------------------------------------------------------------------------ how it is described

SHARED = ("y_score", "labels", "positive", "sample_weight", "normalise", "columns", "reject")


def signature_of(kind: type[Any]) -> inspect.Signature:
    """What the function takes: data, how they are read, and the options of the diagram with their defaults."""
    by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    if kind.made_from == "table":
        data = [inspect.Parameter("table", by_place, annotation=Any)]
        shared: dict[str, tuple[Any, Any]] = {}
    else:
        data = [inspect.Parameter("y_true", by_place, annotation=Any)]
        data += [inspect.Parameter(n, by_place, annotation=Any, default=None) for n in ("y_proba", "y_pred")]
        shared = dict.fromkeys(SHARED, (Any, None)) | {"normalise": ("bool", False)}
        if kind.made_from == "predictions" and kind.two_classes:
            shared |= {"each_class": ("bool", False), "classes": (Any, ())}
            shared |= {"averages": (Any, ("macro",))} if kind.averages else {}
        if kind.made_from == "predictions":
            shared |= {"each_fold": ("bool", False)}
            shared |= {"spread": ("float | None", 1.0)} if kind.averages else {}
    own = {p.name: (p.annotation, p.default) for p in _options(kind)}
    last = {"name": ("str", ""), "ax": (Any, None)}
    named = [
        inspect.Parameter(word, by_name, annotation=a, default=d) for word, (a, d) in (shared | own | last).items()
    ]
    style = inspect.Parameter("style", inspect.Parameter.VAR_KEYWORD, annotation=Any)
    return inspect.Signature([*data, *named, style])


def _options(kind: type[Any]) -> list[inspect.Parameter]:
    """The options of a diagram, with their annotations and defaults."""
    sources = [kind.from_table] if kind.made_from == "table" else [kind.compute, kind.of]
    if issubclass(kind, BandedCurve) and kind.has_band:
        sources.append(kind.confidence_band)
    found = [p for source in sources for p in inspect.signature(source).parameters.values()]
    return [p for p in found if p.kind is p.KEYWORD_ONLY and p.name in kind.options() and p.name != "name"]


def documentation(kind: type[Any]) -> str:
    """The docstring of the function, in numpydoc's form."""
    about = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    parameters = [p for p in signature_of(kind).parameters if p != "style"]
    lines = [kind.shows, "", *"\n\n".join(about[1:]).split("\n"), "", "Parameters", "----------"]
    for word in parameters:
        doc = OPTIONS.get(word) if word in kind.options() else DATA.get(word)
        doc = doc or OptionDoc("Any, optional", "An option of the diagram.")
        columns = getattr(kind, "columns", "")
        lines += lines_of(word, OptionDoc(doc.kind, doc.text.format(columns=columns) if word == "table" else doc.text))
    lines += ["**style : Any", "    How it will look: options of `plot`, and properties of the main artist."]
    several = "" if kind.made_from != "predictions" else " or Several"
    lines += ["", "Returns", "-------", f"{kind.__name__}{several}", "    The numbers; `.plot()` draws them."]
    lines += ["", "Raises", "------", "InputError", "    If the data, or an option, can't be used."]
    lines += ["", "See Also", "--------", f"karat.diagrams.{kind.__name__} : The record that it returns."]
    return "\n".join(lines)
