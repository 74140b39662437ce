"""Whom a sentence speaks to: an option is `positive=` in Python and `--positive` on the command line.

A sentence of the library names an option by `option("positive")`. Who shows the sentence says how options are worded
while it is made: `with speaking(COMMAND_LINE): ...`. Without it, it is Python.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Surface = Callable[[str], str]
"""How an option is worded, by its name."""

CALLS: Mapping[str, str] = {
    "each_class": "for_each_class()",
    "format": "file_format=",
    "macro": "macro()",
    "micro": "micro()",
    "model_column": "model=",
    "multiples": "layout='multiples'",
    "normalise": "normalise=True",
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
