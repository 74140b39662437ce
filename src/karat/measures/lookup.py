"""Measures by any name that they have, and what was kept of them by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

from karat.core.errors import InputError, UnknownNameError, option, quoted
from karat.core.measure import Measure, measures
from karat.core.words import direction
from karat.measures.averaging import OPERATORS

# fmt: off
HEADLINE = (
    "Acc", "KapS", "MFM", "MAvA", "MAvG",
    "AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC",
    "MAPR", "MPR", "MAE", "MSE", "LogL",
    "CalL", "CalB",
    "MCC", "tMCC",
    "CEN", "rCEN", "pCEN", "rpCEN",
    "RCI", "EMA", "NIT",
)
# fmt: on
"""The measures of the five papers: what an evaluation shows unless more is asked for. In the order of the papers."""

T = TypeVar("T")
Named = Iterable[str | Measure] | str | Measure
"""Measures named by symbol, name, alias or themselves: several, or one."""


def find(key: str | Measure) -> Measure:
    """A measure by symbol, name or alias, in any case; `macro(...)`, `micro(...)`, `weighted(...)` of one too."""
    if isinstance(key, Measure):
        return key
    if isinstance(key, str) and key not in measures:
        called = re.fullmatch(r"\s*(macro|micro|weighted)\((.+)\)\s*", key, re.IGNORECASE)
        if called:
            return OPERATORS[called[1].lower()](find(called[2].strip()))
    return measures[key]


def measures_named(names: Named | None) -> list[Measure]:
    """The measures that were named; None: those of the headline."""
    if names is None:
        return list(headline())
    return [find(names)] if isinstance(names, str | Measure) else [find(m) for m in names]


@lru_cache(maxsize=1)
def headline() -> tuple[Measure, ...]:
    """The measures of the five papers, in their order."""
    return tuple(measures[symbol] for symbol in HEADLINE)


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
    raise UnknownNameError(f"{symbol} was not asked for; there are {quoted(kept, 8)}.")


def lower_is_better_of(measure: str | None, lower_is_better: bool | None) -> bool:
    """Is lower better? As the measure's declaration has it, or as the user says where there is none."""
    known = measures[measure] if measure is not None and measure in measures else None
    declared = None if known is None or known.orientation == 0 else known.orientation < 0
    if lower_is_better is None:
        if declared is None:
            unnamed = f"which measure it is was not said; name it with {option('measure')} or"
            what = f"karat does not know whether low {measure} is good;" if measure else unnamed
            lower = option("lower_is_better")
            raise InputError(f"{what} say {lower}True or {lower}False.")
        return declared
    if lower_is_better not in (True, False):
        raise InputError(f"lower_is_better is {lower_is_better!r}; say true or false.")
    if declared is not None and known is not None and declared != bool(lower_is_better):
        raise InputError(
            f"{known.symbol} is better when {direction(known.orientation)} and {option('lower_is_better')}"
            f"{lower_is_better} says otherwise; leave it out, or give another name to what you measured."
        )
    return bool(lower_is_better)
