"""Bad input. Each message is one sentence: what was given, what was expected, what to do."""

from __future__ import annotations


class InputError(ValueError):
    """Input that karat will not guess its way around."""


class LabelError(InputError):
    """Labels that can't be understood or matched."""


class ProbabilityError(InputError):
    """Probabilities or scores that are not."""


class WeightError(InputError):
    """Weights that can't weigh."""


class ShapeError(InputError):
    """Lengths or dimensions that don't fit together."""


def some(values: object, most: int = 5) -> str:
    """A few of the values, for a message."""
    listed = list(values)  # type: ignore[call-overload]
    text = ", ".join(repr(_plain(v)) for v in listed[:most])
    return text + (f" and {len(listed) - most} more" if len(listed) > most else "")


def _plain(value: object) -> object:
    return value.item() if hasattr(value, "item") else value
