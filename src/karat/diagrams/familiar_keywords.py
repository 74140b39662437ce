"""Keywords that people know from scikit-learn's displays, in karat's words; what has no counterpart is refused in a
sentence that says what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from karat.core.errors import InputError, option, quoted

RENAMED = {
    "pos_label": "positive",
    "n_bins": "bins",
    "y_prob": "y_proba",
    "estimator_name": "name",
    "label": "name",
    "sample_weights": "sample_weight",
    "weights": "sample_weight",
    "display_labels": "class_names",
    "target_names": "class_names",
    "colorbar": "bar",
    "include_values": "numbers",
    "values_format": "number_format",
    "xticks_rotation": "rotation",
}
"""Another program's word to karat's, where both mean the same."""

TRANSLATED: dict[str, tuple[str, dict[Any, str]]] = {
    "normalize": ("view", {None: "counts", "true": "truth", "pred": "predicted", "all": "joint", True: "truth"}),
    "strategy": ("grouping", {"uniform": "width", "quantile": "mass"}),
}
"""The same, where the values have other names too."""

AS_ALWAYS: dict[str, tuple[tuple[Any, ...], str]] = {
    "drop_intermediate": ((True, False), ""),
    "response_method": (
        ("auto",),
        "predict_proba is used, else decision_function; for another answer use from_predictions(y, y_score=...)",
    ),
    "plot_chance_level": ((True,), "the chance line is always drawn; hide it in .ax_.lines, or leave the keyword out"),
    "ref_line": ((True,), "the diagonal is always drawn; hide it in .ax_.lines, or leave the keyword out"),
    "chance_level_kw": ((None,), "the chance line has a look of its own; change it in .ax_.lines"),
    "chance_level_kwargs": ((None,), "the chance line has a look of its own; change it in .ax_.lines"),
    "text_kw": ((None,), "the numbers are as large as the cells allow; change them in .ax_.texts"),
}  # fmt: skip
"""What is done anyway for these values, and what to do instead for others."""

OF_FIGURES = {
    "dpi": "save it with .save(path), or draw it with ax=ax on a figure of your own",
    "figsize": "draw it on axes of your own: fig, ax = plt.subplots(figsize=(4, 4)), then ax=ax",
    "grid": "change it afterwards: .ax_.grid()",
    "kind": "name the diagram first, as in e.plot('roc_curve')",
    "legend": "change it afterwards: .ax_.legend()",
    "show": "call plt.show() afterwards",
    "title": "set it afterwards: .ax_.set_title('...')",
    "xlabel": "set it afterwards: .ax_.set_xlabel('...')",
    "xlim": "set it afterwards: .ax_.set_xlim(0, 1)",
    "ylabel": "set it afterwards: .ax_.set_ylabel('...')",
    "ylim": "set it afterwards: .ax_.set_ylim(0, 1)",
}
"""What other programs take as a keyword, and matplotlib does."""

STYLES = ("curve_kwargs", "line_kw", "im_kw")
"""Dictionaries of properties of the main artist."""
OF_ARTISTS = (
    "alpha", "c", "cmap", "color", "colour", "despine", "linestyle", "linewidth", "ls", "lw", "marker", "markersize",
    "ms", "s", "vmax", "vmin", "zorder",
)  # fmt: skip
"""Properties that may be said before it is drawn; `plot` takes all that matplotlib knows."""

SHORT = {"c": "color", "colour": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize"}

Make = TypeVar("Make", bound=Callable[..., Any])


def familiar(make: Make) -> Make:
    """A way of making a diagram that understands familiar keywords; given axes (`ax=`), it is drawn on them at once."""

    @wraps(make)
    def call(cls: Any, *data: Any, ax: Any = None, **options: Any) -> Any:
        own, look = apart(cls, options)
        if cls.made_from == "table":
            cls.check({word: value for word, value in own.items() if word != "name"})
        picture = make(cls, *data, **own)
        picture.keep_look(look)
        return picture if ax is None else picture.plot(ax)

    return cast(Make, call)


def apart(kind: Any, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the numbers depend on, and how they are to be drawn, both in karat's words."""
    of_drawing = {*OF_ARTISTS, *STYLES, *drawing_options(kind)}
    words = in_own_words(kind.name, options, {*kind.options(), *EVERYWHERE, *of_drawing})
    own = {word: value for word, value in words.items() if word not in of_drawing or word in kind.options()}
    return own, look_of(kind, {word: value for word, value in words.items() if word not in own})


EVERYWHERE = (
    "name", "positive", "y_true", "y_proba", "y_pred", "y_score", "labels", "sample_weight", "normalise", "columns",
    "reject", "averages", "spread",
)  # fmt: skip
"""Options of every diagram, or of the way that it is made."""


def in_own_words(what: str, options: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The same options by karat's names, those of them that are known to the diagram."""
    own: dict[str, Any] = {}
    for word, given in options.items():
        if word in AS_ALWAYS:
            _as_always(word, given)
            continue
        name, value = word, given
        if word not in known and word in RENAMED:
            name = RENAMED[word]
        elif word in TRANSLATED and word not in known:
            name, values = TRANSLATED[word]
            if name in known:
                value = _translated(word, given, name, values)
        if name != word:
            if name not in known:
                name = word  # of another diagram: refused like any other word
            elif name in options:
                raise InputError(f"{word} is {name} in karat, and both were given to {what}; give {name} alone.")
        own[name] = value
    return own


def _as_always(word: str, value: Any) -> None:
    values, instead = AS_ALWAYS[word]
    if not any(value is v or (isinstance(v, str) and value == v) for v in values):
        raise InputError(f"{word}={value!r} can't be chosen: {instead or f'give one of {quoted(values)}'}.")


def _translated(word: str, value: Any, name: str, values: Mapping[Any, str]) -> str:
    if isinstance(value, str | bool | None) and value in values:
        return values[value]
    known = dict.fromkeys(values.values())
    raise InputError(f"{word} is {value!r}; use {option(name)} with one of {quoted(known)}.")


def drawing_options(kind: Any) -> list[str]:
    """What `plot` can be told beside properties of the main artist."""
    return [p.name for p in inspect.signature(kind.draw).parameters.values() if p.kind is p.KEYWORD_ONLY]


def look_of(kind: Any, words: Mapping[str, Any]) -> dict[str, Any]:
    """How it is to be drawn: options of `draw`, and properties of the main artist."""
    look = in_own_words(kind.name, words, {"name", *drawing_options(kind), *OF_ARTISTS})
    for word in STYLES:
        style = look.pop(word, None)
        if style is not None and not isinstance(style, Mapping):
            raise InputError(f"{word} is a {type(style).__name__}; give one dictionary of properties, for all curves.")
        look |= style or {}
    look = {SHORT.get(word, word): value for word, value in look.items()}
    for word, value in look.items():
        if word in kind.options() and word not in drawing_options(kind) and word not in OF_ARTISTS:
            raise InputError(f"{word}={value!r} changes the numbers; give it where {kind.name} is made, not to plot().")
    return look
