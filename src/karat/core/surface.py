"""Whom a sentence speaks to: an option is `positive=` in Python and `--positive` on the command line.

A sentence of the library names an option by `option("positive")`. Who shows the sentence says how options are worded
while it is made: `with speaking(COMMAND_LINE): ...`. Without it, it is Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

Surface = Callable[[str], str]
"""How an option is worded, by its name."""

CALLS: Mapping[str, str] = {
    "each_class": "for_each_class()",
    "macro": "macro()",
    "micro": "micro()",
    "multiples": "layout='multiples'",
    "normalise": "normalise=True",
    "per_class": "per_class()",
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


def option(name: str) -> str:
    """An option in the words of whoever reads the sentence."""
    return _speaking[-1](name)


@contextmanager
def speaking(surface: Surface) -> Iterator[None]:
    """Options are worded like this inside."""
    _speaking.append(surface)
    try:
        yield
    finally:
        _speaking.pop()
