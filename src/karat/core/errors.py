"""What a user is told when karat will not go on. Each message says what was given, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karat.core.surface import option


class InputError(ValueError):
    """Input that karat will not guess its way around."""


class UnknownNameError(InputError, KeyError):
    """No such thing was declared; the message suggests what was meant."""

    def __str__(self) -> str:
        return str(self.args[0])


class LabelError(InputError):
    """Labels that can't be understood or matched."""


class ProbabilityError(InputError):
    """Probabilities or scores that are not."""


class WeightError(InputError):
    """Weights that can't weigh."""


class ShapeError(InputError):
    """Lengths or dimensions that don't fit together."""


def quoted(values: Iterable[Any], most: int = 5, widest: int = 24) -> str:
    """A few of the values, for a message: not too many, none too long, and as many as fit."""
    listed = list(values)
    texts = []
    for value in listed[:most]:
        plain = value.item() if hasattr(value, "item") else value
        text = f"{plain:.6g}" if isinstance(plain, float) else repr(plain)
        texts.append(text if len(text) <= widest else f"{text[: widest - 4]}...{text[-1]}")
        if sum(map(len, texts)) > 60:
            break
    left = len(listed) - len(texts)
    return ", ".join(texts) + (f" and {left} more" if left else "")


def positive_missing(classes: Iterable[Any] = ()) -> str:
    """What to say, before a full stop, where the positive class is needed and was not named."""
    names = list(classes)
    which = f"which of {quoted(names)}" if names else "which class"
    return f"{which} is positive was not said (only 0 and 1 speak for themselves): say {option('positive')}"
