"""What a user is told when karat refuses input: what was given, what was expected, what to do.

An option is `positive=` in Python and `--positive` on the command line. A sentence names it by `option("positive")`,
and who shows the sentence sets how options are worded while it is made: `with speaking(command_line): ...`. The default
is Python.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Surface = Callable[[str], str]
"""How an option is worded, by its name."""

CALLS: Mapping[str, str] = {
    "compared_classes": "classes='all'",
    "each_class": "for_each_class()",
    "format": "file_format=",
    "macro": "macro()",
    "micro": "micro()",
    "model_column": "model=",
    "multiples": "layout='multiples'",
    "normalise": "normalise=True",
    "paired": "paired=False",
    "per_class": "per_class()",
    "pred": "decided=",
    "sample_weight": "sample_weight",
    "weighted": "weighted()",
    "y_pred": "y_pred",
    "y_proba": "y_proba",
    "y_score": "y_score",
    "y_true": "y_true",
}
"""What Python users write, where it is not `name=`."""


def python(name: str) -> str:
    """As Python users write it.

    >>> python("positive"), python("normalise")
    ('positive=', 'normalise=True')
    """
    return CALLS.get(name, f"{name}=")


_speaking: list[Surface] = [python]
"""Who is spoken to, the innermost last. No context variable: sentences are also made in threads of a pool."""


def option(name: str, value: Any = None) -> str:
    """An option, and perhaps its value, in the words of whoever reads the sentence.

    >>> option("positive"), option("positive", "ill"), option("format", "csv")
    ('positive=', "positive='ill'", "file_format='csv'")
    >>> with speaking(lambda name: f"--{name}"):
    ...     option("positive", "very ill")
    "--positive 'very ill'"
    """
    word = _speaking[-1](name)
    if value is None:
        return word
    return f"{word}{value!r}" if word.endswith("=") else f"{word} {shlex.quote(str(value))}"


@contextmanager
def speaking(surface: Surface) -> Iterator[None]:
    """Options are worded like this inside."""
    _speaking.append(surface)
    try:
        yield
    finally:
        _speaking.pop()


class InputError(ValueError):
    """Input that karat refuses: the message says what was given, what was expected and what to do.

    It is a `ValueError`, and the base of all that karat raises about input: `UnknownNameError` (also a `KeyError`),
    `LabelError`, `ProbabilityError`, `WeightError` and `ShapeError`.

    Examples
    --------
    >>> import karat
    >>> karat.evaluate([0, 1, 1], [0.2, 0.7])
    Traceback (most recent call last):
    ...
    karat.core.errors.ShapeError: y_proba has 2 cases and y_true has 3; give one for each case of y_true.
    """


class UnknownNameError(InputError, KeyError):
    """No measure, diagram, ... has this name; the message suggests what was meant."""

    def __str__(self) -> str:
        return str(self.args[0])


class LabelError(InputError):
    """Labels that can't be read, or matched with classes."""


class ProbabilityError(InputError):
    """Values that are no probabilities, or no scores."""


class WeightError(InputError):
    """Weights that are negative, not finite, or all 0."""


class ShapeError(InputError):
    """Lengths or dimensions that don't fit."""


def quoted(values: Iterable[Any], most: int = 5, widest: int = 24, room: int = 60) -> str:
    """A few of the values, for a message: not too many, none too long, and as many as fit.

    >>> quoted(["a", 0.1 + 0.2, 3]), quoted(range(9)), quoted(["long " * 9])
    ("'a', 0.3, 3", '0, 1, 2, 3, 4 and 4 more', "'long long long long...'")
    """
    listed = list(values)
    texts = []
    for value in listed[:most]:
        plain = value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value
        text = f"{plain:.6g}" if isinstance(plain, float) else " ".join(repr(plain).split())
        texts.append(text if len(text) <= widest else f"{text[: widest - 4]}...{text[-1]}")
        if sum(map(len, texts)) > room:
            break
    left = len(listed) - len(texts)
    return ", ".join(texts) + (f" and {left} more" if left else "")


def type_words(value: Any) -> str:
    """What it is, with an article.

    >>> type_words(None), type_words(3), type_words({})
    ('None', 'an int', 'a dict')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' or name.startswith('nd') else 'a'} {name}"


def positive_missing(classes: Iterable[Any] = ()) -> str:
    """What to say, before a full stop, where the positive class is needed and was not named.

    >>> positive_missing(["fraud", "ok"])
    "the positive class is ambiguous for the labels 'fraud', 'ok': pass positive="
    """
    names = list(classes)
    of = f" for the labels {quoted(names)}" if names else ""
    return f"the positive class is ambiguous{of}: pass {option('positive')}"
