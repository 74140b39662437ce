"""Classes inside a sentence: a number is not a name."""

from __future__ import annotations

from collections.abc import Iterable

from karat.core.words import listed

MOST_NAMED = 6
"""Classes in a sentence; of more their number is said."""


def class_words(label: object) -> str:
    """A class as a sentence has it.

    >>> class_words("malignant"), class_words(1), class_words("10")
    ('malignant', 'class 1', 'class 10')
    """
    return f"class {label}" if _numeric(label) else str(label)


def classes_words(labels: Iterable[object]) -> str:
    """Several of them.

    >>> classes_words(["benign", "malignant"]), classes_words([1, 2]), classes_words([3])
    ('benign and malignant', 'classes 1 and 2', 'class 3')
    """
    names = list(labels)
    if len(names) > 1 and all(map(_numeric, names)):
        return f"classes {listed(names, MOST_NAMED)}"
    return listed(map(class_words, names), MOST_NAMED)


def _numeric(label: object) -> bool:
    return str(label) in ("True", "False") or str(label).lstrip("-").replace(".", "", 1).isdigit()
