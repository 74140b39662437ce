"""What other libraries call a measure. A name that gives the same number there and here is an alias; of any other it is
said what to use instead."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources
from typing import NamedTuple


class NameElsewhere(NamedTuple):
    """A name of another library."""

    library: str
    name: str
    measure: str
    """the symbol of the measure, or an expression such as macro(F1); empty: karat has none"""
    note: str
    """what is different, or what to use instead; empty: the number is the same"""


@cache
def names_elsewhere() -> tuple[NameElsewhere, ...]:
    """All that are known."""
    with (resources.files("karat.core") / "elsewhere.csv").open(encoding="utf-8") as lines:
        return tuple(NameElsewhere(**row) for row in csv.DictReader(lines))


@cache
def _by_name() -> dict[str, NameElsewhere]:
    """Of a name that several libraries have, the first: scikit-learn's."""
    return {row.name.casefold(): row for row in reversed(names_elsewhere())}


def _row(name: str) -> NameElsewhere | None:
    """What has this name elsewhere. torchmetrics has each name twice: BinaryF1Score is a class, binary_f1_score a
    function."""
    folded = name.casefold()
    row = _by_name().get(folded)
    if row is None and "_" in folded:
        row = _by_name().get(folded.replace("_", ""))
        row = row if row is not None and row.library == "torchmetrics" else None
    return row


@cache
def _of_measures() -> dict[str, tuple[str, ...]]:
    names: dict[str, dict[str, str]] = {}
    for row in _by_name().values():
        if not row.note and len(row.name) > 1:
            names.setdefault(row.measure, {})[row.name.casefold()] = row.name
    return {symbol: tuple(sorted(spelt.values())) for symbol, spelt in names.items()}


def aliases_elsewhere(measure: str) -> tuple[str, ...]:
    """The names that give the number of this measure, single letters left out.

    >>> aliases_elsewhere("macro(F1Score)")
    ('MulticlassF1Score', 'f1_macro')
    """
    return _of_measures().get(measure, ())


def expression_of(name: str) -> str:
    """The measure that gives the number of a name that another library has; empty if none does.

    >>> expression_of("neg_log_loss"), expression_of("fbeta_score")
    ('neg(LogLoss)', '')
    """
    row = _row(name)
    return row.measure if row is not None and not row.note else ""


def refusal_of(name: str) -> str:
    """Why a name that another library has is none here, and what to use; empty if nothing is known of it.

    >>> refusal_of("fbeta_score")
    'fbeta_score is not a measure in karat: it depends on beta; use F1.at(beta=...), F2 or F0.5.'
    >>> refusal_of("binary_auroc")
    'binary_auroc is not a measure in karat: use AUC (torchmetrics: 0 where one class has no case).'
    """
    row = _row(name)
    if row is None or not row.note:
        return ""
    use = f"use {row.measure} ({row.library}: {row.note})" if row.measure else row.note
    called = row.name if row.name.casefold() == name.casefold() else name
    return f"{called} is not a measure in karat: {use}."


def known_elsewhere(measure: str) -> list[str]:
    """What other libraries call a measure, and what is different there.

    >>> known_elsewhere("KapS")[:2]
    ['cohen_kappa_score (scikit-learn)', 'Kappa (PyCM)']
    """
    rows = [row for row in names_elsewhere() if row.measure == measure]
    return [f"{row.name} ({row.library}{': ' * bool(row.note)}{row.note})" for row in rows]
