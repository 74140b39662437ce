"""Measures as the rows of a table and the sentences of a verdict name them."""

from __future__ import annotations

from collections.abc import Collection

from karat.measures.value import MeasureOf

PEOPLE = {"Bayes", "Brier", "Fleiss", "Fowlkes", "Gini", "Hamming", "Jaccard", "Jensen", "Kendall", "Kullback",
          "Matthews", "Shannon", "Somers", "Tjur"}  # fmt: skip
"""Whose names begin a title."""


def title_of(m: MeasureOf) -> str:
    """What most of the field calls it; of a measure of one class, which class."""
    label = m.key[len(m.measure.symbol) + 1 : -1] if m.key.startswith(f"{m.measure.symbol}[") else ""
    return f"{m.measure.title} of {label}" if label else m.measure.title


def label_of(title: str, key: str) -> str:
    """A title with the symbol behind it, unless that is the title.

    >>> label_of("Log loss", "LogL"), label_of("MCC", "MCC")
    ('Log loss (LogL)', 'MCC')
    """
    return title if title.casefold() == key.casefold() else f"{title} ({key})"


def in_sentence(title: str) -> str:
    """A title within a sentence: in lower case, unless it begins with a name, an abbreviation or a letter.

    >>> [in_sentence(title) for title in ("Log loss", "ROC AUC", "F1", "Cohen's kappa", "Brier score", "H-measure")]
    ['log loss', 'ROC AUC', 'F1', "Cohen's kappa", 'Brier score', 'H-measure']
    """
    first = title.split()[0].rstrip(",") if title.split() else ""
    plain = first[1:2].islower() and first[1:].islower() and first not in PEOPLE and not first.endswith("'s")
    return title[0].lower() + title[1:] if plain else title


def free_name(name: str, others: Collection[str]) -> str:
    """The name of a model as a column, told from the other columns of its table.

    >>> free_name("forest", ("measure", "p")), free_name("p", ("measure", "p"))
    ('forest', 'model p')
    """
    return f"model {name}" if name in others else name
