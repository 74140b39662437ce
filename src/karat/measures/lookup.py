"""Measures by any name that they have, and what was kept of them by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from keyword import iskeyword
from typing import TypeVar

from karat.core.elsewhere import expression_of, names_elsewhere, refusal_of
from karat.core.errors import InputError, UnknownNameError, option, quoted, type_words
from karat.core.measure import Measure, measures
from karat.core.words import direction
from karat.measures.averaging import OPERATORS
from karat.statistics import Summary

# fmt: off
PAPERS = (
    "Acc", "KapS", "MFM", "MAvA", "MAvG",
    "AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC",
    "MAPR", "MPR", "MAE", "MSE", "LogL",
    "CalL", "CalB",
    "MCC", "tMCC",
    "CEN", "rCEN", "pCEN", "rpCEN",
    "RCI", "EMA", "NIT",
)
# fmt: on
"""The measures of the five papers, in their order."""

# fmt: off
OF_POSITIVE = (
    "Acc", "MAvA", "Precision", "Recall", "F1", "MCC", "AUC", "AP", "LogLoss", "BrierLoss", "ECE", "EMA", "NIT", "pCEN",
)
"""What an evaluation shows unless others are asked for: of two classes, one of them the positive one."""
OF_CLASSES = (
    "Acc", "MAvA", "macro(Precision)", "MFM", "MCC", "AUNU", "macro(AP)", "LogLoss", "BrierLoss", "ECE", "EMA",
    "NIT", "pCEN",
)
# fmt: on
"""The same of several classes, or of two neither of which was named positive: every class counts the same. The macro
average of recall is the balanced accuracy."""

T = TypeVar("T")
Named = Iterable[str | Measure] | str | Measure
"""Measures named by symbol, name, alias or themselves: several, or one."""


CALLED = re.compile(rf"\s*({'|'.join(OPERATORS)})\((.+)\)\s*", re.IGNORECASE)
AVERAGE_FIRST = re.compile(r"\s*(macro|micro|weighted)[\s_-]+(.+?)\s*", re.IGNORECASE)
AVERAGE_LAST = re.compile(r"\s*(.+?)[\s_-]+(macro|micro|weighted)\s*", re.IGNORECASE)
"""As people write averages: "macro precision", "f1-weighted"."""


def find(key: str | Measure) -> Measure:
    """A measure by symbol, name or alias, in any case; `macro(F1)` and the like, and names of scikit-learn's scorers.

    >>> find("f1_macro").symbol, find("Macro(F1)").symbol, find("neg_log_loss").symbol
    ('macro(F1Score)', 'macro(F1)', 'neg(LogLoss)')
    >>> find("macro precision").symbol, find("F1-weighted").symbol
    ('macro(Precision)', 'weighted(F1)')
    >>> find("fbeta_score")
    Traceback (most recent call last):
    ...
    karat.core.errors.UnknownNameError: fbeta_score is not a measure in karat: it depends on beta; use \
F1.at(beta=...), F2 or F0.5.
    """
    if isinstance(key, Measure):
        return key
    if not isinstance(key, str):
        raise UnknownNameError(_no_name(key))
    if key in measures:
        return measures[key]
    key = expression_of(key) or key
    operator, inner = _average(key)
    return OPERATORS[operator](find(inner)) if operator else measures[key]


def _average(key: str) -> tuple[str, str]:
    """The operator and what it is applied to; empty if the name is no such thing."""
    if called := CALLED.fullmatch(key):
        return called[1].lower(), called[2].strip()
    for pattern, operator, inner in ((AVERAGE_FIRST, 1, 2), (AVERAGE_LAST, 2, 1)):
        written = None if refusal_of(key) else pattern.fullmatch(key)
        if written and (expression_of(written[inner]) or written[inner] in measures):
            return written[operator].lower(), written[inner]
    return "", ""


def _no_name(key: object) -> str:
    """What to say of what is given where a measure is named."""
    what = type_words(key)
    if hasattr(key, "statistics"):
        return f"{what} was given where a measure is named, such as 'f1'."
    if isinstance(key, Iterable):
        return f"{what} was given where one measure is named; pass several to e.values([...])."
    if callable(key):
        return f"{what} was given; name a measure, such as 'f1', or make one: karat.measure_from_function(function)."
    return f"{what} was given; name a measure by a str, such as 'f1': list(karat.catalogue.measures) has them all."


def measures_named(names: Named | None, summary: Summary | None = None) -> list[Measure]:
    """The measures that were named; "papers" are those of the five papers, "all" all of them, and None is what an
    evaluation of these data shows."""
    if names is None:
        return list(papers() if summary is None else headline(summary))
    if one_word(names):
        return list(LISTS[str(names)]())
    if isinstance(names, str | Measure) or not isinstance(names, Iterable):
        return [find(names)]
    return [find(m) for m in names]


@cache
def papers() -> tuple[Measure, ...]:
    """The measures of the five papers, in their order."""
    return _found(PAPERS)


LISTS: dict[str, Callable[[], Iterable[Measure]]] = {"papers": papers, "all": measures.values}
"""Many measures by one word."""


def one_word(names: object) -> bool:
    """Is it one word for many measures? What some of them need is not asked for then: they have no value."""
    return isinstance(names, str) and names in LISTS


def headline(summary: Summary) -> tuple[Measure, ...]:
    """What an evaluation shows unless others are asked for, as far as what was given allows it."""
    source = summary.source
    chosen = len(source.classes) == 2 and source.positive is not None
    named = _found(OF_POSITIVE if chosen else OF_CLASSES)
    return tuple(m for m in named if not summary.lacks(m.statistic))


def headline_of_one(summary: Summary) -> tuple[Measure, ...]:
    """Those of it that are about one class: precision, recall and others."""
    return tuple(m for m in _found(OF_POSITIVE) if m.classwise and not summary.lacks(m.statistic))


@cache
def _found(symbols: tuple[str, ...]) -> tuple[Measure, ...]:
    return tuple(map(find, symbols))


def by_name(kept: Mapping[str, T], key: str | Measure) -> T:
    """What stands under the symbol of a measure (or `symbol[class]`), named by symbol, name or alias, in any case."""
    if isinstance(key, str):
        if key in kept:
            return kept[key]
        folded = key.casefold()
        for symbol, one in kept.items():
            if symbol.casefold() == folded:
                return one
        name, bracket, of_class = key.partition("[")
        symbol = f"{find(name).symbol}{bracket}{of_class}"
    else:
        symbol = find(key).symbol
    if symbol in kept:
        return kept[symbol]
    raise UnknownNameError(f"{symbol} was not requested; there are {quoted(kept, 8)}.")


def lower_is_better_of(measure: str | None, lower_is_better: bool | None) -> bool:
    """Is lower better? As the measure's declaration has it, or as the user says where there is none."""
    known = measures[measure] if measure is not None and measure in measures else None
    declared = None if known is None or known.orientation == 0 else known.orientation < 0
    if lower_is_better is None:
        if declared is None:
            unnamed = f"the measure was not named; pass {option('measure')}, or"
            what = f"whether lower {measure} is better is not known;" if measure else unnamed
            lower = option("lower_is_better")
            raise InputError(f"{what} pass {lower}True or {lower}False.")
        return declared
    if lower_is_better not in (True, False):
        raise InputError(f"lower_is_better is {lower_is_better!r}; pass True or False.")
    if declared is not None and known is not None and declared != bool(lower_is_better):
        raise InputError(
            f"{known.symbol} is better when {direction(known.orientation)} and {option('lower_is_better')}"
            f"{lower_is_better} says otherwise; leave it out, or give another name to what you measured."
        )
    return bool(lower_is_better)


def python_names() -> dict[str, Measure]:
    """Every name by which a measure can be called in Python, as an attribute of `karat.measures`: its Python name, its
    symbol (in small letters, too) and its aliases.

    >>> names = python_names()
    >>> names["mcc"] is names["MCC"] is names["matthews_corrcoef"], names["f1_macro"].symbol, "or" in names
    (True, 'macro(F1Score)', False)
    """
    names = {row.name for row in names_elsewhere() if not row.note and len(row.name) > 1}
    names |= {name for m in measures.values() for name in (m.name, m.symbol, m.symbol.lower(), *m.aliases, *m.spelt)}
    return {name: find(name) for name in sorted(names) if name.isidentifier() and not iskeyword(name)}
